"""Every check finds what is planted for it, alone, and lets pass what is just below its threshold."""

import math
from collections.abc import Mapping, Sequence
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
    observed,
    result,
    row,
    said,
)
from threadping.analysis.declaration import Fact, Facts
from threadping.analysis.rows import rows_of
from threadping.analysis.states import states_of
from threadping.contract import Cpu
from threadping.experiments.lock import NO_COARSENING
from threadping.model import Case, Failure, Pair, Placement, ReferencePing, Row, State, WarmupPolicy

HUNG = Failure("hung", "It hung.")
SLEEPING, ONE_LINE = replace(SIGNAL, blocking=True), replace(SIGNAL, lines=1)
ONE_CPU = replace(SIGNAL, placement=Placement("same-cpu", (1, 1)))
CHOSEN = replace(LOCK, warmup=WarmupPolicy(1, 500_000_000))
MONITOR = replace(LOCK, mechanism="monitor", runtime="java-17")
EXACT, OTHER_FLAG = (replace(MONITOR, runtime=f"java-17 -Xint {NO_COARSENING}{rest}") for rest in ("", "Not"))
BAD = replace(MACHINE, hypervisor="KVM", clock_source="hpet", governor="powersave", cpu_quota=0.5)


class Plant(NamedTuple):
    """What a check must find, and what it must not: unless given, nothing planted at all."""

    code: str
    severity: str
    guilty: Given
    fine: Given
    facts: Facts


def plant(code: str, severity: str, guilty: Given, fine: Given | None = None, /, **facts: Fact) -> Plant:
    return Plant(code, severity, guilty, fine or Given(), facts)


def counters(of: Case = SIGNAL, **planted: float | Sequence[float]) -> Given:
    return Given({f"counters.{name}": value for name, value in planted.items()}, of)


def typical(*values: float) -> Given:
    return Given({"latency_ns.typical": values}, trials=len(values))


def on_one_cpu(typical: float) -> Given:
    return Given({"latency_ns.typical": typical}, ONE_CPU)


def timed(samples: int, ns: int = 200, censored: int = 0, of: Case = SIGNAL, last: int | None = None) -> Given:
    counts = [*[samples] * 5, last or samples]
    return Given(of=of, timed=[make_distribution((ns,), (count,), censored) for count in counts])


def drifting(*values: float) -> Given:
    return Given({"drift": values}, trials=len(values))


def unsteady(drift: float, way: str) -> Facts:
    return {"by": math.expm1(drift), "way": way, "budget_s": 240}


def sampled(pace: float) -> Given:
    return Given({"sampling_pace": pace})


def waiting(factor: float) -> Given:
    return Given({"lock.wait_over_cycle": factor}, LOCK)


def below(negative: int, of: Case = RING) -> Given:
    return Given(of=of, timed=make_distribution((200,), (10_000,), negative=negative))


def on_lock(**planted: float) -> Given:
    return Given({f"lock.{name.replace('_', '.')}": value for name, value in planted.items()}, LOCK)


def on(**changes: object) -> Given:
    return Given(machine=replace(MACHINE, **changes))


def crowd(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(LOCK, placement=Placement("same-l3", cpus), **changes))


def pairs(*cpus: int) -> Given:
    return Given(of=replace(NOTIFY, placement=Placement("same-l3", cpus)))


def producers(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(RING, placement=Placement("same-l3", cpus), **changes))


def skewed(ns: float, bound: float = 16, of: Case = NOTIFY) -> Given:
    return counters(of, skew_ns=ns, skew_bound_ns=bound)


def seeing(outliers: int, *lacking: str) -> Given:
    return Given({"outliers.count": outliers}, lacking=lacking)


