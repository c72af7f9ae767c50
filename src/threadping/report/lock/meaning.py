"""What the figures of `lock` are, and what timing does to them."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from threadping.model import Contention, Row
from threadping.report import figures
from threadping.report.clock import clock_costs
from threadping.report.lock.scaled import loses


def meaning(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """A paragraph on throughput, one on waits, one on fairness, one on what is lost, if something is."""
    found = [row.lock for row in rows if row.lock is not UNSET]
    yield (
        "figures",
        "Operations/s are those of all threads together while none of them starts, ends or reads the clock: the "
        "trials' median, with its interval (95%, bootstrap). CPU time is that of all threads, waiting included.",
    )
    yield "waits", " ".join(_waits(rows, found))
    yield (
        "fairness",
        "Jain's index (1: all threads did as much; 1/threads: one did everything)"
        f"{_windows(found)}, and the least and the most that a thread had of a trial's operations.",
    )
    if loses(rows):
        yield "lost", "The share of the increments made that the counters did not hold in the end."


def _waits(rows: Sequence[Row], found: Sequence[Contention]) -> Iterator[str]:
    yield "The wait to acquire is from wanting the lock to holding it."
    if found:
        every = sorted({one.sampling.every for one in found})
        one_in = f"one operation in {' to '.join(map(str, dict.fromkeys((every[0], every[-1]))))}"
        slower = max(one.sampling.cost for one in found)
        slowed = f", which slowed these by up to {figures.percent(slower)}" if slower > 0 else ""
        timed = "each operation" if every[-1] == 1 else one_in
        yield f"It was timed for {timed} in periods of their own{slowed}."
    if costs := clock_costs(rows):
        yield f"A reading of the clock costs {costs}: one is in every percentile; nothing is subtracted."


def _windows(found: Sequence[Contention]) -> str:
    return f" over periods of {figures.span([one.fairness.window_ns for one in found])}" if found else ""
