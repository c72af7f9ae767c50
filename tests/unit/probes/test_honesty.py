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
        target = message
        for name in outer:
            target = target[name]
        target[last] = value
    changed: Result = msgspec.convert(message, Result)
    return changed


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
