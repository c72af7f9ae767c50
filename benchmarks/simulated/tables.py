"""Print what tests simulate, in Markdown: `python -m benchmarks.simulated.tables sleeping`, or another of TABLES."""

import sys
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from random import Random
from statistics import fmean, median
from unittest import mock

import numpy as np

from benchmarks.simulated.sleeping import FIXED, LENGTHS, errors, scatter
from tests.unit.analysis import crowded as pairs
from tests.unit.analysis.simulated import KINDS, false_groups, found_groups
from tests.unit.analysis.test_alarms import REASONS, RULES, claimed, drawn, share
from tests.unit.analysis.test_mixtures import Process, apart, eight
from tests.unit.analysis.test_ranking import DRAWS, Draw, Floats, false, found, wandering
from tests.unit.planning import simulated as stops
from tests.unit.planning.simulated import CASES, Stops, alike, by_looks, coverage, halves, held, measured
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import estimate, interval
from threadping.planning import schedule
from threadping.planning.plan import LOOKS, STOP_CONFIDENCE

CPUS = (4, 6, 8, 16, 32)
NUMBERS = (3, 4, 5, 6, 12)  # of trials


def alarms(rows: int = 400) -> None:
    print(f"| simulated | code | {' | '.join(f'{number} trials' for number in NUMBERS)} |")
    print(f"|---|---|{'---|' * len(NUMBERS)}")
    for name, rule in RULES.items():
        rates = [share(rule.code, [*drawn(rule.draw, number, rows)]) for number in NUMBERS]
        print(f"| {name} | {rule.code} | {' | '.join(f'{rate:.1%}' for rate in rates)} |", flush=True)
    for name, rule in REASONS.items():
        rates = [claimed(rule.code, [*drawn(rule.draw, number, rows)]) for number in NUMBERS]
        print(f"| {name} | {rule.code} (its reason) | {' | '.join(f'{rate:.1%}' for rate in rates)} |", flush=True)


def loss(prior: float, seconds: float = 30.0, runs: int = 400) -> float:
    """Return the excess of the root mean square of standard errors over that with every scatter known in advance."""

    def size(known: bool) -> float:
        chance = Random(2)
        every = (measured(CASES, seconds, chance, known) for _ in range(runs))
        return fmean(scatter**2 / len(of) for one in every for of, (scatter, _) in zip(one, CASES, strict=True))

    with mock.patch.object(schedule, "PRIOR", prior):
        return sqrt(size(known=False) / size(known=True)) - 1


def allotted() -> None:
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


def crowded() -> None:
    print("| pairs, a trial's noise, slower at once by | alike | not alike | cannot tell | checks |")
    print("|---|---:|---:|---:|---:|")
    for number in (6, 28, 496):
        for noise in (0.01, 0.03, 0.06):
            for slower in (1.0, 1.02, 1.03, 1.05, 1.1):
                shares, checks = pairs.answers(slower, noise, number, pairs.MACHINES if number < 100 else 200)
                each = " | ".join(f"{share:.1%}" for share in shares.values())
                print(f"| {number}, {noise:.0%}, {slower - 1:.0%} | {each} | {checks:.1f} |")


def groups() -> None:
    print("| one level, noise | " + " | ".join(f"{cpus} CPUs" for cpus in CPUS) + " |")
    print("|---" + "|---:" * len(CPUS) + "|")
    for kind in KINDS:
        for noise in (0.01, 0.05, 0.1):
            shares = (f"{100 * false_groups(cpus, noise, kind):.1f}%" for cpus in CPUS)
            print(f"| {kind}, {noise:.0%} | " + " | ".join(shares) + " |")
    print("\n| siblings nearer by, noise | " + " | ".join(f"{cpus} CPUs" for cpus in CPUS) + " |")
    print("|---" + "|---:" * len(CPUS) + "|")
    for ratio, noise in ((1.07, 0.002), (1.1, 0.005), (1.2, 0.002), (1.2, 0.01), (1.2, 0.02), (1.5, 0.02), (2.5, 0.05)):
        shares = (f"{100 * found_groups(cpus, ratio, noise):.1f}%" for cpus in CPUS)
        print(f"| {ratio - 1:.0%}, {noise:.1%} | " + " | ".join(shares) + " |")


PROCESSES = ((20, 20), (20, 60), (60, 60), (60, 20), (200, 20), (20, 200), (200, 200))
"""Mean stays of two threads on one CPU and on two (ms)."""


def medians(found: Row) -> float:
    """Return the earlier headline: the median trial's median window."""
    return median(one.figures["latency_ns.typical"] for one in found.trials)


