"""The cases of a tool: ours that repeat its numbers and, where it is run, those that are the tool itself."""

from collections.abc import Mapping

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

TOOL_LAYER = "what repeats the tool's numbers"
"""What a plan calls its cases: so those that its budget left out are named in a run."""


def runtimes_of(tool: Tool, found: Found, theirs: Described | None) -> dict[str, Described | str]:
    """For each language its runtime, or why there is none; and `theirs`, the tool as a probe, by its name."""
    runtimes: dict[str, Described | str] = {theirs.runtime.label: theirs} if theirs else {}
    for one in tool.numbers:
        if one.case.runtime not in runtimes:
            runtimes[one.case.runtime] = offer_runtime(one.case, found, ())
    return runtimes


def cases_of(tool: Tool, runtimes: Mapping[str, Described | str], here: Inventory) -> Cases:
    """The cases in the order in which they are wanted, and why others fall away.

    The tool, where it is among the runtimes, is run for those of its numbers of which there is a case of ours.

    Raises:
        ThreadpingError: there is none.
    """
    found: dict[WantedCase, Case | str] = {}
    for one in tool.numbers:
        if one.case not in found:
            found[one.case] = case_of(one.case, runtimes[one.case.runtime], here)
        theirs = runtimes.get(tool.name)
        if one.run and theirs and isinstance(found[one.case], Case):
            found[tool.theirs(one)] = case_of(tool.theirs(one), theirs, here)
    skipped = tuple(Skipped(one.title, why) for one, why in found.items() if isinstance(why, str))
    ordered = tuple(dict.fromkeys(case for case in found.values() if isinstance(case, Case)))
    if not ordered:
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(one.reason for one in skipped)}.")
    return Cases((Layer(TOOL_LAYER, ordered, whole=False),), skipped)
