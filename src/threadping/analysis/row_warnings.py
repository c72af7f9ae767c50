"""Checks of rows: that the headline is one figure, that samples carry percentiles, that the loop was a closed one.

A warning says what a disturbance did to this figure, decided by a test; its causes are reasons, named next to it.
Thresholds are next to their checks; how often each check alarms for nothing is simulated in the tests.
"""

import math
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, pairwise
from statistics import fmean, median, stdev
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis import percentiles
from threadping.analysis.answer import share_of_others
from threadping.analysis.causes import FROM_OUTSIDE, competing, reasons
from threadping.analysis.checks import Fact, Finding, Level, finding
from threadping.analysis.declaration import LATE_HEADLINE, OF_DISTRIBUTIONS, Percentiles, Row, RowCheck
from threadping.analysis.percentiles import CARRYING_SAMPLES, QUANTILES, SLACK
from threadping.model import quantities
from threadping.model.cases import DEFAULT_WARMUP, Case
from threadping.model.contract import Distribution
from threadping.model.run import Caused, Observation

DRIFT = "drift"  # the ratio of the last third of a trial to its first, as a logarithm
STEADY, GRAVE = 0.02, 0.1
"""The distance that the last third of a trial may have from the first: as far as the warm-up allows between two
stretches; and from where on both headlines are shown, the whole's and the last third's."""

SURE = 0.99
"""The confidence of the interval of the drift. A run has some forty rows: at 95% one or two of them would be marked for
nothing where trials are noisy (1.5 to 3% of rows with six trials, simulated), at 99% at most 1% of rows are, whatever
the noise."""

STUDENT: Mapping[int, float] = {3: 9.925, 4: 5.841, 5: 4.604, 6: 4.032, 7: 3.707}
"""Student's t at 99.5%, by the number of trials: fewer than eight have no interval of 99% by order statistics. A drift
is the logarithm of a ratio of means over many windows, so that it is about normal; heavier tails make the interval too
wide and never too narrow (simulated: normal, t with three degrees of freedom, one trial in seven eight times as
noisy)."""

WIDE, REMARKABLE = 0.25, 0.1
"""Half the interval, or half the range, as a share of the figure: beyond the first it warns, beyond the second it is
noted. On a quiet machine (an EPYC's two virtual CPUs, three runs of 40 rows) 9 rows of each run were over 10%, and 2
over 25%: a mark at one row in five says nothing. The warning does not say how many trials would narrow it: the number
by the square root was enough in 62 to 96% of rows of one group, and in 2 to 4% of rows of two (simulated)."""

MEDIAN_GAPS, APART, FEWEST_EACH = 4, math.log(1.05), 2
SPREADS: Mapping[int, float] = {4: 13, 5: 7, 6: 4.5, 7: 3.6, 8: 3.0, 9: 2.7, 10: 2.4, 11: 2.2}
SPREADS_OF_MANY = 2.0
"""Two groups of trials, two at least in each: the gap between them is the largest of all, more than 5%, 4 median gaps
and a factor times the spread of either group, by the number of trials, constant from twelve on. Of 60,000 samples of
one group (normal, Laplace, t with three degrees of freedom, exponential to either side, uniform) at most 1% show two.
By twice the spread alone, whatever their number, 3 to 10% of four to six trials did."""

EVENTS = {"switches": "a thread lost its CPU", "compile_ms": "the JIT compiled"}
"""Columns of windows that count events, and what each event is."""

FALSELY = 0.01
"""Maximum share of rows that a rule marks for nothing, by simulation (docs/internals/statistics.md)."""

LEVEL = 0.01 / len(EVENTS)
MATTERS = 0.01  # The headline moves by more than this share when the windows with an event are left out
REGIME = 1.5  # Maximum ratio of the paces of the two kinds of window: beyond it, what is timed is not what is counted
REGIME_IN_A_BARRIER = 10.0
"""Maximum ratio of the paces where threads share CPUs: the scheduler chooses which threads run in which window."""


