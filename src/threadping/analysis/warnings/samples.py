"""Checks that samples carry their percentiles, that the clock resolves them, and that the loop was a closed one.

What is under way, times the time from one operation to the next, is the mean of what an operation takes (Little, A
Proof for the Queuing Formula L = lambda W, 1961). By that waits are judged, and whether single ones can be timed.
"""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.checks import Fact, Facts
from threadping.analysis.declaration import Percentiles, Row, RowCheck
from threadping.analysis.outliers import DELAYED, FAULT, INTERRUPTED, MIGRATED, PREEMPTED, SAFEPOINT, STOLEN
from threadping.analysis.percentiles import (
    CARRYING_SAMPLES,
    PERCENTILE_NAMES,
    QUANTILES,
    SLACK,
    cut_at_edges,
    percentiles,
    worth,
)
from threadping.analysis.ratio import BY_CHANCE
from threadping.analysis.warnings.reasons import competing
from threadping.model.cases import Case
from threadping.model.contract import Distribution

HIGHEST, NEEDED = "p99.9", round(CARRYING_SAMPLES / (1 - QUANTILES["p99.9"]))
COARSE = 0.02  # A step of the clock as a share of the figure that it shows in
SLOW_NS, IN_FIGURES = 100.0, 0.1
"""A reading of the clock takes 20 to 60 ns, and 100 to 2,000 where it is a system call, whatever the clock's name. And
what share of a median it may be."""

SKEWED = 0.1
"""Maximum skew of the clocks of two CPUs, as a share of the median of what crosses from one to the other."""


def _timed(row: Row) -> list[Percentiles]:
    return [one for one in row.declared.timed if row.value(f"{one.name}.samples")]


def _few(row: Row) -> Facts | None:
    for one in (of for of in _timed(row) if of.column):
        if f"{one.name}.{HIGHEST}" not in row.figures:
            samples = worth([trial.distributions[one.name] for trial in row.trials])
            if samples >= NEEDED - SLACK:
                continue  # too few trials reach so far: `one-burst` says so
            return {"samples": int(samples + SLACK), "noun": one.noun, "needed": NEEDED}
    return None


def _censored(row: Row) -> Facts | None:
    """Check whether durations that overlapped a window's edge could move the highest percentile that is shown.

    And whether they are more than edges cut of durations as long as those seen, for which percentiles make up.
    """
    for one in row.declared.timed:
        carried = [q for name, q in QUANTILES.items() if f"{one.name}.{name}" in row.figures]
        beyond = row.number(f"{one.name}.samples") * (1 - max(carried, default=0.0))
        censored = row.number(f"{one.name}.censored")
        found, _, windows = one.of_trials(row.trials)
        usual = cut_at_edges(found, windows)
        if censored > max(beyond, usual + BY_CHANCE * sqrt(usual)):
            return {"censored": censored, "beyond": beyond, "window": row.number("counters.sampling_window_ns")}
    return None


def _coarse(row: Row) -> Facts | None:
    """Steps of 1 ns, the unit of every time here, are fine enough."""
    step = row.number("counters.clock_step_ns", 1.0)
    for one in _timed(row):
        middle = row.number(f"{one.name}.p50", row.number(f"{one.name}.max"))
        if step > 1 and step > COARSE * middle:
            return {"step": step}
    return None


def _slow_clock(row: Row) -> Facts | None:
    cost = row.number("clock_cost_ns")
    for one in _timed(row) if cost >= SLOW_NS else ():
        middle = row.number(f"{one.name}.p50")
        if middle and cost > IN_FIGURES * middle:
            in_it = {"cost": cost, "part": min(cost, middle), "shown": middle}
            return {**in_it, "noun": one.noun, "runtime": row.case.runtime}
    return None


def _skewed(row: Row) -> Facts | None:
    """Check whether clocks are certainly so far apart that a duration from one to the other depends on it."""
    skew, bound = row.number("counters.skew_ns"), row.number("counters.skew_bound_ns")
    for one in row.declared.timed:
        middle = row.value(f"{one.name}.p50") if one.across else None
        if middle is not None and skew > SKEWED * middle:
            return {"skew": skew, "bound": bound, "noun": one.noun, "middle": middle}
    return None


