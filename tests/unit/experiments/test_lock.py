"""What `lock` reads from windows and waits, and what it says of them."""

import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_windows
from tests.unit.figures.examples import LOCK, observed, result, row
from threadping.contract import Result
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
