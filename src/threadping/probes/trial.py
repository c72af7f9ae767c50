"""One trial: its request, its result with the checks of it, and the busy threads that run next to it."""

import os
import re
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from errno import EFBIG, EINVAL
from itertools import cycle, islice, pairwise
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, Popen

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from threadping.model import quantities, reading
from threadping.model.cases import Busy, Runtime
from threadping.model.contract import SCHEMA, CountsHeld, Failed, Request, Result, WindowKind
from threadping.model.errors import system_cause
from threadping.model.files import is_full
from threadping.model.run import Failure
from threadping.probes import process
from threadping.probes.interrupts import held_back
from threadping.probes.java_errors import first_words

WINDOW_KINDS: tuple[WindowKind, ...] = ("throughput", "sampling")

# Operations of a thread per nanosecond: each is a load, a store and a branch at least; a CPU of 5 GHz that retires
# eight instructions per cycle ends 13 in that time.
FASTEST = 16
CLOCKS_APART = 1.01  # NTP lets a clock run 0.05% too fast at most; a probe may read another one than we do
TICK_NS = 20_000_000  # delay of a kernel counter: two ticks of the slowest clock, of 100 Hz

# Required counts of an experiment's trials, and whether the contract of every mechanism is that they are exact
Promised = Mapping[str, bool]


def inconsistency(request: Request, result: Result, wall_ns: int, promised: Mapping[str, bool] = {}) -> str | None:
    """Name the first thing in `result` that contradicts itself, the request or the process's time; None if nothing."""
    return next(_inconsistencies(request, result, wall_ns, promised), None)


def _inconsistencies(request: Request, result: Result, wall_ns: int, promised: Promised) -> Iterator[str]:
    """Each of these relies on what those before it have found to be true."""
    yield from _of_another_trial(request, result)
    yield from _in_windows(request, result)
    yield from _in_time(request, result, wall_ns)
    # A controller that opens windows from outside counts a moment sooner or later than the threads do: what each is in
    # may have been timed, and be counted behind the edge.
    from_inside = request.windows.unit == "ops"
    most = result.windows.of("sampling").total_ops if from_inside else result.measured.ops + len(result.threads)
    longest_ns = result.measured.ns if from_inside else wall_ns
    for name, distribution in result.distributions.items():
        if len(distribution.values) != len(distribution.counts):
            yield f"its distribution {name} has {len(distribution.values)} values and {len(distribution.counts)} counts"
        if any(later <= earlier for earlier, later in pairwise(distribution.values)):
            yield f"the values of its distribution {name} do not ascend"
        if (samples := sum(distribution.counts) + distribution.negative) > most:
            yield f"its distribution {name} holds {samples} of {most} operations"
        if distribution.unit == "ns" and (longest := max(distribution.values, default=0)) > longest_ns:
            yield f"its distribution {name} has {_ms(longest)}, more than the {_ms(longest_ns)} that it lasted"
    yield from _in_round_trips(result)
    yield from _in_calibration(result, longest_ns, wall_ns)
    yield from _in_evidence(request, result, longest_ns)
    for name, exact in promised.items():
        held = result.counts.get(name)
        if held is None and wall_ns < request.bound_ns:  # threads that were stopped at their bound leave nothing
            yield f"it does not report {name}, although its process was not stopped at its bound"
        if held and exact and not held.exact:
            yield f"its {name} are not exact, although every mechanism guarantees that"
    for name, count in result.counts.items():
        yield from _in_count(name, count, request, result)
        if count.made > FASTEST * len(result.threads) * wall_ns:
            yield f"it made {count.made} {name}, more than {len(result.threads)} threads can in {_ms(wall_ns)}"


def _ms(ns: float) -> str:
    return f"{ns / 1e6:,.3f} ms"


