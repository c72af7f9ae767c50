"""Every check finds what is planted for it, alone, and lets pass what is just below its threshold."""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.unit.analysis.examples import (
    DECLARED,
    LOCK,
    MACHINE,
    NOTIFY,
    RING,
    RUN,
    SIGNAL,
    TOPOLOGY,
    TOY,
    Given,
    codes,
    judged,
    observed,
    result,
    row,
    said,
)
from tests.unit.studies.doctor.conditions import CONDITIONS
from threadping.analysis.analyse import analyse, with_figures
from threadping.analysis.answer import Answer
from threadping.analysis.checks import Fact, Facts
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.estimate import Estimate, interval
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.figure import groups
from threadping.analysis.warnings.reasons import chance_of, reasons
from threadping.analysis.warnings.samples import without
from threadping.contract import Cpu
from threadping.experiments.lock import NO_COARSENING
from threadping.model.cases import Busy, Case, Pair, Placement, Runtime, WarmupPolicy
from threadping.model.trials import Failure, Observation, ReferencePing

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


class Plant(NamedTuple):
    """What a check must find, and what it must not: unless given, nothing planted at all."""

    code: str
    level: str
    guilty: Given
    fine: Given
    facts: Facts


def plant(code: str, level: str, guilty: Given, fine: Given | None = None, /, **facts: Fact) -> Plant:
    return Plant(code, level, guilty, fine or Given(), facts)


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
    """Of so many trials of six a tenth of all round trips took 100 times as long."""
    quiet, late = make_distribution((200,), (12_000,)), make_distribution((200, 20_000), (10_800, 1_200))
    return Given(timed=[late] * trials + [quiet] * (6 - trials))


def in_steps(step: int, ns: int) -> Given:
    return Given({"counters.clock_step_ns": step}, LOCK, timed=make_distribution((ns,), (12_000,)))


def clocked(cost: float, ns: int = 200) -> Given:
    """Round trips of which so much is a reading of the clock; whole."""
    return Given({"clock_cost_ns": cost}, timed=make_distribution((ns,), (12_000,)))


SLOW: Facts = {"cost": 200.1, "part": 200.1, "shown": 2_000, "noun": "single round trips"}


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
    """Round trips of 200 ns, and beside each thousand so many of these that had this cause."""
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


def below(negative: int, of: Case = RING) -> Given:
    return Given(of=of, timed=make_distribution((200,), (10_000,), negative=negative))


def on_lock(**planted: float) -> Given:
    return Given({f"lock.{name.replace('_', '.')}": value for name, value in planted.items()}, LOCK)


def crowd(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(LOCK, placement=Placement("same-l3", cpus), **changes))


def pairs(*cpus: int) -> Given:
    return Given(of=replace(NOTIFY, placement=Placement("same-l3", cpus)))


def producers(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(RING, placement=Placement("same-l3", cpus), **changes))


def taking_at_once(*batches: float, pace: float = 1.0, **params: int) -> Given:
    """A stream whose consumer takes so many messages at once in each trial."""
    of = replace(RING, params={"size": 65_536, **params})
    return Given({"batch.mean": batches, "sampling_pace": pace}, of, trials=len(batches))


def skewed(ns: float, bound: float = 16, of: Case = NOTIFY) -> Given:
    return counters(of, skew_ns=ns, skew_bound_ns=bound)