IN_VAIN = (
    "When one of those holds the lock, or is next in its queue, all others spin in vain until it runs again: spin only "
    "with a CPU for each thread."
)
WOKEN = "A thread that is woken may find no CPU free, and one that lost its CPU may hold the lock."
SPINS = (
    "Who spins for a message, or for room, keeps the CPU from the one that it waits for until its time slice is over: "
    "let it yield or sleep."
)
NO_CPU = "Whoever is woken may find no CPU free."
TURNS = "No lock is held meanwhile, so they only take turns."
BY_CHOICE: Facts = {"cut": 1, "trials": 6, "done": 1_000, "asked": 500_000_000, "op": "increment"}
COMPILED = (21e6, 30e6, 20e6, 0, 0, 0)
COMPILING: Facts = {"busy": 2, "trials": 6, "longest": 30e6, "budget_s": 240}
TRIPS: Facts = {"noun": "single round trips", "needed": 10_000}
OPS: Facts = {"noun": "timed operations", "needed": 10_000}
MESSAGES: Facts = {"noun": "messages", "middle": 80}
WAKE_UPS: Facts = {"noun": "wake-ups", "middle": 30_000}
BEYOND: Facts = {"censored": 78, "beyond": 72, "window": 1_050_000}

PLANTS = (
    plant("trial-failed", "warning", Given(besides=(HUNG,)), failed=1, trials=7, first="hung", said="It hung."),
    plant("nothing-measured", "warning", Given(besides=(None,)), empty=1, trials=7, budget_s=240),
    plant("not-reached", "error", Given(trials=0), Given(trials=0, besides=(HUNG,))),
    plant("few-trials", "info", Given(trials=5), trials=5, budget_s=72),
    plant("trials-disagree", "warning", typical(*[100] * 8, 151), typical(*[100] * 8, 150), fold=1.51),
    plant("wide-interval", "warning", typical(9, 9, 10, 10, 11.1, 11.1), typical(9, 9, 10, 10, 11, 11), half=0.105),
    plant("pin-lost", "error", counters(moved=(1, 0, 2, 0, 0, 0)), threads=3, in_trials=2),
    plant("steal", "warning", counters(steal_ns=20_400_000), counters(steal_ns=20_000_000), share=0.0102),
    plant("paging", "warning", counters(major_faults=(0, 1, 0, 0, 0, 0)), faults=1),
    plant("preempted", "warning", counters(preempted=201), counters(preempted=200), per_second=201),
    # 6 in each of 16 windows are our own:
    plant("preempted", "warning", counters(LOCK, preempted=297), counters(LOCK, preempted=296), per_second=201),
    plant("cut", "info", counters(cut=(1, 0, 0, 1, 0, 0)), cut=2, trials=6),
    # Of one that was asked for; what the usual one leaves behind is not-steady:
    plant("warmup-cut", "warning", counters(CHOSEN, warmup_cut=(0, 0, 1, 0, 0, 0)), Given(of=CHOSEN), **BY_CHOICE),
    plant("not-steady", "warning", drifting(*[0.021] * 6), drifting(*[0.02] * 6), **unsteady(0.021, "slower")),
    plant("not-steady", "warning", drifting(*[-0.021] * 6), drifting(*[-0.02] * 6), **unsteady(0.021, "quicker")),
    # The interval of six reaches five fourteenths of the way from the outermost trial to the next:
    plant("not-steady", "warning", drifting(0.01, *[0.05] * 5), drifting(0.0, *[0.05] * 5), **unsteady(0.05, "slower")),
    plant("not-steady", "error", drifting(*[0.101] * 6), drifting(*[0.02] * 6), **unsteady(0.101, "slower")),
    plant("not-steady", "warning", drifting(*[0.1] * 6), **unsteady(0.1, "slower")),
    plant("not-steady", "error", drifting(*[-0.101] * 6), **unsteady(0.101, "quicker")),
    plant("not-steady", "warning", drifting(*[-0.1] * 6), **unsteady(0.1, "quicker")),
    plant("jit-active", "warning", counters(compile_ns=COMPILED), counters(compile_ns=20e6), **COMPILING),
    plant("gc-active", "warning", counters(collections=(1, 2, 0, 0, 0, 0)), counters(collections=0), collections=3),
    plant("few-samples", "info", timed(1_666), timed(1_667), samples=9_996, budget_s=6e5 / 9_996, **TRIPS),
    # 50,010 samples, most of them of trials that must not outvote the one with ten:
    plant("few-samples", "info", timed(10_000, last=10, of=LOCK), samples=358, budget_s=6e5 * 0.1005 / 36, **OPS),
    # 72 are beyond p99.9:
    plant("censored", "warning", timed(12_000, censored=13, of=LOCK), timed(12_000, censored=12, of=LOCK), **BEYOND),
    plant("coarse-clock", "info", counters(clock_step_ns=5), counters(clock_step_ns=4), step=5, shown=2.5),
    # What is not halved shows whole steps; those of 1 ns are the unit of all times:
    plant("coarse-clock", "info", counters(LOCK, clock_step_ns=2), timed(12_000, 20, of=LOCK), step=2, shown=2),
    plant("clock-skew", "warning", skewed(8.5, of=RING), skewed(8, of=RING), skew=8.5, bound=16, **MESSAGES),
    # What their bounds only allow is not certain:
    plant("clock-skew", "warning", skewed(8.5, 400, RING), skewed(0, 400, RING), skew=8.5, bound=400, **MESSAGES),
    plant("clock-skew", "warning", skewed(3_001), skewed(3_000), skew=3_001, bound=16, **WAKE_UPS),
    # What begins and ends by one clock does not hang on another:
    plant("clock-skew", "warning", skewed(3_001), skewed(3_001, of=LOCK), skew=3_001, bound=16, **WAKE_UPS),
    plant("virtualised", "info", on(hypervisor="KVM"), hypervisor="KVM"),
    plant("clock-not-tsc", "warning", on(clock_source="hpet"), on(clock_source="kvm-clock"), source="hpet"),
    plant("governor-not-performance", "warning", on(governor="schedutil"), on(governor=None), governor="schedutil"),
    plant("cpu-quota", "warning", on(cpu_quota=2.99), on(cpu_quota=3.0), quota=2.99, needed=3),
    plant("time-slice", "info", on_one_cpu(100_000), on_one_cpu(99_999), one_way=100_000, per_second=10_000),
    plant("one-line", "info", Given(of=ONE_LINE), Given(of=replace(ONE_LINE, blocking=True)), lines=6),
    plant("oversubscribed", "info", crowd(0, 1, 0), crowd(0, 1, 2), threads=3, cpus=2, follows=IN_VAIN),
    plant("oversubscribed", "info", crowd(0, 1, 0, blocking=True), threads=3, cpus=2, follows=WOKEN),
    plant("oversubscribed", "info", crowd(0, 1, 0, timed="increment"), threads=3, cpus=2, follows=TURNS),
    plant("oversubscribed", "info", producers(0, 1, 0), producers(0, 1), threads=3, cpus=2, follows=SPINS),
    plant("oversubscribed", "info", producers(0, 1, 0, blocking=True), threads=3, cpus=2, follows=NO_CPU),
    plant("coarsened", "info", counters(MONITOR, collections=0), counters(EXACT, collections=0)),
    plant("coarsened", "info", counters(OTHER_FLAG, collections=0), Given(of=replace(MONITOR, runtime="cpp"))),
    plant("coarsened", "info", counters(MONITOR, collections=0), counters(LOCK, collections=0)),
    plant("threads-share-cpus", "info", pairs(0, 1, 0, 1), pairs(0, 1), threads=4, cpus=2),
    plant("less-evidence", "info", seeing(3, "No rights."), seeing(3), count=18, lacking="No rights."),
    plant("less-evidence", "info", seeing(3, "A.", "B."), seeing(0, "A."), count=18, lacking="A. B."),
    plant("lost-updates", "info", on_lock(updates_found=144_750), share=0.25, lost=289_500, made=1_158_000),
    plant("closed-loop", "info", waiting(1.11), waiting(1.1), factor=1.11),
    plant("regime", "warning", sampled(1.51), sampled(1.5), fold=1.51, way="slower"),
    plant("regime", "warning", sampled(1 / 1.51), sampled(1 / 1.5), fold=1.51, way="quicker"),
    # One in a hundred of all is the least that counts; who begins and ends by one clock has none:
    plant("negative", "warning", below(102), below(101), negative=612, all=60_612, noun="messages"),
    plant("negative", "warning", below(102), below(102, of=LOCK), negative=612, all=60_612, noun="messages"),
    plant("lost-adds", "warning", Given({"toy.lost": 0.25}, TOY), Given(of=TOY), share=0.25),
)