def by_chance(row: Row) -> float:
    """Bound the number of false alarms of a row: only trials that differ by more than is allowed can cause one."""
    if row.declared.mixes(row.case):
        return 0.0
    codes = {code for check in row.declared.checks for code in check.codes}
    drifts, times = row.over_trials(DRIFT), sorted(value for value in row.times if value > 0)
    may_drift = len(drifts) >= percentiles.FEWEST_FOR_A_RANGE and max(drifts) - min(drifts) > STEADY
    may_split = len(times) >= 2 * FEWEST_EACH and math.log(times[-1] / times[0]) > APART
    may_disturb = any(sum(row.over_trials(f"disturbed.{event}.variance")) for event in EVENTS)
    noisy = {"not-steady": may_drift, "bimodal": may_split, "disturbed": may_disturb}
    return FALSELY * sum(may for code, may in noisy.items() if code in codes)


def changes(drifts: Sequence[float]) -> tuple[float, float] | None:
    """The 99% interval of the drift over trials: of fewer than eight by Student's t; None of fewer than three."""
    if len(drifts) >= percentiles.fewest_for(SURE):
        return percentiles.interval(drifts, SURE)
    if len(drifts) not in STUDENT:
        return None
    reach = STUDENT[len(drifts)] * stdev(drifts) / math.sqrt(len(drifts))
    return fmean(drifts) - reach, fmean(drifts) + reach


def of_headline(row: Row) -> Iterator[Finding]:
    """Find whether the headlines of trials scatter: widely, or in two groups.

    There are no groups of a mixture: both of its kinds have their share of the time next to the headline.
    """
    found = row.headline
    if found is None:
        return
    if len(row.trials) >= percentiles.FEWEST_FOR_A_RANGE and found.half is not None and found.half > REMARKABLE:
        how = quantities.span(found.ends) if row.leading.unit == "ns" else quantities.counts(*found.ends)
        said = f"{how} is {'its 95% interval' if found.kind == 'ci95' else 'the range of its trials'}"
        level: Level = "warning" if found.half > WIDE else "note"
        why = reasons(row, row.time_of, "were slower")
        yield finding("wide", level, how=how, said=said, half=found.half, why=why)
    parts = None if row.declared.mixes(row.case) else groups([value for value in row.times if value])
    # Threads that wait for each other's line can keep step with it, so that a trial reads one step of the clock nearly
    # always, and another trial the next: those are no groups
    step, group = row.number("counters.clock_step_ns", 1.0), row.leading.name.rpartition(".")[0]
    is_stepped = step > 1 and group in {one.name for one in row.declared.timed}
    if parts and not (is_stepped and parts[1][0] - parts[0][-1] <= step):
        (near, far), numbers = map(median, parts), {"nearer": len(parts[0]), "farther": len(parts[1])}
        why = reasons(row, row.time_of, "were slower")
        yield finding("bimodal", near=near, far=far, fold=far / near, **numbers, why=why)


def of_pace(row: Row) -> Iterator[Finding]:
    """Find whether the pace changed: during trials, where operations were timed, by events, or by the scheduler."""
    if row.declared.mixes(row.case):
        yield from _mixture(row)
    elif row.trials:
        yield from _drift(row)
    pace = row.value("sampling_pace")
    most = REGIME_IN_A_BARRIER if competing(row) else REGIME
    is_timed = any(row.value(f"{one.name}.samples") for one in row.declared.timed)
    if row.trials and pace and is_timed and not 1 / most <= pace <= most:
        yield finding("regime", fold=max(pace, 1 / pace), way="slower" if pace > 1 else "faster")
    if not row.declared.mixes(row.case) and row.headline and row.headline.value:
        yield from _disturbed(row, row.headline)


def _drift(row: Row) -> Iterator[Finding]:
    """The interval of the drift lies beyond STEADY.

    Not of a mixture: where the scheduler moved the threads in between, its thirds are of different kinds.
    """
    drifts = row.over_trials(DRIFT)
    reach = changes(drifts)
    if reach is None or (reach[0] <= STEADY and reach[1] >= -STEADY):
        return
    sign = 1 if reach[0] > 0 else -1

    def drifted(one: Observation) -> float | None:
        return sign * one.figures[DRIFT] if DRIFT in one.figures else None

    way, why = "slower" if sign > 0 else "faster", reasons(row, drifted, "changed more")
    facts: dict[str, Fact] = {"by": math.expm1(abs(median(drifts))), "way": way, "third": "", "why": why}
    is_grave = len(drifts) >= percentiles.FEWEST_FOR_AN_INTERVAL and (reach[0] > GRAVE or reach[1] < -GRAVE)
    late, whole = row.over_trials(LATE_HEADLINE), row.headline
    if is_grave and late and whole is not None:
        last, all_of_it = (_written(row, value) for value in (median(late), whole.value))
        facts["third"] = f", {last} in the last third of the trials, {all_of_it} in all of them"
        facts |= {"whole": whole.value, "late": median(late)}
    yield finding("not-steady", "error" if is_grave else None, **facts)


