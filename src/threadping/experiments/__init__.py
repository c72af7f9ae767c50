"""One module for each question: which cases it asks, and how its results become rows."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.experiments import signal
from threadping.machine.readiness import verdicts_for_machine
from threadping.model import Case, Row, Run, Trial

Rows = Callable[[Sequence[Case], Sequence[Trial], int], list[Row]]


class Experiment(Struct, frozen=True):
    """The mechanisms that are measured first when none is named, and how trials become rows."""

    classic: tuple[str, ...]
    rows: Rows


EXPERIMENTS: dict[str, Experiment] = {
    signal.NAME: Experiment(signal.CLASSIC, signal.rows),
}
"""Every experiment, in the order in which they are shown: a new one is a line here."""


def rows_of(run: Run, trials: Sequence[Trial]) -> list[Row]:
    """Every row of a run, experiment by experiment, each with what there is to say about the machine."""
    about_the_machine = tuple(verdicts_for_machine(run.machine))
    return [
        replace(row, verdicts=(*row.verdicts, *about_the_machine))
        for name, experiment in EXPERIMENTS.items()
        for row in experiment.rows([case for case in run.cases if case.experiment == name], trials, run.seed)
    ]
