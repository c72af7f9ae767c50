"""lock: what it costs when threads contend for one lock; with readers and writers.

What each kind did and how long it waited, whether writers starve, and what a lock that can be shared gives over one
that cannot. A trial in which every operation writes has no such figure.

Measures how many operations a second T threads do together (take the lock, count, release), what that costs their
CPUs, how evenly the operations fall to them, and how long each waits for the lock. Operations and fairness come from
throughput windows, in which no operation reads the clock; the distribution of waits from sampling ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from threadping.analysis.causes import OUR_WAKES_A_WINDOW
from threadping.analysis.checks import Finding, finding
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.percentiles import Estimate, ratio
from threadping.analysis.row_warnings import ClosedLoop, beyond
from threadping.analysis.validity import is_usable
from threadping.experiments import common
from threadping.model import reading
from threadping.model.base import gathered
from threadping.model.cases import Case
from threadping.model.contract import CountsHeld, Request, Result
from threadping.model.quantities import TO
from threadping.planning.defaults import Pace, in_periods

READS, WRITES, TURN = "lock.reads_per_s", "lock.writes_per_s", "lock.writers.turn"
EXCLUSIVE = ("mutex", "reentrant-lock")
"""The usual lock of each language, which readers take alone: the baseline of those that let them in together."""

STARVED = 0.1  # A writing thread that makes less than this part of an equal share starves

WAITS, READ_WAITS, WRITE_WAITS = common.MEASURED["lock"].distributions


def gains(rows: Sequence[Row]) -> Iterator[str]:
    """Say what readers gain by another lock than a mutex, and which locks starve writers, at each place."""
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
    ours, theirs = best.over_trials(READS), mutex.over_trials(READS)
    times = ratio(ours, theirs) if ours and theirs and min(*ours, *theirs) > 0 else None
    name, usual = best.case.mechanism, mutex.case.mechanism
    if times is None or not times.kind:
        return f"Whether readers gain by {name} over {usual} is not known {where}: more trials (--budget) would show."
    so_many = f"{_fold(times)} times what {usual} gives them"
    if times.ends[0] > 1:
        return f"Readers read most with {name} {where}: {so_many}."
    if times.ends[1] < 1:
        return f"Readers read most with {usual} {where}: {name}, the next, gives {so_many}."
    return f"Readers read as much with {name} as with {usual} {where}: {so_many}."


def _place(case: Case) -> tuple[tuple[object, ...], str, str]:
    varied = tuple(sorted((name, case.params[name]) for name in case.varied))
    parts = [f"{case.threads} threads", *(f"{name} {value}" for name, value in varied)]
    return (case.placement, case.warmup, varied), case.runtime, ", ".join(parts)


(NO_COARSENING,), _ = common.ENTRIES["lock"].jvm_options["no-coarsening"]

LINE_BYTES = 64  # a cache line of most CPUs
FEWEST_EACH = 100  # Operations for each thread: with fewer an index of fairness is of chance


def jain(work: Sequence[float]) -> float | None:
    """Return Jain's index of fairness: 1 where all did as much, 1/n where one of n did everything.

    (sum x)^2 / (n * sum x^2); Jain, Chiu and Hawe, DEC-TR-301, 1984. None for fewer than FEWEST_EACH operations
    each: of a perfectly fair multinomial the index is n / (n + k - 1) for n operations of k threads: 0.57 for four
    of four.
    """
    total = sum(work)
    return total * total / (len(work) * sum(part * part for part in work)) if total >= FEWEST_EACH * len(work) else None


def own(result: Result, _request: Request) -> dict[str, float | None]:
    """Return the figures of fairness, of updates, and of what reads and what writes."""
    windows, roles = result.windows.of("throughput"), [thread.role for thread in result.threads]
    work, several = [sum(of_thread) for of_thread in windows.ops], len(roles) > 1
    total = sum(work)
    of_windows = [one for each in zip(*windows.ops, strict=True) if (one := jain(each)) is not None]
    updates, turns = result.counts.get("increments", CountsHeld(0, 0, exact=False)), result.counts.get("handoffs")
    mean, rate = reading.mean_of(result.timed()), reading.rate(result)
    figures = {
        # over throughput windows: what evens out in time is unfair in the short run only
        "lock.fairness.jain": fmean(of_windows) if of_windows and several else None,
        "lock.fairness.shares.min": min(work) / total if several else None,
        "lock.fairness.shares.max": max(work) / total if several else None,
        "lock.fairness.window_ns": fmean(windows.ns),
        "lock.updates.lost": 1 - updates.found / max(1, updates.made),
        "lock.updates.made": updates.made,
        "lock.updates.found": updates.found,
        # the operations a thread makes before the lock goes to another one; None where nobody counts that
        "lock.consecutive": turns.made / max(1, turns.found) if turns and turns.made and several else None,
        # Each of T threads is waiting or at work, with a CPU or without: nobody waits longer than T operations take, on
        # average. Above 1 the mean wait is longer than the identity of this closed loop allows.
        "lock.wait_over_cycle": beyond(mean, len(roles), rate, result.clock.cost_ns)
        if mean is not None and several
        else None,
    }
    if "contender" in roles:  # all operations write
        return figures
    writes, reads = (result.counts[name].made for name in ("increments", "whole reads"))
    of_roles = {"reader": 0.0, "writer": 1.0, "reader-writer": writes / max(1, writes + reads)}
    written = [(ops, of_roles[role]) for ops, role in zip(work, roles, strict=True)]  # which part of each thread's
    slowest = min((ops for ops, role in zip(work, roles, strict=True) if role == "writer"), default=0)
    figures[READS] = 1e9 * sum(ops * (1 - part) for ops, part in written) / windows.total_ns
    figures[WRITES] = 1e9 * sum(ops * part for ops, part in written) / windows.total_ns
    # the part of an equal share that the slowest writing thread had; unknown where all threads do the same
    return figures | ({TURN: slowest * len(work) / total} if {"writer", "reader"} <= {*roles} and total else {})


def of_operations(row: Row) -> Iterator[Finding]:
    """Find whether operations are what they are called: a JVM may merge them, and updates may be lost."""
    if "counters.collections" in row.figures and _is_merged(row.case):  # on a JVM
        yield finding("coarsened")
    made, found = row.number("lock.updates.made"), row.number("lock.updates.found")
    if made > found:
        yield finding("lost-updates", share=(made - found) / made, lost=made - found, made=made)


def _is_merged(case: Case) -> bool:
    return case.mechanism == "monitor" and NO_COARSENING not in case.runtime.split()


NEXT_TO = 1.05  # Counters are far enough apart if no greater distance gives more than this factor


def _far_enough(rates: Mapping[float, Sequence[float]]) -> Iterator[str]:
    places = sorted(place for place, of_trials in rates.items() if of_trials)
    widest = places[-1] if places else 0
    less, enough = [], []
    for place in places[:-1]:
        times = ratio(rates[widest], rates[place])
        if times.kind and times.ends[0] > NEXT_TO:
            less.append((place, times))
        if times.kind and times.ends[1] < NEXT_TO:
            enough.append((place, times))
    if less:
        place, times = less[-1]
        pair = "; lines are fetched in pairs" if place == LINE_BYTES else ""
        yield f"{place:g} bytes apart they disturb each other{pair}: {widest:g} give {_fold(times)} times as many"
    if enough:
        place, times = enough[0]
        yield f"{place:g} bytes apart are enough here: {widest:g} give {_fold(times)} times as many"
    elif places:
        yield "which distance is enough is not known: more trials (--budget) or a greater stride would"


def _fold(times: Estimate) -> str:
    return f"{times.value:.2f} ({times.ends[0]:.2f}{TO}{times.ends[1]:.2f})"


LOCK = common.experiment(
    "lock",
    own=own,
    pace=Pace(in_periods, promised={"increments": False}),
    by_state=lambda _: True,
    checks=(
        common.OVERSUBSCRIBED,
        RowCheck(of_operations, ("coarsened", "lost-updates")),
        *ClosedLoop(
            WAITS,
            under_way=lambda case: case.threads if case.threads > 1 else 0,
            besides=("latency_ns.mean", "lock.wait_over_cycle"),
            parts=(READ_WAITS, WRITE_WAITS),
        ).checks,
    ),
    curves={"stride": {"concludes": _far_enough}},
    answers=gains,
    ours=OUR_WAKES_A_WINDOW,
    makes_alike=lambda one, other: "no-coarsening" if _is_merged(one) != _is_merged(other) else "",
)
