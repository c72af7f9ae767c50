"""Where a mechanism is measured: as was asked for, or where it usually is."""

from collections.abc import Sequence

from msgspec.structs import replace

from threadping.contract import MechanismDescription
from threadping.experiments.wishes import Places, Wish
from threadping.model import Placement

ON_DIFFERENT_CPUS = ("smt", "same-l2", "same-l3", "same-node", "cross-node")
UNPINNED = "unpinned"


def placements_of(mechanism: MechanismDescription, wish: Wish, places: Places) -> list[Placement]:
    """Where the mechanism is measured, pinned as was asked for; where nothing is pinned there is one way only."""
    chosen = [place for place in places.found if not wish.placements or place.name in wish.placements]
    apart = [place for place in chosen if place.name in ON_DIFFERENT_CPUS]
    if not mechanism.pinnable:
        chosen = [place for place in chosen if place.name == UNPINNED]
    elif not wish.placements and not mechanism.blocking and apart:
        chosen = apart
    return [
        replace(place, pin=pin)
        for place in chosen
        for pin in wish.pins
        if pin == "thread" or place.name != UNPINNED  # nothing is pinned there
    ]


def home_of(placements: Sequence[Placement], wish: Wish) -> list[Placement]:
    """Where a mechanism is measured before anywhere else: as named, or the closest of two different CPUs."""
    if wish.placements or not placements:
        return list(placements)
    name = next((place.name for place in placements if place.name in ON_DIFFERENT_CPUS), placements[0].name)
    return [place for place in placements if place.name == name]
