"""One module for each question: which cases it asks, and how its results become rows."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from threadping.experiments import signal
from threadping.machine.readiness import verdicts_for_machine
from threadping.model import Case, Row, Run, Trial

Rows = Callable[[Sequence[Case], Sequence[Trial], int], list[Row]]

EXPERIMENTS: dict[str, Rows] = {
    signal.NAME: signal.rows,
}
"""Every experiment and how its trials become rows, in the order in which they are shown: a new one is a line here."""


def rows_of(run: Run, trials: Sequence[Trial]) -> list[Row]:
    """Every row of a run, experiment by experiment, each with what there is to say about the machine."""
    about_the_machine = tuple(verdicts_for_machine(run.machine))
    return [
        replace(row, verdicts=(*row.verdicts, *about_the_machine))
        for name, rows in EXPERIMENTS.items()
        for row in rows([case for case in run.cases if case.experiment == name], trials, run.seed)
    ]
