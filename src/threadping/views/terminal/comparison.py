"""B against A: the answer first, then a line for each case with its ratio and interval as a dot on a line."""

from collections.abc import Iterator, Sequence
from math import exp, isinf, log

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Unit
from threadping.comparing.compare import Answer as Word
from threadping.comparing.compare import Comparison, Ends
from threadping.comparing.compared import Compared
from threadping.comparing.words import TRIALS, Terms, blocks_of_all, fold, open_to, takes, verdict_of_all
from threadping.model import Case, Comparing, Skipped
from threadping.views.terminal import names
from threadping.views.terminal.announcement import announced
from threadping.views.terminal.console import grouped
from threadping.views.terminal.heading import Flow, took, where
from threadping.views.terminal.lists import reasons
from threadping.views.terminal.table import ROOMY, Column, FittingTable, column, figures, named

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


@grouped
def comparison(answer: Answer, of: Comparing, found: Sequence[Compared]) -> Iterator[RenderableType]:
    """Show what a run says of B against A."""
    run = answer.run
    yield where(run, {case.runtime for case in run.cases})
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
    yield Drawn(tuple(lines), margin, terms)


class Drawn(Struct, frozen=True):
    """The table, whose drawings are as wide as the console lets them be."""

    lines: tuple[Line, ...]
    margin: float
    terms: Terms

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it."""
        width = WIDE if options.max_width >= ROOMY else NARROW
        results = [one.comparison for one in self.lines]
        reach = _reach([one.decides for one in results], self.margin)
        drawings = [drawing(one.ratio, one.decides, self.margin, reach, width) for one in results]
        units, mores = [one.unit for one in self.lines], [one.more for one in self.lines]
        answers = [Text(one.answer.replace("-", " "), STYLES.get(one.answer, ""), justify="left") for one in results]
        yield FittingTable(
            [
                named("case", (one.title for one in self.lines)),
                figures("A", units, (one.values[0] for one in self.lines), 2),
                figures("B", units, (one.values[1] for one in self.lines), 2),
                *([column("", mores, "dim", 2)] if any(mores) else []),
                column("B/A", (fold(one.ratio) for one in results)),
                column("interval", (_ends(one.decides) for one in results)),
                Column(_scale(reach, width), drawings),
                column("sees", (_seen(one.visible) for one in results), "dim", 3),
                Column("B is", answers),
            ],
            below={place: text for place, one in enumerate(results) if (text := self._below(one))},
            silent=True,
        )

    def _below(self, one: Comparison) -> Text | None:
        said, parts = open_to(one, self.terms), []
        if one.answer == "cannot-tell" and len(self.lines) > 1:  # of one the heading says it
            parts.append(said + takes(one, self.margin, self.terms))
        reasons = self.terms.reasons
        parts += [f"{text} ({code})" for code in one.reasons if (text := reasons.get(code, code)) != said]
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
