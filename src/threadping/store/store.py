"""The store itself: what a run leaves behind, trial by trial."""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import wraps
from itertools import groupby
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Row,
    Select,
    Table,
    Text,
    cast,
    delete,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError, IntegrityError

from threadping.model.bounds import read_clock_if_set
from threadping.model.characters import visible
from threadping.model.errors import FleetDamaged, RunDamaged, StoreError, UnknownRun
from threadping.model.fleet import Fleet, Member
from threadping.model.run import Machine, Observation, ReferencePing, Run, RunStatus, Stored, Trial
from threadping.store import failures
from threadping.store.failures import Place, in_plain_words, is_of_a_row
from threadping.store.records import (
    ROW_DAMAGE,
    RUN_COLUMNS,
    Head,
    decoded,
    fleets,
    headlines,
    is_running,
    members,
    metadata,
    owner_of_this_process,
    pack,
    pack_all,
    pings,
    run_of,
    runs,
    trials,
    unpack,
    values_of_run,
)

A_FEW = 50
"""So many runs are read at once, where it is not known how many will be asked for."""

WRITES = "threadping_writes"
"""The engine's option for transactions that begin as writers."""

_Stored = TypeVar("_Stored")
_Done = TypeVar("_Done")
_Arguments = ParamSpec("_Arguments")


def _committed(
    work: Callable[Concatenate["Store", Connection, _Arguments], _Done],
) -> Callable[Concatenate["Store", _Arguments], _Done]:
    """Give a method a connection, whose transaction is committed when the method ends."""

    @wraps(work)
    def method(store: "Store", /, *given: _Arguments.args, **named: _Arguments.kwargs) -> _Done:
        return store._commit(lambda connection: work(store, connection, *given, **named))

    return method