def _mixture(row: Row) -> Iterator[Finding]:
    share, headline = row.value("mixture.same_cpu"), row.headline
    if share is None or headline is None:
        return
    unit = row.leading.unit
    each = "" if unit == "ns" else "/s"
    kinds = (("together", "on one CPU", share), ("apart", "on several", 1 - share))
    parts = [
        f"{_written(row, value)}{each} {where} ({quantities.percent(of)} of the time)"
        for name, where, of in kinds
        if (value := row.value(f"mixture.{name}_{unit}")) is not None
    ]
    said = [*parts, f"on average {_written(row, headline.value)}{each}"] if len(parts) > 1 else parts
    if said:
        yield finding("mixture", kinds=", ".join(said), share=share)


def _disturbed(row: Row, headline: percentiles.Estimate) -> Iterator[Finding]:
    """Test whether what happened in some windows moved the headline: those windows against the others of each trial.

    Within each trial the windows are ranked by pace; the rank sums of the windows with an event are added up over
    trials (van Elteren, On the combination of independent two-sample tests of Wilcoxon, 1960). What is expected of each
    is by how long windows lasted, as `observe` reads it: a slow window with a fixed number of operations lasts longer,
    and sees more events that did nothing to it.

    Not of a mixture: the windows in which the scheduler moved a thread are not like the others.
    """
    for event, what in EVENTS.items():
        without = row.over_trials(f"disturbed.{event}.without")
        excess, variance = (sum(row.over_trials(f"disturbed.{event}.{part}")) for part in ("excess", "variance"))
        if not without or not variance or math.erfc(abs(excess) / math.sqrt(2 * variance)) >= LEVEL:
            continue
        moved = median(without) / headline.value - 1
        if abs(moved) > max(MATTERS, headline.half or 0.0):
            windows = sum(row.over_trials(f"disturbed.{event}.windows"))
            yield finding("disturbed", what=what, windows=windows, by=abs(moved), without=median(without))
            return


def _written(row: Row, value: float) -> str:
    return quantities.time(value) if row.leading.unit == "ns" else quantities.count(value)


def groups(values: Sequence[float]) -> tuple[list[float], list[float]] | None:
    ordered = sorted(values)
    if len(ordered) < 2 * FEWEST_EACH or ordered[0] <= 0:
        return None
    gaps = [math.log(above / below) for below, above in pairwise(ordered)]
    inside = range(FEWEST_EACH - 1, len(gaps) - FEWEST_EACH + 1)
    at = max(inside, key=lambda place: gaps[place])
    spread = max(sum(gaps[:at]), sum(gaps[at + 1 :]))
    times = SPREADS.get(len(ordered), SPREADS_OF_MANY)
    if gaps[at] <= max(APART, MEDIAN_GAPS * median(gaps), times * spread):
        return None
    return ordered[: at + 1], ordered[at + 1 :]


HIGHEST, NEEDED = "p99.9", round(CARRYING_SAMPLES / (1 - QUANTILES["p99.9"]))
COARSE = 0.02  # A step of the clock as a share of the figure that it shows in
SLOW_NS, IN_FIGURES = 100.0, 0.1
"""A reading of the clock takes 20 to 60 ns, and 100 to 2,000 where it is a system call, whatever the clock's name. And
what share of a median it may be."""

OF_TIMED = ("tail", "negative", "few-samples", "censored", "coarse-clock", "slow-clock", "clock-skew", "one-burst")
SKEWED = 0.1  # Maximum skew of the clocks of two CPUs, as a share of the median of what crosses from one to the other


