"""The relation of two CPUs, and placements of threads on those that this process may use.

A placement is named by the furthest relation among the CPUs that it uses. Threads in excess go round them again.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from errno import EINVAL
from itertools import combinations, cycle, islice, zip_longest
from threading import Thread

from msgspec.structs import replace

from threadping.model.base import gathered
from threadping.model.cases import Placement, Skipped
from threadping.model.contract import Cpu, Topology
from threadping.model.errors import ThreadpingError, UsageError
from threadping.model.quantities import named, ranges

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
    """Name the kinds of CPUs: `P-E` of two, `P` where more are alike, else `2 P + 4 E`; empty if unknown."""
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


SAME_CPU, UNPINNED = "same-cpu", "unpinned"
PLACEMENT_NAMES = (SAME_CPU, *CPUS_APART, UNPINNED)  # the closest first
A_SHARED = {"smt": "a core", "same-l2": "an L2", "same-l3": "an L3", "same-node": "a NUMA node"}


def placements(
    topology: Topology, counts: Sequence[int] = (2,), names: Sequence[str] = PLACEMENT_NAMES
) -> tuple[list[Placement], list[Skipped]]:
    """Find the placements of these names for each number of threads, and say why one is not there.

    The choice is the same each time. It leaves out CPU 0, which takes most interrupts, where there is another. Where
    CPUs are to share something, two of them share nothing closer. Cores of one kind come before mixed ones, and the
    most capable kind first. One thread alone shares nothing: it is placed on one of those CPUs.
    """
    cpus = list(usable(topology).values())
    absent = [Skipped(name, _why_not(name, cpus)) for name in CPUS_APART if name in names and not _apart(name, cpus, 2)]
    found: dict[Placement, None] = {}
    for threads in counts:
        for name in names:
            if name == UNPINNED:
                found[unpinned(threads)] = None
            elif name == SAME_CPU:
                found[_placed(topology, _cores_first(cpus)[:1], threads)] = None
            elif name in CPUS_APART and (chosen := _apart(name, cpus, threads)):
                found[_placed(topology, _cores_first(chosen), threads)] = None
    return list(found), absent


def unpinned(threads: int) -> Placement:
    return Placement(UNPINNED, (None,) * threads)


def one_core_each(topology: Topology, threads: int) -> Placement:
    """Give each thread a core of its own as long as there is one, the closest first, then the cores' other CPUs."""
    return _placed(topology, _cores_first(list(usable(topology).values())), threads)


def around(topology: Topology, cpus: Sequence[int], threads: int) -> Placement:
    """Put the threads on these CPUs round-robin; raise UsageError if one may not be used, or does not exist."""
    require(topology, cpus)  # even those without a thread
    return _on(topology, tuple(islice(cycle(cpus), threads)))


def placement_for_cpus(topology: Topology, cpus: Sequence[int], threads: int = 2) -> Placement:
    """Name the placement of named CPUs, one for each thread, by their furthest relation; raise UsageError."""
    if len(cpus) != threads:
        example = ",".join(map(str, islice(cycle(usable(topology)), threads)))
        raise UsageError(f"--cpus needs {threads} CPUs, one for each thread, not {len(cpus)}. Write --cpus {example}.")
    return _on(topology, cpus)


def name_of(topology: Topology, cpus: Sequence[int]) -> str:
    """Name the placement of CPUs by the furthest relation among them, `same-cpu` for one; raise UsageError."""
    allowed = require(topology, cpus)
    chosen = [allowed[cpu] for cpu in dict.fromkeys(cpus)]
    if len(chosen) == 1:
        return SAME_CPU
    for name, level in SHARED_LEVEL.items():  # what all share: each thing is within the next
        shared = {getattr(one, level) for one in chosen if one.is_listed or name != "same-node"}
        if len(shared) <= 1 and (name == "same-node" or None not in shared):
            return name
    return CPUS_APART[-1]


def _on(topology: Topology, cpus: Sequence[int]) -> Placement:
    name, known = name_of(topology, cpus), usable(topology)
    return Placement(name, tuple(cpus), kinds=kinds_of([known[cpu] for cpu in dict.fromkeys(cpus)]))


def _apart(name: str, cpus: Sequence[Cpu], at_most: int) -> list[Cpu]:
    """Choose CPUs with two in this relation and none further apart; none if no two are.

    Two are never too many; of as many, those come first whose cores are of one kind, and those without CPU 0.
    """
    quiet = [cpu for cpu in cpus if cpu.cpu != 0]
    every = [group for some in (quiet, cpus) for group in _sharing(name, some)]
    alike = sorted((one for group in every for one in by_kind(group)), key=lambda group: rank(group[0]))
    groups = [*alike, *(group for group in every if not of_one_kind(group))]
    return max((_fill(name, group, at_most) for group in groups), key=len, default=[])


