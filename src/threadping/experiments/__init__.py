"""Experiments: what each asks first, its figures, its checks. No printing, no storage."""

from threadping.analysis.declaration import Declared
from threadping.experiments.common import Experiment
from threadping.experiments.jitter import JITTER
from threadping.experiments.lock import LOCK
from threadping.experiments.queues import LOAD, QUEUE
from threadping.experiments.signals import BARRIER, NETWORK, SELF_TEST, SIGNAL, WAKEUP
from threadping.planning.defaults import CaseDefaults

EXPERIMENTS: dict[str, Experiment] = {
    "signal": SIGNAL,
    "lock": LOCK,
    "wakeup": WAKEUP,
    "queue": QUEUE,
    "load": LOAD,
    "barrier": BARRIER,
    "network": NETWORK,
    "jitter": JITTER,
    "self-test": SELF_TEST,
}
"""Every experiment, in the order in which they are shown: a new one is a line here."""


def of_run() -> tuple[str, ...]:
    """Return the experiments that are measured together where none is named."""
    return tuple(name for name, one in EXPERIMENTS.items() if not one.own_command)


def case_defaults() -> dict[str, CaseDefaults]:
    return {name: experiment.defaults for name, experiment in EXPERIMENTS.items()}


def declared() -> Declared:
    return {name: experiment.figures for name, experiment in EXPERIMENTS.items()}
