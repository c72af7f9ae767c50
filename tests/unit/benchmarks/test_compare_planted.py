"""Shifts planted in comparisons of a thing with itself, and what became of them."""

from random import Random

import pytest

from benchmarks.compare.__main__ import HEADS, table
from benchmarks.compare.planted import decided, line, planted
from threadping.comparing.blocks import Block, Measured, order


def blocks(number: int, seed: int = 1, noise: float = 0.005) -> list[Block]:
    draw = Random(seed)
    return [
        Block(tuple(Measured(side, 27 * draw.lognormvariate(0, noise), 26.0, 26.0) for side in order(seed, 0, block)))
        for block in range(number)
    ]


def test_only_b_is_made_slower_and_by_just_the_shift() -> None:
    told = zip(blocks(3), planted(blocks(3), 0.03), strict=True)
    pairs = [two for before, after in told for two in zip(before.trials, after.trials, strict=True)]
    ratios = [(after.value or 0) / (before.value or 1) for before, after in pairs]
    assert ratios == pytest.approx([1.03 if before.side == "b" else 1.0 for before, _ in pairs])


def test_a_large_shift_is_decided_at_the_first_look_and_no_shift_is_the_same() -> None:
    found = decided(planted(blocks(14), 0.1), 0.03, seconds_per_block=0.5)
    assert (found.answer, found.seconds) == ("slower", 2.5)  # four blocks, and the one that is thrown away
    told = [(blocks(14, seed), 0.5) for seed in range(5)]
    same, slower = line(0.0, told), line(0.05, told)
    assert (same.comparisons, same.slower, same.wrong, same.cannot_tell) == (5, 0, 0, 0)
    assert (slower.slower, slower.wrong, slower.seconds) == (5, 0, 2.5)
    assert table([same]).splitlines()[-1].count("|") == len(HEADS) + 1


def test_what_is_not_so_is_counted() -> None:
    told = [(planted(blocks(14), 0.1), 0.5)]  # B is slower before anything is planted
    assert (line(0.0, told).wrong, line(0.0, told).slower) == (1, 1)
