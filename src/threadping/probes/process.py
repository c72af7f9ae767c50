"""Processes of probes: each in a group and a folder of its own, bounded, and ended with us.

Each folder is locked while its process lives, however that ends: so one without a lock is nobody's, in whatever
container its process was. Another user's folders are not ours to clear, and links are not followed.
"""

import os
import select
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EACCES, EAGAIN, EMFILE, ENFILE, ENOEXEC
from fcntl import F_SETPIPE_SZ, LOCK_EX, LOCK_NB, LOCK_SH, fcntl, flock
from functools import cache
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_CORE, prlimit
from subprocess import DEVNULL, STDOUT, Popen
from typing import Any

from msgspec import Struct

from threadping.model.errors import UsageError, system_cause
from threadping.model.text import text_without_secrets
from threadping.probes.interrupts import held_back

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
MOST_GENERATIONS = 100  # maximum reaping passes over orphaned children: a process may fork without end


@cache
def _set_by_prctl(attribute: int, value: int) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(attribute, value, 0, 0, 0)


def die_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, however that ends."""
    _set_by_prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended before
        raise SystemExit(1)


@contextmanager
def none_left_behind() -> Iterator[None]:
    """Kill at the end whatever became a child of this process meanwhile: what it started itself has ended by then.

    Only where it is the main thread that starts: a Dask worker's threads are not alone in their process, which has
    children that are not ours. Where the kernel does not list children, nothing is killed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _set_by_prctl(PR_SET_CHILD_SUBREAPER, 1)  # processes below this one become its children when their parent ends
    before = _children()
    try:
        yield
    finally:
        for _ in range(MOST_GENERATIONS):
            left = _children() - before
            for process in left:  # nobody else waits for it, so that its number is still its own
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                with suppress(ChildProcessError):
                    os.waitpid(process, 0)
            if not left:
                break


def _children() -> set[int]:
    try:
        listed = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return set()
    with os.fdopen(listed, "rb", buffering=0) as file:
        return set(map(int, file.read().split()))


PREFIX = "threadping-of-"  # of locked folders
_cleared: set[Path] = set()  # parents that this process has cleared


