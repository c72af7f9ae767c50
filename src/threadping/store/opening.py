"""Finding the store, checking that it is one, and bringing it up to date."""

from sqlalchemy import Connection, Engine, inspect, select, text, update
from sqlalchemy.exc import OperationalError

from threadping.errors import StoreMissing, StoreTooNew, UsageError
from threadping.store import schema
from threadping.store.engine import engine_for, use_write_ahead_log, writer
from threadping.store.failures import corrupt, in_plain_words
from threadping.store.place import Place, understood
from threadping.store.store import Store

MIGRATIONS = "threadping.store:migrations"


def open_at(location: str | None, *, create: bool) -> Store:
    """Do what `threadping.store.open_store` promises."""
    place = understood(location)
    with in_plain_words(place):
        _look_at_file(place, create=create)
        try:
            engine, found = _connected(place)
        except OperationalError:
            # SQLite makes the log beside a store even to read it, which a folder that is read-only, or a disk that is
            # full, does not allow. A reader can do without: nobody else has the store open, or the log would be there.
            if create or not (immutable := place.immutable):
                raise
            engine, found = _connected(immutable)
        try:
            _bring_up_to_date(engine, place, found, create=create)
        except BaseException:
            engine.dispose()
            raise
    return Store(engine, place)


def _look_at_file(place: Place, *, create: bool) -> None:
    """Refuse what can be no store, and make the folder for a new one."""
    if place.file is None:
        return
    if not place.file.exists():  # asked first: another threadping may be making it
        if not create:
            raise _missing(place)
        place.file.parent.mkdir(parents=True, exist_ok=True)
    elif not place.file.is_file():
        raise UsageError(
            f"The store {place} is a folder, or something else that is no file. Name one with --store PATH."
        )


def _connected(place: Place) -> tuple[Engine, str | None]:
    engine = engine_for(place)
    try:
        with engine.connect() as connection:
            return engine, _revision(connection, place)
    except BaseException:
        engine.dispose()
        raise


def _revision(connection: Connection, place: Place) -> str | None:
    """Return the revision of the store's schema, None for an empty database; refuse what is not ours, or too new."""
    tables = inspect(connection).get_table_names()  # asked for once: another threadping may be making them
    if schema.VERSION_TABLE not in tables:
        if tables:
            raise corrupt(place, "it holds the tables of something else")
        return None
    found = connection.execute(select(schema.version.c.version_num)).scalar() or ""
    if not (found.isdecimal() and int(found) <= int(schema.HEAD)):
        raise StoreTooNew(
            f"The store {place} was written by a newer threadping: it has schema {found}, and this one knows none "
            f"after {schema.HEAD}. Upgrade threadping, or name another store with --store PATH."
        )
    return found


def _bring_up_to_date(engine: Engine, place: Place, found: str | None, *, create: bool) -> None:
    if found is None and not create:
        raise _missing(place)
    if found != schema.HEAD:
        with writer(engine).begin() as connection:
            _migrate(connection)
    if create:
        # Whoever opens a store to write it is about to measure, and is refused now: this changes nothing, as a writer.
        with writer(engine).begin() as connection:
            connection.execute(update(schema.runs).where(schema.runs.c.id == 0).values(status=schema.runs.c.status))
        if place.file is not None:
            use_write_ahead_log(place.file)


def _migrate(connection: Connection) -> None:
    """Apply the revisions that the store lacks, all or none; none if another threadping was first."""
    from alembic import command  # a tenth of a second, for a store that is new or old
    from alembic.config import Config

    if connection.dialect.name == "postgresql":  # SQLite has let nobody else in since the transaction began
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('threadping'))"))
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", MIGRATIONS)
    command.upgrade(config, schema.HEAD)


def _missing(place: Place) -> StoreMissing:
    return StoreMissing(f"There is no store at {place} yet: nothing was measured, or another was named with --store.")
