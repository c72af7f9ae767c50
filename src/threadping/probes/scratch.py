"""Temporary folders that do not outlive their processes for long: what a kill -9 left is cleared by the next start.

Each folder is locked while its process lives, however that ends: so one without a lock is nobody's, in whatever
container its process was. Another user's folders are not ours to clear, and links are not followed.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path

from threadping.probes.interrupts import held_back

PREFIX = "threadping-of-"
"""Of folders that are locked."""

_cleared: set[Path] = set()
"""Where this process has looked already."""


@contextmanager
def scratch_folder(where: str | None = None) -> Iterator[Path]:
    """A folder for one process, below `where` or where the system has such folders, and gone afterwards."""
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
    with suppress(OSError):
        for one in os.scandir(parent):
            if one.name.startswith(PREFIX):
                _clear_unless_locked(Path(one.path))


def _made(parent: Path) -> tuple[Path, int]:
    """A new folder, locked; made again where another process took it for abandoned before it was locked."""
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


def _clear_unless_locked(folder: Path) -> None:
    with suppress(OSError):  # it is gone, or a link, or in use
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.fstat(lock).st_uid == os.geteuid():
                flock(lock, LOCK_EX | LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
