"""Percentiles over several trials, each weighing the same, and whether the samples carry them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from threadping.contract import Distribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CARRYING_SAMPLES = 10
"""A percentile is reported only if at least this many samples are expected beyond it, so that it is not the luck of one
or two: p99.9 needs 10,000 samples. The usual rule of thumb n(1 - q) >= 10 for the normal approximation of an order
statistic's rank (for instance Conover, Practical Nonparametric Statistics, 3rd ed., 3.2)."""

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
NAMES = ("min", *QUANTILES, "max")
SLACK = 1e-9


def mixture(trials: Sequence[Distribution]) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """The distinct values of all trials, ascending, and the share of the whole at or below each.

    Every trial weighs the same, so that a quick one's many samples do not outvote the rest.

    Args:
        trials: each with at least one sample; at least one.
    """
    import numpy as np  # 90 ms that nobody waits for who shows no row

    values = np.concatenate([np.asarray(one.values, dtype=np.int64) for one in trials])
    shares = [np.asarray(one.counts, dtype=np.float64) / sum(one.counts) / len(trials) for one in trials]
    distinct, where = np.unique(values, return_inverse=True)
    return distinct, np.cumsum(np.bincount(where, np.concatenate(shares)))


def worth(trials: Sequence[Distribution]) -> float:
    """How many samples the mixture is worth: Kish's effective sample size, (sum w)^2 / sum w^2.

    It is the sum of all samples where trials have equally many, and less where they do not, since a sample weighs one
    by its trial's samples (Kish, Survey Sampling, 1965, 11.7).
    """
    samples = [sum(one.counts) for one in trials if one.counts]
    return len(samples) ** 2 / sum(1 / number for number in samples) if samples else 0.0


def percentiles(trials: Sequence[Distribution], parts: int = 1, step: float = 1) -> Mapping[str, float]:
    """Least, percentiles and most of several trials' values, each divided by `parts`.

    Args:
        trials: each weighs the same.
        parts: by what each value is divided.
        step: in which the clock moves. What lies in one step is taken as spread evenly over it, or a median would be
            off by up to half a step: 2.4 ns of 27 were simulated, and 0.4 with it.

    Returns:
        By the names of NAMES; without what the samples cannot carry, and empty where there are none.
    """
    told = [one for one in trials if one.counts]
    if not told:
        return {}
    values, shares = mixture(told)
    samples = worth(told)
    carried = {name: q for name, q in QUANTILES.items() if samples * (1 - q) >= CARRYING_SAMPLES - SLACK}
    quantile = _between_steps if step > 1 else _at_value
    found = {name: quantile(values, shares, q, step) for name, q in carried.items()}
    return {name: value / parts for name, value in {"min": float(values[0]), **found, "max": float(values[-1])}.items()}


def of_each_trial(trials: Sequence[Distribution], parts: int = 1, step: float = 1) -> Mapping[str, list[float]]:
    """What each trial by itself says of the percentiles that all of them carry, by their names.

    Samples of one window depend on each other: how far trials disagree tells how well a percentile is known, and how
    many samples there are does not.
    """
    each = [percentiles([one], parts, step) for one in trials]
    return {name: [one[name] for one in each] for name in QUANTILES if each and all(name in one for one in each)}


def _at_value(values: "NDArray[np.int64]", shares: "NDArray[np.float64]", q: float, _step: float) -> float:
    return float(values[min(int(shares.searchsorted(q - SLACK)), len(values) - 1)])


def _between_steps(values: "NDArray[np.int64]", shares: "NDArray[np.float64]", q: float, step: float) -> float:
    """Readings are whole nanoseconds, so that 20 and 21 are the same step of ten."""
    steps = (values / step).round()
    place = min(int(shares.searchsorted(q - SLACK)), len(values) - 1)
    first, behind = (int(steps.searchsorted(steps[place], side)) for side in ("left", "right"))
    below, until = float(shares[first - 1]) if first else 0.0, float(shares[behind - 1])
    inside = float(steps[place]) * step + step * ((q - below) / (until - below) - 0.5)
    return min(max(inside, float(values[0])), float(values[-1]))
