import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import make_distribution
from threadping.contract import Distribution
from threadping.figures.percentiles import QUANTILES, percentiles, worth


def timed(counts: dict[int, int]) -> Distribution:
    return make_distribution(tuple(counts), tuple(counts.values()))


ONE_TO_TEN_THOUSAND = timed(dict.fromkeys(range(1, 10_001), 1))


def test_percentiles_are_exact_order_statistics_and_may_be_parts_of_what_was_timed() -> None:
    places = {"p50": 5000.0, "p90": 9000.0, "p95": 9500.0, "p99": 9900.0, "p99.9": 9990.0}
    exact = {"min": 1.0, **places, "max": 10_000.0}
    assert percentiles([ONE_TO_TEN_THOUSAND]) == exact
    assert percentiles([ONE_TO_TEN_THOUSAND], parts=2) == {name: value / 2 for name, value in exact.items()}


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
