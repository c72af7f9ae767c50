"""lock: what it costs when threads contend for one lock.

Measures how many operations a second T threads do together (take the lock, count, release), what that costs their
CPUs, how evenly the operations fall to them, and how long each waits for the lock. Operations and fairness come from
plain windows, in which no operation reads the clock; the distribution of waits from timed ones.
"""

from statistics import fmean

from threadping.contract import Result
from threadping.experiments.experiment import Experiment
from threadping.figures import checks, common, outliers, reading
from threadping.figures.checks.interference import OUR_WAKES_A_WINDOW, oversubscribed
from threadping.figures.declaration import Check, Column, Declaration, Evidence, Facts, Figure, Percentiles
from threadping.figures.fairness import jain, shares
from threadping.pace import Pace, in_periods
from threadping.plan import SHORTEST_TRIAL
from threadping.question.asking import Asking, First

NO_COARSENING = "-XX:-EliminateLocks"
"""C2's own words for the flag: "Coarsen locks when possible" (c2_globals.hpp, OpenJDK 11 to 25)."""

NOTICEABLE_COST, LARGE_COST = 0.1, 0.5
"""Of sampling: above the first the percentiles are visibly of slower operations, above the second mainly of those."""


def _jain(result: Result) -> float | None:
    """The mean over plain windows: what evens out in time is unfair in the short run only. Alone, nobody shares."""
    if _alone(result):
        return None
    windows = zip(*result.windows.of("plain").ops, strict=True)
    return fmean(jain(of_each) for of_each in windows if any(of_each))  # nothing done is not shared


def _shares(result: Result) -> list[float]:
    return shares([sum(of_thread) for of_thread in result.windows.of("plain").ops])


def _alone(result: Result) -> bool:
    return len(result.threads) == 1


def _sampling_cost(result: Result) -> float | None:
    """By what share an operation is slower in timed windows."""
    timed = result.windows.of("timed")
    return timed.total_ns / timed.total_ops / reading.ns_per_op(result) - 1 if timed.total_ops else None


def _made(result: Result) -> int:
    return sum(count.made for count in result.counts.values())


def _found(result: Result) -> int:
    return sum(count.found for count in result.counts.values())


FIGURES = (
    Figure(
        name="ops_per_s",
        unit="per_s",
        read=reading.rate,
        better="more",
        interval=True,
        column=Column("ops/s"),
        means="Operations a second of all threads together, while none of them starts, ends or reads the clock; over "
        "trials the median.",
    ),
    Figure(
        name="lock.fairness.jain",
        unit="index",
        read=_jain,
        better="more",
        column=Column("Jain", rank=5),
        means="Jain's index of fairness, the mean over plain windows: 1 where all threads did as much, 1/threads "
        "where one did everything.",
    ),
    Figure(
        name="lock.fairness.shares.min",
        unit="share",
        read=lambda result: None if _alone(result) else min(_shares(result)),
        column=Column("least", rank=7, of_trials=False),
        means="The least that a thread had of a trial's operations.",
    ),
    Figure(
        name="lock.fairness.shares.max",
        unit="share",
        read=lambda result: None if _alone(result) else max(_shares(result)),
        column=Column("most", rank=8, of_trials=False),
        means="The most that a thread had of a trial's operations.",
    ),
    Figure(
        name="lock.fairness.window_ns",
        unit="ns",
        read=lambda result: fmean(result.windows.of("plain").ns),
        means="How long a plain window is: over so much time fairness is told.",
    ),
    Figure(
        name="lock.updates.lost",
        unit="share",
        read=lambda result: (_made(result) - _found(result)) / max(1, _made(result)),
        better="less",
        column=Column("lost", rank=4),
        means="The share of the increments made that the counters did not hold in the end.",
    ),
    Figure(name="lock.updates.made", unit="count", read=_made, over="total"),
    Figure(name="lock.updates.found", unit="count", read=_found, over="total"),
    Figure(name="lock.sampling.every", unit="count", read=lambda result: result.windows.every),
    Figure(name="lock.sampling.cost", unit="share", read=_sampling_cost),
    Figure(name="latency_ns.mean", unit="ns", read=lambda result: reading.mean_of(result.timed()), better="less"),
)

