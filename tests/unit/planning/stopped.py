"""Simulate the coverage of intervals if a case stops itself: `python -m tests.unit.planning.stopped`."""

from collections.abc import Callable, Sequence
from math import exp, sqrt
from random import Random
from statistics import median

from threadping.analysis.percentiles import estimate, interval
from threadping.planning.plan import LOOKS, STOP_CONFIDENCE, StoppingRule

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


def by_ranks(until: float) -> Stops:
    """Return a rule with the same interim analyses, by the 99% interval of the reported kind."""
    looks = set(LOOKS)

    def narrow(values: Sequence[float]) -> bool:
        if len(values) not in looks:
            return False
        low, high = interval(values, STOP_CONFIDENCE)
        return (high - low) / 2 / median(values) <= until

    return narrow


def after_each(until: float) -> Stops:
    """Return the earlier rule: after every trial from twelve on, by the reported interval."""
    return lambda values: len(values) >= LOOKS[0] and (estimate(values).half or 0) <= until


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


def main() -> None:
    print("| until, a trial scatters by | after each trial | 99% by ranks | by looks | ended early | trials |")
    print("|---|---:|---:|---:|---:|---:|")
    for until, most, scatters in ((0.01, 60, (0.01, 0.015, 0.025, 0.04)), (0.03, 200, (0.03, 0.05, 0.075, 0.1, 0.15))):
        for scatter in scatters:
            for kind in KINDS:
                before, ranks = (held(rule, until, scatter, most, kind)[0] for rule in (after_each, by_ranks))
                covers, early, trials = held(by_looks, until, scatter, most, kind)
                what = f"{until:.0%}, {scatter:.1%}, {kind}"
                print(f"| {what} | {before:.1%} | {ranks:.1%} | {covers:.1%} | {early:.0%} | {trials:.0f} |")


if __name__ == "__main__":
    main()
