"""Checks of rows: that the headline is one figure, that samples carry percentiles, that the loop was a closed one.

A warning says what a disturbance did to this figure, decided by a test; its causes are reasons, named next to it.
Thresholds are next to their checks; how often each check alarms for nothing is simulated in the tests.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median, stdev

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis import percentiles
from threadping.analysis.answer import share_of_others
from threadping.analysis.causes import FROM_OUTSIDE, competing, reasons
from threadping.analysis.checks import Fact, Facts, warns
from threadping.analysis.declaration import LATE_HEADLINE, OF_DISTRIBUTIONS, Percentiles, Row, RowCheck
from threadping.model import quantities
from threadping.model.cases import DEFAULT_WARMUP, Case
from threadping.model.contract import Distribution
from threadping.model.run import Caused, Observation


@warns("mixture", "note", mixes=True)
def mixture_of_kinds(row: Row) -> Facts | None:
    share, headline = row.value("mixture.same_cpu"), row.headline
    if share is None or headline is None:
        return None
    unit = row.leading.unit
    each = "" if unit == "ns" else "/s"
    kinds = (("together", "on one CPU", share), ("apart", "on several", 1 - share))
    parts = [
        f"{_written(row, value)}{each} {where} ({quantities.percent(of)} of the time)"
        for name, where, of in kinds
        if (value := row.value(f"mixture.{name}_{unit}")) is not None
    ]
    said = [*parts, f"on average {_written(row, headline.value)}{each}"] if len(parts) > 1 else parts
    return {"kinds": ", ".join(said), "share": share} if said else None


@warns("one-burst", "note")
def one_burst(row: Row) -> Facts | None:
    for one in (of for of in _timed(row) if of.column):
        found = row.timed(one.name)
        samples = percentiles.worth(found)
        hidden = [
            name
            for name, q in percentiles.QUANTILES.items()
            if samples * (1 - q) >= percentiles.CARRYING_SAMPLES - percentiles.SLACK
            and f"{one.name}.{name}" not in row.figures
        ]
        if hidden:
            return {"which": ", ".join(hidden), "noun": one.noun, "trials": len(found)}
    return None


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


def _may_drift(row: Row) -> float:
    """Bound false alarms: only where trials differ by as much as is allowed can chance make all of them drift."""
    drifts = row.over_trials(DRIFT)
    fakes = len(drifts) >= percentiles.FEWEST_FOR_A_RANGE and max(drifts) - min(drifts) > STEADY
    return FALSELY if fakes else 0.0


def _may_split(row: Row) -> float:
    values = sorted(value for value in row.times if value > 0)
    fakes = len(values) >= 2 * FEWEST_EACH and math.log(values[-1] / values[0]) > APART
    return FALSELY if fakes else 0.0


def _may_disturb(row: Row) -> float:
    seen = any(sum(row.over_trials(f"disturbed.{event}.variance")) for event in EVENTS)
    return FALSELY if seen else 0.0


def changes(drifts: Sequence[float]) -> tuple[float, float] | None:
    """The 99% interval of the drift over trials: of fewer than eight by Student's t; None of fewer than three."""
    if len(drifts) >= percentiles.fewest_for(SURE):
        return percentiles.interval(drifts, SURE)
    if len(drifts) not in STUDENT:
        return None
    reach = STUDENT[len(drifts)] * stdev(drifts) / math.sqrt(len(drifts))
    return fmean(drifts) - reach, fmean(drifts) + reach


@warns("not-steady", "warning", mixes=False, by_chance=_may_drift)
def not_steady(row: Row) -> Facts | None:
    """The interval of the drift lies beyond STEADY.

    Not of a mixture: where the scheduler moved the threads in between, its thirds are of different kinds.
    """
    drifts = row.over_trials(DRIFT)
    reach = changes(drifts)
    if reach is None or (reach[0] <= STEADY and reach[1] >= -STEADY):
        return None
    sign = 1 if reach[0] > 0 else -1

    def drifted(one: Observation) -> float | None:
        return sign * one.figures[DRIFT] if DRIFT in one.figures else None

    why = reasons(row, drifted, "changed more")
    facts: Facts = {
        "by": math.expm1(abs(median(drifts))),
        "way": "slower" if sign > 0 else "faster",
        "third": "",
        "why": why,
    }
    if len(drifts) < percentiles.FEWEST_FOR_AN_INTERVAL or (reach[0] <= GRAVE and reach[1] >= -GRAVE):
        return facts
    late, whole = row.over_trials(LATE_HEADLINE), row.headline
    if late and whole is not None:
        last, all_of_it = (_written(row, value) for value in (median(late), whole.value))
        third = f", {last} in the last third of the trials, {all_of_it} in all of them"
        facts = {**facts, "whole": whole.value, "late": median(late), "third": third}
    return {**facts, "level": "error"}