IN_VAIN = (
    "When one of those holds the lock, or is next in its queue, all others spin in vain until it runs again: spin only "
    "with a CPU for each thread."
)
WOKEN = "A thread that is woken may find no CPU free, and one that lost its CPU may hold the lock."
SPINS = (
    "A thread that spins for a message, or for room, keeps the CPU from the one that it waits for until its time "
    "slice is over: let it yield or sleep."
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


def wide(how: str, half: float, of: str = "its 95% interval") -> Facts:
    return {"how": how, "said": f"{how} is {of}", "half": half, "why": ""}


RANGE = "the range of its trials"
ONE: Facts = {"how": "1 trial", "said": "1 trial, too few for an interval", "why": ""}
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
    plant("wide", "warning", Given(trials=1), Given(trials=3), **ONE),
    plant("modes", "warning", typical(*[100] * 4, *[110] * 4), typical(*[100] * 4, *[105] * 4), **TWO_MODES),
    plant("disturbed", "warning", in_windows(14.1), in_windows(14.0), **PREEMPTED),
    plant("disturbed", "warning", in_windows(40), in_windows(40, without=99.1), **PREEMPTED),
    plant("disturbed", "warning", in_windows(40), in_windows(40, typical=(97, 98, 99, 101, 102, 103)), **PREEMPTED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(9, "preempted", 4_000), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(25, "preempted", 220), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), from_outside(25, "unknown"), **CAUSED),
    plant("tail", "warning", from_outside(25, "preempted"), in_clock_steps("preempted"), **CAUSED),
    plant("other-load", "warning", Given(others=0.11), Given(others=0.09), share=0.11),
    plant("pin-lost", "error", counters(moved=(1, 0, 2, 0, 0, 0)), threads=3, in_trials=2),
    # Of one that was asked for; what the usual one leaves behind is not-steady:
    plant("warmup-cut", "warning", counters(CHOSEN, warmup_cut=(0, 0, 1, 0, 0, 0)), Given(of=CHOSEN), **BY_CHOICE),
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
    plant(
        "slow-clock", "warning", clocked(100), clocked(99.9), cost=100, part=100, shown=200, noun="single round trips"
    ),
    plant("slow-clock", "warning", clocked(200.1, 2_000), clocked(199.9, 2_000), **SLOW),
    plant("clock-skew", "warning", skewed(8.5, of=RING), skewed(8, of=RING), skew=8.5, bound=16, **MESSAGES),
    # What their bounds only allow is not certain:
    plant("clock-skew", "warning", skewed(8.5, 400, RING), skewed(0, 400, RING), skew=8.5, bound=400, **MESSAGES),
    plant("clock-skew", "warning", skewed(3_001), skewed(3_000), skew=3_001, bound=16, **WAKE_UPS),
    # What begins and ends by one clock does not hang on another:
    plant("clock-skew", "warning", skewed(3_001), skewed(3_001, of=LOCK), skew=3_001, bound=16, **WAKE_UPS),
    plant("time-slice", "note", on_one_cpu(100_000), on_one_cpu(99_999), one_way=100_000, per_second=10_000),
    plant("mixture", "note", on_one_cpu_for(0.07, FREE), on_one_cpu_for(0.07, SLEEPING), kinds=KINDS, share=0.07),
    plant("one-line", "note", Given(of=ONE_LINE), Given(of=replace(ONE_LINE, blocking=True)), lines=6),
    # In nine trials of ten, and in publications where a producer sends several messages at once:
    plant("close-behind", "note", taking_at_once(*[10] * 9, 11), taking_at_once(*[10] * 5, 11), batch=10),
    plant(
        "close-behind",
        "note",
        taking_at_once(*[1_000] * 6, batch=100),
        taking_at_once(*[1_001] * 6, batch=100),
        batch=1_000,
    ),
    plant("far-behind", "note", taking_at_once(*[100] * 9, 99), taking_at_once(*[100] * 5, 99), batch=100),
    plant("close-behind", "note", taking_at_once(*[6] * 6, size=8), taking_at_once(*[12] * 6, size=64), batch=6),
    plant("far-behind", "note", taking_at_once(*[16] * 6, size=64), taking_at_once(*[15] * 6, size=64), batch=16),
    # Takes of sampling windows say nothing of a rate at another pace, nor those of one in flight of a stream:
    plant("close-behind", "note", taking_at_once(*[5] * 6), taking_at_once(*[5] * 6, **{"in-flight": 1}), batch=5),
    plant("oversubscribed", "note", crowd(0, 1, 0), crowd(0, 1, 2), threads=3, cpus=2, follows=IN_VAIN),
    plant("oversubscribed", "note", crowd(0, 1, 0, blocking=True), threads=3, cpus=2, follows=WOKEN),
    plant("oversubscribed", "note", crowd(0, 1, 0, timed="increment"), threads=3, cpus=2, follows=TURNS),
    plant("oversubscribed", "note", producers(0, 1, 0), producers(0, 1), threads=3, cpus=2, follows=SPINS),
    plant("oversubscribed", "note", producers(0, 1, 0, blocking=True), threads=3, cpus=2, follows=NO_CPU),
    plant("coarsened", "note", counters(MONITOR, collections=0), counters(EXACT, collections=0)),
    plant("coarsened", "note", counters(OTHER_FLAG, collections=0), Given(of=replace(MONITOR, runtime="cpp"))),
    plant("coarsened", "note", counters(MONITOR, collections=0), counters(LOCK, collections=0)),
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


def test_every_check_of_every_experiment_is_planted() -> None:
    planted = (
        {one.code for one in PLANTS}
        | {code for code, *_ in MOVES}
        | {code for code, *_ in MACHINES}
        | {"busy-machine", "all-crossed", "less-evidence", "not-balanced", "jvm-options", "libc-options"}
        | {"not-held", "late-sender", "never-deep", "idle-unknown"}  # in tests/unit/experiments/test_paced.py
        | {"harness"}  # in test_loop_cost.py
        | {"unfit"}  # in test_in_passing.py
        | {one.code for one in CONDITIONS}  # in tests/unit/studies/doctor
    )
    assert planted == set(checks_of(DECLARED))


