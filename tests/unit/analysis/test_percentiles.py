import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_distribution
from threadping.analysis.percentiles import QUANTILES, of_each_trial, percentiles, worth
from threadping.model.contract import Distribution


def timed(counts: dict[int, int]) -> Distribution:
    return make_distribution(tuple(counts), tuple(counts.values()))


ONE_TO_TEN_THOUSAND = timed(dict.fromkeys(range(1, 10_001), 1))


def test_percentiles_are_exact_order_statistics() -> None:
    places = {"p50": 5000.0, "p90": 9000.0, "p95": 9500.0, "p99": 9900.0, "p99.9": 9990.0}
    exact = {"min": 1.0, **places, "max": 10_000.0}
    assert percentiles([ONE_TO_TEN_THOUSAND]) == exact


@pytest.mark.parametrize(
    ("samples", "carried"),
    [(10_000, 5), (9_999, 4), (1_000, 4), (999, 3), (200, 3), (199, 2), (100, 2), (99, 1), (20, 1), (19, 0), (1, 0)],
)
def test_a_percentile_that_the_samples_cannot_carry_is_absent(samples: int, carried: int) -> None:
    names = ["min", *[*QUANTILES][:carried], "max"]
    assert percentiles([timed({7: samples})]) == dict.fromkeys(names, 7.0)


def test_every_trial_weighs_the_same_however_many_samples_it_has() -> None:
    """Pooled, the quick trial's samples would be 99 of 100, and every percentile its own."""
    quick, slow = timed({30: 990_000}), timed({200: 10_000})
    found = percentiles([quick, slow, slow])
    assert (found["min"], found["p50"], found["max"]) == (30.0, 200.0, 200.0)
    assert percentiles([quick, quick, slow])["p50"] == 30.0
    assert percentiles([quick, slow])["p50"] == 30.0  # of an even number the lower, as the typical trial is


def test_the_worth_of_samples_is_their_number_where_trials_have_equally_many_and_less_otherwise() -> None:
    assert worth([timed({1: 50, 2: 50})] * 3) == pytest.approx(300)
    assert worth([timed({1: 100}), timed({1: 300})]) == pytest.approx(4 / (1 / 100 + 1 / 300))
    # 100,100 samples, but half of the weight is on a hundred of them
    assert "p99" not in percentiles([timed({1: 100_000}), timed({1: 100})])


def test_trials_in_which_nothing_was_timed_neither_weigh_nor_tell() -> None:
    empty = timed({})
    assert percentiles([]) == percentiles([empty]) == {}
    assert worth([]) == worth([empty]) == 0
    assert percentiles([empty, ONE_TO_TEN_THOUSAND]) == percentiles([ONE_TO_TEN_THOUSAND])
    assert worth([empty, ONE_TO_TEN_THOUSAND]) == pytest.approx(10_000)


@given(st.dictionaries(st.integers(0, 10**9), st.integers(1, 400), min_size=1, max_size=60), st.integers(1, 4))
def test_percentiles_of_trials_alike_agree_with_numpy(counts: dict[int, int], trials: int) -> None:
    one = timed(dict(sorted(counts.items())))
    samples = np.repeat(one.values * trials, one.counts * trials)
    for name, value in percentiles([one] * trials).items():
        q = {"min": 0.0, **QUANTILES, "max": 1.0}[name]
        assert value == np.quantile(samples, q, method="inverted_cdf")


def test_within_a_step_of_the_clock_values_are_spread_evenly() -> None:
    """Of 20, 30 and 31, which is one more reading of the same step, and 40."""
    found = percentiles([timed({20: 5_000, 30: 6_000, 31: 4_000, 40: 5_000})], step=10)
    assert (found["min"], found["p50"], found["p90"], found["max"]) == pytest.approx((20, 30, 40, 40))
    assert percentiles([timed({20: 10_000, 40: 10_000})], step=10)["p50"] == pytest.approx(25)
    assert percentiles([timed({20: 8_000, 30: 12_000})], step=10)["p50"] == pytest.approx(25 + 10 / 6)
    # None is below the least, or above the most:
    assert percentiles([timed({23: 10_000})], step=10) == dict.fromkeys(["min", *QUANTILES, "max"], 23)


def test_a_median_in_coarse_steps_is_the_median_before_the_clock_cut_it() -> None:
    rng = np.random.default_rng(7)
    for middle in (26.0, 27.3, 29.1, 33.8):
        exact = rng.normal(middle, 6.0, 200_000)
        values, counts = np.unique((exact / 10).round().astype(int) * 10, return_counts=True)
        cut = timed(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        assert abs(percentiles([cut], step=10)["p50"] - middle) < 0.8


def test_trials_by_themselves_tell_the_percentiles_that_all_of_them_carry() -> None:
    few, many = timed({10: 150}), timed({20: 990, 70: 10})
    assert of_each_trial([few, many]) == {"p50": [10, 20], "p90": [10, 20]}
    assert of_each_trial([many]) == {"p50": [20], "p90": [20], "p95": [20], "p99": [20]}
    assert of_each_trial([many, timed({})]) == of_each_trial([]) == {}


def test_long_waits_weigh_what_a_window_cuts_off_of_them() -> None:
    """Waits of 3 ms on average, of which windows of 6 ms hold those whole that neither edge cuts."""
    rng = np.random.default_rng(5)
    waits = rng.exponential(3_000, 200_000)
    whole = waits[waits + rng.uniform(0, 6_000, waits.size) < 6_000].astype(int)
    values, counts = np.unique(whole, return_counts=True)
    seen = timed(dict(zip(values.tolist(), counts.tolist(), strict=True)))
    short = np.quantile(waits[waits < 6_000], 0.5)
    assert percentiles([seen], windows=[6_000])["p50"] == pytest.approx(short, rel=0.03)
    assert percentiles([seen])["p50"] < 0.75 * short


def test_what_almost_fills_a_window_weighs_ten_times_at_most() -> None:
    """Of windows of 1,000 ns one of 990 would weigh a hundred; a thousand of 10 ns weigh a little more than that."""
    found = [percentiles([timed({10: quick, 990: 100})], windows=[1_000])["p50"] for quick in (980, 1_000)]
    assert found == [990, 10]