def _of_another_trial(request: Request, result: Result) -> Iterator[str]:
    asked = (request.experiment, request.mechanism)
    got = (result.experiment, result.mechanism)
    if got != asked:
        yield f"it is about {' '.join(got)}, not {' '.join(asked)}"
    if len(result.threads) != len(request.threads):
        yield f"{len(result.threads)} threads measured instead of {len(request.threads)}"
    if unasked := next((one.cpus for one in result.pings if one.cpus not in request.pings), None):
        yield f"it pinged CPUs {list(unasked)}, which nobody asked for"
    # The CPUs that each thread was pinned to; none if left to the scheduler
    pinned: list[tuple[int, ...]] = [() if thread.cpu is None else (thread.cpu,) for thread in request.threads]
    if request.pin == "process":
        pinned = [tuple(sorted({cpu for cpus in pinned for cpu in cpus}))] * len(pinned)
    for expected, thread in zip(pinned, result.threads, strict=True):
        if expected and thread.cpus_start != expected:
            where = f"CPU {expected[0]}" if len(expected) == 1 else f"CPUs {list(expected)}"
            yield f"{thread.role} was to run on {where}, but ran on {list(thread.cpus_start)}"


def _in_windows(request: Request, result: Result) -> Iterator[str]:
    windows, measured = result.windows, result.measured
    if len(windows.ops) != len(request.threads):
        yield f"its windows are of {len(windows.ops)} threads instead of {len(request.threads)}"
    alone = {name: column for name, column in asdict(windows).items() if name != "ops" and column is not None}
    if len(lengths := {*map(len, (*alone.values(), *windows.ops))}) > 1:
        yield f"its windows have columns of {min(lengths)} to {max(lengths)} entries"
    if list(windows.warmup) != sorted(windows.warmup, reverse=True):
        yield "a window of its warm-up comes after one that was measured"
    if any((kind == "sampling") != (every > 0) for kind, every in zip(windows.kind, windows.every, strict=True)):
        yield "its windows contradict themselves on which of them were sampled"
    if (cpus := max(windows.cpus or (), default=0)) > len(request.threads):
        yield f"at the end of a window its {len(request.threads)} threads stood on {cpus} CPUs"
    if (line := max(windows.line, default=0)) >= request.lines:
        yield f"a window is at line {line}, but there are {request.lines}, counted from 0"
    if (ns := windows.measured.total_ns) > measured.ns:
        yield f"its windows last {_ms(ns)}, the whole {_ms(measured.ns)}"
    if (ops := sum(reading.counted(result, kind).total_ops for kind in WINDOW_KINDS)) > measured.ops:
        yield f"its windows hold {ops} operations, the whole {measured.ops}"


def _in_time(request: Request, result: Result, wall_ns: int) -> Iterator[str]:
    warmup, measured, windows = result.warmup, result.measured, result.windows.measured
    if (ns := warmup.ns + measured.ns) > CLOCKS_APART * wall_ns:
        yield f"it warmed up and measured for {_ms(ns)}, but its process lived for {_ms(wall_ns)}"
    if warmup.ended == "rounds" and request.warmup.rounds == 0:
        yield "it ended its warm-up after the rounds asked for, which were none: it has to go on until `limit_ns`"
    if measured.cut and wall_ns < request.bound_ns:
        yield f"it was cut at its bound of {_ms(request.bound_ns)}, but its process lived for {_ms(wall_ns)}"
    for what, phase in (("warmed up", warmup), ("measured", measured)):
        if phase.ops > FASTEST * len(result.threads) * (phase.ns + TICK_NS):
            yield f"it {what} with {phase.ops} operations in {_ms(phase.ns)}"
    resolved_ns = windows.total_ns + result.clock.resolution_ns * len(windows.ns)
    for thread, ops in zip(result.threads, map(sum, windows.ops), strict=True):
        if ops > FASTEST * resolved_ns:
            yield f"{thread.role} did {ops} operations in windows of {_ms(windows.total_ns)}"
    # Of crowded threads some are counted long after the measuring phase: by 0.22 s where it took 0.86 s.
    most_ns = CLOCKS_APART * wall_ns + TICK_NS
    for thread in result.threads:
        if thread.cpu_ns > most_ns:
            yield f"{thread.role} took {_ms(thread.cpu_ns)} of CPU time in {_ms(wall_ns)}"
        for name in COUNTERS:
            if (getattr(thread, name) or 0) > most_ns:
                yield f"{thread.role} had {getattr(thread, name)} {name.replace('_', ' ')} in {_ms(wall_ns)}"
    if measured.ops and measured.ns > TICK_NS and not any(thread.cpu_ns for thread in result.threads):
        yield (
            f"its threads took no CPU time for {measured.ops} operations in {_ms(measured.ns)}; where `carriers` names "
            "those that run them, no thread is called so"
        )
    cpus = len({cpu for thread in result.threads for cpu in thread.cpus_start})
    if (steal := result.machine.steal_ns or 0) > cpus * most_ns:
        yield f"{_ms(steal)} were stolen from {quantities.counted(cpus, 'CPU')} in {_ms(wall_ns)}"
    if (skew := result.clock.skew) and skew.least_ns > skew.most_ns:
        yield f"its clocks are apart by {skew.least_ns} ns at least and {skew.most_ns} at most"


