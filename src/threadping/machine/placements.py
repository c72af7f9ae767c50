"""Where threads can stand on this machine: pure, from its topology."""

from collections.abc import Collection, Sequence
from itertools import combinations, cycle, islice

from threadping.contract import Cpu, Topology
from threadping.errors import UnknownName, UsageError
from threadping.model import Placement, Skipped
from threadping.numbers import named, ranges
from threadping.relation import CPUS_APART, SHARED, relation, usable

SAME_CPU, UNPINNED = "same-cpu", "unpinned"
PLACEMENT_NAMES = (SAME_CPU, *CPUS_APART, UNPINNED)
"""Every placement in the order of the ladder: the closest first."""

A_SHARED = {"smt": "a core", "same-l2": "an L2", "same-l3": "an L3", "same-node": "a NUMA node"}
NUMBER_WORDS = {2: "two", 3: "three", 4: "four"}


def placements(topology: Topology, roles: int = 2) -> tuple[list[Placement], list[Skipped]]:
    """Choose the CPUs of each placement, from those that this process may use.

    The choice is the same each time. It leaves out CPU 0, which takes most interrupts, where there is another.

    Args:
        topology: the machine's CPUs.
        roles: how many threads take part, at least two; where more than two share a thing, they are spread over it.

    Returns:
        The placements that there are, in the order of the ladder, and those that there are not, each with the reason.
    """
    cpus = list(usable(topology).values())
    found = [Placement(SAME_CPU, ((_quiet(cpus) or cpus)[0].cpu,) * roles)]
    absent: list[Skipped] = []
    for name in CPUS_APART:
        if len(chosen := together(name, cpus, roles)) == roles:
            found.append(Placement(name, tuple(cpu.cpu for cpu in chosen)))
        else:
            absent.append(Skipped(name, why_not(name, cpus, roles)))
    found.append(Placement(UNPINNED, (None,) * roles))
    return found, absent


def placement_for_cpus(topology: Topology, cpus: Sequence[int], roles: int = 2) -> Placement:
    """Name the placement of the CPUs that a person gave, one for each thread.

    Where they share different things pair by pair, the furthest relation names them all.

    Raises:
        UsageError: there is not one CPU for each thread, or one of them exists but may not be used.
        UnknownName: there is no such CPU.
    """
    if len(cpus) != roles:
        given = "1 CPU was" if len(cpus) == 1 else f"{len(cpus)} CPUs were"
        raise UsageError(
            f"--cpus needs a CPU for each of the {_word(roles)} threads, but {given} given ({_list(cpus)}). "
            f"Write --cpus {_list([*islice(cycle(usable(topology)), roles)])}; a CPU may be given twice."
        )
    return Placement(name_of(topology, cpus), tuple(cpus))


def name_of(topology: Topology, cpus: Sequence[int]) -> str:
    """Name the placement of CPUs by the furthest relation among them: `same-cpu` where there is one only.

    Raises:
        UsageError: one of them exists but may not be used.
        UnknownName: there is no such CPU.
    """
    allowed = usable(topology)
    online = {cpu.cpu for cpu in topology.cpus}
    for number in cpus:
        if number not in online:
            raise UnknownName("CPU", str(number), ranges(allowed))
        if number not in allowed:
            raise UsageError(
                f"CPU {number} is there, but this process may not use it (its affinity mask or cpuset says so). "
                f"It may use {named(allowed)}."
            )
    relations = {relation(allowed[a], allowed[b]) for a, b in combinations(dict.fromkeys(cpus), 2)}
    return max(relations, key=CPUS_APART.index, default=SAME_CPU)


def together(name: str, cpus: Sequence[Cpu], at_most: int) -> list[Cpu]:
    """Choose CPUs of which two stand in this relation and none further apart; none where no two do.

    Two are never too many, and where there are as many without CPU 0 it is left out.
    """
    groups = [group for some in (_quiet(cpus), cpus) for group in _sharing(name, some)]
    return max((_fill(name, group, at_most) for group in groups), key=len, default=[])


def _quiet(cpus: Sequence[Cpu]) -> list[Cpu]:
    return [cpu for cpu in cpus if cpu.cpu != 0]


def _fill(name: str, group: Sequence[Cpu], at_most: int) -> list[Cpu]:
    """Two of the group in this relation, then those as far from all before them, then whatever is closer; or none."""
    chosen = [*next((pair for pair in combinations(group, 2) if relation(*pair) == name), ())]
    for wanted in ((name,), CPUS_APART[: CPUS_APART.index(name) + 1]):
        for cpu in group:
            if 0 < len(chosen) < at_most and cpu not in chosen and all(relation(cpu, one) in wanted for one in chosen):
                chosen.append(cpu)
    return chosen


def _sharing(name: str, cpus: Sequence[Cpu]) -> Collection[Sequence[Cpu]]:
    """The CPUs grouped by what they share at this placement, the group of the lowest CPU first."""
    if name == "cross-node":
        return [cpus] if len({cpu.node for cpu in cpus}) > 1 else []
    groups: dict[int | None, list[Cpu]] = {}
    for cpu in cpus:
        groups.setdefault(getattr(cpu, SHARED[name]), []).append(cpu)
    if name != "same-node":
        groups.pop(None, None)
    return groups.values()


def why_not(name: str, cpus: Sequence[Cpu], roles: int) -> str:
    """Say why so many threads cannot stand in this relation, as a clause."""
    numbers = [cpu.cpu for cpu in cpus]
    if len(cpus) == 1:
        return f"only {named(numbers)} may be used, so {_word(roles)} threads cannot stand on different CPUs"
    if name == "cross-node":
        if not _sharing(name, cpus):
            return f"the {named(numbers)} that may be used are all on one NUMA node"
        return f"those of the {named(numbers)} that are on different NUMA nodes share something closer"
    what = A_SHARED[name]
    if name != "same-node" and all(getattr(cpu, SHARED[name]) is None for cpu in cpus):
        return f"this machine does not tell which of the {named(numbers)} share {what}"
    if max(map(len, _sharing(name, cpus)), default=0) < roles:
        return f"no {_word(roles)} of the {named(numbers)} that may be used share {what}"
    relations = {relation(a, b) for group in _sharing(name, cpus) for a, b in combinations(group, 2)}
    also = " or ".join(what for other, what in A_SHARED.items() if other in relations)
    return f"those of the {named(numbers)} that share {what} also share {also}, which is closer"


def _word(number: int) -> str:
    return NUMBER_WORDS.get(number, str(number))


def _list(numbers: Sequence[int]) -> str:
    return ",".join(ranges(numbers, at_least=3, at_most=8))
