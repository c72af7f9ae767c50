"""Planted trials, each with a name."""

import math
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, LOCK, QUEUE, SIGNAL, WAKEUP, Given
from threadping.analysis.checks import Facts
from threadping.experiments.lock import NO_COARSENING
from threadping.model.cases import Case, Placement, WarmupPolicy
from threadping.model.run import Failure

SIGNALS = DECLARED["signal"]
HUNG = Failure("hung", "It hung.")
SLEEPING, ONE_LINE = replace(SIGNAL, blocking=True), replace(SIGNAL, lines=1)
FREE = replace(SLEEPING, placement=Placement("unpinned", (None, None)))
KINDS = (
    "1.70 \N{MICRO SIGN}s on one CPU (7.0% of the time), 36.0 \N{MICRO SIGN}s on several (93% of the time), on average "
    "14.0 \N{MICRO SIGN}s"
)
ONE_CPU = replace(SIGNAL, placement=Placement("same-cpu", (1, 1)))
CHOSEN = replace(LOCK, warmup=WarmupPolicy(1, 500_000_000))
MONITOR = replace(LOCK, mechanism="monitor", runtime="java-17")
EXACT, OTHER_FLAG = (replace(MONITOR, runtime=f"java-17 -Xint {NO_COARSENING}{rest}") for rest in ("", "Not"))


def counters(of: Case = SIGNAL, **planted: float | Sequence[float]) -> Given:
    return Given({f"counters.{name}": value for name, value in planted.items()}, of)


def typical(*values: float) -> Given:
    return Given({"latency_ns.typical": values}, trials=len(values))


Figures = Mapping[str, float | Sequence[float]]


def on_one_cpu(typical: float) -> Given:
    return Given({"latency_ns.typical": typical}, ONE_CPU)


def timed(samples: int, ns: int = 200, censored: int = 0, of: Case = SIGNAL, last: int | None = None) -> Given:
    counts = [*[samples] * 5, last or samples]
    return Given(of=of, timed=[make_distribution((ns,), (count,), censored) for count in counts])


def burst(trials: int) -> Given:
    """Return six trials; in `trials` of them 10% of the round trips took 100 times as long."""
    quiet, late = make_distribution((200,), (12_000,)), make_distribution((200, 20_000), (10_800, 1_200))
    return Given(timed=[late] * trials + [quiet] * (6 - trials))


def in_steps(step: int, ns: int) -> Given:
    return Given({"counters.clock_step_ns": step}, LOCK, timed=make_distribution((ns,), (12_000,)))


def clocked(cost: float, ns: int = 200) -> Given:
    """Return whole round trips, `cost` ns of each spent on the clock read."""
    return Given({"clock_cost_ns": cost}, timed=make_distribution((ns,), (12_000,)))


SLOW: Facts = {"runtime": "cpp", "cost": 200.1, "part": 200.1, "shown": 2_000, "noun": "single round trips"}


def drifting(*values: float) -> Given:
    return Given({"drift": values}, trials=len(values))


def unsteady(drift: float, way: str) -> Facts:
    facts: Facts = {"by": math.expm1(drift), "way": way, "third": "", "why": ""}
    both = ", 100 ns in the last third of the trials, 100 ns in all of them"
    return {**facts, "third": both, "late": 100, "whole": 100} if drift > 0.1 else facts


def in_windows(excess: float, without: float = 98.9, typical: Sequence[float] = (100,) * 6) -> Given:
    """Ten windows of each trial in which a thread lost its CPU, with this rank sum beyond what chance expects."""
    figures = {"windows": 10, "excess": excess, "variance": 150, "without": without}
    disturbed = {f"disturbed.switches.{name}": value for name, value in figures.items()}
    return Given({**disturbed, "latency_ns.typical": typical})


def from_outside(outliers: int, cause: str, ns: int = 222) -> Given:
    """Return round trips of 200 ns, with this number of outliers of one cause per thousand."""
    timed = make_distribution((200, ns), (10_000, 10 * outliers))
    return Given(timed=timed, caused={"round_trip_ns": {cause: (ns,) * (10 * outliers)}})


def on_one_cpu_for(share: float, of: Case) -> Given:
    kinds = {"same_cpu": share, "together_ns": 1_700, "apart_ns": 36_000}
    return Given({f"mixture.{name}": value for name, value in kinds.items()} | {"latency_ns.mean": 14_000}, of)


def in_clock_steps(cause: str) -> Given:
    """Round trips in steps of a coarse clock, over which percentiles are spread, and one that had this cause."""
    timed = make_distribution((31, 41, 4_000), (9_950, 50, 1))
    return Given({"counters.clock_step_ns": 10.0}, timed=timed, caused={"round_trip_ns": {cause: (4_000,)}})


def sampled(pace: float) -> Given:
    return Given({"sampling_pace": pace})


ALLOWED = 1_000 / 6 + 20

WAITS: Facts = {
    **{"noun": "timed operations", "which": "mean", "wait": 1.11 * ALLOWED, "allowed": ALLOWED},
    "why": "operations were 1.05 times as slow while some of them were timed",
}


def waiting(factor: float) -> Given:
    return Given({"latency_ns.mean": factor * ALLOWED}, LOCK)


def taking(ns: float) -> Given:
    """From one operation of a thread to its next."""
    return Given({"ops_per_s": 2e9 / ns}, LOCK, timed=make_distribution((30,), (12_000,)))


def below(negative: int, of: Case = QUEUE) -> Given:
    return Given(of=of, timed=make_distribution((200,), (10_000,), negative=negative))


def on_lock(**planted: float) -> Given:
    return Given({f"lock.{name.replace('_', '.')}": value for name, value in planted.items()}, LOCK)


def barrier(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(LOCK, placement=Placement("same-l3", cpus), **changes))


def pairs(*cpus: int) -> Given:
    return Given(of=replace(WAKEUP, placement=Placement("same-l3", cpus)))


def producers(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(QUEUE, placement=Placement("same-l3", cpus), **changes))


def taking_at_once(*batches: float, pace: float = 1.0, **params: int) -> Given:
    """Return a stream whose consumer takes this number of messages at once in each trial."""
    of = replace(QUEUE, params={"size": 65_536, **params})
    return Given({"batch.mean": batches, "sampling_pace": pace}, of, trials=len(batches))


def skewed(ns: float, bound: float = 16, of: Case = WAKEUP) -> Given:
    return counters(of, skew_ns=ns, skew_bound_ns=bound)