def _negative(row: Row) -> Facts | None:
    """Check for more than one in a hundred: fewer move no percentile that is looked at."""
    for one in row.declared.timed:
        negative, samples = (row.number(f"{one.name}.{what}") for what in ("negative", "samples"))
        if negative > (negative + samples) / 100:
            return {"negative": negative, "noun": one.noun, "all": negative + samples}
    return None


FROM_OUTSIDE = (SAFEPOINT, MIGRATED, PREEMPTED, DELAYED, STOLEN, FAULT, INTERRUPTED)
"""Causes that are no part of the mechanism."""

MOVES = 0.1
PERCENTILE = "p99"


def without(distribution: Distribution, outliers: Sequence[int]) -> Distribution:
    """A distribution without these durations: each is taken from the nearest recorded value."""
    if not outliers:
        return distribution
    import numpy as np

    values, left = np.asarray(distribution.values), np.asarray(distribution.counts)
    nearest = np.searchsorted((values[:-1] + values[1:]) / 2, outliers, side="right")
    np.subtract.at(left, nearest, 1)
    kept = left > 0
    return replace(distribution, values=tuple(values[kept].tolist()), counts=tuple(left[kept].tolist()))


def _tail(row: Row) -> Facts | None:
    if competing(row):
        return None  # threads that share CPUs wait for the scheduler: it is what was asked for
    for one in row.declared.timed:
        shown = row.value(f"{one.name}.{PERCENTILE}")
        if not shown:
            continue
        trials = [trial for trial in row.trials if one.name in trial.distributions]
        _, step, windows = one.of_trials(trials)
        for cause in FROM_OUTSIDE:
            caused: list[Mapping[str, tuple[int, ...]]] = [trial.caused.get(one.name, {}) for trial in trials]
            if not any(cause in of_trial for of_trial in caused):
                continue
            left = [
                without(trial.distributions[one.name], of_trial.get(cause, ()))
                for trial, of_trial in zip(trials, caused, strict=True)
            ]
            rest = percentiles(left, step, windows).get(PERCENTILE)
            if rest is not None and shown > (1 + MOVES) * rest:
                return {"cause": cause, "which": PERCENTILE, "shown": shown, "without": rest, "noun": one.noun}
    return None


CHECKS = (
    RowCheck("tail", "warning", _tail, of_timed=True),
    RowCheck("negative", "warning", _negative, of_timed=True),
    RowCheck("few-samples", "note", _few, of_timed=True),
    RowCheck("censored", "warning", _censored, of_timed=True),
    RowCheck("coarse-clock", "note", _coarse, of_timed=True),
    RowCheck("slow-clock", "warning", _slow_clock, of_timed=True),
    RowCheck("clock-skew", "warning", _skewed, of_timed=True),
)

IDENTITY = 1.1
"""Maximum ratio of a mean to what its loop allows: 10% for clocks and windows. Where trials keep the
identity and differ by 10% (as those of sleepers) none of 1,000 rows of six is beyond it; by 30%, one in four, and each
of them shows a mean and a rate that do not fit together, which is what the note says (simulated in the tests)."""

READINGS = 2  # An operation that is timed by itself has so many readings of the clock around it


class ClosedLoop(Struct, frozen=True):
    """A distribution of what a closed loop does."""

    timed: Percentiles  # the distribution
    # how many operations are under way at once; 0 where that is not known, or nobody else is there
    under_way: Callable[[Case], int]
    # figures that are of what was timed too, and stand outside the distribution's percentiles
    besides: tuple[str, ...] = ()
    parts: tuple[Percentiles, ...] = ()  # distributions of some of what was timed

    @property
    def checks(self) -> tuple[RowCheck, RowCheck]:
        """The checks in this order: what is not shown is not held against anything."""
        known = (*PERCENTILE_NAMES, "samples", "censored", "negative")
        figures = (f"{one.name}.{part}" for one in (self.timed, *self.parts) for part in known)
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
            "the clock readings around an operation are more than a tenth of that, and a thread that reads a clock "
            "lets the others go first: it is the wait of a thread that pauses so long"
        )
    return "why is not known"
