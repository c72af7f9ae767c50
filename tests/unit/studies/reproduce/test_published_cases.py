"""The cases that repeat what was published: which there are on a machine, and in which order they are wanted."""

from collections.abc import Mapping

import pytest

from tests.unit.planning.examples import TWO_CORES, WAIT, call, inventory, lock, mechanism, queue, topology
from threadping.experiments import EXPERIMENTS, case_defaults, of_run
from threadping.model.cases import Case, Runtime
from threadping.model.contract import (
    SCHEMA,
    Description,
    ExperimentDescription,
    MechanismDescription,
    RoleDescription,
    Toolchain,
    Topology,
)
from threadping.model.errors import ThreadpingError
from threadping.planning.budget import Budget, make_plan, select_cases
from threadping.planning.cases import Cases
from threadping.planning.defaults import Start
from threadping.probes.description import Described
from threadping.studies.reproduce.articles import OF_ARTICLES, articles
from threadping.studies.reproduce.wanted import FLAGS_THAT_MATTER, Build, cases_of

EVERY = articles().wanted
BUILDS = list(dict.fromkeys(one.build for group in EVERY for one in group))
CPP = [build for build in BUILDS if build[0] == "cpp"]
ONE_LINE = [mechanism(f"{name}-one-line", params=(WAIT,)) for name in ("xadd", "seqcst", "release")]
CONDITIONS = [mechanism(name, blocking=True) for name in ("condition", "condition-released")]
OFFERED: Mapping[str, tuple[MechanismDescription, ...]] = {
    "signal": (*ONE_LINE, *CONDITIONS),
    "lock": (lock("monitor"), lock("reentrant-lock")),
    "notify": (call("monitor"),),
    "ring": (queue("disruptor", "batch", "in-flight"),),
}
NO_JVM = "no Java virtual machine was found"
PACES = {name: experiment.pace for name, experiment in EXPERIMENTS.items()}


def described(build: Build, offered: Mapping[str, tuple[MechanismDescription, ...]] = OFFERED) -> Described:
    probe, *flags = build
    label = " ".join(["java-17" if probe == "java" else "cpp", *flags])
    roles = RoleDescription("a", counts=True), RoleDescription("b", counts=True)
    of_names = tuple(ExperimentDescription(name, roles, (1, 4096), "ns", of) for name, of in offered.items())
    return Described(
        Runtime(label, probe, (label,), ""), Description(probe, "1", Toolchain("fake", "1", ()), of_names, SCHEMA), 0.3
    )


def ask(machine: Topology = TWO_CORES, runtimes: Mapping[Build, Described | str] | None = None, *names: str) -> Cases:
    offered = runtimes or {build: described(build) for build in BUILDS}
    wanted = articles().only(names)
    whys = [one.why for one in wanted.figures if one.why]
    here = inventory(machine=machine, case_defaults=case_defaults())
    return cases_of(wanted.wanted, offered, here, OF_ARTICLES.layer, whys)


def titles(cases: Cases) -> list[str]:
    (layer,) = cases.layers
    assert (layer.what, layer.whole) == (OF_ARTICLES.layer, False)
    assert len(set(layer.cases)) == len(layer.cases)
    return [case.title for case in layer.cases]


def test_one_of_each_experiment_comes_first_then_what_conclusions_need_then_each_in_turn() -> None:
    found = titles(ask())
    assert found[:5] == [
        "seqcst-one-line java-17 same-l3 process",
        "disruptor in-flight=1 java-17 same-l3",
        "condition java-17 same-l3 process",
        "monitor java-17 -XX:-UseBiasedLocking 1 thread unpinned",
        "monitor java-17 16 pairs unpinned",
    ]
    assert found[5:8] == [
        "release-one-line java-17 same-l3",
        "seqcst-one-line java-17 same-l3",
        "disruptor java-17 same-l3",
    ]
    assert found[17:20] == [
        "xadd-one-line cpp same-l3 process",
        "seqcst-one-line java-17 same-l3",
        "reentrant-lock java-17 1 thread unpinned",
    ]
    assert len(found) == 45


def test_the_usual_budget_carries_some_of_every_experiment_in_six_rounds() -> None:
    (layer,) = ask().layers
    starts = {case.runtime: Start(0.05 if "cpp" in case.runtime else 0.5) for case in layer.cases}
    for budget_s in (36, 180):
        carried = select_cases([layer], Budget(budget_s, starts, PACES, 1)).cases
        assert make_plan(carried, Budget(budget_s, starts, PACES, 1)).rounds >= 6
        assert {case.experiment for case in carried} == set(of_run()) - {"crowd"}, "of which nothing is repeated yet"
        assert carried == layer.cases[: len(carried)]
    assert len(carried) >= len(EVERY[0]) + 4


