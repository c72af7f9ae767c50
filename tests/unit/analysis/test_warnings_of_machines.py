"""Warnings of the machine and the run appear once, not on each row."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from tests.unit.analysis.examples import DECLARED, MACHINE, RUN, SIGNAL, TOPOLOGY, observed, result
from threadping.analysis.analyse import analyse
from threadping.analysis.checks import Facts
from threadping.analysis.validity import libgomp_full_team
from threadping.model.cases import Busy, Case, Placement, Runtime
from threadping.model.contract import Cpu, Params

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
    assert (found.code, found.facts) == ("limited-diagnostics", {"lacking": "A. B."})
    assert analyse(RUN, [replace(quiet, lacking=("A.",))], (), DECLARED).findings == ()


@pytest.mark.parametrize(
    ("others", "share"), [((0.4, 0.4), 0.4), ((0.2, 0.6), 0.4), ((0.39, 0.4), None), ((-0.5, 0.8), 0.4), ((), None)]
)
def test_a_machine_that_others_use_for_two_fifths_of_the_time_gives_no_figures_to_use(
    others: Sequence[float], share: float | None
) -> None:
    seen = [replace(observed(SIGNAL, result()), others=one) for one in (*others, None)]
    found = {one.code: (one.level, one.facts) for one in analyse(RUN, seen, (), DECLARED).findings}
    assert found.get("busy-machine") == (None if share is None else ("error", {"share": share}))
    assert found.keys() == ({"busy-machine"} if share else {"unfit"} if others else {*()})


@pytest.mark.parametrize(
    ("fewer", "params", "is_full"),
    [
        *((0, {}, True), (0, {"library": "libomp"}, False), (0, {"policy": "passive"}, False)),
        *((1, {}, False), (-2, {"then": len({*RUN.machine.topology.allowed})}, True), (-2, {"then": 1}, False)),
    ],
)
def test_a_team_of_libgomp_on_all_cpus_is_named(fewer: int, params: Params, is_full: bool) -> None:
    answer = analyse(RUN, [observed(SIGNAL, result(SIGNAL))], (), DECLARED)
    cpus = len({*RUN.machine.topology.allowed})
    unpinned = Placement("unpinned", (None,) * (cpus - fewer))
    team = replace(SIGNAL, mechanism="openmp-parallel", params=params, placement=unpinned)
    found = libgomp_full_team.find(replace(answer, rows=tuple(replace(row, case=team) for row in answer.rows)))
    assert found == ({"threads": cpus} if is_full else None)
