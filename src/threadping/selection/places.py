"""Where an experiment's threads can stand on this machine, and where a mechanism is measured when nobody says."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import MOST_THREADS, MechanismDescription, Topology
from threadping.errors import UnknownName
from threadping.grouping import gathered
from threadping.machine.placements import (
    PLACEMENT_NAMES,
    UNPINNED,
    around,
    one_core_each,
    placement_for_cpus,
    placements,
    unpinned,
)
from threadping.model.cases import Case, Home, Placement, Skipped
from threadping.quantities import counted
from threadping.relation import CPUS_APART, usable
from threadping.selection.asking import Asking
from threadping.selection.selection import Selection

Nodes = Mapping[str, tuple[int, ...]]
"""The CPUs of each NUMA node that may be used, by its number as a person writes it."""

PUBLISHED_THREADS = 8
"""The articles of 2011 measured one to eight threads, whatever the machine had."""


class Places(Struct, frozen=True):
    """Where threads can stand on this machine, where they cannot, and which numbers of them are asked for first."""

    found: Sequence[Placement]
    absent: Sequence[Skipped]
    first: Collection[int] = ()


def places(topology: Topology, asked: Selection, asking: Asking) -> Places:
    """Where so many threads can stand; where their number is part of the question, those asked for or the usual ones.

    Threads of any number are spread over the CPUs, and over their siblings only when every core has one; a placement
    that is named keeps them closer together.
    """
    cpus = len(set(asked.cpus) if asked.cpus else usable(topology))
    by_role = threads_by_role(asking, asked)
    if asking.threads is not None and by_role in ((), (asking.threads,)):
        if asked.cpus is None:
            found, absent = placements(topology, [asking.threads], asked.placements or PLACEMENT_NAMES)
            return Places(found, absent if asking.threads > 1 else [], (asking.threads,))
        return Places([placement_for_cpus(topology, asked.cpus, asking.threads)], [], (asking.threads,))
    named = by_role or (asked.threads if asking.group == 1 else tuple(pairs * asking.group for pairs in asked.pairs))
    too_few = [_too_few(threads, asking.least) for threads in named if threads < asking.least]
    if too_few and len(too_few) == len(named):
        return Places([], too_few)
    named = tuple(threads for threads in named if threads >= asking.least)
    usual = tuple(groups * asking.group for groups in asking.groups)
    counts = named or usual or usual_threads(cpus, asking)
    first = named or usual[:1] or (asking.least, max(asking.least, cpus))
    if asked.cpus:
        return Places([around(topology, asked.cpus, count) for count in counts], too_few, first)
    if asked.placements:
        found, absent = placements(topology, counts, asked.placements)
        return Places(found, [*too_few, *absent], first)
    found = [at for count in counts for at in (one_core_each(topology, count), unpinned(count))]
    return Places(found, too_few, first)


def _too_few(threads: int, least: int) -> Skipped:
    return Skipped(counted(threads, "thread"), f"at least {counted(least, 'thread')} take part")


def threads_by_role(asking: Asking, asked: Selection) -> tuple[int, ...]:
    """The numbers of threads that follow from the parameters asked for; none where parameters do not say it."""
    numbers = [asked.params.get(role, ("1",)) for role in asking.by_role]
    counts = {
        asking.threads_of(dict(zip(asking.by_role, of_each, strict=True)))
        for of_each in product(*numbers)
        if all(number.isdecimal() for number in of_each)  # what is none, or too many, is refused by its mechanism
    }
    return tuple(sorted(count for count in counts if count is not None and count <= MOST_THREADS))


def usual_threads(cpus: int, asking: Asking) -> tuple[int, ...]:
    """The numbers of threads that are measured when none is asked for: powers of two, and as many as there are CPUs.

    Or the least that can take part and as many as the experiment says of so many CPUs.
    """
    if asking.of_cpus:
        return tuple(sorted({max(asking.least, round(share * cpus)) for share in (0, *asking.of_cpus)}))
    most = max(PUBLISHED_THREADS, 2 * cpus)
    return tuple(sorted({cpus, *(2**power for power in range(most.bit_length()))}))


def places_of(
    mechanism: MechanismDescription, places: Places, asked: Selection, threads: int | None
) -> list[Placement]:
    """Where a mechanism is measured: as was asked for, or where it usually is.

    Spinning threads are measured on CPUs of their own (two on one CPU hand over at the end of a time slice, which few
    want to wait for), sleeping ones also on one CPU and unpinned; of any number of threads only while no mechanism is
    named, because each number would be measured twice. One thread shares nothing, so it stands wherever others were
    to. Threads without a CPU of their own are measured unpinned.
    """
    named = asked.placements
    chosen = [place for place in places.found if not named or place.name in named or place.threads == 1]
    if not mechanism.pinnable:
        return [place for place in chosen if place.name == UNPINNED]
    pinned_only = not mechanism.blocking or (threads is None and asked.mechanisms)
    if asked.placements or not pinned_only:
        return chosen
    apart = [place for place in chosen if threads and place.name in CPUS_APART]
    return apart or [place for place in chosen if place.name != UNPINNED]


def homes_among(chosen: Sequence[Placement]) -> list[Placement]:
    """Where a mechanism is measured before anywhere else: for each number of threads the closest of different CPUs."""
    found: dict[int, Placement] = {}
    for place in sorted(chosen, key=lambda place: (place.name == UNPINNED, place.name not in CPUS_APART)):
        found.setdefault(place.threads, place)
    return list(found.values())


def closest(cases: Iterable[Case], alike: Callable[[Case], Hashable]) -> list[Case]:
    """Of those cases that are alike but for where they stand: the ones where it is measured before anywhere else."""
    groups = gathered((alike(case), case) for case in cases)
    homes = {key: homes_among([case.placement for case in group]) for key, group in groups.items()}
    return [case for key, group in groups.items() for case in group if case.placement in homes[key]]


def ways_to_pin(place: Placement, asked: Selection) -> Iterator[Placement]:
    """The placement in every way to pin that was asked for; where nothing is pinned there is one way only."""
    return (replace(place, pin=pin) for pin in asked.pins if pin == "thread" or place.name != UNPINNED)


def homes(asked: Sequence[str], placement: Placement, roles: Sequence[str], nodes: Nodes) -> list[Home | None]:
    """Those of the homes asked for that there are for threads that stand there, each once; None is the usual one.

    Args:
        asked: names of roles and numbers of nodes; empty for the usual home.
        placement: where the threads stand; a role that is not pinned has no home.
        roles: what each thread is, the last word for all further ones.
        nodes: the machine's.
    """
    found: dict[tuple[int, ...], Home | None] = {}
    for name in asked:
        cpus = nodes[name] if name in nodes else _cpus_of(roles.index(name), placement)
        if cpus:
            named = Home(f"node {name}" if name in nodes else name, cpus)
            found.setdefault(cpus, None if cpus == placement.usual_home else named)
    return list(found.values()) if asked else [None]


def refuse_unknown_homes(asked: Iterable[str], known: Sequence[str]) -> None:
    """Raise UnknownName for a home that is none of these roles and NUMA nodes."""
    for name in asked:
        if name not in known:
            note = ": no NUMA node of this number has a CPU that may be used" if name.isdecimal() else ""
            raise UnknownName("home", name, list(dict.fromkeys(known)), note=note)


def _cpus_of(position: int, placement: Placement) -> tuple[int, ...]:
    """The CPUs of the thread at this position: all of them where the process is pinned whole."""
    if placement.pin == "process":
        return placement.usual_home or ()
    return tuple(cpu for cpu in placement.cpus[position : position + 1] if cpu is not None)