def test_what_the_machine_lacks_says_why_by_the_name_of_what_is_to_be_repeated() -> None:
    why = {one.what: one.reason for one in ask().skipped}
    assert why == {
        **dict.fromkeys(
            ("signal seqcst-one-line java cross-node lines=1", "signal xadd-one-line cpp cross-node lines=1"),
            "cross-node: the CPUs 0-1 that may be used are all on one NUMA node",
        ),
        **dict.fromkeys(
            ("signal seqcst-one-line java smt lines=1", "signal release-one-line java smt lines=1"),
            "smt: no two of the CPUs 0-1 that may be used share a core",
        ),
    }


def test_on_a_large_machine_nothing_falls_away() -> None:
    two_nodes = topology(*((core, core // 2, core // 4, core // 4) for cpu in range(16) for core in [cpu % 8]))
    found = ask(two_nodes)
    assert not found.skipped
    cases = {case.title: case for case in found.layers[0].cases}
    assert cases["seqcst-one-line java-17 same-l2 process"].placement.pin == "process"
    assert {"seqcst-one-line java-17 smt", "xadd-one-line cpp cross-node"} <= cases.keys()


def test_on_one_core_two_cores_are_missing_and_on_one_cpu_all_that_is_pinned_to_two() -> None:
    siblings = ask(topology((0, 0, 0, 0), (0, 0, 0, 0)))
    why = {one.what: one.reason for one in siblings.skipped}
    assert why["signal seqcst-one-line java two-cores lines=1"] == "no two CPUs of different cores may be used"
    assert "seqcst-one-line java-17 smt process" in titles(siblings)
    alone = ask(topology((0, 0, 0, 0)))
    why = {one.what: one.reason for one in alone.skipped}
    assert why["signal condition java two-cpus process"] == "no two CPUs of different cores may be used"
    assert "condition java-17 unpinned" in titles(alone)


def test_without_a_jvm_the_cpp_figures_go_on() -> None:
    only_cpp = {build: described(build) if build in CPP else NO_JVM for build in BUILDS}
    found = ask(TWO_CORES, only_cpp)
    assert {case.runtime for case in found.layers[0].cases} == {"cpp", "cpp -march=native"}
    assert NO_JVM in {one.reason for one in found.skipped}


def test_what_a_probe_lacks_or_needs_says_why() -> None:
    offered = {"signal": (mechanism("condition", blocking=True, needs="Java 99"),)}
    found = {build: described(build, offered if build not in CPP else OFFERED) for build in BUILDS}
    why = {one.what: one.reason for one in ask(TWO_CORES, found).skipped}
    assert why["signal condition java unpinned"].startswith(
        "condition java-17: needs Java 99; measure it with a newer JVM"
    )
    assert why["lock reentrant-lock java unpinned"] == "Unknown mechanism 'reentrant-lock'. Known: none here"


def test_nothing_at_all_is_a_sentence() -> None:
    with pytest.raises(
        ThreadpingError, match="Nothing of this can be repeated here: measured on Windows; this is Linux; no Java"
    ) as stopped:
        ask(TWO_CORES, dict.fromkeys(BUILDS, NO_JVM), "notify-cost")
    assert stopped.value.exit_code == 1
    with pytest.raises(ThreadpingError, match="a hop between hosts, quoted for scale"):
        ask(TWO_CORES, None, "network-hop")


def test_cases_are_as_published_and_a_claim_is_of_many_lines() -> None:
    cases: list[Case] = [*ask().layers[0].cases]
    assert all(case.warmup.text == "steady" and case.home is None for case in cases)
    assert [case.lines for case in cases if case.title == "seqcst-one-line java-17 same-l3"] == [256, 1]
    paused = next(case for case in cases if case.varied == ("wait",))
    assert (paused.params, paused.lines, paused.placement.name) == ({"wait": "pause"}, 1, "unpinned")
    in_notify = [(case.groups, case.threads) for case in cases if case.experiment == "notify"]
    assert sorted(in_notify) == [(16, 32), (256, 512)]


def test_the_flags_that_matter_are_those_of_the_cases() -> None:
    flags = {flag.partition("=")[0] for case in articles().cases.values() for flag in case.flags}
    assert flags == FLAGS_THAT_MATTER
