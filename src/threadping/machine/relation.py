"""What two CPUs share: the closest of it names their placement."""

from collections.abc import Iterable, Mapping

from threadping.contract import Cpu, Topology

SHARED = {"smt": "core", "same-l2": "l2", "same-l3": "l3", "same-node": "node"}
"""Each placement of different CPUs and what they share there, the closest first."""

CPUS_APART = (*SHARED, "cross-node")


def relation(one: Cpu, other: Cpu) -> str:
    """Name the placement of two different CPUs: the closest thing that they share.

    A core or a cache that the machine does not tell is never shared; CPUs whose node it does not tell are on one node,
    because that is what a machine without such information is.
    """
    return next((name for name in SHARED if _share(name, one, other)), "cross-node")


def closest_first(names: Iterable[str]) -> list[str]:
    """Sort names of placements of different CPUs."""
    return sorted(names, key=CPUS_APART.index)


def usable(topology: Topology) -> dict[int, Cpu]:
    """The CPUs that this process may use, by number, ascending."""
    online: Mapping[int, Cpu] = {cpu.cpu: cpu for cpu in topology.cpus}
    return {number: online[number] for number in sorted(set(topology.allowed)) if number in online}


def nodes(topology: Topology) -> dict[str, tuple[int, ...]]:
    """The CPUs that this process may use of each NUMA node, by the node's number; node 0 where none is told."""
    of_nodes: dict[int, tuple[int, ...]] = {}
    for number, cpu in usable(topology).items():
        of_nodes[cpu.node or 0] = (*of_nodes.get(cpu.node or 0, ()), number)
    return {str(node): cpus for node, cpus in sorted(of_nodes.items())}


def told(name: str, cpus: Iterable[Cpu]) -> bool:
    """Whether the machine tells of any of these CPUs what is shared at this placement."""
    return any(getattr(cpu, SHARED[name]) is not None for cpu in cpus)


def _share(name: str, one: Cpu, other: Cpu) -> bool:
    what = SHARED[name]
    ours, theirs = getattr(one, what), getattr(other, what)
    return bool(ours == theirs) and (ours is not None or name == "same-node")
