import json
from copy import deepcopy
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.conftest import make_request, make_result
from tests.fakes.fake_results import exact_result
from tests.fuzz.results import fuzz
from threadping.model.contract import HOUR_NS, OutliersRequest, Pin, Request, Result
from threadping.probes.trial import inconsistency

SIGNAL = make_request()
WAKEUP = make_request("futex", (0, 1), experiment="wakeup")
QUEUE = make_request("disruptor", (0, 1), experiment="queue")
TWO = replace(make_request("disruptor", (0, 1, 0), experiment="queue"), params={"consumers": 2})
LOCK = make_request("mutex", (0, 1), experiment="lock")
"""At 4 lines: 8 windows of 12,000 increments, 8.2 ms; 100 timed ones; 97,000 increments made, 1,000 to warm up."""


def result(request: Request, **changes: Any) -> Result:
    """Return the fake probe's result with changes deep inside, such as `windows__ns__0`."""
    message = exact_result(json.loads(msgspec.json.encode(request)))
    for path, value in changes.items():
        *outer, last = (int(name) if name.isdecimal() else name for name in path.split("__"))
        target: Any = message
        for name in outer:
            target = target[name]
        target[last] = deepcopy(value)  # a later path may change it
    return msgspec.convert(message, Result)


def test_a_true_result_is_believed() -> None:
    rows: list[Request] = [
        SIGNAL,
        replace(SIGNAL, outliers=None),
        WAKEUP,
        QUEUE,
        TWO,
        *(make_request("mutex", (0, 1, 0)[:n], experiment="lock") for n in (1, 2, 3)),
    ]
    for request_ in rows:
        assert inconsistency(request_, make_result(request_), HOUR_NS) is None


def test_each_of_several_that_follow_may_have_timed_all() -> None:
    assert inconsistency(TWO, result(TWO, distributions__batch__counts=[300_002, 1]), HOUR_NS) is None
    assert inconsistency(TWO, result(TWO, distributions__batch__counts=[300_003, 1]), HOUR_NS) is not None


PINGED = {"cpus": [0, 1], "when": "before", "at_ns": 1, "ns": 27.5}
TOO_FEW = {"made": 96_999, "found": 96_999, "exact": True}
FEW = OutliersRequest(10, 5_000, 3)
SOME: dict[str, Any] = {"look_ns": 700, "looks": 0, "interrupts": None, "lacking": [], "outliers": []}
DISORDER = {"unit": "ns", "values": [50, 50], "counts": [1, 1], "censored": 0, "negative": 0}
ORDER = "a window of its warm-up comes after one that was measured"
SAMPLED = "its windows contradict themselves on which of them were sampled"


def trips(counts: dict[int, int], resolution_ns: int = 1) -> dict[str, Any]:
    """Return the changes that make these the single round trips of a result."""
    return {
        "distributions__round-trip__values": [*counts],
        "distributions__round-trip__counts": [*counts.values()],
        "clock__resolution_ns": resolution_ns,
    }


SOME_WRITES = {"made": 9_000, "found": 9_000, "exact": True}
SOME_READS = {"made": 87_999, "found": 87_999, "exact": True}
SHARED = {"increments": SOME_WRITES, "whole reads": SOME_READS}
UNSAMPLED = {"windows__kind__8": "throughput", "windows__every__8": 0}
TOO_MANY = {"distributions__batch__counts": [150_002, 1]}
LOST = {"counts__increments__found": 96_983}
SNAPSHOTS = {"evidence__look_ns": 3.6e12, "evidence__looks": 100}
NO_ROUNDS = replace(SIGNAL, warmup=replace(SIGNAL.warmup, rounds=0))


def idle(ns: int) -> dict[str, Any]:
    """Return the changes that make no thread take CPU time for so long."""
    return {"threads__0__cpu_ns": 0, "threads__1__cpu_ns": 0, "measured__ns": ns}


