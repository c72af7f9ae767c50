"""A store is found, checked and opened."""

import shlex
import sqlite3
from pathlib import Path

from threadping.model.errors import StoreCorrupt, StoreMissing, StoreOtherVersion, UsageError
from threadping.store.connection import TABLES, VERSION, StoreConnection, use_write_ahead_log
from threadping.store.failures import Place, aside, failure, in_plain_words, place_of
from threadping.store.store import Store


def open_store(location: str | None, *, create: bool = True) -> Store:
    """Open the store at a path or URL; None is `THREADPING_STORE`, or else the user's own.

    With `create` the store can be written, and is made where there is none: one that cannot be written is refused now,
    before anything is measured. Only the folders of the user's own store are made. Without `create` nothing is made or
    changed, and a read-only store will do.

    Raises `UsageError` for a location that can never be a store, `StoreMissing` for one where none is (only without
    `create`), and `StoreReadOnly`, `StoreFull`, `StoreCorrupt`, `StoreOtherVersion` or `StoreError` for what their
    names say.
    """
    place = place_of(location)
    with in_plain_words(place):
        if place.file is None:
            from threadping.store.postgresql import ServerConnection

            return Store(_checked(ServerConnection(place.url), place, create=create), place)
        _check_file(place, place.file, create=create)
        if create and not place.file.exists():
            # Command lines and names of hosts are nobody else's business. SQLite's logs have the mode of their file.
            place.file.touch(mode=0o600)
        try:
            connection = _checked(StoreConnection(place.file), place, create=create)
        except sqlite3.OperationalError:
            # SQLite makes the log beside a store even to read it, which a folder that is read-only, or a disk that is
            # full, does not allow. A reader can do without: nobody else has the store open, or the log would be there.
            if create or _has_log(place.file):
                raise
            connection = _checked(StoreConnection(place.file, immutable=True), place, create=False)
        if create:
            use_write_ahead_log(place.file)
        return Store(connection, place)


def _check_file(place: Place, file: Path, *, create: bool) -> None:
    """Refuse what can be no store. A folder that was named is not created: the name may be mistyped."""
    if not file.exists():  # asked first: another threadping may be making it
        if not create:
            raise _missing(place)
        if place.is_users_own:
            file.parent.parent.mkdir(parents=True, exist_ok=True)
            file.parent.mkdir(mode=0o700, exist_ok=True)
        elif not file.parent.is_dir():
            raise UsageError(
                f"The store {place} cannot be made: there is no folder {file.parent}. Make it with "
                f"`mkdir -p {shlex.quote(str(file.parent))}`, or name another store with --store PATH."
            )
    elif not file.is_file():
        raise UsageError(
            f"The store {place} is a folder, or something else that is no file. Name one with --store PATH."
        )


def _has_log(file: Path) -> bool:
    logs = (Path(f"{file}{end}") for end in ("-wal", "-journal"))
    return any(log.exists() and log.stat().st_size > 0 for log in logs)


def _checked(connection: StoreConnection, place: Place, *, create: bool) -> StoreConnection:
    """Return a connection to a store, which is made with `create`; close it where it leads to none."""

    def make() -> None:
        if place.file is None:  # SQLite allows no other connection during a write
            connection.rows("SELECT pg_advisory_xact_lock(hashtext('threadping'))")
        if not _is_store(connection, place):
            for statement in TABLES.format(**connection.types).split(";"):
                connection.rows(statement)
        # A store that cannot be written is refused now, before anything is measured: this changes no row.
        connection.rows("UPDATE runs SET note = NULL WHERE id = 0")

    try:
        if not _is_store(connection, place) and not create:
            raise _missing(place)
        if create:
            connection.commit(make)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_store(connection: StoreConnection, place: Place) -> bool:
    """Return if it is a store: an empty database is none. Refuse what is not ours, or of another version."""
    tables = connection.tables()  # asked for once: another threadping may be making them
    if "threadping_schema" not in tables:
        if tables:
            raise failure(place, StoreCorrupt, "it holds the tables of something else")
        return False
    ((version,),) = connection.rows("SELECT max(version_num) FROM threadping_schema")
    if str(version) != str(VERSION):
        raise StoreOtherVersion(
            f"The store {place} was written by another version of threadping: its format is {version}, and this "
            f"threadping reads and writes {VERSION} alone. {aside(place)}, name another with --store PATH, or "
            "use the threadping that wrote it."
        )
    return True


def _missing(place: Place) -> StoreMissing:
    return StoreMissing(f"There is no store at {place} yet: nothing was measured, or another was named with --store.")