def _written(row: Row, value: float) -> str:
    return quantities.time(value) if row.leading.unit == "ns" else quantities.count(value)


@warns("wide", "warning", trials=percentiles.FEWEST_FOR_A_RANGE)
def wide(row: Row) -> Facts | None:
    found = row.headline
    if found is None or found.half is None or found.half <= REMARKABLE:
        return None
    low, high = found.ends
    how = quantities.span(found.ends) if row.leading.unit == "ns" else quantities.counts(low, high)
    said = f"{how} is {'its 95% interval' if found.kind == 'ci95' else 'the range of its trials'}"
    level = "warning" if found.half > WIDE else "note"
    why = reasons(row, row.time_of, "were slower")
    return {"how": how, "said": said, "half": found.half, "why": why, "level": level}


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


@warns("bimodal", "warning", trials=2 * FEWEST_EACH, mixes=False, by_chance=_may_split)
def bimodal(row: Row) -> Facts | None:
    """Find two groups, but not of a mixture: both of its kinds have their share of the time next to the headline.

    Nor of what was timed, where they lie within one step of the clock: threads that wait for each other's line can keep
    step with it, so that a trial reads one step nearly always, and another trial the next.
    """
    found = groups([value for value in row.times if value])
    if found is None or row.headline is None:
        return None
    is_timed = row.leading.name.rpartition(".")[0] in {one.name for one in row.declared.timed}
    if is_timed and 1 < row.number("counters.clock_step_ns", 1.0) >= found[1][0] - found[0][-1]:
        return None
    (near, far), why = map(median, found), reasons(row, row.time_of, "were slower")
    return {"near": near, "far": far, "fold": far / near, "nearer": len(found[0]), "farther": len(found[1]), "why": why}


@warns("regime", "warning", needs="sampling_pace")
def regime(row: Row) -> Facts | None:
    pace = row.number("sampling_pace")
    if not _timed(row):
        return None
    most = REGIME_IN_A_BARRIER if competing(row) else REGIME
    if 1 / most <= pace <= most:
        return None
    return {"fold": max(pace, 1 / pace), "way": "slower" if pace > 1 else "faster"}


@warns("disturbed", "warning", mixes=False, by_chance=_may_disturb)
def disturbed(row: Row) -> Facts | None:
    """Test whether what happened in some windows moved the headline: those windows against the others of each trial.

    Within each trial the windows are ranked by pace; the rank sums of the windows with an event are added up over
    trials (van Elteren, On the combination of independent two-sample tests of Wilcoxon, 1960). What is expected of each
    is by how long windows lasted, as `observe` reads it: a slow window with a fixed number of operations lasts longer,
    and sees more events that did nothing to it.

    Not of a mixture: the windows in which the scheduler moved a thread are not like the others.
    """
    headline = row.headline
    if headline is None or not headline.value:
        return None
    for event, what in EVENTS.items():
        without = row.over_trials(f"disturbed.{event}.without")
        if not without:
            continue
        excess, variance = (sum(row.over_trials(f"disturbed.{event}.{part}")) for part in ("excess", "variance"))
        if not variance or math.erfc(abs(excess) / math.sqrt(2 * variance)) >= LEVEL:
            continue
        moved = median(without) / headline.value - 1
        if abs(moved) > max(MATTERS, headline.half or 0.0):
            windows = sum(row.over_trials(f"disturbed.{event}.windows"))
            return {"what": what, "windows": windows, "by": abs(moved), "without": median(without)}
    return None


HIGHEST, NEEDED = "p99.9", round(percentiles.CARRYING_SAMPLES / (1 - percentiles.QUANTILES["p99.9"]))
COARSE = 0.02  # A step of the clock as a share of the figure that it shows in
SLOW_NS, IN_FIGURES = 100.0, 0.1
"""A reading of the clock takes 20 to 60 ns, and 100 to 2,000 where it is a system call, whatever the clock's name. And
what share of a median it may be."""

SKEWED = 0.1  # Maximum skew of the clocks of two CPUs, as a share of the median of what crosses from one to the other


def _timed(row: Row) -> list[Percentiles]:
    return [one for one in row.declared.timed if row.value(f"{one.name}.samples")]


@warns("few-samples", "note", of_timed=True)
def few_samples(row: Row) -> Facts | None:
    for one in (of for of in _timed(row) if of.column):
        if f"{one.name}.{HIGHEST}" not in row.figures:
            samples = percentiles.worth([trial.distributions[one.name] for trial in row.trials])
            if samples >= NEEDED - percentiles.SLACK:
                continue  # too few trials reach so far: `one-burst` says so
            return {"samples": int(samples + percentiles.SLACK), "noun": one.noun, "needed": NEEDED}
    return None


