"""The permutation test, and conformal prediction over nights."""

from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.chances import at_least, at_most
from tests.golden.minute import MINUTE, OBSERVATIONS
from tests.unit.analysis.examples import DECLARED
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.studies.compare import output, permutation, verdict
from threadping.studies.compare.blocks import Looks, looks
from threadping.studies.compare.permutation import CARRIED, SIGNS, Flags, Floats, p_value, shift, step, tails

FEW = [one for one in OBSERVATIONS if one.case == OBSERVATIONS[0].case]
Two = tuple[Floats, Flags]
DOUBTS: list[dict[str, Any]] = [{"weights": CARRIED}, {"of_distances": True}]

DRAW = np.random.default_rng(24)
TRIALS: dict[str, Floats] = {
    "normal": DRAW.normal(size=(3, 4)),
    "outliers": DRAW.standard_cauchy(size=(3, 4)),
    "drift": np.arange(12.0).reshape(3, 4),
    "ties": DRAW.integers(3, size=(3, 4)).astype(float),
    "masked": np.where(DRAW.random((3, 4)) < 0.25, nan, DRAW.normal(size=(3, 4))),
}


def orders(blocks: int) -> list[Flags]:
    """Return the trials of B in every order of this number of blocks."""
    return [SIGNS[list(one)] > 0 for one in product(range(6), repeat=blocks)]


def test_the_tails_count_all_orders() -> None:
    """Against the definition, written out: mid-ranks of distances from the block's median, less the block's mean."""
    for values in TRIALS.values():
        centred = values - np.nanmedian(values, axis=1)[:, None]
        known = centred[~np.isnan(centred)]
        ranks = np.array([[(known < one).sum() + (known <= one).sum() for one in block] for block in centred])
        ranks = np.where(np.isnan(values), nan, ranks.astype(float))
        scores = np.nan_to_num(ranks - np.nanmean(ranks, axis=1)[:, None])
        sums = np.array([scores[of_b].sum() for of_b in orders(3)])
        for of_b, seen in list(zip(orders(3), sums, strict=True))[::20]:
            high, low = tails(values, of_b, np.zeros(1))
            assert high == pytest.approx(np.mean(sums >= seen - 1e-9))
            assert low == pytest.approx(np.mean(sums <= seen + 1e-9))


@pytest.mark.parametrize("values", TRIALS.values(), ids=TRIALS)
def test_of_all_orders_as_many_reject_as_may(values: Floats) -> None:
    found = np.array([p_value(values, of_b) for of_b in orders(3)])
    assert all(np.mean(found <= level) <= level for level in (0.01, 0.05, 0.1, 0.3, 0.5))
    assert min(found) <= 2 / 6**2


def test_of_all_orders_the_interval_covers_the_shift_in_as_many_as_it_must() -> None:
    """Two blocks have 36 orders, and the minimum p is 1/18."""
    missed = {0.1: 0, 0.4: 0}
    for of_b in orders(2):
        found = shift(TRIALS["normal"][:2] + 0.7 * of_b, of_b, tuple(missed))
        assert found is not None
        for level, (low, high) in zip(missed, found[1], strict=True):
            missed[level] += not low <= 0.7 <= high
            assert low <= found[0] <= high
    assert 0 < missed[0.1] <= 0.1 * 36 and 0.2 * 36 < missed[0.4] <= 0.4 * 36


def test_looks_together_err_in_at_most_one_of_a_hundred() -> None:
    """The test takes all orders of four blocks, analysed after three and after four."""
    values = DRAW.normal(size=(4, 4))
    due = Looks((3, 4))
    assert due.level(3, 1, final=False) is None, "2 / 216 is more than its share, which the next look inherits"
    levels = [(blocks, due.level(blocks, 1, final=blocks == 4)) for blocks in (3, 4)]
    erred = [any(level and p_value(values[:n], of_b[:n]) <= level for n, level in levels) for of_b in orders(4)]
    assert 0.005 < np.mean(erred) <= 0.01


def test_two_blocks_reject_nothing_at_one_percent_and_three_just_do() -> None:
    """B lies above A in each block: 1 order of 6^k ranks B so high."""
    of_b = SIGNS[[0, 1, 2]] > 0
    values = np.where(of_b, 0.03, 0.0) + np.arange(3)[:, None] + 1e-4 * DRAW.random((3, 4))
    found = shift(values[:2], of_b[:2], (0.01, 2 / 36))
    assert found is not None and found[1][0] == (-inf, inf) and found[1][1] == pytest.approx((0.03, 0.03), abs=2e-4)
    found = shift(values, of_b, (0.01,))
    assert found is not None and found[0] == pytest.approx(0.03, abs=2e-4)
    assert found[1][0] == pytest.approx((0.03, 0.03), abs=2e-4)
    assert p_value(values, of_b) == pytest.approx(2 / 6**3)


