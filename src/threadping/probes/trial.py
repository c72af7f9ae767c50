"""One trial, and what runs next to it: busy threads, the far end of a hop."""

import os
import re
import select
import stat
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EFBIG, EINVAL
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, Popen

import msgspec
from msgspec import UNSET, Struct, UnsetType

from threadping.model.cases import Busy, Runtime
from threadping.model.contract import SCHEMA, Failed, Request, Result
from threadping.model.files import is_full
from threadping.model.quantities import memory
from threadping.model.run import Failure
from threadping.probes.interrupts import held_back
from threadping.probes.java_errors import first_words
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
from threadping.probes.result_checks import Promised, inconsistency

START_SECONDS = 3.0  # minimum time for a probe to start, in seconds, however loaded the machine is

# Time of a probe at its bound to look for progress, stop its threads and write, beyond its patience with either
STOP_SECONDS = 0.5


class Outcome(Struct, frozen=True):
    """The outcome of a trial: exactly one of `result` and `failure`, the probe's output, and the wall time."""

    result: Result | None
    failure: Failure | None
    log: str
    wall_ns: int


class Launch(Struct, frozen=True):
    """A trial to run."""

    runtime: Runtime  # its probe
    request: Request  # what is asked of it
    start_seconds: float  # what the start of its probe may take beyond the request's bound
    promised: Promised = {}  # the counts that its result must have


def run_trial(runtime: Runtime, request: Request, *, start_seconds: float) -> Outcome:
    return run_trials([Launch(runtime, request, start_seconds)])[0]


def run_trials(launches: Sequence[Launch]) -> list[Outcome]:
    """Launch these probes at once, and return what came of each when all have ended."""
    try:
        with temporary_folder() as folder:
            bounded = []
            for place, one in enumerate(launches):
                here = folder / str(place)
                here.mkdir()
                (here / REQUEST).write_bytes(msgspec.json.encode(one.request))
                paths = ("--request", str(here / REQUEST), "--result", str(here / RESULT))
                command = (*one.runtime.command_of(one.request.mechanism), "run", *paths, "--parent", str(os.getpid()))
                bound_s = (one.request.bound_ns + 2 * one.request.patience_ns) / 1e9
                seconds = one.start_seconds + bound_s + STOP_SECONDS
                bounded.append(Bounded(command, here, seconds, kept_bytes=LOG_BYTES))
            every = zip(launches, bounded, run_together(bounded), strict=True)
            return [_read(there.folder / RESULT, one, ended) for one, there, ended in every]
    except NotStarted as error:
        return [Outcome(None, Failure("not-started", str(error)), "", 0)] * len(launches)


# Rust's output of a panic, whose message alone is in the result
PANICKED = re.compile(r"panicked at (?:'.*', )?(?P<file>[^\n:']+):(?P<line>\d+):\d+")

REQUEST, RESULT = "request.json", "result.json"


class _SchemaVersion(Struct, frozen=True):
    """All of a message of any version that can be relied on."""

    schema: int | UnsetType = UNSET


def other_schema(raw: str | bytes) -> str | None:
    """Say that a message is of another version, with the remedy, behind the name of its sender; None if it is of ours.

    None also for what is no message at all, which its reader finds out.
    """
    try:
        spoken = msgspec.json.decode(raw, type=_SchemaVersion).schema
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
    """Read a probe's result, after the probe ended by itself, in words `how`."""
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
    if lie := inconsistency(launch.request, message, ended.wall_ns, launch.promised):
        return _failed(ended, "contradiction", f"The probe's result contradicts itself or its request: {lie}.")
    return Outcome(message, None, ended.log, ended.wall_ns)


def _failed(ended: ProcessEnd, code: str, message: str) -> Outcome:
    folder = Path(tempfile.gettempdir())
    if code in ("crashed", "no-result", "garbage") and is_full(folder):
        message = f"{message} The disk of {folder} is full: free some space there, or name another folder in TMPDIR."
    return Outcome(None, Failure(code, message), ended.log, ended.wall_ns)


