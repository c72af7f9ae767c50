"""Run lscpu: what it knows of the CPUs is not worth writing again."""

import tempfile
from pathlib import Path

from threadping.machine.lscpu import COMMAND
from threadping.probes.process import run_bounded

PATIENCE_SECONDS = 5.0


def read_lscpu() -> str:
    """What it prints; nothing where it is not there, or does not answer."""
    with tempfile.TemporaryDirectory(prefix="threadping-") as folder:
        try:
            ended = run_bounded(("env", "LC_ALL=C", *COMMAND), folder=Path(folder), seconds=PATIENCE_SECONDS)
        except OSError:
            return ""
    return ended.log if ended.status == 0 else ""