@pytest.mark.parametrize("planted", PLANTS, ids=[one.code for one in PLANTS])
def test_a_check_finds_what_is_planted_alone_and_not_what_is_just_below(planted: Plant) -> None:
    found = planted.guilty.row
    others = {"nothing-measured", "wide", "closed-loop"} - {planted.code}
    assert [one for one in codes(found) if one[0] not in others] == [(planted.code, planted.level)]
    (finding,) = (one for one in found.findings if one.code == planted.code)
    assert {**finding.facts} == {name: pytest.approx(fact) for name, fact in planted.facts.items()}
    assert planted.code not in dict(codes(planted.fine.row))
    assert "{" not in "".join(said(found))


@pytest.mark.parametrize(
    "fine",
    [
        *(Given(of=case) for case in (SIGNAL, LOCK, TOY)),
        in_windows(40, typical=(0, 0, 0, 0, 1, 1)),  # of nought there is no share
        Given({"counters.clock_step_ns": 1_000}, timed=make_distribution((), ())),  # nothing was timed
        Given({"sampling_pace": 3.0}, LOCK, timed=make_distribution((), ())),
        counters(warmup_cut=1, compile_ns=9e8, collections=3, preempted=1e6),  # reasons, without anything that they did
        drifting(-0.5, *[0.5] * 5),  # the interval lies across the band
    ],
)
def test_nothing_is_said_of_what_is_fine(fine: Given) -> None:
    assert fine.row.findings == ()


def why(row: Row, code: str = "not-steady") -> object:
    (found,) = (one for one in row.findings if one.code == code)
    return found.facts["why"]


def meanwhile(*happened: str) -> str:
    return f" Meanwhile {'; '.join(happened)}: whether that is why is not known." if happened else ""


@pytest.mark.parametrize(
    ("planted", "happened"),
    [
        ({"compile_ns": (21e6, 30e6, 20e6, 0, 0, 0)}, "the JIT was compiling in 2 of 6 trials"),
        ({"warmup_cut": (0, 0, 1, 0, 0, 0)}, "the warm-up ended at its time limit in 1 of 6 trials"),
        ({"collections": (1, 2, 0, 0, 0, 0)}, "the collector ran 3 times"),
        ({"steal_ns": 20_400_000}, "the hypervisor took 1.0% of the CPU time"),
        ({"steal_ns": 20_000_000}, ""),
        ({"preempted": 201}, "others took the CPU from the threads 201 times a second"),
        ({"preempted": 200}, ""),
        ({"major_faults": (0, 1, 0, 0, 0, 0)}, "threads waited for the disk 1 time"),
        ({"measured_ns": 0, "compile_ns": 9e8, "preempted": 900}, ""),  # an imported run may hold anything
    ],
)
def test_a_warning_tells_what_happened_meanwhile_and_not_that_it_is_why(
    planted: Mapping[str, float | Sequence[float]], happened: str
) -> None:
    figures = {f"counters.{name}": value for name, value in planted.items()}
    assert why(Given({**figures, "drift": 0.05}).row) == meanwhile(*filter(None, [happened]))


RISING = (0.05, 0.051, 0.052, 0.053, 0.054, 0.055)
COMPILED = "the JIT was compiling in 6 of 6 trials"


@pytest.mark.parametrize(
    ("compiled", "expected"),
    [
        ((30, 31, 32, 33, 34, 35), " Trials changed more the longer the JIT compiled (ranks, p < 0.01)."),
        ((30, 31, 32, 33, 35, 34), " Trials changed more the longer the JIT compiled (ranks, p < 0.01)."),
        ((30, 31, 32, 34, 35, 33), meanwhile(COMPILED)),  # 13 of 720 orders go together as much
        ((35, 34, 33, 32, 31, 30), meanwhile(COMPILED)),  # less of it where there is more
        ((30,) * 6, meanwhile(COMPILED)),
    ],
)
@pytest.mark.parametrize("way", [1, -1])
def test_a_reason_is_claimed_where_a_test_shows_it(compiled: Sequence[float], expected: str, way: int) -> None:
    """Whichever way trials changed."""
    figures = {"counters.compile_ns": [ms * 1e6 for ms in compiled], "drift": [way * one for one in RISING]}
    assert why(Given(figures).row) == expected


def test_reasons_share_the_level_at_which_they_are_tested() -> None:
    """Five of 720 orders go together as much as these: enough for one reason, and not for two."""
    compiled, paused = (30e6, 31e6, 32e6, 33e6, 35e6, 34e6), (3, 1, 2, 6, 5, 4)
    figures = {"counters.compile_ns": compiled, "counters.collections": paused, "drift": RISING}
    both = meanwhile(COMPILED, "the collector ran 21 times")
    assert why(Given(figures).row) == both


