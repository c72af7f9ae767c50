"""The process that measures: whether the owner of a run still does, and the lock by which one measures at a time.

A process that is killed cannot write that it was. So a run records its owner, and a reader of a run that is still
`running` looks for that process. Process numbers are reused, and are of one PID namespace (a container has its own);
together with the boot and the tick at which the process started they are unique.

Two threadpings that measure at once disturb each other: the second is refused, by the name of the first. The turn is a
lock on a file that all users of the machine share, so it ends with its process, however that ends. The file names who
has it. Containers share it where they share the file: `THREADPING_LOCK` names another.
"""

import fcntl
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from errno import EEXIST, ENOENT
from pathlib import Path

import msgspec

from threadping.model.errors import OutputUnwritable, ThreadpingError, system_cause
from threadping.model.run import Owner
from threadping.model.text import digest_of

_PROC, _MACHINE_ID = Path("/proc"), Path("/etc/machine-id")
_DEAD_STATES = frozenset("ZXx")  # zombie, dead: killed, though its parent has not yet asked; see proc_pid_stat(5)


def owner_of_this_process() -> Owner:
    """Describe this process so that another, later, can find out whether it still runs."""
    namespace = boot_id = ""
    with suppress(OSError):  # without /proc nothing can be found out later
        boot_id = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").readlink().name
    _, started_ticks = _state_and_start(os.getpid()) or ("", 0)
    return Owner(os.uname().nodename, boot_id, os.getpid(), started_ticks, namespace, _machine())


def _machine() -> str:
    with suppress(OSError):
        if found := _MACHINE_ID.read_text(errors="replace").strip():
            return digest_of(f"threadping {found}")  # systemd asks not to show a machine id
    return ""


def is_running(owner: Owner) -> bool | None:
    """Return if the process certainly runs; None for one of another host or container, or without /proc."""
    here = owner_of_this_process()
    if not here.boot_id:
        return None
    if owner.boot_id != here.boot_id:  # another host, or this one before it was started anew
        return False if owner.hostname == here.hostname else None
    if owner.pid_namespace != here.pid_namespace:
        return None
    if owner.pid <= 0:  # to kill(2) these mean groups, not a process
        return False
    try:
        with suppress(PermissionError):
            os.kill(owner.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    # What cannot be read is hidden by /proc's hidepid option; it may well be the owner.
    state, started_ticks = _state_and_start(owner.pid) or ("", owner.started_ticks)
    return state not in _DEAD_STATES and started_ticks == owner.started_ticks


def _state_and_start(pid: int) -> tuple[str, int] | None:
    """Return a process's state and the clock tick since boot at which it started; None if that cannot be read."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name, in parentheses, may itself hold spaces and parentheses
    return fields[0], int(fields[19])


SHARED_LOCK = Path("/dev/shm/threadping.lock")  # in memory, on every Linux, writable for everybody
OWN_LOCK = Path(f"/tmp/threadping-{os.getuid()}.lock")  # for a user who may not use the shared one
HOLDER_BYTES = 4096


Holder = tuple[int, str, str]  # of the turn: its process, its subcommand, and since when, in local time


@contextmanager
def machine_lock(*, anyway: bool = False, before_refusing: Callable[[], object] = lambda: None) -> Iterator[str | None]:
    """Hold the machine during the block; if somebody else has it, go on only if `anyway`.

    Yields a note where another one measures, or no lock could be opened; else None. Raises ThreadpingError, which names
    the other one and says what to do, after `before_refusing`, which may raise what is wrong with the request itself.
    """
    file = _opened()
    if file is None:
        yield f"Another threadping may have measured too: neither {SHARED_LOCK} nor {OWN_LOCK} could be locked."
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = _named(file)
            if not anyway:
                before_refusing()
                raise ThreadpingError(
                    f"Another threadping is measuring on this machine: {other}. Two at once disturb each other. "
                    "Wait until it has ended, or measure at the same time with --anyway."
                ) from None
            yield f"Measured while another threadping was measuring: {other}."
            return
        # Words up to the first option, since others may hold a password
        words = [Path(sys.argv[0]).name, *sys.argv[1:2]]
        holder: Holder = os.getpid(), " ".join(words), datetime.now().astimezone().strftime("%H:%M:%S")
        with suppress(OSError):  # a full disk: then it has no name
            os.pwrite(file, msgspec.json.encode(holder).ljust(HOLDER_BYTES), 0)
        yield None
    finally:
        os.close(file)  # which ends the turn


def holder() -> str | None:
    """Name what measures on this machine now; None where nothing does, or it cannot be known."""
    file = _opened()
    if file is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _named(file)
    finally:
        os.close(file)
    return None


def _opened() -> int | None:
    """Open the first possible file; None if none is. Raise OutputUnwritable if THREADPING_LOCK is not."""
    named = os.environ.get("THREADPING_LOCK")
    errors: list[OSError] = []
    for path in [Path(named)] if named else [SHARED_LOCK, OWN_LOCK]:
        # Never made where it is: a folder for everybody may forbid that to all but the file's owner.
        for flags in (os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR):
            try:
                file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
                if flags & os.O_CREAT:
                    os.fchmod(file, 0o666)  # whatever the umask
                return file
            except OSError as error:
                errors.append(error)
    if named:
        why = system_cause(next((one for one in errors if one.errno not in (ENOENT, EEXIST)), errors[0]))
        raise OutputUnwritable(
            f"The lock {named}, which THREADPING_LOCK names, cannot be opened: {why}. Name a file that can be written, "
            "such as THREADPING_LOCK=/tmp/threadping.lock, or unset it."
        )
    return None


def _named(file: int) -> str:
    """Name the holder for a person, without control characters, whatever is in the file."""
    try:
        pid, command, since = msgspec.json.decode(os.pread(file, HOLDER_BYTES, 0), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return "which one it does not say"
    text = f"process {pid}, `{command}`, since {since}"
    return "".join(one if one.isprintable() else "?" for one in text)
