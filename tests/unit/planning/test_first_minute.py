"""What the experiments that there are ask first, and what a budget carries of it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tests.unit.planning.examples import WAIT, ask, call, lock, mechanism, offer, queue, topology
from threadping.experiments import EXPERIMENTS, of_run
from threadping.model.cases import Case
from threadping.model.contract import ParamDescription
from threadping.model.grouping import gathered
from threadping.planning.budget import Budget, Layer, make_plan, select_cases
from threadping.planning.cases import BY_NAME, FIRST, OTHER_RUNTIMES
from threadping.planning.defaults import Start

PACES = {name: experiment.pace for name, experiment in EXPERIMENTS.items()}

SPINNING = [mechanism(name, params=(WAIT,)) for name in ("cas-one-line", "release-one-line", "release-two-lines")]
SIGNALS = (*SPINNING, mechanism("condition", blocking=True), mechanism("park", blocking=True))
COUNTERS = [lock(name, blocking=False, timed=("increment",)) for name in ("fetch-add", "cas-loop")]
RATE = ParamDescription("rate", 10_000, None, (10, 20_000_000), None)
OFFERED = {
    ("signal", "cpp"): (*SIGNALS, *(mechanism(f"further-{number}") for number in range(10))),
    ("signal", "java"): SIGNALS,
    ("lock", "cpp"): (lock("mutex"), lock("ticket-lock", blocking=False), *COUNTERS),
    ("notify", "cpp"): [call(name) for name in ("condition", "futex", "pipe")],
    ("notify", "java"): [call(name) for name in ("monitor", "condition", "park")],
    ("ring", "cpp"): [
        queue("sequenced-ring", "batch", "produce"),
        *(queue(name, "batch") for name in ("readerwriterqueue", "mutex-deque")),
    ],
    ("ring", "java"): [
        queue("disruptor", "batch", "in-flight"),
        queue("sequenced-ring", "batch", "produce"),
        queue("array-blocking-queue"),
    ],
    **{
        ("crowd", language): [
            lock(name, timed=("call",), lines=1, params=(), blocking=name != "spin-barrier")
            for name in ("spin-barrier", sleeps)
        ]
        for language, sleeps in (("cpp", "std-barrier"), ("java", "cyclic-barrier"))
    },
    ("paced", "cpp"): [
        *(mechanism(name, params=(RATE,)) for name in ("release-one-line", *(f"spins-{n}" for n in range(12)))),
        *(mechanism(name, params=(RATE,), blocking=True) for name in ("condition", *(f"sleeps-{n}" for n in range(7)))),
    ],
    ("lock", "java"): (lock("monitor"), lock("reentrant-lock"), lock("stamped-lock"), COUNTERS[1]),
}
"""Of what the probes describe all that is asked first, and some of the rest; of `paced` 13 that spin, 8 that sleep."""
OFFERED["paced", "java"] = OFFERED["paced", "cpp"]


def ask_all(*runtimes: str, of: Sequence[str] = of_run(), **asked: Any) -> tuple[Layer, ...]:
    asked_of = [(name, label) for name in of for label in runtimes]
    offers = [offer(label, *OFFERED[name, label.split("-")[0]], experiment=name) for name, label in asked_of]
    return ask(*offers, case_defaults={name: EXPERIMENTS[name].defaults for name in of}, **asked).layers


def titles(cases: Sequence[Case]) -> list[str]:
    return [case.title for case in cases]


def test_on_a_server_every_distance_is_asked_of_one_mechanism_and_the_rest_at_home() -> None:
    two_nodes = topology(*((core, core // 2, core // 4, core // 4) for cpu in range(16) for core in [cpu % 8]))
    first, *_ = ask_all("cpp", machine=two_nodes)
    assert [case.title for case in first.cases] == [
        *(f"cas-one-line cpp {distance}" for distance in ("smt", "same-l2", "same-l3", "cross-node")),
        *("condition cpp smt", "release-one-line wait=pause cpp smt", "release-two-lines cpp smt"),
        *("mutex cpp 1 thread same-cpu", "mutex cpp 16 threads cross-node"),
        *("fetch-add cpp 1 thread same-cpu", "fetch-add cpp 16 threads cross-node"),
        *("condition cpp 16 pairs cross-node", "sequenced-ring batch=100 cpp smt", "sequenced-ring produce=16 cpp smt"),
        *("spin-barrier cpp same-l2", "spin-barrier cpp 16 threads cross-node", "condition cpp unpinned"),
    ]
    assert (first.what, first.whole) == (FIRST, False)


SLOW = {"cpp": Start(0.05), **dict.fromkeys(("java-17", "java-25"), Start(0.19, compiles=True))}
QUICK = {"cpp": Start(0.022), **dict.fromkeys(("java-17", "java-25"), Start(0.106, compiles=True))}


@pytest.mark.parametrize(("starts", "cases"), [(QUICK, 38), (SLOW, 26)])
def test_a_minute_on_two_cpus_carries_all_that_is_asked_first_and_more_in_six_rounds(
    starts: dict[str, Start], cases: int
) -> None:
    layers = ask_all("cpp", "java-17")
    carried = select_cases(layers, Budget(60, starts, PACES, 1)).cases
    first, others = layers[0].cases, layers[1].cases
    assert carried == (*first, *others[: cases - 26])
    assert len(first) == 26
    of_each = Counter((case.experiment, case.runtime) for case in first)
    assert sorted(of_each.values()) == [1, 1, 1, 1, 2, 2, 4, 4, 5, 5]
    plan = make_plan(carried, Budget(60, starts, PACES, 1))
    assert plan.rounds == 6
    for case, length in zip(plan.cases, plan.lengths, strict=True):
        assert length.measure_s >= 0.1 if case.runtime == "java-17" else 0.05
        if case.runtime == "java-17":  # a JIT works longer on two ends of a stream
            assert length.warmup_s >= (0.35 if case.experiment == "ring" else 0.2)


@pytest.mark.parametrize("starts", [QUICK, SLOW])
def test_half_a_minute_carries_four_signals_in_both_languages_and_ten_seconds_two(starts: dict[str, Start]) -> None:
    four = ["cas-one-line", "condition", "release-one-line wait=pause", "release-two-lines"]
    both = [f"{name} {runtime} same-l3" for name in four for runtime in ("cpp", "java-17")]
    half, ten = (
        titles(select_cases(ask_all("cpp", "java-17"), Budget(seconds, starts, PACES, 1)).cases) for seconds in (30, 10)
    )
    assert half[:8] == both
    assert ten == both[: len(ten)]
    assert len(ten) >= 4


def test_four_minutes_carry_every_lock_with_one_to_four_threads_before_any_on_another_jvm() -> None:
    layers = ask_all("cpp", "java-17", "java-25", of=("lock",), threads=(1, 2, 3, 4))
    assert [layer.what for layer in layers[:2]] == [BY_NAME, OTHER_RUNTIMES]
    carried = select_cases(layers, Budget(240, SLOW, PACES, 1)).cases
    assert carried[: len(layers[0].cases)] == layers[0].cases
    assert Counter(case.threads for case in carried if case.mechanism == "stamped-lock")[4] == 1


@pytest.mark.parametrize(("seconds", "both"), [(15, 2), (30, 5), (60, 6)])
def test_every_notify_has_both_numbers_of_pairs_that_were_named_in_half_a_minute(seconds: int, both: int) -> None:
    fit = select_cases(ask_all("cpp", "java-17", of=("notify",), pairs=(16, 256)), Budget(seconds, SLOW, PACES, 1))
    found = gathered(((case.mechanism, case.runtime), case.groups) for case in fit.cases)
    assert sum(len(groups) == 2 for groups in found.values()) == both


@pytest.mark.parametrize("named", [{"threads": (4, 8)}, {"threads": (4, 5, 6, 8)}])
def test_a_crowd_of_four_and_eight_is_measured_of_both_for_every_mechanism_that_a_minute_carries(named: Any) -> None:
    """One of eight threads was measured, of 23 mechanisms with four."""
    crowds = [lock(f"crowd-{number}", timed=("call",), lines=1, params=()) for number in range(20)]
    case_defaults = {"crowd": EXPERIMENTS["crowd"].defaults}
    layers = ask(offer("cpp", *crowds, experiment="crowd"), case_defaults=case_defaults, **named).layers
    fit = select_cases(layers, Budget(30, SLOW, PACES, 1))
    found = gathered((case.mechanism, case.threads) for case in fit.cases)
    assert sum({4, 8} <= {*threads} for threads in found.values()) >= len(found) - 1 > 8
    assert len(fit.cases) + len(fit.missing) == len(layers[0].cases) > len(fit.cases)


RATES = {"rate": ("1000", "10000", "100000")}


@pytest.mark.parametrize(("budget_s", "rounds", "cases"), [(360, 6, 126), (120, 2, 126), (57, 1, 126), (20, 1, 54)])
def test_rates_that_are_named_are_measured_with_every_mechanism_in_both_languages_once_at_least(
    budget_s: float, rounds: int, cases: int
) -> None:
    """Start, ping and warm-up take 0.082 s in C++, of what sleeps 0.182, and 0.402 in Java.

    At 1k a trial measures 0.25 s, and at 10k and 100k 0.1: 51.792 s are one round of all.
    """
    fit = select_cases(ask_all("cpp", "java-17", of=("paced",), params=RATES), Budget(budget_s, SLOW, PACES, 1))
    plan = make_plan(fit.cases, Budget(budget_s, SLOW, PACES, 1), fewest=fit.fewest)
    assert (plan.rounds, len(plan.cases)) == (rounds, cases)
    assert plan.seconds <= budget_s


def test_without_a_rate_that_is_named_a_minute_carries_what_is_asked_first_in_six_rounds() -> None:
    layers = ask_all("cpp", "java-17", of=("paced",))
    fit = select_cases(layers, Budget(60, SLOW, PACES, 1))
    assert fit.cases[:12] == layers[0].cases
    assert make_plan(fit.cases, Budget(60, SLOW, PACES, 1), fit.fewest).rounds == 6