def test_a_contradiction_is_named() -> None:
    rows: list[tuple[Request, dict[str, Any], str]] = [
        (SIGNAL, {"mechanism": "slow"}, "it is about signal slow, not signal steady"),
        (SIGNAL, {"experiment": "lock"}, "it is about lock steady, not signal steady"),
        (SIGNAL, {"pings": [PINGED]}, "it pinged CPUs [0, 1], which nobody asked for"),
        (LOCK, {"threads": msgspec.to_builtins(make_result(LOCK).threads[:1])}, "1 threads measured instead of 2"),
        (LOCK, {"windows__ops": [[12_000] * 8]}, "its windows are of 1 threads instead of 2"),
        (SIGNAL, {"windows__ops__1": [1]}, "its windows have columns of 1 to 9 entries"),
        (SIGNAL, {"windows__kind": ["throughput"] * 8}, "its windows have columns of 8 to 9 entries"),
        (LOCK, {"windows__ns": [1_000_000]}, "its windows have columns of 1 to 8 entries"),
        (SIGNAL, {"windows__warmup": [True] * 8}, "its windows have columns of 8 to 9 entries"),
        (SIGNAL, {"windows__switches": [0] * 10}, "its windows have columns of 9 to 10 entries"),
        (SIGNAL, {"windows__cpus": [1] * 8}, "its windows have columns of 8 to 9 entries"),
        (SIGNAL, {"windows__cpus": [*[2] * 8, 3]}, "at the end of a window its 2 threads stood on 3 CPUs"),
        (SIGNAL, {"windows__compile_ms": []}, "its windows have columns of 0 to 9 entries"),
        (LOCK, {"windows__warmup": [False, True, *[False] * 6]}, ORDER),
        (LOCK, {"windows__warmup": [*[True] * 6, False, True]}, ORDER),
        (LOCK, {"windows__every__0": 8}, SAMPLED),
        (LOCK, {"windows__every__1": 0}, SAMPLED),
        (LOCK, {"windows__line__0": 4}, "a window is at line 4, but there are 4, counted from 0"),
        (LOCK, {"measured__ns": 8_000_000}, "its windows last 8.200 ms, the whole 8.000 ms"),
        (LOCK, {"measured__ops": 95_999}, "its windows hold 96000 operations, the whole 95999"),
        (SIGNAL, UNSAMPLED, "its distribution round-trip holds 10000 of 0 operations"),
        (LOCK, {"distributions__acquire__counts": [96_003]}, "its distribution acquire holds 96003 of 96002"),
        (LOCK, {"distributions__acquire__counts": [1, 2]}, "its distribution acquire has 1 values and 2 counts"),
        (LOCK, {"distributions__acquire": DISORDER}, "the values of its distribution acquire do not ascend"),
        (SIGNAL, {"counts__handoffs__made": 37_001}, "it made 37001 handoffs in all, but 37000 while it warmed up"),
        (LOCK, {"counts": SHARED}, "it made 96999 increments and whole reads in all, but 97000 while it warmed up"),
        (LOCK, {"counts__increments": TOO_FEW}, "it made 96999 increments in all, but 97000 while it warmed up"),
        (TWO, {"warmup__ops": 2_002}, "it made 151000 messages in all, but 151001 while it warmed up"),
        (LOCK, {"counts__increments__found": 97_001}, "97001 increments were found, but 97000 were made"),
        (SIGNAL, {"evidence": None}, "it lacks the evidence that was asked for"),
        (replace(SIGNAL, outliers=None), {"evidence": SOME}, "it has evidence that was not asked for"),
        (QUEUE, TOO_MANY, "its distribution batch holds 150003 of 150002 operations"),
        (WAKEUP, {"evidence__outliers__0__thread": 2}, "an outlier is of thread 2, but there are 2, counted from 0"),
        (replace(WAKEUP, outliers=FEW), {}, "8 outliers of thread 0 were kept, of 6 at most"),
        (WAKEUP, {"evidence__outliers__3__of": "sleep"}, "an outlier is of sleep, which has no distribution"),
        (WAKEUP, {"evidence__outliers__6__ns": 4_999}, "an outlier took 4999 ns, less than the 5000"),
        (LOCK, LOST, "96983 of 97000 increments were found, although it calls the count exact"),
        (SIGNAL, trips({0: 10_000}), "a round trip takes 0.0 ns on average, but 200.0 ns in its fastest window"),
        (SIGNAL, trips({18: 10_000}), "a round trip takes 18.0 ns on average, but 200.0 ns in its fastest window"),
        (SIGNAL, trips({0: 1, 200: 9_999}), "a round trip took 0 ns, less than a clock read (20.0 ns)"),
        (SIGNAL, trips({204: 10_000}), "its timed round trips take 2.040 ms, their windows 2.008 ms"),
        (SIGNAL, trips({200: 999}), "its distribution round-trip holds 999 of the 10000 round trips that its windows"),
        (SIGNAL, {"clock__cost_ns": 7_216.0}, "a clock read takes 0.007 ms, but there were 10000 in 3.608 ms"),
        (LOCK, {"clock__cost_ns": 3.6e12}, "a clock read takes 3,600,000.000 ms, but there were 100 in"),
        (WAKEUP, SNAPSHOTS, "a snapshot of its counters takes 3,600,000.000 ms, but there were 100 in"),
        (SIGNAL, idle(20_000_001), "its threads took no CPU time for 36000 operations in 20.000 ms; where `carriers`"),
        (NO_ROUNDS, {"warmup__ended": "rounds"}, "it ended its warm-up after the rounds asked for, which were none"),
    ]
    for request_, changes, complaint in rows:
        assert (inconsistency(request_, result(request_, **changes), HOUR_NS) or "").startswith(complaint)