# Counters of a thread whose unit takes a nanosecond at least
COUNTERS = ("voluntary_switches", "involuntary_switches", "migrations", "minor_faults", "major_faults")


FAR_OFF = 10  # ratio of honest figures: a probe may read the clock, or lose its CPU, between two round trips


def _in_calibration(result: Result, longest_ns: int, wall_ns: int) -> Iterator[str]:
    """Yield calibrations that contradict the threads' time, if each had taken so long."""
    samples = max((sum(one.counts) for one in result.distributions.values() if one.unit == "ns"), default=0)
    calibrated = [("clock read", result.clock.cost_ns, samples, longest_ns)]
    if result.evidence:
        calibrated.append(("snapshot of its counters", result.evidence.look_ns, result.evidence.looks, wall_ns))
    for what, each_ns, times, had_ns in calibrated:
        if each_ns * times > FAR_OFF * len(result.threads) * had_ns:
            yield f"a {what} takes {_ms(each_ns)}, but there were {times} in {_ms(had_ns)}"


ROUND_TRIP = "round-trip"  # the first thread repeats it without a break: samples add up to their windows


def _in_round_trips(result: Result) -> Iterator[str]:
    timed, clock, sampling = result.distributions.get(ROUND_TRIP), result.clock, result.windows.of("sampling")
    if timed is None:
        return
    number = sum(timed.counts)
    due = sum(ops // every for ops, every in zip(sampling.ops[0], sampling.every, strict=True))
    if FAR_OFF * (number + timed.censored + timed.negative) < due:
        yield f"its distribution {ROUND_TRIP} holds {number} of the {due} round trips that its windows say were timed"
    if not number:
        return
    total_ns = sum(value * count for value, count in zip(timed.values, timed.counts, strict=True))
    if total_ns > CLOCKS_APART * sampling.total_ns + timed.values[-1] + number * clock.resolution_ns:
        yield f"its timed round trips take {_ms(total_ns)}, their windows {_ms(sampling.total_ns)}"
    measured = result.windows.measured
    least_ns = min((ns / ops for ns, ops in zip(measured.ns, measured.ops[0], strict=True) if ops), default=0.0)
    if FAR_OFF * (total_ns / number + clock.resolution_ns) < least_ns:
        yield f"a round trip takes {total_ns / number:,.1f} ns on average, but {least_ns:,.1f} ns in its fastest window"
    if timed.values[0] == 0 and 2 * clock.resolution_ns < clock.cost_ns:
        yield f"a round trip took 0 ns, less than a clock read ({clock.cost_ns:,.1f} ns)"


def _in_evidence(request: Request, result: Result, longest_ns: int) -> Iterator[str]:
    evidence, asked = result.evidence, request.outliers
    if evidence is None or asked is None:
        if evidence or asked:
            yield "it lacks the evidence that was asked for" if asked else "it has evidence that was not asked for"
        return
    for thread, kept in Counter(one.thread for one in evidence.outliers).items():
        if thread >= len(result.threads):
            yield f"an outlier is of thread {thread}, but there are {len(result.threads)}, counted from 0"
        if kept > 2 * asked.most:  # of the longest, and of the sample
            yield f"{kept} outliers of thread {thread} were kept, of {2 * asked.most} at most"
    for one in evidence.outliers:
        if one.of not in result.distributions:
            yield f"an outlier is of {one.of}, which has no distribution"
        if one.ns > longest_ns:
            yield f"an outlier took {_ms(one.ns)}, more than the {_ms(longest_ns)} that it lasted"
        if one.ns < asked.least_ns:
            yield f"an outlier took {one.ns} ns, less than the {asked.least_ns} from which on it is one"


# Counts that only together cover every operation: each is one or the other
OF_EITHER_KIND = ("increments", "whole reads")


def _in_count(name: str, count: CountsHeld, request: Request, result: Result) -> Iterator[str]:
    """Yield counts that contradict each other: exact ones are from start to end, others of some windows only."""
    if count.found > count.made:
        yield f"{count.found} {name} were found, but {count.made} were made"
    if not count.exact:
        return
    known = (result.warmup.ops + result.measured.ops) // reading.receivers(result)
    # Where a controller opens windows from outside, threads go on before, between and after them.
    counts_all = request.windows.unit == "ops" and not result.measured.cut
    kinds = [one for one in OF_EITHER_KIND if one in result.counts] if name in OF_EITHER_KIND else [name]
    made = sum(result.counts[one].made for one in kinds)
    if made < known or (counts_all and made > known):
        yield f"it made {made} {' and '.join(kinds)} in all, but {known} while it warmed up and measured"
    if count.found < count.made:
        yield f"{count.found} of {count.made} {name} were found, although it calls the count exact"


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


def run_trials(launches: Sequence[Launch]) -> list[Outcome]:
    """Launch these probes at once, and return what came of each when all have ended."""
    try:
        with process.temporary_folder() as folder:
            bounded = []
            for place, one in enumerate(launches):
                here = folder / str(place)
                here.mkdir()
                (here / REQUEST).write_bytes(msgspec.json.encode(one.request))
                paths = ("--request", str(here / REQUEST), "--result", str(here / RESULT))
                command = (*one.runtime.command_of(one.request.mechanism), "run", *paths, "--parent", str(os.getpid()))
                bound_s = (one.request.bound_ns + 2 * one.request.patience_ns) / 1e9
                seconds = one.start_seconds + bound_s + STOP_SECONDS
                bounded.append(process.Bounded(command, here, seconds, kept_bytes=process.LOG_BYTES))
            every = zip(launches, bounded, process.run_together(bounded), strict=True)
            return [_read(there.folder / RESULT, one, ended) for one, there, ended in every]
    except process.NotStarted as error:
        return [Outcome(None, Failure("not-started", str(error)), "", 0)] * len(launches)


# Rust's output of a panic, whose message alone is in the result
PANICKED = re.compile(r"panicked at (?:'.*', )?(?P<file>[^\n:']+):(?P<line>\d+):\d+")
REQUEST, RESULT = "request.json", "result.json"


def other_schema(raw: str | bytes) -> str | None:
    """Say, behind a sender's name, that a message is of another version; None for ours, and for what is no message."""
    try:
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])  # of a message of any version
        spoken = msgspec.json.decode(fields.get("schema", str(SCHEMA).encode()), type=int)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if spoken == SCHEMA:
        return None
    return (
        f"uses schema {spoken} of the contract, threadping uses {SCHEMA}: they come from different builds. Rebuild it "
        "with `make setup`, or reinstall threadping."
    )


