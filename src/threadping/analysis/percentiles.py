"""Percentiles over several trials, each weighing the same, and whether the samples carry them."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

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


MOST_WEIGHT = 10
"""What almost fills a window is seen whole so seldom that one of it must not outvote all others."""


@lru_cache(maxsize=1024)
def _array(numbers: tuple[int, ...], kind: type) -> "NDArray[Any]":
    """Numbers as numpy has them, for the several statistics of a row's trials; not to be changed."""
    import numpy as np  # which takes 90 ms to import

    return np.asarray(numbers, dtype=kind)


def mixture(
    trials: Sequence[Distribution], windows: Sequence[float] = ()
) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """The distinct values of all trials, ascending, and the share of the whole at or below each.

    Every trial weighs the same, so that a fast one's many samples do not outvote the rest. A duration w that begins
    anywhere in a window W is seen whole with probability (W - w) / W, so it weighs W / (W - w).

    Args:
        trials: each with at least one sample; at least one.
        windows: how long a sampling window of each trial is, in ns; 0, or nothing at all, where none censors.
    """
    import numpy as np

    values, shares = [], []
    for one, window in zip(trials, windows or [0.0] * len(trials), strict=True):
        values.append(_array(one.values, np.int64))
        weights = _array(one.counts, np.float64)
        if window:
            weights = weights / (window - values[-1]).clip(min=window / MOST_WEIGHT)
        shares.append(weights / weights.sum() / len(trials))
    if len(trials) == 1:  # whose values are distinct and ascending: most calls, and a tenth of the time
        return values[0], np.cumsum(shares[0])
    joined = np.concatenate(values)
    order = joined.argsort(kind="stable")  # which merges what ascends: np.unique takes twice as long
    ascending = joined[order]
    last = np.append(ascending[1:] != ascending[:-1], True)
    return ascending[last], np.cumsum(np.concatenate(shares)[order])[last]


def cut_at_edges(trials: Sequence[Distribution], windows: Sequence[float]) -> float:
    """How many durations the edges of windows cut, if those cut are as long as those seen whole.

    For each duration w that is seen whole in a window W, w / (W - w) are cut at its begin and as many at its end: those
    are what `mixture` makes up for. What is longer than a window, or what comes in clusters, is cut more often.
    """
    import numpy as np

    cut = 0.0
    for one, window in zip(trials, windows, strict=True):
        if window and one.counts:
            values, counts = _array(one.values, np.int64), _array(one.counts, np.float64)
            cut += 2 * float((counts * values / (window - values).clip(min=window / MOST_WEIGHT)).sum())
    return cut


def worth(trials: Sequence[Distribution]) -> float:
    """How many samples the mixture is worth: Kish's effective sample size, (sum w)^2 / sum w^2.

    It is the sum of all samples where trials have equally many, and less where they do not, since a sample weighs one
    by its trial's samples (Kish, Survey Sampling, 1965, 11.7).
    """
    samples = [sum(one.counts) for one in trials if one.counts]
    return len(samples) ** 2 / sum(1 / number for number in samples) if samples else 0.0


def percentiles(
    trials: Sequence[Distribution], parts: int = 1, step: float = 1, windows: Sequence[float] = ()
) -> Mapping[str, float]:
    """Least, percentiles and most of several trials' values, each divided by `parts`.

    Args:
        trials: each weighs the same.
        parts: by what each value is divided.
        step: in which the clock moves. What lies in one step is taken as spread evenly over it, or a median would be
            off by up to half a step: 2.4 ns of 27 were simulated, and 0.4 with it.
        windows: as in `mixture`.

    Returns:
        By the names of NAMES; without what the samples cannot carry, and empty where there are none.
    """
    timed = [one for one in trials if one.counts]
    if not timed:
        return {}
    values, shares = mixture(timed, [window for one, window in zip(trials, windows, strict=False) if one.counts])
    samples = worth(timed)
    carried = {name: q for name, q in QUANTILES.items() if samples * (1 - q) >= CARRYING_SAMPLES - SLACK}
    steps = (values / step).round() if step > 1 else None  # readings are whole: 20 and 21 are the same step of ten
    found = {
        name: _at_value(values, shares, q) if steps is None else _between_steps(values, shares, q, step, steps)
        for name, q in carried.items()
    }
    return {name: value / parts for name, value in {"min": float(values[0]), **found, "max": float(values[-1])}.items()}


def of_each_trial(
    trials: Sequence[Distribution], parts: int = 1, step: float = 1, windows: Sequence[float] = ()
) -> Mapping[str, list[float]]:
    """What each trial by itself says of the percentiles that all of them carry, by their names.

    Samples of one window depend on each other: how well a percentile is known shows in how far trials disagree,
    not in how many samples there are.
    """
    each = [percentiles([one], parts, step, windows[place : place + 1]) for place, one in enumerate(trials)]
    return {name: [one[name] for one in each] for name in QUANTILES if each and all(name in one for one in each)}


def _at_value(values: "NDArray[np.int64]", shares: "NDArray[np.float64]", q: float) -> float:
    return float(values[shares.searchsorted(q - SLACK)])


def _between_steps(
    values: "NDArray[np.int64]", shares: "NDArray[np.float64]", q: float, step: float, steps: "NDArray[np.float64]"
) -> float:
    place = int(shares.searchsorted(q - SLACK))
    first, behind = (int(steps.searchsorted(steps[place], side)) for side in ("left", "right"))
    below, until = float(shares[first - 1]) if first else 0.0, float(shares[behind - 1])
    inside = float(steps[place]) * step + step * ((q - below) / (until - below) - 0.5)
    return min(max(inside, float(values[0])), float(values[-1]))
