"""One child process: started in a group of its own, bounded in time, and never left behind."""

import os
import select
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import ENOEXEC
from pathlib import Path
from platform import machine
from resource import RLIMIT_FSIZE, prlimit
from subprocess import DEVNULL, STDOUT, Popen, TimeoutExpired
from tempfile import TemporaryDirectory

from msgspec import Struct

from threadping.probes.interrupts import held_back

MOST_OUTPUT_BYTES = 64 * 1024 * 1024
"""No file that a probe writes may grow beyond this: a chattering probe must not fill the disk."""

LOG_BYTES = 64 * 1024
"""How much of the end of a probe's chatter is kept."""


class NotStarted(OSError):
    """A process could not be started; a sentence that says why, and what to do."""


class Ended(Struct, frozen=True):
    """How a process ended: its exit status (negative: the signal), None if it was killed for outliving its bound."""

    status: int | None
    log: str
    wall_ns: int


@contextmanager
def temporary_folder(where: str | None = None) -> Iterator[Path]:
    """A folder for one process, gone afterwards; below `where`, by default where the system has such folders.

    Raises NotStarted where there can be none, and for an OSError inside: it could not be written.
    """
    try:
        with TemporaryDirectory(prefix="threadping-", dir=where, ignore_cleanup_errors=True) as name:
            yield Path(name)
    except NotStarted:
        raise
    except OSError as error:
        problem = f"The temporary folder cannot be used: {error.strerror or error}"
        remedy = "Free some space there, see that files may be written (`ulimit -f`), or name another folder in TMPDIR"
        raise NotStarted(f"{problem}. {remedy}.") from error


def run_bounded(command: Sequence[str], *, folder: Path, seconds: float, most_bytes: int = MOST_OUTPUT_BYTES) -> Ended:
    """Run `command` in `folder` until it ends, at most for `seconds`; then its whole process group is killed.

    Standard output and error go into a file, not into a pipe: nobody needs to wake up to empty it while the probe
    measures. Ctrl-C ends the wait, and never comes between the start of the process and its end.

    Raises NotStarted if it cannot be started, OSError if its log cannot be written.
    """
    log = folder / "log"
    start = time.monotonic_ns()
    with log.open("wb") as chatter, held_back() as interrupts:
        try:
            process = Popen(command, stdin=DEVNULL, stdout=chatter, stderr=STDOUT, cwd=folder, start_new_session=True)
        except OSError as error:
            remedy = (
                f" It is built for another architecture than this machine's ({machine()}): reinstall threadping."
                if error.errno == ENOEXEC
                else ""
            )
            raise NotStarted(f"'{command[0]}' cannot be started: {error.strerror}.{remedy}") from error
        try:
            # It may have ended already, or a sandbox forbids it: the limit is a safety net, not a promise.
            with suppress(ProcessLookupError, PermissionError):
                prlimit(process.pid, RLIMIT_FSIZE, (most_bytes, most_bytes))
            with interrupts.let_through():
                in_time = _sleep_until_ended(process, seconds)
        finally:
            with suppress(ProcessLookupError):  # whatever is left of the group, children of the probe included
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    wall_ns = time.monotonic_ns() - start
    return Ended(process.returncode if in_time else None, _tail(log), wall_ns)


def describe_status(status: int) -> str:
    """Say an exit status in words: `exit status 3`, `signal SIGSEGV`."""
    if status >= 0:
        return f"exit status {status}"
    names = {int(known): known.name for known in signal.Signals}
    return f"signal {names.get(-status, -status)}"


def _sleep_until_ended(process: "Popen[bytes]", seconds: float) -> bool:
    """Wait without waking up in between, as Popen.wait would: two CPUs are all that a measurement may have."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # a kernel before 5.3
        with suppress(TimeoutExpired):
            process.wait(seconds)
        return process.returncode is not None
    try:
        poller = select.poll()
        poller.register(handle, select.POLLIN)
        return bool(poller.poll(seconds * 1000))
    finally:
        os.close(handle)


def _tail(log: Path) -> str:
    with log.open("rb") as chatter:
        size = chatter.seek(0, os.SEEK_END)
        chatter.seek(max(0, size - LOG_BYTES))
        text = chatter.read().decode("utf-8", errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if size <= LOG_BYTES else f"[the first {size - LOG_BYTES} bytes are left out]\n{text}"
