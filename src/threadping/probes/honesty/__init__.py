"""Whether a well-formed result can be true: what a schema cannot say."""

from itertools import pairwise

from threadping.contract import Request, Result, SignalResult
from threadping.probes.honesty import lock, signal


def contradiction(request: Request, result: Result) -> str | None:
    """Name the first thing in `result` that contradicts itself or the request; None if there is none."""
    asked = (request.experiment, request.mechanism)
    got = (result.experiment, result.mechanism)
    if got != asked:
        return f"it is about {' '.join(got)}, not {' '.join(asked)}"
    if len(result.threads) != len(request.threads):
        return f"{len(result.threads)} threads measured instead of {len(request.threads)}"
    for expected, thread in zip(_pinned_to(request), result.threads, strict=True):
        if expected and thread.cpus_start != expected:
            where = f"CPU {expected[0]}" if len(expected) == 1 else f"CPUs {list(expected)}"
            return f"{thread.role} was to stand on {where}, but stood on {list(thread.cpus_start)}"
    timed = result.timed
    if len(timed.values_ns) != len(timed.counts):
        return "its single times have more values than counts, or fewer"
    if any(later <= earlier for earlier, later in pairwise(timed.values_ns)):
        return "its single times do not ascend"
    if isinstance(result, SignalResult):
        return signal.contradiction(request, result)
    return lock.contradiction(request, result)


def _pinned_to(request: Request) -> list[tuple[int, ...]]:
    """The CPUs that each thread was to be pinned to; none where it was left to the scheduler."""
    alone: list[tuple[int, ...]] = [() if thread.cpu is None else (thread.cpu,) for thread in request.threads]
    if request.pin == "thread":
        return alone
    together = tuple(sorted({cpu for cpus in alone for cpu in cpus}))
    return [together] * len(alone)
