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
from threadping.model.contract import SECOND, Distribution, Policy, Request, Result, WindowsRequest
from threadping.model.run import Caused, Observation
from threadping.planning.defaults import Pace, in_periods

(STALL_LENGTHS,) = common.MEASURED["jitter"].distributions
LATE_SHARE = 1e-4  # one moment in ten thousand, at which a thread that is due waits longer than `jitter.late_ns`


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


LENGTHS_NS = {"1us": 1_000, "10us": 10_000, "100us": 100_000, "10ms": 10_000_000}
"""The least length of stalls that are counted together, by its name in a figure."""


def own(result: Result, _request: Request) -> dict[str, float | None]:
    """Return the figures of stalls: how late, how long and how many a second and CPU; and what a clock read takes."""
    stalls, undisturbed, threads = STALL_LENGTHS.read(result), result.windows.of("throughput"), len(result.threads)
    watched = (
        result.windows.of("sampling").total_ns * threads
    )  # the time in which stalls were looked for, of all threads
    lasted = list(zip(stalls.values, stalls.counts, strict=True))
    return {
        "jitter.watched_ns": watched,
        "jitter.longest_ns": float(stalls.values[-1]) if stalls.values else 0.0,
        "jitter.reading_ns": undisturbed.total_ns * threads / undisturbed.total_ops if undisturbed.total_ops else None,
        "jitter.late_ns": lateness(stalls, watched) if watched else None,
        "jitter.lost": sum(map(mul, stalls.values, stalls.counts)) / watched if watched else None,
        **{
            f"jitter.per_s_{name}": SECOND * sum(of for ns, of in lasted if ns >= least) / watched if watched else None
            for name, least in LENGTHS_NS.items()
        },
    }


def _policy(measure_ns: int, warmup_ns: int, crowding: int, _blocking: bool) -> Policy:
    """One sampling window in each trial: where it opens and closes, another thread of the probe takes a CPU."""
    usual = in_periods(measure_ns, warmup_ns, crowding)
    tenth = max(1, measure_ns // 10)
    windows = WindowsRequest("ns", tenth, max(1, measure_ns - tenth), 1, CHUNK_NS, 1.0)
    return Policy(windows, usual.look_ns, usual.patience_ns)


CHUNK_NS = 100_000  # Between two chunks nobody reads the clock, for a fraction of a microsecond

JITTER = common.experiment(
    "jitter",
    own=own,
    pace=Pace(_policy, measure_s=0.2, promised={"readings in order": True}),
    by_state=lambda _: False,  # it is of pairs of CPUs, and no line moves here
)
