"""Percentiles of counted values, and whether the samples carry them."""

from collections.abc import Iterable, Mapping

CARRYING_SAMPLES = 10
"""A percentile is reported only if at least this many samples are expected beyond it, so that it is not the luck of one
or two: p99.9 needs 10,000 samples. The usual rule of thumb n(1 - q) >= 10 for the normal approximation of an order
statistic's rank (for instance Conover, Practical Nonparametric Statistics, 3rd ed., 3.2)."""

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99_9": 0.999}


def merge(histograms: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Add up the counts of each value; ascending by value."""
    total: dict[int, int] = {}
    for histogram in histograms:
        for value, count in histogram.items():
            total[value] = total.get(value, 0) + count
    return dict(sorted(total.items()))


def carried_percentiles(histogram: Mapping[int, int]) -> dict[str, int]:
    """The percentiles of QUANTILES that the samples carry.

    Args:
        histogram: how often each value occurred, ascending by value.

    Returns:
        For each carried percentile the smallest value with at least that share of the samples at or below it.
    """
    samples = sum(histogram.values())
    carried = {name: q for name, q in QUANTILES.items() if samples * (1 - q) >= CARRYING_SAMPLES - 1e-9}
    found: dict[str, int] = {}
    below = 0
    for value, count in histogram.items():
        below += count
        for name, q in carried.items():
            if name not in found and below >= q * samples - 1e-9:
                found[name] = value
    return found
