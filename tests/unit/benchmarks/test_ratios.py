"""Whether a ratio keeps to its limit. How it is found is tested with the analysis."""

import pytest

from benchmarks.ratios import Met, at_most_above, judge, spread, within
from threadping.analysis.percentiles import Estimate, IntervalKind


def test_the_spread_is_the_median_and_the_quartiles() -> None:
    found = spread([50.0, 10.0, 30.0, 20.0, 40.0])
    assert (found.median, found.low, found.high, found.processes) == (30.0, 20.0, 40.0, 5)


@pytest.mark.parametrize(
    ("low", "high", "two_sided", "one_sided"),
    [
        (0.97, 1.03, "yes", "yes"),
        (0.80, 0.90, "no", "yes"),
        (0.90, 0.97, "cannot tell", "yes"),
        (1.03, 1.08, "cannot tell", "cannot tell"),
        (1.06, 1.20, "no", "no"),
        (0.90, 1.20, "cannot tell", "cannot tell"),
    ],
)
def test_only_a_whole_interval_on_one_side_decides(low: float, high: float, two_sided: Met, one_sided: Met) -> None:
    ratio = Estimate((low + high) / 2, low, high, "ci95")
    assert judge(ratio, within(5)) == two_sided
    assert judge(ratio, at_most_above(5)) == one_sided


@pytest.mark.parametrize("kind", ["range", None])
def test_without_an_interval_nothing_is_decided(kind: IntervalKind | None) -> None:
    assert judge(Estimate(1.0, 1.0, 1.0, kind), within(5)) == "cannot tell"
