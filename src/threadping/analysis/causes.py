"""Causes of outliers, each by the evidence around it; and of unlike trials: what else happened meanwhile.

A cause of an outlier is claimed only where the evidence could have made the whole difference: what was counted once, or
time that makes up at least half of the outlier. What nothing explains is unknown, and counted.
"""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from operator import itemgetter, mul
from statistics import correlation, fmean
from typing import NamedTuple

from msgspec import Struct

from threadping.analysis.declaration import Figure, Idle, Percentiles, Row
from threadping.analysis.percentiles import Estimate
from threadping.analysis.states import GAP
from threadping.model import quantities
from threadping.model.cases import DEFAULT_WARMUP, Case
from threadping.model.contract import Distribution, Outlier, OutliersRequest, Pause, Result, Seen
from threadping.model.reading import median_of
from threadping.model.run import Caused, Observation

ENOUGH = 0.5  # The share of an outlier that lost time must make up to be its cause
FAULT_NS, INTERRUPT_NS, WAKE_NS = 20_000, 50_000, 50_000
"""Maximum time of a page that is only mapped, of an interrupt, and of sending one to a CPU that sleeps, by
way of the hypervisor if there is one: as many as make up that time count."""

SAFEPOINT, QUOTA, MIGRATED, PREEMPTED = "safepoint", "quota", "migrated", "preempted"
FAULT, IDLE, TIMER = "page-fault", "idle-cpu", "timer"
DELAYED, STOLEN, INTERRUPTED, UNSEEN, UNKNOWN = "scheduler-delay", "stolen", "interrupts", "not-inspected", "unknown"
CAUSES = (SAFEPOINT, QUOTA, MIGRATED, PREEMPTED, DELAYED, STOLEN, FAULT, IDLE, INTERRUPTED, TIMER, UNSEEN, UNKNOWN)
"""Causes in the order in which they are tried: the more particular first. `words.toml` says what each means."""

FROM_OUTSIDE = (SAFEPOINT, QUOTA, MIGRATED, PREEMPTED, DELAYED, STOLEN, FAULT, INTERRUPTED, TIMER)  # not the mechanism


def threshold(timed: Distribution, policy: OutliersRequest) -> float:
    """Return from what duration on a trial's durations are outliers."""
    return max(policy.least_ns, policy.factor * (median_of(timed) or 0))


Stretch = tuple[int, int]  # a thread, and the stretch of its time that was drawn; negative of an outlier alone


class Outliers(NamedTuple):
    """The outliers of one distribution of a trial."""

    number: int
    # of a random sample by cause: the duration (ns), and how many outliers it represents
    sample: Mapping[str, Sequence[Caused]]
    squares: float  # of how many outliers each draw represents, summed


def sampled_outliers(
    of: str, result: Result, policy: OutliersRequest, *, blocking: bool, idle: Idle = "", paced: bool = False
) -> Outliers:
    """Return how many outliers a trial has, and a random sample of them by cause.

    What was drawn represents all of them by the chances of the draws (Horvitz and Thompson, JASA 47, 1952), divided by
    what those add up to (the ratio estimator of Hajek, 1971). Where nothing was drawn all are not inspected.
    """
    timed = result.distributions[of]
    least = threshold(timed, policy)
    count = sum(count for ns, count in zip(timed.values, timed.counts, strict=True) if ns >= least)
    every = result.evidence.outliers if result.evidence else ()
    drawn = [one for one in every if one.of == of and one.ns >= least and one.weight]
    if not count or not drawn:
        return Outliers(count, {UNSEEN: ((0, float(count)),)} if count else {}, float(count) ** 2)
    pauses = (result.managed and result.managed.pauses) or ()
    each = count / math.fsum(one.weight for one in drawn)
    sample, by_draw = defaultdict(list), defaultdict[Stretch, float](float)
    draws = [(one.thread, -place if one.draw is None else one.draw) for place, one in enumerate(drawn, 1)]
    named = [cause(one, pauses, blocking=blocking, idle=idle) for one in drawn]
    unknown = [(draw, one.at_ns) for draw, one, name in zip(draws, drawn, named, strict=True) if name == UNKNOWN]
    began = () if paced else at_a_timer(unknown)
    for draw, one, name in zip(draws, drawn, named, strict=True):
        sample[TIMER if name == UNKNOWN and one.at_ns in began else name].append((one.ns, one.weight * each))
        by_draw[draw] += one.weight * each
    return Outliers(count, sample, math.fsum(of_all**2 for of_all in by_draw.values()))


