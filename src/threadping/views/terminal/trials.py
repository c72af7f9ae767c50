"""Every trial of a run by itself, experiment by experiment."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping import quantities
from threadping.analysis.declaration import Declaration, Declared
from threadping.analysis.split import Seen, with_ping
from threadping.analysis.standing import Standing, standings
from threadping.analysis.states import NO_STATES, States
from threadping.model import Observation, Run
from threadping.quantities import counted, duration
from threadping.views.terminal import cells, columns
from threadping.views.terminal.console import Trimmed
from threadping.views.terminal.heading import moment
from threadping.views.terminal.names import plain
from threadping.views.terminal.table import Column, FittingTable


def trials_table(
    run: Run, observations: Sequence[Observation], declared: Declared, states: States = NO_STATES
) -> RenderableType:
    """List the trials of a run that ended, in the order in which they did, with the pings around each."""
    ended = f": {len(observations):,} of {counted(run.rounds * len(run.cases), 'trial')} ended"
    title = Text.assemble(("run ", "bold"), moment(run), ended)
    return Trimmed(Group(title, *_tables(observations, standings(observations, states), declared)))


def _tables(
    observations: Sequence[Observation], stood: Sequence[Standing], declared: Declared
) -> Iterator[RenderableType]:
    for name, declaration in declared.items():
        seen = [Seen(0, *both) for both in zip(observations, stood, strict=True) if both[0].case.experiment == name]
        if trials := [with_ping(one, declaration.headline) for one in seen]:
            yield Text(f"\n{name}: {declaration.title}", "bold")
            yield FittingTable(
                [
                    Column("round", [Text(str(one.round), "dim") for one in trials], names=True),
                    *columns.naming([one.case for one in trials]),
                    *_figures(trials, declaration),
                    *_pings([one.standing for one in seen]),
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


def _pings(stood: Sequence[Standing]) -> Iterator[Column]:
    """How far the CPUs stood apart: one figure where they stayed, both where they did not."""
    if any(one.before is not None or one.after is not None for one in stood):
        yield Column("apart", [_apart(one) for one in stood], rank=2)


def _apart(one: Standing) -> Text:
    if not one.crossed:
        return cells.figure("ns", one.core_to_core_ns)
    sides = (cells.figure("ns", ns).plain for ns in (one.before, one.after))
    return Text(f" {quantities.BECAME} ".join(sides), "yellow")


def _why_not(one: Observation) -> Text:
    if one.failure is None:
        return Text("nothing was measured", "red")
    return Text(f"{plain(one.failure.code)}: {plain(one.failure.message)}", "red")
