"""Medians over processes, their ratio with its interval, and whether that keeps to a limit. Numbers in, numbers out."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

RESAMPLES = 10_000
INTERVAL = (0.025, 0.975)

FEWEST_PROCESSES = 6
"""With fewer, not even the whole range of a sample holds its median with 95% confidence: 1 - 2 x 0.5^n."""

Floats = NDArray[np.float64]
Met = Literal["yes", "no", "cannot tell"]


class Spread(Struct, frozen=True):
    """The median and the quartiles over so many processes."""

    median: float
    low: float
    high: float
    processes: int


class Interval(Struct, frozen=True):
    """A value and its 95% bootstrap interval."""

    value: float
    low: float
    high: float


class Limit(Struct, frozen=True):
    """The least and the most that a ratio may be."""

    words: str
    least: float
    most: float


def within(percent: float) -> Limit:
    """Neither more nor less than the other by more than `percent`."""
    return Limit(f"within {percent:g}%", 1 - percent / 100, 1 + percent / 100)


def at_most_above(percent: float) -> Limit:
    """No more than `percent` above the other; below is welcome."""
    return Limit(f"at most {percent:g}% above", 0.0, 1 + percent / 100)


def spread(values: Sequence[float]) -> Spread:
    """Summarise the figures of at least one process."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return Spread(float(middle), float(low), float(high), len(values))


def ratio_of_medians(ours: Sequence[float], theirs: Sequence[float], seed: int) -> Interval:
    """Our median over theirs; the interval resamples the processes of both sides, each on its own."""
    rng = np.random.default_rng(seed)
    resampled = _resampled_medians(ours, rng) / _resampled_medians(theirs, rng)
    return _interval(float(np.median(ours) / np.median(theirs)), resampled)


def median_of_ratios(ratios: Sequence[float], seed: int) -> Interval:
    """For ratios of two figures of one process."""
    return _interval(float(np.median(ratios)), _resampled_medians(ratios, np.random.default_rng(seed)))


def judge(ratio: Interval | None, limit: Limit, processes: int) -> Met:
    """Yes or no only if the whole interval lies on one side of the limit, and there were processes enough for one."""
    if ratio is None or processes < FEWEST_PROCESSES:
        return "cannot tell"
    if limit.least <= ratio.low and ratio.high <= limit.most:
        return "yes"
    if ratio.high < limit.least or limit.most < ratio.low:
        return "no"
    return "cannot tell"


def _resampled_medians(values: Sequence[float], rng: np.random.Generator) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    medians: Floats = np.median(array[rng.integers(len(array), size=(RESAMPLES, len(array)))], axis=1)
    return medians


def _interval(value: float, resampled: Floats) -> Interval:
    low, high = np.quantile(resampled, INTERVAL)
    return Interval(value, float(low), float(high))
