"""The false-positive rate and the power of each warning: simulated, with a seed.

A rule is asked exactly as a row asks it. `python -m benchmarks.simulated.tables alarms` prints the table of
docs/internals/statistics.md.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace

from tests.conftest import Window, make_distribution, make_windows
from tests.unit.analysis.examples import LOCK, QUEUE, SIGNAL, Given, codes, observed, result
from threadping.analysis.declaration import Row
from threadping.analysis.row_warnings import by_chance
from threadping.model import reading
from threadping.model.cases import Case, WarmupPolicy
from threadping.model.contract import Distribution, Windows

Floats = np.ndarray[Any, np.dtype[np.float64]]
Draw = Callable[[np.random.Generator, int], Given]

EXACT = result(LOCK)
WINDOWS, OPS = 24, 10_000
"""Throughput windows of a trial, and the operations in each."""

CHOSEN = replace(LOCK, warmup=WarmupPolicy(1, 500_000_000))

BY_CHANCE = ("not-steady", "bimodal", "disturbed")
"""Codes for which the screen reports the number of marks expected by chance."""

WINDOW_NS = 1_050_000
"""A sampling window."""


def normal(sd: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, number: np.exp(rng.normal(0, sd, number))


def uniform(width: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, number: np.exp(rng.uniform(0, width, number))


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
        of_trials = [reading.drift(replace(EXACT, windows=windows(one))) for one in paces]
        return Given({"drift": [one for one in of_trials if one is not None]}, LOCK, number)

    return draw


def planted(figure: str, around: float, sd: float, case: Case = SIGNAL) -> Draw:
    """Return a draw of trials whose figure has this noise around its truth."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        return Given({figure: np.abs(around * np.exp(rng.normal(0, sd, number))).tolist()}, case, number)

    return draw


def next_to_others(share: float) -> Draw:
    """Other programs use this share of the time; CPU time is known in ticks, which are off by up to a twentieth."""
    return lambda rng, number: Given(trials=number, others=share + float(rng.uniform(-0.05, 0.05, number).mean()))


def ended_before(share: float) -> Draw:
    """Return a draw of durations; this share ended before it began."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        counts = rng.binomial(10_000, share, number).tolist()
        timed = [make_distribution((200,), (10_000 - negative,), negative=negative) for negative in counts]
        return Given(of=QUEUE, timed=timed, trials=number)

    return draw


def compiling(with_it: float, sd: float) -> Draw:
    """Trials of such noise in which the JIT compiles; each hundredth of the time makes them so much slower."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        share = rng.exponential(0.1, number) + 0.02
        typical = 100 * np.exp(rng.normal(0, sd, number) + with_it * 100 * share)
        return Given(
            {"latency_ns.typical": typical.tolist(), "counters.compile_ns": (share * 1e9).tolist()}, trials=number
        )

    return draw


def windows(paces: Floats, switches: Sequence[int] | None = None) -> Windows:
    made = make_windows(*(Window(0, "throughput", round(ns), (OPS, 0)) for ns in paces), threads=2)
    return made if switches is None else replace(made, switches=tuple(switches))


def with_switches(slower: float, sd: float, rate: float = 0.3) -> Draw:
    """Trials in which a thread loses its CPU so often in the time of a window, which is so much slower then.

    Windows have a fixed number of operations: a slow one lasts longer, and sees more unrelated events.
    """

    def draw(rng: np.random.Generator, number: int) -> Given:
        found: dict[str, list[float]] = {}
        for _ in range(number):
            paces = np.exp(rng.normal(0, sd, WINDOWS))
            marked = rng.random(WINDOWS) < 1 - np.exp(-rate * paces)
            marked[:2] = True, False
            marked_windows = windows(1e6 * paces * np.where(marked, 1 + slower, 1), marked.astype(int).tolist())
            seen = observed(LOCK, replace(EXACT, windows=marked_windows))
            for name, value in seen.figures.items():
                if name.startswith("disturbed") or name == "ops_per_s":
                    found.setdefault(name, []).append(value)
        return Given(found, LOCK, number)

    return draw


