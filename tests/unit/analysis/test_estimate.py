"""What several trials say together, and an interval that covers it as often as it claims."""

from collections.abc import Callable
from statistics import NormalDist, median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from threadping.analysis.percentiles import Estimate, estimate, fewest_for, interval, interval_of_mean

times = st.floats(1.0, 1e9)
Draw = Callable[[np.random.Generator, int, int], NDArray[np.float64]]

NEAR, NEAR_SHARE = NormalDist(27, 1), 0.78
"""The nearer of the two states that were seen, in nanoseconds, and the share of the time in it."""
MIDDLE = NEAR.inv_cdf(0.5 / NEAR_SHARE)


def test_the_interval_is_interpolated_between_order_statistics() -> None:
    """Of six the outermost cover 96.875% and the next 78.125%; of twelve the third 96.143% and the fourth 85.400%."""
    share = (0.96875 - 0.95) / (0.96875 - 0.78125)
    inward = 5 * share / (1 + 4 * share)
    assert interval([6, 1, 5, 2, 4, 3]) == pytest.approx((1 + inward, 6 - inward))
    share = (1 - 158 / 4096 - 0.95) / (440 / 4096)
    inward = 9 * share / (3 + 6 * share)
    assert interval(range(1, 13)) == pytest.approx((3 + inward, 10 - inward))
    assert interval([0.1] * 8) == (0.1, 0.1)
    assert [fewest_for(confidence) for confidence in (0.5, 0.75, 0.95, 0.99)] == [2, 3, 6, 8]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([7], Estimate(7)),
        ([9, 7], Estimate(8)),
        ([9, 7, 4, 5], Estimate(6, 4, 9, "range")),  # the ordinary median
        ([5] * 6, Estimate(5, 5, 5, "ci95")),
    ],
)
def test_one_or_two_trials_have_no_interval_three_a_range_and_six_an_interval(
    values: list[float], expected: Estimate
) -> None:
    assert estimate(values) == expected


def test_a_mean_has_a_range_or_an_interval_and_totals_and_extremes_are_alone() -> None:
    values = [4.0, 1.0, 2.0, 9.0, 3.0, 5.0]
    assert estimate(values[:5], "mean") == Estimate(3.8, 1, 9, "range")
    assert estimate(values, "mean") == Estimate(4, *interval_of_mean(values, 0.95), "ci95")
    found = [estimate(values, over) for over in ("total", "least", "most")]
    assert found == [Estimate(24), Estimate(1), Estimate(9)]
    halves = [
        one.half for one in (estimate(values[:5], "mean"), Estimate(-4, -5, -3), Estimate(24), Estimate(0, -1, 1))
    ]
    assert halves == [pytest.approx(4 / 3.8), 0.25, None, None]


def test_a_harmonic_mean_is_of_times_whose_trials_last_equally_long() -> None:
    """Three operations in 6 ns and one in 6 more are four in 12: the mean of rates, turned round."""
    assert estimate([2.0, 6.0], "harmonic") == Estimate(3.0)
    times_of_trials = [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    low, high = interval_of_mean([1 / one for one in times_of_trials], 0.95)
    found = estimate(times_of_trials, "harmonic")
    assert (found.kind, found.ends) == ("ci95", (1 / high, 1 / low))
    assert 2.0 < found.ends[0] < found.value < found.ends[1] < 7.0


@given(st.lists(times, min_size=6, max_size=20), st.floats(1.0, 1e3))
def test_an_interval_holds_the_median_knows_no_unit_and_widens_as_its_trials_do(
    values: list[float], scale: float
) -> None:
    low, high = interval(values)
    assert min(values) <= low <= median(values) <= high <= max(values)
    assert interval([scale * value for value in values]) == pytest.approx((scale * low, scale * high))


def of_two_states(dwell: float) -> Draw:
    """Trials that stay in the state of the one before with this probability, and otherwise fall into either."""

    def draw(rng: np.random.Generator, times: int, trials: int) -> NDArray[np.float64]:
        far = rng.random((times, trials)) >= NEAR_SHARE
        for trial in range(1, trials):
            far[:, trial] = np.where(rng.random(times) < dwell, far[:, trial - 1], far[:, trial])
        return np.where(far, rng.normal(128, 2, far.shape), rng.normal(NEAR.mean, NEAR.stdev, far.shape))

    return draw


@pytest.mark.parametrize("trials", [6, 7, 9, 12, 20])
@pytest.mark.parametrize(
    ("draw", "truth", "least", "most"),
    [
        pytest.param(lambda rng, *size: rng.normal(100, 5, size), 100.0, 0.93, 0.97, id="normal"),
        pytest.param(lambda rng, *size: rng.lognormal(0, 1, size), 1.0, 0.93, 0.97, id="lognormal"),
        pytest.param(lambda rng, *size: rng.standard_t(3, size), 0.0, 0.93, 0.97, id="student-t-3"),
        pytest.param(lambda rng, *size: rng.standard_cauchy(size), 0.0, 0.93, 0.97, id="cauchy"),
        pytest.param(of_two_states(0.0), MIDDLE, 0.93, 0.97, id="two states"),
        # Trials that depend on earlier trials are worth fewer independent ones: this is why states are separated.
        pytest.param(of_two_states(0.5), MIDDLE, 0.85, 0.91, id="two states with dwell"),
    ],
)
def test_the_interval_covers_the_median_as_often_as_it_says(
    draw: Draw, truth: float, least: float, most: float, trials: int
) -> None:
    drawn = draw(np.random.default_rng(11), 2000, trials).tolist()
    covered = sum(low <= truth <= high for low, high in map(interval, drawn))
    assert least <= covered / 2000 <= most
