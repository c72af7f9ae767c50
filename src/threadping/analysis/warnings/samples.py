"""Whether what was timed one by one carries its percentiles, and whether the clock resolves it."""

from collections.abc import Mapping, Sequence
from math import sqrt

from msgspec.structs import replace

from threadping.analysis.checks import Facts
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.figures import Percentiles
from threadping.analysis.outliers import DELAYED, FAULT, INTERRUPTED, MIGRATED, PREEMPTED, SAFEPOINT, STOLEN
from threadping.analysis.percentiles import CARRYING_SAMPLES, QUANTILES, SLACK, cut_at_edges, percentiles, worth
from threadping.analysis.rates import BY_CHANCE
from threadping.analysis.warnings.reasons import competing
from threadping.contract import Distribution

HIGHEST, NEEDED = "p99.9", round(CARRYING_SAMPLES / (1 - QUANTILES["p99.9"]))

COARSE = 0.02
"""A step of the clock as a share of the figure that it shows in."""

SLOW_NS, IN_FIGURES = 100.0, 0.1
"""A reading of the clock takes 20 to 60 ns, and 100 to 2,000 where it is a system call, whatever the clock's name. And
what share of a median it may be."""

SKEWED = 0.1
"""How far the clocks of two CPUs may be apart, as a share of the median of what crosses from one to the other."""


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
    """Whether durations that overlapped a window's edge could move the highest percentile that is shown.

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
    """Whether a reading, one of which is in each duration, takes long, and makes much of what is shown."""
    cost = row.number("clock_cost_ns")
    for one in _timed(row) if cost >= SLOW_NS else ():
        middle = row.number(f"{one.name}.p50")
        if middle and cost > IN_FIGURES * middle:
            in_it = {"cost": cost, "part": min(cost, middle), "shown": middle}
            return {**in_it, "noun": one.noun, "runtime": row.case.runtime}
    return None


def _skewed(row: Row) -> Facts | None:
    """Whether clocks are certainly so far apart that a duration which crosses from one to the other hangs on it."""
    skew, bound = row.number("counters.skew_ns"), row.number("counters.skew_bound_ns")
    for one in row.declared.timed:
        middle = row.value(f"{one.name}.p50") if one.across else None
        if middle is not None and skew > SKEWED * middle:
            return {"skew": skew, "bound": bound, "noun": one.noun, "middle": middle}
    return None


def _negative(row: Row) -> Facts | None:
    """Only more than one in a hundred moves a percentile that is looked at."""
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
