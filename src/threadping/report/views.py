"""How each experiment is shown: a new one is a folder beside this, and a line here."""

from threadping.report import lock, signal
from threadping.report.view import View

VIEWS: dict[str, View] = {
    "signal": signal.VIEW,
    "lock": lock.VIEW,
}


def view_of(experiment: str) -> View:
    """The view of an experiment; of one without a view of its own, that of latencies."""
    return VIEWS.get(experiment, signal.VIEW)
