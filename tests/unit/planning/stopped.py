"""Simulate the coverage of intervals if a case stops itself: `python -m benchmarks.simulated.tables stopped`."""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random

from threadping.analysis.percentiles import interval
from threadping.planning.plan import StoppingRule

Noise = Callable[[Random], float]
KINDS: dict[str, Noise] = {
    "normal": lambda chance: chance.gauss(0, 1),
    "heavy tails": lambda chance: chance.gauss(0, 1) / sqrt(chance.gammavariate(2, 0.5)) / sqrt(2),
    "skewed": lambda chance: chance.lognormvariate(0, 0.5) - 1,
}
"""The second has those of Student's t with four degrees of freedom."""

Stops = Callable[[Sequence[float]], bool]


def by_looks(until: float) -> Stops:
    """The rule: a few looks, by an interval of 99%."""
    return StoppingRule(until).look


def stopped(rule: Stops, scatter: float, most: int, noise: Noise, chance: Random) -> list[float]:
    """Return the figures of a case until its interval is narrow, or it has `most` of them."""
    values: list[float] = []
    while len(values) < most:
        values.append(exp(scatter * noise(chance)))
        if rule(values):
            break
    return values


def held(
    rule: Callable[[float], Stops], until: float, scatter: float, most: int, kind: str = "normal", runs: int = 2000
) -> tuple[float, float, float]:
    """In which share of runs the 95% interval holds the median, how many ended early, and after how many trials."""
    chance, found = Random(1), []
    for _ in range(runs):
        values = stopped(rule(until), scatter, most, KINDS[kind], chance)
        low, high = interval(values)
        found.append((low <= 1 <= high, len(values) < most, len(values)))
    covers, early, trials = (sum(of) / runs for of in zip(*found, strict=True))
    return covers, early, trials
