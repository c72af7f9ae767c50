import numpy as np
import pytest

from threadping.stats.estimate import Estimate, mean_over_lines, mean_over_trials, median_over_trials


def test_the_mean_over_lines_weighs_trials_alike_and_not_lines() -> None:
    assert mean_over_lines([[10.0, 20.0, 30.0], [40.0]], seed=1).mean == pytest.approx(30.0)


def test_one_trial_in_another_state_does_not_move_a_spinning_case_but_widens_it() -> None:
    moved = mean_over_lines([[28.0, 30.0], [29.0, 29.0], [128.0, 132.0]], seed=1)
    assert moved.mean == pytest.approx(29.0)
    assert moved.high > 100


def test_a_blocking_case_counts_every_trial() -> None:
    assert mean_over_trials([1.0, 1.0, 10.0], seed=1).mean == pytest.approx(4.0)


def test_a_rate_is_the_median_trials_and_its_interval_holds_the_others() -> None:
    estimate = median_over_trials([1.0, 1.5, 10.0], seed=1)
    assert (estimate.mean, estimate.low, estimate.high) == (1.5, 1.0, 10.0)
    assert median_over_trials([7.0, 7.0], seed=1) == Estimate(7.0, 7.0, 7.0)
    assert median_over_trials([4.0, 8.0], seed=1).mean == 6.0


def test_no_spread_gives_no_interval() -> None:
    assert mean_over_lines([[50.0] * 8] * 3, seed=1) == Estimate(50.0, 50.0, 50.0)
    assert mean_over_trials([7.0, 7.0, 7.0], seed=1) == Estimate(7.0, 7.0, 7.0)


def test_lines_alone_and_trials_alone_widen_the_interval() -> None:
    from_lines = mean_over_lines([[10.0, 30.0] * 50], seed=1)
    from_trials = mean_over_lines([[10.0] * 100, [30.0] * 100], seed=1)
    assert from_lines.low < 20 < from_lines.high
    assert from_trials.low < from_lines.low
    assert from_lines.high < from_trials.high


def test_the_interval_is_reproducible() -> None:
    trials = [[60.0, 61.0, 75.0], [59.0, 64.0, 80.0]]
    assert mean_over_lines(trials, seed=4) == mean_over_lines(trials, seed=4)
    assert mean_over_lines(trials, seed=4) != mean_over_lines(trials, seed=5)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Plant a mean, then find it: 12 trials of 64 lines, trials and lines both scattered."""
    rng = np.random.default_rng(11)
    covered = 0
    for number in range(200):
        trials = [list(rng.normal(100 + rng.normal(0, 2), 5, size=64)) for _ in range(12)]
        estimate = mean_over_lines(trials, seed=number)
        covered += estimate.low <= 100 <= estimate.high
    assert 175 <= covered <= 199  # 95% of 200 is 190; a bootstrap over 12 trials is known to miss that by a little
