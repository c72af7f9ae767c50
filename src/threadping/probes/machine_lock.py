"""Two threadpings that measure at once disturb each other: the second is refused, by the name of the first.

The turn is a lock on a file that all users of the machine share, so it ends with its process, however that ends. The
file names who has it. Containers share it where they share the file: `THREADPING_LOCK` names another.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from errno import EEXIST, ENOENT
from pathlib import Path

import msgspec
from msgspec import Struct

from threadping.model.errors import MachineBusy, OutputUnwritable

SHARED_LOCK = Path("/dev/shm/threadping.lock")  # in memory, on every Linux, writable for everybody
OWN_LOCK = Path(f"/tmp/threadping-{os.getuid()}.lock")  # for a user who may not use the shared one
HOLDER_BYTES = 4096


class Holder(Struct, frozen=True):
    """The holder of the turn: its process, its subcommand, and since when, in local time."""

    pid: int
    command: str
    since: str


@contextmanager
def machine_lock(*, anyway: bool = False) -> Iterator[str | None]:
    """Hold the machine during the block; if somebody else has it, go on only if `anyway`.

    Yields a note where another one measures, or no lock could be opened; else None. Raises MachineBusy, which names the
    other one and says what to do.
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
                raise MachineBusy(
                    f"Another threadping is measuring on this machine: {other}. Two at once disturb each other. "
                    "Wait until it has ended, or measure beside it with --anyway."
                ) from None
            yield f"Measured beside another threadping: {other}."
            return
        _write(file)
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
        why = next((one for one in errors if one.errno not in (ENOENT, EEXIST)), errors[0]).strerror
        raise OutputUnwritable(
            f"The lock {named}, which THREADPING_LOCK names, cannot be opened: {why}. Name a file that can be written, "
            "such as THREADPING_LOCK=/tmp/threadping.lock, or unset it."
        )
    return None


def _write(file: int) -> None:
    """Write the holder: words up to the first option, since others may hold a password."""
    words = [Path(sys.argv[0]).name, *sys.argv[1:2]]
    holder = Holder(os.getpid(), " ".join(words), datetime.now().astimezone().strftime("%H:%M:%S"))
    with suppress(OSError):  # a full disk: then it has no name
        os.pwrite(file, msgspec.json.encode(holder).ljust(HOLDER_BYTES), 0)


def _named(file: int) -> str:
    """Name the holder for a person, without control characters, whatever is in the file."""
    try:
        other = msgspec.json.decode(os.pread(file, HOLDER_BYTES, 0), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return "which one it does not say"
    text = f"process {other.pid}, `{other.command}`, since {other.since}"
    return "".join(one if one.isprintable() else "?" for one in text)