@warns("censored", "warning", of_timed=True)
def censored(row: Row) -> Facts | None:
    """Check whether durations that overlapped a window's edge could move the highest percentile that is shown.

    And whether they are more than edges cut of durations as long as those seen, for which percentiles make up.
    """
    for one in row.declared.timed:
        carried = [q for name, q in percentiles.QUANTILES.items() if f"{one.name}.{name}" in row.figures]
        past = row.number(f"{one.name}.samples") * (1 - max(carried, default=0.0))
        if (cut := row.number(f"{one.name}.censored")) <= past:
            continue
        found, _, windows = one.of_trials(row.trials)
        usual = percentiles.cut_at_edges(found, windows)
        if cut > usual + percentiles.BY_CHANCE * math.sqrt(usual):
            return {"censored": cut, "beyond": past, "window": row.number("counters.sampling_window_ns")}
    return None


@warns("coarse-clock", "note", of_timed=True)
def coarse_clock(row: Row) -> Facts | None:
    """Steps of 1 ns, the unit of every time here, are fine enough."""
    step = row.number("counters.clock_step_ns", 1.0)
    for one in _timed(row):
        middle = row.number(f"{one.name}.p50", row.number(f"{one.name}.max"))
        if step > 1 and step > COARSE * middle:
            return {"step": step}
    return None


@warns("slow-clock", "warning", of_timed=True)
def slow_clock(row: Row) -> Facts | None:
    cost = row.number("clock_cost_ns")
    for one in _timed(row) if cost >= SLOW_NS else ():
        middle = row.number(f"{one.name}.p50")
        if middle and cost > IN_FIGURES * middle:
            in_it = {"cost": cost, "part": min(cost, middle), "shown": middle}
            return {**in_it, "noun": one.noun, "runtime": row.case.runtime}
    return None


@warns("clock-skew", "warning", of_timed=True)
def clock_skew(row: Row) -> Facts | None:
    skew, bound = row.number("counters.skew_ns"), row.number("counters.skew_bound_ns")
    for one in row.declared.timed:
        middle = row.value(f"{one.name}.p50") if one.across else None
        if middle is not None and skew > SKEWED * middle:
            return {"skew": skew, "bound": bound, "noun": one.noun, "middle": middle}
    return None


@warns("negative", "warning", of_timed=True)
def negative(row: Row) -> Facts | None:
    """Check for more than one in a hundred: fewer move no percentile that is looked at."""
    for one in row.declared.timed:
        below, samples = (row.number(f"{one.name}.{what}") for what in ("negative", "samples"))
        if below > (below + samples) / 100:
            return {"negative": below, "noun": one.noun, "all": below + samples}
    return None


MOVES = 0.1
PERCENTILE = "p99"


def without(distribution: Distribution, outliers: Sequence[Caused]) -> Distribution:
    if not outliers:
        return distribution
    import numpy as np

    values, left = np.asarray(distribution.values), np.asarray(distribution.counts, float)
    lengths, numbers = zip(*outliers, strict=True)
    nearest = np.searchsorted((values[:-1] + values[1:]) / 2, lengths, side="right")
    np.subtract.at(left, nearest, numbers)
    whole = np.rint(left).astype(int)
    kept = whole > 0
    return replace(distribution, values=tuple(values[kept].tolist()), counts=tuple(whole[kept].tolist()))


@warns("tail", "warning", of_timed=True)
def tail(row: Row) -> Facts | None:
    if competing(row):
        return None  # threads that share CPUs wait for the scheduler: it is what was asked for
    for one in row.declared.timed:
        shown = row.value(f"{one.name}.{PERCENTILE}")
        if not shown:
            continue
        trials = [trial for trial in row.trials if one.name in trial.distributions]
        _, step, windows = one.of_trials(trials)
        for cause in FROM_OUTSIDE:
            caused: list[Mapping[str, tuple[Caused, ...]]] = [trial.caused.get(one.name, {}) for trial in trials]
            if not any(cause in of_trial for of_trial in caused):
                continue
            left = [
                without(trial.distributions[one.name], of_trial.get(cause, ()))
                for trial, of_trial in zip(trials, caused, strict=True)
            ]
            rest = percentiles.percentiles(left, step, windows).get(PERCENTILE)
            if rest is not None and shown > (1 + MOVES) * rest:
                return {"cause": cause, "which": PERCENTILE, "shown": shown, "without": rest, "noun": one.noun}
    return None


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
            RowCheck("cheaper-than-clock", "note", self._cheap, hides=hides),
            RowCheck("closed-loop", "note", self._missed),
        )

    def _cheap(self, row: Row) -> Facts | None:
        """More than half of what would be shown is the clock. A slow one has a warning of its own, with a remedy."""
        cost, rate = row.number("clock_cost_ns"), row.value("ops_per_s")
        if not rate or not row.value(f"{self.timed.name}.samples"):
            return None
        takes = max(1, self.under_way(row.case)) * 1e9 / rate
        return {"takes": takes, "cost": cost, "op": row.declared.op} if takes < cost < SLOW_NS else None

    def _missed(self, row: Row) -> Facts | None:
        mean, rate, cost = f"{self.timed.name}.mean", row.value("ops_per_s"), row.number("clock_cost_ns")
        number, wait = self.under_way(row.case), row.value(mean)
        if not number or not rate or wait is None:
            return None
        known = (mean, "ops_per_s", "clock_cost_ns")
        each = [
            beyond(one.figures[mean], number, one.figures["ops_per_s"], one.figures["clock_cost_ns"])
            for one in row.trials
            if all(name in one.figures for name in known) and one.figures["ops_per_s"]
        ]
        shown = beyond(wait, number, rate, cost)
        facts: dict[str, Fact] = {"noun": self.timed.noun, "which": "mean", "wait": wait, "allowed": wait / shown}
        if each and (factor := median(each)) > IDENTITY:
            return facts | {"factor": factor, "why": _why(row, number * 1e9 / rate, factor)}
        if shown > IDENTITY:
            return facts | {"factor": shown, "why": "trials differ: each by itself keeps to it"}
        half = row.number(f"{self.timed.name}.p50")
        if (factor := beyond(half, number, rate, cost)) > IDENTITY:
            kinds = "they are of two kinds, and the short ones keep the mean within it"
            return facts | {"factor": factor, "which": "median", "wait": half, "why": kinds}
        return None


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


