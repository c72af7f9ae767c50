"""The ladder: every case of a run, fastest first, with what must be known to believe it."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import Row, Run
from threadping.report.heading import heading
from threadping.report.layout import Paragraph
from threadping.report.remarks import remarks
from threadping.report.rungs import ladder_grid, rungs

LABELS = 10


def ladder(run: Run, rows: Sequence[Row]) -> RenderableType:
    """Show a run's rows as a ladder for each experiment, as wide as the console, between a heading and remarks."""
    return Group(*_parts(run, rows))


def _parts(run: Run, rows: Sequence[Row]) -> Iterator[RenderableType]:
    for label, body in heading(run, rows):
        yield Paragraph(body, Text(label, "dim"), LABELS)
    numbered = rungs(rows)
    for experiment in dict.fromkeys(rung.row.experiment for rung in numbered):
        yield Text()
        yield ladder_grid(numbered, experiment)
    yield from remarks(run, numbered)
