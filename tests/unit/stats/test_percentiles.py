import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from threadping.stats.percentiles import QUANTILES, carried_percentiles, merge


def test_merge_adds_counts_and_sorts_values() -> None:
    assert list(merge([{5: 1, 9: 2}, {1: 4, 9: 1}]).items()) == [(1, 4), (5, 1), (9, 3)]


def test_percentiles_are_exact_order_statistics() -> None:
    one_to_ten_thousand = dict.fromkeys(range(1, 10_001), 1)
    assert carried_percentiles(one_to_ten_thousand) == {"p50": 5000, "p90": 9000, "p99": 9900, "p99_9": 9990}


def test_a_percentile_that_the_samples_cannot_carry_is_absent() -> None:
    assert carried_percentiles({1: 9_999}) == {"p50": 1, "p90": 1, "p99": 1}
    assert carried_percentiles({1: 10_000}) == {"p50": 1, "p90": 1, "p99": 1, "p99_9": 1}
    assert carried_percentiles({1: 999}) == {"p50": 1, "p90": 1}
    assert carried_percentiles({1: 99}) == {"p50": 1}
    assert carried_percentiles({1: 19}) == {}
    assert carried_percentiles({}) == {}


@given(st.dictionaries(st.integers(0, 10**9), st.integers(1, 400), min_size=1, max_size=60))
def test_percentiles_agree_with_numpy(histogram: dict[int, int]) -> None:
    ascending = merge([histogram])
    samples = np.repeat(list(ascending), list(ascending.values()))
    for name, value in carried_percentiles(ascending).items():
        assert value == np.quantile(samples, QUANTILES[name], method="inverted_cdf")
