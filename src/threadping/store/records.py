"""Records to rows of the tables, and back. A row that cannot be one raises ValueError or zlib.error."""

import zlib
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Row

from threadping.contract import Distribution, Request, Result
from threadping.model import Case, Failure, Observation, Owner, Run, Trial
from threadping.store.form import FORM, pack, read, unpack
from threadping.store.owner import is_gone


class Readings(Struct, frozen=True):
    """What an observation says beyond its trial."""

    form: int = 0
    figures: dict[str, float] = {}
    distributions: dict[str, Distribution] = {}


def values_of_run(run: Run) -> dict[str, Any]:
    """A run as its row, which has no number yet."""
    values: dict[str, Any] = msgspec.to_builtins(run)
    owner = values.pop("owner")
    del values["id"]
    return {**values, **{f"owner_{name}": value for name, value in owner.items()}}


def run_of(row: Row[Any]) -> Run:
    """The run of a row; one whose process is gone is interrupted, whatever stands there."""
    owner = {name: getattr(row, f"owner_{name}") for name in Owner.__struct_fields__}
    run = read({name: getattr(row, name) for name in Run.__struct_fields__ if name != "owner"} | {"owner": owner}, Run)
    # Whoever was killed could not write it. It is worked out and never written, so that a read-only store tells it too.
    return msgspec.structs.replace(run, status="interrupted") if run.status == "running" and is_gone(run.owner) else run


def values_of_trial(run_id: int, case: int, trial: Trial, seen: Observation) -> dict[str, Any]:
    """A trial and what was observed of it as their row; `case` is the place of its case among those of its run."""
    return {
        "run_id": run_id,
        "round": trial.round,
        "position": trial.position,
        "case": case,
        "started": trial.started,
        "wall_ns": trial.wall_ns,
        "failure_code": trial.failure and trial.failure.code,
        "failure_message": trial.failure and trial.failure.message,
        "form": FORM,
        "observation": pack(Readings(seen.form, seen.figures, seen.distributions)),
        "request": msgspec.to_builtins(trial.request),
        "log": trial.log,
        "result": trial.result and pack(trial.result),
    }


def trial_of(row: Row[Any], run: Run) -> Trial:
    """The trial of a row."""
    return Trial(
        round=row.round,
        position=row.position,
        case=_case_of(row, run),
        request=read(row.request, Request, row.form),
        result=row.result and unpack(row.result, Result, row.form),
        failure=_failure_of(row),
        log=row.log,
        started=row.started,
        wall_ns=row.wall_ns,
    )


def observation_of(row: Row[Any], run: Run) -> Observation:
    """The observation of a row, without readings where none can be read: the result is what must be whole."""
    try:
        readings = unpack(row.observation, Readings) if row.observation else Readings()
    except (ValueError, zlib.error):
        readings = Readings()
    return Observation(
        round=row.round,
        position=row.position,
        case=_case_of(row, run),
        failure=_failure_of(row),
        wall_ns=row.wall_ns,
        figures=readings.figures,
        distributions=readings.distributions,
        form=readings.form,
    )


def _case_of(row: Row[Any], run: Run) -> Case:
    place: int = row.case
    if not 0 <= place < len(run.cases):
        raise ValueError(f"a trial is of case {place}, and its run has {len(run.cases)}")
    return run.cases[place]


def _failure_of(row: Row[Any]) -> Failure | None:
    return None if row.failure_code is None else Failure(row.failure_code, row.failure_message)
