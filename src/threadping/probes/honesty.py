"""Whether a well-formed result can be true: what a schema cannot say."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from threadping.analysis import reading
from threadping.contract import Distribution, Held, Kind, Request, Result

KINDS: tuple[Kind, ...] = ("throughput", "sampling")


def contradiction(request: Request, result: Result) -> str | None:
    """Name the first thing in `result` that contradicts itself or the request; None if there is none."""
    return next(_contradictions(request, result), None)


def _contradictions(request: Request, result: Result) -> Iterator[str]:
    """Each of these relies on what those before it have found to be true."""
    yield from _of_another_trial(request, result)
    yield from _in_windows(request, result)
    # A controller that opens windows from outside counts a moment sooner or later than the threads do.
    from_inside = request.windows.unit == "ops"
    most = result.windows.of("sampling").total_ops if from_inside else result.measured.ops
    for name, distribution in result.distributions.items():
        yield from _in_distribution(name, distribution, most)
    yield from _in_evidence(request, result)
    for name, count in result.counts.items():
        yield from _in_count(name, count, request, result)


def _of_another_trial(request: Request, result: Result) -> Iterator[str]:
    asked = (request.experiment, request.mechanism)
    got = (result.experiment, result.mechanism)
    if got != asked:
        yield f"it is about {' '.join(got)}, not {' '.join(asked)}"
    if len(result.threads) != len(request.threads):
        yield f"{len(result.threads)} threads measured instead of {len(request.threads)}"
    for expected, thread in zip(_pinned_to(request), result.threads, strict=True):
        if expected and thread.cpus_start != expected:
            where = f"CPU {expected[0]}" if len(expected) == 1 else f"CPUs {list(expected)}"
            yield f"{thread.role} was to stand on {where}, but stood on {list(thread.cpus_start)}"


def _in_windows(request: Request, result: Result) -> Iterator[str]:
    windows, measured = result.windows, result.measured
    if len(windows.ops) != len(request.threads):
        yield f"its windows tell of {len(windows.ops)} threads instead of {len(request.threads)}"
    if len(lengths := {len(column) for column in windows.columns}) > 1:
        yield f"its windows have columns of {min(lengths)} to {max(lengths)} entries"
    if list(windows.warmup) != sorted(windows.warmup, reverse=True):
        yield "a window of its warm-up comes after one that was measured"
    if any((kind == "sampling") != (every > 0) for kind, every in zip(windows.kind, windows.every, strict=True)):
        yield "its windows contradict themselves on which of them were sampled"
    if (line := max(windows.line, default=0)) >= request.lines:
        yield f"a window is at line {line}, but there are {request.lines}, counted from 0"
    if (ns := windows.measured.total_ns) > measured.ns:
        yield f"its windows last {ns / 1e6:.3f} ms, the whole {measured.ns / 1e6:.3f} ms"
    if (ops := sum(reading.counted(result, kind).total_ops for kind in KINDS)) > measured.ops:
        yield f"its windows hold {ops} operations, the whole {measured.ops}"


def _in_distribution(name: str, distribution: Distribution, most: int) -> Iterator[str]:
    """`most` is the number of operations that may have been timed."""
    if len(distribution.values) != len(distribution.counts):
        yield f"its distribution {name} has {len(distribution.values)} values and {len(distribution.counts)} counts"
    if any(later <= earlier for earlier, later in pairwise(distribution.values)):
        yield f"the values of its distribution {name} do not ascend"
    if (samples := sum(distribution.counts)) > most:
        yield f"its distribution {name} holds {samples} of {most} operations"


def _in_evidence(request: Request, result: Result) -> Iterator[str]:
    """Of each thread at most as many as it was to keep."""
    evidence, asked = result.evidence, request.outliers
    if evidence is None or asked is None:
        if evidence or asked:
            yield "it lacks the evidence that was asked for" if asked else "it has evidence that was not asked for"
        return
    for thread, kept in Counter(one.thread for one in evidence.outliers).items():
        if thread >= len(result.threads):
            yield f"an outlier is of thread {thread}, but there are {len(result.threads)}, counted from 0"
        if kept > asked.most:
            yield f"{kept} outliers of thread {thread} were kept, of {asked.most} at most"
    for one in evidence.outliers:
        if one.of not in result.distributions:
            yield f"an outlier is of {one.of}, of which there is no distribution"
        if one.ns < asked.least_ns:
            yield f"an outlier took {one.ns} ns, less than the {asked.least_ns} from which on it is one"


def _in_count(name: str, count: Held, request: Request, result: Result) -> Iterator[str]:
    """What is exact is from start to end; what is not may be of some windows only."""
    if count.found > count.made:
        yield f"{count.found} {name} were found, but {count.made} were made"
    if not count.exact:
        return
    known = (result.warmup.ops + result.measured.ops) // reading.receivers(result)
    # Where a controller opens windows from outside, threads go on before, between and after them.
    counts_all = request.windows.unit == "ops" and not result.measured.cut
    if count.made < known or (counts_all and count.made > known):
        yield f"it made {count.made} {name} in all, but {known} while it warmed up and measured"
    if count.found < count.made:
        yield f"{count.found} of {count.made} {name} were found, and it calls that exact"


def _pinned_to(request: Request) -> list[tuple[int, ...]]:
    """The CPUs that each thread was to be pinned to; none where it was left to the scheduler."""
    alone: list[tuple[int, ...]] = [() if thread.cpu is None else (thread.cpu,) for thread in request.threads]
    if request.pin == "thread":
        return alone
    together = tuple(sorted({cpu for cpus in alone for cpu in cpus}))
    return [together] * len(alone)
