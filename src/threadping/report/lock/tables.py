"""The two tables of `lock`, and what is to be known of both."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.contract import MechanismDescription
from threadping.model import Row
from threadping.report import figures, words
from threadping.report.layout import Paragraph
from threadping.report.lock.ladder import ladder_grid
from threadping.report.lock.scaling import scaling_grid
from threadping.report.rungs import Rung
from threadping.report.view import sleeps_or_spins

WAIT = "wait for the lock"
"""What a mechanism with a lock measures."""


def order(row: Row) -> tuple[float, ...]:
    """The fewest threads first, and among as many the most operations a second."""
    return (row.threads, float("inf") if row.ops_per_s is None else -row.ops_per_s)


def waiting(mechanism: MechanismDescription) -> str:
    """Nobody waits where there is no lock."""
    return sleeps_or_spins(mechanism) if mechanism.timed == "acquire" else figures.ABSENT


def tables(shown: Sequence[Rung]) -> Iterator[RenderableType]:
    """How mechanisms scale, every case, and which of them have no lock."""
    rows = [rung.row for rung in shown]
    yield scaling_grid(rows)
    yield Text()
    yield ladder_grid(shown)
    lockless = sorted({words.plain(row.mechanism) for row in rows if row.measures != WAIT})
    if lockless:
        what = "have no lock to wait for" if len(lockless) > 1 else "has no lock to wait for"
        told = f"{', '.join(lockless)} {what}: there, the wait is the time of the whole increment."
        yield Paragraph(Text(told, "dim"), Text("*", "dim"), 2)
