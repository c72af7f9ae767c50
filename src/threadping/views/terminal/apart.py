"""Two runs side by side, a run among those before it, and a thing compared with itself."""

from collections.abc import Iterator, Sequence
from math import log

from rich.console import Group, RenderableType
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer, Row
from threadping.analysis.declaration import Unit
from threadping.comparing.apart import Beside, Key
from threadping.comparing.history import FEWEST_NIGHTS, History, Standing
from threadping.comparing.itself import Itself
from threadping.comparing.words import fold
from threadping.views.terminal import cells, names
from threadping.views.terminal.comparison import DOT
from threadping.views.terminal.heading import where
from threadping.views.terminal.table import Column, FittingTable

STRIP = 15
OTHERS = "\N{MIDDLE DOT}"
APART = (
    "measured apart: the machine may have changed in between, so nothing is tested. `threadping compare` with both "
    "sides measures them in turn."
)


def beside_table(one: Answer, other: Answer, beside: Sequence[Beside]) -> RenderableType:
    """Show the rows of two runs that are of the same case and state."""
    of_runs = ((one, [line.one for line in beside]), (other, [line.other for line in beside]))
    columns = [*_named([line.key for line in beside])]
    for answer, rows in of_runs:
        columns.append(Column(f"run {answer.run.id}", [_headline(answer, row) for row in rows]))
        columns.append(Column("\N{PLUS-MINUS SIGN}", [_half(answer, row) for row in rows], rank=1))
    ratios = [Text(fold(line.ratio) if line.ratio else quantities.ABSENT) for line in beside]
    columns.append(Column("ratio", ratios))
    return Group(_where(one), _where(other), Text(), Text(APART, "yellow"), Text(), FittingTable(columns))


def history_table(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> RenderableType:
    """Show where a run stands among others: the oddest figure first."""
    ordered = sorted(results.figures.items(), key=lambda one: -one[1].distance)
    units = [_unit(tonight, key) for key, _ in ordered]
    lines = [(unit, standing) for unit, (_, standing) in zip(units, ordered, strict=True)]
    reached = [f"{cells.written(unit, one.low)} to {cells.written(unit, one.high)}" for unit, one in lines]
    table = FittingTable(
        [
            *_named([key for key, _ in ordered]),
            Column(f"run {tonight.run.id}", [cells.figure(unit, one.tonight) for unit, one in lines]),
            Column("the others", [Text(one) for one in reached]),
            Column("", [_strip(one) for _, one in lines], rank=1),
            Column("below", [Text(f"{one.below} of {one.nights}") for _, one in lines]),
        ],
        silent=True,
    )
    return Group(_where(tonight), Text(), *_outside(others, results), Text(), table)


def itself_table(answer: Answer, results: Sequence[Itself]) -> RenderableType:
    """Show how often each case was said to differ from itself, and which planted shifts were seen."""
    alarms = sum(one.power.false_alarms for one in results)
    made = quantities.counted(sum(one.power.comparisons for one in results), "comparison")
    said = f"{alarms} of {made} said that a thing differs from itself; 1 in 100 may"
    if not results:
        said = "cannot tell: the budget had no room for a comparison"
        return Group(_where(answer), Text(), Text(said, "yellow"))
    shifts = dict.fromkeys(shift for one in results for shift in one.power.seen)
    table = FittingTable(
        [
            Column("case", [Text(names.plain(one.case.title)) for one in results], names=True),
            Column("comparisons", [Text(str(one.power.comparisons)) for one in results]),
            Column("blocks", [Text(str(one.power.blocks[1])) for one in results], rank=2),
            Column("each", [Text(quantities.duration(one.seconds)) for one in results]),
            Column("false alarms", [Text(str(one.power.false_alarms)) for one in results]),
            *(Column(f"+{100 * one:g}%", [Text(f"{each.power.seen[one]:.0%}") for each in results]) for one in shifts),
        ]
    )
    parts: list[RenderableType] = [_where(answer), Text(), Text(said, "bold"), Text(), table]
    if shifts:
        said = "+1% and so on: how often a B that is slower by so much would have been seen in one of them."
        parts.append(Text(said, "dim"))
    return Group(*parts)


def _where(answer: Answer) -> RenderableType:
    return where(answer.run, {case.runtime for case in answer.run.cases})


def _outside(others: Sequence[Answer], results: History[Key]) -> Iterator[Text]:
    number = quantities.counted(results.nights, "run")
    ends = dict.fromkeys((others[0].run.id, others[-1].run.id))
    which = f"{number} before it, {' to '.join(map(str, ends))}"
    if results.outside is None:
        yield Text(f"cannot tell: {FEWEST_NIGHTS} runs are needed, and there are {which}", "yellow")
    elif results.outside:
        yield Text(f"outside what this machine did: odder than each of the {which}", "bold red")
    else:
        yield Text(f"within what this machine did: {results.odder} of the {which}, are as odd or odder", "green")
    if results.outside is not None:
        yield Text(f"Of runs that are alike, {quantities.percent(results.false_alarms)} are outside by chance.", "dim")


def _named(keys: Sequence[Key]) -> Iterator[Column]:
    several = len({key.case.experiment for key in keys}) > 1
    titles = [f"{key.case.experiment} {key.case.title}" if several else key.case.title for key in keys]
    yield Column("case", [Text(names.plain(title)) for title in titles], names=True)
    if any(key.core_to_core_ns for key in keys):
        yield Column("core to core", [cells.figure("ns", key.core_to_core_ns) for key in keys], rank=2)


def _unit(answer: Answer, key: Key) -> Unit:
    declared = answer.declared[key.case.experiment]
    return declared.figure(declared.headline).unit


def _headline(answer: Answer, row: Row) -> Text:
    declared = answer.of(row)
    return cells.figure(declared.figure(declared.headline).unit, row.value(declared.headline))


def _half(answer: Answer, row: Row) -> Text:
    found = answer.headline(row)
    return cells.half(found, len(row.trials)) if found else Text()


def _strip(one: Standing) -> Text:
    """Tonight between the least and the most of the others, on a line that holds all."""
    low, high = min(one.low, one.tonight), max(one.high, one.tonight)
    reach = log(high / low) or 1.0
    drawn = [" "] * STRIP
    first, last, here = (round(log(value / low) / reach * (STRIP - 1)) for value in (one.low, one.high, one.tonight))
    drawn[first : last + 1] = OTHERS * (last + 1 - first)
    drawn[here] = DOT
    return Text("".join(drawn), justify="left")
