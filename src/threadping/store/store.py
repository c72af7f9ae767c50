"""The store itself: what a run leaves behind, trial by trial."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Self

from msgspec.structs import replace
from sqlalchemy import Connection, Engine, RowMapping, func, insert, select, update

from threadping.errors import UnknownRun
from threadping.model import Case, Failure, Owner, Placement, Run, RunStatus, Trial
from threadping.store.engine import writer
from threadping.store.failures import in_plain_words
from threadping.store.histogram import encode
from threadping.store.owner import is_gone
from threadping.store.place import Place
from threadping.store.schema import runs, trials


class Store:
    """An open store; `open_store` makes one. Close it, or use it as a context manager.

    Every method raises `StoreError`, or a kind of it, when the database fails; the store can be used again after that,
    and what was committed before is safe.
    """

    def __init__(self, engine: Engine, place: Place) -> None:
        """Wrap an engine whose tables are up to date."""
        self.place = place
        self._engine = engine
        self._writer = writer(engine)

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Let go of the database; what SQLite kept in its log is moved into the file."""
        self._engine.dispose()

    def begin(self, run: Run) -> Run:
        """Store a run before its first trial, and return it with the number it was given."""
        row = insert(runs).values(_run_values(run))
        with self._writing() as connection:
            result = connection.execute(row)
            (run_id,) = result.inserted_primary_key or (0,)
        return replace(run, id=run_id)

    def add(self, run_id: int, trial: Trial) -> None:
        """Store a trial that has ended; it is safe when this returns."""
        row = insert(trials).values(_trial_values(run_id, trial))
        with self._writing() as connection:
            connection.execute(row)

    def finish(self, run_id: int, status: RunStatus, note: str | None) -> None:
        """Record that the run ended now, how, and why. Raises `UnknownRun` where there is no such run."""
        ended = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._writing() as connection:
            change = update(runs).where(runs.c.id == run_id).values(status=status, note=note, ended=ended)
            if connection.execute(change).rowcount == 0:
                raise self._unknown(connection, str(run_id))

    def runs(self, limit: int | None = None) -> list[tuple[Run, int]]:
        """Return the runs, newest first, each with the number of its trials that had ended; at most `limit`."""
        ended = select(func.count()).where(trials.c.run_id == runs.c.id).scalar_subquery().label("ended_trials")
        with self._reading() as connection:
            rows = connection.execute(select(runs, ended).order_by(runs.c.id.desc()).limit(limit)).mappings()
            return [(_run(row), row["ended_trials"]) for row in rows]

    def run(self, which: str) -> Run:
        """Return the run of that number, or the newest for `last`. Raises `UnknownRun`, naming what there is."""
        if which == "last":
            query = select(runs).order_by(runs.c.id.desc()).limit(1)
        else:
            query = select(runs).where(runs.c.id == _number(which))
        with self._reading() as connection:
            row = connection.execute(query).mappings().one_or_none()
            if row is None:
                raise self._unknown(connection, which)
            return _run(row)

    def trials(self, run_id: int) -> list[Trial]:
        """Return a run's trials that had ended, by round and position; none for a run that is not there."""
        query = select(trials).where(trials.c.run_id == run_id)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(trials.c.round, trials.c.position, trials.c.id)).mappings()
            return [_trial(row) for row in rows]

    def histograms(self, run_id: int) -> list[str | None]:
        """Return, in the order of `trials`, each trial's single times (ns) as HdrHistogram V2; None where it failed."""
        query = select(trials.c.histogram).where(trials.c.run_id == run_id)
        with self._reading() as connection:
            return list(connection.execute(query.order_by(trials.c.round, trials.c.position, trials.c.id)).scalars())

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with in_plain_words(self.place), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with in_plain_words(self.place), self._writer.begin() as connection:
            yield connection

    def _unknown(self, connection: Connection, which: str) -> UnknownRun:
        first, last = connection.execute(select(func.min(runs.c.id), func.max(runs.c.id))).one()
        if first is None:
            return UnknownRun(f"There is no run {which!r}: the store {self.place} holds none yet.")
        held = f"run {last}" if first == last else f"runs {first} to {last}"
        return UnknownRun(f"There is no run {which!r} in the store {self.place}. It holds {held}; 'last' is {last}.")


def _number(which: str) -> int:
    """Read a run's number; 0, which no run has, for anything else."""
    return int(which) if re.fullmatch("[0-9]{1,9}", which) else 0


_RUN_FIELDS = tuple(name for name in Run.__struct_fields__ if name not in ("id", "owner"))  # each is a column


def _run_values(run: Run) -> dict[str, Any]:
    values = {name: getattr(run, name) for name in _RUN_FIELDS}
    owner = {f"owner_{name}": getattr(run.owner, name) for name in Owner.__struct_fields__}
    return values | owner


def _run(row: RowMapping) -> Run:
    values = {name: row[name] for name in _RUN_FIELDS}
    owner = Owner(**{name: row[f"owner_{name}"] for name in Owner.__struct_fields__})
    run = Run(**values, owner=owner, id=row["id"])
    # Whoever was killed could not write it. It is worked out and never written, so that a read-only store tells it too.
    return replace(run, status="interrupted") if run.status == "running" and is_gone(owner) else run


def _trial_values(run_id: int, trial: Trial) -> dict[str, Any]:
    case, result, failure = trial.case, trial.result, trial.failure
    return {
        "run_id": run_id,
        "round": trial.round,
        "position": trial.position,
        "experiment": case.experiment,
        "mechanism": case.mechanism,
        "params": case.params,
        "varied": case.varied,
        "runtime": case.runtime,
        "placement": case.placement.name,
        "cpus": case.placement.cpus,
        "pin": case.placement.pin,
        "blocking": case.blocking,
        "lines": case.lines,
        "warmup": case.warmup,
        "timed": case.timed,
        "home": case.home,
        "started": trial.started,
        "wall_ns": trial.wall_ns,
        "request": trial.request,
        "failure_code": failure and failure.code,
        "failure_message": failure and failure.message,
        "log": trial.log,
        "result": result,
        "histogram": result and encode(result.timed),
    }


def _trial(row: RowMapping) -> Trial:
    code, message = row["failure_code"], row["failure_message"]
    return Trial(
        round=row["round"],
        position=row["position"],
        case=Case(
            experiment=row["experiment"],
            mechanism=row["mechanism"],
            params=row["params"],
            runtime=row["runtime"],
            placement=Placement(name=row["placement"], cpus=row["cpus"], pin=row["pin"]),
            blocking=row["blocking"],
            lines=row["lines"],
            varied=row["varied"],
            warmup=row["warmup"],
            timed=row["timed"],
            home=row["home"],
        ),
        request=row["request"],
        result=row["result"],
        failure=None if code is None else Failure(code=code, message=message),
        log=row["log"],
        started=row["started"],
        wall_ns=row["wall_ns"],
    )
