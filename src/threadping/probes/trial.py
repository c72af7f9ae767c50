"""Run trials: a request in, a result or a failure out. Never raises for what a probe does wrong."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType

from threadping.contract import SCHEMA, Failed, Request, Result
from threadping.model import Failure, Runtime
from threadping.probes.honesty import contradiction
from threadping.probes.process import (
    MOST_OUTPUT_BYTES,
    Bounded,
    Ended,
    NotStarted,
    describe_status,
    run_together,
    temporary_folder,
)
from threadping.probes.refusals import first_words

STOP_SECONDS = 0.5
"""A probe that reaches its bound looks for progress, stops its threads, and writes: what that may take beyond its
patience with either."""


class Outcome(Struct, frozen=True):
    """What came of a trial: exactly one of `result` and `failure`, the probe's chatter, and the wall time."""

    result: Result | None
    failure: Failure | None
    log: str
    wall_ns: int


class Launch(Struct, frozen=True):
    """A trial to run: `start_seconds` is what the start of its probe may take beyond the request's bound."""

    runtime: Runtime
    request: Request
    start_seconds: float


def run_trial(runtime: Runtime, request: Request, *, start_seconds: float) -> Outcome:
    """Launch the runtime's probe once."""
    return run_trials([Launch(runtime, request, start_seconds)])[0]


def run_trials(launches: Sequence[Launch]) -> list[Outcome]:
    """Launch these probes at once, and return what came of each when all have ended."""
    try:
        with temporary_folder() as folder:
            bounded = [_bounded(one, folder / str(place)) for place, one in enumerate(launches)]
            every = zip(launches, bounded, run_together(bounded), strict=True)
            return [_read(there.folder / RESULT, one.request, ended) for one, there, ended in every]
    except NotStarted as error:
        return [Outcome(None, Failure("not-started", str(error)), "", 0)] * len(launches)


REQUEST, RESULT = "request.json", "result.json"


def _bounded(one: Launch, folder: Path) -> Bounded:
    folder.mkdir()
    (folder / REQUEST).write_bytes(msgspec.json.encode(one.request))
    files = ("--request", str(folder / REQUEST), "--result", str(folder / RESULT))
    command = (*one.runtime.command, "run", *files, "--parent", str(os.getpid()))
    bound_s = (one.request.bound_ns + 2 * one.request.patience_ns) / 1e9
    return Bounded(command, folder, one.start_seconds + bound_s + STOP_SECONDS)


class _Spoken(Struct, frozen=True):
    """All of a message of any version that can be relied on."""

    schema: int | UnsetType = UNSET


def other_schema(raw: str | bytes) -> str | None:
    """Say that a message is of another version, with the remedy, behind the name of its sender; None if it is of ours.

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


def _read(file: Path, request: Request, ended: Ended) -> Outcome:
    def failed(code: str, message: str) -> Outcome:
        return Outcome(None, Failure(code, message), ended.log, ended.wall_ns)

    if ended.flooded:
        return failed("crashed", f"The probe was killed: it printed more than {MOST_OUTPUT_BYTES >> 20} MB.")
    if ended.status is None:
        after = f"{ended.wall_ns / 1e9:.1f} s after its start, beyond its bound"
        return failed("hung", f"The probe was killed: it had not ended {after}.")
    how = describe_status(ended.status)
    try:
        raw = file.read_bytes()
        if foreign := other_schema(raw):
            return failed("other-schema", f"The probe {foreign}")
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        kind: type[Failed | Result] = Failed if "error" in fields else Result
        message = msgspec.json.decode(raw, type=kind)
    except FileNotFoundError:
        words = f": {said}" if (said := first_words(ended.log)) else ""  # a virtual machine's, of its end
        return failed("crashed" if ended.status else "no-result", f"The probe ended ({how}) without a result{words}.")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return failed("garbage", f"The probe ended ({how}) and wrote no valid result: {error}.")
    if isinstance(message, Failed):
        return failed(message.error.code, message.error.message)
    if ended.status != 0:
        return failed("crashed", f"The probe wrote a result, but then failed ({how}); it is not believed.")
    if lie := contradiction(request, message):
        return failed("contradiction", f"The probe's result contradicts itself or its request: {lie}.")
    return Outcome(message, None, ended.log, ended.wall_ns)
