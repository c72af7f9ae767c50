"""Whether a well-formed result can be true: what a schema cannot say."""

from itertools import pairwise

from threadping.contract import Request, Result


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
    if len(result.blocks.lines) != request.lines:
        return f"{len(result.blocks.lines)} lines instead of {request.lines}"
    singles = result.singles
    if len(singles.values_ns) != len(singles.counts):
        return "its single round trips have more values than counts, or fewer"
    if any(later <= earlier for earlier, later in pairwise(singles.values_ns)):
        return "its single round trips do not ascend"
    return _impossible_time(result)


def _pinned_to(request: Request) -> list[tuple[int, ...]]:
    """The CPUs that each thread was to be pinned to; none where it was left to the scheduler."""
    alone: list[tuple[int, ...]] = [() if thread.cpu is None else (thread.cpu,) for thread in request.threads]
    if request.pin == "thread":
        return alone
    together = tuple(sorted({cpu for cpus in alone for cpu in cpus}))
    return [together] * len(alone)


def _impossible_time(result: Result) -> str | None:
    """Whether more time was spent in blocks and single round trips than the measuring phase lasted."""
    blocks = sum(sum(line) for line in result.blocks.lines) * result.blocks.round_trips
    singles = sum(value * count for value, count in zip(result.singles.values_ns, result.singles.counts, strict=True))
    partial = result.blocks.partial.ns if result.blocks.partial else 0
    rounding = 1.001  # block means travel rounded to hundredths of a nanosecond
    if blocks + singles + partial > result.measured.ns * rounding:
        return (
            f"its parts last {(blocks + singles + partial) / 1e6:.3f} ms, the whole {result.measured.ns / 1e6:.3f} ms"
        )
    hand_overs = 2 * (result.blocks.round_trips * sum(map(len, result.blocks.lines)) + sum(result.singles.counts))
    if hand_overs > result.measured.ops:
        return f"its parts hold {hand_overs} hand-overs, the whole {result.measured.ops}"
    return None
