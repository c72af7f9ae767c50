"""What several trials say together, and how sure that is."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from math import comb
from statistics import fmean, harmonic_mean, median
from typing import Literal

from threadping.analysis.bootstrap import interval_of_mean
from threadping.model.bounds import Record

CONFIDENCE = 0.95

Summary = Literal["median", "mean", "harmonic", "total", "least", "most"]
"""How the values of trials become one."""

SUMMARIES: Mapping[Summary, Callable[..., float]] = {
    "median": median,
    "mean": fmean,
    "harmonic": harmonic_mean,
    "total": sum,
    "least": min,
    "most": max,
}

FEWEST_FOR_AN_INTERVAL = 6
"""With fewer trials than six not even the range of all covers their median with 95% confidence: 1 - 2/2^5 is 93.75%."""

FEWEST_FOR_A_RANGE = 3

IntervalKind = Literal["ci95", "ci99", "range"]
"""What `low` and `high` are; an advice has 99% intervals."""


class Estimate(Record, frozen=True):
    """A figure over trials.

    `low` and `high` are its 95% confidence interval (`ci95`) from six trials on, the range of the trials (`range`) from
    three on; None for fewer trials, totals and extremes. Both are of the time in which the trials were measured.
    """

    value: float
    low: float | None = None
    high: float | None = None
    kind: IntervalKind | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval; where there is none, the value alone."""
        return (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)

    @property
    def half(self) -> float | None:
        """Half of the interval as a share of the value; None without an interval, or of 0."""
        return None if self.low is None or not self.value else (self.ends[1] - self.ends[0]) / 2 / abs(self.value)


def estimate(values: Sequence[float], over: Summary = "median") -> Estimate:
    """One figure for those of several trials; at least one."""
    value = SUMMARIES[over](values)
    if over not in INTERVALS or len(values) < FEWEST_FOR_A_RANGE:
        return Estimate(value)
    if len(values) < FEWEST_FOR_AN_INTERVAL:
        return Estimate(value, min(values), max(values), "range")
    return Estimate(value, *INTERVALS[over](values), "ci95")


def _of_mean(values: Sequence[float]) -> tuple[float, float]:
    return interval_of_mean(values, CONFIDENCE)


def _of_harmonic_mean(values: Sequence[float]) -> tuple[float, float]:
    """Of times above 0: that of the mean rate, turned round."""
    low, high = _of_mean([1 / value for value in values])
    return 1 / high, 1 / low


@cache
def fewest_for(confidence: float) -> int:
    """Of how many values at least there is an interval of this confidence: of fewer not even their range has it."""
    return next(n for n in count(2) if 1 - 2 / 2**n >= confidence)


def interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The confidence interval of the median, of `fewest_for` values or more: six for 95%.

    It is the sign test's, interpolated between two pairs of order statistics, the one that covers a little more than
    95% and the one that covers less (Hettmansperger and Sheather, Confidence intervals based on interpolated order
    statistics, Statistics and Probability Letters 4, 1986). It assumes independent trials, and nothing of their
    distribution's shape. Its coverage is simulated in the tests.
    """
    ordered = sorted(values)
    n = len(ordered)
    # `wide` is the probability that the median lies between the order statistics of this depth from both ends.
    depth, wide, narrow = 0, 1.0, 1 - 2 / 2**n
    while narrow >= confidence:
        depth, wide, narrow = depth + 1, narrow, narrow - 2 * comb(n, depth + 1) / 2**n
    share = (wide - confidence) / (wide - narrow)
    inward = (n - depth) * share / (depth + (n - 2 * depth) * share)
    low, high = ordered[depth - 1], ordered[n - depth]
    return low + inward * (ordered[depth] - low), high - inward * (high - ordered[n - depth - 1])


INTERVALS: Mapping[Summary, Callable[[Sequence[float]], tuple[float, float]]] = {
    "median": interval,
    "mean": _of_mean,
    "harmonic": _of_harmonic_mean,
}
"""How sure each summary is, from six trials on."""