def test_slower_trials_of_a_rate_are_those_with_less_of_it() -> None:
    figures = {"counters.compile_ns": [ms * 1e6 for ms in range(30, 36)], "ops_per_s": (9e6, 7e6, 5e6, 3e6, 2e6, 1e6)}
    expected = " Trials were slower the longer the JIT compiled (ranks, p < 0.01)."
    assert why(Given(figures, LOCK).row, "wide") == expected


def test_of_more_than_seven_trials_ranks_go_together_by_the_normal_approximation() -> None:
    in_order, swapped = list(range(12)), [5, 4, 3, 2, 1, 0, *range(6, 12)]
    assert chance_of(in_order, in_order) == pytest.approx(math.erfc(math.sqrt(11 / 2)) / 2)
    coefficient = 1 - 6 * 70 / (12 * 143)
    assert chance_of(in_order, swapped) == pytest.approx(math.erfc(coefficient * math.sqrt(11 / 2)) / 2)
    assert chance_of([1, 1, 1, 1, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7]) == pytest.approx(1 / 35)  # equal ones share ranks


def test_where_the_scheduler_places_the_threads_it_is_a_reason_that_is_tested() -> None:
    """Sleepers are quick on one CPU, where they take it from each other."""
    free = replace(NOTIFY, placement=Placement("unpinned", (None, None)))
    moved = "the scheduler moved the threads 12 times, and made 50% of their switches"
    forced = (90, 80, 60, 40, 20, 10)
    for case, share in ((free, forced), (replace(free, blocking=False), forced[::-1])):
        figures: Figures = {
            "counters.preempted": share,
            "counters.slept": [100 - one for one in share],
            "counters.migrations": 2,
            "drift": RISING,
        }
        reason = " Trials changed more where the scheduler chose other CPUs (ranks, p < 0.01)."
        assert why(Given(figures, case).row) == reason
        assert why(Given({**figures, "drift": 0.05}, case).row) == meanwhile(moved)
        together = [one / 100 for one in forced]
        stood: Figures = {"mixture.same_cpu": together, "counters.migrations": 2}
        row = Given({**stood, "drift": RISING if case.blocking else RISING[::-1]}, case).row
        assert why(row) == reason  # where they stood is known, whatever their switches
        known = replace(row, figures={**row.figures, "mixture.same_cpu": Estimate(0.4)})
        seen = reasons(known, lambda _: 1.0, "were slower")
        assert seen == meanwhile(
            "the scheduler moved the threads 12 times, and had them on one CPU for 40% of the time"
        )
    assert why(Given({"counters.migrations": 2, "drift": 0.05}, SIGNAL).row) == ""  # which are pinned


def test_what_our_coordinator_takes_of_each_window_was_not_taken_by_others() -> None:
    for preempted, happened in ((261, ["others took the CPU from the threads 201 times a second"]), (260, [])):
        figures = {"counters.preempted": preempted, "counters.windows": 10, "drift": 0.05}
        assert why(Given(figures, LOCK).row) == meanwhile(*happened)


@pytest.mark.parametrize("case", [ONE_CPU, SLEEPING, replace(SIGNAL, busy=Busy(1))])
def test_threads_that_sleep_or_share_a_cpu_lose_it_by_themselves(case: Case) -> None:
    assert why(Given({"counters.preempted": 1e6, "drift": 0.05}, case).row) == ""


@pytest.mark.parametrize(("pace", "warned"), [(10.1, True), (1 / 10.1, True), (9.9, False)])
def test_in_a_crowd_the_two_kinds_of_window_may_differ_more(pace: float, warned: bool) -> None:
    crowded = replace(LOCK, placement=Placement("same-l3", (0, 1, 0)))
    found = dict(codes(Given({"sampling_pace": pace, "counters.cpus": 2}, crowded).row))
    assert ("regime" in found) == warned


def test_that_operations_are_merged_until_one_is_timed_is_said_once() -> None:
    paces = {"sampling_pace": 4.0, "counters.collections": 0.0}
    assert codes(Given(paces, MONITOR).row) == [("coarsened", "note")]
    assert codes(Given(paces, EXACT).row) == [("regime", "warning")]
    quicker = Given(paces | {"sampling_pace": 0.25}, MONITOR)  # which merging does not explain
    assert codes(quicker.row) == [("regime", "warning"), ("coarsened", "note")]


