"""The one place where what a database reports becomes a sentence for a person."""

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from threadping.errors import StoreCorrupt, StoreError, StoreFull, StoreReadOnly, UsageError
from threadping.store.place import Place

BUSY_SECONDS = 30.0
"""How long to wait for another program that is writing. Our own commits take a millisecond; but a trial that could not
be stored is lost, so patience is cheap."""

_NEXT_TO_NOTHING = 64 * 1024  # bytes; SQLite takes 32 KiB at once for the index of its log
_OR_ANOTHER = "or name another with --store PATH."


@contextmanager
def in_plain_words(place: Place) -> Iterator[None]:
    """Turn everything that can go wrong with the store at `place` into one of the errors of `threadping.errors`."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig or error
        raise (_of_sqlite if isinstance(cause, sqlite3.Error) else _unusable)(place, cause) from error
    except NoSuchModuleError as error:
        kinds = "Use sqlite or postgresql"
        raise UsageError(f"The store {place} names a kind of database unknown here. {kinds}, {_OR_ANOTHER}") from error
    except SQLAlchemyError as error:
        raise _unusable(place, error) from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in ("threadping", "sqlalchemy"):
            raise  # ours to mend, not the user's
        missing = f"needs the Python package '{error.name}', which is not installed"
        raise StoreError(f"The store {place} {missing}. Install it beside threadping, {_OR_ANOTHER}") from error
    except OSError as error:
        raise _of_system(place, error) from error
    except (ValueError, zlib.error) as error:  # a stored value that cannot be read back; msgspec raises ValueErrors
        raise corrupt(place, _first_line(error)) from error


def corrupt(place: Place, detail: str) -> StoreCorrupt:
    """Say that it is no store of ours, or no longer."""
    problem = f"The store {place} is damaged, or no threadping store at all ({detail})."
    return StoreCorrupt(f"{problem} {aside(place)}, {_OR_ANOTHER}")


def aside(place: Place) -> str:
    """What to do with a store that threadping cannot use."""
    return f"Move it away, with any {place.file.name}-wal beside it" if place.file else "Empty that database"


def _of_sqlite(place: Place, cause: BaseException) -> StoreError:
    code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)  # without one: "Could not decode to UTF-8 column"
    match code & 0xFF:  # the rest of the bits say where in SQLite it happened
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return _read_only(place)
        case sqlite3.SQLITE_FULL:
            return _full(place)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_ERROR:
            # ERROR is a statement that makes no sense to SQLite. Ours are fixed, so it is the tables that are not ours.
            return corrupt(place, _first_line(cause))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            held = f"The store {place} has been locked by another program for {BUSY_SECONDS:g} s."
            return StoreError(f"{held} End that program (`fuser` finds it), {_OR_ANOTHER}")
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN if place.file and place.file.parent.exists():
            disk = os.statvfs(place.file.parent)  # which SQLite may not have noticed: neither bytes nor files left
            if disk.f_bavail * disk.f_frsize < _NEXT_TO_NOTHING or (disk.f_files > 0 and disk.f_favail == 0):
                return _full(place)
            if place.file.exists() and not os.access(place.file, os.R_OK):
                return StoreError(f"The store {place} may not be read by you. Change its permissions, {_OR_ANOTHER}")
            if not os.access(place.file.parent, os.W_OK):
                return _read_only(place)
    return _unusable(place, cause)


def _of_system(place: Place, error: OSError) -> StoreError:
    match error.errno:
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return _read_only(place)
        case errno.ENOSPC | errno.EDQUOT:
            return _full(place)
    return _unusable(place, error.strerror or error)


def _read_only(place: Place) -> StoreReadOnly:
    problem = f"The store {place} is read-only: the file, its folder or its disk may not be written."
    remedy = "Make it writable, copy it with all files beside it whose names begin like its own"
    return StoreReadOnly(f"{problem} {remedy}, {_OR_ANOTHER}")


def _full(place: Place) -> StoreFull:
    full = f"The disk of the store {place} is full. What was stored before is safe."
    return StoreFull(f"{full} Free some space, {_OR_ANOTHER}")


def _unusable(place: Place, cause: object) -> StoreError:
    return StoreError(f"The store {place} cannot be used: {_first_line(cause)}. Mend that, {_OR_ANOTHER}")


def _first_line(cause: object) -> str:
    return (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
