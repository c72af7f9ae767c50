"""Programs that are not probes: built, and run once, with what they said."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.agreement.records import Unavailable, Unmeasured
from threadping.probes.process import describe_status, run_bounded

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "agreement"
PATIENCE_SECONDS = 60.0
"""A program bounded by iterations has no bound in time: two threads on one CPU would keep it for hours."""


def build(what: str, command: Sequence[str], remedy: str) -> None:
    """Run a compiler or an installer; Unavailable, with the remedy, if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"{what}: '{command[0]}' cannot be started ({error.strerror}). {remedy}") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or ["it said nothing"]
        raise Unavailable(f"{what}: {command[0]} failed: {said[-1]}. {remedy}")


def said_by(command: Sequence[str]) -> str:
    """Run a program to its end and return what it said; Unmeasured if it fails or does not end."""
    with tempfile.TemporaryDirectory(prefix="threadping-") as folder:
        try:
            ended = run_bounded(command, folder=Path(folder), seconds=PATIENCE_SECONDS)
        except OSError as error:
            raise Unmeasured(f"'{command[0]}' cannot be started: {error.strerror}.") from error
    if ended.status is None:
        raise Unmeasured(f"It was killed: it had not ended after {PATIENCE_SECONDS:.0f} s. Give fewer --iterations.")
    if ended.status != 0:
        raise Unmeasured(f"It failed ({describe_status(ended.status)}): {ended.log.strip() or 'it said nothing'}")
    return ended.log


def the_only_figure(pattern: str, text: str) -> float:
    """Find the one line that `pattern` matches; its first group is the figure. Unmeasured unless there is just one."""
    found = re.findall(pattern, text, flags=re.MULTILINE)
    if len(found) != 1:
        raise Unmeasured(f"Its answer holds {len(found)} figures instead of one: {text.strip()[-200:]!r}")
    return float(found[0])