@pytest.mark.parametrize(
    ("drifts", "expected"),
    [
        ([0.5, 0.5], [("wide", "warning")]),  # of which nothing can be said
        ([0.3] * 5, [("not-steady", "warning")]),
        ([0.3] * 6, [("not-steady", "error")]),
        ([0.02, *[0.05] * 4], []),  # 4.604 standard errors reach below 2%
        ([0.101, 0.3, 0.2], []),  # as 9.925 do: of three trials nearly nothing is sure
    ],
)
def test_few_trials_are_unsteady_by_their_own_test_and_never_gravely(
    drifts: list[float], expected: list[tuple[str, str]]
) -> None:
    assert codes(drifting(*drifts).row) == expected


def test_a_headline_is_never_replaced_the_last_third_stands_beside_it() -> None:
    late = [49.0, 50.0, 51.0, 52.0, 53.0, 54.0]
    for drift, found in ((-0.2, Estimate(51.5, *interval(late), "ci95")), (-0.05, None), (0.0, None)):
        row = Given({"latency_ns.typical": 60.0, "headline_late": late, "drift": drift}).row
        assert (row.headline and row.headline.value, row.late) == (60.0, found)


def test_a_mixture_is_neither_steady_nor_in_groups_nor_disturbed() -> None:
    """Its headline is not the experiment's, but a mean of what the scheduler makes of it."""

    class OfMixtures(Declaration, frozen=True, kw_only=True):
        def headline_of(self, case: Case) -> str:
            return "latency_ns.mean"

        def mixes(self, case: Case) -> bool:
            return True

    mixed = OfMixtures(**{name: getattr(SIGNALS, name) for name in SIGNALS.__struct_fields__})
    planted = {"latency_ns.mean": (100, 101, 102, 400, 401, 402), "drift": 0.3, **in_windows(40, without=50.0).figures}
    row = Given(planted).row
    assert {"not-steady", "disturbed"} <= {code for code, _ in codes(row)}
    of_it = with_figures(replace(row, declared=mixed, findings=()))
    assert {code for code, _ in codes(of_it)} == {"wide"}
    assert sum(check.by_chance(of_it) for check in mixed.checks) == 0


@pytest.mark.parametrize(
    ("given", "marks"),
    [
        (Given(), 0),
        (drifting(0.0, 0.0, 0.0, 0.0, 0.0, 0.021), 0.01),
        (drifting(0.0, 0.0, 0.0, 0.0, 0.0, 0.02), 0),
        (typical(100, 100, 100, 105.1), 0.01),
        (typical(100, 100, 105.1), 0),
        (in_windows(0), 0.01),
    ],
)
def test_marks_by_chance_are_counted_where_noise_could_make_one(given: Given, marks: float) -> None:
    assert sum(check.by_chance(given.row) for check in SIGNALS.checks) == marks


def test_without_enough_windows_nobody_is_called_unsteady() -> None:
    short = replace(result(), windows=result().windows.of("sampling"))
    assert "not-steady" not in dict(codes(row(SIGNAL, *[short] * 6)))


def test_where_every_duration_overlapped_an_edge_that_is_said() -> None:
    assert codes(Given(timed=make_distribution((), (), 2)).row) == [("censored", "warning")]


def test_what_is_not_comparable_is_marked() -> None:
    assert not on_lock(updates_found=144_750).row.comparable
    assert not counters(MONITOR, collections=0).row.comparable
    assert not Given(others=0.5).row.comparable
    assert Given().row.comparable


def test_a_failure_names_the_load_beside_it() -> None:
    stalled = Observation(1, 0, SIGNAL, Failure("stalled", "It stood."), 1, others=0.6)
    (found,) = judged(SIGNAL, [stalled]).findings
    assert str(found.facts["said"]).startswith("It stood. Other programs used 60% of its CPUs' time meanwhile.")


def in_steps_of(number: int) -> list[float]:
    return [1.02**place for place in range(number)]


@pytest.mark.parametrize(
    ("lower", "upper", "fold"),
    [
        ([1, 1], [1, 1], 1.05),
        (in_steps_of(6), in_steps_of(6), 1.02**10),  # twice the spread of either group
        ([1] * 6, in_steps_of(6), 1.02**10),
        (in_steps_of(6), [1] * 6, 1.02**10),
        ([1, 1.005, 1.01, 1.015, 1.02], [1, 1.005, 1.01, 1.015, 1.02, 1.021, 1.022], 1.05),
        (in_steps_of(2), [1, 1], 1.02**13),  # of few trials more
        (in_steps_of(3), [1, 1], 1.02**14),
        (in_steps_of(3), [1] * 3, 1.02**9),
        (in_steps_of(4), [1] * 4, 1.02**9),
    ],
)
def test_trials_are_two_groups_from_a_gap_on(lower: list[float], upper: list[float], fold: float) -> None:
    for gap, two in ((0.999 * fold, False), (1.001 * fold, True)):
        above = [lower[-1] * gap * one for one in upper]
        assert groups([*above, *lower]) == ((lower, above) if two else None)


