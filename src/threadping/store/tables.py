"""The place of a store, its failures in sentences, its tables with their records, and the one connection to its file.

Write-ahead log, `synchronous=NORMAL`: a commit is one append to the log and waits for no disk, so that storing a trial
disturbs the next one little, and `threadping runs list` reads while a run writes. What is committed outlives the
process, however it ends. A power cut may take the last trials with it, but never spoils the store.
"""

import errno
import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from threadping.model.errors import (
    RunDamaged,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    UsageError,
    system_cause,
)
from threadping.model.files import is_full, user_folder
from threadping.model.run import Machine, Run
from threadping.model.text import visible
from threadping.probes.owner import is_running

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9_+]*)://")


@dataclass(frozen=True)
class Place:
    """The place of a store: a file, or a server's URL; `is_users_own` where nobody named it."""

    file: Path | None
    url: str = ""
    is_users_own: bool = False

    def __str__(self) -> str:
        without_password = re.sub(r"(?<=://)([^:/@]*):[^/]*@", r"\1:***@", self.url)
        return str(self.file or re.sub(r"(?<=password=)[^&]*", "***", without_password))

    @property
    def identity(self) -> tuple[int, int] | None:
        """The device and the inode of its file; None where there is none."""
        with suppress(OSError):
            there = self.file.stat() if self.file else None
            return there and (there.st_dev, there.st_ino)
        return None


def place_of(location: str | None) -> Place:
    """Read a path or a URL, `~` for the home folder in both. Whether anything is there is not checked.

    None is `THREADPING_STORE`, or else the user's own, where the platform keeps data. Raises `UsageError` where it can
    be neither.
    """
    location = os.environ.get("THREADPING_STORE") or None if location is None else location
    if location is None:
        return Place(user_folder("DATA") / "runs.sqlite3", is_users_own=True)
    path = location
    if scheme := _SCHEME.match(location):
        if scheme[1] in ("postgresql", "postgres"):
            return Place(None, location)
        if scheme[1] != "sqlite":
            kinds = "Use sqlite or postgresql, or name another with --store PATH."
            raise UsageError(f"The store {Place(None, location)} names an unknown kind of database. {kinds}")
        host, slash, path = location[scheme.end() :].partition("/")
        if host or "?" in path:
            raise unreadable("of SQLite, it has a path only, without host and options")
        path = path if slash and path else ":memory:"
    if path == ":memory:":
        raise UsageError(
            f"The store {location} is in memory, and would be lost at the end. Name a file with --store PATH."
        )
    try:
        file = Path(path).expanduser()
    except RuntimeError:  # the home folder of nobody
        file = None
    if file is None or not path or "\0" in path:
        raise UsageError(f"The store {path!r} is not a path on this machine. Name a file with --store PATH.")
    return Place(file)


def unreadable(cause: object) -> UsageError:
    return UsageError(
        f"The store's URL cannot be read: {str(cause).strip()}. It should be like sqlite:////path/to/runs.sqlite3 or "
        "postgresql://user@host/database; a plain path will do too."
    )


# How long to wait for another program that is writing. Our own commits take a millisecond; but a trial that could
# not be stored is lost, so patience is cheap.
BUSY_SECONDS = 30.0


class ServerError(Exception):
    """An error of a database server or its driver; `is_lost` where it could not be reached, or went away."""

    def __init__(self, words: object, *, is_lost: bool) -> None:
        super().__init__(str(words))
        self.is_lost = is_lost


_SENTENCES: dict[type[StoreError], str] = {
    StoreError: "The store {place} cannot be used: {cause}. Fix that",
    StoreReadOnly: "The store {place} is read-only: the file, its folder or its disk may not be written. Make it "
    "writable, copy it with all files in its folder whose names begin like its own",
    StoreFull: "The disk of the store {place} is full. What was stored before is safe. Free some space",
    StoreCorrupt: "The store {place} is damaged, or is not a threadping store ({cause}). {aside}",
}


@contextmanager
def in_plain_words(place: Place) -> Iterator[None]:
    """Turn everything that can go wrong with the store at `place` into an error of `threadping.model.errors`."""
    try:
        yield
    except sqlite3.Error as error:
        raise failure(place, *_of_sqlite(place, error)) from error
    except ServerError as error:
        raise failure(place, StoreError, error) from error
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "threadping":
            raise  # ours to mend, not the user's
        raise failure(place, StoreError, f"it needs the Python package '{error.name}'") from error
    except OSError as error:
        raise failure(place, _OF_SYSTEM.get(error.errno, StoreError), system_cause(error)) from error
    except (ValueError, zlib.error) as error:  # a stored value that cannot be read back; msgspec raises ValueErrors
        raise failure(place, StoreCorrupt, error) from error


def failure(place: Place, kind: type[StoreError], cause: object) -> StoreError:
    """Return the error that says what is wrong with the store, and what to do."""
    what = (str(cause).strip() or type(cause).__name__).splitlines()[0].rstrip(".")
    sentence = _SENTENCES[kind].format(place=place, cause=what, aside=aside(place))
    return kind(f"{sentence}, or name another with --store PATH.")


def aside(place: Place) -> str:
    """Say what to do with a store that threadping cannot use."""
    return f"Move it away, with any {place.file.name}-wal in its folder" if place.file else "Empty that database"


_OF_SYSTEM: dict[int | None, type[StoreError]] = {
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), StoreReadOnly),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), StoreFull),
}