def _level(row: Row) -> str:
    return "warning" if row.trials else "error"


@warns("trial-failed", "error", trials=0)
def trial_failed(row: Row) -> Facts | None:
    if not (failures := [one.failure for one in row.ended if one.failure is not None]):
        return None
    first = failures[0]
    said = why_failed(next(one for one in row.ended if one.failure))
    numbers = {"failed": len(failures), "trials": len(row.ended)}
    return {**numbers, "first": first.code, "said": said, "level": _level(row)}


@warns("nothing-measured", "error", trials=0)
def nothing_measured(row: Row) -> Facts | None:
    empty = sum(one.failure is None and not one.figures for one in row.ended)
    numbers = {"empty": empty, "trials": len(row.ended)}
    return {**numbers, "level": _level(row)} if empty else None


@warns("pin-lost", "error", needs=MOVED)
def pin_lost(row: Row) -> Facts | None:
    return {"threads": row.number(MOVED), "in_trials": sum(value > 0 for value in row.over_trials(MOVED))}


@warns("warmup-cut", "warning", needs="counters.warmup_cut")
def warmup_cut(row: Row) -> Facts | None:
    """Check a warm-up that was asked for: it is part of the question. What the usual one leaves is `not-steady`."""
    if row.case.warmup == DEFAULT_WARMUP:
        return None
    done, asked = row.number("counters.warmup_ops"), row.case.warmup.rounds * row.case.warmup.ops
    numbers = {"cut": row.number("counters.warmup_cut"), "trials": len(row.trials), "done": done, "asked": asked}
    return {**numbers, "op": row.declared.op}


def _warmed_by_pace(row: Row) -> bool:
    """Return whether a JVM compiles, and does not say when it rests, so that its pace alone ends the warm-up."""
    rested = "counters.rested_ns" in row.figures
    return "counters.collections" in row.figures and not rested and row.case.warmup == DEFAULT_WARMUP


ON_SCHEDULE = (
    trial_failed,
    nothing_measured,
    RowCheck("not-reached", "error", lambda row: None if row.ended else {}, trials=0),
    RowCheck(
        "other-load", "warning", lambda row: {"share": of} if (of := share_of_others(row.trials)) > LOADED else None
    ),
    RowCheck(
        "all-state-changed",
        "error",
        lambda row: {"trials": of} if (of := len(row.ended) - row.failed) and not row.trials else None,
        trials=0,
    ),
    pin_lost,
    warmup_cut,
    RowCheck("pace-alone", "note", lambda row: {} if _warmed_by_pace(row) else None),
    RowCheck("not-balanced", "note", lambda row: {"which": quantities.named(row.isolated)} if row.isolated else None),
    # fewer trials than a range takes; of none other checks say more
    RowCheck(
        "few-trials",
        "warning",
        lambda row: {"trials": len(row.trials)} if 0 < len(row.trials) < percentiles.FEWEST_FOR_A_RANGE else None,
    ),
    *(wide, bimodal, tail, negative, few_samples, censored, coarse_clock, slow_clock, clock_skew, one_burst),
)
"""Checks of each row of every experiment, in addition to its own, whatever sets the pace of its operations."""

UNPACED = (*ON_SCHEDULE, not_steady, regime, disturbed, mixture_of_kinds)
"""Checks of operations that follow each other as fast as they can: where a schedule sets the pace, it is no figure."""
