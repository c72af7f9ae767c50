"""How many threads contend where, in which layer, and what a budget carries of it."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from threadping.cli.measure import HOUSEKEEPING_S
from threadping.contract import SCHEMA, Cpu, ExperimentDescription, MechanismDescription, ParamDescription, Topology
from threadping.errors import NothingToMeasure, UnknownName
from threadping.experiments import EXPERIMENTS, paces
from threadping.experiments.experiment import Asked
from threadping.experiments.lock.layers import usual_threads
from threadping.experiments.selection import select_cases
from threadping.experiments.wishes import Offer, Selection, Wish
from threadping.machine.relation import nodes
from threadping.model import Runtime, Skipped, WarmupPolicy
from threadping.plan import FEWEST_ROUNDS, make_plan, widest

TWO_CORES = Topology("test", tuple(Cpu(n, n, n, 0, 0, 0) for n in range(2)), (0, 1), SCHEMA)
ROLES = {"signal": ("ping", "pong"), "lock": ("worker",)}
TIMED = {"acquire": "wait for the lock"}
CRITICAL = ParamDescription("critical", 0, None, (0, 1_000_000), None)


def mechanism(name: str, **changes: Any) -> MechanismDescription:
    usual = MechanismDescription(name, True, "acquire", True, 8, (CRITICAL,), None, None)
    return replace(usual, **changes)


def offer(label: str, *names: str, experiment: str = "lock") -> Offer:
    runtime = Runtime(label, label.split("-")[0], (label,), "")
    return Offer(
        runtime, ExperimentDescription(experiment, ROLES[experiment], (1, 4096), "ns", tuple(map(mechanism, names)))
    )


def asked(name: str, wish: Wish, offers: tuple[Offer, ...], machine: Topology = TWO_CORES) -> Asked:
    return Asked(name, EXPERIMENTS[name], offers, EXPERIMENTS[name].places(machine, wish), nodes(machine), TIMED)


def select(wish: Wish, *offers: Offer, machine: Topology = TWO_CORES) -> Selection:
    return select_cases([asked("lock", wish, offers or (offer("cpp", "mutex", "ticket-lock"),), machine)], wish)


def layers(selection: Selection) -> dict[str, list[str]]:
    return {layer.what: [case.title for case in layer.cases] for layer in selection.layers}


def test_an_open_question_shows_one_thread_and_one_for_each_cpu_before_any_other_number() -> None:
    assert layers(select(Wish())) == {
        "what is measured first": ["mutex cpp 1 thread same-cpu", "mutex cpp 2 threads same-l3"],
        "the other mechanisms": ["ticket-lock cpp 1 thread same-cpu", "ticket-lock cpp 2 threads same-l3"],
        "further numbers of threads": [
            f"{name} cpp {threads} threads same-l3" for name in ("mutex", "ticket-lock") for threads in (4, 8)
        ],
        "not pinned": [
            f"mutex cpp {threads} unpinned" for threads in ("1 thread", "2 threads", "4 threads", "8 threads")
        ],
    }


def test_numbers_that_are_asked_for_are_all_measured_first_and_their_ends_of_the_others() -> None:
    assert layers(select(Wish(threads=(1, 3, 5)))) == {
        "what is measured first": [
            "mutex cpp 1 thread same-cpu",
            "mutex cpp 3 threads same-l3",
            "mutex cpp 5 threads same-l3",
        ],
        "the other mechanisms": ["ticket-lock cpp 1 thread same-cpu", "ticket-lock cpp 5 threads same-l3"],
        "further numbers of threads": ["ticket-lock cpp 3 threads same-l3"],
        "not pinned": ["mutex cpp 1 thread unpinned", "mutex cpp 3 threads unpinned", "mutex cpp 5 threads unpinned"],
    }


def test_mechanisms_that_are_named_are_measured_with_every_number_and_nowhere_else() -> None:
    wish = Wish(mechanisms=("ticket-lock",), warmups=(WarmupPolicy(10, 100_000), WarmupPolicy(1, 500_000_000)))
    (layer,) = select(replace(wish, threads=(1, 2))).layers
    assert [case.title for case in layer.cases] == [
        "ticket-lock cpp 1 thread same-cpu",
        "ticket-lock cpp 1 thread same-cpu 1x500M",
        "ticket-lock cpp 2 threads same-l3",
        "ticket-lock cpp 2 threads same-l3 1x500M",
    ]
    assert [case.threads for case in select(Wish(mechanisms=("mutex",))).layers[0].cases] == [1, 2, 4, 8]


def test_placements_that_are_named_are_the_only_ones_in_every_layer() -> None:
    selection = select(Wish(placements=("same-cpu", "unpinned"), threads=(2,)))
    assert layers(selection) == {
        "what is measured first": ["mutex cpp 2 threads same-cpu", "mutex cpp 2 threads unpinned"],
        "the other mechanisms": ["ticket-lock cpp 2 threads same-cpu", "ticket-lock cpp 2 threads unpinned"],
    }


def test_one_thread_is_measured_once_however_many_placements_are_named() -> None:
    cases = select(Wish(mechanisms=("mutex",), placements=("same-l3", "same-cpu"), threads=(1, 2))).layers[0].cases
    assert [(case.placement.name, case.placement.cpus) for case in cases] == [
        ("same-cpu", (1,)),
        ("same-l3", (0, 1)),
        ("same-cpu", (1, 1)),
    ]


def test_a_placement_that_is_not_there_says_why_and_leaves_the_others() -> None:
    selection = select(Wish(placements=("smt", "same-l3"), threads=(2,)))
    assert Skipped("smt", "no two of the CPUs 0-1 that may be used share a core") in selection.skipped
    assert {case.placement.name for layer in selection.layers for case in layer.cases} == {"same-l3"}
    with pytest.raises(NothingToMeasure, match="smt: no two of the CPUs"):
        select(Wish(placements=("smt",)))


def test_cpus_that_are_given_are_gone_round_and_are_the_number_of_cpus() -> None:
    (layer, *_) = select(Wish(cpus=(1, 0), threads=(1, 3))).layers
    assert [case.placement.cpus for case in layer.cases] == [(1,), (1, 0, 1)]
    (first, *_) = select(Wish(cpus=(0, 0))).layers
    assert [case.placement.cpus for case in first.cases] == [(0,)]


def test_both_ways_to_pin_are_cases_where_something_is_pinned() -> None:
    (first, *others) = select(Wish(threads=(2,), pins=("thread", "process"))).layers
    assert [case.title for case in first.cases] == [
        "mutex cpp 2 threads same-l3",
        "mutex cpp 2 threads same-l3 process",
    ]
    assert [case.title for case in others[-1].cases] == ["mutex cpp 2 threads unpinned"]


def test_a_case_holds_what_its_mechanism_says_and_the_lines_that_were_asked_for() -> None:
    spinning = mechanism("fetch-add", blocking=False, timed="increment")
    sleeping = mechanism("mutex")
    described = ExperimentDescription("lock", ("worker",), (1, 4096), "ns", (sleeping, spinning))
    cpp = Offer(Runtime("cpp", "cpp", (), ""), described)
    cases = select(Wish(threads=(2,), params={"critical": ("0", "7")}), cpp).layers[0].cases
    assert [(case.mechanism, case.timed, case.lines, case.params, case.varied) for case in cases] == [
        ("mutex", "wait for the lock", 8, {"critical": 0}, ()),
        ("mutex", "wait for the lock", 8, {"critical": 7}, ("critical",)),
        ("fetch-add", "increment", 8, {"critical": 0}, ()),
        ("fetch-add", "increment", 8, {"critical": 7}, ("critical",)),
    ]
    assert {case.lines for case in select(Wish(lines=3), cpp).layers[0].cases} == {3}


@pytest.mark.parametrize(
    ("cpus", "threads"),
    [(1, (1, 2, 4, 8)), (2, (1, 2, 4, 8)), (4, (1, 2, 4, 8)), (6, (1, 2, 4, 6, 8)), (12, (1, 2, 4, 8, 12, 16))],
)
def test_the_usual_numbers_are_powers_of_two_beyond_the_cpus_and_the_cpus_themselves(
    cpus: int, threads: tuple[int, ...]
) -> None:
    assert usual_threads(cpus) == threads


# ---- several experiments in one run ----

SIGNAL = offer("cpp", "cas-one-line", "tcp", experiment="signal")
LOCK = offer("cpp", "mutex", "ticket-lock")


def run(wish: Wish, lock: Offer = LOCK) -> Selection:
    return select_cases([asked("signal", wish, (SIGNAL,)), asked("lock", wish, (lock,))], wish)


def test_a_run_of_all_experiments_measures_layers_of_one_name_together() -> None:
    assert [(layer.what, Counter(case.experiment for case in layer.cases)) for layer in run(Wish()).layers] == [
        ("what is measured first", {"signal": 3, "lock": 2}),
        ("the other mechanisms", {"signal": 1, "lock": 2}),
        ("the other mechanisms at further placements", {"signal": 2}),
        ("further numbers of threads", {"lock": 4}),
        ("not pinned", {"lock": 4}),
    ]


def test_each_experiment_measures_what_it_knows_of_what_was_named() -> None:
    both = run(Wish(mechanisms=("mutex", "tcp"), threads=(2,)))
    assert [case.title for layer in both.layers for case in layer.cases][-1] == "mutex cpp 2 threads same-l3"
    assert both.skipped == run(Wish(mechanisms=("tcp",))).skipped
    (layer,) = run(Wish(mechanisms=("mutex",), threads=(2,))).layers
    assert [case.title for case in layer.cases] == ["mutex cpp 2 threads same-l3"]
    with pytest.raises(UnknownName, match=r"Unknown mechanism 'mutx'\. Did you mean mutex\?"):
        run(Wish(mechanisms=("mutx",)))


def test_each_experiment_measures_at_the_homes_that_are_its_own() -> None:
    at_pong = run(Wish(mechanisms=("mutex", "tcp"), threads=(2,), homes=("pong",)))
    assert {case.experiment for layer in at_pong.layers for case in layer.cases} == {"signal"}
    assert Skipped("lock", "its threads are worker: none is pong") in at_pong.skipped
    (layer,) = run(Wish(mechanisms=("mutex",), threads=(2,), homes=("0", "worker"))).layers
    assert [case.title for case in layer.cases] == [
        "mutex cpp 2 threads same-l3 home node 0",
        "mutex cpp 2 threads same-l3",
    ]
    with pytest.raises(UnknownName, match=r"Unknown home 'pong'\. Known: worker, 0\."):
        select(Wish(homes=("pong",)))


def test_a_runtime_without_the_experiment_is_said_to_be() -> None:
    lacking = replace(LOCK, experiment=None)
    assert Skipped("lock cpp", "this runtime's probe does not measure it") in run(Wish(), lacking).skipped
    with pytest.raises(NothingToMeasure, match="lock cpp: this runtime's probe does not measure it"):
        select(Wish(), lacking)


# ---- what a budget carries ----


def test_ninety_seconds_carry_every_mechanism_of_cpp_and_two_jvms_on_two_cpus() -> None:
    """`threadping lock --threads 1-4 --budget 90s`, with the starts that two CPUs of a server show."""
    cpp = offer("cpp", "mutex", "fetch-add", *(f"c{n}" for n in range(10)))
    jvms = ("java-17", "java-25")
    java = [offer(label, "monitor", "reentrant-lock", *(f"j{n}" for n in range(9))) for label in jvms]
    starts = {
        "cpp": 0.01 + HOUSEKEEPING_S["cpp"],
        **dict.fromkeys(jvms, 0.09 + HOUSEKEEPING_S["java"]),
    }
    selection = select(Wish(threads=(1, 2, 3, 4)), cpp, *java)
    choice = widest(selection.layers, starts, 90.0, paces())
    assert {(case.runtime, case.mechanism) for case in choice.cases} == {
        (one.runtime.label, name) for one in (cpp, *java) for name in one.mechanisms
    }
    assert Counter(case.threads for case in choice.cases if case.mechanism == "monitor") == {1: 2, 2: 2, 3: 2, 4: 2}
    assert make_plan(choice.cases, starts, 90.0, seed=1, paces=paces()).rounds == FEWEST_ROUNDS
