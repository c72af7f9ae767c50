"""Every trial of a run by itself, experiment by experiment."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping.figures.declaration import Declaration, Declared
from threadping.model import Observation, Run
from threadping.quantities import counted, duration
from threadping.report import columns
from threadping.report.console import Trimmed
from threadping.report.heading import moment
from threadping.report.names import plain
from threadping.report.table import Column, FittingTable


def trials_table(run: Run, observations: Sequence[Observation], declared: Declared) -> RenderableType:
    """List the trials of a run that ended, in the order in which they did."""
    ended = f": {len(observations):,} of {counted(run.rounds * len(run.cases), 'trial')} ended"
    title = Text.assemble(("run ", "bold"), moment(run), ended)
    return Trimmed(Group(title, *_tables(observations, declared)))


def _tables(observations: Sequence[Observation], declared: Declared) -> Iterator[RenderableType]:
    for name, declaration in declared.items():
        if trials := [one for one in observations if one.case.experiment == name]:
            yield Text(f"\n{name}: {declaration.title}", "bold")
            yield FittingTable(
                [
                    Column("round", [Text(str(one.round), "dim") for one in trials], names=True),
                    *columns.naming([one.case for one in trials]),
                    *_figures(trials, declaration),
                    Column("took", [Text(duration(one.wall_ns / 1e9)) for one in trials], rank=1),
                ],
                across={place: _why_not(one) for place, one in enumerate(trials) if not one.figures},
            )


def _figures(trials: Sequence[Observation], declared: Declaration) -> Iterator[Column]:
    for figure in declared.figures:
        if figure.column and figure.column.of_trials:
            values = [one.figures.get(figure.name) for one in trials]
            style = "bold" if figure.name == declared.headline else ""
            yield from columns.figures(figure.column.head, figure.column.rank, figure.unit, values, style)


def _why_not(one: Observation) -> Text:
    if one.failure is None:
        return Text("nothing was measured", "red")
    return Text(f"{plain(one.failure.code)}: {plain(one.failure.message)}", "red")