def of_timed(row: Row) -> list[Finding]:
    """Find what is wrong with the distributions of a row: of each code what is found of the first."""
    found: dict[str, Finding] = {}
    for one in row.declared.timed:
        for each in _of_distribution(row, one):
            found.setdefault(each.code, each)
    return sorted(found.values(), key=lambda each: OF_TIMED.index(each.code))


def _of_distribution(row: Row, one: Percentiles) -> Iterator[Finding]:
    group = f"{one.name}."
    samples, below = row.number(f"{group}samples"), row.number(f"{group}negative")
    if below > (below + samples) / 100:  # fewer move no percentile that is looked at
        yield finding("negative", negative=below, noun=one.noun, all=below + samples)
    if cut := row.number(f"{group}censored"):
        yield from _censored(row, one, cut)
    if not samples:
        return
    middle, step = row.value(f"{group}p50"), row.number("counters.clock_step_ns", 1.0)
    shown = row.number(f"{group}max") if middle is None else middle
    if step > max(1.0, COARSE * shown):  # 1 ns, the unit of every time, is fine enough
        yield finding("coarse-clock", step=step)
    cost = row.number("clock_cost_ns")
    if middle and cost >= SLOW_NS and cost > IN_FIGURES * middle:
        in_it = {"cost": cost, "part": min(cost, middle), "shown": middle}
        yield finding("slow-clock", **in_it, noun=one.noun, runtime=row.case.runtime)
    skew, bound = row.number("counters.skew_ns"), row.number("counters.skew_bound_ns")
    if one.across and middle is not None and skew > SKEWED * middle:
        yield finding("clock-skew", skew=skew, bound=bound, noun=one.noun, middle=middle)
    if one.column:
        found = row.timed(one.name)
        worth, unknown = percentiles.worth(found), [name for name in QUANTILES if f"{group}{name}" not in row.figures]
        hidden = [name for name in unknown if worth * (1 - QUANTILES[name]) >= CARRYING_SAMPLES - SLACK]
        if hidden:  # too few trials reach so far
            yield finding("one-burst", which=", ".join(hidden), noun=one.noun, trials=len(found))
        if HIGHEST in unknown and HIGHEST not in hidden:
            yield finding("few-samples", samples=int(worth + SLACK), noun=one.noun, needed=NEEDED)
    if not competing(row):  # threads that share CPUs wait for the scheduler: it is what was asked for
        yield from _tail(row, one)


def _censored(row: Row, one: Percentiles, cut: float) -> Iterator[Finding]:
    """Check whether durations that overlapped a window's edge could move the highest percentile that is shown.

    And whether they are more than edges cut of durations as long as those seen, for which percentiles make up.
    """
    carried = [q for name, q in percentiles.QUANTILES.items() if f"{one.name}.{name}" in row.figures]
    past = row.number(f"{one.name}.samples") * (1 - max(carried, default=0.0))
    if cut > past:
        found, _, windows = one.of_trials(row.trials)
        usual = percentiles.cut_at_edges(found, windows)
        if cut > usual + percentiles.BY_CHANCE * math.sqrt(usual):
            window = row.number("counters.sampling_window_ns")
            yield finding("censored", censored=cut, beyond=past, window=window)


MOVES = 0.1
PERCENTILE = "p99"


def without(distribution: Distribution, outliers: Sequence[Caused]) -> Distribution:
    if not outliers:
        return distribution
    values, left = distribution.values, list[float](distribution.counts)
    places: Sequence[Any] = range(len(values) - 1)
    for length, number in outliers:
        nearest = bisect(places, length, key=lambda at: (values[at] + values[at + 1]) / 2)
        left[nearest] -= number
    whole = [*map(round, left)]
    kept = [number > 0 for number in whole]
    return replace(distribution, values=tuple(compress(values, kept)), counts=tuple(compress(whole, kept)))


