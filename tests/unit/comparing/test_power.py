"""What comparisons of A with itself promise."""

import numpy as np

from benchmarks.simulated.machines import MACHINES, blocks, measured
from threadping.comparing.blocks import looks
from threadping.comparing.power import power


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
