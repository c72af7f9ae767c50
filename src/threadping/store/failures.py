"""The place of the store, and its failures in sentences."""

import errno
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from threadping.model.errors import StoreCorrupt, StoreError, StoreFull, StoreReadOnly, UsageError
from threadping.model.files import is_full

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9_+]*)://")


@dataclass(frozen=True)
class Place:
    """The place of a store: a file, or a server's URL; `is_users_own` where nobody named it."""

    file: Path | None
    url: str = ""
    is_users_own: bool = False

    def __str__(self) -> str:
        without_password = re.sub(r"(?<=://)([^:/@]*):[^/]*@", r"\1:***@", self.url)
        return str(self.file or re.sub(r"(?<=password=)[^&]*", "***", without_password))

    @property
    def identity(self) -> tuple[int, int] | None:
        """The device and the inode of its file; None where there is none."""
        with suppress(OSError):
            there = self.file.stat() if self.file else None
            return there and (there.st_dev, there.st_ino)
        return None


def place_of(location: str | None) -> Place:
    """Read a path or a URL, `~` for the home folder in both. Whether anything is there is not checked.

    None is `THREADPING_STORE`, or else the user's own, where the platform keeps data. Raises `UsageError` where it can
    be neither.
    """
    location = os.environ.get("THREADPING_STORE") or None if location is None else location
    if location is None:
        from platformdirs import user_data_path  # 15 ms that a store with a name does not wait for

        return Place(user_data_path("threadping", appauthor=False) / "runs.sqlite3", is_users_own=True)
    if not (scheme := _SCHEME.match(location)):
        return _in_file(location)
    if scheme[1] in ("postgresql", "postgres"):
        return Place(None, location)
    if scheme[1] != "sqlite":
        kinds = "Use sqlite or postgresql, or name another with --store PATH."
        raise UsageError(f"The store {Place(None, location)} names a kind of database unknown here. {kinds}")
    host, slash, path = location[scheme.end() :].partition("/")
    if host or "?" in path:
        raise unreadable("of SQLite, it has a path only, without host and options")
    return _in_file(path if slash and path else ":memory:", location)


def unreadable(cause: object) -> UsageError:
    """Say what is wrong with a URL."""
    return UsageError(
        f"The store's URL cannot be read: {str(cause).strip()}. It should be like sqlite:////path/to/runs.sqlite3 or "
        "postgresql://user@host/database; a plain path will do too."
    )


def _in_file(path: str, location: str = "") -> Place:
    if path == ":memory:":
        named = location or path
        raise UsageError(f"The store {named} is in memory, and ends with threadping. Name a file with --store PATH.")
    try:
        file = Path(path).expanduser()
    except RuntimeError:  # the home folder of nobody
        file = None
    if file is None or not path or "\0" in path:
        raise UsageError(f"The store {path!r} is no path on this machine. Name a file with --store PATH.")
    return Place(file)


BUSY_SECONDS = 30.0
"""How long to wait for another program that is writing. Our own commits take a millisecond; but a trial that could not
be stored is lost, so patience is cheap."""


class ServerError(Exception):
    """An error of a database server or its driver; `is_lost` where it could not be reached, or went away."""

    def __init__(self, words: object, *, is_lost: bool) -> None:
        super().__init__(str(words))
        self.is_lost = is_lost


_SENTENCES: dict[type[StoreError], str] = {
    StoreError: "The store {place} cannot be used: {cause}. Mend that",
    StoreReadOnly: "The store {place} is read-only: the file, its folder or its disk may not be written. Make it "
    "writable, copy it with all files beside it whose names begin like its own",
    StoreFull: "The disk of the store {place} is full. What was stored before is safe. Free some space",
    StoreCorrupt: "The store {place} is damaged, or no threadping store at all ({cause}). {aside}",
}


@contextmanager
def in_plain_words(place: Place) -> Iterator[None]:
    """Turn everything that can go wrong with the store at `place` into an error of `threadping.model.errors`."""
    try:
        yield
    except sqlite3.Error as error:
        raise failure(place, *_of_sqlite(place, error)) from error
    except ServerError as error:
        raise failure(place, StoreError, error) from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "threadping":
            raise  # ours to mend, not the user's
        raise failure(place, StoreError, f"it needs the Python package '{error.name}'") from error
    except OSError as error:
        raise failure(place, _OF_SYSTEM.get(error.errno, StoreError), error.strerror or error) from error
    except (ValueError, zlib.error) as error:  # a stored value that cannot be read back; msgspec raises ValueErrors
        raise failure(place, StoreCorrupt, error) from error


def failure(place: Place, kind: type[StoreError], cause: object) -> StoreError:
    """Return the error that says what is wrong with the store, and what to do."""
    what = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
    sentence = _SENTENCES[kind].format(place=place, cause=what, aside=aside(place))
    return kind(f"{sentence}, or name another with --store PATH.")


def aside(place: Place) -> str:
    """Say what to do with a store that threadping cannot use."""
    return f"Move it away, with any {place.file.name}-wal beside it" if place.file else "Empty that database"


_OF_SYSTEM: dict[int | None, type[StoreError]] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), StoreReadOnly),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), StoreFull),
}


def _of_sqlite(place: Place, cause: sqlite3.Error) -> tuple[type[StoreError], object]:
    match getattr(cause, "sqlite_errorcode", 0) & 0xFF:  # the rest of the bits say where in SQLite it happened
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreReadOnly, cause
        case sqlite3.SQLITE_FULL:
            return StoreFull, cause
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_ERROR:
            # ERROR is a statement that makes no sense to SQLite. Ours are fixed, so it is the tables that are not ours.
            return StoreCorrupt, cause
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError, f"another program has locked it for {BUSY_SECONDS:g} s (`fuser` finds it)"
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN if place.file and place.file.parent.exists():
            if is_full(place.file.parent):  # which SQLite may not have noticed
                return StoreFull, cause
            if place.file.exists() and not os.access(place.file, os.R_OK):
                return StoreError, "you may not read it"
            if not os.access(place.file.parent, os.W_OK):
                return StoreReadOnly, cause
    return StoreError, cause
