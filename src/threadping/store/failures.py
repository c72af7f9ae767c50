"""The one place where what a database reports becomes a sentence for a person."""

import errno
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from threadping.errors import StoreCorrupt, StoreError, StoreFull, StoreReadOnly, UsageError
from threadping.files import is_full
from threadping.store.place import Place

BUSY_SECONDS = 30.0
"""How long to wait for another program that is writing. Our own commits take a millisecond; but a trial that could not
be stored is lost, so patience is cheap."""

_SENTENCES: dict[type[StoreError], str] = {
    StoreError: "The store {place} cannot be used: {cause}. Mend that",
    StoreReadOnly: "The store {place} is read-only: the file, its folder or its disk may not be written. Make it "
    "writable, copy it with all files beside it whose names begin like its own",
    StoreFull: "The disk of the store {place} is full. What was stored before is safe. Free some space",
    StoreCorrupt: "The store {place} is damaged, or no threadping store at all ({cause}). {aside}",
}


@contextmanager
def in_plain_words(place: Place) -> Iterator[None]:
    """Turn everything that can go wrong with the store at `place` into one of the errors of `threadping.errors`."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig or error
        kind, what = _of_sqlite(place, cause) if isinstance(cause, sqlite3.Error) else (StoreError, cause)
        raise failure(place, kind, what) from error
    except NoSuchModuleError as error:
        kinds = "Use sqlite or postgresql, or name another with --store PATH."
        raise UsageError(f"The store {place} names a kind of database unknown here. {kinds}") from error
    except SQLAlchemyError as error:
        raise failure(place, StoreError, error) from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] in ("threadping", "sqlalchemy"):
            raise  # ours to mend, not the user's
        raise failure(place, StoreError, f"it needs the Python package '{error.name}'") from error
    except OSError as error:
        raise failure(place, _OF_SYSTEM.get(error.errno, StoreError), error.strerror or error) from error
    except (ValueError, zlib.error) as error:  # a stored value that cannot be read back; msgspec raises ValueErrors
        raise failure(place, StoreCorrupt, error) from error


def is_of_a_row(error: DBAPIError) -> bool:
    """Whether SQLite's file is whole, and only a row's text is none: of what Python finds there is no code."""
    return isinstance(error.orig, sqlite3.OperationalError) and not hasattr(error.orig, "sqlite_errorcode")


def failure(place: Place, kind: type[StoreError], cause: object) -> StoreError:
    """The error that says what is wrong with the store, and what to do."""
    what = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
    sentence = _SENTENCES[kind].format(place=place, cause=what, aside=aside(place))
    return kind(f"{sentence}, or name another with --store PATH.")


def aside(place: Place) -> str:
    """What to do with a store that threadping cannot use."""
    return f"Move it away, with any {place.file.name}-wal beside it" if place.file else "Empty that database"


_OF_SYSTEM: dict[int | None, type[StoreError]] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), StoreReadOnly),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), StoreFull),
}


def _of_sqlite(place: Place, cause: BaseException) -> tuple[type[StoreError], object]:
    code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)  # without one: "Could not decode to UTF-8 column"
    match code & 0xFF:  # the rest of the bits say where in SQLite it happened
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