def _of_sqlite(place: Place, cause: sqlite3.Error) -> tuple[type[StoreError], object]:
    match getattr(cause, "sqlite_errorcode", 0) & 0xFF:  # the rest of the bits say where in SQLite it happened
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


# The format of a store; one of another is refused. It counts up with every change of these tables and of what is
# stored in them, other than a new field with a default.
STORE_VERSION = 11

SERIES = "threadping_series"  # the view that others read: its columns stay as they are, what is below it may change

# The columns of what a run says of a row, once it has ended; a run that says nothing has one line, without a value
HEADLINE = (
    *("time", "machine", "experiment", "case_name", "state", "core_to_core_ns"),
    *("figure", "unit", "value", "low", "high", "comparable", "version"),
)

# A run's number never comes to mean another run: a person may have written it down. In a trial the long
# columns come last: SQLite reads a row from its front.
TABLES = f"""
CREATE TABLE threadping_schema (version_num INTEGER PRIMARY KEY);
INSERT INTO threadping_schema VALUES ({STORE_VERSION});
CREATE TABLE runs (
    id {{number}}, record TEXT NOT NULL, started TEXT NOT NULL, machine TEXT NOT NULL, owner TEXT
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


def insertion(table: str, columns: Iterable[str]) -> str:
    names = [*columns]
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


WorkResult = TypeVar("WorkResult")
Rows = list[tuple[Any, ...]]


class StoreConnection:
    """A connection to a file; a connection to a server is a subclass. A `?` in a statement is a placeholder."""

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
        self.database = sqlite3.connect(place, timeout=BUSY_SECONDS, isolation_level=None, uri=immutable)
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
        return self.database.execute(insertion(table, row), [*row.values()]).lastrowid or 0

    def insert_all(self, table: str, columns: Iterable[str], rows: Iterable[Sequence[object]]) -> None:
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
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def close(self) -> None:
        self.database.close()


def use_write_ahead_log(file: Path) -> None:
    """Make an SQLite file keep a write-ahead log, from now on and for everybody.

    Where somebody else keeps it busy, or the disk cannot have such a log, it keeps its rollback journal until it is
    opened the next time: slower, no less safe.
    """
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file, timeout=1)) as database:
        database.execute("PRAGMA journal_mode=WAL")


# ---- records, as the tables have them ----

_Kind = TypeVar("_Kind")
FASTEST_LEVEL = 1  # of compression: 6, the usual one, takes three times as long for 4% less
BATCH_RECORDS = 64  # compressed one after the other: handing over each to a thread would take as long again
MAX_RECORD_BYTES = 256 << 20  # a trial of a minute has 1% of it
OVERDUE_S = 3600.0  # a run takes at most twice its budget; this much later it has ended, wherever it was measured


def row_of(run: Run) -> dict[str, str | None]:
    """Return the columns of a run; by the last three runs are searched, without reading their records."""
    return {
        "record": json_of(run),
        "started": run.started,
        "machine": name_of(run.machine),
        "owner": None if run.imported else run.owner.machine,
    }


def name_of(machine: Machine) -> str:
    return json_of([machine.hostname, machine.cpu_model])


def json_of(record: Any) -> str:
    try:
        return msgspec.json.encode(record).decode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return msgspec.json.encode(visible(msgspec.to_builtins(record))).decode()


# What reading a damaged row ends with: msgspec's errors are ValueErrors
ROW_DAMAGE = (ValueError, TypeError, RecursionError, MemoryError, LookupError, ArithmeticError, zlib.error)


def run_of(number: int, record: str) -> Run:
    """Return the run of a row, interrupted if its process is gone; raise RunDamaged."""
    try:
        run = structs.replace(msgspec.json.decode(record, type=Run), id=number)
    except ROW_DAMAGE as error:
        raise RunDamaged(number, error) from error
    if run.status != "running" or (running := is_running(run.owner)):
        return run
    # A killed process could not write it. It is computed and never written, so that reading changes no store.
    since_s = (datetime.now(UTC) - datetime.fromisoformat(run.started)).total_seconds()
    over = running is False or since_s > 2 * run.budget_s + OVERDUE_S
    return structs.replace(run, status="interrupted") if over else run


def pack(record: Any) -> bytes:
    try:
        encoded = msgspec.msgpack.encode(record)
    except UnicodeEncodeError:
        encoded = msgspec.msgpack.encode(visible(msgspec.to_builtins(record)))
    return zlib.compress(encoded, FASTEST_LEVEL)


def pack_all(records: Sequence[Any]) -> list[bytes]:
    """Pack many records, each by itself, on two threads: compressing holds no lock of the interpreter."""
    from concurrent.futures import ThreadPoolExecutor

    parts = [records[at : at + BATCH_RECORDS] for at in range(0, len(records), BATCH_RECORDS)]
    with ThreadPoolExecutor(2) as pool:
        return [one for part in pool.map(lambda part: [*map(pack, part)], parts) for one in part]


def unpack(packed: Iterable[bytes], kind: type[_Kind]) -> list[_Kind]:
    """Return the records that were packed; raise one of ROW_DAMAGE if one is none."""
    decode, found = msgspec.msgpack.Decoder(kind).decode, []  # made once: a third of the time of small records
    for one in packed:
        bounded = zlib.decompressobj()
        encoded = bounded.decompress(one, MAX_RECORD_BYTES)
        if not bounded.eof:
            raise ValueError("a trial is too large, or ends too soon")
        found.append(decode(encoded))
    return found