def _tail(row: Row, one: Percentiles) -> Iterator[Finding]:
    """Find the first cause from outside without whose outliers the percentile would be lower."""
    shown = row.value(f"{one.name}.{PERCENTILE}")
    trials = [trial for trial in row.trials if one.name in trial.distributions]
    _, step, windows = one.of_trials(trials)
    caused: list[Mapping[str, tuple[Caused, ...]]] = [trial.caused.get(one.name, {}) for trial in trials]
    for cause in FROM_OUTSIDE if shown else ():
        if not any(cause in of_trial for of_trial in caused):
            continue
        left = [
            without(trial.distributions[one.name], of_trial.get(cause, ()))
            for trial, of_trial in zip(trials, caused, strict=True)
        ]
        rest = percentiles.percentiles(left, step, windows, wanted={PERCENTILE: QUANTILES[PERCENTILE]}).get(PERCENTILE)
        if rest is not None and shown and shown > (1 + MOVES) * rest:
            yield finding("tail", cause=cause, which=PERCENTILE, shown=shown, without=rest, noun=one.noun)
            return


IDENTITY = 1.1
"""Maximum ratio of a mean to what its loop allows: 10% for clocks and windows. Where trials keep the identity and
differ by 10% (as those of blocked threads) none of 1,000 rows of six is beyond it; by 30%, one in four, and each of
them shows a mean and a rate that do not fit together, which is what the note says (simulated in the tests)."""

READINGS = 2  # number of clock reads around an operation that is timed by itself


class ClosedLoop(Struct, frozen=True):
    """A distribution of what a closed loop does."""

    timed: Percentiles  # the distribution
    # how many operations are under way at once; 0 where that is not known, or nobody else is there
    under_way: Callable[[Case], int]
    # figures that are of what was timed too, and are not among the distribution's percentiles
    besides: tuple[str, ...] = ()
    parts: tuple[Percentiles, ...] = ()  # distributions of some of what was timed

    @property
    def checks(self) -> tuple[RowCheck, RowCheck]:
        """The checks in this order: what is not shown is not held against anything."""
        figures = (f"{one.name}.{part}" for one in (self.timed, *self.parts) for part in OF_DISTRIBUTIONS)
        hides = (*figures, *self.besides, self.timed.outliers)
        return (
            RowCheck(self._cheap, ("cheaper-than-clock",), hides),
            RowCheck(self._missed, ("closed-loop",)),
        )

    def _cheap(self, row: Row) -> Iterator[Finding]:
        """More than half of what would be shown is the clock. A slow one has a warning of its own, with a remedy."""
        cost, rate = row.number("clock_cost_ns"), row.value("ops_per_s")
        if rate and row.value(f"{self.timed.name}.samples"):
            takes = max(1, self.under_way(row.case)) * 1e9 / rate
            if takes < cost < SLOW_NS:
                yield finding("cheaper-than-clock", takes=takes, cost=cost, op=row.declared.op)

    def _missed(self, row: Row) -> Iterator[Finding]:
        mean, rate, cost = f"{self.timed.name}.mean", row.value("ops_per_s"), row.number("clock_cost_ns")
        number, wait = self.under_way(row.case), row.value(mean)
        if not number or not rate or wait is None:
            return
        known = (mean, "ops_per_s", "clock_cost_ns")
        each = [
            beyond(one.figures[mean], number, one.figures["ops_per_s"], one.figures["clock_cost_ns"])
            for one in row.trials
            if all(name in one.figures for name in known) and one.figures["ops_per_s"]
        ]
        shown, half = beyond(wait, number, rate, cost), row.number(f"{self.timed.name}.p50")
        facts: dict[str, Fact] = {"noun": self.timed.noun, "which": "mean", "wait": wait, "allowed": wait / shown}
        if each and (factor := median(each)) > IDENTITY:
            yield finding("closed-loop", **facts, factor=factor, why=_why(row, number * 1e9 / rate, factor))
        elif shown > IDENTITY:
            yield finding("closed-loop", **facts, factor=shown, why="trials differ: each by itself keeps to it")
        elif (factor := beyond(half, number, rate, cost)) > IDENTITY:
            why = "they are of two kinds, and the short ones keep the mean within it"
            yield finding("closed-loop", **{**facts, "which": "median", "wait": half}, factor=factor, why=why)


def beyond(mean_ns: float, under_way: int, ops_per_s: float, clock_ns: float) -> float:
    """Return how many times as long as the loop allows a mean is: a reading of the clock comes on top."""
    return mean_ns / (under_way * 1e9 / ops_per_s + clock_ns)


