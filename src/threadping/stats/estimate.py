"""The mean of a case, with its interval."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

RESAMPLES = 1000
CONFIDENCE = 0.95
Floats = NDArray[np.float64]


class Estimate(Struct, frozen=True):
    """A mean, and its 95% bootstrap interval, in the unit of what went in."""

    mean: float
    low: float
    high: float


def mean_over_lines(trials: Sequence[Sequence[float]], seed: int) -> Estimate:
    """Estimate a spinning case: the median trial of the mean over lines of each line's median block.

    The median, because trials of a spinning pair fall into states: a hypervisor that moves a virtual CPU between cores
    quadruples the latency of every trial until it moves it back, and a mean of two states is the latency of neither.

    The interval resamples on both levels, trials and, within each, lines (a two-stage bootstrap; Davison and Hinkley,
    Bootstrap Methods and their Application, 1997, 3.8), because both are samples: another process gets other lines.

    Args:
        trials: for each trial the median blocks of the lines it reached; at least one trial, each with at least one.
        seed: makes the interval reproducible.
    """
    rng = np.random.default_rng(seed)
    arrays = [np.asarray(lines, dtype=np.float64) for lines in trials]
    resampled = np.stack([_resampled_means(lines, rng) for lines in arrays])
    chosen = rng.integers(len(arrays), size=(len(arrays), RESAMPLES))
    medians: Floats = np.median(np.take_along_axis(resampled, chosen, axis=0), axis=0)
    return _estimate(float(np.median([lines.mean() for lines in arrays])), medians)


def mean_over_trials(trials: Sequence[float], seed: int) -> Estimate:
    """Estimate a blocking case: the mean of the trials' means, resampled over trials."""
    rng = np.random.default_rng(seed)
    values = np.asarray(trials, dtype=np.float64)
    return _estimate(float(values.mean()), _resampled_means(values, rng))


def median_over_trials(trials: Sequence[float], seed: int) -> Estimate:
    """Estimate a rate of threads that contend: the median trial, resampled over trials.

    The median for the reason given at `mean_over_lines`: what contending threads do falls into states too.
    """
    rng = np.random.default_rng(seed)
    values = np.asarray(trials, dtype=np.float64)
    chosen = rng.integers(len(values), size=(RESAMPLES, len(values)))
    return _estimate(float(np.median(values)), np.median(values[chosen], axis=1))


def _resampled_means(values: Floats, rng: np.random.Generator) -> Floats:
    chosen = rng.integers(len(values), size=(RESAMPLES, len(values)))
    means: Floats = values[chosen].mean(axis=1)
    return means


def _estimate(mean: float, resampled: Floats) -> Estimate:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(resampled, (tail, 1 - tail))
    return Estimate(mean, float(low), float(high))