def test_every_check_of_every_experiment_is_planted() -> None:
    planted = {one.code for one in PLANTS} | {code for code, *_ in MOVES}
    assert planted == {one.code for declared in DECLARED.values() for one in declared.checks}


@pytest.mark.parametrize("planted", PLANTS, ids=[one.code for one in PLANTS])
def test_a_check_finds_what_is_planted_alone_and_not_what_is_just_below(planted: Plant) -> None:
    found = planted.guilty.row
    assert codes(found) == [(planted.code, planted.severity)]
    assert found.verdicts[0].facts == pytest.approx(planted.facts)
    assert planted.code not in dict(codes(planted.fine.row))
    assert float(planted.facts.get("budget_s", RUN.budget_s + 1)) > RUN.budget_s
    assert "{" not in said(found)[0]


@pytest.mark.parametrize(
    "fine",
    [
        *(Given(of=case) for case in (SIGNAL, LOCK, TOY)),
        *(counters(case, preempted=1_000) for case in (ONE_CPU, SLEEPING)),  # where losing the CPU is no disturbance
        Given({"latency_ns.typical": (0, 0, 0, 0, 1, 1)}),  # of nought there is no share
        Given({"counters.clock_step_ns": 1_000}, timed=make_distribution((), ())),  # nothing was timed
        Given({"sampling_pace": 3.0}, LOCK, timed=make_distribution((), ())),
        counters(warmup_cut=1),  # what it leaves behind is seen in the windows
        drifting(-0.5, *[0.5] * 5),  # the interval lies across the band
        *(on(clock_source=clock) for clock in ("hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", None)),
    ],
)
def test_nothing_is_said_of_what_is_fine(fine: Given) -> None:
    assert fine.row.verdicts == ()


