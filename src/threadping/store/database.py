"""How a store's database is found, checked and opened; for SQLite, with what promises.

Write-ahead log, `synchronous=NORMAL`: a commit is one append to the log and waits for no disk, so that storing a trial
disturbs the next one little, and `threadping list` reads while a run writes. What is committed outlives the process,
however it ends. A power cut may take the last trials with it, but never spoils the store.
"""

import shlex
import sqlite3
import warnings
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select, text, update
from sqlalchemy.exc import OperationalError, SAWarning

from threadping.model.errors import StoreCorrupt, StoreMissing, StoreOtherVersion, UsageError
from threadping.store import failures, records
from threadping.store.failures import (
    Place,
    aside,
    bound_waiting,
    connect_arguments,
    failure,
    in_plain_words,
    place_of,
    unreadable,
)
from threadping.store.store import WRITES, Store


def open_store(location: str | None, *, create: bool = True) -> Store:
    """Open the store at a path or SQLAlchemy URL; None is `THREADPING_STORE`, or else the user's own.

    With `create` the store can be written, and is made where there is none: one that cannot be written is refused now,
    before anything is measured. Only the folders of the user's own store are made. Without `create` nothing is made or
    changed, and a read-only store will do.

    Raises `UsageError` for a location that can never be a store, `StoreMissing` for one where none is (only without
    `create`), and `StoreReadOnly`, `StoreFull`, `StoreCorrupt`, `StoreOtherVersion` or `StoreError` for what their
    names say.
    """
    place = place_of(location)
    with in_plain_words(place):
        _check_file(place, create=create)
        try:
            return Store(_opened(place, create=create), place)
        except OperationalError:
            # SQLite makes the log beside a store even to read it, which a folder that is read-only, or a disk that is
            # full, does not allow. A reader can do without: nobody else has the store open, or the log would be there.
            if create or not (immutable := place.immutable):
                raise
            return Store(_opened(immutable, create=False), place)


def _check_file(place: Place, *, create: bool) -> None:
    """Refuse what can be no store. A folder that was named is not created: the name may be mistyped."""
    if place.file is None:
        return
    folder = place.file.parent
    if not place.file.exists():  # asked first: another threadping may be making it
        if not create:
            raise _missing(place)
        if place.is_users_own:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        elif not folder.is_dir():
            raise UsageError(
                f"The store {place} cannot be made: there is no folder {folder}. Make it with "
                f"`mkdir -p {shlex.quote(str(folder))}`, or name another store with --store PATH."
            )
    elif not place.file.is_file():
        raise UsageError(
            f"The store {place} is a folder, or something else that is no file. Name one with --store PATH."
        )


def _opened(place: Place, *, create: bool) -> Engine:
    if create and place.file is not None and not place.file.exists():
        # Command lines and names of hosts are nobody else's business. SQLite's logs have the mode of their file.
        place.file.touch(mode=0o600)
    engine = _engine(place)
    try:
        with engine.connect() as connection:
            if not _is_store(connection, place) and not create:
                raise _missing(place)
        if create:
            with engine.execution_options(**{WRITES: True}).begin() as connection:
                if connection.dialect.name == "postgresql":  # SQLite allows no other connection during a write
                    connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('threadping'))"))
                if not _is_store(connection, place):
                    records.metadata.create_all(connection)
                    connection.execute(insert(records.version).values(version_num=records.VERSION))
                if not inspect(connection).has_table(records.SERIES):  # made before there was the view, or just now
                    records.headlines.create(connection, checkfirst=True)
                    connection.execute(text(records.series_view(connection.dialect.name)))
                # A store that cannot be written is refused now, before anything is measured: this changes no row.
                connection.execute(update(records.runs).where(records.runs.c.id == 0).values(note=None))
            if place.file is not None:
                use_write_ahead_log(place.file)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _is_store(connection: Connection, place: Place) -> bool:
    """Whether it is a store; False for an empty database. Refuse what is not ours, or of another version."""
    names = inspect(connection).get_table_names()  # asked for once: another threadping may be making them
    if records.version.name not in names:
        if names:
            raise failure(place, StoreCorrupt, "it holds the tables of something else")
        return False
    found = connection.execute(select(records.version.c.version_num)).scalar()
    if str(found) != str(records.VERSION):
        raise StoreOtherVersion(
            f"The store {place} was written by another version of threadping: its format is {found}, and this "
            f"threadping reads and writes {records.VERSION} alone. {aside(place)}, name another with --store PATH, or "
            "use the threadping that wrote it."
        )
    return True


def _missing(place: Place) -> StoreMissing:
    return StoreMissing(f"There is no store at {place} yet: nothing was measured, or another was named with --store.")


def _engine(place: Place) -> Engine:
    """Make the engine; nothing is opened yet. Raises `UsageError` for unknown options in the URL."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SAWarning)  # an option that it ignores: `?mode=ro` must not come to naught
            if not place.is_sqlite:
                engine = create_engine(place.url, connect_args=connect_arguments(place.url))
                bound_waiting(engine)
                return engine
            engine = create_engine(place.url, connect_args={"timeout": failures.BUSY_SECONDS})
    except (ValueError, SAWarning) as error:
        raise unreadable(error) from error
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


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
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