@contextmanager
def scratch_folder(where: str | None = None) -> Iterator[Path]:
    """Make a locked folder for one process, below `where` or the system's default, and remove it."""
    parent = Path(where or tempfile.gettempdir())
    if parent not in _cleared:
        _cleared.add(parent)
        clear_abandoned(parent)
    with held_back():  # never between the making of a folder and the record of it
        folder, lock = _made(parent)
    try:
        yield folder
    finally:
        with held_back():
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def clear_abandoned(parent: Path) -> None:
    """Remove the folders that processes of this user left when they were killed."""
    for one in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is gone, or a link, or in use
            lock = os.open(one, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    flock(lock, LOCK_EX | LOCK_NB)
                    shutil.rmtree(one, ignore_errors=True)
            finally:
                os.close(lock)


def _made(parent: Path) -> tuple[Path, int]:
    """Make a locked folder; make another where a process took it for abandoned before the lock."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        with suppress(OSError):  # a file system without locks: there nothing is ever taken for abandoned either
            flock(lock, LOCK_SH)
        if folder.exists():
            return folder, lock
        os.close(lock)


# A probe that prints more is killed. It bounds the output, not mapped files: ZGC's heap is a file too.
MOST_OUTPUT_BYTES = 64 * 1024 * 1024
LOG_BYTES = 64 * 1024  # kept end of a trial's output, and of an excessive one; an answer is kept whole
PIPE_BYTES = 1024 * 1024  # output before a probe waits for us: the maximum of any user's pipe
LISTEN_SECONDS = 0.05  # minimum time between two reads of a probe's output: each wakes us on its CPU
LOOK_SECONDS = 0.05  # interval of checks whether a process has ended, on kernels before 5.3
MORE_FILES = "Raise the limit on open files (`ulimit -n`)."


class NotStarted(UsageError, OSError):
    """A process could not be started; a sentence that says why, and what to do."""


class Bounded(Struct, frozen=True):
    """A process that is to run."""

    command: Sequence[str]
    folder: Path
    seconds: float  # how long it may take
    variables: Mapping[str, str] = {}  # additions to our environment: every user can read arguments
    # how much of the end of what it prints is kept: all of an answer, but LOG_BYTES of chatter
    kept_bytes: int = MOST_OUTPUT_BYTES


class ProcessEnd(Struct, frozen=True):
    """The end of a process."""

    status: int | None  # its exit status (negative: the signal), None if it was killed for outliving its bound
    log: str  # the end of what it printed
    wall_ns: int  # how long it ran
    flooded: bool = False  # whether it was killed because it printed more than MOST_OUTPUT_BYTES

    @property
    def how(self) -> str:
        return describe_status(self.status or 0)


@contextmanager
def temporary_folder(where: str | None = None) -> Iterator[Path]:
    """Make a folder for one process, and remove it; NotStarted where none can be made or written."""
    try:
        with scratch_folder(where) as folder:
            yield folder
    except NotStarted:
        raise
    except OSError as error:
        if error.errno in (EMFILE, ENFILE):
            raise NotStarted(f"{error.strerror}. {MORE_FILES}") from error
        problem = f"The temporary folder cannot be used: {system_cause(error)}."
        remedy = "Free some space there, see that files may be written (`ulimit -f`), or name another folder in TMPDIR."
        raise NotStarted(f"{problem} {remedy}") from error


Answered = ProcessEnd | NotStarted  # the end of a process, or why it was not started


def run_each(wanted: Sequence[Bounded]) -> list[Answered]:
    """Run processes at the same time; where one cannot be started, one after the other."""
    try:
        return [*run_together(wanted)]
    except NotStarted as error:
        return [run_each([one])[0] for one in wanted] if len(wanted) > 1 else [error]


def run_bounded(command: Sequence[str], *, folder: Path, seconds: float, **more: Any) -> ProcessEnd:
    return run_together([Bounded(command, folder, seconds, **more)])[0]


class _Child:
    """A process that was started: when, until when it may run, when it ended, and the end of what it printed."""

    def __init__(self, one: Bounded) -> None:
        self.output, printed = os.pipe()
        try:
            os.set_blocking(self.output, False)
            with suppress(OSError):  # this user's pipes hold too much already
                fcntl(self.output, F_SETPIPE_SZ, PIPE_BYTES)
            self.begun = time.monotonic_ns()
            self.process = _started(one, printed)
        except BaseException:
            os.close(self.output)
            raise
        finally:
            os.close(printed)
        self.bound = self.begun + one.seconds * 1e9
        self.ended: int | None = None
        self._tail, self._printed, self._kept_bytes, self._flooded = bytearray(), 0, one.kept_bytes, False

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def outcome(self) -> ProcessEnd:
        text = self._tail.decode("utf-8", errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        text = text_without_secrets(text)  # a virtual machine prints the flags that it picks up
        if left_out := self._printed - len(self._tail):
            text = f"[the first {left_out} bytes are left out]\n{text}"
        wall_ns = (self.ended or time.monotonic_ns()) - self.begun
        return ProcessEnd(None if self.ended is None else self.process.returncode, text, wall_ns, self._flooded)

    def read(self) -> bool:
        """Read all that is there; False if it will print no more, or has printed too much and is killed."""
        try:
            while not self._flooded and (chatter := os.read(self.output, PIPE_BYTES)):
                self._printed += len(chatter)
                self._flooded = self._printed > MOST_OUTPUT_BYTES
                self._tail += chatter
                del self._tail[: -LOG_BYTES if self._flooded else -self._kept_bytes]
        except BlockingIOError:
            return True
        if self._flooded:
            self.kill()
        return False


def run_together(wanted: Sequence[Bounded]) -> list[ProcessEnd]:
    """Start these processes one right after the other, and wait until all have ended or outlived their bounds.

    Then the whole group of each is killed, and what it left in other groups. Standard output and error go into a pipe,
    which nobody empties while the probe prints nothing. Ctrl-C ends the wait, and never comes between the start of a
    process and its end.

    Raises NotStarted if one cannot be started.
    """
    children: list[_Child] = []
    with held_back() as interrupts, none_left_behind():
        try:
            for one in wanted:
                children.append(_Child(one))
            with interrupts.let_through():
                _sleep_until_ended(children)
        finally:
            for child in children:
                child.kill()
            for child in children:
                child.process.wait()
                child.read()
                os.close(child.output)
    return [child.outcome() for child in children]


def _started(one: Bounded, printed: int) -> "Popen[bytes]":
    try:
        process = Popen(
            one.command,
            stdin=DEVNULL,
            stdout=printed,
            stderr=STDOUT,
            cwd=one.folder,
            start_new_session=True,
            env={**os.environ, **one.variables},  # without what is for our own libraries alone
        )
    except OSError as error:
        remedies = {
            ENOEXEC: f" Rebuild or reinstall it: it is not a program for this machine ({os.uname().machine}).",
            EACCES: " Make it executable by `chmod +x`, or reinstall it.",
            EAGAIN: " Raise the limit on processes (pids.max, `ulimit -u`).",
            **dict.fromkeys((EMFILE, ENFILE), f" {MORE_FILES}"),
        }
        remedy = remedies.get(error.errno or 0, "")
        raise NotStarted(f"'{one.command[0]}' cannot be started: {system_cause(error)}.{remedy}") from error
    # It may have ended already, or a sandbox forbids it: the limit is a safety net for the disk, not a guarantee.
    with suppress(ProcessLookupError, PermissionError):
        soft, hard = prlimit(process.pid, RLIMIT_CORE)
        if soft == RLIM_INFINITY or soft > MOST_OUTPUT_BYTES:
            prlimit(process.pid, RLIMIT_CORE, (MOST_OUTPUT_BYTES, hard))
    return process


def describe_status(status: int) -> str:
    """Say an exit status in words: `exit status 3`, `signal SIGSEGV`."""
    if status >= 0:
        return f"exit status {status}"
    names = {int(known): known.name for known in signal.Signals}
    return f"signal {names.get(-status, -status)}"


def _sleep_until_ended(children: Sequence[_Child]) -> None:
    """Note when each ended; it stays None for one that outlived its bound.

    It wakes when a process ends or prints, and at no other time, as Popen.wait would: they measure on the CPU that it
    wakes on.
    """
    running, talking, deaf_until = list(children), set(children), 0.0
    with ExitStack() as handles:
        ends: dict[_Child, int | None] = dict.fromkeys(children)  # readable when one has ended; none before Linux 5.3
        for child in children:
            with suppress(OSError):
                ends[child] = handle = os.pidfd_open(child.process.pid)
                handles.callback(os.close, handle)
        while running:
            now = time.monotonic_ns()
            listening = talking if now >= deaf_until else set()
            until = min(child.bound for child in running)
            until = until if listening or not talking else min(until, deaf_until)
            until = min(until, now + LOOK_SECONDS * 1e9) if None in ends.values() else until
            watched = [ends[child] for child in running] + [child.output for child in listening]
            poller = select.poll()
            for handle in [one for one in watched if one is not None]:
                poller.register(handle, select.POLLIN)
            found = {handle for handle, _ in poller.poll(max(0.0, (until - now) / 1e6))}
            now = time.monotonic_ns()
            for child in [child for child in listening if child.output in found]:
                deaf_until = now + LISTEN_SECONDS * 1e9
                if not child.read():
                    talking.remove(child)
            for child in list(running):
                if ends[child] in found or (ends[child] is None and child.process.poll() is not None):
                    child.ended = now
                if child.ended or child.bound <= now:
                    running.remove(child)
