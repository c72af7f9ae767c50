"""Simulate the gain of allotting time by scatter; `python -m tests.unit.planning.allotted` prints it."""

from collections.abc import Sequence
from math import exp, sqrt
from random import Random
from statistics import fmean
from unittest import mock

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


def loss(prior: float, seconds: float = 30.0, runs: int = 400) -> float:
    """Return the excess of the root mean square of standard errors over that with every scatter known in advance."""

    def size(known: bool) -> float:
        chance = Random(2)
        every = (measured(CASES, seconds, chance, known) for _ in range(runs))
        return fmean(scatter**2 / len(of) for one in every for of, (scatter, _) in zip(one, CASES, strict=True))

    with mock.patch.object(schedule, "PRIOR", prior):
        return sqrt(size(known=False) / size(known=True)) - 1


def main() -> None:
    for seconds in (20.0, 30.0, 60.0):
        chance = Random(1)
        even = [fmean(of) for of in zip(*(halves(alike(CASES, seconds, chance)) for _ in range(300)), strict=True)]
        uneven = [measured(CASES, seconds, chance) for _ in range(300)]
        half = [fmean(of) for of in zip(*map(halves, uneven), strict=True)]
        trials = [fmean(map(len, of)) for of in zip(*uneven, strict=True)]
        print(f"{seconds:g} s, trials each: {int(seconds / sum(c for _, c in CASES))} ->", [round(n) for n in trials])
        print("  half intervals:", [f"{a:.1%} -> {b:.1%}" for a, b in zip(even, half, strict=True)])
        print("  coverage:", [f"{one:.1%}" for one in coverage(seconds, 1500)])
    for prior in (0.001, 1, 2, 4, 8):
        print(f"prior {prior}: {loss(prior, 20.0):.1%} {loss(prior, 30.0):.1%} {loss(prior, 60.0):.1%}")


if __name__ == "__main__":
    main()