def _placed(topology: Topology, cpus: Sequence[Cpu], threads: int) -> Placement:
    """Put the threads on the first of these CPUs, by number, again and again if there are more threads."""
    return around(topology, sorted(cpu.cpu for cpu in cpus[:threads]), threads)


def _cores_first(cpus: Sequence[Cpu]) -> list[Cpu]:
    """Every CPU once, the one to use first first: a CPU of each core, then a second one of each, and so on.

    Cores of the most capable kind come first, then as they are close to the first. CPU 0, which takes most interrupts,
    comes last among its like.
    """
    first, *others = sorted(cpus, key=lambda cpu: (rank(cpu), cpu.cpu == 0, cpu.cpu))

    def distance(cpu: Cpu) -> tuple[tuple[int, str], int, int, int, bool, int]:
        node, l3 = (-1 if number is None else number for number in (cpu.node, cpu.l3))
        return rank(cpu), CPUS_APART.index(relation(first, cpu)), node, l3, cpu.cpu == 0, cpu.cpu

    ordered = [first, *sorted(others, key=distance)]
    cores = gathered((("alone", cpu.cpu) if cpu.core is None else ("core", cpu.core), cpu) for cpu in ordered)
    return [cpu for siblings in zip_longest(*cores.values()) for cpu in siblings if cpu is not None]


def _fill(name: str, group: Sequence[Cpu], at_most: int) -> list[Cpu]:
    """Two of the group in this relation, then those as far from all before them, then whatever is closer; or none."""
    chosen = [*next((pair for pair in combinations(group, 2) if relation(*pair) == name), ())]
    for wanted in ((name,), CPUS_APART[: CPUS_APART.index(name) + 1]):
        for cpu in group:
            if 0 < len(chosen) < at_most and cpu not in chosen and all(relation(cpu, one) in wanted for one in chosen):
                chosen.append(cpu)
    return chosen


def _sharing(name: str, cpus: Sequence[Cpu]) -> Collection[Sequence[Cpu]]:
    """Group the CPUs by what they share at this placement, the group of the lowest CPU first."""
    if name == "cross-node":
        return [cpus] if len({cpu.node for cpu in cpus if cpu.is_listed}) > 1 else []
    groups = gathered((getattr(cpu, SHARED_LEVEL[name]), cpu) for cpu in cpus if name != "same-node" or cpu.is_listed)
    if name == "same-node":  # a CPU without a known node is on any node
        unlisted = [cpu for cpu in cpus if not cpu.is_listed]
        return [[*group, *unlisted] for group in groups.values()] or [unlisted]
    groups.pop(None, None)
    return groups.values()


def _why_not(name: str, cpus: Sequence[Cpu]) -> str:
    numbers = [cpu.cpu for cpu in cpus]
    if len(cpus) == 1:
        return f"only {named(numbers)} may be used, so two threads cannot run on different CPUs"
    groups = _sharing(name, cpus)
    if name == "cross-node":
        if any(cpu.node is None for cpu in cpus):
            return f"this machine does not tell on which NUMA nodes all of the {named(numbers)} are"
        if not groups:
            return f"the {named(numbers)} that may be used are all on one NUMA node"
        return f"those of the {named(numbers)} that are on different NUMA nodes share something closer"
    what = A_SHARED[name]
    if name != "same-node" and sum(getattr(cpu, SHARED_LEVEL[name]) is not None for cpu in cpus) < 2:
        return f"this machine does not tell which of the {named(numbers)} share {what}"
    if max(map(len, groups), default=0) < 2:
        return f"no two of the {named(numbers)} that may be used share {what}"
    relations = {relation(a, b) for group in groups for a, b in combinations(group, 2)}
    also = " or ".join(what for other, what in A_SHARED.items() if other in relations)
    return f"those of the {named(numbers)} that share {what} also share {also}, which is closer"


# The kernel's answer about CPUs: empty if a thread may use one, else why not
Ask = Callable[[Collection[int]], Mapping[int, str]]
REFUSED, OUTSIDE, NOT_HELD = "refused", "outside of the mask", "the pin was accepted but did not hold"
OFFLINE, UNKNOWN = "offline", "unknown"
CLAUSES = {  # reasons why CPUs may not be used, each a clause of one sentence
    OFFLINE: "{cpus} {are} offline",
    UNKNOWN: "{cpus} {do} not exist here",
    OUTSIDE: "{cpus} {are} outside this process's mask",
    REFUSED: "a cpuset keeps {cpus} from this process (add {them} to its cpuset.cpus: AllowedCPUs= of systemd, "
    "--cpuset-cpus of docker)",
}