WAITS = Percentiles(
    name="latency_ns",
    noun="timed operations",
    head="wait",
    means="From wanting the lock to holding it, of operations timed one by one (where there is no lock, of the whole "
    "increment); every trial weighs the same. One reading of the clock is in each.",
)


def _without_a_cpu(seen: Evidence) -> str:
    if seen.case.timed == "increment":
        return "No lock is held meanwhile, so they only take turns."
    if seen.case.blocking:
        return "A thread that is woken may find no CPU free, and one that lost its CPU may hold the lock."
    return (
        "When one of those holds the lock, or is next in its queue, all others spin in vain until it runs again: spin "
        "only with a CPU for each thread."
    )


def _coarsened(seen: Evidence) -> Facts | None:
    on_a_jvm = "counters.collections" in seen.row.figures
    merges = seen.case.mechanism == "monitor" and on_a_jvm and NO_COARSENING not in seen.case.runtime.split()
    return {} if merges else None


def _lost_updates(seen: Evidence) -> Facts | None:
    made, found = seen.row.figures["lock.updates.made"], seen.row.figures["lock.updates.found"]
    return {"share": (made - found) / made, "lost": made - found, "made": made} if made > found else None


def _slowed(seen: Evidence) -> Facts | None:
    cost = seen.row.figures.get("lock.sampling.cost", 0.0)
    if not seen.row.figures.get("latency_ns.samples") or cost <= NOTICEABLE_COST:
        return None
    severity = "warning" if cost > LARGE_COST else "info"
    return {"every": seen.row.figures["lock.sampling.every"], "cost": cost, "severity": severity}


CHECKS = (
    oversubscribed(_without_a_cpu),
    Check(
        code="coarsened",
        severity="info",
        find=_coarsened,
        means="HotSpot may merge neighbouring operations of one thread into one that takes the monitor once, as it "
        "may in the published experiment: one operation is then less than a lock taken and released.",
        remedy="--no-coarsening forbids it.",
    ),
    Check(
        code="lost-updates",
        severity="info",
        find=_lost_updates,
        brief="{share:share}",
        means="{share:share} of the increments were lost ({lost} of {made}): threads read the same value, and each "
        "wrote it back one higher. Nothing protects this counter; every other mechanism counts exactly.",
    ),
    Check(
        code="sampling-cost",
        severity="info",
        find=_slowed,
        brief="{cost:share} slower when timed",
        means="Reading the clock in one operation of {every} made operations {cost:share} slower on average: "
        "percentiles are of these. Operations a second and fairness are of undisturbed ones.",
    ),
)

EXPERIMENT = Experiment(
    help="Measure what contention does to a lock: T threads that take it, count, and release it.",
    asking=Asking(
        threads=None,
        first=(
            First("mutex"),  # what does a lock cost, alone and contended?
            First("monitor"),
            First("fetch-add"),  # what does it cost without one?
            First("reentrant-lock"),
        ),
    ),
    pace=Pace(SHORTEST_TRIAL, in_periods),  # it has no pool of 256 lines to visit
    figures=Declaration(
        title="operations/s of all threads together",
        headline="ops_per_s",
        figures=(*FIGURES, *outliers.figures_of(WAITS), *common.EVERYWHERE),
        distributions=(WAITS,),
        checks=(*CHECKS, *checks.EVERYWHERE),
        op="increment",
        along="threads",
        notes=(
            "wait is from wanting the lock to holding it, or a whole increment where there is no lock; one reading of "
            "the clock is in it.",
        ),
        ours=OUR_WAKES_A_WINDOW,
    ),
    options={
        "critical": "Steps of work inside the lock; N,M measures both.",
        "outside": "Steps of work between two operations; N,M measures both.",
    },
    jvm_options={
        "no-coarsening": (
            (NO_COARSENING,),
            "Forbid every JVM to merge neighbouring lock operations (-XX:-EliminateLocks).",
        ),
    },
)
