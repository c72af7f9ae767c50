"""The store: found, checked and opened; and what a run leaves behind in it, trial by trial."""

import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial, wraps
from itertools import groupby, repeat
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace

from threadping.model import errors
from threadping.model.run import Fleet, Machine, Member, Observation, ReferencePing, Run, Stored, Trial
from threadping.probes.owner import is_running, owner_of_this_process
from threadping.store import tables

RUNS_AT_ONCE = 50  # are read where it is not known how many will be asked for
TRIAL_COLUMNS = ("run_id", "observation", "trial")

SELECT_RUNS = """
SELECT id, record, (SELECT count(*) FROM trials WHERE run_id = runs.id) FROM runs
"""

_Record = TypeVar("_Record")
_Result = TypeVar("_Result")
_Arguments = ParamSpec("_Arguments")


def _committed(
    method: Callable[Concatenate["Store", _Arguments], _Result],
) -> Callable[Concatenate["Store", _Arguments], _Result]:
    """Give a method a transaction, which is committed when the method ends."""

    @wraps(method)
    def commit(store: "Store", /, *given: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        if store._identity != store.place.identity:  # SQLite would write on into a file that no name leads to any more
            raise errors.StoreError(
                f"The store {store.place} is gone: it was removed, moved or replaced while it was in use."
            )
        work = partial(method, store, *given, **named)
        if store._commits:  # called by another such method: a part of its transaction
            return work()
        store._commits = True
        try:
            with tables.in_plain_words(store.place):
                return store.connection.commit(work)
        finally:
            store._commits = False

    return commit


class Store(AbstractContextManager["Store"]):
    """An open store; `open_store` makes one. It is a context manager.

    Every method raises `StoreError`, or a kind of it, when the database fails; the store can be used again after that,
    and what was committed before is safe.
    """

    def __init__(self, connection: tables.StoreConnection, place: tables.Place) -> None:
        self.place, self.connection = place, connection
        self._identity, self._commits = place.identity, False

    def __exit__(self, *_error: object) -> None:
        """Let go of the database; what SQLite kept in its log is moved into the file."""
        self.connection.close()

    def _read(self, statement: str, *values: object) -> tables.Rows:
        with tables.in_plain_words(self.place):
            return self.connection.rows(statement, *values)

    @_committed
    def begin(self, run: Run) -> Run:
        """Store a run before its first trial, and return it with the number it was given."""
        return replace(run, id=self.connection.insert("runs", tables.row_of(run)))

    @_committed
    def add_batch(self, run_id: int, ended: Sequence[tuple[Trial, Observation]]) -> None:
        """Store trials that were measured at once; all are safe when this returns. StoreError without the run."""
        self._check_there(run_id)
        rows = [(run_id, tables.pack(observation), tables.pack(trial)) for trial, observation in ended]
        self.connection.insert_all("trials", TRIAL_COLUMNS, rows)

    @_committed
    def add_ping(self, run_id: int, ping: ReferencePing) -> None:
        """Store a ping of a run; it is safe when this returns. Raises as `add_batch` does."""
        self._check_there(run_id)
        self.connection.insert("pings", {"run_id": run_id, "ping": tables.pack(ping)})

    def _check_there(self, run_id: int) -> None:
        if not self.connection.rows("SELECT id FROM runs WHERE id = ?", run_id):
            raise errors.StoreError(
                f"Run {run_id} is not in the store {self.place} any more: it was removed meanwhile."
            )

    @_committed
    def take(self, whole: Stored, trials: Sequence[Trial] = ()) -> Run:
        """Store a run that has ended, all of it or nothing; without trials only its observations are known."""
        run = self.begin(whole.run)
        results = tables.pack_all(trials) if trials else [b""] * len(whole.observations)
        rows = zip(repeat(run.id), tables.pack_all(whole.observations), results)
        self.connection.insert_all("trials", TRIAL_COLUMNS, rows)
        self.connection.insert_all("pings", ("run_id", "ping"), zip(repeat(run.id), tables.pack_all(whole.pings)))
        return run

    @_committed
    def take_all(self, every: Sequence[Stored]) -> list[Run]:
        """Store runs that were measured elsewhere as `take` does: all of them, or none."""
        return [self.take(one) for one in every]

    @_committed
    def begin_fleet(self, fleet: Fleet) -> Fleet:
        """Store a fleet before its first host is asked, and return it with the number it was given."""
        return replace(fleet, id=self.connection.insert("fleets", {"record": tables.json_of(fleet)}))

    @_committed
    def add_member(self, fleet: Fleet, member: Member, whole: Stored | None) -> Member:
        """Store what became of a host, with the run it sent, all or nothing; what was known of it there is replaced."""
        member = replace(member, run=self.take(whole).id if whole else None)
        self.connection.rows("DELETE FROM members WHERE fleet_id = ? AND host = ?", fleet.id, member.host.key)
        row = {"fleet_id": fleet.id, "host": member.host.key, "run_id": member.run, "record": tables.json_of(member)}
        self.connection.insert_all("members", row, [(*row.values(),)])
        return member

    def without_headlines(self) -> list[int]:
        """Return the numbers of the runs without stored headlines, the newest first."""
        known = "SELECT 1 FROM headlines WHERE run_id = runs.id"
        return [number for (number,) in self._read(f"SELECT id FROM runs WHERE NOT EXISTS ({known}) ORDER BY id DESC")]

    @_committed
    def keep_headlines(self, run_id: int, points: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a run says of its rows, in the place of what was kept of it; that it says nothing, too."""
        self.connection.rows("DELETE FROM headlines WHERE run_id = ?", run_id)
        rows = [(run_id, *map(one.get, tables.HEADLINE)) for one in points or [{}]]
        self.connection.insert_all("headlines", ("run_id", *tables.HEADLINE), rows)

    def fleet(self, which: str) -> Fleet:
        """Return the fleet of that number, or the newest for `last`. Raises `UsageError`, naming what there is."""
        where, values = _where(which)
        for number, record in self._read(f"SELECT id, record FROM fleets {where} ORDER BY id DESC LIMIT 1", *values):
            return replace(_of_fleet(number, record, Fleet), id=number)
        numbers = [str(number) for (number,) in self._read("SELECT id FROM fleets ORDER BY id")]
        held = f"fleet {', '.join(numbers)}" if numbers else "no fleet"
        raise errors.UsageError(f"There is no fleet {which!r} in the store {self.place}, which holds {held}.")

    def members(self, fleet: Fleet) -> list[Member]:
        """Return what became of the hosts of a fleet, in the order of their names; a run that was removed is none."""
        rows = self._read("SELECT run_id, record FROM members WHERE fleet_id = ?", fleet.id)
        found = [replace(_of_fleet(fleet.id, record, Member), run=run_id) for run_id, record in rows]
        return sorted(found, key=lambda one: (one.host.name, one.host.key))

    @_committed
    def resume(self, run: Run) -> Run:
        """Begin a run again, with this process; raise StoreError if it is measured, or was resumed meanwhile."""
        found = self.run(str(run.id))
        if found.imported:
            raise errors.StoreError(f"Run {run.id} was imported: it goes on where it was measured.")
        if found.status == "running":
            raise errors.StoreError(
                f"Run {run.id} is still being measured, by process {found.owner.pid} of {found.owner.hostname}. "
                "End that first."
            )
        if len(found.resumed) > len(run.resumed[:-1]):
            raise errors.StoreError(
                f"Run {run.id} was resumed by another threadping meanwhile: `threadping runs resume {run.id}` goes on "
                "where that one ended."
            )
        begun = replace(run, status="running", ended=None)
        self.connection.rows("DELETE FROM headlines WHERE run_id = ?", run.id)
        self._update(begun)
        return begun

    @_committed
    def finish(self, run: Run) -> None:
        """Store the record of a run that has ended; raise StoreError if it was removed."""
        self._check_there(run.id)
        self._update(run)

    def _update(self, run: Run) -> None:
        row = tables.row_of(run)
        columns = ", ".join(f"{name} = ?" for name in row)
        self.connection.rows(f"UPDATE runs SET {columns} WHERE id = ?", *row.values(), run.id)

    @_committed
    def remove(self, run_id: int, *, force: bool = False) -> None:
        """Delete a run, even a damaged one; with `force` even one that another host may still be measuring."""
        with suppress(errors.RunDamaged):  # nothing says which process measures it
            run = self.run(str(run_id))
            elsewhere = is_running(run.owner) is None
            if run.status == "running" and not (force and elsewhere):
                raise errors.StoreError(
                    f"Run {run.id} is still being measured, by process {run.owner.pid} of {run.owner.hostname}. "
                    f"End that first, then remove the run{' there, or give --anyway' if elsewhere else ''}."
                )
        self.connection.rows("UPDATE members SET run_id = NULL WHERE run_id = ?", run_id)
        for table in ("trials", "pings", "headlines"):
            self.connection.rows(f"DELETE FROM {table} WHERE run_id = ?", run_id)
        self.connection.rows("DELETE FROM runs WHERE id = ?", run_id)

    def _runs(self, which: str, *values: object) -> tuple[list[tuple[Run, int]], list[errors.RunDamaged]]:
        found, damaged = [], []
        for *row, ended in self._read(f"{SELECT_RUNS} {which}", *values):
            try:
                found.append((tables.run_of(*row), ended))
            except errors.RunDamaged as error:
                damaged.append(error)
        return found, damaged

    def listed(self, limit: int | None = None) -> tuple[list[tuple[Run, int]], list[errors.RunDamaged]]:
        """Return the runs, newest first, with the number of their trials that had ended; and what is damaged."""
        newest = "ORDER BY id DESC"
        return self._runs(newest) if limit is None else self._runs(f"{newest} LIMIT ?", limit)

    def newest(self, before: int = 2**31 - 1) -> Iterator[tuple[Run, int]]:
        """Yield the runs as `listed` does, of lower numbers than one, a few read whenever more are asked for."""
        while True:
            found, damaged = self._runs("WHERE id < ? ORDER BY id DESC LIMIT ?", before, RUNS_AT_ONCE)
            yield from found
            if not (seen := [*(run.id for run, _ in found), *(one.run_id for one in damaged)]):
                return
            before = min(seen)

    def run(self, which: str) -> Run:
        """Return the run of that number, or the newest for `last`; raise UsageError, or RunDamaged."""
        where, values = _where(which)
        for *row, _ in self._read(f"{SELECT_RUNS} {where} ORDER BY id DESC LIMIT 1", *values):
            return tables.run_of(*row)
        ((first, last),) = self._read("SELECT min(id), max(id) FROM runs")
        if first is None:
            raise errors.UsageError(
                f"There is no run {which!r}: the store {self.place} is empty. `threadping run` measures one."
            )
        held = f"run {last}" if first == last else f"runs {first} to {last}"
        raise errors.UsageError(
            f"There is no run {which!r} in the store {self.place}, which holds {held}. Write such a number, or last."
        )

    def number(self, which: str) -> int:
        """Return the number of a run, damaged or not. Raises `UsageError`, naming what there is."""
        try:
            return self.run(which).id
        except errors.RunDamaged as damaged:
            return damaged.run_id

    def begun(self, started: str) -> list[Run]:
        """Return the runs that began at this time, the oldest first."""
        return [run for run, _ in self._runs("WHERE started = ? ORDER BY id", started)[0]]

    def trials(self, run: Run) -> list[Trial]:
        """Return a run's trials in the order in which they ended; of a run that was taken from elsewhere none."""
        return self._of_run(run, "trial", "trials", Trial)

    def observations(self, run: Run) -> list[Observation]:
        """Return what was observed of these trials, in the same order, without reading their results."""
        return self._of_run(run, "observation", "trials", Observation)

    def pings(self, run: Run) -> list[ReferencePing]:
        """Return the pings of a run in the order in which they were taken."""
        return self._of_run(run, "ping", "pings", ReferencePing)

    def _of_run(self, run: Run, column: str, table: str, kind: type[_Record]) -> list[_Record]:
        rows = self._read(f"SELECT {column} FROM {table} WHERE run_id = ? ORDER BY id", run.id)
        try:
            return tables.unpack([packed for (packed,) in rows if packed != b""], kind)
        except tables.ROW_DAMAGE as error:
            raise errors.RunDamaged(run.id, error) from error

    def pings_of_machine(self, machine: Machine) -> tuple[dict[int, list[ReferencePing]], list[errors.RunDamaged]]:
        """Return the pings of all runs that this machine measured, by run, the oldest first; and what is damaged.

        It is known by its name, its CPU's model and the digest of its id, where a run has one: names alone are alike
        where machines are clones. What was imported says nothing of it.
        """
        here, found, damaged = owner_of_this_process().machine, {}, []
        of_it = "machine = ? AND owner IS NOT NULL AND (owner = '' OR ? IN ('', owner))"
        pings = "SELECT run_id, ping FROM pings JOIN runs ON runs.id = run_id"
        rows = self._read(f"{pings} WHERE {of_it} ORDER BY run_id, pings.id", tables.name_of(machine), here)
        for number, of_run in groupby(rows, lambda row: int(row[0])):
            try:
                found[number] = tables.unpack([packed for _, packed in of_run], ReferencePing)
            except tables.ROW_DAMAGE as error:
                damaged.append(errors.RunDamaged(number, error))
        return found, damaged


def _where(which: str) -> tuple[str, tuple[int, ...]]:
    if which in ("last", "latest"):  # the second is what many type
        return "", ()
    return "WHERE id = ?", (int(which) if re.fullmatch("[0-9]{1,9}", which) else 0,)  # 0: none has that number


def _of_fleet(fleet_id: int, record: str, kind: type[_Record]) -> _Record:
    try:
        return msgspec.json.decode(record, type=kind)
    except tables.ROW_DAMAGE as error:
        why = f"({errors.cause_of(error)}): `threadping runs list` has the runs of its hosts"
        raise errors.StoreError(f"Fleet {fleet_id} is damaged {why}.") from error


def open_store(location: str | None, *, create: bool = True) -> Store:
    """Open the store at a path or URL; None is `THREADPING_STORE`, or else the user's own.

    With `create` the store can be written, and is made where there is none: one that cannot be written is refused now,
    before anything is measured. Only the folders of the user's own store are made. Without `create` nothing is made or
    changed, and a read-only store will do.

    Raises `UsageError` for a location that can never be a store, `StoreMissing` for one where none is (only without
    `create`), and `StoreReadOnly`, `StoreFull`, `StoreCorrupt` or `StoreError` for what their
    names say.
    """
    place = tables.place_of(location)
    with tables.in_plain_words(place):
        if place.file is None:
            from threadping.store.postgresql import ServerConnection

            return Store(_checked(ServerConnection(place.url), place, create=create), place)
        _check_file(place, place.file, create=create)
        if create and not place.file.exists():
            # Command lines and names of hosts are nobody else's business. SQLite's logs have the mode of their file.
            place.file.touch(mode=0o600)
        try:
            connection = _checked(tables.StoreConnection(place.file), place, create=create)
        except sqlite3.OperationalError:
            # SQLite makes the log next to a store even to read it, which a read-only folder or a full disk does not
            # allow. A reader can do without: nobody else has the store open, or the log would be there.
            logs = [Path(f"{place.file}{end}") for end in ("-wal", "-journal")]
            if create or any(log.exists() and log.stat().st_size > 0 for log in logs):
                raise
            connection = _checked(tables.StoreConnection(place.file, immutable=True), place, create=False)
        if create:
            tables.use_write_ahead_log(place.file)
        return Store(connection, place)


def _check_file(place: tables.Place, file: Path, *, create: bool) -> None:
    """Refuse what can be no store. A folder that was named is not created: the name may be mistyped."""
    if not file.exists():  # asked first: another threadping may be making it
        if not create:
            raise _missing(place)
        if place.is_users_own:
            file.parent.parent.mkdir(parents=True, exist_ok=True)
            file.parent.mkdir(mode=0o700, exist_ok=True)
        elif not file.parent.is_dir():
            raise errors.UsageError(
                f"The store {place} cannot be made: there is no folder {file.parent}. Make it with "
                f"`mkdir -p {shlex.quote(str(file.parent))}`, or name another store with --store PATH."
            )
    elif not file.is_file():
        raise errors.UsageError(f"The store {place} is not a regular file. Name one with --store PATH.")


def _checked(connection: tables.StoreConnection, place: tables.Place, *, create: bool) -> tables.StoreConnection:
    """Return a connection to a store, which is made with `create`; close it where it leads to none."""

    def make() -> None:
        if place.file is None:  # SQLite allows no other connection during a write
            connection.rows("SELECT pg_advisory_xact_lock(hashtext('threadping'))")
        if not _is_store(connection, place):
            for statement in tables.TABLES.format(**connection.types).split(";"):
                connection.rows(statement)
        # A store that cannot be written is refused now, before anything is measured: this changes no row.
        connection.rows("UPDATE runs SET owner = NULL WHERE id = 0")

    try:
        if not _is_store(connection, place) and not create:
            raise _missing(place)
        if create:
            connection.commit(make)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_store(connection: tables.StoreConnection, place: tables.Place) -> bool:
    """Return if it is a store: an empty database is none. Refuse what is not ours, or of another version."""
    there = connection.tables()  # asked for once: another threadping may be making them
    if "threadping_schema" not in there:
        if there:
            raise tables.failure(place, errors.StoreCorrupt, "it holds the tables of something else")
        return False
    ((version,),) = connection.rows("SELECT max(version_num) FROM threadping_schema")
    if str(version) != str(tables.STORE_VERSION):
        raise errors.StoreError(
            f"The store {place} was written by another version of threadping: its format is {version}, and this "
            f"threadping uses only {tables.STORE_VERSION}. {tables.aside(place)}, name another with --store PATH, or "
            "use the threadping that wrote it."
        )
    return True


def _missing(place: tables.Place) -> errors.StoreMissing:
    return errors.StoreMissing(
        f"There is no store at {place} yet. `threadping run` measures a first run; --store PATH names another store."
    )
