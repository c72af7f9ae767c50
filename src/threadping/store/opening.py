"""Finding the store, checking that it is one, and bringing it up to date."""

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, select
from sqlalchemy.exc import OperationalError

from threadping.errors import StoreMissing, StoreReadOnly
from threadping.store import schema
from threadping.store.engine import engine_for, use_write_ahead_log, writer
from threadping.store.failures import corrupt, in_plain_words, too_new
from threadping.store.location import chosen_location
from threadping.store.place import Place, understood
from threadping.store.store import Store


def open_at(location: str | None, *, create: bool) -> Store:
    """Do what `threadping.store.open_store` promises."""
    place = understood(chosen_location(location))
    with in_plain_words(place):
        if place.file is not None and not place.file.exists():
            if not create:
                raise _missing(place)
            place.file.parent.mkdir(parents=True, exist_ok=True)
        engine, found = _opened(place)
        try:
            _bring_up_to_date(engine, place, found, create=create)
        except BaseException:
            engine.dispose()
            raise
    return Store(engine, place)


def _opened(place: Place) -> tuple[Engine, str | None]:
    """Open the database and read the revision of its schema."""
    engine = engine_for(place)
    try:
        with engine.connect() as connection:
            return engine, _revision(connection, place)
    except OperationalError as error:
        engine.dispose()
        if not _lacks_only_the_log(place, error):
            raise
        return _opened(place.immutable)
    except BaseException:
        engine.dispose()
        raise


def _lacks_only_the_log(place: Place, error: OperationalError) -> bool:
    """Tell whether a sound store could not be opened merely because its write-ahead log cannot be made beside it.

    That is a store in a folder that is read-only. Nobody can be writing there, so it may be read as it is, unless
    a log was left behind: then there are trials in it, and reading without them would hide them.
    """
    cantopen = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CANTOPEN
    if not cantopen or place.file is None or not place.file.is_file() or "immutable" in place.url.query:
        return False
    log = Path(f"{place.file}-wal")
    if log.exists() and log.stat().st_size > 0:
        raise StoreReadOnly(
            f"The store {place} was left by a threadping that was killed, and its folder is read-only, so the last "
            f"trials, in {log.name}, cannot be read. Copy both files to a folder that you may write, and name the copy "
            "with --store PATH."
        )
    return True


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
            with writer(engine).begin():
                """Only to be refused now, if at all: whoever opens a store to write it is about to measure."""
        return
    _check_not_newer(place, found)
    with writer(engine).begin() as connection:
        _migrate(connection, place)
    if found is None:
        use_write_ahead_log(engine)


def _migrate(connection: Connection, place: Place) -> None:
    """Apply the revisions that the store lacks, all or none."""
    found = _revision(connection, place)  # again, now that no other threadping can be doing the same
    _check_not_newer(place, found)
    if found == schema.HEAD:
        return
    from alembic import command  # a tenth of a second, for a store that is new or old
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "threadping.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, schema.HEAD)


def _check_not_newer(place: Place, found: str | None) -> None:
    if found is not None and not (found.isdecimal() and int(found) <= int(schema.HEAD)):
        raise too_new(place, found, schema.HEAD)


def _missing(place: Place) -> StoreMissing:
    return StoreMissing(f"There is no store at {place} yet: nothing was measured, or another was named with --store.")
