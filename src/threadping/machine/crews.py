"""Where any number of threads can stand, more than there are CPUs too: pure, from the machine's topology.

A placement is named by the furthest relation among the CPUs that it uses. Threads in excess go round them again.
"""

from collections.abc import Sequence
from itertools import cycle, islice, zip_longest

from threadping.contract import Cpu, Topology
from threadping.machine.placements import SAME_CPU, UNPINNED, name_of, together, why_not
from threadping.model import Placement, Skipped
from threadping.relation import CPUS_APART, relation, usable


def one_core_each(topology: Topology, threads: int) -> Placement:
    """Give each thread a core of its own as long as there is one, the closest first, then the cores' other CPUs."""
    return _placed(topology, _cores_first(list(usable(topology).values())), threads)


def around(topology: Topology, cpus: Sequence[int], threads: int) -> Placement:
    """Put the threads on these CPUs in the order given, again and again.

    Raises:
        UsageError: one of them exists but may not be used.
        UnknownName: there is no such CPU.
    """
    name_of(topology, cpus)  # refuses those too that no thread comes to stand on
    return _round(topology, cpus, threads)


def unpinned(threads: int) -> Placement:
    """Leave the threads to the scheduler."""
    return Placement(UNPINNED, (None,) * threads)


def placements_of_threads(
    topology: Topology, counts: Sequence[int], names: Sequence[str]
) -> tuple[list[Placement], list[Skipped]]:
    """Find the placements of these names for each number of threads, and say why one is not there.

    Where CPUs are to share something, two of them share nothing closer: with two threads these are the CPUs that
    `placements` chooses. One thread alone shares nothing with anybody: it stands on one of those CPUs.
    """
    cpus = list(usable(topology).values())
    found: dict[Placement, None] = {}
    asked = [name for name in CPUS_APART if name in names]
    absent = [Skipped(name, why_not(name, cpus, 2)) for name in asked if not together(name, cpus, 2)]
    for threads in counts:
        for name in names:
            if name == UNPINNED:
                found[unpinned(threads)] = None
            elif name == SAME_CPU:
                found[_placed(topology, _cores_first(cpus)[:1], threads)] = None
            elif name in CPUS_APART and (chosen := together(name, cpus, threads)):
                found[_placed(topology, _cores_first(chosen), threads)] = None
    return list(found), absent


def _cores_first(cpus: Sequence[Cpu]) -> list[Cpu]:
    """Every CPU once, the one to use first first: a CPU of each core, then a second one of each, and so on.

    Cores come as they are close to the first. CPU 0, which takes most interrupts, comes last among its like.
    """
    if not cpus:
        return []
    first, *others = sorted(cpus, key=lambda cpu: (cpu.cpu == 0, cpu.cpu))

    def distance(cpu: Cpu) -> tuple[int, int, int, bool, int]:
        node, l3 = (-1 if number is None else number for number in (cpu.node, cpu.l3))
        return CPUS_APART.index(relation(first, cpu)), node, l3, cpu.cpu == 0, cpu.cpu

    cores: dict[object, list[Cpu]] = {}
    for cpu in [first, *sorted(others, key=distance)]:
        core = ("alone", cpu.cpu) if cpu.core is None else ("core", cpu.core)
        cores.setdefault(core, []).append(cpu)
    return [cpu for siblings in zip_longest(*cores.values()) for cpu in siblings if cpu is not None]


def _placed(topology: Topology, cpus: Sequence[Cpu], threads: int) -> Placement:
    """Put the threads on the first of these CPUs, by number."""
    return _round(topology, sorted(cpu.cpu for cpu in cpus[:threads]), threads)


def _round(topology: Topology, cpus: Sequence[int], threads: int) -> Placement:
    return Placement(name_of(topology, cpus[:threads]), tuple(islice(cycle(cpus), threads)))
