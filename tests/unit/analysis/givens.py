"""Planted trials, each with a name, and rows that each check must report or let pass."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import DECLARED, LOCK, QUEUE, SIGNAL, TOY, WAKEUP, Given
from threadping.analysis.checks import Fact, Facts
from threadping.experiments.lock import NO_COARSENING
from threadping.model.cases import Busy, Case, Placement, WarmupPolicy
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
NEXT_TO_BUSY = replace(SIGNAL, busy=Busy(1))
MONITOR = replace(LOCK, mechanism="monitor", runtime="java-17")
EXACT, OTHER_FLAG = (replace(MONITOR, runtime=f"java-17 -Xint {NO_COARSENING}{rest}") for rest in ("", "Not"))


def counters(of: Case = SIGNAL, **planted: float | Sequence[float]) -> Given:
    return Given({f"counters.{name}": value for name, value in planted.items()}, of)


def merging(of: Case) -> Given:
    return counters(of, collections=0, rested_ns=0)


def typical(*values: float) -> Given:
    return Given({"latency_ns.typical": values}, trials=len(values))


def groups_apart(near: int, far: int, step: float, of: Case = WAKEUP) -> Given:
    """Two groups of what is timed in `wakeup` and counted in `signal`, by a clock with such steps."""
    typical = (*[near] * 4, *[far] * 4)
    return Given({"latency_ns.typical": typical, "counters.clock_step_ns": step}, of, trials=8)


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


def from_outside(outliers: int, cause: str, ns: int = 222, of: Case = SIGNAL) -> Given:
    """Return round trips of 200 ns, with this number of outliers of one cause per thousand."""
    timed = make_distribution((200, ns), (10_000, 10 * outliers))
    return Given(of=of, timed=timed, caused={"round_trip_ns": {cause: ((ns, 10.0 * outliers),)}})


def on_one_cpu_for(share: float, of: Case) -> Given:
    kinds = {"same_cpu": share, "together_ns": 1_700, "apart_ns": 36_000}
    return Given({f"mixture.{name}": value for name, value in kinds.items()} | {"latency_ns.mean": 14_000}, of)


def in_clock_steps(cause: str) -> Given:
    """Round trips in steps of a coarse clock, over which percentiles are spread, and one that had this cause."""
    timed = make_distribution((31, 41, 4_000), (9_950, 50, 1))
    return Given({"counters.clock_step_ns": 10.0}, timed=timed, caused={"round_trip_ns": {cause: ((4_000, 1.0),)}})


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


class Plant(NamedTuple):
    """A row that a check must report, and one that it must not; by default the latter has nothing planted."""

    code: str
    level: str
    guilty: Given
    fine: Given
    facts: Facts


def plant(code: str, level: str, guilty: Given, fine: Given | None = None, /, **facts: Fact) -> Plant:
    return Plant(code, level, guilty, fine or Given(), facts)


IN_VAIN = (
    "When one of those holds the lock, or is next in its queue, all others spin in vain until it runs again: spin only "
    "with a CPU for each thread."
)
WOKEN = "A thread that is woken may find no CPU free, and one that lost its CPU may hold the lock."
SPINS = (
    "A thread that spins for a message, or for a free slot, keeps the CPU from the thread it waits for until its "
    "time slice is over: let it yield or sleep."
)
NO_CPU = "A thread that is woken may find no CPU free."
TURNS = "No lock is held meanwhile, so they only take turns."
BY_CHOICE: Facts = {"cut": 1, "trials": 6, "done": 1_000, "asked": 500_000_000, "op": "increment"}
TRIPS: Facts = {"noun": "single round trips", "needed": 10_000}
OPS: Facts = {"noun": "timed operations", "needed": 10_000}
MESSAGES: Facts = {"noun": "messages", "middle": 80}
WAKE_UPS: Facts = {"noun": "wake-ups", "middle": 30_000}
BEYOND: Facts = {"censored": 78, "beyond": 72, "window": 1_050_000}

TWO_MODES: Facts = {"near": 100, "far": 110, "fold": 1.1, "nearer": 4, "farther": 4, "why": ""}
COUNTED: Facts = {**TWO_MODES, "near": 40, "far": 44}
ONE_STEP: Facts = {**TWO_MODES, "near": 140, "far": 150, "fold": 150 / 140}


def wide(how: str, half: float, of: str = "its 95% interval") -> Facts:
    return {"how": how, "said": f"{how} is {of}", "half": half, "why": ""}


RANGE = "the range of its trials"
LATER: Facts = unsteady(0.05, "slower")
FEW: Facts = {**LATER, "by": math.expm1(0.3)}
PREEMPTED: Facts = {"what": "a thread lost its CPU", "windows": 60, "by": 0.011, "without": 98.9}
CAUSED: Facts = {"cause": "preempted", "which": "p99", "noun": "single round trips", "shown": 222, "without": 200}

PLANTS = (
    plant("trial-failed", "warning", Given(besides=(HUNG,)), failed=1, trials=7, first="hung", said="It hung."),
    plant("nothing-measured", "warning", Given(besides=(None,)), empty=1, trials=7),
    plant("not-reached", "error", Given(trials=0), Given(trials=0, besides=(HUNG,))),
    plant("wide", "warning", typical(6.8, 8.75, 10, 10, 11.25, 13.2), **wide("7.50\N{EN DASH}12.5 ns", 2.503571 / 10)),
    plant("wide", "note", typical(6.85, 8.75, 10, 10, 11.25, 13.15), **wide("7.53\N{EN DASH}12.5 ns", 2.471429 / 10)),
    plant("wide", "warning", typical(80, 100, 130.1), **wide("80.0\N{EN DASH}130 ns", 0.2505, RANGE)),
    plant("wide", "note", typical(80, 100, 130), **wide("80.0\N{EN DASH}130 ns", 0.25, RANGE)),
    plant(
        "wide", "note", typical(90, 100, 110.1), typical(90, 100, 110), **wide("90.0\N{EN DASH}110 ns", 0.1005, RANGE)
    ),
    plant("wide", "warning", typical(1, 10, 14_931), **wide("1.00 ns\N{EN DASH}14.9 µs", 746.5, RANGE)),
    plant("few-trials", "warning", Given(trials=2), Given(trials=3), trials=2),
    plant("bimodal", "warning", typical(*[100] * 4, *[110] * 4), typical(*[100] * 4, *[105] * 4), **TWO_MODES),
    plant("bimodal", "warning", groups_apart(140, 150, 9), groups_apart(140, 150, 10), **ONE_STEP),
    plant("bimodal", "warning", groups_apart(40, 44, 4, SIGNAL), groups_apart(40, 44, 4), **COUNTED),
    plant("disturbed", "warning", in_windows(14.1), in_windows(14.0), **PREEMPTED),
    plant("disturbed", "warning", in_windows(40), in_windows(40, without=99.1), **PREEMPTED),
    plant("disturbed", "warning", in_windows(40), in_windows(40, typical=(97, 98, 99, 101, 102, 103)), **PREEMPTED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(9, "preempted", 4_000), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(25, "preempted", 220), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(25, "unknown"), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), in_clock_steps("preempted"), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(25, "preempted", of=NEXT_TO_BUSY), **CAUSED),
    plant("other-load", "warning", Given(others=0.11), Given(others=0.09), share=0.11),
    plant("pin-lost", "error", counters(moved=(1, 0, 2, 0, 0, 0)), threads=3, in_trials=2),
    # Of one that was asked for; what the usual one leaves behind is not-steady:
    plant("warmup-cut", "warning", counters(CHOSEN, warmup_cut=(0, 0, 1, 0, 0, 0)), Given(of=CHOSEN), **BY_CHOICE),
    plant("pace-alone", "note", counters(collections=0), counters(collections=0, rested_ns=0)),
    plant("pace-alone", "note", counters(collections=0), counters(CHOSEN, collections=0)),
    plant("not-steady", "warning", drifting(*[0.021] * 6), drifting(*[0.02] * 6), **unsteady(0.021, "slower")),
    plant("not-steady", "warning", drifting(*[-0.021] * 6), drifting(*[-0.02] * 6), **unsteady(0.021, "faster")),
    # Of six the interval is Student's, with t = 4.032; of eight it begins a fifth of the way to the second:
    plant("not-steady", "warning", drifting(0.0143, *[0.05] * 5), drifting(0.0142, *[0.05] * 5), **LATER),
    plant("not-steady", "warning", drifting(0.0124, *[0.05] * 7), drifting(0.0123, *[0.05] * 7), **LATER),
    # Of fewer than six trials it is no error:
    plant("not-steady", "warning", drifting(*[0.3] * 3), drifting(0.15, 0.2, 0.25), **FEW),
    plant("not-steady", "error", drifting(*[0.101] * 6), drifting(*[0.02] * 6), **unsteady(0.101, "slower")),
    plant("not-steady", "warning", drifting(*[0.0999] * 6), **unsteady(0.0999, "slower")),
    plant("not-steady", "error", drifting(*[-0.101] * 6), **unsteady(0.101, "faster")),
    plant("not-steady", "warning", drifting(*[-0.0999] * 6), **unsteady(0.0999, "faster")),
    plant("few-samples", "note", timed(1_666), timed(1_667), samples=9_996, **TRIPS),
    # 50,010 samples, most of them of trials that must not outvote the one with ten:
    plant("few-samples", "note", timed(10_000, last=10, of=LOCK), samples=358, **OPS),
    # 72 are beyond p99.9:
    plant("censored", "warning", timed(12_000, censored=13, of=LOCK), timed(12_000, censored=12, of=LOCK), **BEYOND),
    plant(
        "censored",
        "warning",
        timed(12_000, ns=1_000, censored=29, of=LOCK),
        timed(12_000, ns=1_000, censored=28, of=LOCK),  # 137 are cut of such durations, give or take 35
        **{**BEYOND, "censored": 174},
    ),
    plant("one-burst", "note", burst(1), burst(2), which="p99, p99.9", noun="single round trips", trials=6),
    plant("coarse-clock", "note", counters(clock_step_ns=5), counters(clock_step_ns=4), step=5),
    plant("coarse-clock", "note", counters(clock_step_ns=5), in_steps(2, 100), step=5),
    # What is not halved shows whole steps; those of 1 ns are the unit of all times:
    plant("coarse-clock", "note", counters(LOCK, clock_step_ns=2), timed(12_000, 20, of=LOCK), step=2),
    plant("slow-clock", "warning", clocked(100), clocked(99.9), **{**SLOW, "cost": 100, "part": 100, "shown": 200}),
    plant("slow-clock", "warning", clocked(200.1, 2_000), clocked(199.9, 2_000), **SLOW),
    plant("clock-skew", "warning", skewed(8.5, of=QUEUE), skewed(8, of=QUEUE), skew=8.5, bound=16, **MESSAGES),
    # What their bounds only allow is not certain:
    plant("clock-skew", "warning", skewed(8.5, 400, QUEUE), skewed(0, 400, QUEUE), skew=8.5, bound=400, **MESSAGES),
    plant("clock-skew", "warning", skewed(3_001), skewed(3_000), skew=3_001, bound=16, **WAKE_UPS),
    # What begins and ends by one clock does not hang on another:
    plant("clock-skew", "warning", skewed(3_001), skewed(3_001, of=LOCK), skew=3_001, bound=16, **WAKE_UPS),
    plant("time-slice", "note", on_one_cpu(100_000), on_one_cpu(99_999), one_way=100_000, per_second=10_000),
    plant("mixture", "note", on_one_cpu_for(0.07, FREE), on_one_cpu_for(0.07, SLEEPING), kinds=KINDS, share=0.07),
    plant("one-line", "note", Given(of=ONE_LINE), Given(of=replace(ONE_LINE, blocking=True)), lines=6),
    # In nine trials of ten, and in publications where a producer sends several messages at once:
    plant("keeping-up", "note", taking_at_once(*[10] * 9, 11), taking_at_once(*[10] * 5, 11), batch=10),
    plant(
        "keeping-up",
        "note",
        taking_at_once(*[1_000] * 6, batch=100),
        taking_at_once(*[1_001] * 6, batch=100),
        batch=1_000,
    ),
    plant("backlogged", "note", taking_at_once(*[100] * 9, 99), taking_at_once(*[100] * 5, 99), batch=100),
    plant("keeping-up", "note", taking_at_once(*[6] * 6, size=8), taking_at_once(*[12] * 6, size=64), batch=6),
    plant("backlogged", "note", taking_at_once(*[16] * 6, size=64), taking_at_once(*[15] * 6, size=64), batch=16),
    # Takes of sampling windows say nothing of a rate at another pace, nor those of one in flight of a stream:
    plant("keeping-up", "note", taking_at_once(*[5] * 6), taking_at_once(*[5] * 6, **{"depth": 1}), batch=5),
    plant("oversubscribed", "note", barrier(0, 1, 0), barrier(0, 1, 2), threads=3, cpus=2, follows=IN_VAIN),
    plant("oversubscribed", "note", barrier(0, 1, 0, blocking=True), threads=3, cpus=2, follows=WOKEN),
    plant("oversubscribed", "note", barrier(0, 1, 0, timed="increment"), threads=3, cpus=2, follows=TURNS),
    plant("oversubscribed", "note", producers(0, 1, 0), producers(0, 1), threads=3, cpus=2, follows=SPINS),
    plant("oversubscribed", "note", producers(0, 1, 0, blocking=True), threads=3, cpus=2, follows=NO_CPU),
    plant("coarsened", "note", merging(MONITOR), merging(EXACT)),
    plant("coarsened", "note", merging(OTHER_FLAG), Given(of=replace(MONITOR, runtime="cpp"))),
    plant("coarsened", "note", merging(MONITOR), merging(LOCK)),
    plant("threads-share-cpus", "note", pairs(0, 1, 0, 1), pairs(0, 1), threads=4, cpus=2),
    plant("lost-updates", "note", on_lock(updates_found=144_750), share=0.25, lost=289_500, made=1_158_000),
    # An operation of each of the two threads takes 1,000 / 6 ns, and a reading of the clock 20:
    plant("closed-loop", "note", waiting(1.11), waiting(1.1), factor=1.11, **WAITS),
    plant("cheaper-than-clock", "note", taking(19.9), taking(20.1), takes=19.9, cost=20, op="increment"),
    plant("regime", "warning", sampled(1.51), sampled(1.5), fold=1.51, way="slower"),
    plant("regime", "warning", sampled(1 / 1.51), sampled(1 / 1.5), fold=1.51, way="faster"),
    # One in a hundred of all is the least that counts; who begins and ends by one clock has none:
    plant("negative", "warning", below(102), below(101), negative=612, all=60_612, noun="messages"),
    plant("negative", "warning", below(102), below(102, of=LOCK), negative=612, all=60_612, noun="messages"),
    plant("lost-adds", "warning", Given({"toy.lost": 0.25}, TOY), Given(of=TOY), share=0.25),
)
