"""Child processes: each started in a group of its own, bounded in time, and never left behind."""

import os
import select
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import ENOEXEC
from pathlib import Path
from platform import machine
from resource import RLIMIT_FSIZE, prlimit
from subprocess import DEVNULL, STDOUT, Popen, TimeoutExpired
from tempfile import TemporaryDirectory
from typing import IO, Any

from msgspec import Struct

from threadping.probes.interrupts import held_back
from threadping.probes.orphans import none_left_behind

MOST_OUTPUT_BYTES = 64 * 1024 * 1024
"""No file that a probe writes may grow beyond this: a chattering probe must not fill the disk."""

LOG_BYTES = 64 * 1024
"""How much of the end of a probe's chatter is kept."""


class NotStarted(OSError):
    """A process could not be started; a sentence that says why, and what to do."""


class Bounded(Struct, frozen=True):
    """A process that is to run.

    Attributes:
        command: what to run.
        folder: where; what it says stands there, in `log`.
        seconds: how long it may take.
        most_bytes: how long a file it may write.
        variables: of its environment, beside ours: what its arguments would tell every user.
    """

    command: Sequence[str]
    folder: Path
    seconds: float
    most_bytes: int = MOST_OUTPUT_BYTES
    variables: Mapping[str, str] = {}


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


def run_bounded(command: Sequence[str], *, folder: Path, seconds: float, **more: Any) -> Ended:
    """Run a command until it ends, with limits and variables as Bounded has them. Raises as `run_together`."""
    return run_together([Bounded(command, folder, seconds, **more)])[0]


def run_together(wanted: Sequence[Bounded]) -> list[Ended]:
    """Start these processes one right after the other, and wait until all have ended or outlived their bounds.

    Then the whole group of each is killed, and what it left in other groups. Standard output and error go into a file,
    not into a pipe: nobody needs to wake up to empty it while the probe measures. Ctrl-C ends the wait, and never comes
    between the start of a process and its end.

    Raises NotStarted if one cannot be started, OSError if its log cannot be written.
    """
    started: list[Popen[bytes]] = []
    begun: list[int] = []
    chatter: list[IO[bytes]] = []
    with ExitStack() as logs, held_back() as interrupts, none_left_behind():
        try:
            for one in wanted:
                chatter.append(logs.enter_context((one.folder / "log").open("w+b")))
                begun.append(time.monotonic_ns())
                started.append(_started(one, chatter[-1]))
            with interrupts.let_through():
                ended = _sleep_until_ended(
                    started, [at + one.seconds * 1e9 for at, one in zip(begun, wanted, strict=True)]
                )
        finally:
            for process in started:
                with suppress(ProcessLookupError):  # whatever is left of the group, children of the probe included
                    os.killpg(process.pid, signal.SIGKILL)
            for process in started:
                process.wait()
        killed = time.monotonic_ns()
        return [
            Ended(None if at is None else process.returncode, _tail(log), (at or killed) - since)
            for log, process, since, at in zip(chatter, started, begun, ended, strict=True)
        ]


def _started(one: Bounded, chatter: IO[bytes]) -> "Popen[bytes]":
    try:
        process = Popen(
            one.command,
            stdin=DEVNULL,
            stdout=chatter,
            stderr=STDOUT,
            cwd=one.folder,
            start_new_session=True,
            env={**os.environ, **one.variables} if one.variables else None,
        )
    except OSError as error:
        remedy = (
            f" It is built for another architecture than this machine's ({machine()}): reinstall threadping."
            if error.errno == ENOEXEC
            else ""
        )
        raise NotStarted(f"'{one.command[0]}' cannot be started: {error.strerror}.{remedy}") from error
    # It may have ended already, or a sandbox forbids it: the limit is a safety net, not a promise.
    with suppress(ProcessLookupError, PermissionError):
        prlimit(process.pid, RLIMIT_FSIZE, (one.most_bytes, one.most_bytes))
    return process


def describe_status(status: int) -> str:
    """Say an exit status in words: `exit status 3`, `signal SIGSEGV`."""
    if status >= 0:
        return f"exit status {status}"
    names = {int(known): known.name for known in signal.Signals}
    return f"signal {names.get(-status, -status)}"


def _sleep_until_ended(processes: Sequence["Popen[bytes]"], bounds: Sequence[float]) -> list[int | None]:
    """When each ended; None for one that outlived its bound. Both on the monotonic clock, in nanoseconds.

    It wakes when a process ends and at no other time, as Popen.wait would: they measure on the CPU that it wakes on.
    """
    ended: list[int | None] = [None] * len(processes)
    handles: dict[int, int] = {}
    try:
        for place, process in enumerate(processes):
            handles[os.pidfd_open(process.pid)] = place
        poller = select.poll()
        for handle in handles:
            poller.register(handle, select.POLLIN)
        running = dict(handles)
        while running:
            bound = min(bounds[place] for place in running.values())
            found = poller.poll(max(0.0, (bound - time.monotonic_ns()) / 1e6))
            for handle, _ in found:
                ended[running.pop(handle)] = time.monotonic_ns()
                poller.unregister(handle)
            for handle, place in [] if found else list(running.items()):
                if bounds[place] <= time.monotonic_ns():
                    poller.unregister(handle)
                    del running[handle]
    except OSError:  # a kernel before 5.3
        for place, process in enumerate(processes):
            with suppress(TimeoutExpired):
                process.wait(max(0.0, (bounds[place] - time.monotonic_ns()) / 1e9))
                ended[place] = time.monotonic_ns()
    finally:
        for handle in handles:
            os.close(handle)
    return ended


def _tail(log: IO[bytes]) -> str:
    """The end of what was written there; the file that was opened, whatever the process put in its place."""
    size = log.seek(0, os.SEEK_END)
    log.seek(max(0, size - LOG_BYTES))
    text = log.read(LOG_BYTES).decode("utf-8", errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if size <= LOG_BYTES else f"[the first {size - LOG_BYTES} bytes are left out]\n{text}"