MORE = {"made": 98_000, "found": 98_000, "exact": True}
FEWER = {"made": 97_000, "found": 5, "exact": False}
OF_SOME = {"made": 100, "found": 5, "exact": False}
EARLY = [*[True] * 3, *[False] * 5]


@pytest.mark.parametrize(
    ("request_", "changes"),
    [
        pytest.param(
            LOCK,
            {"counts": {"increments": {**SOME_WRITES, "made": 9_001, "found": 9_001}, "whole reads": SOME_READS}},
            id="of readers and writers both kinds together are all operations",
        ),
        pytest.param(LOCK, {"counts__increments": MORE}, id="windows opened from outside count less than is made"),
        pytest.param(SIGNAL, {"measured__cut": True, "counts__handoffs": MORE}, id="a cut trial may have made more"),
        pytest.param(LOCK, {"counts__increments": FEWER}, id="what nothing protects may be found less often"),
        pytest.param(LOCK, {"counts__handoffs": OF_SOME}, id="what is not exact may be of some windows only"),
        pytest.param(LOCK, {"windows__warmup": EARLY, "measured__ns": 5_150_000}, id="the warm-up is not measured"),
        pytest.param(LOCK, {"windows__warmup": EARLY, "measured__ops": 95_999}, id="nor are its operations"),
        pytest.param(LOCK, {"distributions": {}}, id="nothing need be timed"),
        pytest.param(SIGNAL, trips({0: 9_999, 1_000: 1}, 1_000), id="by a clock of 1 us a round trip may take no time"),
        pytest.param(SIGNAL, trips({19: 10_000}), id="a window may last ten times as long as what was timed in it"),
        pytest.param(SIGNAL, trips({200: 1_000}), id="one round trip in ten at least is timed"),
        pytest.param(
            SIGNAL, {"distributions": {}, "clock__cost_ns": 1e9}, id="a clock that timed nothing had no time to cost"
        ),
        pytest.param(SIGNAL, {"clock__cost_ns": 7_215.0}, id="a clock may look more expensive than it is"),
        pytest.param(SIGNAL, idle(20_000_000), id="a kernel may count CPU time in ticks"),
        pytest.param(SIGNAL, {"warmup__ended": "rounds"}, id="the rounds that were asked for end a warm-up"),
    ],
)
def test_what_may_be_is_believed(request_: Request, changes: dict[str, Any]) -> None:
    assert inconsistency(request_, result(request_, **changes), HOUR_NS) is None


def test_a_thread_that_stood_elsewhere_is_named() -> None:
    moved = make_result(make_request(cpus=(1, 0)))
    assert inconsistency(make_request(cpus=(0, 1)), moved, HOUR_NS) == "ping was to run on CPU 0, but ran on [1]"


def test_a_process_pinned_as_a_whole_uses_all_its_cpus() -> None:
    whole = replace(make_request(cpus=(3, 1)), pin="process")
    assert inconsistency(whole, make_result(whole), HOUR_NS) is None
    alone = make_result(make_request(cpus=(3, 1)))
    assert inconsistency(whole, alone, HOUR_NS) == "ping was to run on CPUs [1, 3], but ran on [3]"


@pytest.mark.parametrize("pin", ["thread", "process"])
def test_an_unpinned_thread_may_be_anywhere(pin: Pin) -> None:
    request = replace(make_request(cpus=(None, None)), pin=pin)
    assert inconsistency(request, make_result(request), HOUR_NS) is None


