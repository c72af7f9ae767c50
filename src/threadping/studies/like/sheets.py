"""What is shown of a tool's numbers: a sheet of them, of all tools, and what is in each, in words."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.figures import Unit
from threadping.analysis.percentiles import Estimate
from threadping.model.bounds import Record
from threadping.output import cells
from threadping.output.cells import Field, Sheet, attribute
from threadping.output.entries import RunEntry
from threadping.output.findings import mark, unusable
from threadping.output.grid import Block, Indented, grid_of
from threadping.output.heading import next_commands, to_resume, where
from threadping.output.names import plain
from threadping.studies.like.reading import LikeFigure, LikeVerdict
from threadping.studies.like.tools import Tool
from threadping.studies.repeating import ABOUT, OUR_CASE, OUR_FIGURE, ends, if_repeated, times

LIKE_MARKS: dict[LikeVerdict, tuple[str, str]] = {
    "within 2%": ("\N{CHECK MARK}", "green"),
    "differs": ("\N{MULTIPLICATION SIGN}", "red"),
    "cannot tell": ("?", "yellow"),
    "nearest": ("\N{ALMOST EQUAL TO}", "dim"),
}


class LikeEntry(Record, frozen=True):
    """What JSON says beside the numbers: the tool, where it is, and what was read of it."""

    tool: str
    url: str
    source: str
    run: RunEntry


def _unit(one: LikeFigure) -> Unit:
    return one.number.reading.unit


BY_RULES = attrgetter("by_their_rules")


def _by_their_rules(one: LikeFigure) -> Text:
    return cells.figure(_unit(one), one.by_their_rules)


def _how_sure(one: LikeFigure) -> Text | str:
    if one.ours is None or one.by_their_rules is None:
        return ""
    return cells.sure(_unit(one), one.by_their_rules, len(one.ours.row.trials))


def _theirs(one: LikeFigure) -> Text | str:
    return cells.figure(_unit(one), one.theirs) if one.theirs else ""


PROTOCOL_FIELDS = ("times", "divides", "creation", "placement", "over", "unit", "contains", "differs")
"""What is said of a number, in its tool's entry."""


def numbers_sheet(found: Sequence[LikeFigure]) -> Sheet[LikeFigure]:
    """A line for each number and each of our states."""
    words = [attribute(f"number.{name}", key=f"protocol.{name}", type=str) for name in PROTOCOL_FIELDS]
    table: tuple[Field[LikeFigure], ...] = (
        Field(head="by its rules", key="by_their_rules", type=Estimate, of=BY_RULES, write=_by_their_rules),
        Field(head=ABOUT, of=BY_RULES, write=_how_sure, rank=1),
        *(if_repeated(replace(one, rank=2) if one.head == ABOUT else one) for one in OUR_FIGURE),
        Field(head="is", key="times", type=float | None, of=attrgetter("times"), write=_fold),
        Field(head="itself", key="theirs", type=Estimate, of=attrgetter("theirs"), write=_theirs, if_known=True),
        Field(head="ours / its", key="ratio", type=Estimate, of=attrgetter("ratio"), write=_ratio, if_known=True),
        Field(head="95% interval", of=attrgetter("ratio"), write=lambda one: ends(one.ratio), rank=2, if_known=True),
        Field(key="verdict", type=LikeVerdict | None, of=attrgetter("verdict")),
        Field(key="reason", type=str | None, of=attrgetter("reason")),
        Field(key="their_reason", type=str | None, of=attrgetter("their_reason")),
    )
    name: Field[LikeFigure] = Field(head="number", key="number", of=attrgetter("number.name"), style="bold", names=True)
    rule: Field[LikeFigure] = Field(key="rule", of=attrgetter("number.rule"))
    nearest: Field[LikeFigure] = Field(key="nearest", type=bool, of=attrgetter("number.nearest"))
    case: Field[LikeFigure] = Field(head="repeated by", of=_case, names=True, least=20)
    return Sheet("numbers", (name, rule, nearest, *words, case, *(if_repeated(one) for one in OUR_CASE), *table), found)