def _bytes_of(file: Path) -> bytes:
    """Read an untrusted result: never a link, nothing that blocks, nothing without an end."""
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as result:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(EINVAL, "it is no file")
        raw = result.read(MOST_OUTPUT_BYTES + 1)
    if len(raw) > MOST_OUTPUT_BYTES:
        raise OSError(EFBIG, f"it has more than {memory(MOST_OUTPUT_BYTES)}")
    return raw


TRACING = Path("/sys/kernel/tracing/events")  # exists where tracefs is mounted, and the kernel lets us in
LISTEN_S = 10.0  # seconds for a far end to open


@contextmanager
def holding_trace_points(cpp: Runtime) -> Iterator[None]:
    """Keep the kernel's trace points switched on: otherwise every trial that counts by them ends 190 ms later."""
    with ExitStack() as held:
        if TRACING.is_dir():
            with suppress(OSError):
                held.enter_context(_process((*cpp.command, "hold")))
        yield


def run_beside(
    cpp: Runtime,
    busy: Busy,
    trials: Callable[[], list[Outcome]],
    cpus: Collection[int] = (),
    there: Sequence[int] = (),
) -> list[Outcome]:
    """Run trials under the load of busy threads, which are gone afterwards.

    Args:
        cpp: the C++ probe, which is busy in the language that is measured too: all compete alike.
        busy: how many, and how nice.
        trials: runs them, at least one.
        cpus: those that the busy threads may use, beside this process's own.
        there: the trial's own, on which they stand in turn where they are to; anywhere where it has none.

    Returns:
        What came of each; a failure where a busy thread could not be started, and of all where one ended too soon.
    """
    command = (*cpp.command, "busy", *(("--nice", str(busy.nice)) if busy.nice else ()))
    try:
        with ExitStack() as all_of_them:
            with _also_on(cpus):
                pins = islice(cycle([("--cpu", str(cpu)) for cpu in there if busy.there] or [()]), busy.threads)
                started = [all_of_them.enter_context(_process((*command, *pin))) for pin in pins]
            outcomes = trials()
            ended = next((one.returncode for one in started if one.poll() is not None), None)
    except OSError as error:
        return [Outcome(None, Failure("not-busy", f"'{command[0]}' cannot be started: {error.strerror}."), "", 0)]
    if ended is None:
        return outcomes
    why = f"A busy thread ended before the trial did ({describe_status(ended)}): not all were beside it."
    return [Outcome(None, Failure("not-busy", why), one.log, one.wall_ns) for one in outcomes]


@contextmanager
def _also_on(cpus: Collection[int]) -> Iterator[None]:
    """Let processes started meanwhile use these CPUs too, which may be outside of this process's mask."""
    mine = os.sched_getaffinity(0)
    if mine >= {*cpus}:
        yield
        return
    with suppress(OSError):  # a cpuset has shrunk meanwhile: what is left will do
        os.sched_setaffinity(0, mine | {*cpus})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, mine)


@contextmanager
def serving(cpp: Runtime, address: str, limit_s: float, cpu: int) -> Iterator[str]:
    """Open the far end of a hop at an IP address, on this CPU and for at most `limit_s` seconds.

    Yields:
        Its port, and the number that a near end must know: "PORT NONCE".

    Raises NotStarted: it does not open; what it says of that.
    """
    limits = ("--seconds", str(ceil(limit_s)), "--parent", str(os.getpid()))
    with _process((*cpp.command, "serve", "--host", address, *limits), stdout=PIPE) as process:
        with suppress(ProcessLookupError):  # it has ended already, and says why
            os.sched_setaffinity(process.pid, {cpu})
        assert process.stdout is not None
        there, _, _ = select.select([process.stdout], [], [], LISTEN_S)
        said = process.stdout.readline().decode().strip() if there else "it says nothing"
        if not re.fullmatch(r"\d+ \d+", said):
            raise NotStarted(said or "it ended at once")
        yield said


@contextmanager
def _process(command: tuple[str, ...], stdout: int = DEVNULL) -> Iterator["Popen[bytes]"]:
    """Start a process that ends with this one, by the kernel's signal, or because its standard input closes.

    Ctrl-C in a terminal, which goes to the whole group, ends the trial first.
    """
    with held_back():  # never between the start of a process and the record of it
        process = Popen(command, stdin=PIPE, stdout=stdout, stderr=STDOUT, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
