"""Run one trial: a request in, a result or a failure out. Never raises for what a probe does wrong."""

import os
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType

from threadping.contract import SCHEMA, Failed, Request, Result
from threadping.model import Failure, Runtime
from threadping.probes.honesty import contradiction
from threadping.probes.process import Ended, NotStarted, describe_status, run_bounded, temporary_folder

STOP_SECONDS = 0.5
"""A probe that reaches its bound looks for progress, stops its threads, and writes: what that may take beyond its
patience with either."""


class Outcome(Struct, frozen=True):
    """What came of a trial: exactly one of `result` and `failure`, the probe's chatter, and the wall time."""

    result: Result | None
    failure: Failure | None
    log: str
    wall_ns: int


def run_trial(runtime: Runtime, request: Request, *, start_seconds: float) -> Outcome:
    """Launch the runtime's probe once; `start_seconds` is what its start may take beyond the request's bound."""
    try:
        with temporary_folder() as folder:
            request_file, result_file = folder / "request.json", folder / "result.json"
            request_file.write_bytes(msgspec.json.encode(request))
            files = ("--request", str(request_file), "--result", str(result_file))
            command = (*runtime.command, "run", *files, "--parent", str(os.getpid()))
            seconds = start_seconds + (request.bound_ns + 2 * request.patience_ns) / 1e9 + STOP_SECONDS
            ended = run_bounded(command, folder=folder, seconds=seconds)
            read = _read(result_file, request, ended)
    except NotStarted as error:
        return Outcome(None, Failure("not-started", str(error)), "", 0)
    if isinstance(read, Failure):
        return Outcome(None, read, ended.log, ended.wall_ns)
    return Outcome(read, None, ended.log, ended.wall_ns)


class _Spoken(Struct, frozen=True):
    """All of a message of any version that can be relied on."""

    schema: int | UnsetType = UNSET


def other_schema(raw: str | bytes) -> str | None:
    """Say that a message is of another version, with the remedy, to follow on who sent it; None if it is of ours.

    None also for what is no message at all, which its reader finds out.
    """
    try:
        spoken = msgspec.json.decode(raw, type=_Spoken).schema
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if spoken in (SCHEMA, UNSET):
        return None
    return (
        f"speaks schema {spoken} of the contract, threadping speaks {SCHEMA}: they come from different builds. "
        "Build it anew with `make setup`, or reinstall threadping."
    )


def _read(file: Path, request: Request, ended: Ended) -> Result | Failure:
    if ended.status is None:
        return Failure(
            "hung",
            f"The probe was killed: it had not ended {ended.wall_ns / 1e9:.1f} s after its start, beyond its bound.",
        )
    how = describe_status(ended.status)
    try:
        raw = file.read_bytes()
        if foreign := other_schema(raw):
            return Failure("other-schema", f"The probe {foreign}")
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        kind: type[Failed | Result] = Failed if "error" in fields else Result
        message = msgspec.json.decode(raw, type=kind)
    except FileNotFoundError:
        return Failure("crashed" if ended.status else "no-result", f"The probe ended ({how}) without a result.")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return Failure("garbage", f"The probe ended ({how}) and wrote no valid result: {error}.")
    if isinstance(message, Failed):
        return Failure(message.error.code, message.error.message)
    if ended.status != 0:
        return Failure("crashed", f"The probe wrote a result, but then failed ({how}); it is not believed.")
    lie = contradiction(request, message)
    return Failure("contradiction", f"The probe's result contradicts itself or its request: {lie}.") if lie else message
