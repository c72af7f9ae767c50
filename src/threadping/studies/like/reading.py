"""What a run says of a tool's numbers: the cases that repeat them, by the tool's rules and by ours."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import Estimate, estimate
from threadping.analysis.ratio import is_beyond, ratio
from threadping.analysis.validity import validity_of
from threadping.model.bounds import Record
from threadping.model.cases import Case, Skipped
from threadping.model.errors import ThreadpingError
from threadping.planning.budget import Layer
from threadping.planning.cases import Cases
from threadping.planning.selection import Inventory
from threadping.probes.description import Described
from threadping.probes.runtimes import Found
from threadping.studies.like.tools import Number, Tool, ns_of_trials
from threadping.studies.repeating import (
    OurFigure,
    WantedCase,
    case_of,
    disturbance,
    figures_of,
    find_case,
    offer_runtime,
    why_without,
)

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


HELD_WITHIN = 0.02
"""A case that repeats a number word for word is held to it within so much."""

LikeVerdict = Literal["within 2%", "differs", "cannot tell", "nearest"]


class LikeFigure(Record, frozen=True):
    """A number of a tool, with ours in one state of the machine.

    Attributes:
        number: of the tool.
        ours: our headline; None where there is none.
        by_their_rules: our figure as the tool would print it.
        reason: why there is no figure of ours, or what sets it apart.
        times: how long what the tool counts as one takes, in our operations: 2 of a round trip; the median of trials.
        theirs: what the tool printed, over its trials; None where it was not run.
        ratio: how many times theirs ours is, by their rules.
        their_reason: why there is nothing of theirs, where the tool was run.
    """

    number: Number
    ours: OurFigure | None = None
    by_their_rules: Estimate | None = None
    reason: str | None = None
    times: float | None = None
    theirs: Estimate | None = None
    ratio: Estimate | None = None
    their_reason: str | None = None

    @property
    def verdict(self) -> LikeVerdict | None:
        """Whether ours is what the tool prints; None where it was not run."""
        if self.ratio is None:
            return None
        if self.number.nearest:
            return "nearest"
        ends = self.ratio.ends
        if self.ratio.kind != "ci95":
            return "cannot tell"
        above, below = is_beyond(ends, 1 + HELD_WITHIN), is_beyond(ends, 1 - HELD_WITHIN)
        if above is False and below is True:
            return "within 2%"
        return "differs" if above is True or below is False else "cannot tell"


def figures_like(tool: Tool, answer: Answer, *, itself: bool) -> list[LikeFigure]:
    """Every number of a tool, in each state of the machine, that of most trials first."""
    found: list[LikeFigure] = []
    for one in tool.numbers:
        found += _of_number(tool, one, answer, itself=itself and one.run is not None)
    return found


def _of_number(tool: Tool, number: Number, answer: Answer, *, itself: bool) -> list[LikeFigure]:
    case = find_case(number.case, answer.run)
    headline = _headline(number.case, case is not None, answer)
    ours = figures_of(case, headline, answer) if case and headline else []
    theirs = _rows(tool.theirs(number), answer) if itself else []
    if not ours:
        return [LikeFigure(number, reason=why_without(number.case, case, answer, TOOL_LAYER, f"like {tool.name}"))]
    return [_beside(tool, number, one, theirs, answer, itself=itself) for one in ours]


def _headline(wanted: WantedCase, is_there: bool, answer: Answer) -> str:
    """The name of the headline of the case's experiment; empty where the run has no such case."""
    case = find_case(wanted, answer.run) if is_there else None
    return answer.declared[case.experiment].headline_of(case) if case else ""


def _rows(wanted: WantedCase, answer: Answer) -> list[Row]:
    case = find_case(wanted, answer.run)
    return [row for row in answer.rows if row.case == case and row.trials]


def _beside(
    tool: Tool, number: Number, ours: OurFigure, theirs: Sequence[Row], answer: Answer, *, itself: bool
) -> LikeFigure:
    """One row of ours beside the tool's of the same state."""
    reading, taken = number.reading, ns_of_trials(ours.row, number.figure)
    reason, _ = disturbance(ours.row)
    mine = [reading.number_of(ns) for ns in taken]
    by_their_rules = estimate(mine) if mine else _pooled(number, ours.row)
    if by_their_rules is None:
        return LikeFigure(number, ours, reason="its trials have too few samples for it; a longer --budget has more")
    found = LikeFigure(number, ours, by_their_rules, reason, _times(number, ours, taken))
    if not itself or not mine:
        return found
    alike = next((row for row in theirs if row.state == ours.row.state), None)
    if alike and not (valid := validity_of((ours.row, alike), "compare")).is_usable:
        return replace(found, their_reason=valid.why)
    printed = [reading.number_of(ns) for ns in ns_of_trials(alike, "latency_ns.mean")] if alike else []
    if not printed:
        return replace(found, their_reason=_why_not_run(tool, number, theirs, answer))
    return replace(found, theirs=estimate(printed), ratio=ratio(mine, printed))


def _pooled(number: Number, row: Row) -> Estimate | None:
    """Ours by the tool's rules where single trials do not carry it and all of them together do."""
    known = row.figures.get(number.figure)
    if known is None:
        return None
    low, high = sorted(number.reading.number_of(end) for end in known.ends)
    value = number.reading.number_of(known.value)
    return Estimate(value, low, high, known.kind) if known.kind else Estimate(value)


def _times(number: Number, ours: OurFigure, taken: Sequence[float]) -> float | None:
    """What the tool counts as one, in our operations; None where single trials do not say it."""
    own = ns_of_trials(ours.row, ours.figure)
    if not own or len(own) != len(taken):
        return None
    return number.reading.operations * median(one / other for one, other in zip(taken, own, strict=True))


def _why_not_run(tool: Tool, number: Number, theirs: Sequence[Row], answer: Answer) -> str:
    if any(row.figures for row in theirs):
        return "it was not run in the same state of the machine"
    wanted = tool.theirs(number)
    return why_without(wanted, find_case(wanted, answer.run), answer, TOOL_LAYER, f"like {tool.name}")