@pytest.mark.parametrize(
    ("drifts", "told"),
    [
        ([0.021] * 5, [("few-trials", "info"), ("not-steady", "warning")]),
        ([0.02, *[0.05] * 4], [("few-trials", "info")]),
        ([0.101, 0.3, 0.2], [("few-trials", "info"), ("not-steady", "error")]),
        ([0.1, 0.3, 0.2], [("few-trials", "info"), ("not-steady", "warning")]),
    ],
)
def test_of_fewer_than_six_trials_the_whole_range_must_be_unsteady(
    drifts: list[float], told: list[tuple[str, str]]
) -> None:
    assert codes(drifting(*drifts).row) == told


def test_without_enough_windows_nobody_is_called_unsteady() -> None:
    short = replace(result(), windows=result().windows.of("sampling"))
    assert "not-steady" not in dict(codes(row(SIGNAL, *[short] * 6)))


def test_where_every_duration_overlapped_an_edge_that_is_said() -> None:
    assert codes(Given(timed=make_distribution((), (), 2)).row) == [("censored", "warning")]


@pytest.mark.parametrize(
    ("quota", "cpus", "throttled"),
    [(2.0, 8, True), (3.0, 8, False), (2.0, 2, False), (1.9, 2, True), (1.0, 1, False), (0.5, 1, True)],
)
def test_a_quota_throttles_only_below_what_can_be_used(quota: float, cpus: int, throttled: bool) -> None:
    found = on(cpu_quota=quota, topology=replace(TOPOLOGY, allowed=tuple(range(cpus)))).row
    assert codes(found) == [("cpu-quota", "warning")] * throttled


def test_the_machine_is_judged_even_where_no_trial_counts_and_with_a_remedy() -> None:
    about_the_machine = [one.code for one in DECLARED["signal"].checks if one.whole_machine]
    of_its_states, of_itself = about_the_machine[:3], about_the_machine[3:]
    assert of_its_states == ["moved", "placement-untrue", "other-states"]
    assert of_itself == ["virtualised", "clock-not-tsc", "governor-not-performance", "cpu-quota"]
    found = Given(of=ONE_LINE, trials=0, besides=(None,), machine=BAD).row
    assert [code for code, _ in codes(found)] == ["nothing-measured", *of_itself]
    for words, told in zip(("bare metal", "'hpet'", "cpupower", "0.5 CPUs"), said(found)[1:], strict=True):
        assert words in told


# ---- the state of the machine ----