def share_of_outliers(share: float, count: float, squares: float) -> Estimate:
    """Return a share of outliers with its interval, by Wilson's score (JASA 22, 1927).

    The outliers of one draw count as one independent outlier, since what comes together has one cause: so there are
    as many as Kish's effective sample size, `count` squared divided by the sum of the squares of the draws.
    """
    inverse = Z**2 * squares / count**2
    middle, half = share + inverse / 2, (inverse * share * (1 - share) + inverse**2 / 4) ** 0.5
    low, high = (max(0.0, min(1.0, (middle + end) / (1 + inverse))) for end in (-half, half))
    return Estimate(share, low, high, "ci95")


Z = 1.96  # of a 95% interval

PERIODS_NS = (1e6, 1e7 / 3)
"""The periods of all kernels' timers are multiples of these: 1,000, 300, 250 and 100 Hz."""

ARC, BY_CHANCE, TIMERS = 0.05, 1e-3, 4
"""A part of a period, the chance at which more may begin in it than in others, and how many timers are distinguished:
one of the kernel, and one of the host for each of two CPUs, and one more."""


def at_a_timer(moments: Sequence[tuple[Stretch, int]]) -> set[int]:
    """Return the moments that come with the period of a timer, ten times as many as would come by chance.

    A host's timer interrupts a virtual CPU without a trace in the guest, at the same moment of each millisecond. The
    chance is Chernoff's bound of the binomial tail, for all arcs that begin at a moment and all periods. Of each draw
    the first moment counts alone: what comes together, as in a burst, has no period.
    """
    found: set[int] = set()
    for _ in range(TIMERS):
        left = [(draw, at) for draw, at in moments if at not in found]
        first = [*dict(sorted(left, key=itemgetter(1), reverse=True)).values()]
        number, begin, period = max((*_densest(first, period), period) for period in PERIODS_NS)
        share = number / max(1, len(first))
        if share <= ARC or (1 - share) * ARC > 0.1 * share:
            break
        divergence = sum(p * math.log(p / q) for p, q in ((share, ARC), (1 - share, 1 - ARC)) if p)
        if len(first) * len(PERIODS_NS) * math.exp(-len(first) * divergence) > BY_CHANCE:
            break
        found |= {at for _, at in left if (at % period - begin) % period <= ARC * period}
    return found


def _densest(moments: Sequence[int], period: float) -> tuple[int, float]:
    """Return how many begin in the arc of a period in which most do, and where in the period it begins."""
    phases = sorted(moment % period for moment in moments)
    around = [*phases, *(phase + period for phase in phases)]
    found = ((bisect_right(around, phase + ARC * period) - place, phase) for place, phase in enumerate(phases))
    return max(found, default=(0, 0.0))


def cause(one: Outlier, pauses: Sequence[Pause], *, blocking: bool, idle: Idle = "") -> str:
    """The first of CAUSES that is true of an outlier."""
    end = one.at_ns + one.ns
    paused = sum(max(0, min(end, pause.at_ns + pause.ns) - max(one.at_ns, pause.at_ns)) for pause in pauses)
    if paused >= ENOUGH * one.ns:
        return SAFEPOINT
    if one.seen is None:
        return UNSEEN
    seen, enough = one.seen, ENOUGH * one.ns
    return next((name for name, holds in TRIED.items() if holds(seen, enough, blocking, idle)), UNKNOWN)


