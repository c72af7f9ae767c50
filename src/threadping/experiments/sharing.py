"""Readers and writers of one lock, as `lock --writers` and `lock --writes` measure them.

What each kind did and how long it waited, whether writers starve, and what a lock that can be shared gives over one
that cannot. A trial of which every operation writes knows nothing of it.
"""

from collections.abc import Iterator, Sequence

from threadping.analysis import reading
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Column, Figure, Percentiles
from threadping.analysis.layout import Curve
from threadping.analysis.ratio import ratio
from threadping.analysis.validity import is_usable
from threadping.contract import Result
from threadping.grouping import gathered
from threadping.model.cases import Case
from threadping.quantities import TO

READS, WRITES = "lock.reads_per_s", "lock.writes_per_s"
TURN = "lock.writers.turn"

EXCLUSIVE = ("mutex", "reentrant-lock")
"""The usual lock of each language, which readers take alone: against it stand those that let them in together."""

STARVED = 0.1
"""A writing thread that makes less than this part of an equal share starves."""

READ_WAITS = Percentiles(
    name="read_wait_ns",
    of="wait-to-read",
    noun="timed reads",
    head="read wait",
    outliers="",
    column=False,
    optional=True,
)
WRITE_WAITS = Percentiles(
    name="write_wait_ns", of="wait-to-write", noun="timed writes", head="write wait", outliers="", optional=True
)


def _written(result: Result) -> list[float] | None:
    """Which part of each thread's operations writes; None where all of them do, and nobody asks.

    A reader-writer's is of the whole trial, since a pattern decides it: the same in every window.
    """
    roles = [thread.role for thread in result.threads]
    if "worker" in roles:
        return None
    writes, reads = (result.counts[name].made for name in ("increments", "whole reads"))
    of_roles = {"reader": 0.0, "writer": 1.0, "reader-writer": writes / max(1, writes + reads)}
    return [of_roles[role] for role in roles]


def _per_s(result: Result, *, writes: bool) -> float | None:
    """Reads, or writes, a second of all threads together, in throughput windows."""
    written = _written(result)
    if written is None:
        return None
    windows = reading.counted(result, "throughput")
    each = zip(windows.ops, written, strict=True)
    return 1e9 * sum(sum(ops) * (part if writes else 1 - part) for ops, part in each) / windows.total_ns


def _turn(result: Result) -> float | None:
    """What the writing thread that had least did, as a part of an equal share; None where all threads do the same."""
    roles = [thread.role for thread in result.threads]
    if "writer" not in roles or "reader" not in roles:
        return None
    work = [sum(ops) for ops in reading.counted(result, "throughput").ops]
    least = min(ops for ops, role in zip(work, roles, strict=True) if role == "writer")
    return least * len(work) / sum(work) if sum(work) else None


FIGURES = (
    Figure(READS, "per_s", lambda result: _per_s(result, writes=False), Column("reads/s", 2), better="more"),
    Figure(WRITES, "per_s", lambda result: _per_s(result, writes=True), Column("writes/s", 5), better="more"),
    Figure(TURN, "index", _turn, Column("writer", 13), better="more"),
)

SHARES = Curve(
    name="writes",
    title="reads and writes of a lock, by how many operations write",
    along="per cent of operations that write",
    unit="count",
    figures=(READS, WRITES),
    param="writes",
)


def gains(rows: Sequence[Row]) -> Iterator[str]:
    """What readers gain by another lock than a mutex, and which locks starve writers, at each place."""
    known = [row for row in rows if is_usable(row, "rank") and row.leads and READS in row.figures]
    for (_, runtime, said), together in gathered((_place(row.case), row) for row in known).items():
        where = f"({runtime}, {said})"
        mutex = next((row for name in EXCLUSIVE for row in together if row.case.mechanism == name), None)
        others = [row for row in together if row is not mutex]
        if mutex and others:
            yield _gain(max(others, key=lambda row: row.number(READS)), mutex, where)
        starving = [row for row in together if TURN in row.figures and row.figures[TURN].ends[1] < STARVED]
        if starving:
            names = " and ".join(row.case.mechanism for row in starving)
            yield f"Writers starve with {names} {where}: one makes less than {STARVED:g} of an equal share."


def _gain(best: Row, mutex: Row, where: str) -> str:
    times = _times(best, mutex)
    name, usual = best.case.mechanism, mutex.case.mechanism
    if times is None or not times.kind:
        return f"Whether readers gain by {name} over {usual} is not known {where}: more trials (--budget) would show."
    so_many = f"{times.value:.2f} ({times.ends[0]:.2f}{TO}{times.ends[1]:.2f}) times what {usual} gives them"
    if times.ends[0] > 1:
        return f"Readers read most with {name} {where}: {so_many}."
    if times.ends[1] < 1:
        return f"Readers read most with {usual} {where}: {name}, the next, gives {so_many}."
    return f"Readers read as much with {name} as with {usual} {where}: {so_many}."


def _times(best: Row, peer: Row) -> Estimate | None:
    ours, theirs = best.over_trials(READS), peer.over_trials(READS)
    return ratio(ours, theirs) if ours and theirs and min(*ours, *theirs) > 0 else None


def _place(case: Case) -> tuple[tuple[object, ...], str, str]:
    """What rows of different locks have in common, and its words."""
    varied = tuple(sorted((name, case.params[name]) for name in case.varied))
    parts = [f"{case.threads} threads", *(f"{name} {value}" for name, value in varied)]
    return (case.placement, case.warmup, varied), case.runtime, ", ".join(parts)
