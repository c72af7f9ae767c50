"""B against A: the answer first, then a line for each case with its ratio and interval; and runs measured apart."""

from collections.abc import Iterator, Sequence
from math import exp, isinf, log

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult, group
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer, Row
from threadping.analysis.declaration import Unit
from threadping.comparing.apart import FEWEST_NIGHTS, Beside, History, Key, Standing
from threadping.comparing.compare import Answer as Word
from threadping.comparing.compare import Comparison, Ends
from threadping.comparing.compared import Compared
from threadping.comparing.power import Itself
from threadping.comparing.words import TRIALS, Terms, blocks_of_all, fold, open_to, takes, verdict_of_all
from threadping.model import Case, Comparing, Skipped
from threadping.views.terminal import names
from threadping.views.terminal.cells import half, written
from threadping.views.terminal.console import as_wide
from threadping.views.terminal.heading import Flow, took, where
from threadping.views.terminal.lists import announced, reasons
from threadping.views.terminal.table import ROOMY, Column, FittingTable, column, figures, known, named

STYLES: dict[Word, str] = {"slower": "bold red", "faster": "bold green", "cannot-tell": "yellow"}
NARROW, WIDE = 13, 31
"""The cells of a drawing, on a narrow terminal and on a roomy one."""
LEAST_REACH, MOST_REACH = 1.6, 4.0
"""A drawing reaches so many margins to each side; what lies beyond is an arrow."""

DOT, LINE, ONE, MARGIN = "\N{BLACK CIRCLE}", "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BOX DRAWINGS LIGHT VERTICAL}", ":"
CROSSED = "\N{BOX DRAWINGS LIGHT VERTICAL AND HORIZONTAL}"
BELOW, ABOVE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


def comparing(of: Comparing, cases: Sequence[Case], seconds: float, skipped: Sequence[Skipped]) -> RenderableType:
    """Say what a comparison will do, before it begins."""
    sides = f"A is {of.a}, B is {of.b}" if of.what else "each with itself"
    of_a = [names.parts(cases[a], of.what) for a, _ in of.pairs]
    parts = {f"{name}s": [one.get(name, "") for one in of_a] for name in PARTS}
    how = f": {names.plain(sides)}, in blocks of two trials of each in random order, at most "
    return announced(f"Comparing {quantities.counted(len(of.pairs), 'case')}", how, seconds, parts, skipped)


PARTS = ("mechanism", "runtime", "placement")


