"""The one place where what a database says becomes a sentence for a person."""

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from threadping.errors import (
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    UsageError,
)
from threadping.store.place import Place

BUSY_SECONDS = 30.0
"""How long to wait for another program that is writing. Our own commits take a millisecond; but a trial that could not
be stored is lost, so patience is cheap."""

_NEXT_TO_NOTHING = 64 * 1024  # bytes; SQLite takes 32 KiB at once for the index of its log


@contextmanager
def in_plain_words(place: Place) -> Iterator[None]:
    """Turn everything that can go wrong with the store at `place` into one of the errors of `threadping.errors`."""
    try:
        yield
    except DBAPIError as error:
        raise _said_by_database(place, error) from error
    except NoSuchModuleError as error:
        raise UsageError(
            f"The store {place} names a kind of database unknown here. Use sqlite or, say, postgresql+psycopg."
        ) from error
    except SQLAlchemyError as error:
        raise StoreError(f"The store {place} cannot be used: {_first_line(error)}.") from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in ("threadping", "sqlalchemy", "alembic"):
            raise  # ours to mend, not the person's
        raise StoreError(
            f"The store {place} needs the Python package '{error.name}', which is not installed. Install it beside "
            "threadping, or use a file: --store PATH."
        ) from error
    except OSError as error:
        raise _said_by_system(place, error) from error
    except (ValueError, zlib.error) as error:  # a stored value that cannot be read back; msgspec raises ValueErrors
        raise corrupt(place, _first_line(error)) from error


def read_only(place: Place) -> StoreReadOnly:
    """Say that the store may not be written."""
    return StoreReadOnly(
        f"The store {place} is read-only: the file, its folder or its disk may not be written. "
        "Name another with --store PATH, or make it writable."
    )


def full(place: Place) -> StoreFull:
    """Say that there is no room left."""
    return StoreFull(
        f"The disk of the store {place} is full. What was stored before is safe. "
        "Free some space, or name a store on another disk with --store PATH."
    )


def corrupt(place: Place, detail: str) -> StoreCorrupt:
    """Say that it is no store of ours, or no longer."""
    if place.file is None:
        remedy = "Name another with --store PATH."
    else:
        remedy = (
            f"To begin a new store move it away, with any {place.file.name}-wal beside it, "
            f"or name another with --store PATH."
        )
    return StoreCorrupt(f"The store {place} is damaged, or no threadping store at all ({detail}). {remedy}")


def too_new(place: Place, found: str, known: str) -> StoreTooNew:
    """Say that a newer threadping wrote it."""
    return StoreTooNew(
        f"The store {place} was written by a newer threadping: it has schema {found}, and this one knows none after "
        f"{known}. Upgrade threadping, or name another store with --store PATH."
    )


def _said_by_database(place: Place, error: DBAPIError) -> StoreError:
    cause = error.orig
    if not isinstance(cause, sqlite3.Error):
        return StoreError(f"The store {place} cannot be used: {_first_line(cause or error)}.")
    code = getattr(cause, "sqlite_errorcode", None)
    if code is None:  # Python's own words, not SQLite's
        if isinstance(cause, sqlite3.OperationalError):  # "Could not decode to UTF-8 column"
            return corrupt(place, _first_line(cause))
        return StoreError(f"The store {place} cannot be used: {_first_line(cause)}.")
    match code & 0xFF:  # the rest of the bits say where in SQLite it happened
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return read_only(place)
        case sqlite3.SQLITE_FULL:
            return full(place)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_ERROR:
            # ERROR is a statement that makes no sense to SQLite. Ours are fixed, so it is the tables that are not ours.
            return corrupt(place, _first_line(cause))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(
                f"The store {place} has been locked by another program for {BUSY_SECONDS:g} s. "
                "End what holds it (fuser tells), or name another with --store PATH."
            )
        case sqlite3.SQLITE_IOERR if _no_room(place):  # SQLite does not always notice what it was that failed
            return full(place)
        case sqlite3.SQLITE_CANTOPEN:
            return _cannot_open(place)
    return StoreError(f"The store {place} cannot be used: {_first_line(cause)} ({cause.sqlite_errorname}).")


def _cannot_open(place: Place) -> StoreError:
    if place.file is None:
        return StoreError(f"The store {place} cannot be opened. Does it exist, and may you read it?")
    if place.file.exists() and not os.access(place.file, os.R_OK):
        return StoreError(f"The store {place} may not be read by you. Name another with --store PATH.")
    if _no_room(place):
        return full(place)
    if not os.access(place.file.parent, os.W_OK):
        return read_only(place)
    return StoreError(f"The store {place} cannot be opened. Name another with --store PATH.")


def _said_by_system(place: Place, error: OSError) -> StoreError:
    match error.errno:
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return read_only(place)
        case errno.ENOSPC | errno.EDQUOT:
            return full(place)
    return StoreError(f"The store {place} cannot be used: {error.strerror or error}. Name another with --store PATH.")


def _no_room(place: Place) -> bool:
    """Tell whether the disk has next to nothing left, be it bytes or files."""
    if place.file is None:
        return False
    try:
        disk = os.statvfs(place.file.parent)
    except OSError:
        return False
    no_blocks = disk.f_blocks > 0 and disk.f_bavail * disk.f_frsize < _NEXT_TO_NOTHING
    no_files = disk.f_files > 0 and disk.f_favail == 0
    return no_blocks or no_files


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