def mixtures() -> None:
    print("| on one CPU, on two (ms) | share | reported | one CPU | two | mean | eight runs say | medians before |")
    print("|---|---|---|---|---|---|---|---|")
    for each in (Process(*of) for of in PROCESSES):
        made = eight(each, 40)
        means = [one.number("latency_ns.mean") / 1e3 for one in made]
        shares, ones, twos = (
            [one.number(name) for one in made if one.value(name)]
            for name in ("mixture.same_cpu", "mixture.together_ns", "mixture.apart_ns")
        )
        before = [medians(one) / 1e3 for one in made]
        print(
            f"| {each.together_ms:.0f}, {each.apart_ms:.0f} | {each.share:.0%} "
            f"| {min(shares):.0%} to {max(shares):.0%} "
            f"| {min(ones) / 1e3:.2f} to {max(ones) / 1e3:.2f} | {min(twos) / 1e3:.1f} to {max(twos) / 1e3:.1f} "
            f"| {each.mean_ns / 1e3:.1f} | {min(means):.1f} to {max(means):.1f} ({apart(means):.2f}x) "
            f"| {min(before):.1f} to {max(before):.1f} |"
        )


def sleeping() -> None:
    print("| measured (s) | " + " | ".join(f"{one:g}" for one in LENGTHS) + " |")
    print("|---" + "|---:" * len(LENGTHS) + "|")
    print("| a trial scatters by | " + " | ".join(f"{scatter(one):.1%}" for one in LENGTHS) + " |")
    for name, fixed_s in FIXED.items():
        print(f"| {name}, error in 10 s | " + " | ".join(f"{one:.2%}" for one in errors(fixed_s)) + " |")


def after_each(until: float) -> Stops:
    """Return the earlier rule: after every trial from twelve on, by the reported interval."""
    return lambda values: len(values) >= LOOKS[0] and (estimate(values).half or 0) <= until


def by_ranks(until: float) -> Stops:
    """Return a rule with the same interim analyses, by the 99% interval of the reported kind."""
    looks = set(LOOKS)

    def narrow(values: Sequence[float]) -> bool:
        if len(values) not in looks:
            return False
        low, high = interval(values, STOP_CONFIDENCE)
        return (high - low) / 2 / median(values) <= until

    return narrow


def stopped() -> None:
    print("| until, a trial scatters by | after each trial | 99% by ranks | by looks | ended early | trials |")
    print("|---|---:|---:|---:|---:|---:|")
    for until, most, scatters in ((0.01, 60, (0.01, 0.015, 0.025, 0.04)), (0.03, 200, (0.03, 0.05, 0.075, 0.1, 0.15))):
        for each in scatters:
            for kind in stops.KINDS:
                before, ranks = (held(rule, until, each, most, kind)[0] for rule in (after_each, by_ranks))
                covers, early, trials = held(by_looks, until, each, most, kind)
                what = f"{until:.0%}, {each:.1%}, {kind}"
                print(f"| {what} | {before:.1%} | {ranks:.1%} | {covers:.1%} | {early:.0%} | {trials:.0f} |")


def dependent(rng: np.random.Generator, rows: int, trials: int) -> Floats:
    """Each trial of a row follows the one before it by 0.7."""
    found = [rng.normal(0, 0.05, rows)]
    for _ in range(trials - 1):
        found.append(0.7 * found[-1] + rng.normal(0, 0.05 * 0.51**0.5, rows))
    return np.exp(np.stack(found, axis=1))


LIMITS: Mapping[str, Draw] = {  # rows that do differ in the seconds measured, for which alone a sentence holds
    "rows follow the machine by powers of 0.5 to 1": wandering(0.5),
    "each trial follows the one before": dependent,
}
SIZES = ((2, 6), (4, 6), (10, 6), (30, 6), (4, 12), (10, 12))


def rankings() -> None:
    print(f"| rows x trials | {' | '.join(f'{rows} x {trials}' for rows, trials in SIZES)} |")
    for name, draw in {**DRAWS, **LIMITS}.items():
        print(f"| {name} | {' | '.join(f'{false(draw, *size, 400):.1%}' for size in SIZES)} |")
    for sd in (0.03, 0.1):
        each = [
            f"{factor}x in {found(factor, sd, rows, 200):.0%} of {rows}"
            for rows in (4, 20)
            for factor in (1.2, 1.5, 2, 4)
        ]
        print(f"noise {sd:.0%}, found: {', '.join(each)}")


TABLES: dict[str, Callable[[], None]] = {
    "alarms": alarms,
    "allotted": allotted,
    "crowded": crowded,
    "groups": groups,
    "mixtures": mixtures,
    "rankings": rankings,
    "sleeping": sleeping,
    "stopped": stopped,
}

if __name__ == "__main__":
    TABLES[sys.argv[1]]()
