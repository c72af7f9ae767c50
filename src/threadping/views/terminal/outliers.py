"""What took long: below the rows of an experiment, for each cause how many outliers, how long in all, and the worst."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping import quantities
from threadping.analysis.causes import CAUSES
from threadping.analysis.declaration import Declaration, Percentiles
from threadping.views.terminal import cells
from threadping.views.terminal.rungs import Rung
from threadping.views.terminal.table import Column, FittingTable


def outliers_tables(rungs: Sequence[Rung], declared: Declaration) -> Iterator[RenderableType]:
    """A table for each distribution in which anything took long, the most frequent cause first."""
    for of in declared.timed:
        if count := sum(_of(rung, f"{of.outliers}.count") or 0 for rung in rungs):
            yield Text()
            yield _title(rungs, of, int(count))
            yield _table(rungs, of, count)


def _of(rung: Rung, name: str) -> float | None:
    return rung.row.figures.get(name)


def _title(rungs: Sequence[Rung], of: Percentiles, count: int) -> Text:
    samples = sum(_of(rung, f"{of.name}.samples") or 0 for rung in rungs)
    least = [found for rung in rungs if (found := _of(rung, f"{of.outliers}.threshold_ns")) is not None]
    return Text.assemble(
        (f"{of.noun} that took long: {count:,} of {samples:,.0f}", "bold"),
        (f", from {quantities.span(least)} on", "dim"),
    )


def _table(rungs: Sequence[Rung], of: Percentiles, count: float) -> FittingTable:
    """Of what was not kept one by one nobody knows how long it took."""
    number = {cause: sum(_of(rung, f"{of.outliers}.causes.{cause}") or 0 for rung in rungs) for cause in CAUSES}
    found = sorted((cause for cause in CAUSES if number[cause]), key=lambda cause: -number[cause])
    times = {cause: [_of(rung, f"{of.outliers}.time_ns.{cause}") for rung in rungs] for cause in found}
    worst = {cause: [_of(rung, f"{of.outliers}.worst_ns.{cause}") or 0.0 for rung in rungs] for cause in found}
    return FittingTable(
        [
            Column("cause", [Text(cause, "bold") for cause in found], names=True),
            Column("outliers", [cells.figure("count", number[cause]) for cause in found]),
            Column("share", [cells.figure("share", number[cause] / count) for cause in found]),
            Column("time", [cells.figure("ns", sum(filter(None, times[cause])) or None) for cause in found], rank=1),
            Column("worst", [cells.figure("ns", max(worst[cause]) or None) for cause in found]),
            Column("in", [_where(rungs, worst[cause]) for cause in found], rank=2),
        ]
    )


def _where(rungs: Sequence[Rung], worst: Sequence[float]) -> Text:
    return Text(str(rungs[worst.index(max(worst))].number) if max(worst) else quantities.ABSENT, "dim")
