"""Shifts planted in comparisons of a thing with itself, and what became of them."""

from random import Random

import pytest

from benchmarks.compare.__main__ import HEADS, table
from benchmarks.compare.planted import decided, judged, line, planted, ratio_of
from benchmarks.compare.slower import PLAYERS, TELLS, slower
from benchmarks.records import Unavailable
from tests.conftest import ROOT
from threadping.studies.compare.blocks import SideTrial, TrialBlock, order


def blocks(number: int, seed: int = 1, noise: float = 0.005) -> list[TrialBlock]:
    draw = Random(seed)
    return [
        TrialBlock(
            tuple(SideTrial(side, 27 * draw.lognormvariate(0, noise), 26.0, 26.0) for side in order(seed, 0, block))
        )
        for block in range(number)
    ]


def test_only_b_is_made_slower_and_by_just_the_shift() -> None:
    pairs = zip(blocks(3), planted(blocks(3), 0.03), strict=True)
    trials = [two for before, after in pairs for two in zip(before.trials, after.trials, strict=True)]
    ratios = [(after.value or 0) / (before.value or 1) for before, after in trials]
    assert ratios == pytest.approx([1.03 if before.side == "b" else 1.0 for before, _ in trials])


def test_a_large_shift_is_decided_at_the_first_look_and_no_shift_is_the_same() -> None:
    found = decided(planted(blocks(14), 0.1), 0.03, seconds_per_block=0.5)
    assert (found.answer, found.seconds) == ("slower", 2.5)  # four blocks, and the one that is thrown away
    given = [(blocks(14, seed), 0.5) for seed in range(5)]
    same, slower = line(0.0, given), line(0.05, given)
    assert (same.comparisons, same.slower, same.wrong, same.cannot_tell) == (5, 0, 0, 0)
    assert (slower.slower, slower.wrong, slower.seconds) == (5, 0, 2.5)
    assert table([same]).splitlines()[-1].count("|") == len(HEADS) + 1


def test_what_is_not_so_is_counted() -> None:
    given = [(planted(blocks(14), 0.1), 0.5)]  # B is slower before anything is planted
    assert (line(0.0, given).wrong, line(0.0, given).slower) == (1, 1)


def test_a_slower_build_is_as_slow_as_all_its_comparisons_say() -> None:
    made = [(planted(blocks(9, seed), 0.04), 0.5) for seed in range(20)]
    ratio = ratio_of(made)
    assert ratio == pytest.approx(1.04, abs=0.002)
    small, large = (judged(ratio - 1, margin, made[:3]) for margin in (0.01, 0.1))
    assert (small.slower, small.wrong) == (3, 0)
    assert (large.slower, large.wrong, large.cannot_tell) == (3, 0, 0)  # "differs by less than 10%"


def test_what_a_slower_build_replaces_is_there() -> None:
    assert (ROOT / PLAYERS).read_text().count(TELLS) == 1
    with pytest.raises(Unavailable, match="steps are even"):
        slower(3)