def test_one_trial_alone_is_no_group() -> None:
    assert groups([1, 2, 2, 2]) is groups([1, 1, 1, 2]) is groups([1, 2, 2]) is None


def test_what_is_left_without_outliers_is_less_each_of_the_nearest_value() -> None:
    timed = make_distribution((10, 20, 30), (2, 2, 2))
    assert without(timed, (5, 14, 15, 99, 99, 99)) == make_distribution((20,), (1,))
    assert without(make_distribution((7,), (3,)), (1, 9)) == make_distribution((7,), (1,))


# ---- the machine ----

MACHINES: tuple[tuple[str, dict[str, object], Facts | None], ...] = (
    ("virtualised", {"hypervisor": "KVM"}, {"hypervisor": "KVM"}),
    ("governor-not-performance", {"governor": "schedutil"}, {"governor": "schedutil"}),
    ("governor-not-performance", {"governor": None}, None),
    ("cpu-quota", {"cpu_quota": 2.99}, {"quota": 2.99, "needed": 3}),
    ("cpu-quota", {"cpu_quota": 3.0}, None),
    ("cpu-quota", {"cpu_quota": 2.0, "topology": replace(TOPOLOGY, allowed=(0, 1))}, None),
    ("topology-inconsistent", {"topology": replace(TOPOLOGY, contradicts_itself=True)}, {}),
    (
        "cpus-unlisted",
        {"topology": replace(TOPOLOGY, cpus=(*TOPOLOGY.cpus, Cpu(99, *[None] * 5)), allowed=(*TOPOLOGY.allowed, 99))},
        {"listed": len(TOPOLOGY.allowed), "cpus": len(TOPOLOGY.allowed) + 1},
    ),
    ("cpu-quota", {"cpu_quota": 1.9, "topology": replace(TOPOLOGY, allowed=(0, 1))}, {"quota": 1.9, "needed": 2}),
)


@pytest.mark.parametrize(("code", "changes", "facts"), MACHINES)
def test_the_machine_is_judged_once_and_even_where_nothing_was_measured(
    code: str, changes: dict[str, object], facts: Facts | None
) -> None:
    answer = analyse(replace(RUN, machine=replace(MACHINE, **changes)), (), (), DECLARED)
    assert {one.code: one.facts for one in answer.findings} == ({} if facts is None else {code: facts})


UNPINNED = replace(SIGNAL, placement=Placement("unpinned", (None, None)))
PROCESS = replace(SIGNAL, placement=Placement("same-l3", (2, 3), "process"))


@pytest.mark.parametrize(
    ("case", "allowed", "which"),
    [
        (UNPINNED, (2, 3), "CPUs 2-3"),
        (UNPINNED, (1, 2), "CPU 2"),
        (UNPINNED, (0, 1), None),
        (UNPINNED, (2,), None),  # there is nothing to choose
        (SIGNAL, (2, 3), None),
        (PROCESS, (0, 1), "CPUs 2-3"),
        (replace(SIGNAL, busy=Busy(2)), (2, 3), "CPUs 2-3"),
    ],
)
def test_a_row_whose_threads_start_on_isolated_cpus_says_that_none_is_moved(
    case: Case, allowed: tuple[int, ...], which: str | None
) -> None:
    machine = replace(MACHINE, topology=replace(TOPOLOGY, allowed=allowed, isolated=(2, 3)))
    (row,) = analyse(replace(RUN, machine=machine, cases=(case,)), [observed(case, result())], (), DECLARED).rows
    said = [one.facts for one in row.findings if one.code == "not-balanced"]
    assert said == ([{"which": which}] if which else [])


def test_flags_that_the_environment_adds_to_virtual_machines_are_named_once() -> None:
    def java(label: str, *flags: str) -> Runtime:
        return Runtime(label, "java", ("/usr/bin/java", *flags, "-jar", "probe.jar"), "")

    native = Runtime("cpp -march=native", "cpp", ("probe",), "")
    runtimes = (native, java("java-17 -Xint -Dx=…", "-Dx=a b"), java("java-25 -Xint"), java("java-21 -Xss1m", "-Xss1m"))
    (found,) = analyse(replace(RUN, runtimes=runtimes), (), (), DECLARED).findings
    assert (found.code, found.facts) == ("jvm-options", {"added": "-Xint to java-17, java-25"})
    assert analyse(replace(RUN, runtimes=runtimes[3:]), (), (), DECLARED).findings == ()