COUNTED = {"increments": False}
LASTED_NS = 8_201_000
"""The fake lock's warm-up and measuring phase."""
MOST = 16 * 2 * LASTED_NS
"""Increments that two threads can make meanwhile."""
NEEDS: dict[str, dict[str, Any]] = {
    **{path: {"counts__increments": FEWER | {"made": MOST}} for path in ("warmup__ops", "counts__increments__made")},
    "clock__skew__least_ns": {"clock__skew": {"least_ns": -3, "most_ns": -3}},
}
"""What else must change, so that a value can be that large."""
OF_IT = "its distribution {0} has {1} ms, more than the {1} ms that it lasted"
OF_TWO = f"it made {MOST + 1} increments, more than 2 threads can in 8.201 ms"


def test_what_takes_longer_than_there_was_is_not_believed() -> None:
    """Each maximum passes; one more fails."""
    rows: list[tuple[Request, int, str, int, str]] = [
        (LOCK, 8_119_802, "warmup__ns", 1_000, "it warmed up and measured for 8.201 ms, but its process lived"),
        (LOCK, LASTED_NS, "warmup__ops", 640_032_000, "it warmed up with 640032001 operations in 0.001 ms"),
        (LOCK, LASTED_NS, "counts__increments__made", MOST, OF_TWO),
        (LOCK, LASTED_NS, "threads__1__cpu_ns", 28_283_010, "contender took 28.283 ms of CPU time in 8.201 ms"),
        (LOCK, LASTED_NS, "threads__0__migrations", 28_283_010, "contender had 28283011 migrations in 8.201 ms"),
        (LOCK, LASTED_NS, "machine__steal_ns", 56_566_020, "56.566 ms were stolen from 2 CPUs in 8.201 ms"),
        (LOCK, LASTED_NS, "clock__skew__least_ns", -3, "its clocks are apart by -2 ns at least and -3 at most"),
        (LOCK, LASTED_NS, "distributions__acquire__values__0", LASTED_NS, OF_IT.format("acquire", 8.201)),
        (SIGNAL, HOUR_NS, "distributions__round-trip__values__2", 3_607_600, OF_IT.format("round-trip", 3.608)),
        (WAKEUP, HOUR_NS, "evidence__outliers__6__ns", HOUR_NS, "an outlier took 3,600,000.000 ms, more than the 3,60"),
        (LOCK, LASTED_NS, "distributions__acquire__negative", 95_902, "its distribution acquire holds 96003 of 96002"),
    ]
    for request_, wall_ns, path, most, complaint in rows:
        others = NEEDS.get(path, {})
        assert inconsistency(request_, result(request_, **others, **{path: most}), wall_ns) is None
        said = inconsistency(request_, result(request_, **others, **{path: most + 1}), wall_ns) or ""
        assert said.startswith(complaint)


def test_a_thread_does_no_more_than_16_operations_in_a_nanosecond_of_its_windows() -> None:
    """Each of 8 windows of 6,000 of its operations may be longer by the step of the clock, which is 1 ns."""
    assert inconsistency(LOCK, result(LOCK, windows__ns=[374] * 8), HOUR_NS) is None
    said = "contender did 48000 operations in windows of 0.003 ms"
    assert inconsistency(LOCK, result(LOCK, windows__ns=[373] + [374] * 7), HOUR_NS) == said


def test_what_every_mechanism_promises_is_there_unless_the_trial_was_stopped_at_its_bound() -> None:
    rows: list[tuple[Request, dict[str, Any], int, dict[str, bool], str | None]] = [
        (
            *(LOCK, {"counts": {}}, LOCK.bound_ns - 1, COUNTED),
            "it does not report increments, although its process was not stopped at its bound",
        ),
        (LOCK, {"counts": {}}, LOCK.bound_ns, COUNTED, None),
        (
            *(LOCK, {"measured__cut": True}, LOCK.bound_ns - 1, {}),
            "it was cut at its bound of 500.000 ms, but its process lived for 500.000 ms",
        ),
        (LOCK, {"measured__cut": True}, LOCK.bound_ns, {}, None),
        (
            *(SIGNAL, {"counts__handoffs__exact": False}, HOUR_NS, {"handoffs": True}),
            "its handoffs are not exact, although every mechanism guarantees that",
        ),
        (SIGNAL, {"counts__handoffs__exact": False}, HOUR_NS, {"handoffs": False}, None),
    ]
    for request_, changes, wall_ns, promised, complaint in rows:
        assert inconsistency(request_, result(request_, **changes), wall_ns, promised) == complaint


def test_a_mutated_result_is_refused_or_measured_and_ends_nothing() -> None:
    found = fuzz(500, seed=1)
    assert found.keys() == {"garbage", "contradiction", "other-schema", "measured"}
    assert found.total() == 500 and min(found.values()) >= 4