def _case(one: LikeFigure) -> str:
    of = plain(one.ours.row.case.title) if one.ours else plain(one.number.case.title)
    return f"\N{ALMOST EQUAL TO} {of}" if one.number.nearest else of


def _fold(one: LikeFigure) -> str:
    if one.times is None:
        return ""
    return f"{one.times:,.0f}x" if one.times >= MANY else times(Estimate(one.times))


MANY = 1_000
"""Of so many operations in one number nobody asks for hundredths."""


def _ratio(one: LikeFigure) -> Text | str:
    if one.ratio is None or one.verdict is None:
        return ""
    return Text.assemble(times(one.ratio), " ", LIKE_MARKS[one.verdict])


def tools_sheet(every: Sequence[Tool]) -> Sheet[Tool]:
    """A line for each tool that is known."""
    fields: tuple[Field[Any], ...] = (
        Field(head="tool", key="tool", of=attrgetter("name"), style="bold", names=True),
        Field(head="what it is", key="says", of=attrgetter("says"), names=True),
        Field(head="numbers", key="numbers", of=lambda one: ", ".join(of.name for of in one.numbers), names=True),
        Field(head="--run", key="runs", of=lambda one: "yes" if one.runs else "", names=True),
        Field(key="url", of=attrgetter("url")),
        Field(key="source", of=attrgetter("source")),
    )
    return Sheet("tools", fields, every)


# ---- what a person sees ----


def show_like(tool: Tool, answer: Answer, found: Sequence[LikeFigure]) -> Iterator[Block]:
    """The numbers in a table, what is in each, and what was read of the tool."""
    yield from unusable(answer)
    yield where(answer.run)
    yield Text(f"\n{tool.name}: {tool.says}", "bold")
    yield grid_of(numbers_sheet(found))
    for number in dict.fromkeys(one.number for one in found):
        yield Text.assemble("\n", (number.name, "bold"), f"  {plain(number.contains)}")
        of_it = f"It times {number.times}, and divides by {number.divides}: {number.over}, in {number.unit}."
        yield Indented(Text(of_it, "dim"))
        yield Indented(Text(f"Creation: {number.creation}. Placement: {number.placement}.", "dim"))
        if number.differs:
            yield Indented(Text(f"{'Nearest' if number.nearest else 'Differs'}: {number.differs}.", "dim"))
        yield from _said_of(one for one in found if one.number == number)
    yield Text()
    yield Text.assemble((f"Read: {tool.source}. ", "dim"), (tool.url, f"link {tool.url}"))
    yield from next_commands(to_resume(answer.run))


def _said_of(found: Iterable[LikeFigure]) -> Iterator[Block]:
    """What became of a number beside the tool, and why something of it is missing."""
    for one in found:
        if one.verdict:
            sign, colour = LIKE_MARKS[one.verdict]
            yield Indented(Text.assemble((f"{sign} {one.verdict}", colour), f": {sentence_of(one)}"))
        for why in filter(None, (one.reason, one.their_reason)):
            yield Indented(Text.assemble(mark("warning"), f" {plain(why)}"))


def sentence_of(one: LikeFigure) -> str:
    """Our figure by the tool's rules beside what the tool printed: `ours is 1.01x (0.99 to 1.02) of its 27.1 ns`."""
    assert one.ratio and one.theirs
    reach = f" ({ends(one.ratio)})" if ends(one.ratio) else " (too few trials for an interval)"
    return f"ours is {times(one.ratio)}{reach} of its {cells.figure(_unit(one), one.theirs).plain}"


def lead_of(found: Sequence[LikeFigure]) -> list[Block]:
    """A line for each number: ours by its rules, and what that is in ours."""
    lines: list[Block] = []
    for one in found:
        if one.by_their_rules is None or one.ours is None:
            continue
        said = f"{one.number.name}: {cells.figure(_unit(one), one.by_their_rules).plain} by its rules"
        lines.append(Text(f"{said}, {_fold(one)} our {cells.figure(one.ours.unit, one.ours.value).plain}"))
    return lines