def test_what_the_environment_sets_for_the_c_library_is_named_once() -> None:
    runtimes = tuple(Runtime(name, "cpp", ("probe",), "g++ 12 -O3 LD_PRELOAD=libx.so") for name in ("cpp", "mine"))
    (found,) = analyse(replace(RUN, runtimes=runtimes), (), (), DECLARED).findings
    assert (found.code, found.facts) == ("libc-options", {"set": "LD_PRELOAD=libx.so"})


def test_what_could_not_be_seen_is_reported_once_where_there_is_something_to_explain() -> None:
    quiet = observed(SIGNAL, result())
    seen = [replace(quiet, figures=quiet.figures | {"outliers.count": 3.0}, lacking=("A.", "B."))] * 6
    (found,) = analyse(RUN, seen, (), DECLARED).findings
    assert (found.code, found.facts) == ("less-evidence", {"lacking": "A. B."})
    assert analyse(RUN, [replace(quiet, lacking=("A.",))], (), DECLARED).findings == ()


# ---- the state of the machine ----


class Stood(NamedTuple):
    """Trials of one case, of `typical` ns each, and how far its CPUs stood apart before, between and after them.

    `beside` are pings of other pairs; CPU 6 is the sibling of CPU 7, and on a node
    of its own with it.
    """

    apart: Sequence[float]
    typical: Sequence[float] = ()
    beside: Mapping[Pair, float] = {}
    of: Case = SIGNAL

    @property
    def answer(self) -> Answer:
        pairs = {(0, 1): self.apart, **{pair: [ns] * 2 for pair, ns in self.beside.items()}}
        pings = [ReferencePing(pair, n, n, ns) for pair, levels in pairs.items() for n, ns in enumerate(levels)]
        quiet = observed(self.of, result(self.of))
        typical = self.typical or self.apart[1:]
        seen = [replace(quiet, figures=quiet.figures | {"latency_ns.typical": ns}) for ns in typical]
        cpus = (*TOPOLOGY.cpus[:6], *(Cpu(cpu, 6, 6, 1, 1, 1) for cpu in (6, 7)))
        run = replace(RUN, cases=(self.of,), machine=replace(MACHINE, topology=replace(TOPOLOGY, cpus=cpus)))
        return analyse(run, seen, pings, DECLARED)

    @property
    def facts(self) -> dict[str, Facts]:
        return {one.code: one.facts for one in self.answer.findings}


N, F = 26.0, 127.0
STILL = Stood([N] * 7)
CROSSED = Stood([N] * 7 + [F] * 7)
BOTH: dict[str, Fact] = {"who": "CPUs 0,1", "names": "same-l3", "far": F, "near": N}


def beside(pair: Pair, ns: float) -> Stood:
    return STILL._replace(beside={pair: ns})


MOVES: tuple[tuple[str, Stood, Facts | None], ...] = (
    ("crossed", CROSSED, {"crossed": 1, "trials": 13}),
    ("crossed", Stood([N, N, F, F]), {"crossed": 1, "trials": 3}),
    ("crossed", Stood([N, N, F, F, 60, 60], [1.0] * 5), {"crossed": 2, "trials": 5}),  # though rows are one
    ("moved", CROSSED, {"times": 1, "which": "CPUs 0,1", "near": N, "far": F}),
    ("moved", Stood([N, N, F, F, N, N]), {"times": 2, "which": "CPUs 0,1", "near": N, "far": F}),
    ("moved", Stood([N, N, 60, N, N]), None),  # disturbed
    ("placement-untrue", CROSSED, BOTH),
    ("placement-untrue", beside((2, 3), 39.1), BOTH | {"who": "CPUs 2,3 and CPUs 0,1", "far": 39.1}),
    ("placement-untrue", beside((2, 3), 39.0), None),
    ("placement-untrue", beside((5, 6), 500.0), None),  # across nodes it is farther
    (
        "placement-untrue",
        beside((5, 6), 5.0),
        BOTH | {"who": "CPUs 0,1 and CPUs 5,6", "far": N, "near": 5.0, "names": "same-l3 and cross-node"},
    ),
    ("placement-untrue", beside((6, 7), 5.0), None),  # siblings are nearer
    (
        "placement-untrue",
        beside((6, 7), 40.0),
        BOTH | {"who": "CPUs 6,7 and CPUs 0,1", "far": 40.0, "names": "smt and same-l3"},
    ),
    ("placement-untrue", beside((8, 9), 500.0), None),  # the machine does not tell of these
)


@pytest.mark.parametrize(("code", "stood", "facts"), MOVES, ids=[code for code, *_ in MOVES])
def test_a_check_of_states_finds_what_is_planted_and_not_what_is_just_below(
    code: str, stood: Stood, facts: Facts | None
) -> None:
    assert stood.facts.get(code) == facts


