"""Checks of a whole run, of its machine, and every check by its code."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from threadping.analysis.answer import Answer
from threadping.analysis.checks import Check, Facts
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


def _busy(answer: Answer) -> Facts | None:
    share = share_of_others(answer.observations) or 0.0
    return {"share": share} if share >= BUSY_SHARE else None


def _moved(answer: Answer) -> Facts | None:
    changes = {pair: times for pair, times in answer.states.changes.items() if times}
    if not changes:
        return None
    cpus = ", ".join(quantities.pair(pair) for pair in changes)
    of_them = [state.core_to_core_ns for pair in changes for state in answer.states.of_pair(pair)]
    return {"times": sum(changes.values()), "which": cpus, "near": min(of_them), "far": max(of_them)}


def _other_names(answer: Answer) -> Iterator[tuple[float, str, State, State]]:
    """Pairs of states of which one is too far for what its CPUs are said to share, and by how much.

    CPUs of other kinds of core are further from each other whatever they share, and of CPUs that the system does not
    list nothing is said.
    """
    cpus = {number: cpu for number, cpu in usable(answer.run.machine.topology).items() if cpu.is_listed}
    found = answer.states.found
    known = [([cpus[cpu] for cpu in one.cpus], one) for one in found if cpus.keys() >= set(one.cpus)]
    are_alike = of_one_kind(cpus.values())
    kinds = (("" if are_alike else kinds_of(sorted(pair, key=rank))) for pair, _ in known)
    placed = gathered((kind, (relation(*pair), one)) for kind, (pair, one) in zip(kinds, known, strict=True))
    for of_kind in placed.values():
        yield from _further_than_said(of_kind)


def _further_than_said(placed: Sequence[tuple[str, State]]) -> Iterator[tuple[float, str, State, State]]:
    ordered = sorted(placed, key=lambda one: one[1].core_to_core_ns)
    nearest, farthest = dict(reversed(ordered)), dict(ordered)
    for name, far in farthest.items():
        for other, near in nearest.items():
            fold = far.core_to_core_ns / near.core_to_core_ns
            if CPUS_APART.index(name) <= CPUS_APART.index(other) and fold > UNTRUE:
                yield fold, name if name == other else f"{name} and {other}", far, near


def _untrue(answer: Answer) -> Facts | None:
    found = max(_other_names(answer), key=lambda one: one[0], default=None)
    if found is None:
        return None
    _, names, far, near = found
    who = (
        quantities.pair(far.cpus)
        if far.cpus == near.cpus
        else f"{quantities.pair(far.cpus)} and {quantities.pair(near.cpus)}"
    )
    return {"who": who, "names": names, "far": far.core_to_core_ns, "near": near.core_to_core_ns}


def _unseen(answer: Answer) -> Facts | None:
    sentences = dict.fromkeys(sentence for row in answer.rows for one in row.trials for sentence in one.lacking)
    outliers = any(row.value(f"{one.outliers}.count") for row in answer.rows for one in row.declared.timed)
    return {"lacking": " ".join(sentences)} if sentences and outliers else None


def _lost(answer: Answer) -> Facts | None:
    crossed = sum(one.standing.crossed for one in answer.trials if one.observation.figures)
    return {"crossed": crossed, "trials": len(answer.trials)} if crossed else None


NEEDED_CPUS = 3  # Two threads that spin, and one for the probe's own: its main thread, a JIT, a collector


def _quota(machine: Machine) -> Facts | None:
    quota, cpus = machine.cpu_quota, len(set(machine.topology.allowed))
    needed = min(cpus, NEEDED_CPUS)
    return {"quota": quota, "needed": needed} if quota is not None and quota < needed else None


def _unlisted(machine: Machine) -> Facts | None:
    cpus = usable(machine.topology).values()
    listed = sum(cpu.is_listed for cpu in cpus)
    return None if listed == len(cpus) else {"listed": listed, "cpus": len(cpus)}


def _options(answer: Answer) -> Facts | None:
    java = [one for one in answer.run.runtimes if one.probe == "java"]
    inherited = {one.label.split()[0]: " ".join(flags) for one in java if (flags := added(one.label, one.command))}
    alike = gathered((flags, name) for name, flags in inherited.items())
    return {"added": "; ".join(f"{flags} to {', '.join(names)}" for flags, names in alike.items())} if alike else None


def _library(answer: Answer) -> Facts | None:
    found = dict.fromkeys(one for runtime in answer.run.runtimes for one in variables_in(runtime.version))
    return {"set": " ".join(found)} if found else None


OF_MACHINES: tuple[Check[Machine], ...] = (
    Check("cpu-quota", "note", _quota),
    Check("cpus-unlisted", "note", _unlisted),
    Check("topology-inconsistent", "note", lambda machine: {} if machine.topology.contradicts_itself else None),
)
"""Checks that `ping` makes too, which stores no run."""


def _of_its_machine(check: Check[Machine]) -> Check[Answer]:
    return Check(check.code, check.level, lambda answer: check.find(answer.run.machine))


OF_RUNS: tuple[Check[Answer], ...] = (
    Check("virtualised", "note", lambda one: {"hypervisor": of} if (of := one.run.machine.hypervisor) else None),
    Check("governor-not-performance", "note", lambda one: slow_governor(one.run.machine)),
    *map(_of_its_machine, OF_MACHINES),
    Check("jvm-options", "note", _options),
    Check("libc-options", "note", _library),
    Check("busy-machine", "error", _busy),
    Check("unfit", "warning", seen_in_passing),
    Check("moved", "note", _moved),
    Check("crossed", "note", _lost),
    Check("placement-untrue", "note", _untrue),
    Check("less-evidence", "note", _unseen),
)
"""Checks of the machine, true of everything that is measured there, then of the run."""


def checks_of(declared: Mapping[str, Declaration]) -> dict[str, Check[Any]]:
    own: list[Check[Any]] = [check for declaration in declared.values() for check in declaration.checks]
    return {check.code: check for check in (*CHECKS_OF_HEALTH, *own, *OF_RUNS)}
