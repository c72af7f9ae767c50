"""Run trials: a request in, a result or a failure out. Never raises for what a probe does wrong."""

import os
import re
import stat
import tempfile
from collections.abc import Sequence
from errno import EFBIG, EINVAL
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType

from threadping.contract import SCHEMA, Failed, Request, Result
from threadping.files import is_full
from threadping.model.cases import Runtime
from threadping.model.trials import Failure
from threadping.probes.honesty import Promised, contradiction
from threadping.probes.process import (
    LOG_BYTES,
    MOST_OUTPUT_BYTES,
    Bounded,
    NotStarted,
    ProcessEnd,
    describe_status,
    run_together,
    temporary_folder,
)
from threadping.probes.refusals import first_words
from threadping.quantities import memory

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
    """A trial to run.

    Attributes:
        runtime: its probe.
        request: what is asked of it.
        start_seconds: what the start of its probe may take beyond the request's bound.
        promised: the counts that its result must have.
    """

    runtime: Runtime
    request: Request
    start_seconds: float
    promised: Promised = {}


def run_trial(runtime: Runtime, request: Request, *, start_seconds: float) -> Outcome:
    """Launch the runtime's probe once."""
    return run_trials([Launch(runtime, request, start_seconds)])[0]


def run_trials(launches: Sequence[Launch]) -> list[Outcome]:
    """Launch these probes at once, and return what came of each when all have ended."""
    try:
        with temporary_folder() as folder:
            bounded = [_bounded(one, folder / str(place)) for place, one in enumerate(launches)]
            every = zip(launches, bounded, run_together(bounded), strict=True)
            return [_read(there.folder / RESULT, one, ended) for one, there, ended in every]
    except NotStarted as error:
        return [Outcome(None, Failure("not-started", str(error)), "", 0)] * len(launches)


PANICKED = re.compile(r"panicked at (?:'.*', )?(?P<file>[^\n:']+):(?P<line>\d+):\d+")
"""What Rust prints of a panic, whose message alone is in the result."""

REQUEST, RESULT = "request.json", "result.json"


def _bounded(one: Launch, folder: Path) -> Bounded:
    folder.mkdir()
    (folder / REQUEST).write_bytes(msgspec.json.encode(one.request))
    files = ("--request", str(folder / REQUEST), "--result", str(folder / RESULT))
    command = (*one.runtime.command_of(one.request.mechanism), "run", *files, "--parent", str(os.getpid()))
    bound_s = (one.request.bound_ns + 2 * one.request.patience_ns) / 1e9
    return Bounded(command, folder, one.start_seconds + bound_s + STOP_SECONDS, kept_bytes=LOG_BYTES)


class _Spoken(Struct, frozen=True):
    """All of a message of any version that can be relied on."""

    schema: int | UnsetType = UNSET


def other_schema(raw: str | bytes) -> str | None:
    """Say that a message is of another version, with the remedy, behind the name of its sender; None if it is of ours.

    None also for what is no message at all, which its reader finds out.
    """
    try:
        spoken = msgspec.json.decode(raw, type=_Spoken).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if spoken in (SCHEMA, UNSET):
        return None
    return (
        f"speaks schema {spoken} of the contract, threadping speaks {SCHEMA}: they come from different builds. "
        "Build it anew with `make setup`, or reinstall threadping."
    )


def _read(file: Path, launch: Launch, ended: ProcessEnd) -> Outcome:
    if ended.flooded:
        return _failed(ended, "crashed", f"The probe was killed: it printed more than {MOST_OUTPUT_BYTES >> 20} MB.")
    if ended.status is None:
        after = f"{ended.wall_ns / 1e9:.1f} s after its start, beyond its bound"
        return _failed(ended, "hung", f"The probe was killed: it had not ended {after}.")
    how = describe_status(ended.status)
    try:
        raw = _bytes_of(file)
    except FileNotFoundError:
        code = "crashed" if ended.status else "no-result"
        words = f": {said}" if (said := first_words(ended.log)) else ""  # a virtual machine's, of its end
        return _failed(ended, code, f"The probe ended ({how}) without a result{words}.")
    except OSError as error:
        return _failed(ended, "garbage", f"The probe ended ({how}) and wrote no valid result: {error.strerror}.")
    return read_outcome(raw, launch, ended, how)


def read_outcome(raw: bytes, launch: Launch, ended: ProcessEnd, how: str) -> Outcome:
    """What came of a trial whose probe ended by itself, in words `how`, and wrote this, whatever it is."""
    try:
        if foreign := other_schema(raw):
            return _failed(ended, "other-schema", f"The probe {foreign}")
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        kind: type[Failed | Result] = Failed if "error" in fields else Result
        message = msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _failed(ended, "garbage", f"The probe ended ({how}) and wrote no valid result: {error}.")
    if isinstance(message, Failed):
        said = message.error.message
        if "panicked" in said and (place := PANICKED.search(ended.log)) and place["file"] not in said:
            said = f"{said.rstrip('.')} ({place['file']}, line {place['line']})."
        return _failed(ended, message.error.code, said)
    if ended.status != 0:
        return _failed(ended, "crashed", f"The probe wrote a result, but then failed ({how}); it is not believed.")
    if lie := contradiction(launch.request, message, ended.wall_ns, launch.promised):
        return _failed(ended, "contradiction", f"The probe's result contradicts itself or its request: {lie}.")
    return Outcome(message, None, ended.log, ended.wall_ns)


def _failed(ended: ProcessEnd, code: str, message: str) -> Outcome:
    folder = Path(tempfile.gettempdir())
    if code in ("crashed", "no-result", "garbage") and is_full(folder):
        message = f"{message} The disk of {folder} is full: free some space there, or name another folder in TMPDIR."
    return Outcome(None, Failure(code, message), ended.log, ended.wall_ns)


def _bytes_of(file: Path) -> bytes:
    """Read a result of which nobody knows what it is: never a link, nothing that blocks, nothing without an end."""
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as result:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(EINVAL, "it is no file")
        raw = result.read(MOST_OUTPUT_BYTES + 1)
    if len(raw) > MOST_OUTPUT_BYTES:
        raise OSError(EFBIG, f"it has more than {memory(MOST_OUTPUT_BYTES)}")
    return raw
