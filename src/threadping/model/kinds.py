"""Kinds of core, on machines that have several: Intel's P, E and low-power E, Arm's big, medium and little."""

from collections import Counter
from collections.abc import Iterable, Sequence

from threadping.model.contract import Cpu, Topology
from threadping.model.grouping import gathered

CORE_KINDS = ("P", "big", "E", "medium", "LP-E", "little")
"""Those with names, the most capable first; of several that are medium each has a number."""

UNTOLD = "?"


def rank(cpu: Cpu) -> tuple[int, str]:
    """By what CPUs are sorted for the most capable to come first; those of which it is not known come last."""
    kind = cpu.kind or ""
    name = kind.rstrip("0123456789")
    return CORE_KINDS.index(name) if name in CORE_KINDS else len(CORE_KINDS), kind


def of_one_kind(cpus: Iterable[Cpu]) -> bool:
    """Whether the cores of all these CPUs are alike, as far as the machine tells."""
    return len({cpu.kind for cpu in cpus}) <= 1


def by_kind(cpus: Sequence[Cpu]) -> list[list[Cpu]]:
    """These CPUs of each kind, the most capable first."""
    groups = gathered((rank(cpu), cpu) for cpu in cpus)
    return [groups[kind] for kind in sorted(groups)]


def kinds_of(cpus: Sequence[Cpu]) -> str:
    """Name the kinds of some CPUs: `P-E` of two, `P` where more are alike, else `2 P + 4 E`.

    Empty where the machine tells none.
    """
    if not any(cpu.kind for cpu in cpus):
        return ""
    names = [cpu.kind or UNTOLD for cpu in cpus]
    if len(names) == 2:
        return "-".join(names)
    return names[0] if of_one_kind(cpus) else _counted(cpus)


def cores_by_kind(topology: Topology) -> str:
    """How many cores of each kind a machine has: `6 P + 8 E + 2 LP-E`; empty where all are alike."""
    cores = {(("alone", cpu.cpu) if cpu.core is None else ("core", cpu.core)): cpu for cpu in topology.cpus}
    return _counted([*cores.values()]) if any(cpu.kind for cpu in topology.cpus) else ""


def _counted(cpus: Sequence[Cpu]) -> str:
    counts = Counter(cpu.kind or UNTOLD for cpu in sorted(cpus, key=rank))
    return " + ".join(f"{number} {kind}" for kind, number in counts.items())
