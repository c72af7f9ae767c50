"""Every check finds what is planted for it, alone, and lets pass what is just below its threshold."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from tests.unit.figures.examples import DECLARED, LOCK, MACHINE, RUN, SIGNAL, TOPOLOGY, TOY, Given, codes, said
from threadping.contract import Distribution
from threadping.experiments.lock import NO_COARSENING
from threadping.figures.declaration import Fact, Facts
from threadping.model import Case, Failure, Placement, WarmupPolicy

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
    return Given(of=of, timed=[Distribution((ns,), (count,), censored) for count in counts])


def on_lock(**planted: float) -> Given:
    return Given({f"lock.{name.replace('_', '.')}": value for name, value in planted.items()}, LOCK)


def on(**changes: object) -> Given:
    return Given(machine=replace(MACHINE, **changes))


def crowd(*cpus: int, **changes: object) -> Given:
    return Given(of=replace(LOCK, placement=Placement("same-l3", cpus), **changes))


IN_VAIN = (
    "When one of those holds the lock, or is next in its queue, all others spin in vain until it runs again: spin only "
    "with a CPU for each thread."
)
WOKEN = "A thread that is woken may find no CPU free, and one that lost its CPU may hold the lock."
TURNS = "No lock is held meanwhile, so they only take turns."
BY_DEFAULT: Facts = {"cut": 6, "trials": 6, "done": 1_000, "asked": 1_000_000, "op": "hand-over"}
BY_CHOICE: Facts = {"cut": 1, "trials": 6, "done": 1_000, "asked": 500_000_000, "op": "increment"}
COMPILED = (21e6, 30e6, 20e6, 0, 0, 0)
COMPILING: Facts = {"busy": 2, "trials": 6, "longest": 30e6, "budget_s": 240}
TRIPS: Facts = {"noun": "single round trips", "needed": 10_000}
OPS: Facts = {"noun": "timed operations", "needed": 10_000}
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
    # The default warm-up matters to who compiles what runs often, one that was asked for to everybody:
    plant("warmup-cut", "info", counters(warmup_cut=1, collections=0), counters(warmup_cut=1), **BY_DEFAULT),
    plant("warmup-cut", "warning", counters(CHOSEN, warmup_cut=(0, 0, 1, 0, 0, 0)), Given(of=CHOSEN), **BY_CHOICE),
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
    plant("virtualised", "info", on(hypervisor="KVM"), hypervisor="KVM"),
    plant("clock-not-tsc", "warning", on(clock_source="hpet"), on(clock_source="kvm-clock"), source="hpet"),
    plant("governor-not-performance", "warning", on(governor="schedutil"), on(governor=None), governor="schedutil"),
    plant("cpu-quota", "warning", on(cpu_quota=2.99), on(cpu_quota=3.0), quota=2.99, needed=3),
    plant("time-slice", "info", on_one_cpu(100_000), on_one_cpu(99_999), one_way=100_000, per_second=10_000),
    plant("one-line", "info", Given(of=ONE_LINE), Given(of=replace(ONE_LINE, blocking=True)), lines=6),
    plant("oversubscribed", "info", crowd(0, 1, 0), crowd(0, 1, 2), threads=3, cpus=2, follows=IN_VAIN),
    plant("oversubscribed", "info", crowd(0, 1, 0, blocking=True), threads=3, cpus=2, follows=WOKEN),
    plant("oversubscribed", "info", crowd(0, 1, 0, timed="increment"), threads=3, cpus=2, follows=TURNS),
    plant("coarsened", "info", counters(MONITOR, collections=0), counters(EXACT, collections=0)),
    plant("coarsened", "info", counters(OTHER_FLAG, collections=0), Given(of=replace(MONITOR, runtime="cpp"))),
    plant("coarsened", "info", counters(MONITOR, collections=0), counters(LOCK, collections=0)),
    plant("lost-updates", "info", on_lock(updates_found=144_750), share=0.25, lost=289_500, made=1_158_000),
    plant("sampling-cost", "info", on_lock(sampling_cost=0.5), on_lock(sampling_cost=0.1), every=8, cost=0.5),
    plant("sampling-cost", "warning", on_lock(sampling_cost=0.51), every=8, cost=0.51),
    plant("lost-adds", "warning", Given({"toy.lost": 0.25}, TOY), Given(of=TOY), share=0.25),
)


def test_every_check_of_every_experiment_is_planted() -> None:
    assert {one.code for one in PLANTS} == {one.code for declared in DECLARED.values() for one in declared.checks}


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
        Given({"counters.clock_step_ns": 1_000}, timed=Distribution((), (), 0)),  # nothing was timed
        Given({"lock.sampling.cost": 0.9}, LOCK, timed=Distribution((), (), 0)),
        *(on(clock_source=clock) for clock in ("hyperv_clocksource_tsc_page", "arch_sys_counter", "timebase", None)),
    ],
)
def test_nothing_is_said_of_what_is_fine(fine: Given) -> None:
    assert fine.row.verdicts == ()


def test_where_every_duration_overlapped_an_edge_that_is_said() -> None:
    assert codes(Given(timed=Distribution((), (), 2)).row) == [("censored", "warning")]


@pytest.mark.parametrize(
    ("quota", "cpus", "throttled"),
    [(2.0, 8, True), (3.0, 8, False), (2.0, 2, False), (1.9, 2, True), (1.0, 1, False), (0.5, 1, True)],
)
def test_a_quota_throttles_only_below_what_can_be_used(quota: float, cpus: int, throttled: bool) -> None:
    found = on(cpu_quota=quota, topology=replace(TOPOLOGY, allowed=tuple(range(cpus)))).row
    assert codes(found) == [("cpu-quota", "warning")] * throttled


def test_the_machine_is_judged_even_where_no_trial_counts_and_with_a_remedy() -> None:
    about_the_machine = [one.code for one in DECLARED["signal"].checks if one.whole_machine]
    assert about_the_machine == ["virtualised", "clock-not-tsc", "governor-not-performance", "cpu-quota"]
    found = Given(of=ONE_LINE, trials=0, besides=(None,), machine=BAD).row
    assert [code for code, _ in codes(found)] == ["nothing-measured", *about_the_machine]
    for words, told in zip(("bare metal", "'hpet'", "cpupower", "0.5 CPUs"), said(found)[1:], strict=True):
        assert words in told
