"""How often each warning alarms for nothing, and how often it sees what is there: simulated, with a seed.

A rule is asked exactly as a row asks it. `python -m tests.unit.analysis.test_alarms` prints the table of
docs/warnings.md.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import DECLARED, LOCK, SIGNAL, Given, codes, observed, result
from threadping.analysis import reading
from threadping.contract import Distribution, Windows
from threadping.model import Case

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int], Given]

WINDOWS, OPS = 24, 10_000
"""Throughput windows of a trial, and the operations in each."""

WINDOW_NS = 1_050_000
"""A sampling window."""


def normal(sd: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, number: np.exp(rng.normal(0, sd, number))


def skewed(sd: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, number: np.exp(rng.exponential(sd, number))


def trials(shape: Callable[[np.random.Generator, int], Floats], groups: float = 1.0) -> Draw:
    """Headlines of trials; `groups` is how far every second one is from the others."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        values = 100 * shape(rng, number) * groups ** (np.arange(number) % 2)
        return Given({"latency_ns.typical": values.tolist()}, trials=number)

    return draw


def drifting(sd: float, drift: float = 0.0) -> Draw:
    """Windows whose pace has this noise, in trials that are `drift` slower in their last third than in their first."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        trend = np.repeat([0, 0.5, 1], WINDOWS // 3) * np.log1p(drift)
        paces = 1e6 * np.exp(rng.normal(0, sd, (number, WINDOWS)) + trend)
        of_trials = [reading.drift(replace(result(LOCK), windows=windows(one))) for one in paces]
        return Given({"drift": [one for one in of_trials if one is not None]}, LOCK, number)

    return draw


def windows(paces: Floats, switches: Sequence[int] | None = None) -> Windows:
    made = make_windows(*(Window(0, "throughput", round(ns), (OPS, 0)) for ns in paces), threads=2)
    return made if switches is None else replace(made, switches=tuple(switches))


def with_switches(share: float, slower: float, sd: float = 0.02) -> Draw:
    """Trials in which a thread lost its CPU in this share of the windows, which are so much slower."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        found: dict[str, list[float]] = {}
        for _ in range(number):
            marked = rng.permutation(WINDOWS) < share * WINDOWS
            paces = 1e6 * np.exp(rng.normal(0, sd, WINDOWS)) * np.where(marked, 1 + slower, 1)
            seen = observed(LOCK, replace(result(LOCK), windows=windows(paces, marked.astype(int).tolist())))
            for name, value in seen.figures.items():
                if name.startswith("disturbed") or name == "ops_per_s":
                    found.setdefault(name, []).append(value)
        return Given(found, LOCK, number)

    return draw


def with_a_cause(per_10_000: float) -> Draw:
    """Round trips of 200 to 400 ns and, as often as chance has it, of 20 us after a preemption."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        timed: list[Distribution] = []
        long: tuple[int, ...] = ()
        for _ in range(number):
            values, counts = np.unique(rng.integers(200, 400, 9_900), return_counts=True)
            long = (20_000,) * int(rng.poisson(per_10_000))
            timed.append(make_distribution((*map(int, values), 20_000), (*map(int, counts), max(1, len(long)))))
        return Given(timed=timed, trials=number, caused={"round_trip_ns": {"preempted": long}})

    return draw


def at_edges(longer: float = 0.0) -> Draw:
    """Durations of 30 us in the middle, of which windows of 1 ms cut some; of this share none is seen whole."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        timed: list[Distribution] = []
        for _ in range(number):
            durations = rng.lognormal(np.log(30_000), 0.5, 3_000)
            ends, begins = (rng.uniform(size=len(durations)) < durations / WINDOW_NS for _ in range(2))
            whole, cut = durations[~ends], int(ends.sum() + begins.sum() + rng.poisson(longer * len(durations)))
            values, counts = np.unique(whole.astype(int), return_counts=True)
            timed.append(make_distribution(tuple(map(int, values)), tuple(map(int, counts)), cut))
        return Given(of=LOCK, timed=timed, trials=number)

    return draw


def with_a_clock(cost_ns: float, sd: float = 0.2) -> Draw:
    """Round trips of 200 ns, of which so much is a reading of the clock."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        costs = cost_ns * np.exp(rng.normal(0, sd, number))
        timed = [make_distribution((200 + round(cost),), (10_000,)) for cost in costs]
        return Given({"clock_cost_ns": costs.tolist()}, timed=timed, trials=number)

    return draw


RULES: Mapping[str, tuple[str, Case, Draw, float, float]] = {
    "steady windows, noise 2%": ("not-steady", LOCK, drifting(0.04), 0.0, 0.05),
    "10% slower in the end": ("not-steady", LOCK, drifting(0.04, 0.1), 0.95, 1.0),
    "trials alike, sd 10%": ("wide", SIGNAL, trials(normal(0.1)), 0.0, 0.02),
    "trials alike, sd 50%": ("wide", SIGNAL, trials(normal(0.5)), 0.7, 1.0),
    "one group, sd 2%": ("modes", SIGNAL, trials(normal(0.02)), 0.0, 0.01),
    "one group, sd 15%": ("modes", SIGNAL, trials(normal(0.15)), 0.0, 0.1),
    "one group, skewed": ("modes", SIGNAL, trials(skewed(0.1)), 0.0, 0.12),
    "two groups 1.3x apart": ("modes", SIGNAL, trials(normal(0.02), 1.3), 0.9, 1.0),
    "switches that change nothing": ("disturbed", LOCK, with_switches(0.3, 0.0), 0.0, 0.01),
    "switches that cost 20%": ("disturbed", LOCK, with_switches(0.3, 0.2), 0.9, 1.0),
    "1 in 30 cut at a window's edge": ("censored", LOCK, at_edges(), 0.0, 0.01),
    "2% more are longer than it": ("censored", LOCK, at_edges(0.02), 0.95, 1.0),
    "a clock of 30 ns in 200": ("slow-clock", SIGNAL, with_a_clock(30), 0.0, 0.01),
    "a clock of 500 ns": ("slow-clock", SIGNAL, with_a_clock(500), 0.95, 1.0),
    "3 preemptions in 10,000": ("tail", SIGNAL, with_a_cause(3), 0.0, 0.01),
    "300 preemptions in 10,000": ("tail", SIGNAL, with_a_cause(300), 0.95, 1.0),
}
"""By what is simulated: the code, the case, how a row of it is drawn, and how often the code may be found."""

CHANCY = ("wide", "modes")
"""The codes whose rate is neither nought nor all: only of these do rows beyond the first thirty tell more."""


def alarms(code: str, draw: Draw, number: int, rows: int) -> float:
    """In which share of so many rows of so many trials the code is found."""
    rng = np.random.default_rng(17)
    return sum(code in dict(codes(draw(rng, number).row)) for _ in range(rows)) / rows


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("number", [6, 12])
def test_a_rule_alarms_seldom_for_nothing_and_mostly_for_something(name: str, number: int) -> None:
    code, _, draw, least, most = RULES[name]
    assert code in {check.code for check in DECLARED["signal"].checks}
    assert least <= alarms(code, draw, number, 100 if code in CHANCY else 30) <= most


if __name__ == "__main__":
    print("| simulated | code | 6 trials | 12 trials |\n|---|---|---|---|")
    for title, (rule, _, drawn, *_rates) in RULES.items():
        print(f"| {title} | {rule} | {alarms(rule, drawn, 6, 1_000):.1%} | {alarms(rule, drawn, 12, 1_000):.1%} |")
