"""What two CPUs share: the closest of it names their placement."""

from threadping.model.contract import Cpu, Topology
from threadping.model.grouping import gathered

SHARED_LEVEL = {"smt": "core", "same-l2": "l2", "same-l3": "l3", "same-node": "node"}
"""Each placement of different CPUs and what they share there, the closest first."""

CPUS_APART = (*SHARED_LEVEL, "cross-node")


def relation(one: Cpu, other: Cpu) -> str:
    """Name the placement of two different CPUs: the closest thing that they share.

    A core or a cache that the machine does not tell is never shared; CPUs whose node it does not tell are on one node,
    because that is what a machine without such information is. A CPU of which nothing is known is on any node.
    """
    for name, what in SHARED_LEVEL.items():
        ours, theirs = getattr(one, what), getattr(other, what)
        if ours == theirs and (ours is not None or name == "same-node"):
            return name
    return "cross-node" if one.is_listed and other.is_listed else "same-node"


def usable(topology: Topology) -> dict[int, Cpu]:
    """The CPUs that this process may use, by number, ascending."""
    allowed = set(topology.allowed)
    return {cpu.cpu: cpu for cpu in sorted(topology.cpus, key=lambda cpu: cpu.cpu) if cpu.cpu in allowed}


def nodes(topology: Topology) -> dict[str, tuple[int, ...]]:
    """The CPUs that this process may use of each NUMA node, by the node's number; of no node are those not told."""
    of_nodes = gathered((cpu.node, number) for number, cpu in usable(topology).items() if cpu.node is not None)
    return {str(node): tuple(of_nodes[node]) for node in sorted(of_nodes)}
