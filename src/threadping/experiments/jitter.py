"""jitter: when, for how long and why a thread that always wants to run does not.

Threads read the clock without a break, one on each CPU. Two consecutive reads that are a microsecond apart are a stall:
an interrupt, another thread, a hypervisor or firmware had the CPU. No program on this machine can avoid it, however it
waits.
"""

from collections.abc import Sequence
from itertools import pairwise
from operator import mul

from threadping.analysis.row_warnings import without
from threadping.experiments import common
from threadping.model.contract import SECOND, Distribution, Policy, Result, WindowsRequest
from threadping.model.run import Caused, Observation
from threadping.planning.defaults import Pace, in_periods

(STALL_LENGTHS,) = common.MEASURED["jitter"].distributions
LATE_SHARE = 1e-4  # one moment in ten thousand, at which a thread that is due waits longer than `jitter.late_ns`


def watched_ns(result: Result) -> int:
    """Return the time in which stalls were looked for, of all threads together."""
    return result.windows.of("sampling").total_ns * len(result.threads)


def lateness(stalls: Distribution, watched: float, share: float = LATE_SHARE) -> float:
    """Return how late a thread is at most that is due at a random moment, but for this share of moments (ns).

    During a stall it is late by the rest of the stall: by more than x for `length - x` nanoseconds of each stall that
    is longer than x.
    """
    allowed = share * watched
    beyond = number = 0.0
    lengths = [*stalls.values[::-1], 0]
    for place, (length, shorter) in enumerate(pairwise(lengths), 1):
        count = stalls.counts[-place]
        beyond, number = beyond + length * count, number + count
        if beyond - number * shorter > allowed:
            return (beyond - allowed) / number
    return 0.0


def lateness_without(trial: Observation, stalls_of: Sequence[Caused]) -> float | None:
    """Return how late a thread is at most, but for one moment in ten thousand, had there been no such stalls (ns)."""
    stalls, watched = trial.distributions.get(STALL_LENGTHS.name), trial.figures.get("jitter.watched_ns")
    if stalls is None or not watched:
        return None
    return lateness(without(stalls, stalls_of), watched)


def lost(result: Result) -> float | None:
    stalls, watched = STALL_LENGTHS.read(result), watched_ns(result)
    return sum(map(mul, stalls.values, stalls.counts)) / watched if watched else None


def late(result: Result) -> float | None:
    watched = watched_ns(result)
    return lateness(STALL_LENGTHS.read(result), watched) if watched else None


def longest(result: Result) -> float:
    values = STALL_LENGTHS.read(result).values
    return float(values[-1]) if values else 0.0


def clock_read(result: Result) -> float | None:
    windows = result.windows.of("throughput")
    return windows.total_ns * len(result.threads) / windows.total_ops if windows.total_ops else None


def a_second(result: Result, ns: int) -> float | None:
    """Return how many stalls of this length and more there were per second and CPU."""
    stalls, watched = STALL_LENGTHS.read(result), watched_ns(result)
    number = sum(count for took, count in zip(stalls.values, stalls.counts, strict=True) if took >= ns)
    return SECOND * number / watched if watched else None


def _policy(measure_ns: int, warmup_ns: int, crowding: int, _blocking: bool) -> Policy:
    """One sampling window in each trial: where it opens and closes, another thread of the probe takes a CPU."""
    usual = in_periods(measure_ns, warmup_ns, crowding)
    tenth = max(1, measure_ns // 10)
    windows = WindowsRequest("ns", tenth, max(1, measure_ns - tenth), 1, CHUNK_NS, 1.0)
    return Policy(windows, usual.look_ns, usual.patience_ns)


CHUNK_NS = 100_000  # Between two chunks nobody reads the clock, for a fraction of a microsecond

JITTER = common.experiment(
    "jitter",
    __name__,
    pace=Pace(_policy, measure_s=0.2, promised={"readings in order": True}),
    by_state=lambda _: False,  # it is of pairs of CPUs, and no line moves here
)
