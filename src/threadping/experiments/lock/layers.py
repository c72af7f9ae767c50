"""How many threads contend, where they stand, and which of the cases of `lock` are measured first.

Threads are spread over the CPUs, and over their siblings only when every core has one; a placement that is named keeps
them closer together. Where no number was asked for, the published ones are measured, up to twice what the machine has.
"""

from collections.abc import Iterator, Sequence

from threadping.contract import MechanismDescription, Topology
from threadping.experiments.layers import FIRST, OTHER_MECHANISMS
from threadping.experiments.params import settings
from threadping.experiments.standing import ways_to_pin
from threadping.experiments.wishes import Places, Stand, Wish
from threadping.machine.placements import PLACEMENT_NAMES, UNPINNED
from threadping.machine.relation import usable
from threadping.machine.spread import around, placements_of_threads, spread, unpinned
from threadping.model import Placement, Skipped

FURTHER_THREADS = "further numbers of threads"
NOT_PINNED = "not pinned"
LAYERS = (FIRST, OTHER_MECHANISMS, FURTHER_THREADS, NOT_PINNED)

PUBLISHED_THREADS = 8
"""The articles of 2011 measured one to eight threads, whatever the machine had."""


def places(topology: Topology, wish: Wish) -> Places:
    """Where each number of threads can stand."""
    cpus = len(set(wish.cpus) if wish.cpus else usable(topology))
    counts = wish.threads or usual_threads(cpus)
    found: list[Placement] = []
    absent: list[Skipped] = []
    if wish.cpus:
        found = [around(topology, wish.cpus, threads) for threads in counts]
    elif wish.placements:
        found, absent = placements_of_threads(topology, counts, wish.placements)
    else:
        found = [place for threads in counts for place in (spread(topology, threads), unpinned(threads))]
    return Places(found, absent, PLACEMENT_NAMES, cpus)


def usual_threads(cpus: int) -> tuple[int, ...]:
    """The numbers of threads that are measured when none is asked for: powers of two, and as many as there are CPUs."""
    most = max(PUBLISHED_THREADS, 2 * cpus)
    return tuple(sorted({cpus, *(2**power for power in range(most.bit_length()))}))


def stands(mechanism: MechanismDescription, first: bool, wish: Wish, places: Places) -> Iterator[Stand]:
    """Every setting with every number of threads; unpinned too where no placement is named, if it is a classic."""
    wanted = _wanted_first([place.threads for place in places.found], wish, places.cpus)
    told = wanted if first else [*wanted[:1], *wanted[-1:]]
    for setting in settings(mechanism, wish.params):
        for place in places.found:
            if not mechanism.pinnable and place.name != UNPINNED:
                continue
            if mechanism.pinnable and place.name == UNPINNED and not wish.placements:
                layer = NOT_PINNED
                if wish.mechanisms or not first:
                    continue
            elif place.threads in told:
                layer = FIRST if first else OTHER_MECHANISMS
            else:
                layer = FURTHER_THREADS
            for pinned in ways_to_pin(place, wish):
                yield Stand(layer, setting, pinned)


def _wanted_first(counts: Sequence[int], wish: Wish, cpus: int) -> list[int]:
    """The numbers of threads to see before any other: all that were asked for, else one alone and one for each CPU.

    A mechanism that is named is wanted with all of them.
    """
    distinct = sorted(set(counts))
    return distinct if wish.threads or wish.mechanisms else [count for count in distinct if count in (1, cpus)]
