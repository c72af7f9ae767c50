"""What the experiments that there are ask first, and what a budget carries of it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tests.unit.selection.examples import WAIT, ask, call, lock, mechanism, offer, queue, topology
from threadping.experiments import EXPERIMENTS
from threadping.plan import Layer, Plan, fitting, make_plan
from threadping.selection.cases import FIRST, OTHER_RUNTIMES

PACES = {name: experiment.pace for name, experiment in EXPERIMENTS.items()}
STARTS = {"cpp": 0.03, "java-17": 0.3, "java-25": 0.3}

SPINNING = [mechanism(name, params=(WAIT,)) for name in ("cas-one-line", "release-one-line", "release-two-lines")]
SIGNALS = (*SPINNING, mechanism("condition", blocking=True), mechanism("park", blocking=True))
COUNTERS = [lock(name, blocking=False, timed=("increment",)) for name in ("fetch-add", "cas-loop")]
OFFERED = {
    ("signal", "cpp"): SIGNALS,
    ("signal", "java"): SIGNALS,
    ("lock", "cpp"): (lock("mutex"), lock("ticket-lock", blocking=False), *COUNTERS),
    ("notify", "cpp"): [call(name) for name in ("condition", "futex", "pipe")],
    ("notify", "java"): [call(name) for name in ("monitor", "condition", "park")],
    ("ring", "cpp"): [queue(name, "batch") for name in ("sequenced-ring", "readerwriterqueue", "mutex-deque")],
    ("ring", "java"): [queue("disruptor", "batch", "in-flight"), queue("array-blocking-queue")],
    ("lock", "java"): (lock("monitor"), lock("reentrant-lock"), lock("stamped-lock"), COUNTERS[1]),
}
"""Of what the probes describe all that is asked first, and some of the rest."""


def ask_all(*runtimes: str, of: Sequence[str] = tuple(EXPERIMENTS), **asked: Any) -> tuple[Layer, ...]:
    asked_of = [(name, label) for name in of for label in runtimes]
    offers = [offer(label, *OFFERED[name, label.split("-")[0]], experiment=name) for name, label in asked_of]
    return ask(*offers, askings={name: EXPERIMENTS[name].asking for name in of}, **asked).layers


def plan_of(budget_s: float) -> Plan:
    """Of `threadping run`, with C++ and a virtual machine, on two CPUs."""
    fit = fitting(ask_all("cpp", "java-17"), STARTS, budget_s, PACES)
    return make_plan(fit.cases, STARTS, budget_s, seed=1, paces=PACES)


def test_on_a_server_every_distance_is_asked_of_one_mechanism_and_the_rest_at_home() -> None:
    two_nodes = topology(*((core, core // 2, core // 4, core // 4) for cpu in range(16) for core in [cpu % 8]))
    first, *_ = ask_all("cpp", machine=two_nodes)
    assert [case.title for case in first.cases] == [
        *(f"cas-one-line cpp {distance}" for distance in ("smt", "same-l2", "same-l3", "cross-node")),
        *("mutex cpp 1 thread same-cpu", "mutex cpp 16 threads cross-node"),
        *("condition cpp smt", "futex cpp 16 pairs cross-node", "release-one-line wait=pause cpp smt"),
        *("fetch-add cpp 1 thread same-cpu", "fetch-add cpp 16 threads cross-node"),
        *("sequenced-ring cpp smt", "release-two-lines cpp smt", "readerwriterqueue cpp smt", "condition cpp unpinned"),
    ]
    assert (first.what, first.whole) == (FIRST, False)


def test_ten_seconds_on_two_cpus_carry_a_few_cases_in_six_rounds() -> None:
    plan = plan_of(10)
    few = ["cas-one-line cpp same-l3", "cas-one-line java-17 same-l3", "mutex cpp 1 thread same-cpu"]
    assert [case.title for case in plan.cases] == few
    assert plan.rounds == 6
    assert plan.trial_s == pytest.approx((10 / 6 - 0.36) / 3)  # 0.36 s of starts in a round


def test_ninety_five_seconds_on_two_cpus_carry_all_that_is_asked_first_in_six_rounds_and_a_minute_the_most_wanted() -> (
    None
):
    plan, first = plan_of(95), ask_all("cpp", "java-17")[0].cases
    assert plan.cases == first
    of_each = Counter((case.experiment, case.runtime) for case in plan.cases)
    assert {experiment for experiment, _ in of_each} == set(EXPERIMENTS)
    assert sorted(of_each.values()) == [1, 1, 2, 4, 4, 5, 5, 6]
    assert plan.rounds == 6
    assert plan.trial_s == pytest.approx((95 / 6 - 5.16 - 2 * 32 * 0.0015) / 28)  # notify's 32 threads of two cases
    assert plan_of(60).cases == first[:18]


def test_ninety_seconds_carry_the_first_locks_with_one_to_four_threads_on_two_virtual_machines() -> None:
    layers = ask_all(*STARTS, of=("lock",), threads=(1, 2, 3, 4))
    assert [layer.what for layer in layers[:2]] == [FIRST, OTHER_RUNTIMES]
    carried = fitting(layers, STARTS, 90, PACES).cases
    assert carried == (*layers[0].cases, *layers[1].cases)
    assert Counter(case.threads for case in carried if case.mechanism == "monitor") == {1: 2, 2: 2, 3: 2, 4: 2}
