"""The relation of two CPUs, which names their placement; and types of cores."""

from collections import Counter
from collections.abc import Iterable, Sequence

from threadping.model.contract import Cpu, Topology
from threadping.model.grouping import gathered

# Placements of different CPUs with what they share, the closest first
SHARED_LEVEL = {"smt": "core", "same-l2": "l2", "same-l3": "l3", "same-node": "node"}

CPUS_APART = (*SHARED_LEVEL, "cross-node")


def relation(one: Cpu, other: Cpu) -> str:
    """Name the placement of two different CPUs: the closest thing that they share.

    A core or a cache that the machine does not tell is never shared; CPUs whose node it does not tell are on one node,
    because that is what a machine without such information is. An unlisted CPU is on any node.
    """
    for name, what in SHARED_LEVEL.items():
        ours, theirs = getattr(one, what), getattr(other, what)
        if ours == theirs and (ours is not None or name == "same-node"):
            return name
    return "cross-node" if one.is_listed and other.is_listed else "same-node"


def usable(topology: Topology) -> dict[int, Cpu]:
    """Return the CPUs that this process may use, by number, ascending."""
    allowed = set(topology.allowed)
    return {cpu.cpu: cpu for cpu in sorted(topology.cpus, key=lambda cpu: cpu.cpu) if cpu.cpu in allowed}


def nodes(topology: Topology) -> dict[str, tuple[int, ...]]:
    """Return the usable CPUs of each NUMA node, by its number; unknown ones are in none."""
    of_nodes = gathered((cpu.node, number) for number, cpu in usable(topology).items() if cpu.node is not None)
    return {str(node): tuple(of_nodes[node]) for node in sorted(of_nodes)}


# Named core types, most capable first; several middle types are numbered.
CORE_KINDS = ("P", "big", "E", "medium", "LP-E", "little")

UNKNOWN_KIND = "?"


def rank(cpu: Cpu) -> tuple[int, str]:
    """Return the sort key: most capable core type first, unknown last."""
    kind = cpu.kind or ""
    name = kind.rstrip("0123456789")
    return CORE_KINDS.index(name) if name in CORE_KINDS else len(CORE_KINDS), kind


def of_one_kind(cpus: Iterable[Cpu]) -> bool:
    """Return whether the cores of these CPUs are of one type, as far as the machine tells."""
    return len({cpu.kind for cpu in cpus}) <= 1


def by_kind(cpus: Sequence[Cpu]) -> list[list[Cpu]]:
    groups = gathered((rank(cpu), cpu) for cpu in cpus)
    return [groups[kind] for kind in sorted(groups)]


def kinds_of(cpus: Sequence[Cpu]) -> str:
    """Name the kinds of some CPUs: `P-E` of two, `P` where more are alike, else `2 P + 4 E`.

    Empty where the machine tells none.
    """
    if not any(cpu.kind for cpu in cpus):
        return ""
    names = [cpu.kind or UNKNOWN_KIND for cpu in cpus]
    if len(names) == 2:
        return "-".join(names)
    return names[0] if of_one_kind(cpus) else _counted(cpus)


def cores_by_kind(topology: Topology) -> str:
    """Return the number of cores of each type: `6 P + 8 E + 2 LP-E`; empty if all are alike."""
    cores = {(("alone", cpu.cpu) if cpu.core is None else ("core", cpu.core)): cpu for cpu in topology.cpus}
    return _counted([*cores.values()]) if any(cpu.kind for cpu in topology.cpus) else ""


def _counted(cpus: Sequence[Cpu]) -> str:
    counts = Counter(cpu.kind or UNKNOWN_KIND for cpu in sorted(cpus, key=rank))
    return " + ".join(f"{number} {kind}" for kind, number in counts.items())
