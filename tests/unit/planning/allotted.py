"""Simulate the gain of allotting time by scatter; `python -m benchmarks.simulated.tables allotted` prints it."""

from collections.abc import Sequence
from math import exp
from random import Random

from threadping.analysis.percentiles import estimate, interval
from threadping.planning import schedule

SPINNING, BLOCKED = (0.01, 0.12), (0.1, 0.3)
"""Scatter of a trial and its cost (s): 1% for spinning threads, 10% for blocked ones (audit: 9 to 14%)."""

Mixed = Sequence[tuple[float, float]]
CASES: Mixed = (SPINNING, SPINNING, SPINNING, SPINNING, BLOCKED, BLOCKED, (0.12, 0.3), (0.06, 0.8))
ROUNDS, MOST = 6, 60


def measured(cases: Mixed, seconds: float, chance: Random, known: bool = False) -> list[list[float]]:
    """Return each case's figures: six rounds of all cases, then the rest of the seconds allotted round by round."""
    figures: list[list[float]] = [[] for _ in cases]
    cost = [each for _, each in cases]
    kinds = [scatter > 0.03 for scatter, _ in cases]
    for number in range(ROUNDS):
        trials = [1] * len(cases)
        if number >= schedule.TELLING:
            own = [scatter for scatter, _ in cases]
            found = own if known else schedule.scatters([[of_it] for of_it in figures], kinds)
            least = [len(of_it) + ROUNDS - number for of_it in figures]
            spare = seconds - sum(n * each for n, each in zip(least, cost, strict=True))
            goals = schedule.allotted(found, cost, least, MOST, max(0.0, spare))
            for place, goal in enumerate(goals):
                trials[place] = max(1, round((goal - len(figures[place])) / (ROUNDS - number)))
        for place, (scatter, _) in enumerate(cases):
            figures[place] += [chance.gauss(0, scatter) for _ in range(trials[place])]
    return figures


def alike(cases: Mixed, seconds: float, chance: Random) -> list[list[float]]:
    rounds = int(seconds / sum(each for _, each in cases))
    return [[chance.gauss(0, scatter) for _ in range(rounds)] for scatter, _ in cases]


def halves(of_cases: Sequence[Sequence[float]]) -> list[float]:
    """Half of the 95% interval of each, as a share."""
    return [estimate([exp(one) for one in figures]).half or 0.0 for figures in of_cases]


def coverage(seconds: float, runs: int, seed: int = 1) -> list[float]:
    """In which share of runs the interval of each case holds its median."""
    chance, held = Random(seed), [0] * len(CASES)
    for _ in range(runs):
        for place, figures in enumerate(measured(CASES, seconds, chance)):
            low, high = interval(figures)
            held[place] += low <= 0 <= high
    return [one / runs for one in held]
