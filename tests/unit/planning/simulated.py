"""Simulate what allotting time by scatter gains, and how intervals cover if a case stops itself.

`python -m benchmarks.simulated.tables allotted`, or `stopped`, prints the table.
"""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random

from threadping.analysis.percentiles import estimate, interval
from threadping.planning import schedule
from threadping.planning.plan import StoppingRule

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
