"""Verdicts, a line each: the mark, the code, of which cases, and how far the facts reach."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Column, Table
from rich.text import Text

from threadping.analysis import words
from threadping.model import Severity
from threadping.numbers import ranges
from threadping.views.terminal.names import plain
from threadping.views.terminal.rungs import Said

MARKS: dict[Severity, str] = {"error": "\N{BALLOT X}", "warning": "!", "info": "i"}
STYLES: dict[Severity, str] = {"error": "bold red", "warning": "bold yellow", "info": "bold blue"}


def mark(severity: Severity) -> Text:
    """The sign that stands for a severity, coloured where there are colours."""
    return Text(MARKS[severity], STYLES[severity])


def brief(one: Said) -> str:
    """The facts of all its verdicts in a few words."""
    return plain(words.brief(one.check, list(one.verdicts.values())))


def line(one: Said) -> Text:
    """A verdict of the whole machine."""
    return Text.assemble(mark(one.severity), " ", one.check.code, "  ", (brief(one), "dim"))


def table(said: Sequence[Said], cases: int) -> RenderableType:
    """Verdicts of cases, named by their numbers; `cases` is how many there are."""
    grid = Table.grid(Column(no_wrap=True), Column(no_wrap=True), Column(overflow="fold"), padding=(0, 1, 0, 0))
    for one in said:
        numbers = "all" if len(one.verdicts) == cases else ", ".join(ranges(sorted(one.verdicts), 3))
        facts = brief(one)
        grid.add_row(mark(one.severity), f"{one.check.code} ", Text.assemble(numbers, f": {facts}" if facts else ""))
    return grid
