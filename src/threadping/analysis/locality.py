"""The locality of CPUs: isolated ones, the order in which rows are shown, and what the system says of two of them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from threadping.model.cases import Case
from threadping.model.contract import Cpu, Topology
from threadping.model.topology import kinds_of, rank, relation


def unbalanced(topology: Topology, case: Case) -> tuple[int, ...]:
    """The isolated CPUs among those from which the scheduler chooses for threads of a case.

    It chooses for threads that are not pinned, for those of a process that is pinned whole, and for busy threads; none
    where it has no choice.
    """
    placement = case.placement
    chosen = {*placement.used} if placement.pin == "process" else set()
    if None in placement.cpus or case.busy.threads:
        chosen |= {*topology.allowed}
    return tuple(sorted(chosen & {*topology.isolated})) if len(chosen) > 1 else ()


OUTER, INNER = ("package", "node"), ("l3", "l2", "core")
"""Things that CPUs share, the largest first: those that share one are neighbours, and in a node those of a kind."""


def ordered(topology: Topology, cpus: Iterable[int]) -> tuple[int, ...]:
    """Order CPUs by package, node, kind of core (the most capable first), L3, L2, core and number.

    What the machine does not tell divides nothing.
    """
    wanted = set(cpus)
    found = [cpu for cpu in topology.cpus if cpu.cpu in wanted]
    return tuple(cpu.cpu for cpu in sorted(found, key=lambda cpu: (*_place(cpu), cpu.cpu)))


def groups(topology: Topology | None, cpus: Sequence[int], at_most: int) -> list[tuple[int, ...]]:
    """Divide ordered CPUs into groups of neighbours, as small as they may be for there to be so many at most.

    They share a core, else an L2, an L3, a node or a package; where there are too many of those too, or less than half
    as many, or the machine does not tell, they are equal parts of the order.
    """
    if len(cpus) <= at_most:
        return [(cpu,) for cpu in cpus]
    known = {cpu.cpu: cpu for cpu in topology.cpus} if topology else {}
    if known.keys() >= set(cpus):
        for depth in range(len(OUTER) + 1 + len(INNER), 0, -1):
            within = {cpu: _place(known[cpu])[:depth] for cpu in cpus}
            divided = [tuple(one) for _, one in groupby(cpus, within.__getitem__)]
            if max(2, at_most / 2) <= len(divided) <= at_most:
                return divided
    size = -(-len(cpus) // at_most)
    return [tuple(cpus[first : first + size]) for first in range(0, len(cpus), size)]


def system_says(one: Cpu, other: Cpu) -> str:
    """Name what two different CPUs share, as a person would: `same core`, `other L3`, `other package`.

    On a hybrid machine with their kinds, the more capable one first: `same L3 P-E`. Empty where it does not list one.
    """
    if not (one.is_listed and other.is_listed):
        return ""
    return " ".join(filter(None, (_shared(one, other), kinds_of(sorted((one, other), key=rank)))))


def _shared(one: Cpu, other: Cpu) -> str:
    closest = relation(one, other)
    if closest in ("same-node", "cross-node") and one.package != other.package:
        return "other package"  # several may share a node
    if closest == "same-node":
        return "same node" if one.l3 is None or other.l3 is None else "other L3"
    if closest == "cross-node":
        return "other node"
    return {"smt": "same core", "same-l2": "same L2", "same-l3": "same L3"}[closest]


def _place(cpu: Cpu) -> tuple[object, ...]:
    return (*_numbers(cpu, OUTER), rank(cpu), *_numbers(cpu, INNER))


def _numbers(cpu: Cpu, things: Sequence[str]) -> Iterator[int]:
    return (-1 if (number := getattr(cpu, what)) is None else number for what in things)