def _slept(seen: Seen, enough: float, _: bool, idle: Idle) -> bool:
    """Return whether a CPU had to be woken for at least half of it, or for as much as that takes at most.

    However long the thread's own CPU was awake between the looks, all the rest of the outlier it slept.
    """
    if idle == "own":
        return seen.awake_ns is not None and seen.awake_ns <= enough
    return idle == "another" and bool(seen.others_woken) and enough <= WAKE_NS


TRIED: dict[str, Callable[[Seen, float, bool, Idle], bool]] = {
    QUOTA: lambda seen, enough, *_: (seen.throttled_ns or 0) >= enough,
    MIGRATED: lambda seen, *_: seen.cpu != seen.cpu_before and seen.involuntary_switches > 0,
    PREEMPTED: lambda seen, enough, blocking, _: (
        seen.involuntary_switches > 0 or (not blocking and (seen.others_run_delay_ns or 0) >= enough)
    ),
    DELAYED: lambda seen, enough, *_: max(seen.run_delay_ns or 0, seen.others_run_delay_ns or 0) >= enough,
    STOLEN: lambda seen, enough, *_: (  # it neither ran nor waited for a CPU, nor ever slept: its CPU did not run
        not seen.voluntary_switches and seen.ns - seen.cpu_ns - (seen.run_delay_ns or 0) >= enough
    ),
    FAULT: lambda seen, enough, *_: seen.major_faults > 0 or seen.minor_faults * FAULT_NS >= enough,
    IDLE: _slept,
    INTERRUPTED: lambda seen, enough, *_: (seen.interrupts or 0) * INTERRUPT_NS >= enough,
}


def read_outliers(
    of: Percentiles, case: Case, result: Result, policy: OutliersRequest | None
) -> tuple[Mapping[str, Sequence[Caused]], dict[str, float]]:
    timed = of.read(result)
    if policy is None or not timed.counts:
        return {}, {}
    name = of.of or next(iter(result.distributions))
    paced = of.paced or bool(of.idle) or int(case.params.get("pause", 0)) > 0
    found = sampled_outliers(name, result, policy, blocking=case.blocking, idle=of.idle, paced=paced)
    inspected = sum(len(sample) for cause, sample in found.sample.items() if cause != UNSEEN)
    figures = {"threshold_ns": threshold(timed, policy), "count": float(found.number)}
    figures |= {"inspected": float(inspected), "squares": found.squares}
    for cause, sample in found.sample.items():
        figures |= {f"causes.{cause}": math.fsum(number for _, number in sample)}
        if any(ns for ns, _ in sample):  # where nothing was drawn the time is not known
            figures |= {f"time_ns.{cause}": math.fsum(ns * number for ns, number in sample)}
            figures |= {f"worst_ns.{cause}": max(ns for ns, _ in sample)}
    return found.sample, {f"{of.outliers}.{figure}": value for figure, value in figures.items()}


def outlier_figures(*groups: str) -> Iterator[Figure]:
    for name in groups:
        yield Figure(f"{name}.threshold_ns", "ns", says="outliers.threshold_ns")
        for part in ("count", "inspected", "squares"):
            yield Figure(f"{name}.{part}", "count", over="total")
        for cause in CAUSES:
            yield Figure(f"{name}.causes.{cause}", "count", over="total")
            yield Figure(f"{name}.time_ns.{cause}", "ns", over="total")
            yield Figure(f"{name}.worst_ns.{cause}", "ns", over="most")


TESTED, EXACT, SLACK = 0.01, 7, 1e-9
"""The level at which one of all reasons may be claimed for nothing, shared among those that vary from trial to trial;
and of how many trials all permutations are tried: 5,040. With fewer than five nothing can be claimed."""

COMPILING_SHARE = 0.02
"""A share of the measuring time: below it the JIT worked on something rare, such as an exit that was seldom taken."""

STEAL = 0.01  # a share of the time of the CPUs in use
PREEMPTIONS = 200  # A second, of threads that have a CPU each: with 100 or so the medians of windows are still clean
SAME_CPU = "mixture.same_cpu"
"""The figure that knows which share of the time threads were on one CPU, where it was looked at."""

