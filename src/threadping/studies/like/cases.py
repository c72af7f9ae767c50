"""The cases of a tool: ours that repeat its numbers and, where it is run, those that are the tool itself."""

from collections.abc import Mapping, Sequence
from itertools import chain

from threadping.errors import ThreadpingError
from threadping.model.cases import Case, Skipped
from threadping.plan.rounds import Layer
from threadping.probes.description import Described
from threadping.probes.runtimes import Found
from threadping.selection.cases import Cases
from threadping.selection.selection import Inventory
from threadping.studies.like.tools import Tool
from threadping.studies.repeating.cases import case_of, offer_runtime
from threadping.studies.repeating.wanted import WantedCase

LAYER = "what repeats the tool's numbers"
"""What a plan calls its cases: so those that its budget left out are named in a run."""


def wanted_of(tool: Tool, *, itself: bool) -> list[WantedCase]:
    """What is to be measured: of each number ours and, where the tool is run, `itself` beside it."""
    each = ((one.case, *((tool.theirs(one),) if itself and one.run else ())) for one in tool.numbers)
    return list(dict.fromkeys(chain.from_iterable(each)))


def runtimes_of(wanted: Sequence[WantedCase], found: Found, theirs: Described | None) -> dict[str, Described | str]:
    """For each language its runtime, or why there is none; and `theirs`, the tool as a probe, by its name."""
    ours: dict[str, Described | str] = {theirs.runtime.label: theirs} if theirs else {}
    for one in wanted:
        if one.runtime not in ours:
            ours[one.runtime] = offer_runtime(one, found, ())
    return ours


def cases_of(wanted: Sequence[WantedCase], runtimes: Mapping[str, Described | str], here: Inventory) -> Cases:
    """The cases in the order in which they are wanted, and why others fall away.

    Raises:
        ThreadpingError: none of them can be measured here.
    """
    found = {one: case_of(one, runtimes[one.runtime], here) for one in wanted}
    skipped = tuple(Skipped(one.title, why) for one, why in found.items() if isinstance(why, str))
    ordered = tuple(dict.fromkeys(case for case in found.values() if isinstance(case, Case)))
    if not ordered:
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(one.reason for one in skipped)}.")
    return Cases((Layer(LAYER, ordered, whole=False),), skipped)