def _read(file: Path, launch: Launch, ended: process.ProcessEnd) -> Outcome:
    if ended.flooded:
        most = process.MOST_OUTPUT_BYTES >> 20
        return _failed(ended, "crashed", f"The probe was killed: it printed more than {most} MB.")
    if ended.status is None:
        after = f"{ended.wall_ns / 1e9:.1f} s after its start, beyond its bound"
        return _failed(ended, "hung", f"The probe was killed: it had not ended {after}.")
    try:
        return read_outcome(_bytes_of(file), launch, ended)
    except FileNotFoundError:
        code = "crashed" if ended.status else "no-result"
        words = f": {said}" if (said := first_words(ended.log)) else ""  # a virtual machine's, of its end
        return _failed(ended, code, f"The probe ended ({ended.how}) without a result{words}.")
    except OSError as error:
        why = system_cause(error)
        return _failed(ended, "garbage", f"The probe ended ({ended.how}) and wrote no valid result: {why}.")


def read_outcome(raw: bytes, launch: Launch, ended: process.ProcessEnd) -> Outcome:
    """Read the result of a probe that ended by itself."""
    try:
        if foreign := other_schema(raw):
            return _failed(ended, "other-schema", f"The probe {foreign}")
        fields = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        kind: type[Failed | Result] = Failed if "error" in fields else Result
        message = msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _failed(ended, "garbage", f"The probe ended ({ended.how}) and wrote no valid result: {error}.")
    if isinstance(message, Failed):
        said = message.error.message
        if "panicked" in said and (place := PANICKED.search(ended.log)) and place["file"] not in said:
            said = f"{said.rstrip('.')} ({place['file']}, line {place['line']})."
        return _failed(ended, message.error.code, said)
    if ended.status != 0:
        but = f"The probe wrote a result, but then failed ({ended.how}); the result is rejected."
        return _failed(ended, "crashed", but)
    if lie := inconsistency(launch.request, message, ended.wall_ns, launch.promised):
        return _failed(ended, "contradiction", f"The probe's result contradicts itself or its request: {lie}.")
    return Outcome(message, None, ended.log, ended.wall_ns)


