"""Simulate how often simultaneous pairs pass for single ones; `benchmarks.simulated.tables crowded` prints a table."""

from collections import Counter
from math import exp
from random import Random

from threadping.analysis.answer import MOST_CHECKS, PairTrial, checked, parallel, times

MACHINES = 400


def verdict(crowded: float, noise: float, pairs: int, chance: Random) -> tuple[str, int]:
    """The answer where pairs at once are slower by this ratio, and after how many checks it is given."""

    def ns(of: float) -> float:
        return of * exp(chance.gauss(0, noise))

    true = [chance.uniform(20, 30) for _ in range(pairs)]
    trials = [[PairTrial(ns(of * crowded), 26.0, concurrent=True, is_first=True)] for of in true]
    slowest = sorted(range(pairs), key=lambda place: -trials[place][0].ns)
    chosen = checked(slowest, chance.sample(range(pairs), pairs))
    for check in range(1, MOST_CHECKS + 1):
        for place in chosen:
            trials[place] += [PairTrial(ns(true[place]), 26.0, concurrent=False) for _ in range(times(len(chosen)))]
        for place in range(pairs):
            trials[place].append(PairTrial(ns(true[place] * crowded), 26.0, concurrent=True))
        found = parallel(trials)
        assert found
        if found.alike != "cannot tell":
            return found.alike, check
    return "cannot tell", MOST_CHECKS


def answers(crowded: float, noise: float, pairs: int = 28, machines: int = MACHINES) -> tuple[dict[str, float], float]:
    """The share of each answer, and after how many checks it was given in the mean."""
    chance = Random(1)
    found = [verdict(crowded, noise, pairs, chance) for _ in range(machines)]
    counts = Counter(answer for answer, _ in found)
    return {answer: counts[answer] / machines for answer in ("yes", "no", "cannot tell")}, sum(
        checks for _, checks in found
    ) / machines
