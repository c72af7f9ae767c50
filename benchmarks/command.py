"""Programs that are not probes: built, and run once, with what they said."""

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.records import Unavailable, Unmeasured
from threadping.probes.process import describe_status, run_bounded

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build"
SHARED_SOURCES = Path(__file__).parent / "bare"
"""What the bare C++ programs have in common."""

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


def compile_cpp(source: Path, folder: Path) -> Path:
    """Compile a bare C++ program into `folder`, as the probe is compiled; its loops begin a line of code as well."""
    program = folder / source.stem
    folder.mkdir(parents=True, exist_ok=True)
    compiler = os.environ.get("CXX", "c++")
    options = ("-std=c++20", "-O3", "-falign-loops=64", "-pthread", f"-I{SHARED_SOURCES}")
    command = (compiler, *options, str(source), "-o", str(program))
    build("The bare C++ program", command, "Run `make setup`, which names the packages that building needs.")
    return program


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
        raise Unmeasured(f"'{command[0]}' cannot be started: {error.strerror}.") from error
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
