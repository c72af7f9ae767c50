"""The tables of a store, and the one connection to its file.

Write-ahead log, `synchronous=NORMAL`: a commit is one append to the log and waits for no disk, so that storing a trial
disturbs the next one little, and `threadping list` reads while a run writes. What is committed outlives the process,
however it ends. A power cut may take the last trials with it, but never spoils the store.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from threadping.store import failures

VERSION = 9
"""The format of a store; one of another is refused. It counts up with every change of these tables, and with a change
of a stored record that `records.known` cannot read: anything but a field that is new, has a default, or went."""

SERIES = "threadping_series"
"""The view that others read: its columns stay as they are, what is below it may change."""

HEADLINE = (
    *("time", "machine", "experiment", "case_name", "state", "core_to_core_ns"),
    *("figure", "unit", "value", "low", "high", "comparable", "version"),
)
"""The columns of what a run says of a row, once it has ended; a run that says nothing has one line, without a value."""

TABLES = f"""
CREATE TABLE threadping_schema (version_num INTEGER PRIMARY KEY);
INSERT INTO threadping_schema VALUES ({VERSION});
CREATE TABLE runs (
    id {{number}}, status TEXT NOT NULL, ended TEXT, note TEXT, record TEXT NOT NULL, started TEXT NOT NULL,
    machine TEXT NOT NULL, owner TEXT
);
CREATE INDEX runs_by_start ON runs (started);
CREATE INDEX runs_of_machines ON runs (machine);
CREATE TABLE trials (
    id {{position}}, run_id INTEGER NOT NULL REFERENCES runs (id), observation {{bytes}} NOT NULL,
    trial {{bytes}} NOT NULL
);
CREATE INDEX trials_of_runs ON trials (run_id);
CREATE TABLE pings (id {{position}}, run_id INTEGER NOT NULL REFERENCES runs (id), ping {{bytes}} NOT NULL);
CREATE INDEX pings_of_runs ON pings (run_id);
CREATE TABLE fleets (id {{number}}, record TEXT NOT NULL);
CREATE TABLE members (
    fleet_id INTEGER REFERENCES fleets (id), host TEXT, run_id INTEGER REFERENCES runs (id), record TEXT NOT NULL,
    PRIMARY KEY (fleet_id, host)
);
CREATE INDEX members_by_host ON members (host);
CREATE INDEX members_of_runs ON members (run_id);
CREATE TABLE headlines (
    run_id INTEGER NOT NULL REFERENCES runs (id), time TEXT, machine TEXT, experiment TEXT, case_name TEXT, state TEXT,
    core_to_core_ns DOUBLE PRECISION, figure TEXT, unit TEXT, value DOUBLE PRECISION, low DOUBLE PRECISION,
    high DOUBLE PRECISION, comparable BOOLEAN, version TEXT
);
CREATE INDEX headlines_of_runs ON headlines (run_id);
CREATE VIEW {SERIES} AS SELECT {{time}} AS time, run_id AS run, {", ".join(HEADLINE[1:])} FROM headlines
    WHERE value IS NOT NULL
"""
"""A run's number never comes to mean another run: a person may have written it down. In a trial what is long stands
last: SQLite reads a row from its front."""


def insertion(table: str, columns: Iterable[str]) -> str:
    """Return the statement that inserts a row."""
    names = [*columns]
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


WorkResult = TypeVar("WorkResult")
Rows = list[tuple[Any, ...]]


class StoreConnection:
    """The connection to a file; that to a server is a kind of it. A `?` in a statement stands for a value."""

    types = MappingProxyType(
        {
            "number": "INTEGER PRIMARY KEY AUTOINCREMENT",
            "position": "INTEGER PRIMARY KEY",
            "bytes": "BLOB",
            "time": "time",
        }
    )

    def __init__(self, file: Path, *, immutable: bool = False) -> None:
        """Open the file, which SQLite makes where there is none; an immutable one as if no process could write it."""
        place = f"{file.absolute().as_uri()}?immutable=1" if immutable else file
        # Python's module begins transactions by rules of its own, and none for changes of the schema: it shall not.
        self.database = sqlite3.connect(place, timeout=failures.BUSY_SECONDS, isolation_level=None, uri=immutable)
        # A text that is no UTF-8 costs its run, and not the rows that are read with it.
        self.database.text_factory = lambda text: text.decode(errors="surrogateescape")
        try:
            self.rows("PRAGMA synchronous=NORMAL")
            self.rows("PRAGMA foreign_keys=ON")
        except BaseException:
            self.close()
            raise

    def rows(self, statement: str, *values: object) -> Rows:
        """Execute a statement, and return its rows; outside of `commit`, it is a transaction of its own."""
        return self.database.execute(statement, values).fetchall()

    def insert(self, table: str, row: Mapping[str, object]) -> int:
        """Insert a row, and return its number."""
        return self.database.execute(insertion(table, row), [*row.values()]).lastrowid or 0

    def insert_all(self, table: str, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
        """Insert rows, which have values of these columns."""
        self.database.executemany(insertion(table, columns), rows)

    def commit(self, work: Callable[[], WorkResult]) -> WorkResult:
        """Do some work in a transaction that begins as a writer, all of it or nothing."""
        # A transaction that reads first and writes later may be refused, with no waiting, because somebody else wrote
        # in between. IMMEDIATE waits its turn at the start.
        self.rows("BEGIN IMMEDIATE")
        try:
            result = work()
            self.rows("COMMIT")
        except BaseException:
            if self.database.in_transaction:  # SQLite itself ends some that fail
                self.rows("ROLLBACK")
            raise
        return result

    def tables(self) -> set[str]:
        """Return the names of the tables that are there."""
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def close(self) -> None:
        """Close the connection."""
        self.database.close()


def use_write_ahead_log(file: Path) -> None:
    """Make an SQLite file keep a write-ahead log, from now on and for everybody.

    Where somebody else keeps it busy, or the disk cannot have such a log, it keeps its rollback journal until it is
    opened the next time: slower, no less safe.
    """
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file, timeout=1)) as database:
        database.execute("PRAGMA journal_mode=WAL")
