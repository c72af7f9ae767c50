"""Finding the store, checking that it is one, and bringing it up to date."""

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, select, update
from sqlalchemy.exc import OperationalError

from threadping.errors import StoreMissing, StoreReadOnly, UsageError
from threadping.store import schema
from threadping.store.engine import engine_for, use_write_ahead_log, writer
from threadping.store.failures import corrupt, in_plain_words, too_new
from threadping.store.location import chosen_location
from threadping.store.place import Place, understood
from threadping.store.store import Store

MIGRATIONS = "threadping.store:migrations"


def open_at(location: str | None, *, create: bool) -> Store:
    """Do what `threadping.store.open_store` promises."""
    place = understood(chosen_location(location))
    with in_plain_words(place):
        if place.file is not None:
            _look_at_file(place, place.file, create=create)
        engine, found = _opened(place, create=create)
        try:
            _bring_up_to_date(engine, place, found, create=create)
        except BaseException:
            engine.dispose()
            raise
    return Store(engine, place)


def _look_at_file(place: Place, file: Path, *, create: bool) -> None:
    """Refuse what can be no store, and make the folder for a new one."""
    if file.is_dir():
        raise UsageError(f"The store {file} is a folder. Name a file in it: --store {file / 'runs.sqlite3'}")
    if file.exists():
        if not file.is_file():
            raise UsageError(f"The store {file} is no ordinary file. Name one with --store PATH.")
    elif create:
        file.parent.mkdir(parents=True, exist_ok=True)
    else:
        raise _missing(place)


def _opened(place: Place, *, create: bool) -> tuple[Engine, str | None]:
    """Open the database and read the revision of its schema."""
    engine = engine_for(place)
    try:
        with engine.connect() as connection:
            return engine, _revision(connection, place)
    except OperationalError as error:
        engine.dispose()
        if not _lacks_only_the_log(place, error, create=create):
            raise
        return _opened(place.immutable, create=create)
    except BaseException:
        engine.dispose()
        raise


def _lacks_only_the_log(place: Place, error: OperationalError, *, create: bool) -> bool:
    """Tell whether a sound store could not be opened merely because its write-ahead log cannot be made beside it.

    That is a store in a read-only folder; or on a full disk, which matters only to who wants to read (a writer is told
    that it is full). Nobody else has it open, or the log would be there, so it may be read as it is. If a log was left
    behind there are trials in it, and reading without them would hide them.
    """
    if place.file is None or not os.access(place.file, os.R_OK) or "immutable" in place.url.query:
        return False
    code = getattr(error.orig, "sqlite_errorcode", 0)
    no_folder = code == sqlite3.SQLITE_READONLY_DIRECTORY or code & 0xFF == sqlite3.SQLITE_CANTOPEN
    no_space = code == sqlite3.SQLITE_IOERR_SHMSIZE and not create
    left_behind = _left_behind(place.file)
    if left_behind and no_folder:
        raise StoreReadOnly(
            f"The store {place} was left by a threadping that was killed, and its folder is read-only, so what is in "
            f"{left_behind.name} cannot be read. Copy both files to a folder that you may write, and name the copy "
            "with --store PATH."
        )
    return (no_folder or no_space) and left_behind is None


def _left_behind(file: Path) -> Path | None:
    """Return the log or journal beside a database that a killed process left there."""
    for left in (Path(f"{file}-wal"), Path(f"{file}-journal")):
        if left.exists() and left.stat().st_size > 0:
            return left
    return None


def _revision(connection: Connection, place: Place) -> str | None:
    """Return the revision of the store's schema, None for an empty database."""
    tables = inspect(connection)
    if tables.has_table(schema.VERSION_TABLE):
        return connection.execute(select(schema.version.c.version_num)).scalar() or ""
    if tables.get_table_names():
        raise corrupt(place, "it holds the tables of something else")
    return None


def _bring_up_to_date(engine: Engine, place: Place, found: str | None, *, create: bool) -> None:
    if found is None and not create:
        raise _missing(place)
    if found == schema.HEAD:
        if create:
            _prove_writable(engine)
        return
    _check_not_newer(place, found)
    with writer(engine).begin() as connection:
        _migrate(connection)
    if found is None:
        use_write_ahead_log(engine)


def _prove_writable(engine: Engine) -> None:
    """Change nothing, as a writer: whoever opens a store to write it is about to measure, and should be refused now."""
    with writer(engine).begin() as connection:
        connection.execute(update(schema.runs).where(schema.runs.c.id == 0).values(status=schema.runs.c.status))


def _migrate(connection: Connection) -> None:
    """Apply the revisions that the store lacks, all or none; none if another threadping was first."""
    from alembic import command  # a tenth of a second, for a store that is new or old
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, schema.HEAD)


def _check_not_newer(place: Place, found: str | None) -> None:
    if found is not None and not (found.isdecimal() and int(found) <= int(schema.HEAD)):
        raise too_new(place, found, schema.HEAD)


def _missing(place: Place) -> StoreMissing:
    return StoreMissing(f"There is no store at {place} yet: nothing was measured, or another was named with --store.")
