"""Checks of a whole run, of its machine, and every check by its code."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from threadping.analysis.answer import Answer
from threadping.analysis.checks import Check, Facts, warns
from threadping.analysis.declaration import Declaration
from threadping.analysis.health import BUSY_SHARE, CHECKS_OF_HEALTH, seen_in_passing, share_of_others, slow_governor
from threadping.model import quantities
from threadping.model.base import gathered
from threadping.model.run import Machine, State
from threadping.model.text import added, variables_in
from threadping.probes.placements import CPUS_APART, kinds_of, of_one_kind, rank, relation, usable

UNTRUE = 1.5
"""CPUs that share the same things are about equally far apart, whichever they are: across the mesh of one last-level
cache they differ by up to a third."""


@warns("busy-machine", "error")
def busy(answer: Answer) -> Facts | None:
    share = share_of_others(answer.observations) or 0.0
    return {"share": share} if share >= BUSY_SHARE else None


@warns("moved", "note")
def moved(answer: Answer) -> Facts | None:
    changes = {pair: times for pair, times in answer.states.changes.items() if times}
    if not changes:
        return None
    cpus = ", ".join(quantities.pair(pair) for pair in changes)
    of_them = [state.core_to_core_ns for pair in changes for state in answer.states.of_pair(pair)]
    return {"times": sum(changes.values()), "which": cpus, "near": min(of_them), "far": max(of_them)}


@warns("placement-untrue", "note")
def placement_untrue(answer: Answer) -> Facts | None:
    """Find the two states of which one is furthest, too far for what its CPUs are said to share.

    CPUs of other kinds of core are further from each other whatever they share, and of CPUs that the system does not
    list nothing is said.
    """
    cpus = {number: cpu for number, cpu in usable(answer.run.machine.topology).items() if cpu.is_listed}
    are_alike, placed = of_one_kind(cpus.values()), []
    for state in answer.states.found:
        if cpus.keys() >= set(state.cpus):
            pair = [cpus[cpu] for cpu in state.cpus]
            kind = "" if are_alike else kinds_of(sorted(pair, key=rank))
            placed.append((kind, (relation(*pair), state)))
    found = [one for of_kind in gathered(placed).values() for one in _further_than_said(of_kind)]
    if not found:
        return None
    _, names, far, near = max(found, key=lambda one: one[0])
    who = " and ".join(dict.fromkeys(map(quantities.pair, (far.cpus, near.cpus))))
    return {"who": who, "names": names, "far": far.core_to_core_ns, "near": near.core_to_core_ns}


def _further_than_said(placed: Sequence[tuple[str, State]]) -> Iterator[tuple[float, str, State, State]]:
    ordered = sorted(placed, key=lambda one: one[1].core_to_core_ns)
    nearest, farthest = dict(reversed(ordered)), dict(ordered)
    for name, far in farthest.items():
        for other, near in nearest.items():
            fold = far.core_to_core_ns / near.core_to_core_ns
            if CPUS_APART.index(name) <= CPUS_APART.index(other) and fold > UNTRUE:
                yield fold, name if name == other else f"{name} and {other}", far, near


@warns("less-evidence", "note")
def less_evidence(answer: Answer) -> Facts | None:
    sentences = dict.fromkeys(sentence for row in answer.rows for one in row.trials for sentence in one.lacking)
    outliers = any(row.value(f"{one.outliers}.count") for row in answer.rows for one in row.declared.timed)
    return {"lacking": " ".join(sentences)} if sentences and outliers else None


@warns("crossed", "note")
def crossed(answer: Answer) -> Facts | None:
    lost = sum(one.standing.crossed for one in answer.trials if one.observation.figures)
    return {"crossed": lost, "trials": len(answer.trials)} if lost else None


NEEDED_CPUS = 3  # Two threads that spin, and one for the probe's own: its main thread, a JIT, a collector


@warns("cpu-quota", "note")
def cpu_quota(machine: Machine) -> Facts | None:
    quota, cpus = machine.cpu_quota, len(set(machine.topology.allowed))
    needed = min(cpus, NEEDED_CPUS)
    return {"quota": quota, "needed": needed} if quota is not None and quota < needed else None


@warns("cpus-unlisted", "note")
def cpus_unlisted(machine: Machine) -> Facts | None:
    cpus = usable(machine.topology).values()
    listed = sum(cpu.is_listed for cpu in cpus)
    return None if listed == len(cpus) else {"listed": listed, "cpus": len(cpus)}


@warns("jvm-options", "note")
def jvm_options(answer: Answer) -> Facts | None:
    java = [one for one in answer.run.runtimes if one.probe == "java"]
    inherited = {one.label.split()[0]: " ".join(flags) for one in java if (flags := added(one.label, one.command))}
    alike = gathered((flags, name) for name, flags in inherited.items())
    return {"added": "; ".join(f"{flags} to {', '.join(names)}" for flags, names in alike.items())} if alike else None


@warns("libc-options", "note")
def libc_options(answer: Answer) -> Facts | None:
    found = dict.fromkeys(one for runtime in answer.run.runtimes for one in variables_in(runtime.version))
    return {"set": " ".join(found)} if found else None


OF_MACHINES: tuple[Check[Machine], ...] = (
    cpu_quota,
    cpus_unlisted,
    Check("topology-inconsistent", "note", lambda machine: {} if machine.topology.contradicts_itself else None),
)
"""Checks that `ping` makes too, which stores no run."""


def _of_its_machine(check: Check[Machine]) -> Check[Answer]:
    return Check(check.code, check.level, lambda answer: check.find(answer.run.machine))


OF_RUNS: tuple[Check[Answer], ...] = (
    Check("virtualised", "note", lambda one: {"hypervisor": of} if (of := one.run.machine.hypervisor) else None),
    Check("governor-not-performance", "note", lambda one: slow_governor(one.run.machine)),
    *map(_of_its_machine, OF_MACHINES),
    *(jvm_options, libc_options, busy, Check("unfit", "warning", seen_in_passing)),
    *(moved, crossed, placement_untrue, less_evidence),
)
"""Checks of the machine, true of everything that is measured there, then of the run."""


def checks_of(declared: Mapping[str, Declaration]) -> dict[str, Check[Any]]:
    own: list[Check[Any]] = [check for declaration in declared.values() for check in declaration.checks]
    return {check.code: check for check in (*CHECKS_OF_HEALTH, *own, *OF_RUNS)}
