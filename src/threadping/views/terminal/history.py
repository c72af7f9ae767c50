"""The runs that are stored."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping import quantities
from threadping.model import Run
from threadping.views.terminal.heading import local_time, seconds, status
from threadping.views.terminal.names import plain
from threadping.views.terminal.table import Column, FittingTable


def runs_table(runs: Sequence[tuple[Run, int]]) -> RenderableType:
    """List runs, each with the number of its trials that ended."""
    if not runs:
        return Text("No run is stored yet. `threadping run` measures one.")
    experiments = [dict.fromkeys(plain(case.experiment) for case in run.cases) for run, _ in runs]
    return FittingTable(
        [
            Column("run", [Text(str(run.id), "bold") for run, _ in runs], names=True),
            Column("started", [Text(local_time(run.started)) for run, _ in runs], names=True),
            Column("status", [status(run) for run, _ in runs], names=True),
            Column("host", [Text(plain(run.machine.hostname)) for run, _ in runs], names=True),
            Column("experiments", [Text(", ".join(names)) for names in experiments], 1, names=True),
            Column("cases", [Text(f"{len(run.cases):,}") for run, _ in runs], 2),
            Column("trials", [Text(f"{ended:,}/{run.rounds * len(run.cases):,}") for run, ended in runs]),
            Column("took", [_took(run) for run, _ in runs], 3),
        ],
        below={place: Text(plain(run.note), "dim") for place, (run, _) in enumerate(runs) if run.note},
    )


def _took(run: Run) -> Text:
    took = seconds(run)
    return Text(quantities.ABSENT, "dim") if took is None else Text(quantities.duration(took))
