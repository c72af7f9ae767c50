"""Records to rows of the tables, and back. A row that cannot be one raises ValueError or zlib.error."""

import zlib
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Row

from threadping.contract import Distribution, Request, Result
from threadping.model import Failure, Observation, Owner, ReferencePing, Run, Trial
from threadping.store.form import FORM, pack, read, unpack
from threadping.store.owner import is_gone


class Readings(Struct, frozen=True):
    """What an observation says beyond its trial."""

    form: int = 0
    figures: dict[str, float] = {}
    distributions: dict[str, Distribution] = {}
    lacking: tuple[str, ...] = ()


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
        **{name: getattr(trial, name) for name in ("round", "position", "started", "wall_ns", "log")},
        "run_id": run_id,
        "case": case,
        "failure_code": trial.failure and trial.failure.code,
        "failure_message": trial.failure and trial.failure.message,
        "form": FORM,
        "observation": pack(Readings(seen.form, seen.figures, seen.distributions, seen.lacking)),
        "request": msgspec.to_builtins(trial.request),
        "result": trial.result and pack(trial.result),
    }


def trial_of(row: Row[Any], run: Run) -> Trial:
    """The trial of a row."""
    result = row.result and unpack(row.result, Result, row.form)
    request = read(row.request, Request, row.form)
    return Trial(**_of_both(row, run), request=request, result=result, log=row.log)


def observation_of(row: Row[Any], run: Run) -> Observation:
    """The observation of a row, without readings where none can be read: the result is what must be whole."""
    try:
        readings = unpack(row.observation, Readings) if row.observation else Readings()
    except (ValueError, zlib.error):
        readings = Readings()
    return Observation(**_of_both(row, run), **msgspec.structs.asdict(readings))


def values_of_ping(run_id: int, ping: ReferencePing) -> dict[str, Any]:
    """A ping as its row."""
    values = msgspec.structs.asdict(ping)
    cpu, other_cpu = values.pop("cpus")
    return {"run_id": run_id, "cpu": cpu, "other_cpu": other_cpu, **values}


def ping_of(row: Row[Any]) -> ReferencePing:
    """The ping of a row."""
    alike = {name: getattr(row, name) for name in ReferencePing.__struct_fields__ if name != "cpus"}
    return ReferencePing((row.cpu, row.other_cpu), **alike)


def _of_both(row: Row[Any], run: Run) -> dict[str, Any]:
    if not 0 <= row.case < len(run.cases):
        raise ValueError(f"a trial is of case {row.case}, and its run has {len(run.cases)}")
    failure = None if row.failure_code is None else Failure(row.failure_code, row.failure_message)
    alike = {name: getattr(row, name) for name in ("round", "position", "wall_ns", "started")}
    return {**alike, "case": run.cases[row.case], "failure": failure}
