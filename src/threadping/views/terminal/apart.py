"""Two runs side by side, a run among those before it, and a thing compared with itself."""

from collections.abc import Iterator, Sequence
from math import log

from rich.console import RenderableType
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer, Row
from threadping.comparing.apart import Beside, Key
from threadping.comparing.history import FEWEST_NIGHTS, History, Standing
from threadping.comparing.itself import Itself
from threadping.comparing.words import fold
from threadping.views.terminal import names
from threadping.views.terminal.cells import half, written
from threadping.views.terminal.comparison import DOT
from threadping.views.terminal.console import grouped
from threadping.views.terminal.heading import where
from threadping.views.terminal.table import Column, FittingTable, column, figures, named

STRIP = 15
OTHERS = "\N{MIDDLE DOT}"
APART = (
    "measured apart: the machine may have changed in between, so nothing is tested. `threadping compare` with both "
    "sides measures them in turn."
)


@grouped
def beside_table(one: Answer, other: Answer, beside: Sequence[Beside]) -> Iterator[RenderableType]:
    """Show the rows of two runs that are of the same case and state."""
    of_runs = ((one, [line.one for line in beside]), (other, [line.other for line in beside]))
    columns = _named([line.key for line in beside])
    for answer, rows in of_runs:
        columns += headlines(f"run {answer.run.id}", answer, rows)
    yield from (_where(one), _where(other), Text(), Text(APART, "yellow"), Text())
    yield FittingTable([*columns, column("ratio", (fold(line.ratio) for line in beside))])


@grouped
def history_table(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> Iterator[RenderableType]:
    """Show where a run stands among others: the oddest figure first."""
    ordered = sorted(results.figures.items(), key=lambda one: -one[1].distance)
    units = [tonight.declared[key.case.experiment].leading.unit for key, _ in ordered]
    standings = [standing for _, standing in ordered]
    of_others = zip(units, standings, strict=True)
    yield from (_where(tonight), Text(), *_outside(others, results), Text())
    yield FittingTable(
        [
            *_named([key for key, _ in ordered]),
            figures(f"run {tonight.run.id}", units, (one.tonight for one in standings)),
            column("the others", (f"{written(unit, one.low)} to {written(unit, one.high)}" for unit, one in of_others)),
            column("", map(_strip, standings), rank=1),
            column("below", (f"{one.below} of {one.nights}" for one in standings)),
        ],
        silent=True,
    )


@grouped
def itself_table(answer: Answer, results: Sequence[Itself]) -> Iterator[RenderableType]:
    """Show how often each case was said to differ from itself, and which planted shifts were seen."""
    yield from (_where(answer), Text())
    if not results:
        yield Text("cannot tell: the budget had no room for a comparison", "yellow")
        return
    powers = [one.power for one in results]
    made = quantities.counted(sum(one.comparisons for one in powers), "comparison")
    alarms = sum(one.false_alarms for one in powers)
    yield Text(f"{alarms} of {made} said that a thing differs from itself; 1 in 100 may", "bold")
    yield Text()
    shifts = dict.fromkeys(shift for one in powers for shift in one.seen)
    yield FittingTable(
        [
            named("case", (names.plain(one.case.title) for one in results)),
            column("comparisons", (str(one.comparisons) for one in powers)),
            column("blocks", (str(one.blocks[1]) for one in powers), rank=2),
            column("each", (quantities.duration(one.seconds) for one in results)),
            column("false alarms", (str(one.false_alarms) for one in powers)),
            *(column(f"+{100 * shift:g}%", (f"{one.seen[shift]:.0%}" for one in powers)) for shift in shifts),
        ]
    )
    if shifts:
        yield Text("+1% and so on: how often a B that is slower by so much would have been seen in one of them.", "dim")


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


def _named(keys: Sequence[Key]) -> list[Column]:
    several = len({key.case.experiment for key in keys}) > 1
    titles = [f"{key.case.experiment} {key.case.title}" if several else key.case.title for key in keys]
    states = figures("core to core", "ns", [key.core_to_core_ns for key in keys], 2)
    return [named("case", map(names.plain, titles)), *([states] if any(key.core_to_core_ns for key in keys) else [])]


def headlines(head: str, answer: Answer, rows: Sequence[Row | None]) -> list[Column]:
    """The headline of each row, and half of its interval."""
    found = [answer.headline(row) if row else None for row in rows]
    units = [answer.of(row).leading.unit if row else "ns" for row in rows]
    halves = [half(one, len(row.trials)) if row and one else "" for row, one in zip(rows, found, strict=True)]
    return [
        figures(head, units, (one.value if one else None for one in found)),
        column("\N{PLUS-MINUS SIGN}", halves, rank=1),
    ]


def _strip(one: Standing) -> Text:
    """Tonight between the least and the most of the others, on a line that holds all."""
    low, high = min(one.low, one.tonight), max(one.high, one.tonight)
    reach = log(high / low) or 1.0
    drawn = [" "] * STRIP
    first, last, here = (round(log(value / low) / reach * (STRIP - 1)) for value in (one.low, one.high, one.tonight))
    drawn[first : last + 1] = OTHERS * (last + 1 - first)
    drawn[here] = DOT
    return Text("".join(drawn), justify="left")
