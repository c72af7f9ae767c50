"""Where the two threads of a `signal` stand, and which of its cases are measured first.

Without a wish for placements a spinning mechanism is measured where its threads own a CPU each (on one CPU a hand-over
takes a time slice, which few want to wait for), a blocking one also on one CPU and unpinned. Where no two threads can
own a CPU each, everything is measured on what there is. Threads without a CPU of their own are measured unpinned.
"""

from collections.abc import Iterator, Sequence

from threadping.contract import MechanismDescription, Params, Topology
from threadping.experiments.layers import FIRST, OTHER_MECHANISMS
from threadping.experiments.params import settings, variations
from threadping.experiments.standing import ways_to_pin
from threadping.experiments.wishes import Places, Stand, Wish
from threadping.machine.placements import PLACEMENT_NAMES, UNPINNED, placement_for_cpus, placements
from threadping.machine.relation import CPUS_APART, usable
from threadping.model import Placement

OTHER_PLACEMENTS = "the other mechanisms at further placements"
OTHER_PARAMS = "other parameters"
LAYERS = (FIRST, OTHER_MECHANISMS, OTHER_PLACEMENTS, OTHER_PARAMS)

ADVISED: dict[str, Params] = {"release-one-line": {"wait": "pause"}}
"""What is measured first beside the defaults: whether a side polls with PAUSE or without can halve what a hand-over
costs, and no other advice is so cheap to follow."""


def places(topology: Topology, wish: Wish) -> Places:
    """Where two threads can stand."""
    cpus = len(usable(topology))
    if wish.cpus is None:
        return Places(*placements(topology), PLACEMENT_NAMES, cpus)
    return Places([placement_for_cpus(topology, wish.cpus)], [], PLACEMENT_NAMES, cpus)


def stands(mechanism: MechanismDescription, first: bool, wish: Wish, places: Places) -> Iterator[Stand]:
    """Every setting at every placement, and what may be varied where the mechanism is at home."""
    placements = _placements_of(mechanism, wish, places)
    home = _home_of(placements, wish)
    for setting in settings(mechanism, wish.params):
        for placement in placements:
            other = OTHER_MECHANISMS if placement in home else OTHER_PLACEMENTS
            yield Stand(FIRST if first else other, setting, placement)
    if not wish.mechanisms and not wish.params:
        for setting in variations(mechanism):
            advised = first and {name: setting.params[name] for name in setting.varied} == ADVISED.get(mechanism.name)
            for placement in home:
                yield Stand(FIRST if advised else OTHER_PARAMS, setting, placement)


def _placements_of(mechanism: MechanismDescription, wish: Wish, places: Places) -> list[Placement]:
    """Where the mechanism is measured: as was asked for, or where it usually is."""
    chosen = [place for place in places.found if not wish.placements or place.name in wish.placements]
    apart = [place for place in chosen if place.name in CPUS_APART]
    if not mechanism.pinnable:
        chosen = [place for place in chosen if place.name == UNPINNED]
    elif not wish.placements and not mechanism.blocking and apart:
        chosen = apart
    return [pinned for place in chosen for pinned in ways_to_pin(place, wish)]


def _home_of(placements: Sequence[Placement], wish: Wish) -> list[Placement]:
    """Where a mechanism is measured before anywhere else: as named, or the closest of two different CPUs."""
    if wish.placements or not placements:
        return list(placements)
    name = next((place.name for place in placements if place.name in CPUS_APART), placements[0].name)
    return [place for place in placements if place.name == name]
