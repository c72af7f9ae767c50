"""Programs that are not probes: built, and run once, with what they said."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.records import Contender, Figures, Subject, Unavailable, Unmeasured
from threadping.model.cases import Runtime
from threadping.probes.process import describe_status, run_bounded

BUILD = Path(__file__).parents[1] / "build"

PATIENCE_SECONDS = 60.0
"""A program bounded by iterations has no bound in time: two threads on one CPU would keep it for hours."""


def build(what: str, command: Sequence[str], remedy: str) -> None:
    """Run a compiler or an installer; Unavailable, with the remedy, if it is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(f"{what}: '{command[0]}' cannot be started ({error.strerror}). {remedy}") from error
    if done.returncode != 0:
        # A compiler's last word counts; Maven speaks on standard output, and ends with where to read more.
        said = done.stderr.strip().splitlines()[-1:] or done.stdout.strip().splitlines()[:1] or ["it said nothing"]
        raise Unavailable(f"{what}: {command[0]} failed: {said[0]}. {remedy}")


def launcher(runtime: Runtime) -> tuple[str, ...]:
    """The virtual machine of a runtime with its flags, to start something else than our probe."""
    return runtime.command[: runtime.command.index("-jar")]


def printed(subject: Subject, command: Sequence[str], pattern: str, remedy: str) -> Contender:
    """The subject, measured by a program that prints the figure: the first group of `pattern`, which fits one line."""
    return Contender(subject, lambda _seed: Figures(the_only_figure(pattern, said_by(command, remedy))))


def said_by(command: Sequence[str], remedy: str) -> str:
    """Run a program to its end and return what it said; Unmeasured if it fails, or, with the remedy, does not end."""
    with tempfile.TemporaryDirectory(prefix="threadping-") as folder:
        return _log_of(command, Path(folder), PATIENCE_SECONDS, remedy)


def written_by(command: Sequence[str], file: str, seconds: float, remedy: str) -> bytes:
    """Run a program that writes `file` into its working folder; Unmeasured as above, or if there is no such file."""
    with tempfile.TemporaryDirectory(prefix="threadping-") as folder:
        log = _log_of(command, Path(folder), seconds, remedy)
        try:
            return (Path(folder) / file).read_bytes()
        except OSError as error:
            raise Unmeasured(f"It ended without an answer: {log.strip()[-200:]!r}") from error


def _log_of(command: Sequence[str], folder: Path, seconds: float, remedy: str) -> str:
    try:
        ended = run_bounded(command, folder=folder, seconds=seconds)
    except OSError as error:
        raise Unmeasured(str(error)) from error
    if ended.status is None:
        raise Unmeasured(f"It was killed: it had not ended after {seconds:.0f} s. {remedy}")
    if ended.status != 0:
        raise Unmeasured(f"It failed ({describe_status(ended.status)}): {ended.log.strip() or 'it said nothing'}")
    return ended.log


def the_only_figure(pattern: str, text: str) -> float:
    """Find the one line that `pattern` matches; its first group is the figure. Unmeasured unless there is just one."""
    found = re.findall(pattern, text, flags=re.MULTILINE)
    if len(found) != 1:
        raise Unmeasured(f"Its answer holds {len(found)} figures instead of one: {text.strip()[-200:]!r}")
    return float(found[0])