OUR_WAKES_A_WINDOW = 6
"""The coordinator wakes to see all at rest, all at work, and at the end, in naps; where every CPU is taken it takes one
from a worker each time, between the windows. 3 to 6 were seen."""


def crowded(row: Row) -> bool:
    """Return whether there are more threads than CPUs for them."""
    return row.case.threads > row.number("counters.cpus")


def competing(row: Row) -> bool:
    """Return whether the scheduler takes CPUs from the threads, as asked: they share them, or busy threads do."""
    return crowded(row) or row.case.busy.threads > 0


TrialReader = Callable[[Observation], float | None]  # Reads a number from a trial; None where it does not know it
Amount = tuple[str, ...]  # a counter, or one and another that it is a share of


def amount_in(trial: Observation, amount: Amount) -> float | None:
    """Return how much of something there was in a trial; None where that is not known."""
    found, *whole = (trial.figures.get(f"counters.{name}") for name in amount)
    if not whole or found is None:
        return found
    return found / whole[0] if whole[0] else None


class Cause(Struct, frozen=True):
    """An event during a trial that may change its figure."""

    # how much of it there was in a trial: counters, or a reader; None: the reference pings around it
    amount: Amount | TrialReader | None
    how: str  # in which trials there was more of it
    # what happened in all trials, in a few words; empty where too little did to be named
    meanwhile: Callable[[Row], str]


def reasons(row: Row, read: TrialReader, effect: str) -> str:
    """Say why trials differ, as far as a test shows it, and what else happened meanwhile.

    A reason is claimed where the ranks of its amounts and of what is `read` go together over trials: `effect` is
    what trials with more of a cause did then. What merely happened is reported as that.
    """
    happened = [(one, said) for one in DISTURBANCES if (said := one.meanwhile(row))]
    pairs = [_known(row, one.amount, read) for one, _ in happened]
    level = TESTED / max(1, sum(len(set(amounts)) > 1 for amounts, _ in pairs))
    shown = [one.how for (one, _), pair in zip(happened, pairs, strict=True) if chance_of(*pair) <= level]
    rest = [said for one, said in happened if one.how not in shown]
    why = f" Trials {effect} {' and '.join(shown)} (ranks, p < 0.01)." if shown else ""
    return f"{why} Meanwhile {'; '.join(rest)}: whether that is why is not known." if rest else why


def _known(row: Row, amount: Amount | TrialReader | None, read: TrialReader) -> tuple[list[float], list[float]]:
    amounts: Iterable[float | None] = row.pinged
    if amount:
        amounts = (amount(one) if callable(amount) else amount_in(one, amount) for one in row.trials)
    both = [
        (of_it, value)
        for one, of_it in zip(row.trials, amounts, strict=True)
        if of_it is not None and (value := read(one)) is not None
    ]
    return [of_it for of_it, _ in both], [value for _, value in both]


def chance_of(amounts: Sequence[float], values: Sequence[float]) -> float:
    """Return how often chance alone makes the ranks of both go together as much, one-sided; 1 where one does not vary.

    Of up to seven trials over all permutations; of more by the normal approximation of Spearman's coefficient.
    """
    ours, theirs = ranks(amounts), ranks(values)
    if len(set(ours)) < 2 or len(set(theirs)) < 2:
        return 1.0
    if len(ours) <= EXACT:
        seen = sum(map(mul, ours, theirs)) - SLACK
        return fmean([sum(map(mul, ours, order)) >= seen for order in permutations(theirs)])
    together = correlation(ours, theirs)
    return math.erfc(together * ((len(ours) - 1) / 2) ** 0.5) / 2


