"""When a run began, how it ended, and how long it took."""

from datetime import datetime

from rich.text import Text

from threadping import quantities
from threadping.model import Run, RunStatus
from threadping.views.terminal.names import plain

STYLES: dict[RunStatus, str] = {"complete": "green", "running": "cyan", "interrupted": "yellow", "failed": "bold red"}


def moment(run: Run) -> Text:
    """Which run, when it began, how it ended, and how long it took."""
    took = seconds(run)
    after = "" if took is None else f" after {quantities.duration(took)}"
    number = str(run.id) if run.id else "not stored"
    return Text.assemble((number, "bold"), ", ", local_time(run.started), ", ", status(run), after)


def status(run: Run) -> Text:
    """How the run ended, or that it has not."""
    return Text(run.status, STYLES[run.status])


def local_time(iso: str) -> str:
    """A stored time in the zone of whoever reads it; as it is stored if it is not a time."""
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M %Z")
    except ValueError:
        return plain(iso)


def seconds(run: Run) -> float | None:
    """How long it took, if it has ended."""
    try:
        return (datetime.fromisoformat(run.ended or "") - datetime.fromisoformat(run.started)).total_seconds()
    except (ValueError, TypeError):
        return None