def _why(row: Row, cycle_ns: float, factor: float) -> str:
    readings, pace = READINGS * row.number("clock_cost_ns"), row.number("sampling_pace", 1.0)
    if factor <= IDENTITY * pace:
        return f"operations were {pace:.3g} times as slow while some of them were timed"
    if readings > (IDENTITY - 1) * cycle_ns:
        return (
            "the clock readings around an operation are more than 10% of that, and a thread that reads a clock "
            "lets the others go first: it is the wait of a thread that pauses so long"
        )
    return "why is not known"


MOVED = "counters.moved"  # Threads that were on another CPU at their end than where they were pinned
LOADED = 0.1
"""The share of its CPUs' time that others used: CPU time is known in ticks, which are off by up to 5% in one trial."""

REMEDIES = {
    "stalled": "A thread that gets no CPU cannot go on: if other programs had these CPUs, stop them.",
    "pin-failed": "A mask or a cpuset has changed, or a CPU has gone offline, since threadping read the topology: undo "
    "that, or name CPUs that may be used with --cpus.",
}
"""Remedies of failures, where the probe's sentence cannot know them."""


def why_failed(trial: Observation) -> str:
    """Say why a trial failed, what other programs used meanwhile, and what to do; nothing of one that did not fail."""
    if trial.failure is None:
        return ""
    others = trial.others or 0.0
    load = f"Other programs used {quantities.percent(others)} of its CPUs' time meanwhile." if others > LOADED else ""
    return " ".join(filter(None, (trial.failure.message, load, REMEDIES.get(trial.failure.code))))


def of_trials(row: Row) -> Iterator[Finding]:
    """Find what went wrong with the trials of a case, what ran next to them, and whether they are too few."""
    ended, number = len(row.ended), len(row.trials)
    level: Level = "warning" if number else "error"
    if failed := [(one, one.failure) for one in row.ended if one.failure is not None]:
        one, first = failed[0]
        facts = {"failed": len(failed), "trials": ended}
        yield finding("trial-failed", level, **facts, first=first.code, said=why_failed(one))
    if empty := sum(one.failure is None and not one.figures for one in row.ended):
        yield finding("nothing-measured", level, empty=empty, trials=ended)
    if not ended:
        yield finding("not-reached")
    if not number:
        if measured := ended - row.failed:
            yield finding("all-state-changed", trials=measured)
        return
    if (others := share_of_others(row.trials)) > LOADED:
        yield finding("other-load", share=others)
    if moved := row.number(MOVED):
        yield finding("pin-lost", threads=moved, in_trials=sum(value > 0 for value in row.over_trials(MOVED)))
    cut, warmup = row.number("counters.warmup_cut"), row.case.warmup
    if cut and warmup != DEFAULT_WARMUP:  # one asked for is part of the question; what the usual one leaves: not-steady
        done, asked = row.number("counters.warmup_ops"), warmup.rounds * warmup.ops
        yield finding("warmup-cut", cut=cut, trials=number, done=done, asked=asked, op=row.declared.op)
    # a JVM compiles, and does not say when it rests, so that its pace alone ended the warm-up
    is_unsaid = "counters.collections" in row.figures and "counters.rested_ns" not in row.figures
    if is_unsaid and warmup == DEFAULT_WARMUP:
        yield finding("pace-alone")
    if row.isolated:
        yield finding("not-balanced", which=quantities.named(row.isolated))
    if number < percentiles.FEWEST_FOR_A_RANGE:
        yield finding("few-trials", trials=number)


OF_TRIALS = (
    *("trial-failed", "nothing-measured", "not-reached", "other-load", "all-state-changed", "pin-lost", "warmup-cut"),
    *("pace-alone", "not-balanced", "few-trials"),
)
ON_SCHEDULE = (RowCheck(of_trials, OF_TRIALS), RowCheck(of_headline, ("wide", "bimodal")), RowCheck(of_timed, OF_TIMED))
"""Checks of each row of every experiment, in addition to its own, whatever sets the pace of its operations."""

UNPACED = (*ON_SCHEDULE, RowCheck(of_pace, ("not-steady", "regime", "disturbed", "mixture")))
"""Checks of operations that follow each other as fast as they can: where a schedule sets the pace, it is no figure."""