class Stood(NamedTuple):
    """Trials of one case, of `typical` ns each, and how far its CPUs stood apart before, between and after them.

    `beside` are pings of other pairs, `known` states of other runs; CPU 6 is the sibling of CPU 7, and on a node
    of its own with it.
    """

    apart: Sequence[float]
    typical: Sequence[float] = ()
    beside: Mapping[Pair, float] = {}
    known: Mapping[Pair, float] = {}

    @property
    def rows(self) -> list[Row]:
        pairs = {(0, 1): self.apart, **{pair: [ns] * 2 for pair, ns in self.beside.items()}}
        pings = [ReferencePing(pair, n, n, ns) for pair, told in pairs.items() for n, ns in enumerate(told)]
        known = [State(pair, ns, (ns, ns), 1.0, 9) for pair, ns in self.known.items()]
        quiet = observed(SIGNAL, result())
        told = [{"latency_ns.typical": ns} for ns in self.typical or self.apart[1:]]
        seen = [replace(quiet, figures=quiet.figures | figures) for figures in told]
        cpus = (*TOPOLOGY.cpus[:6], *(Cpu(cpu, 6, 6, 1, 1, 1) for cpu in (6, 7)))
        run = replace(RUN, cases=(SIGNAL,), machine=replace(MACHINE, topology=replace(TOPOLOGY, cpus=cpus)))
        return rows_of(run, seen, DECLARED, states_of(pings, known=known))

    @property
    def facts(self) -> dict[str, Facts]:
        """Of the first row's verdicts."""
        return {one.code: one.facts for one in self.rows[0].verdicts}


N, F = 26.0, 127.0
STILL = Stood([N] * 7)
CROSSED = Stood([N] * 7 + [F] * 7)
BOTH: dict[str, Fact] = {"who": "CPUs 0,1", "names": "same-l3", "far": F, "near": N}


def beside(pair: Pair, ns: float) -> Stood:
    return STILL._replace(beside={pair: ns})


def known(ns: float, pair: Pair = (0, 1)) -> Stood:
    return STILL._replace(known={pair: ns})


MOVES: tuple[tuple[str, Stood, Facts | None], ...] = (
    ("crossed", CROSSED, {"crossed": 1, "trials": 13}),
    ("crossed", Stood([N, N, F, F]), {"crossed": 1, "trials": 3}),
    ("crossed", Stood([N, N, F, F, 60, 60], [1.0] * 5), {"crossed": 2, "trials": 5}),  # though rows are one
    ("few-in-state", Stood([N] * 6 + [F] * 7), {"trials": 5, "apart": N, "budget_s": 72}),
    ("few-in-state", CROSSED, None),
    ("few-in-state", Stood([N] * 3), None),  # there is no other state: few-trials says it
    ("few-in-state", Stood([N, N, F, F], [1.0, 1, 1]), None),  # the states make no difference
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
    ("placement-untrue", known(5.0), BOTH | {"far": N, "near": 5.0}),
    ("placement-untrue", known(F), None),  # but of this run it is true
    ("other-states", known(F), {"which": "CPUs 0,1", "here": "26.0 ns", "elsewhere": "127 ns"}),
    ("other-states", known(32.5), None),
    ("other-states", known(F, (2, 3)), None),  # which this run did not look at
    ("other-states", CROSSED._replace(known={(0, 1): F}), None),
)


@pytest.mark.parametrize(("code", "stood", "facts"), MOVES, ids=[code for code, *_ in MOVES])
def test_a_check_of_states_finds_what_is_planted_and_not_what_is_just_below(
    code: str, stood: Stood, facts: Facts | None
) -> None:
    assert stood.facts.get(code) == facts
    assert "{" not in "".join(said(stood.rows[0]))


def test_where_the_machine_stands_still_nothing_is_said() -> None:
    assert codes(STILL.rows[0]) == []


def test_what_crossed_is_told_of_each_row_and_is_an_error_where_it_is_all_there_is() -> None:
    assert [codes(row)[0] for row in CROSSED.rows] == [("crossed", "info")] * 2
    (row,) = Stood([N, F]).rows
    assert (row.trials, row.figures, codes(row)[0]) == (0, {}, ("crossed", "error"))


def test_the_fewer_the_trials_in_a_state_the_larger_the_budget_must_be() -> None:
    near, far = Stood([N] * 3 + [F] * 6).rows
    few = [{one.code: one.facts for one in row.verdicts}["few-in-state"] for row in (near, far)]
    assert [(one["trials"], one["apart"], one["budget_s"]) for one in few] == [(2, N, 180), (5, F, 72)]
