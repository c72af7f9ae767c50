"""The published figures beside ours: a table for each experiment, why others are missing, and the claims."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.model import Case
from threadping.published.comparison import Compared, Judged, Ours, Verdict
from threadping.views.terminal import names
from threadping.views.terminal.console import Trimmed

HEADS = ("published", "here", "", "ratio")
MARKS: dict[Verdict, tuple[str, str]] = {
    "holds here": ("\N{CHECK MARK}", "green"),
    "not here": ("\N{MULTIPLICATION SIGN}", "red"),
    "cannot tell": ("?", "yellow"),
}


def published_tables(answer: Answer, compared: Sequence[Compared], judged: Sequence[Judged]) -> RenderableType:
    """Show what became of published figures, and of what was concluded from them."""
    return Trimmed(Group(*_parts(answer, compared, judged)))


def _parts(answer: Answer, compared: Sequence[Compared], judged: Sequence[Judged]) -> Iterator[RenderableType]:
    run = answer.run
    yield Text(
        names.plain(f"run {run.id}, {run.started[:10]}, {run.machine.cpu_model or 'CPU model not known'}"), "dim"
    )
    for name in dict.fromkeys(one.published.experiment for one in compared):
        of_it = [one for one in compared if one.published.experiment == name]
        yield Text(f"\n{name}", "bold")
        yield Text(of_it[0].published.source, "dim")
        if ours := [one for one in of_it if one.ours]:
            yield from _table(ours)
        for reason in dict.fromkeys(one.reason for one in of_it if not one.ours):
            alike = [one.published for one in of_it if one.reason == reason]
            things = "; ".join(dict.fromkeys(_listed(one.runtime, one.placement) for one in alike))
            said = f"{quantities.counted(len(alike), 'figure')} not compared: {reason} ({things})"
            yield Text(names.plain(said), "dim")
    for number, one in enumerate(judged):
        mark, style = MARKS[one.verdict]
        yield Text() if number else Text("\nWhat was concluded", "bold")
        yield Text.assemble((f"{mark} {one.verdict}", style), f": {one.claim.claim}")
        yield Padding(Text(f"{names.plain(one.why)}.", "dim"), (0, 0, 0, 2))


def _table(compared: Sequence[Compared]) -> Iterator[RenderableType]:
    """A line for each figure and each of our states, below the case that repeats it."""
    yield _line(Text(), *HEADS)
    several = len({one.published.metric for one in compared}) > 1
    by_case: dict[tuple[Case, bool], list[Compared]] = {}
    for one in compared:
        case, wanted = one.ours[0].row.case, one.published.case
        by_case.setdefault((case, bool(wanted and wanted.lines not in (None, case.lines))), []).append(one)
    for (case, elsewhere), of_case in by_case.items():
        yield Text(names.plain(f"{case.title}{f', over {case.lines} lines' if elsewhere else ''}"), "cyan")
        for one in of_case:
            theirs = one.published
            machine = _listed(theirs.metric if several else "", theirs.machine, theirs.os, str(theirs.year))
            for number, ours in enumerate(one.ours):
                state = f"{quantities.time(ours.row.state.core_to_core_ns)} apart" if ours.row.state else ""
                what = Text(names.plain(_listed("" if number else machine, state)))
                ratio = one.ratio(ours)
                figures = (
                    "" if number else written(theirs.unit, theirs.value),
                    written(theirs.unit, ours.estimate.value),
                )
                yield _line(what, *figures, reach(ours), "" if ratio is None else fold(ratio))


def _line(what: Text, *figures: str) -> Table:
    line = Table.grid(padding=(0, 2, 0, 0))
    for width in (9, 8, 11, 7):
        line.add_column(width=width, justify="right", no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(*figures, what)
    return line


def _listed(*words: str) -> str:
    return ", ".join(filter(None, words))


def written(unit: str, value: float) -> str:
    """Write a figure in its unit."""
    return quantities.time(value) if unit == "ns" else quantities.count(value)


def reach(ours: Ours) -> str:
    """How well our figure is known: half of its 95% interval, the range of three to five trials, or their number."""
    estimate, trials = ours.estimate, len(ours.row.trials)
    if estimate.kind == "ci95" and estimate.half is not None:
        return f"\N{PLUS-MINUS SIGN}{estimate.half:.0%}"
    scales = quantities.MULTIPLES if ours.figure == "ops_per_s" else quantities.UNITS
    if estimate.kind == "range":
        return f"({quantities.interval(estimate.value, *estimate.ends, scales)})"
    return quantities.counted(trials, "trial")


def fold(ratio: float) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.3x`, `1,234x`."""
    if ratio < 0.0995:
        return f"{ratio:.2g}x"
    return f"{ratio:.2f}x" if ratio < 9.995 else f"{ratio:.1f}x" if ratio < 99.95 else f"{ratio:,.0f}x"
