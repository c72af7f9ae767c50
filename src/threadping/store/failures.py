"""The one place where what a database says becomes a sentence for a person."""

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from threadping.errors import StoreCorrupt, StoreError, StoreFull, StoreReadOnly, ThreadpingError, UsageError
from threadping.store.place import Place

BUSY_SECONDS = 30.0
"""How long to wait for another program that is writing. Our own commits take a millisecond; but a trial that could not
be stored is lost, so patience is cheap."""

_NEXT_TO_NOTHING = 64 * 1024  # bytes; SQLite takes 32 KiB at once for the index of its log
_Kind = TypeVar("_Kind", bound=ThreadpingError)


@contextmanager
def in_plain_words(place: Place) -> Iterator[None]:
    """Turn everything that can go wrong with the store at `place` into one of the errors of `threadping.errors`."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig or error
        sqlites = isinstance(cause, sqlite3.Error)
        raise _said_by_sqlite(place, cause) if sqlites else _unusable(place, cause) from error
    except NoSuchModuleError as error:
        raise _said(UsageError, place, "names a kind of database unknown here. Use sqlite or postgresql") from error
    except SQLAlchemyError as error:
        raise _unusable(place, error) from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in ("threadping", "sqlalchemy", "alembic"):
            raise  # ours to mend, not the person's
        needed = f"needs the Python package '{error.name}', which is not installed. Install it beside threadping"
        raise _said(StoreError, place, needed) from error
    except OSError as error:
        raise _said_by_system(place, error) from error
    except (ValueError, zlib.error) as error:  # a stored value that cannot be read back; msgspec raises ValueErrors
        raise corrupt(place, _first_line(error)) from error


def corrupt(place: Place, detail: str) -> StoreCorrupt:
    """Say that it is no store of ours, or no longer."""
    remedy = f"Move it away, with any {place.file.name}-wal beside it" if place.file else "Mend it"
    return _said(StoreCorrupt, place, f"is damaged, or no threadping store at all ({detail}). {remedy}")


def _said(kind: type[_Kind], place: Place, what: str) -> _Kind:
    return kind(f"The store {place} {what}, or name another with --store PATH.")


def _said_by_sqlite(place: Place, cause: BaseException) -> StoreError:
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
            held = f"has been locked by another program for {BUSY_SECONDS:g} s. End what holds it (fuser tells)"
            return _said(StoreError, place, held)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_CANTOPEN if _no_room(place):  # which SQLite may not have noticed
            return _full(place)
        case sqlite3.SQLITE_CANTOPEN if place.file and place.file.exists() and not os.access(place.file, os.R_OK):
            return _said(StoreError, place, "may not be read by you. Change that")
        case sqlite3.SQLITE_CANTOPEN if place.file and not os.access(place.file.parent, os.W_OK):
            return _read_only(place)
    return _unusable(place, cause)


def _said_by_system(place: Place, error: OSError) -> StoreError:
    match error.errno:
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return _read_only(place)
        case errno.ENOSPC | errno.EDQUOT:
            return _full(place)
    return _unusable(place, error.strerror or error)


def _read_only(place: Place) -> StoreReadOnly:
    remedy = "Make it writable, copy it with all files beside it whose names begin like its own"
    problem = "is read-only: the file, its folder or its disk may not be written"
    return _said(StoreReadOnly, place, f"{problem}. {remedy}")


def _full(place: Place) -> StoreFull:
    full = f"The disk of the store {place} is full. What was stored before is safe. "
    return StoreFull(f"{full}Free some space, or name another with --store PATH.")


def _unusable(place: Place, cause: object) -> StoreError:
    return _said(StoreError, place, f"cannot be used: {_first_line(cause)}. Mend that")


def _no_room(place: Place) -> bool:
    """Tell whether the disk has next to nothing left, be it bytes or files."""
    if place.file is None or not place.file.parent.exists():
        return False
    disk = os.statvfs(place.file.parent)
    return disk.f_bavail * disk.f_frsize < _NEXT_TO_NOTHING or (disk.f_files > 0 and disk.f_favail == 0)


def _first_line(cause: object) -> str:
    return (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