UNPINNABLE = "this process may not be pinned to {cpus} ({why})"
ONE, MANY = {"are": "is", "do": "does", "them": "it"}, {"are": "are", "do": "do", "them": "them"}


def ask_kernel(cpus: Collection[int]) -> dict[int, str]:
    """Pin a thread, which ends thereafter, to each of these CPUs and read that back; raise if none can be started."""
    said: dict[int, str] = {}
    if not cpus:
        return said
    child = Thread(target=lambda: said.update((cpu, _said_of(cpu)) for cpu in cpus))
    try:
        child.start()
    except RuntimeError as error:
        limit = "a limit is reached (pids.max, ulimit -u)"
        raise ThreadpingError(f"No thread could be started that asks the kernel for {named(cpus)}: {limit}.") from error
    child.join()
    return said


def _said_of(cpu: int) -> str:
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError as error:
        return REFUSED if error.errno == EINVAL else os.strerror(error.errno or EINVAL)
    return "" if os.sched_getaffinity(0) == {cpu} else NOT_HELD


def watch_cpus(cpus: Collection[int]) -> Callable[[], list[int]]:
    """Return a function that lists those of these CPUs that this process has lost since: to a cpuset, or offline."""
    mask = os.sched_getaffinity(0)
    outside = [cpu for cpu, why in ask_kernel({*cpus} - mask).items() if not why]

    def lost() -> list[int]:
        refused = {cpu for cpu, why in ask_kernel(outside).items() if why}
        return sorted((mask & {*cpus}) - os.sched_getaffinity(0) | refused)

    return lost


def permit(topology: Topology, cpus: Sequence[int], option: str = "--cpus", ask: Ask = ask_kernel) -> Topology:
    """Return the topology with named CPUs outside of the mask usable; raise UsageError where the kernel refuses."""
    outside = sorted({*cpus} - {*topology.allowed})
    if not outside:
        return topology
    if refused := {cpu: why for cpu, why in ask(outside).items() if why}:
        _refuse(topology, cpus, refused, option)
    listed = {cpu.cpu for cpu in topology.cpus}
    unlisted = tuple(Cpu(cpu, None, None, None, None, None) for cpu in outside if cpu not in listed)
    return replace(topology, allowed=tuple(sorted({*topology.allowed, *outside})), cpus=(*topology.cpus, *unlisted))


def outside_of_mask(before: Topology, after: Topology) -> str:
    """Say which CPUs may be used although they are outside of the mask; empty where there is none."""
    outside = sorted({*after.allowed} - {*before.allowed})
    isolated = [cpu for cpu in outside if cpu in after.isolated]
    if not outside:
        return ""
    those = " (isolated)" if isolated == outside else f" ({named(isolated)} isolated)" if isolated else ""
    words, mask = ONE if len(outside) == 1 else MANY, named(before.allowed)
    clause = f"{named(outside)}{those} {words['are']} outside this process's mask"
    return f"{clause}, {mask}; the kernel permits {words['them']}."


def require(topology: Topology, cpus: Sequence[int]) -> dict[int, Cpu]:
    """Return the usable CPUs; raise UsageError if some of these are not, without asking the kernel."""
    mine = usable(topology)
    if outside := {cpu: OUTSIDE for cpu in cpus if cpu not in mine}:
        _refuse(topology, cpus, outside, "--cpus")
    return mine


def _refuse(topology: Topology, cpus: Sequence[int], refused: Mapping[int, str], option: str) -> None:
    """Raise UsageError for all of the CPUs that were named and are refused, saying what is the matter with each."""
    listed, offline = {cpu.cpu for cpu in topology.cpus}, {*topology.offline}

    def matter(cpu: int) -> str:
        if refused[cpu] not in (REFUSED, OUTSIDE):
            return refused[cpu]
        return OFFLINE if cpu in offline else refused[cpu] if cpu in listed else UNKNOWN

    groups = gathered((matter(cpu), cpu) for cpu in sorted(refused))
    clauses = [_clause(what, of_them) for what, of_them in groups.items()]
    sentence = " and ".join([", ".join(clauses[:-1]), clauses[-1]]) if len(clauses) > 1 else clauses[0]
    left = [cpu for cpu in dict.fromkeys(cpus) if cpu not in refused]
    write = f" Write {option} {','.join(ranges(left))}." if left and option == "--cpus" else " Name others."
    raise UsageError(f"{sentence[0].upper()}{sentence[1:]}.{write} This process may use {named(usable(topology))}.")


def _clause(what: str, cpus: Sequence[int]) -> str:
    return CLAUSES.get(what, UNPINNABLE).format(**(ONE if len(cpus) == 1 else MANY), cpus=named(cpus), why=what)