def _failed(ended: process.ProcessEnd, code: str, message: str) -> Outcome:
    folder = Path(tempfile.gettempdir())
    if code in ("crashed", "no-result", "garbage") and is_full(folder):
        message = f"{message} The disk of {folder} is full: free some space there, or name another folder in TMPDIR."
    return Outcome(None, Failure(code, message), ended.log, ended.wall_ns)


def _bytes_of(file: Path) -> bytes:
    """Read an untrusted result: never a link, nothing that blocks, nothing without an end."""
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as result:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(EINVAL, "it is not a regular file")
        raw = result.read(process.MOST_OUTPUT_BYTES + 1)
    if len(raw) > process.MOST_OUTPUT_BYTES:
        raise OSError(EFBIG, f"it has more than {quantities.memory(process.MOST_OUTPUT_BYTES)}")
    return raw


TRACING = Path("/sys/kernel/tracing/events")  # exists where tracefs is mounted, and the kernel lets us in


@contextmanager
def holding_trace_points(cpp: Runtime) -> Iterator[None]:
    """Keep the kernel's trace points switched on: otherwise every trial that counts by them ends 190 ms later."""
    with ExitStack() as held:
        if TRACING.is_dir():
            with suppress(OSError):
                held.enter_context(_process((*cpp.command, "hold")))
        yield


def run_under_load(
    cpp: Runtime,
    busy: Busy,
    trials: Callable[[], list[Outcome]],
    cpus: Collection[int] = (),
    there: Sequence[int] = (),
) -> list[Outcome]:
    """Run trials under the load of busy threads of the C++ probe, in whatever language they are: all compete alike.

    The threads may use `cpus` in addition to this process's own, and share the trial's (`there`) round-robin if asked
    to. Each trial has failed if one could not be started, or ended too soon.
    """
    if not busy.threads:
        return trials()
    command = (*cpp.command, "busy", *(("--nice", str(busy.nice)) if busy.nice else ()))
    try:
        with ExitStack() as all_of_them:
            with _also_on(cpus):
                pins = islice(cycle([("--cpu", str(cpu)) for cpu in there if busy.there] or [()]), busy.threads)
                started = [all_of_them.enter_context(_process((*command, *pin))) for pin in pins]
            outcomes = trials()
            ended = next((one.returncode for one in started if one.poll() is not None), None)
    except OSError as error:
        return [Outcome(None, Failure("not-busy", f"'{command[0]}' cannot be started: {system_cause(error)}."), "", 0)]
    if ended is None:
        return outcomes
    how = process.describe_status(ended)
    why = f"A busy thread ended before the trial did ({how}): not all of them competed with it."
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
def _process(command: tuple[str, ...]) -> Iterator["Popen[bytes]"]:
    """Start a process that ends with this one, by the kernel's signal, or because its standard input closes.

    Ctrl-C in a terminal, which goes to the whole group, ends the trial first.
    """
    with held_back():  # never between the start of a process and the record of it
        process = Popen(command, stdin=PIPE, stdout=DEVNULL, stderr=STDOUT, start_new_session=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
