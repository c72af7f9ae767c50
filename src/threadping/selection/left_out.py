"""Why a runtime does not measure a mechanism, or not all that was asked of it."""

import shlex
from collections.abc import Iterator, Sequence

from threadping.contract import MechanismDescription
from threadping.machine.placements import UNPINNED
from threadping.model import Skipped
from threadping.selection.asked import Asked
from threadping.selection.params import unmet
from threadping.selection.places import Places
from threadping.selection.scope import Offer


def left_out(name: str, offer: Offer, offers: Sequence[Offer], asked: Asked, places: Places) -> Iterator[Skipped]:
    """Why this runtime does not measure the mechanism, or not all that was asked for."""
    what = f"{name} {offer.runtime.label}"
    mechanism = offer.mechanisms.get(name)
    if mechanism is None:
        yield Skipped(what, "this runtime's probe does not have it")
    elif mechanism.needs:
        yield Skipped(what, f"needs {mechanism.needs}; {_remedy(name, offer, offers)}")
    else:
        lacking = list(unmet(mechanism, asked.params)) if asked.mechanisms else []
        yield from (Skipped(what, reason) for reason in lacking)
        yield from _nowhere(what, mechanism, asked, places)


def _nowhere(what: str, mechanism: MechanismDescription, asked: Asked, places: Places) -> Iterator[Skipped]:
    """What was asked of a mechanism where it cannot stand, or be pinned."""
    process_only = asked.pins == ("process",)
    at_a_role_only = bool(asked.homes) and not any(home.isdecimal() for home in asked.homes)
    if mechanism.pinnable:
        if process_only and UNPINNED in asked.placements:
            yield Skipped(f"{what} {UNPINNED}", "nothing is pinned there, not the process either: leave out --pin")
        elif at_a_role_only and UNPINNED in asked.placements:
            reason = "no thread has a CPU there at which cells could be made: give --home a NUMA node, or leave it out"
            yield Skipped(f"{what} {UNPINNED}", reason)
        return
    names = [place.name for place in places.found]
    elsewhere = [name for name in names if name != UNPINNED and (name in asked.placements or UNPINNED not in names)]
    if elsewhere or process_only or at_a_role_only:
        reason = "its threads have no CPU of their own, so it is measured unpinned only"
        yield Skipped(" ".join([what, *elsewhere]), reason)


def _remedy(name: str, offer: Offer, offers: Sequence[Offer]) -> str:
    """Which runtime to take instead: one that can, where there is one."""
    able = [other for other in offers if name in other.mechanisms and not other.mechanisms[name].needs]
    alike = [other.runtime.label for other in able if other.runtime.probe == offer.runtime.probe]
    if alike:
        return f"measure it with a newer JVM, e.g. --runtime {shlex.quote(alike[-1])}"
    return "measure it with a newer JVM; `threadping runtimes` lists those that are here, --runtime PATH names another"
