"""Files that somebody asked for: whether they can be written, asked before anything is measured, and writing them."""

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from errno import EACCES, EBUSY, ELOOP, EPERM, EROFS, EXDEV
from pathlib import Path

from threadping.model.errors import OutputUnwritable, UsageError

# Paths whose links are followed and appended to, never replaced: the file behind /dev/stdout is the shell's
STREAMS = ("/dev/std", "/dev/fd/", "/proc/")
MOST_LINKS = 40  # as Linux
NO_NEW_FILE = (EACCES, EBUSY, EPERM, EROFS, EXDEV)  # errors of a bind-mounted file: writable, but its folder is not


def check(path: Path, endings: Sequence[str], what: str) -> None:
    """See that a file with one of these endings can be written there; `what` it is begins the sentence if not.

    Raises:
        UsageError: another ending, which says in which format it is.
        OutputUnwritable: it is a folder, there is no folder for it, it may not be written, or it is another user's
            where everybody may make files.
    """
    if not path.name.lower().endswith(tuple(endings)):
        named = f"{what[:1].upper()}{what[1:]}'s file"
        raise UsageError(f"{named} must end in the name of a format ({', '.join(endings)}): {path} does not.")
    try:
        target = _target(path)
    except OSError as error:
        raise _unwritable(path, what, str(error.strerror or error)) from error
    where = target if target.exists() else target.parent
    if target.is_dir():
        raise _unwritable(path, what, "it is a folder")
    if not where.exists():
        raise _unwritable(path, what, f"there is no folder {where}")
    if not os.access(where, os.W_OK):
        raise _unwritable(path, what, f"{where} may not be written")


# Bytes: SQLite takes 32 KiB at once for the index of its log, and a trial's result is as large
NEXT_TO_NOTHING = 64 * 1024


def is_full(folder: Path) -> bool:
    """Return whether the disk of a folder is full: neither bytes nor files are left."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize < NEXT_TO_NOTHING or (disk.f_files > 0 and disk.f_favail == 0)


def make_folder(path: Path, what: str) -> None:
    """See that a folder is there and can be written to; raises OutputUnwritable."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, what, str(error.strerror or error)) from error
    if not os.access(path, os.W_OK):
        raise _unwritable(path, what, f"{path} may not be written")


def write(path: Path, content: bytes, what: str) -> None:
    """Write all of it, or leave what was there; raises OutputUnwritable if that fails.

    A link is written through, to the file that it names: somebody put it there for that. Of hard links only this one is
    the new file.
    """
    try:
        target = _target(path)
        there = _status(target)
        if there is None or stat.S_ISREG(there.st_mode):
            _write_file(target, content, there)
        else:
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_APPEND | os.O_NOCTTY | os.O_CLOEXEC), "wb") as pipe:
                pipe.write(content)
    except OSError as error:
        raise _unwritable(path, what, str(error.strerror or error)) from error


def _target(path: Path) -> Path:
    """Follow a path's links; raise OSError if another user planted one of them."""
    for _ in range(MOST_LINKS):
        there = _status(path)
        # Linux refuses this with fs.protected_symlinks, which is not set everywhere
        folder = path.parent.stat() if there else None
        shared = folder and folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH
        if there and folder and shared and there.st_uid not in (os.geteuid(), folder.st_uid):
            raise OSError(EPERM, "another user put it there, in a folder that everybody may write to")
        if not there or not stat.S_ISLNK(there.st_mode) or path.as_posix().startswith(STREAMS):
            return path
        path = path.parent / path.readlink()
    raise OSError(ELOOP, os.strerror(ELOOP))


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _write_file(path: Path, content: bytes, there: os.stat_result | None) -> None:
    if there and not os.access(path, os.W_OK):
        raise OSError(EACCES, os.strerror(EACCES))
    try:
        _replace(path, content, there)
    except OSError as error:
        if there is None or error.errno not in NO_NEW_FILE:
            raise
        _overwrite(path, content)


def _replace(path: Path, content: bytes, there: os.stat_result | None) -> None:
    """Write a new file in the same folder, with its owner and mode, and rename it when all of it is on the disk."""
    beside = path.parent / f".threadping-{os.urandom(8).hex()}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(beside, flags, 0o666), "wb") as new:
            if there:
                with suppress(PermissionError):
                    os.fchown(new.fileno(), there.st_uid, there.st_gid)
                os.fchmod(new.fileno(), there.st_mode & 0o777)
            new.write(content)
            new.flush()
            os.fsync(new.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def _overwrite(path: Path, content: bytes) -> None:
    """Write over a file that cannot be replaced; room for all of it is there before anything of it is lost."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "wb") as there:
        before = os.fstat(there.fileno()).st_size
        try:
            if content:
                os.posix_fallocate(there.fileno(), 0, len(content))
        except OSError:
            there.truncate(before)
            raise
        there.write(content)
        there.truncate(len(content))


def _unwritable(path: Path, what: str, why: str) -> OutputUnwritable:
    return OutputUnwritable(f"{what[:1].upper()}{what[1:]} could not be written to {path}: {why}.")
