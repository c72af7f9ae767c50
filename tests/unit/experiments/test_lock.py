"""What `lock` reads from windows and waits, and what it says of them."""

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_windows
from tests.unit.figures.examples import LOCK, Given, codes, observed, result, row, said
from threadping.contract import Distribution, Result
from threadping.model import Placement


def windows(*plain: tuple[int, int], timed_ns: int | None = None) -> Result:
    """Plain windows of a millisecond, with the operations of two threads; of a timed one with 100 each the length."""
    timed = [Window(0, "timed", timed_ns, (100, 100))] if timed_ns else []
    return result(LOCK, windows=make_windows(*(Window(0, "plain", 1_000_000, ops) for ops in plain), *timed, every=8))


def figures(of: Result) -> dict[str, float]:
    return observed(LOCK, of).figures


def test_a_rate_is_of_all_plain_windows_and_of_no_timed_one() -> None:
    assert figures(windows((100, 100), (600, 200), timed_ns=10))["ops_per_s"] == pytest.approx(1_000 / 2e-3)


@pytest.mark.parametrize(("ns", "cost"), [(1_200_000, 0.2), (900_000, -0.1), (None, None)])
def test_sampling_costs_what_an_operation_takes_longer_and_is_told_as_it_is(ns: int | None, cost: float | None) -> None:
    assert figures(windows((100, 100), timed_ns=ns)).get("lock.sampling.cost") == pytest.approx(cost)


def test_fairness_is_of_each_window_and_shares_are_of_the_whole_trial() -> None:
    turns = figures(windows((100, 0), (0, 100), (0, 0), (0, 200)))
    assert [turns[f"lock.fairness.{name}"] for name in ("jain", "shares.min", "shares.max")] == [0.5, 0.25, 0.75]


def test_one_thread_alone_shares_with_nobody() -> None:
    alone = replace(LOCK, placement=Placement("same-cpu", (1,)))
    found = row(alone, *[result(alone)] * 6)
    assert found.figures["ops_per_s"] == pytest.approx(12e6)
    assert not [name for name in found.figures if name.startswith(("lock.fairness.jain", "lock.fairness.shares"))]
    assert found.verdicts == ()


def test_a_trial_that_timed_nothing_still_has_a_rate() -> None:
    untimed = row(LOCK, *[result(LOCK, distributions={"acquire": Distribution((), (), 0)})] * 6)
    assert untimed.figures["ops_per_s"] == pytest.approx(12e6)
    told = [name.removeprefix("latency_ns.") for name in untimed.figures if name.startswith("latency_ns")]
    assert told == ["samples", "censored"]


def test_lost_updates_are_the_result_where_nothing_protects_the_counter() -> None:
    unprotected = replace(LOCK, mechanism="unprotected")
    found = row(unprotected, *[result(unprotected)] * 6)
    assert found.figures["lock.updates.lost"] == 0.25
    assert said(found)[0].startswith("25% of the increments were lost (289,500 of 1,158,000)")


@pytest.mark.parametrize(
    ("runtime", "merged"), [("java-17", True), ("java-17 -XX:-EliminateLocksNot", True), ("cpp", False)]
)
def test_a_monitor_that_hotspot_may_merge_is_said_to(runtime: str, merged: bool) -> None:
    on_a_jvm = {} if runtime == "cpp" else {"counters.collections": 0.0}
    monitor, lock = (replace(LOCK, mechanism=mechanism, runtime=runtime) for mechanism in ("monitor", "reentrant-lock"))
    assert codes(Given(on_a_jvm, of=monitor).row) == [("coarsened", "info")] * merged
    assert codes(Given(on_a_jvm, of=lock).row) == []
