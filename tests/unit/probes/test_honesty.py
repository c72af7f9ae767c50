import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import make_request
from tests.fakes.fake_probe import exact_result
from threadping.contract import Request, Result
from threadping.probes.honesty import contradiction


def result(request: Request, **changes: Any) -> Result:
    message = exact_result(json.loads(msgspec.json.encode(request)))
    for path, value in changes.items():
        *outer, last = path.split("__")
        target: Any = message
        for name in outer:
            target = target[int(name) if isinstance(target, list) else name]
        target[last] = value
    changed: Result = msgspec.convert(message, Result)
    return changed


THREE_THREADS = exact_result(json.loads(msgspec.json.encode(make_request("mutex", (0, 1, 0), experiment="lock"))))[
    "threads"
]


def test_a_true_result_is_believed() -> None:
    assert contradiction(make_request(), result(make_request())) is None


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mechanism": "slow"}, "signal slow, not signal steady"),
        ({"blocks__lines": [[200.0]]}, "1 lines instead of 4"),
        ({"singles__counts": [1]}, "more values than counts"),
        ({"singles__values_ns": [400, 200, 8000]}, "do not ascend"),
        ({"singles__values_ns": [200, 200, 8000]}, "do not ascend"),
        ({"measured__ns": 1000}, "its parts last"),
        ({"measured__ops": 10}, "its parts hold 36000 hand-overs, the whole 10"),
    ],
)
def test_a_contradiction_is_named(changes: dict[str, Any], complaint: str) -> None:
    assert complaint in (contradiction(make_request(), result(make_request(), **changes)) or "")


def lock_request(threads: int = 2) -> Request:
    return make_request("mutex", (0, 1, 0)[:threads], experiment="lock")


def test_a_true_result_of_lock_is_believed() -> None:
    for threads in (1, 2, 3):
        assert contradiction(lock_request(threads), result(lock_request(threads))) is None


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mechanism": "monitor"}, "it is about lock monitor, not lock mutex"),
        ({"threads": THREE_THREADS}, "3 threads measured instead of 2"),
        ({"windows__0__ops": [1]}, "a window tells of 1 threads instead of 2"),
        ({"windows__0__line": 4}, "a window is at line 4, but there are 4, counted from 0"),
        ({"measured__ns": 8_000_000}, "its windows last 8.200 ms, the whole 8.000 ms"),
        ({"measured__ops": 95_999}, "its windows hold 96000 increments, the whole 95999"),
        ({"waits__counts": [96_001]}, "it timed 96001 of 96000 increments"),
        ({"waits__counts": [1, 2]}, "more values than counts"),
        ({"waits": {"values_ns": [50, 40], "counts": [1, 1]}}, "do not ascend"),
        ({"counter__made": 96_999}, "it made 96999 increments in all, but 97000 while it warmed up and measured"),
        ({"counter__found": 97_001}, "its counters hold 97001 increments, but 97000 were made"),
        ({"counter__found": 96_983}, "its counters hold 96983 of 97000 increments, and it calls that exact"),
    ],
)
def test_a_contradiction_of_lock_is_named(changes: dict[str, Any], complaint: str) -> None:
    request = lock_request()
    assert complaint in (contradiction(request, result(request, **changes)) or "")


def test_a_counter_that_nothing_protects_may_hold_fewer() -> None:
    request = lock_request()
    assert contradiction(request, result(request, counter={"exact": False, "made": 97_000, "found": 5})) is None


def test_a_thread_that_stood_elsewhere_is_named() -> None:
    moved = result(make_request(cpus=(1, 0)))
    assert contradiction(make_request(cpus=(0, 1)), moved) == "ping was to stand on CPU 0, but stood on [1]"


def test_a_process_that_is_pinned_whole_stands_on_all_its_cpus() -> None:
    whole = replace(make_request(cpus=(3, 1)), pin="process")
    assert contradiction(whole, result(whole)) is None
    alone = result(make_request(cpus=(3, 1)))
    assert contradiction(whole, alone) == "ping was to stand on CPUs [1, 3], but stood on [3]"


def test_a_process_that_is_not_pinned_may_stand_anywhere() -> None:
    request = replace(make_request(cpus=(None, None)), pin="process")
    assert contradiction(request, result(request)) is None


def test_a_thread_that_was_not_pinned_may_stand_anywhere() -> None:
    request = make_request(cpus=(None, None))
    assert contradiction(request, result(request)) is None
