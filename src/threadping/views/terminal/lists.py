"""Lists: of the stored runs, of the runtimes, and of what is not there by reason."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from threadping import quantities
from threadping.model import Run, Runtime, Skipped
from threadping.views.terminal.heading import local_time, seconds, status
from threadping.views.terminal.names import plain
from threadping.views.terminal.table import Column, FittingTable, labelled


def reasons(title: str, skipped: Sequence[Skipped]) -> Iterator[RenderableType]:
    """List what is not there below a title, things with one reason together; nothing if nothing is missing."""
    things: dict[str, dict[str, None]] = {}
    for one in skipped:
        things.setdefault(plain(one.reason), {})[plain(one.what)] = None
    if things:
        yield Text(title, "bold")
        texts = [Text.assemble((", ".join(names), "bold"), f": {reason}") for reason, names in things.items()]
        yield labelled([("-", text) for text in texts])


def runs_table(runs: Sequence[tuple[Run, int]]) -> RenderableType:
    """List runs, each with the number of its trials that ended."""
    if not runs:
        return Text("No run is stored yet. `threadping run` measures one.")
    experiments = [
        ["matrix"] if run.matrix else dict.fromkeys(plain(case.experiment) for case in run.cases) for run, _ in runs
    ]
    return FittingTable(
        [
            Column("run", [Text(str(run.id), "bold") for run, _ in runs], names=True),
            Column("started", [Text(local_time(run.started)) for run, _ in runs], names=True),
            Column("status", [status(run) for run, _ in runs], names=True),
            Column("host", [Text(plain(run.machine.hostname)) for run, _ in runs], names=True),
            Column("experiments", [Text(", ".join(names)) for names in experiments], 1, names=True),
            Column("cases", [Text(f"{run.matrix.cases if run.matrix else len(run.cases):,}") for run, _ in runs], 2),
            Column(
                "trials", [Text(f"{ended:,}/{run.planned:,}" if run.planned else f"{ended:,}") for run, ended in runs]
            ),
            Column("took", [_took(run) for run, _ in runs], 3),
        ],
        below={place: Text(plain(run.note), "dim") for place, (run, _) in enumerate(runs) if run.note},
    )


def _took(run: Run) -> Text:
    took = seconds(run)
    return Text(quantities.ABSENT, "dim") if took is None else Text(quantities.duration(took))


def runtimes_table(found: Sequence[Runtime], unusable: Sequence[Skipped]) -> RenderableType:
    """List the runtimes that answer, each with its command, and what is missing or does not."""
    table = FittingTable(
        [
            Column("runtime", [Text(plain(one.label), "bold") for one in found], names=True),
            Column("version", [Text(plain(one.version)) for one in found], names=True),
        ],
        below={place: Text(plain(" ".join(one.command)), "dim") for place, one in enumerate(found)},
    )
    return Group(table if found else Text("No runtime answers.", "bold red"), *reasons("\nNot usable", unusable))
