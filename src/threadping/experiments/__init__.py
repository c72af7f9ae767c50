"""One module for each question: what it asks first, its figures, its checks. No printing, no storage."""

from threadping.analysis.declaration import Declared
from threadping.experiments import calibration, crowd, gaps, hop, lock, notify, paced, ring, signal
from threadping.experiments.common import Experiment
from threadping.planning.defaults import CaseDefaults

EXPERIMENTS: dict[str, Experiment] = {
    "signal": signal.EXPERIMENT,
    "lock": lock.EXPERIMENT,
    "notify": notify.EXPERIMENT,
    "ring": ring.EXPERIMENT,
    "paced": paced.EXPERIMENT,
    "crowd": crowd.EXPERIMENT,
    "hop": hop.EXPERIMENT,
    "gaps": gaps.EXPERIMENT,
    "calibration": calibration.EXPERIMENT,
}
"""Every experiment, in the order in which they are shown: a new one is a line here."""


def of_run() -> tuple[str, ...]:
    """Return the experiments that are measured together where none is named."""
    return tuple(name for name, one in EXPERIMENTS.items() if not one.own_command)


def case_defaults() -> dict[str, CaseDefaults]:
    """Return what each experiment declares of its cases."""
    return {name: experiment.defaults for name, experiment in EXPERIMENTS.items()}


def declared() -> Declared:
    return {name: experiment.figures for name, experiment in EXPERIMENTS.items()}
