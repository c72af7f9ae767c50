"""How threads are pinned where they stand."""

from msgspec.structs import replace

from threadping.experiments.wishes import Wish
from threadping.machine.placements import UNPINNED
from threadping.model import Placement


def ways_to_pin(place: Placement, wish: Wish) -> list[Placement]:
    """The placement in every way to pin that was asked for; where nothing is pinned there is one way only."""
    return [replace(place, pin=pin) for pin in wish.pins if pin == "thread" or place.name != UNPINNED]
