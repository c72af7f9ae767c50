"""Where the store is, and its failures in sentences, bounded where a database falls silent.

Its own `statement_timeout` ends only what it still works on. Where it is stopped, or the network to it is gone, the
client alone can end the wait: by shutting the socket down, which its driver takes for a lost connection.
"""

import errno
import os
import re
import socket
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, event, func, make_url, select
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    SQLAlchemyError,
)

from threadping.model.errors import StoreCorrupt, StoreError, StoreFull, StoreReadOnly, UsageError
from threadping.model.files import is_full

_URL = re.compile(r"[A-Za-z][A-Za-z0-9_+]*://")


@dataclass(frozen=True)
class Place:
    """Where a store is.

    `file` is None for a server and for SQLite's own `file:` URIs; `is_users_own` where nobody named it.
    """

    url: URL
    file: Path | None
    is_users_own: bool = False

    def __str__(self) -> str:
        """Name the place for a person, a password hidden."""
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)

    @property
    def is_sqlite(self) -> bool:
        """Whether SQLite keeps it."""
        return self.url.get_backend_name() == "sqlite"

    @property
    def identity(self) -> tuple[int, int] | None:
        """The device and the inode of its file; None where there is none."""
        if self.file is None:
            return None
        with suppress(OSError):
            there = self.file.stat()
            return there.st_dev, there.st_ino
        return None

    @property
    def immutable(self) -> "Place | None":
        """The same file, opened as if no process could write it; None where that would hide what is in a log."""
        logs = (Path(f"{self.file}{end}") for end in ("-wal", "-journal"))
        if self.file is None or any(log.exists() and log.stat().st_size > 0 for log in logs):
            return None
        uri = f"file:{quote(str(self.file))}"
        return Place(self.url.set(database=uri, query={"immutable": "1", "uri": "true"}), self.file)


def place_of(location: str | None) -> Place:
    """Read a path or an SQLAlchemy URL, `~` for the home folder in both. Whether anything is there is not looked at.

    None is `THREADPING_STORE`, or else the user's own, where the platform keeps data. Raises `UsageError` where it can
    be neither.
    """
    location = os.environ.get("THREADPING_STORE") or None if location is None else location
    if location is None:
        from platformdirs import user_data_path  # 15 ms that a store with a name does not wait for

        file = user_data_path("threadping", appauthor=False) / "runs.sqlite3"
        return Place(URL.create("sqlite", database=str(file)), file, is_users_own=True)
    if not _URL.match(location):
        return _in_file(URL.create("sqlite"), location)
    try:
        url = make_url(location)
    except (ArgumentError, ValueError) as error:
        raise unreadable(error) from error
    database = url.database or ""
    if url.get_backend_name() != "sqlite":
        return Place(url, None)
    if not database or database.startswith("file::memory:") or url.query.get("mode") == "memory":
        raise _in_memory(location)
    return Place(url, None) if database.startswith("file:") else _in_file(url, database)


def _in_memory(location: str) -> UsageError:
    return UsageError(f"The store {location} is in memory, and ends with threadping. Name a file with --store PATH.")


def unreadable(error: Exception) -> UsageError:
    """Say what is wrong with a URL."""
    detail = str(error).partition(" (Background")[0].rstrip(".")
    return UsageError(
        f"The store's URL cannot be read: {detail}. It should be like sqlite:////path/to/runs.sqlite3 or "
        "postgresql://user@host/database; a plain path will do too."
    )


def _in_file(url: URL, path: str) -> Place:
    if path == ":memory:":
        raise _in_memory(path)
    try:
        file = Path(path).expanduser()
    except RuntimeError:  # the home folder of nobody
        file = None
    if file is None or not path or "\0" in path:
        raise UsageError(f"The store {path!r} is no path on this machine. Name a file with --store PATH.")
    return Place(url.set(database=str(file)), file)


ANSWER_S = 10.0
"""Our statements take milliseconds, and a run cannot go on without their answer."""

LEAST_WAIT_S = 2
"""libpq waits no shorter for a connection, and for ever with 0."""

_TIMER, _SILENT = "threadping_timer", "threadping_silent"


def connect_arguments(url: URL) -> dict[str, Any]:
    """How long libpq waits for a connection, and until it gives one up that is dead; what the URL says comes first."""
    if url.get_backend_name() != "postgresql" or url.get_driver_name() not in ("psycopg", "psycopg2"):
        return {}
    bounds = {
        "connect_timeout": max(LEAST_WAIT_S, int(ANSWER_S)),
        "keepalives_idle": max(LEAST_WAIT_S, int(ANSWER_S)),
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": int(1000 * ANSWER_S),
    }
    return {name: value for name, value in bounds.items() if name not in url.query}


def bound_waiting(engine: Engine) -> None:
    """Give the server so long for each statement, and for the end of each transaction."""
    event.listen(engine, "before_cursor_execute", lambda connection, *_: _arm(connection.connection))
    event.listen(engine, "after_cursor_execute", lambda connection, *_: _disarm(connection.connection))
    for end in ("commit", "rollback"):
        event.listen(engine, end, _arm_unless_lost)
    event.listen(engine, "checkin", lambda _, record: _disarm(record))
    event.listen(engine, "handle_error", _explain)


def _arm_unless_lost(connection: Connection) -> None:
    if not connection.invalidated:
        _arm(connection.connection)


def _arm(connection: Any) -> None:
    _disarm(connection)
    timer = Timer(ANSWER_S, _shut_down, (connection.dbapi_connection, connection.info))
    timer.daemon = True
    connection.info[_TIMER] = timer
    timer.start()


def _disarm(connection: Any) -> None:
    if timer := connection.info.pop(_TIMER, None):
        timer.cancel()


def _shut_down(connection: Any, info: dict[str, Any]) -> None:
    info[_SILENT] = True
    # It was closed meanwhile, or its driver has no socket to show; nobody listens here.
    with suppress(Exception), socket.socket(fileno=os.dup(connection.fileno())) as connected:
        connected.shutdown(socket.SHUT_RDWR)


def _explain(context: ExceptionContext) -> TimeoutError | None:
    """The error that the server was silent, where the driver only says that the connection is lost."""
    if context.connection is None or context.connection.invalidated:
        return None
    connection = context.connection.connection
    _disarm(connection)
    silent = connection.info.get(_SILENT)
    return TimeoutError(f"the server did not answer for {ANSWER_S:g} s") if silent else None


AGAIN_S = 0.2
"""Between two tries to reach a server that is lost: one that is started anew takes about a second."""


def is_lost(error: Exception) -> bool:
    """Whether a server could not be reached, or went away: what it says of a statement is none of that."""
    if isinstance(error, DBAPIError):
        is_connection = error.connection_invalidated or error.statement is None
        return is_connection and isinstance(error, OperationalError | InterfaceError)
    return isinstance(error, TimeoutError)


def number_of_transaction(connection: Connection) -> int | None:
    """The number by which PostgreSQL knows a transaction after its connection was lost; None of other databases."""
    return connection.scalar(select(func.txid_current())) if connection.dialect.name == "postgresql" else None


def fate_of(number: int | None, engine: Engine) -> str:
    """What became of a transaction: `committed`, `aborted`, or `in progress`; without a number it came to nothing."""
    if number is None:
        return "aborted"
    with engine.connect() as connection:
        return str(connection.scalar(select(func.txid_status(number))))


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
    """Turn everything that can go wrong with the store at `place` into an error of `threadping.model.errors`."""
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