def with_a_cause(per_10_000: float) -> Draw:
    """Round trips of 200 to 400 ns and, as often as chance has it, of 20 us after a preemption."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        timed: list[Distribution] = []
        long = 0
        for _ in range(number):
            values, counts = np.unique(rng.integers(200, 400, 9_900), return_counts=True)
            long = int(rng.poisson(per_10_000))
            timed.append(make_distribution((*map(int, values), 20_000), (*map(int, counts), max(1, long))))
        causes = {"preempted": ((20_000, float(long)),)} if long else {}
        return Given(timed=timed, trials=number, caused={"round_trip_ns": causes})

    return draw


def at_edges(longer: float = 0.0) -> Draw:
    """Return a draw of durations around 30 us, some cut by windows of 1 ms; this share is never seen whole."""

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
    """Return a draw of round trips of 200 ns, `cost_ns` of each spent on the clock read."""

    def draw(rng: np.random.Generator, number: int) -> Given:
        costs = cost_ns * np.exp(rng.normal(0, sd, number))
        timed = [make_distribution((200 + round(cost),), (10_000,)) for cost in costs]
        return Given({"clock_cost_ns": costs.tolist()}, timed=timed, trials=number)

    return draw


class Rule(NamedTuple):
    """A code, the draw of a row, its maximum rate, and its minimum rate from a number of trials on."""

    code: str
    draw: Draw
    most: float
    least: float = 0.0
    since: int = 3


def never(code: str, draw: Draw, most: float = 0.03) -> Rule:
    return Rule(code, draw, most)


def seen(code: str, draw: Draw, least: float = 0.9, since: int = 3) -> Rule:
    return Rule(code, draw, 1.0, least, since)


RULES: dict[str, Rule] = {
    "steady windows, noise 4%": never("not-steady", drifting(0.04)),
    "steady windows, noise 20%": never("not-steady", drifting(0.2)),
    "steady windows, noise 60%": never("not-steady", drifting(0.6)),
    "10% slower in the end, noise 4%": seen("not-steady", drifting(0.04, 0.1), since=5),
    "30% slower in the end, noise 4%": seen("not-steady", drifting(0.04, 0.3)),
    "30% slower in the end, noise 20%": seen("not-steady", drifting(0.2, 0.3), since=12),
    "trials alike, sd 10%": never("wide", trials(normal(0.1)), 0.05),
    "trials alike, sd 50%": seen("wide", trials(normal(0.5)), 0.6),
    "one group, sd 2%": never("bimodal", trials(normal(0.02)), 0.01),
    "one group, sd 15%": never("bimodal", trials(normal(0.15)), 0.04),
    "one group, skewed": never("bimodal", trials(skewed(0.1)), 0.04),
    "one group, uniform": never("bimodal", trials(uniform(0.6)), 0.04),
    "two groups 1.3x apart, sd 2%": seen("bimodal", trials(normal(0.02), 1.3), 0.5, 6),
    "two groups 2x apart, sd 2%": seen("bimodal", trials(normal(0.02), 2.0), 0.9, 5),
    "switches that change nothing, noise 5%": never("disturbed", with_switches(0.0, 0.05)),
    "switches that change nothing, noise 30%": never("disturbed", with_switches(0.0, 0.3), 0.05),
    "switches that change nothing, noise 60%": never("disturbed", with_switches(0.0, 0.6), 0.05),
    "switches that cost 20%, noise 5%": seen("disturbed", with_switches(0.2, 0.05)),
    "switches that cost tenfold, noise 5%": seen("disturbed", with_switches(9.0, 0.05), 0.8),
    "1 in 30 cut at a window's edge": never("censored", at_edges()),
    "2% more are longer than it": seen("censored", at_edges(0.02)),
    "3 preemptions in 10,000": never("tail", with_a_cause(3)),
    "300 preemptions in 10,000": seen("tail", with_a_cause(300)),
    "paces 1.4x apart": never("regime", planted("sampling_pace", 1.4, 0.05), 0.3),
    "paces 1.6x apart": seen("regime", planted("sampling_pace", 1.6, 0.05), 0.7),
    "a clock of 30 ns in 200": never("slow-clock", with_a_clock(30)),
    "a clock of 500 ns": seen("slow-clock", with_a_clock(500)),
    "clocks 6 ns apart in 80": never("clock-skew", planted("counters.skew_ns", 6, 0.2, QUEUE), 0.2),
    "clocks 10 ns apart in 80": seen("clock-skew", planted("counters.skew_ns", 10, 0.2, QUEUE), 0.8),
    "0.9% ended before they began": never("negative", ended_before(0.009), 0.05),
    "1.1% ended before they began": seen("negative", ended_before(0.011), 0.8),
    "others use 7% of the time": never("other-load", next_to_others(0.07), 0.1),
    "others use 15% of the time": seen("other-load", next_to_others(0.15)),
    "one warm-up of these was cut": seen(
        "warmup-cut", lambda _, number: Given({"counters.warmup_cut": [1.0] + [0.0] * (number - 1)}, CHOSEN, number)
    ),
}
"""Rules by simulation: the code, the draw of a row, and the permitted rate."""

REASONS: dict[str, Rule] = {
    "the JIT compiles, and changes nothing": never("wide", compiling(0.0, 0.5), 0.05),
    "the JIT compiles, and that is why": seen("wide", compiling(0.05, 0.1), 0.6, 12),
}
"""Rules of the reason that accompanies a warning."""

CHANCY = ("wide", "bimodal")
"""Codes whose rate is neither 0 nor 1: only for these do rows beyond the first six add information."""

TESTED = [
    (name, number)
    for name, rule in {**RULES, **REASONS}.items()
    for number in ((3, 12) if rule.most < 1 else (rule.since,))
]
"""Rules with numbers of trials: the smallest and the first minute's, or the first from which one must detect."""


def drawn(draw: Draw, number: int, rows: int) -> Iterator[Row]:
    rng = np.random.default_rng(17)
    return (draw(rng, number).row for _ in range(rows))


def share(code: str, rows: Sequence[Row]) -> float:
    """Return the share of rows with the code as a warning or worse."""
    return sum(dict(codes(row)).get(code, "note") != "note" for row in rows) / len(rows)


def claimed(code: str, rows: Sequence[Row]) -> float:
    """In which share of the rows with this finding it claims a reason."""
    found = [one for row in rows for one in row.findings if one.code == code]
    return sum("Trials were slower" in str(one.facts["why"]) for one in found) / max(1, len(found))


@pytest.mark.parametrize(("name", "number"), TESTED)
def test_a_rule_alarms_seldom_for_nothing_and_mostly_for_something(name: str, number: int) -> None:
    """If noise alone can cause the code, the screen counts each such row among those expected by chance."""
    rule = (RULES | REASONS)[name]
    rows = [*drawn(rule.draw, number, 50 if rule.code in CHANCY else 6)]
    found = share(rule.code, rows) if name in RULES else claimed(rule.code, rows)
    assert rule.least <= found <= rule.most
    if rule.code in BY_CHANCE and not rule.least:
        assert all(by_chance(row) for row in rows if rule.code in dict(codes(row)))