def ranks(values: Sequence[float]) -> list[float]:
    """The place of each among all from the least on; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in values]


COMPILED = ("compile_ns", "measured_ns")


def _in_trials(row: Row, amount: Amount, above: float = 0.0) -> int:
    return sum((amount_in(one, amount) or 0.0) > above for one in row.trials)


def _compiling(row: Row) -> str:
    trials = _in_trials(row, COMPILED, COMPILING_SHARE)
    return f"the JIT was compiling in {trials} of {len(row.trials)} trials" if trials else ""


def _unready(row: Row) -> str:
    trials = _in_trials(row, ("warmup_cut",))
    of_all = f"the warm-up ended at its time limit in {trials} of {len(row.trials)} trials"
    return of_all if trials and row.case.warmup == DEFAULT_WARMUP else ""


def _stolen(row: Row) -> str:
    of_cpus = row.number("counters.measured_ns") * max(1.0, row.number("counters.cpus"))
    steal = row.number("counters.steal_ns") / of_cpus if of_cpus else 0.0  # an imported run may hold anything
    return f"the hypervisor took {quantities.percent(steal)} of the CPU time" if steal > STEAL else ""


def _preempted(row: Row) -> str:
    """Threads that sleep, or share CPUs, lose them by themselves."""
    seconds = row.number("counters.measured_ns") / 1e9
    if row.case.blocking or competing(row) or is_left_free(row) or not seconds:
        return ""
    by_others = row.number("counters.preempted") - row.declared.ours * row.number("counters.windows")
    often = by_others / seconds
    return f"others took the CPU from the threads {often:,.0f} times a second" if often > PREEMPTIONS else ""


def _times(row: Row, counter: str, what: str) -> str:
    times = int(row.number(f"counters.{counter}"))
    return f"{what} {quantities.counted(times, 'time')}" if times else ""


def is_left_free(row: Row) -> bool:
    """Return whether the scheduler chooses the CPUs of its threads, among several."""
    return None in row.case.placement.cpus or row.case.placement.pin == "process"


def _shared(one: Observation) -> float | None:
    """Return how much of a trial its threads shared a CPU: by where they stood, or by who made their switches.

    Threads on one CPU take it from each other, so that the scheduler makes most of their switches. Negative of threads
    that sleep: one CPU is faster for them, since no other has to wake.
    """
    forced, slept = (one.figures.get(f"counters.{name}") for name in ("preempted", "slept"))
    by_switches = forced / (forced + slept) if forced is not None and slept is not None and forced + slept else None
    share = one.figures.get(SAME_CPU, by_switches)
    return share if share is None or not one.case.blocking else -share


def _placed(row: Row) -> str:
    forced, moves = row.number("counters.preempted"), int(row.number("counters.migrations"))
    switches = forced + row.number("counters.slept")
    together = row.value(SAME_CPU)
    if not is_left_free(row) or not (switches or moves or together):
        return ""
    moved = f"the scheduler moved the threads {quantities.counted(moves, 'time')}"
    if together is not None:
        return f"{moved}, and had them on one CPU for {quantities.percent(together)} of the time"
    return f"{moved}, and made {quantities.percent(forced / switches)} of their switches" if switches else moved


def _drifting(row: Row) -> str:
    low, high = row.state.range if row.state else (0.0, 0.0)
    return f"the reference pings of this state are {quantities.span((low, high))}" if high > GAP * low else ""


DISTURBANCES = (
    Cause(COMPILED, "the longer the JIT compiled", _compiling),
    Cause(("warmup_cut",), "where the warm-up ended at its time limit", _unready),
    Cause(
        ("collections",),
        "the more often the collector ran",
        lambda row: _times(row, "collections", "the collector ran"),
    ),
    Cause(("steal_ns", "measured_ns"), "the more CPU time the hypervisor took", _stolen),
    Cause(("preempted", "measured_ns"), "the more often others took the CPU", _preempted),
    Cause(
        ("major_faults",),
        "the more often threads waited for the disk",
        lambda row: _times(row, "major_faults", "threads waited for the disk"),
    ),
    Cause(_shared, "where the scheduler chose other CPUs", _placed),
    Cause(None, "where the reference pings were longer", _drifting),
)
"""Disturbances in the order in which they are named."""
