"""The published figures beside ours: a table for each experiment, why others are missing, and the claims."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.model import Case
from threadping.published.comparison import Compared, Judged, Ours, Verdict
from threadping.views.terminal import names
from threadping.views.terminal.console import grouped

HEADS = ("published", "here", "", "ratio")
MARKS: dict[Verdict, tuple[str, str]] = {
    "holds here": ("\N{CHECK MARK}", "green"),
    "not here": ("\N{MULTIPLICATION SIGN}", "red"),
    "cannot tell": ("?", "yellow"),
}


@grouped
def published_tables(
    answer: Answer, compared: Sequence[Compared], judged: Sequence[Judged]
) -> Iterator[RenderableType]:
    """Show what became of published figures, and of what was concluded from them."""
    run = answer.run
    yield Text(names.plain(f"run {run.id}, {run.started[:10]}, {run.machine.cpu_model or 'unknown CPU'}"), "dim")
    for name in dict.fromkeys(one.published.experiment for one in compared):
        of_it = [one for one in compared if one.published.experiment == name]
        yield Text(f"\n{name}", "bold")
        yield Text(of_it[0].published.source, "dim")
        if ours := [one for one in of_it if one.ours]:
            yield from _table(ours)
        for reason in dict.fromkeys(one.reason for one in of_it if not one.ours):
            alike = [_listed(one.published.runtime, one.published.placement) for one in of_it if one.reason == reason]
            those = f"{quantities.counted(len(alike), 'figure')} not compared"
            yield Text(names.plain(f"{those}: {reason} ({'; '.join(dict.fromkeys(alike))})"), "dim")
    for number, one in enumerate(judged):
        mark, style = MARKS[one.verdict]
        yield Text() if number else Text("\nWhat was concluded", "bold")
        yield Text.assemble((f"{mark} {one.verdict}", style), f": {one.claim.claim}")
        yield Padding(Text(f"{names.plain(one.why)}.", "dim"), (0, 0, 0, 2))


def _table(compared: Sequence[Compared]) -> Iterator[RenderableType]:
    """A line for each figure and each of our states, below the case that repeats it."""
    yield _line(Text(), *HEADS)
    several = len({one.published.metric for one in compared}) > 1
    by_case: dict[Case, list[Compared]] = {}
    for one in compared:
        by_case.setdefault(one.ours[0].row.case, []).append(one)
    for case, of_case in by_case.items():
        as_published = all(one.published.case and one.published.case.lines in (None, case.lines) for one in of_case)
        yield Text(names.plain(f"{case.title}{'' if as_published else f', over {case.lines} lines'}"), "cyan")
        for one in of_case:
            theirs = one.published
            machine = _listed(theirs.metric if several else "", theirs.machine, theirs.os, str(theirs.year))
            write = quantities.time if theirs.unit == "ns" else quantities.count
            for number, ours in enumerate(one.ours):
                state = f"{quantities.time(ours.row.state.core_to_core_ns)} core to core" if ours.row.state else ""
                what = Text(names.plain(_listed("" if number else machine, state)))
                here, ratio = write(ours.estimate.value), one.ratio(ours)
                yield _line(
                    what, "" if number else write(theirs.value), here, reach(ours), fold(ratio) if ratio else ""
                )


def _line(what: Text, *figures: str) -> Table:
    line = Table.grid(padding=(0, 2, 0, 0))
    for width in (9, 8, 11, 7):
        line.add_column(width=width, justify="right", no_wrap=True)
    line.add_column(overflow="fold")
    line.add_row(*figures, what)
    return line


def _listed(*words: str) -> str:
    return ", ".join(filter(None, words))


def reach(ours: Ours) -> str:
    """How well our figure is known: half of its 95% interval, a range in brackets, or how few trials there are."""
    share = f"\N{PLUS-MINUS SIGN}{ours.estimate.half or 0:.0%}"
    few = quantities.counted(len(ours.row.trials), "trial")
    return {"ci95": share, "range": f"({share})", None: few}[ours.estimate.kind]


def fold(ratio: float) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.34x`."""
    return f"{ratio:.2g}x" if ratio < 0.0995 else f"{ratio:,.2f}x"