@group()
def comparison(answer: Answer, of: Comparing, found: Sequence[Compared]) -> Iterator[RenderableType]:
    """Show what a run says of B against A."""
    run = answer.run
    yield where(run)
    shared = shared_parts([one.a for one in found], of.what)
    sides = [Text(f"A {names.plain(of.a)}"), Text(f"B {names.plain(of.b)}")] if of.what else []
    of_all = [*shared.values(), blocks_of_all([one.comparison for one in found]), took(run)]
    yield Flow([*sides, *(Text(text, "dim") for text in of_all if text)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    named = [names.parts(one.a, of.what) for one in found]
    titles = [" ".join(text for name, text in one.items() if name not in shared) for one in named]
    yield from compared(
        [
            Line(title or one.a.experiment, one.metric.unit, one.values, one.comparison)
            for title, one in zip(titles, found, strict=True)
        ],
        of.margin,
    )
    yield from reasons("\nNot compared", run.skipped)


def shared_parts(cases: Sequence[Case], what: str) -> dict[str, str]:
    """What all cases have in common, by the names of `names.parts`, but for their mechanism."""
    named = [names.parts(case, what) for case in cases]
    return {
        name: text
        for name, text in named[0].items()
        if name != "mechanism" and all(one.get(name) == text for one in named)
    }


class Line(Struct, frozen=True):
    """What is compared, with the figures of A and B, and what is said of them; `more` is of the figures."""

    title: str
    unit: Unit
    values: tuple[float | None, float | None]
    comparison: Comparison
    more: str = ""


def compared(lines: Sequence[Line], margin: float, terms: Terms = TRIALS) -> Iterator[RenderableType]:
    """The answer, and a table of what it is made of."""
    comparisons = [one.comparison for one in lines]
    style = next((STYLES[word] for word in STYLES for one in comparisons if one.answer == word), "bold")
    yield Text()
    yield Text(verdict_of_all(comparisons, margin, terms), style)
    yield Text()
    yield _drawn(lines, margin, terms)


@as_wide
def _drawn(
    _console: Console, options: ConsoleOptions, lines: Sequence[Line], margin: float, terms: Terms
) -> RenderResult:
    """The table, whose drawings are as wide as the console lets them be."""
    width = WIDE if options.max_width >= ROOMY else NARROW
    results = [one.comparison for one in lines]
    reach = _reach([one.decides for one in results], margin)
    drawings = [drawing(one.ratio, one.decides, margin, reach, width) for one in results]
    units = [one.unit for one in lines]
    answers = [Text(one.answer.replace("-", " "), STYLES.get(one.answer, ""), justify="left") for one in results]
    yield FittingTable(
        named("case", (one.title for one in lines)),
        figures("A", units, (one.values[0] for one in lines), 2),
        figures("B", units, (one.values[1] for one in lines), 2),
        *known(column("", (one.more for one in lines), "dim", 2)),
        column("B/A", (fold(one.ratio) for one in results)),
        column("interval", (_ends(one.decides) for one in results)),
        Column(_scale(reach, width), drawings),
        column("sees", (_seen(one.visible) for one in results), "dim", 3),
        Column("B is", answers),
        below={
            place: text for place, one in enumerate(results) if (text := _below(one, len(lines) == 1, margin, terms))
        },
        silent=True,
    )


def _below(one: Comparison, alone: bool, margin: float, terms: Terms) -> Text | None:
    said, parts = open_to(one, terms), []
    if one.answer == "cannot-tell" and not alone:  # of one the heading says it
        parts.append(said + takes(one, margin, terms))
    parts += [f"{text} ({code})" for code in one.reasons if (text := terms.reasons.get(code, code)) != said]
    return Text("; ".join(parts), "dim") if parts else None


def _reach(intervals: Sequence[Ends | None], margin: float) -> float:
    """How far the drawing reaches to each side, as a logarithm."""
    ends = [abs(log(end)) for one in intervals if one for end in one if end > 0 and not isinf(end)]
    unit = log(1 + margin)
    return min(max([*ends, LEAST_REACH * unit]), MOST_REACH * unit)


def drawing(ratio: float | None, ends: Ends | None, margin: float, reach: float, width: int) -> Text:
    """Draw an interval as a line with a dot at the ratio, between marks at 1 and at the margins."""

    def place(value: float) -> int:
        at = -reach if value <= 0 else reach if isinf(value) else min(max(log(value), -reach), reach)
        return round((at + reach) / (2 * reach) * (width - 1))

    drawn = [" "] * width
    drawn[place(1 / (1 + margin))] = drawn[place(1 + margin)] = MARGIN
    drawn[place(1.0)] = ONE
    if ratio is not None and ends is not None:
        low, high = ends
        for at in range(place(low), place(high) + 1):
            drawn[at] = CROSSED if drawn[at] == ONE else LINE
        if low <= 0 or log(low) < -reach:
            drawn[0] = BELOW
        if isinf(high) or log(high) > reach:
            drawn[-1] = ABOVE
        if abs(log(ratio)) <= reach:
            drawn[place(ratio)] = DOT
    return Text("".join(drawn), justify="left")


def _scale(reach: float, width: int) -> str:
    """The head of the drawings: the ends of their scale."""
    low, high = (f"{100 * (exp(end) - 1):+.0f}%" for end in (-reach, reach))
    return low + " " * (width - len(low) - len(high)) + high


def _seen(visible: float | None) -> str:
    if visible is None:
        return quantities.ABSENT
    return f"{100 * (visible - 1):.1f}%" if visible < 2 else fold(visible)


def _ends(ends: Ends | None) -> str:
    if ends is None or ends[0] <= 0 or isinf(ends[1]):
        return quantities.ABSENT
    low, high = (fold(end).removesuffix("x") for end in ends)
    return f"{low}{quantities.TO}{high}"


STRIP = 15
OTHERS = "\N{MIDDLE DOT}"
APART = (
    "measured apart: the machine may have changed in between, so nothing is tested. `threadping compare` with both "
    "sides measures them in turn."
)


@group()
def beside_table(one: Answer, other: Answer, beside: Sequence[Beside]) -> Iterator[RenderableType]:
    """Show the rows of two runs that are of the same case and state."""
    of_runs = ((one, [line.one for line in beside]), (other, [line.other for line in beside]))
    columns = _named([line.key for line in beside])
    for answer, rows in of_runs:
        columns += headlines(f"run {answer.run.id}", answer, rows)
    yield from (where(one.run), where(other.run), Text(), Text(APART, "yellow"), Text())
    yield FittingTable(*columns, column("ratio", (fold(line.ratio) for line in beside)))


@group()
def history_table(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> Iterator[RenderableType]:
    """Show where a run stands among others: the oddest figure first."""
    ordered = sorted(results.figures.items(), key=lambda one: -one[1].distance)
    units = [tonight.declared[key.case.experiment].leading.unit for key, _ in ordered]
    standings = [standing for _, standing in ordered]
    of_others = zip(units, standings, strict=True)
    yield where(tonight.run)
    yield from (Text(), *_outside(others, results), Text())
    yield FittingTable(
        *_named([key for key, _ in ordered]),
        figures(f"run {tonight.run.id}", units, (one.tonight for one in standings)),
        column("the others", (f"{written(unit, one.low)} to {written(unit, one.high)}" for unit, one in of_others)),
        column("", map(_strip, standings), rank=1),
        column("below", (f"{one.below} of {one.nights}" for one in standings)),
        silent=True,
    )


@group()
def itself_table(answer: Answer, results: Sequence[Itself]) -> Iterator[RenderableType]:
    """Show how often each case was said to differ from itself, and which planted shifts were seen."""
    yield from (where(answer.run), Text())
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
        named("case", (names.plain(one.case.title) for one in results)),
        column("comparisons", (str(one.comparisons) for one in powers)),
        column("blocks", (str(one.blocks[1]) for one in powers), rank=2),
        column("each", (quantities.duration(one.seconds) for one in results)),
        column("false alarms", (str(one.false_alarms) for one in powers)),
        *(column(f"+{100 * shift:g}%", (f"{one.seen[shift]:.0%}" for one in powers)) for shift in shifts),
    )
    if shifts:
        yield Text("+1% and so on: how often a B that is slower by so much would have been seen in one of them.", "dim")


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
    states = figures("core to core", "ns", (key.core_to_core_ns for key in keys), 2)
    return [named("case", map(names.plain, titles)), *known(states)]


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
