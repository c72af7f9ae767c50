"""How a database is opened; for SQLite, with what promises.

Write-ahead log, `synchronous=NORMAL`: a commit is one append to the log and waits for no disk, so that storing a trial
disturbs the next one little, and `threadping list` reads while a run writes. What is committed outlives the process,
however it ends. A power cut may take the last trials with it, but never spoils the store.
"""

import sqlite3
import warnings
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SAWarning

from threadping.store import failures
from threadping.store.place import Place, unreadable

_WRITES = "threadping_writes"


def engine_for(place: Place) -> Engine:
    """Make the engine; nothing is opened yet. Raises `UsageError` for options in the URL that nobody knows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SAWarning)  # an option that it ignores: `?mode=ro` must not come to naught
            if not place.is_sqlite:
                return create_engine(place.url)
            engine = create_engine(place.url, connect_args={"timeout": failures.BUSY_SECONDS})
    except (ValueError, SAWarning) as error:
        raise unreadable(error) from error
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def writer(engine: Engine) -> Engine:
    """Return the same engine, its transactions begun as writers."""
    return engine.execution_options(**{_WRITES: True})


def use_write_ahead_log(file: Path) -> None:
    """Make an SQLite file keep a write-ahead log, from now on and for everybody.

    Where somebody else keeps it busy, or the disk cannot have such a log, it keeps its rollback journal until it is
    opened the next time: slower, no less safe.
    """
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file, timeout=1)) as database:
        database.execute("PRAGMA journal_mode=WAL")


def _on_connect(connection: Any, _record: Any) -> None:
    # Python's module begins transactions by rules of its own, and none for changes of the schema. `_on_begin` does it.
    connection.isolation_level = None
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _on_begin(connection: Connection) -> None:
    # A transaction that reads first and writes later may be refused, with no waiting, because somebody else wrote in
    # between. IMMEDIATE waits its turn at the start.
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
