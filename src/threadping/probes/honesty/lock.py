"""What can contradict itself in a result of `lock`."""

from threadping.contract import LockResult, Request


def contradiction(request: Request, result: LockResult) -> str | None:
    """Whether its windows are of the threads and lines asked for and fit into the whole, and whether its count is."""
    for window in result.windows:
        if window.line >= request.lines:
            return f"a window is at line {window.line}, but there are {request.lines}, counted from 0"
        if len(window.ops) != len(request.threads):
            return f"a window tells of {len(window.ops)} threads instead of {len(request.threads)}"
    ns = sum(window.ns for window in result.windows)
    if ns > result.measured.ns:
        return f"its windows last {ns / 1e6:.3f} ms, the whole {result.measured.ns / 1e6:.3f} ms"
    ops = sum(sum(window.ops) for window in result.windows)
    if ops > result.measured.ops:
        return f"its windows hold {ops} increments, the whole {result.measured.ops}"
    # Threads go on, and time, after the last look at a window: their waits are of the whole, not of windows alone.
    if (waits := sum(result.waits.counts)) > result.measured.ops:
        return f"it timed {waits} of {result.measured.ops} increments"
    return _impossible_count(result)


def _impossible_count(result: LockResult) -> str | None:
    counter = result.counter
    known = result.warmup.ops + result.measured.ops
    if counter.made < known:
        return f"it made {counter.made} increments in all, but {known} while it warmed up and measured"
    if counter.found > counter.made:
        return f"its counters hold {counter.found} increments, but {counter.made} were made"
    if counter.exact and counter.found < counter.made:
        return f"its counters hold {counter.found} of {counter.made} increments, and it calls that exact"
    return None
