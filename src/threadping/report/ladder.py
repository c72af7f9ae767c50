"""The ladder: every case of a run, the best first, with what must be known to believe it."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.model import Row, Run
from threadping.report import words
from threadping.report.heading import heading
from threadping.report.layout import Paragraph
from threadping.report.marks import worst_of_their_own
from threadping.report.remarks import remarks
from threadping.report.rungs import Rung
from threadping.report.views import view_of

LABELS = 10


def ladder(run: Run, rows: Sequence[Row]) -> RenderableType:
    """Show a run's rows as a ladder for each experiment, as wide as the console, between a heading and remarks."""
    return Group(*_parts(run, rows))


def rungs(rows: Sequence[Row]) -> list[Rung]:
    """Number the rows, experiment by experiment, each in its own order."""
    experiments = list(dict.fromkeys(row.experiment for row in rows))
    ordered = sorted(rows, key=lambda row: (experiments.index(row.experiment), view_of(row.experiment).order(row)))
    severities = worst_of_their_own(ordered)
    return [
        Rung(number, len(ordered), row, severity)
        for number, (row, severity) in enumerate(zip(ordered, severities, strict=True), start=1)
    ]


def _parts(run: Run, rows: Sequence[Row]) -> Iterator[RenderableType]:
    for label, body in heading(run, rows):
        yield Paragraph(body, Text(label, "dim"), LABELS)
    numbered = rungs(rows)
    experiments = list(dict.fromkeys(rung.row.experiment for rung in numbered))
    for experiment in experiments:
        yield Text()
        if len(experiments) > 1:
            yield Text(words.plain(experiment), "bold")
        shown = [rung for rung in numbered if rung.row.experiment == experiment]
        yield from view_of(experiment).tables(shown)
    yield from remarks(run, numbered)
