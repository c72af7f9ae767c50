"""A night is outside if it is odder than every other, which of n + 1 nights alike exactly one is."""

import numpy as np
import pytest
from msgspec.structs import replace

from tests.golden.minute import MINUTE, OBSERVATIONS
from tests.unit.analysis.examples import DECLARED
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.studies.compare.history import Rank, among, conformal


def nights(number: int) -> list[dict[str, float]]:
    """Twenty figures that depend on each other, with heavy tails; of one of them a night in three knows nothing."""
    draw = np.random.default_rng(9)
    logs = draw.standard_cauchy((number, 1)) * 0.02 + draw.standard_t(2, (number, 20)) * 0.03
    found = [{f"case {place}": float(25 * np.exp(one)) for place, one in enumerate(night)} for night in logs]
    for night in found[::3]:
        del night["case 7"]
    return found


def test_of_nights_alike_exactly_one_is_outside() -> None:
    given = nights(31)
    found = [conformal(given[place], [*given[:place], *given[place + 1 :]]) for place in range(31)]
    assert [one.outside for one in found].count(True) == 1
    assert sorted(one.odder for one in found) == list(range(31))
    assert {(one.nights, one.false_alarms) for one in found} == {(30, 1 / 31)}


def test_one_figure_that_changed_is_outside_and_is_named() -> None:
    given = nights(31)
    tonight = given[0] | {"case 3": 25 * 4.0}
    found = conformal(tonight, given[1:])
    others = [night["case 3"] for night in given[1:]]
    odd = found.figures["case 3"]
    assert found.outside and odd.distance == max(one.distance for one in found.figures.values())
    assert (odd.tonight, odd.low, odd.high, odd.below, odd.nights) == (100.0, min(others), max(others), 30, 30)


def test_by_hand() -> None:
    """The median of 10, 20, 20, 40 is 20; the logarithms lie one doubling, nothing, nothing, and one from it."""
    found = conformal({"a": 40.0, "new": 7.0}, [{"a": 10.0}, {"a": 20.0}, {"a": 20.0, "old": 1.0}])
    assert found.figures == {"a": Rank(40.0, 10.0, 20.0, 3, 3, 2.0)}
    assert (found.outside, found.odder, found.nights) == (None, 1, 3)


@pytest.mark.parametrize(("tonight", "outside"), [(25.0, False), (25.1, True)])
def test_where_all_nights_were_equal(tonight: float, outside: bool) -> None:
    """Another value is infinitely odd; the same one is as odd as all."""
    assert conformal({"a": tonight}, [{"a": 25.0}] * 10).outside is outside
    assert conformal({}, [{"a": 25.0}] * 10).outside is False


def test_a_night_next_to_other_programs_is_not_counted_and_such_a_tonight_is_not_judged() -> None:
    def night(ns: float, others: float = 0.0) -> Answer:
        seen = [replace(one, others=others, figures={**one.figures, "latency_ns.typical": ns}) for one in OBSERVATIONS]
        return analyse(MINUTE, seen, (), DECLARED)

    nights = [night(26.0 + at / 10) for at in range(9)]
    odd = among(night(99.0), [*nights, night(90.0, others=0.3)])
    assert (odd.outside, odd.nights, odd.left_out, odd.why) == (True, 9, 1, "")
    busy = among(night(99.0, others=0.57), nights)
    assert (busy.outside, busy.why) == (None, "other programs used 57% of the CPU time (busy-machine)")
