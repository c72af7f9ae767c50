"""A map of a machine: the latency between every two of its CPUs, the groups they fall into, and their names."""

from collections.abc import Mapping, Sequence

from threadping.analysis.answer import Answer
from threadping.analysis.clusters import Cluster, clusters, grouped, misnamed
from threadping.analysis.locality import ordered, system_says
from threadping.model.bounds import Record
from threadping.model.cases import Pair
from threadping.model.contract import Topology


class LatencyMap(Record, frozen=True):
    """The latency between every two CPUs."""

    cpus: tuple[int, ...]  # in the order in which they are shown
    ns: Mapping[Pair, float]  # one way, of pairs; of one that was measured one way, that way alone
    groups: tuple[Cluster, ...] = ()  # of the pairs, the nearest first
    misnamed: tuple[str, ...] = ()  # where the system says something else, a sentence each

    def between(self, one: int, other: int) -> float | None:
        """The latency from one CPU to another, or else the other way; None where neither is known."""
        found = self.ns.get((one, other))
        return self.ns.get((other, one)) if found is None else found


def map_of(cpus: Sequence[int], ns: Mapping[Pair, float], topology: Topology | None, noise: float = 0.0) -> LatencyMap:
    """The map of latencies with their groups, named where the topology of the machine is known.

    Args:
        cpus: in the order in which they are shown.
        ns: the latency of each pair; one of 0 is in no group.
        topology: of the machine.
        noise: the standard error of a latency, as a share; 0 where it is not known.
    """
    known = {cpu.cpu: cpu for cpu in topology.cpus} if topology else {}
    measured = {pair: of_it for pair, of_it in ns.items() if of_it}
    said = [system_says(known[one], known[other]) if known else "" for one, other in measured]
    values = list(measured.values())
    of = grouped(values, len(cpus), noise)
    found = clusters(values, of, said)
    return LatencyMap(tuple(cpus), ns, tuple(found), tuple(misnamed(found, of, said)))


def surveyed_map(answer: Answer) -> LatencyMap | None:
    """The map of a run that pinged pairs of CPUs before its first trial; None of one that did not.

    Those that it measured are as far apart as in the state that they were in for longest.
    """
    if not answer.survey:
        return None
    seen = {one.cpus: one.ns for one in answer.survey if one.ns}
    cpus = {cpu for pair in seen for cpu in pair}
    states = [one for one in answer.states.found if cpus.issuperset(one.cpus)]
    seen |= {one.cpus: one.core_to_core_ns for one in sorted(states, key=lambda state: state.share)}
    topology = answer.run.machine.topology
    return map_of(ordered(topology, cpus), seen, topology)