def test_many_blocks_are_as_exact_as_few() -> None:
    """Thirty blocks of opposite trials: the sum is binomial, and its tails are far below what draws could show."""
    of_b = SIGNS[np.zeros(30, int)] > 0
    high, low = tails(np.where(of_b, 1.0, 0.0), of_b, np.zeros(1))
    assert high[0] == pytest.approx(6.0**-30) and low[0] == pytest.approx(1)


def many(blocks: int) -> dict[str, Floats]:
    draw = np.random.default_rng(7)
    return {
        "normal": (normal := draw.normal(size=(blocks, 4))),
        "outliers": draw.standard_cauchy(size=(blocks, 4)),
        "two clock steps": np.round(normal),
        "masked": np.where(draw.random((blocks, 4)) < 0.25, nan, normal),
        "states": normal * np.exp(draw.normal(size=(blocks, 1))),
    }


@pytest.mark.parametrize("kind", many(1))
def test_of_many_blocks_the_tails_are_those_that_counting_finds(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of blocks is the first above exact counting, where the approximation is worst."""
    values, shifts = many(permutation.MOST_BLOCKS + 1)[kind], np.linspace(-1, 1, 9)
    of_b = SIGNS[np.random.default_rng(8).integers(6, size=len(values))] > 0
    near = np.concatenate(tails(values, of_b, shifts))
    monkeypatch.setattr(permutation, "MOST_BLOCKS", len(values))
    monkeypatch.setattr(permutation, "MOST_SUMS", 10**9)
    counted = np.concatenate(tails(values, of_b, shifts))
    assert near[counted > 0.01] == pytest.approx(counted[counted > 0.01], rel=0.01)
    assert near[counted > 5e-4] == pytest.approx(counted[counted > 5e-4], rel=0.03)
    assert near == pytest.approx(counted, abs=1e-4) and min(counted) < 0.02


def test_nothing_to_compare() -> None:
    of_b = SIGNS[[0, 0]] > 0
    assert shift(np.where(of_b, nan, 1.0), of_b, (0.05,)) is None
    assert shift(np.empty((0, 4)), np.empty((0, 4), bool), (0.05,)) is None
    many_blocks = np.tile(of_b, (permutation.MOST_BLOCKS, 1))
    assert [*tails(np.ones(many_blocks.shape), many_blocks, np.zeros(1))] == [1, 1]


def test_how_coarse_values_are() -> None:
    assert step(np.array([25.0, 25, 30, nan, 35, 35])) == 5
    assert step(np.array([25.0, 26, 26.5, 27])) == 0
    assert step(np.array([25.0, 25, 25])) == inf


def test_levels_of_looks() -> None:
    assert looks(30).blocks == (4, 6, 9, 14, 21, 30) and looks(10).blocks == (4, 6, 9, 10) and looks(2).blocks == (2,)
    two = looks(6)
    assert [two.level(blocks, 1, final=False) for blocks in (3, 4, 5, 6)] == [None, 0.005, None, 0.005]
    # The share of a look that has not been taken is left for the end, and so is that of one that could not reject.
    assert [two.level(blocks, 1, final=True) for blocks in (1, 4, 5, 6, 7)] == [0.01, 0.01, 0.005, 0.005, 0.005]
    assert [two.level(blocks, 20, final=False) for blocks in (4, 6)] == [None, 0.01 / 20]
    assert two.level(5, 20, final=True) == 0.01 / 20
    # A power of six of that many digits took hours: of an imported run, whose number anybody may have written.
    assert looks(2**63 - 1).level(2, 1, final=True) == 0.01


def _logs(draw: np.random.Generator, number: int, spread: float = 1.0, carried: float = 0.0, shift: float = 0.0) -> Two:
    """Draw logarithms, B's `spread` times as noisy and higher by `shift`; what is behind a B is higher by `carried`."""
    of_b = SIGNS[draw.integers(len(SIGNS), size=number)] > 0
    noise = draw.normal(0, 0.011, of_b.shape) * np.where(of_b, spread, 1.0)
    behind = np.concatenate([np.zeros((number, 1), bool), of_b[:, :-1]], axis=1)
    return noise + shift * of_b + carried * behind, of_b


def test_an_after_effect_and_an_unequal_spread_are_detected_and_nothing_else_raises_a_doubt() -> None:
    """What is planted is seen in 85 and 80% of comparisons; of what is not, 0.5% raise a doubt."""
    rows: list[tuple[int, dict[str, float], bool, bool]] = [
        *((4, {}, False, False), (9, {"shift": 0.3}, False, False)),
        # An after-effect of 3% made equals differ in 9 of 100 comparisons.
        *((9, {"carried": 0.03}, True, False), (9, {"carried": -0.03, "shift": 0.05}, True, False)),
        *((14, {"spread": 5.0}, False, True), (14, {"spread": 0.2}, False, True)),
    ]
    for blocks, planted, carried, spread in rows:
        draw, found = np.random.default_rng(29), np.zeros(2)
        for _ in range(20):
            values, of_b = _logs(draw, blocks, **planted)
            ratio, _ = shift(values, of_b, ()) or (0.0, [])
            found += [p_value(values, of_b, ratio, **how) < verdict.DOUBTED for how in DOUBTS]
        for seen, is_planted, power in zip(found, (carried, spread), (0.85, 0.8), strict=True):
            assert seen >= at_least(20, power) if is_planted else seen <= at_most(20, 0.005)


def test_a_carry_over_is_counted_over_every_order_by_hand() -> None:
    """One block whose trials behind B are higher: of six orders none has a larger sum, and one a sum as large."""
    of_b = np.array([[True, False, True, False]])
    values = np.array([[0.0, 1.0, 0.0, 1.0]])
    assert p_value(values, of_b, weights=CARRIED) == pytest.approx(2 / 6)
    masked = np.where([[False, True, False, False]], np.nan, values)
    assert 0 < p_value(masked, of_b, weights=CARRIED) <= 1
    assert (CARRIED * SIGNS).sum() == 0, "over all orders a trial's own side weighs nothing"


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
    found = [output.conformal(given[place], [*given[:place], *given[place + 1 :]]) for place in range(31)]
    assert [one.outside for one in found].count(True) == 1
    assert sorted(one.odder for one in found) == list(range(31))
    assert {(one.nights, one.false_alarms) for one in found} == {(30, 1 / 31)}


def test_one_figure_that_changed_is_outside_and_is_named() -> None:
    given = nights(31)
    tonight = given[0] | {"case 3": 25 * 4.0}
    found = output.conformal(tonight, given[1:])
    others = [night["case 3"] for night in given[1:]]
    odd = found.figures["case 3"]
    assert found.outside and odd.distance == max(one.distance for one in found.figures.values())
    assert (odd.tonight, odd.low, odd.high, odd.below, odd.nights) == (100.0, min(others), max(others), 30, 30)


def test_by_hand() -> None:
    """The median of 10, 20, 20, 40 is 20; the logarithms lie one doubling, nothing, nothing, and one from it."""
    found = output.conformal({"a": 40.0, "new": 7.0}, [{"a": 10.0}, {"a": 20.0}, {"a": 20.0, "old": 1.0}])
    assert found.figures == {"a": output.Rank(40.0, 10.0, 20.0, 3, 3, 2.0)}
    assert (found.outside, found.odder, found.nights) == (None, 1, 3)


@pytest.mark.parametrize(("tonight", "outside"), [(25.0, False), (25.1, True)])
def test_where_all_nights_were_equal(tonight: float, outside: bool) -> None:
    """Another value is infinitely odd; the same one is as odd as all."""
    assert output.conformal({"a": tonight}, [{"a": 25.0}] * 10).outside is outside
    assert output.conformal({}, [{"a": 25.0}] * 10).outside is False


def test_a_night_next_to_other_programs_is_not_counted_and_such_a_tonight_is_not_judged() -> None:
    def night(ns: float, others: float = 0.0) -> Answer:
        seen = [replace(one, others=others, figures={**one.figures, "latency_ns.typical": ns}) for one in FEW]
        return analyse(MINUTE, seen, (), DECLARED)

    nights = [night(26.0 + at / 10) for at in range(9)]
    odd = output.among(night(99.0), [*nights, night(90.0, others=0.3)])
    assert (odd.outside, odd.nights, odd.left_out, odd.why) == (True, 9, 1, "")
    busy = output.among(night(99.0, others=0.57), nights)
    assert (busy.outside, busy.why) == (None, "other programs used 57% of the CPU time (busy-machine)")
