"""Power that comparisons of A with itself predict."""

from math import comb

import numpy as np
import pytest

from benchmarks.simulated.machines import MACHINES, blocks, measured
from threadping.studies.compare.blocks import looks
from threadping.studies.compare.power import power, share_of


def test_planted_differences_are_seen_as_often_as_real_ones() -> None:
    draw, machine = np.random.default_rng(4), MACHINES["levels 10% apart"]
    found = power([blocks(machine, draw, 6) for _ in range(10)], looks=looks(6), shifts=(0.0, 0.02, 0.05), draws=50)
    real = [measured(blocks(machine, draw, 6, ratio=1.02), looks(6))[0].direction for _ in range(30)]
    assert found.seen[0.0] <= 0.015 and 0.4 <= found.seen[0.02] < found.seen[0.05]
    assert abs(found.seen[0.02] - real.count("slower") / 30) <= 0.15
    assert (found.comparisons, found.blocks) == (10, (6, 6)) and found.false_alarms <= 1


def test_false_alarms_are_those_of_the_sides_that_were_measured() -> None:
    draw, still = np.random.default_rng(4), MACHINES["still"]
    runs = [blocks(still, draw, number, ratio=ratio) for number, ratio in ((4, 1.1), (9, 0.9), (6, 1.0), (5, 1.015))]
    found = power(runs, looks=looks(9), shifts=(), draws=0)
    assert (found.comparisons, found.false_alarms, found.blocks, found.seen) == (
        4,
        2,
        (4, 9),
        {},
    )  # p of the last is 1.7 times its level


def test_a_share_of_few_comparisons_says_between_what_it_lies() -> None:
    """None of ten excludes no more than 26%: 0.741 to the tenth is 5%."""
    assert share_of(0, 10) == pytest.approx((0.0, 1 - 0.05**0.1))
    assert share_of(10, 10) == pytest.approx((0.05**0.1, 1.0))
    assert share_of(0, 300)[1] == pytest.approx(0.01, abs=2e-4), "three hundred are needed for one in a hundred"
    assert share_of(2, 10) == pytest.approx((1 - share_of(8, 10)[1], 1 - share_of(8, 10)[0]))
    low, high = share_of(4.5, 10)
    assert (low, high) == (share_of(4, 10)[0], share_of(5, 10)[1])


def test_an_interval_of_a_share_holds_it_in_at_least_nine_of_ten() -> None:
    for truth in (0.05, 0.5, 0.9):
        of = range(11)
        chances = [comb(10, times) * truth**times * (1 - truth) ** (10 - times) for times in of]
        held = [share_of(times, 10)[0] <= truth <= share_of(times, 10)[1] for times in of]
        assert sum(chance for chance, holds in zip(chances, held, strict=True) if holds) >= 0.9
