"""What several trials say together, and how sure that is."""

from collections.abc import Callable, Mapping, Sequence
from math import comb
from statistics import fmean, median_low

from threadping.analysis.declaration import Summary
from threadping.model import Interval

CONFIDENCE = 0.95

SUMMARIES: Mapping[Summary, Callable[..., float]] = {
    "typical": median_low,
    "mean": fmean,
    "total": sum,
    "least": min,
    "most": max,
}

FEWEST_FOR_AN_INTERVAL = 6
"""With fewer trials than six not even the range of all covers their median with 95% confidence: 1 - 2/2^5 is 93.75%."""


def summed_up(values: Sequence[float], over: Summary) -> float:
    """One value for those of several trials; at least one."""
    return SUMMARIES[over](values)


def interval(values: Sequence[float]) -> Interval:
    """The range of the trials' values, and from six on the 95% confidence interval of their median.

    The interval is the sign test's, interpolated between two pairs of order statistics, the one that covers a little
    more than 95% and the one that covers less (Hettmansperger and Sheather, Confidence intervals based on interpolated
    order statistics, Statistics and Probability Letters 4, 1986). It assumes nothing of the shape: trials fall into
    states, and their tails are heavy. Its coverage is simulated in the tests.
    """
    ordered = sorted(values)
    reach = (ordered[0], ordered[-1])
    n = len(ordered)
    if n < FEWEST_FOR_AN_INTERVAL:
        return Interval(reach)
    # `wide` is the probability that the median lies between the order statistics of this depth from both ends.
    depth, wide, narrow = 0, 1.0, 1 - 2 / 2**n
    while narrow >= CONFIDENCE:
        depth, wide, narrow = depth + 1, narrow, narrow - 2 * comb(n, depth + 1) / 2**n
    share = (wide - CONFIDENCE) / (wide - narrow)
    inward = (n - depth) * share / (depth + (n - 2 * depth) * share)
    low, high = ordered[depth - 1], ordered[n - depth]
    return Interval(reach, (low + inward * (ordered[depth] - low), high - inward * (high - ordered[n - depth - 1])))
