"""Run lscpu: what it knows of the CPUs is not worth writing again."""

from threadping.machine.lscpu import COMMAND
from threadping.probes.process import NotStarted, run_bounded, temporary_folder

PATIENCE_SECONDS = 5.0


def read_lscpu() -> str:
    """What it prints; nothing where it is not there, or does not answer."""
    try:
        with temporary_folder() as folder:
            ended = run_bounded(("env", "LC_ALL=C", *COMMAND), folder=folder, seconds=PATIENCE_SECONDS)
    except NotStarted:
        return ""
    return ended.log if ended.status == 0 else ""
