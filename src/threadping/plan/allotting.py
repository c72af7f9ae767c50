"""How time is allotted to cases: to those whose figures are least certain for what a trial of them costs.

Of figures that scatter by s and cost c a trial, the sum of the variances of their means is least for a time where each
has trials in proportion to s over the root of c (Neyman, On the two different aspects of the representative method,
Journal of the Royal Statistical Society 97, 1934). Figures are taken as logarithms: what counts is how sure each is as
a share of itself.
"""

from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from statistics import fmean, variance

from threadping.grouping import gathered

TELLING = 2
"""Of each case so many trials tell how much it scatters; before that all are measured alike."""

PRIOR = 2
"""So many degrees of freedom what is known of its kind counts beside a case's own: two trials tell hardly anything, and
a case whose first ones happened to agree would get no more. Simulated (`python -m tests.unit.plan.allotted`): standard
errors are 0.9 to 1.9% above those of scatters that are known beforehand; without it 1.5 to 3.1%."""

MOST_SCATTER = 0.2
"""What scatters by more counts as this: a mixture of 1.7 and 36 µs scatters by 40% and more, no time that a run has
makes it narrow, and it would take it from all others."""

ROOM = 1e-9
"""Seconds: time is spent when no more is left."""


def scatters(of_cases: Sequence[Sequence[Sequence[float]]], kinds: Sequence[Hashable]) -> list[float]:
    """By how much a trial of each case scatters: the standard deviation of the logarithm of its figure.

    Args:
        of_cases: of each case those logarithms, apart for each state of the machine.
        kinds: of each case: what it is expected to scatter like as long as little is known of it.
    """
    own = [_within(states) for states in of_cases]
    usual = {kind: fmean(known) for kind, known in _known(own, kinds).items()}
    everywhere = fmean(usual.values()) if usual else 1.0
    return [
        min(MOST_SCATTER, sqrt((free * of_it + PRIOR * usual.get(kind, everywhere)) / (free + PRIOR)))
        for (of_it, free), kind in zip(own, kinds, strict=True)
    ]


def allotted(
    scatter: Sequence[float], cost: Sequence[float], least: Sequence[int], most: int, seconds: float
) -> list[float]:
    """How many trials each case is to have in all, so that they are surest for so many seconds beyond the `least`."""
    weights = [of_it / sqrt(each) for of_it, each in zip(scatter, cost, strict=True)]

    def trials(scale: float) -> list[float]:
        return [max(few, min(most, scale * weight)) for few, weight in zip(least, weights, strict=True)]

    def spent(scale: float) -> float:
        return sum((n - few) * each for n, few, each in zip(trials(scale), least, cost, strict=True))

    low, high = 0.0, max((most / weight for weight in weights if weight), default=0.0)
    if spent(high) <= seconds:
        return trials(high)
    while spent(high) - spent(low) > ROOM and high - low > ROOM * high:
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) <= seconds else (low, middle)
    return trials(low)


def _within(states: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The variance within the states, and of how many degrees of freedom it is."""
    several = [(variance(values), len(values) - 1) for values in states if len(values) > 1]
    free = sum(of for _, of in several)
    return (sum(of_it * of for of_it, of in several) / free if free else 0.0), free


def _known(own: Sequence[tuple[float, int]], kinds: Iterable[Hashable]) -> dict[Hashable, list[float]]:
    """The variances of each kind, as far as they are known; a wild one does not stand for its kind."""
    pairs = zip(kinds, own, strict=True)
    return gathered((kind, min(of_it, MOST_SCATTER**2)) for kind, (of_it, free) in pairs if free)
