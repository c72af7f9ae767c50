"""Plant a ratio and find it; pure noise must not be called a difference."""

import numpy as np
import pytest

from benchmarks.ratios import Interval, Met, at_most_above, judge, median_of_ratios, ratio_of_medians, spread, within


def test_the_spread_is_the_median_and_the_quartiles() -> None:
    found = spread([50.0, 10.0, 30.0, 20.0, 40.0])
    assert (found.median, found.low, found.high, found.processes) == (30.0, 20.0, 40.0, 5)


def test_sides_without_noise_have_an_exact_ratio() -> None:
    assert ratio_of_medians([63.0] * 20, [60.0] * 20, seed=1) == Interval(1.05, 1.05, 1.05)


def test_the_median_is_taken_of_each_side_not_of_the_quotients() -> None:
    ratio = ratio_of_medians([10.0, 20.0, 90.0], [40.0, 10.0, 30.0], seed=1)
    assert ratio.value == pytest.approx(20 / 30)


def test_an_outlier_moves_neither_the_ratio_nor_its_interval() -> None:
    assert ratio_of_medians([60.0] * 19 + [6000.0], [60.0] * 20, seed=1) == Interval(1.0, 1.0, 1.0)


def test_the_interval_holds_a_planted_ratio_as_often_as_it_promises() -> None:
    rng = np.random.default_rng(5)
    held = 0
    for seed in range(200):
        ratio = ratio_of_medians(rng.normal(63.0, 2.0, 20).tolist(), rng.normal(60.0, 2.0, 20).tolist(), seed)
        held += ratio.low <= 1.05 <= ratio.high
    assert 180 <= held <= 200


def test_the_seed_makes_the_interval_reproducible() -> None:
    ours, theirs = np.random.default_rng(5).normal(60.0, 2.0, (2, 20)).tolist()
    assert ratio_of_medians(ours, theirs, seed=3) == ratio_of_medians(ours, theirs, seed=3)
    assert ratio_of_medians(ours, theirs, seed=3) != ratio_of_medians(ours, theirs, seed=4)


def test_ratios_within_a_process_have_their_median() -> None:
    assert median_of_ratios([1.01, 1.02, 1.9], seed=1).value == 1.02


@pytest.mark.parametrize(
    ("low", "high", "two_sided", "one_sided"),
    [
        (0.97, 1.03, "yes", "yes"),
        (0.80, 0.90, "no", "yes"),
        (0.90, 0.97, "cannot tell", "yes"),
        (1.03, 1.08, "cannot tell", "cannot tell"),
        (1.06, 1.20, "no", "no"),
        (0.90, 1.20, "cannot tell", "cannot tell"),
        (0.95, 1.05, "yes", "yes"),
    ],
)
def test_only_a_whole_interval_on_one_side_decides(low: float, high: float, two_sided: Met, one_sided: Met) -> None:
    ratio = Interval((low + high) / 2, low, high)
    assert judge(ratio, within(5), 20) == two_sided
    assert judge(ratio, at_most_above(5), 20) == one_sided


@pytest.mark.parametrize(("processes", "met"), [(5, "cannot tell"), (6, "yes")])
def test_five_processes_never_decide(processes: int, met: Met) -> None:
    assert judge(Interval(1.0, 1.0, 1.0), within(5), processes) == met
