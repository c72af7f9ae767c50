"""Whether one cause made a percentile: it is worked out again without the outliers of that cause."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from threadping.analysis.causes import DELAYED, FAULT, INTERRUPTED, MIGRATED, PREEMPTED, SAFEPOINT, STOLEN
from threadping.analysis.declaration import Evidence, Facts, RowCheck
from threadping.analysis.percentiles import percentiles
from threadping.analysis.warnings.reasons import crowded
from threadping.contract import Distribution

FROM_OUTSIDE = (SAFEPOINT, MIGRATED, PREEMPTED, DELAYED, STOLEN, FAULT, INTERRUPTED)
"""Causes that are no part of the mechanism."""

MOVES = 0.1
PERCENTILE = "p99"


def without(distribution: Distribution, outliers: Sequence[int]) -> Distribution:
    """A distribution without these durations: each is taken from the nearest recorded value."""
    import numpy as np

    values, counts = np.asarray(distribution.values), np.asarray(distribution.counts)
    above = np.searchsorted(values, outliers).clip(1, len(values) - 1) if len(values) > 1 else 0
    nearest = above - (np.asarray(outliers) - values[above - 1] < values[above] - outliers) if len(values) > 1 else 0
    left = counts.copy()
    np.subtract.at(left, nearest, 1)
    kept = left > 0
    return replace(distribution, values=tuple(values[kept].tolist()), counts=tuple(left[kept].tolist()))


def _tail(seen: Evidence) -> Facts | None:
    if crowded(seen):
        return None  # threads that share CPUs wait for the scheduler: it is what was asked for
    for one in seen.declared.timed:
        shown = seen.row.value(f"{one.name}.{PERCENTILE}")
        if not shown:
            continue
        trials = [trial for trial in seen.counted if one.name in trial.distributions]
        for cause in FROM_OUTSIDE:
            caused: list[Mapping[str, tuple[int, ...]]] = [trial.caused.get(one.name, {}) for trial in trials]
            if not any(cause in of_trial for of_trial in caused):
                continue
            left = [
                without(trial.distributions[one.name], of_trial.get(cause, ()))
                for trial, of_trial in zip(trials, caused, strict=True)
            ]
            told = percentiles([each for each in left if each.counts], one.parts).get(PERCENTILE)
            if told is not None and shown > (1 + MOVES) * told:
                return {"cause": cause, "which": PERCENTILE, "shown": shown, "without": told, "noun": one.noun}
    return None


CHECKS = (RowCheck("tail", "warning", _tail),)
