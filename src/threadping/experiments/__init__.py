"""One room for each question: which cases it asks, and how its results become rows."""

from collections.abc import Sequence

from msgspec.structs import replace

from threadping.experiments import lock, signal
from threadping.experiments.experiment import Experiment
from threadping.machine.readiness import verdicts_for_machine
from threadping.model import Row, Run, Trial
from threadping.pace import Paces

EXPERIMENTS: dict[str, Experiment] = {
    signal.NAME: signal.EXPERIMENT,
    lock.NAME: lock.EXPERIMENT,
}
"""Every experiment, in the order in which they are shown: a new one is a line here."""


def paces() -> Paces:
    """What a plan must know of the trials of each experiment."""
    return {name: experiment.pace for name, experiment in EXPERIMENTS.items()}


def rows_of(run: Run, trials: Sequence[Trial]) -> list[Row]:
    """A row for each case of a run, experiment by experiment, with what there is to say about the machine."""
    about_the_machine = tuple(verdicts_for_machine(run.machine))
    rows = (
        experiment.row(case, [trial for trial in trials if trial.case == case], run.seed)
        for name, experiment in EXPERIMENTS.items()
        for case in run.cases
        if case.experiment == name
    )
    return [replace(row, verdicts=(*row.verdicts, *about_the_machine)) for row in rows]