class Store(AbstractContextManager["Store"]):
    """An open store; `open_store` makes one. Close it, or use it as a context manager.

    Every method raises `StoreError`, or a kind of it, when the database fails; the store can be used again after that,
    and what was committed before is safe.
    """

    def __init__(self, engine: Engine, place: Place) -> None:
        """Wrap an engine whose tables are those of this version."""
        self.place = place
        self._file = place.identity
        self._engine = engine
        self._writer = engine.execution_options(**{WRITES: True})

    def __exit__(self, *_error: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Let go of the database; what SQLite kept in its log is moved into the file."""
        self._engine.dispose()

    @_committed
    def begin(self, connection: Connection, run: Run) -> Run:
        """Store a run before its first trial, and return it with the number it was given."""
        (run_id,) = connection.execute(insert(runs).values(values_of_run(run))).inserted_primary_key or (0,)
        return replace(run, id=run_id)

    def add(self, run_id: int, trial: Trial, observation: Observation) -> None:
        """Store a trial that has ended, and what was observed of it; both are safe when this returns.

        Raises `StoreError` where there is no such run any more.
        """
        self.add_batch(run_id, [(trial, observation)])

    def add_batch(self, run_id: int, ended: Sequence[tuple[Trial, Observation]]) -> None:
        """Store trials that were measured at once, all or none. Raises as `add` does."""
        self._insert(run_id, trials, [{"trial": trial, "observation": seen} for trial, seen in ended])

    def add_ping(self, run_id: int, ping: ReferencePing) -> None:
        """Store a ping of a run; it is safe when this returns. Raises as `add` does."""
        self._insert(run_id, pings, [{"ping": ping}])

    @_committed
    def take(self, connection: Connection, whole: Stored, trials: Sequence[Trial] = ()) -> Run:
        """Store a run that has ended, all of it or nothing, and return it with the number it was given.

        Without its trials, which stay where they were measured, only what was observed of them is known.
        """
        return _take(connection, whole, trials)

    @_committed
    def take_all(self, connection: Connection, every: Sequence[Stored]) -> list[Run]:
        """Store runs that were measured elsewhere as `take` does: all of them, or none."""
        return [_take(connection, one) for one in every]

    @_committed
    def begin_fleet(self, connection: Connection, fleet: Fleet) -> Fleet:
        """Store a fleet before its first host is asked, and return it with the number it was given."""
        metadata.create_all(connection)
        row = insert(fleets).values(record=visible(msgspec.to_builtins(fleet)))
        (fleet_id,) = connection.execute(row).inserted_primary_key or (0,)
        return replace(fleet, id=fleet_id)

    @_committed
    def add_member(self, connection: Connection, fleet: Fleet, member: Member, whole: Stored | None) -> Member:
        """Store what became of a host, with the run it sent, all or nothing; what was known of it there is replaced."""
        of_host = (members.c.fleet_id == fleet.id, members.c.host == member.key)
        member = replace(member, run=_take(connection, whole).id if whole else None)
        connection.execute(delete(members).where(*of_host))
        record = visible(msgspec.to_builtins(member))
        row = {"fleet_id": fleet.id, "host": member.key, "run_id": member.run, "record": record}
        connection.execute(insert(members).values(row))
        return member

    def without_headlines(self) -> list[int]:
        """Return the numbers of the runs of which no headlines are kept, the newest first."""
        with self._reading() as connection:
            query = select(runs.c.id).where(runs.c.id.not_in(select(headlines.c.run_id)))
            return [*connection.scalars(query.order_by(runs.c.id.desc()))]

    @_committed
    def keep_headlines(self, connection: Connection, run_id: int, points: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a run says of its rows, in the place of what was kept of it; that it says nothing, too."""
        connection.execute(delete(headlines).where(headlines.c.run_id == run_id))
        connection.execute(insert(headlines), [{**one, "run_id": run_id} for one in points or [{}]])

    def fleet(self, which: str) -> Fleet:
        """Return the fleet of that number, or the newest for `last`. Raises `UnknownRun`, naming what there is."""
        with self._reading() as connection:
            there = inspect(connection).has_table(fleets.name)
            query = select(fleets.c.id, cast(fleets.c.record, Text).label("record")).order_by(fleets.c.id)
            rows = connection.execute(query).all() if there else []
        numbers = [row.id for row in rows]
        for row in reversed(rows):
            if which in ("last", str(row.id)):
                return replace(_of_fleet(row.id, row.record, Fleet), id=row.id)
        held = f"fleet {', '.join(map(str, numbers))}" if numbers else "no fleet"
        raise UnknownRun(f"There is no fleet {which!r} in the store {self.place}, which holds {held}.")

    def members(self, fleet: Fleet) -> list[Member]:
        """Return what became of the hosts of a fleet, in the order of their names; a run that was removed is none.

        Where pairs are measured, hosts alone come first.
        """
        with self._reading() as connection:
            query = select(members.c.run_id, cast(members.c.record, Text).label("record"))
            rows = connection.execute(query.where(members.c.fleet_id == fleet.id)).all()
        found = [replace(_of_fleet(fleet.id, row.record, Member), run=row.run_id) for row in rows]
        return sorted(
            found, key=lambda one: (one.peer is not None, one.host.name, one.peer.name if one.peer else "", one.key)
        )

    def runs_of_host(self, key: str) -> list[Run]:
        """Return the runs that fleets took from a host, the newest first."""
        query = select(*RUN_COLUMNS).join(members).where(members.c.host == key).order_by(runs.c.id.desc())
        with self._reading() as connection:
            return [run for run, _ in _sound(connection, query)[0]]

    @_committed
    def resume(self, connection: Connection, run: Run) -> Run:
        """Begin a run again that has ended, as it is now: with the process that measures it; what it holds stays.

        Raises `StoreError` where it is still being measured, or was resumed since it was read.
        """
        found = self._one(connection, str(run.id))
        if found.imported:
            raise StoreError(f"Run {run.id} was imported: it goes on where it was measured.")
        if found.status == "running":
            raise StoreError(
                f"Run {run.id} is still being measured, by process {found.owner.pid} of {found.owner.hostname}. "
                "End that first."
            )
        if len(found.resumed) > len(run.resumed[:-1]):
            raise StoreError(
                f"Run {run.id} was resumed by another threadping meanwhile: `threadping resume {run.id}` goes on where "
                "that one ended."
            )
        begun = replace(run, status="running", ended=None)
        connection.execute(delete(headlines).where(headlines.c.run_id == run.id))
        connection.execute(update(runs).where(runs.c.id == run.id).values(values_of_run(begun)))
        return begun

    @_committed
    def finish(
        self, connection: Connection, run_id: int, status: RunStatus, note: str | None, took_s: float | None = None
    ) -> None:
        """Record that the run ended now, how, why, and how long it measured by a clock that nobody sets.

        Raises `StoreError` where there is no such run any more.
        """
        record = connection.scalar(select(runs.c.record).where(runs.c.id == run_id))
        if record is None:
            raise self._removed(run_id)
        ended = {
            "status": status,
            "note": note,
            "ended": read_clock_if_set() or None,
            "record": {**record, "took_s": took_s},
        }
        connection.execute(update(runs).where(runs.c.id == run_id).values(ended))

    @_committed
    def remove(self, connection: Connection, run_id: int, *, force: bool = False) -> None:
        """Delete a run, its trials and its pings; a damaged one too.

        Raises `UnknownRun` where there is no such run, and `StoreError` where its process may still be measuring; with
        `force` only where that is certain.
        """
        with suppress(RunDamaged):  # of which nobody knows what measures it
            _check_ended(self._one(connection, str(run_id)), force=force)
        if inspect(connection).has_table(members.name):
            connection.execute(update(members).where(members.c.run_id == run_id).values(run_id=None))
        for table in (trials, pings, *([headlines] if inspect(connection).has_table(headlines.name) else [])):
            connection.execute(delete(table).where(table.c.run_id == run_id))
        connection.execute(delete(runs).where(runs.c.id == run_id))

    def runs(self, limit: int | None = None) -> list[tuple[Run, int]]:
        """Return the runs, newest first, each with the number of its trials that had ended; at most `limit`.

        Damaged ones are left out.
        """
        return self.listed(limit)[0]

    def listed(self, limit: int | None = None) -> tuple[list[tuple[Run, int]], list[RunDamaged]]:
        """Return the runs as `runs` does, and what is wrong with those of them that are damaged."""
        ended = select(func.count()).where(trials.c.run_id == runs.c.id).scalar_subquery().label("ended_trials")
        query = select(*RUN_COLUMNS, ended).order_by(runs.c.id.desc()).limit(limit)
        with self._reading() as connection:
            found, damaged = _sound(connection, query)
        return [(run, row.ended_trials) for run, row in found], damaged

    def earlier(self, run_id: int) -> Iterator[Run]:
        """Return the runs before one, the newest first, a few read whenever more are asked for; no damaged ones."""
        while True:
            query = select(*RUN_COLUMNS).where(runs.c.id < run_id).order_by(runs.c.id.desc()).limit(A_FEW)
            with self._reading() as connection:
                found, damaged = _sound(connection, query)
            yield from (run for run, _ in found)
            seen = [*(run.id for run, _ in found), *(one.run_id for one in damaged)]
            if not seen:
                return
            run_id = min(seen)

    def run(self, which: str) -> Run:
        """Return the run of that number, or the newest for `last`.

        Raises `UnknownRun`, naming what there is, and `RunDamaged`.
        """
        with self._reading() as connection:
            return self._one(connection, which)

    def number(self, which: str) -> int:
        """Return the number of a run, damaged or not. Raises `UnknownRun`, naming what there is."""
        try:
            return self.run(which).id
        except RunDamaged as damaged:
            return damaged.run_id

    def begun(self, started: str) -> list[Run]:
        """Return the runs that began at this time, the oldest first."""
        with self._reading() as connection:
            numbers = [number for number, head in _heads(connection)[0] if head.started == started]
            query = select(*RUN_COLUMNS).where(runs.c.id.in_(numbers)).order_by(runs.c.id)
            return [run for run, _ in _sound(connection, query)[0]]

    def trials(self, run: Run) -> list[Trial]:
        """Return a run's trials in the order in which they ended; of a run that was taken from elsewhere none."""
        return self._of_run(run, trials.c.trial, Trial)

    def observations(self, run: Run) -> list[Observation]:
        """Return what was observed of these trials, in the same order, without reading their results."""
        return self._of_run(run, trials.c.observation, Observation)

    def pings(self, run: Run) -> list[ReferencePing]:
        """Return the pings of a run in the order in which they were taken."""
        return self._of_run(run, pings.c.ping, ReferencePing)

    def pings_of_machine(self, machine: Machine) -> tuple[dict[int, list[ReferencePing]], list[RunDamaged]]:
        """Return the pings of all runs that this machine measured, by run, the oldest first; and what is damaged.

        It is known by its name, its CPU's model and the digest of its id, where a run has one: names alone are alike
        where machines are clones. What was imported says nothing of it.
        """
        here, found = owner_of_this_process(), {}
        with self._reading() as connection:
            heads, damaged = _heads(connection)
            measured = [number for number, head in heads if head.is_of(machine, here)]
            query = select(pings).where(pings.c.run_id.in_(measured)).order_by(pings.c.run_id, pings.c.id)
            for run_id, rows in groupby(connection.execute(query), lambda row: row.run_id):
                packed = [row.ping for row in rows]
                try:
                    found[run_id] = unpack(packed, ReferencePing)
                except ROW_DAMAGE as error:
                    damaged.append(RunDamaged(run_id, error))
        return found, damaged

    def _of_run(self, run: Run, column: Column[bytes], kind: type[_Stored]) -> list[_Stored]:
        of_run = select(column).where(column.table.c.run_id == run.id, column != b"").order_by(column.table.c.id)
        with self._reading() as connection:
            packed = connection.scalars(of_run).all()
        try:
            return unpack(packed, kind)
        except ROW_DAMAGE as error:
            raise RunDamaged(run.id, error) from error

    def _insert(self, run_id: int, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        values = [{"run_id": run_id, **{name: pack(record) for name, record in row.items()}} for row in rows]
        try:
            self._add(table, values)
        except StoreError as error:
            raise self._removed(run_id) if isinstance(error.__cause__, IntegrityError) else error from error.__cause__

    @_committed
    def _add(self, connection: Connection, table: Table, values: Sequence[Mapping[str, Any]]) -> None:
        connection.execute(insert(table), values)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with in_plain_words(self.place), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._file != self.place.identity:  # SQLite would write on into a file that no name leads to any more
            raise StoreError(f"The store {self.place} is gone: it was removed, moved or replaced while it was in use.")
        with self._writer.begin() as connection:
            yield connection

    def _commit(self, work: Callable[[Connection], _Done]) -> _Done:
        """Do some work in a transaction, and again where the server is lost before that is committed; never twice."""
        until, number = time.monotonic() + failures.BUSY_SECONDS, None
        done: list[_Done] = []
        with in_plain_words(self.place):
            while True:
                try:
                    if (fate := failures.fate_of(number, self._engine)) == "committed":
                        return done[-1]
                    if fate == "in progress" and time.monotonic() > until:
                        raise TimeoutError("it does not say whether it has stored what it was sent")
                    if fate == "aborted":
                        number = None
                        with self._writing() as connection:
                            done.append(work(connection))
                            number = failures.number_of_transaction(connection)
                        return done[-1]
                except (DBAPIError, TimeoutError) as error:
                    if self.place.is_sqlite or not failures.is_lost(error) or time.monotonic() > until:
                        raise
                time.sleep(failures.AGAIN_S)

    def _one(self, connection: Connection, which: str) -> Run:
        query = select(*RUN_COLUMNS).order_by(runs.c.id.desc()).limit(1)
        if which != "last":
            number = int(which) if re.fullmatch("[0-9]{1,9}", which) else 0  # which no run has
            query = query.where(runs.c.id == number)
        found, damaged = _sound(connection, query)
        if damaged:
            raise damaged[0]
        if not found:
            raise self._unknown(connection, which)
        return found[0][0]

    def _removed(self, run_id: int) -> StoreError:
        return StoreError(f"Run {run_id} is not in the store {self.place} any more: it was removed meanwhile.")

    def _unknown(self, connection: Connection, which: str) -> UnknownRun:
        first, last = connection.execute(select(func.min(runs.c.id), func.max(runs.c.id))).one()
        if first is None:
            return UnknownRun(f"There is no run {which!r}: the store {self.place} holds none yet.")
        held = f"run {last}" if first == last else f"runs {first} to {last}"
        return UnknownRun(f"There is no run {which!r} in the store {self.place}. It holds {held}; 'last' is {last}.")


def _check_ended(run: Run, *, force: bool) -> None:
    elsewhere = is_running(run.owner) is None
    if run.status == "running" and not (force and elsewhere):
        there = " there, or give --force" if elsewhere else ""
        raise StoreError(
            f"Run {run.id} is still being measured, by process {run.owner.pid} of {run.owner.hostname}. "
            f"End that first, then remove the run{there}."
        )


def _of_fleet(fleet_id: int, record: str, kind: type[_Stored]) -> _Stored:
    try:
        return decoded(record, kind)
    except ROW_DAMAGE as error:
        raise FleetDamaged(fleet_id, error) from error


def _sound(connection: Connection, query: Select[Any]) -> tuple[list[tuple[Run, Row[Any]]], list[RunDamaged]]:
    """The runs of these rows, each with its row, and what is wrong with those that are damaged."""
    found, damaged = [], []
    for row in _rows(connection, query):
        try:
            if isinstance(row, RunDamaged):
                raise row
            found.append((run_of(row), row))
        except RunDamaged as error:
            damaged.append(error)
    return found, damaged


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Row[Any] | RunDamaged]:
    """Rows of runs; where one cannot even be fetched, as a text that is no UTF-8, each is fetched by itself."""
    try:
        yield from connection.execute(query).all()
    except DBAPIError as error:
        if not is_of_a_row(error):
            raise
        for number in connection.scalars(query.with_only_columns(runs.c.id)).all():
            yield _row(connection, query, number)


def _row(connection: Connection, query: Select[Any], number: int) -> Row[Any] | RunDamaged:
    try:
        return connection.execute(query.where(runs.c.id == number)).one()
    except DBAPIError as error:
        if not is_of_a_row(error):
            raise
        return RunDamaged(number, error.orig or error)


def _heads(connection: Connection) -> tuple[list[tuple[int, Head]], list[RunDamaged]]:
    """What identifies each run, by its number, and what is wrong with those that are damaged."""
    heads, damaged = [], []
    for row in _rows(connection, select(*RUN_COLUMNS).order_by(runs.c.id)):
        if isinstance(row, RunDamaged):
            damaged.append(row)
            continue
        try:
            heads.append((row.id, msgspec.json.decode(row.record, type=Head)))
        except ROW_DAMAGE as error:
            damaged.append(RunDamaged(row.id, error))
    return heads, damaged


def _take(connection: Connection, whole: Stored, measured: Sequence[Trial] = ()) -> Run:
    (run_id,) = connection.execute(insert(runs).values(values_of_run(whole.run))).inserted_primary_key or (0,)
    results = pack_all(measured) if measured else [b""] * len(whole.observations)
    both = zip(results, pack_all(whole.observations), strict=True)
    of_trials = [{"run_id": run_id, "trial": trial, "observation": one} for trial, one in both]
    of_pings = [{"run_id": run_id, "ping": one} for one in pack_all(whole.pings)]
    for table, rows in ((trials, of_trials), (pings, of_pings)):
        if rows:
            connection.execute(insert(table), rows)
    return replace(whole.run, id=run_id)