@pytest.mark.parametrize(
    ("kinds", "listed", "untrue"),
    [
        (("P", "P", "P", "P"), True, True),
        (("P", "P", "E", "E"), True, False),
        (("P", "P", "P", "E"), True, False),
        ((None,) * 4, True, True),
        ((None,) * 4, False, False),
    ],
)
def test_a_pair_is_compared_with_listed_ones_on_its_kinds_of_core(
    kinds: Sequence[str | None], listed: bool, untrue: bool
) -> None:
    """CPUs 2 and 3 stand far from each other, and share an L3 as 0 and 1 do."""
    stood = beside((2, 3), 500.0).answer
    cpus = [Cpu(cpu, cpu, cpu, 0, 0, 0, kind) for cpu, kind in enumerate(kinds)]
    told = (*cpus[:2], *(cpus[2:] if listed else [Cpu(cpu, None, None, None, None, None) for cpu in (2, 3)]))
    machine = replace(stood.run.machine, topology=replace(TOPOLOGY, cpus=told, allowed=(0, 1, 2, 3)))
    found = analyse(replace(stood.run, machine=machine), (), stood.states.pings, DECLARED).findings
    assert ("placement-untrue" in {one.code for one in found}) == untrue


def test_where_the_machine_stands_still_nothing_is_said() -> None:
    assert (STILL.facts, codes(STILL.answer.rows[0])) == ({}, [])


@pytest.mark.parametrize(("others", "share"), [((0.4, 0.4), 0.4), ((0.2, 0.6), 0.4), ((0.39, 0.4), None), ((), None)])
def test_a_machine_that_others_use_for_two_fifths_of_the_time_gives_no_figures_to_use(
    others: Sequence[float], share: float | None
) -> None:
    seen = [replace(observed(SIGNAL, result()), others=one) for one in (*others, None)]
    found = {one.code: (one.level, one.facts) for one in analyse(RUN, seen, (), DECLARED).findings}
    assert found.get("busy-machine") == (None if share is None else ("error", {"share": share}))
    assert found.keys() == ({"busy-machine"} if share else {"unfit"} if others else {*()})


def test_a_state_of_a_moment_makes_no_row_and_its_trials_are_counted() -> None:
    """Two pings bear out that the CPUs moved, and no more."""
    (near,) = Stood([N] * 7 + [F] * 2).answer.rows
    assert (near.state and near.state.core_to_core_ns, len(near.trials), near.crossed) == (N, 6, 2)
    _, far = Stood([N] * 7 + [F] * 3).answer.rows
    assert (far.state and far.state.core_to_core_ns, len(far.trials), far.crossed) == (F, 2, 1)


def test_where_every_trial_crossed_that_is_an_error() -> None:
    (row,) = Stood([N, F]).answer.rows
    assert (row.trials, row.figures, codes(row)) == ((), {}, [("all-crossed", "error")])


def test_threads_that_sleep_are_in_one_row_whatever_the_state() -> None:
    (row,) = Stood([N] * 7 + [F] * 7, of=SLEEPING).answer.rows
    assert (len(row.trials), row.state, row.crossed) == (13, None, 0)


@pytest.mark.parametrize("figure", ["counters.cpus", "counters.measured_ns"])
def test_a_wide_row_of_a_foreign_run_needs_no_counters(figure: str) -> None:
    wide = Given({"latency_ns.typical": [50, 75, 100, 100, 125, 150], figure: [0.0] * 6}, trials=6)
    assert ("wide", "warning") in codes(wide.row)


@pytest.mark.parametrize(("trials", "most"), [(3, 0.29), (6, 0.06), (12, 0.02)])
def test_a_stream_that_is_in_both_regimes_is_rarely_told_to_be_in_one(trials: int, most: float) -> None:
    toss = Random(7)
    rows = [taking_at_once(*(toss.choice((5.0, 500.0)) for _ in range(trials))).row for _ in range(400)]
    assert sum(bool(one.regime) for one in rows) <= most * len(rows)
    assert taking_at_once(*[5.0] * trials).row.regime == "close"


def test_rows_of_unlike_regimes_are_not_compared_and_one_at_another_pace_when_sampled_is_in_none() -> None:
    found = [taking_at_once(*[of] * 6).row.regime for of in (5.0, 50.0, 500.0)]
    assert found == ["close", "", "far"]
    assert [taking_at_once(*[of] * 6, pace=1.6).row.regime for of in (5.0, 500.0)] == ["", ""]
    assert all(taking_at_once(*[of] * 6).row.comparable for of in (5.0, 500.0)), "with rows of its own regime"
