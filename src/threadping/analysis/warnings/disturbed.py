"""Whether what happened in some windows of a trial moved the headline: those windows against the others.

Within each trial the windows are ranked by pace; the rank sums of the windows with an event are added up over trials
(van Elteren, On the combination of independent two-sample tests of Wilcoxon, 1960), whose distribution over all
permutations inside the trials is close to normal.
"""

from math import erfc, sqrt
from statistics import median

from threadping.analysis.declaration import Evidence, Facts, RowCheck

EVENTS = {"switches": "a thread lost its CPU", "compile_ms": "the JIT compiled"}
"""Columns of windows that count events, and what each event is."""

LEVEL = 0.01 / len(EVENTS)
MATTERS = 0.01
"""The headline moves by more than this share when the windows with an event are left out."""


def _disturbed(seen: Evidence) -> Facts | None:
    headline = seen.row.figures.get(seen.declared.headline)
    if headline is None or not headline.value:
        return None
    for event, what in EVENTS.items():
        excess, variance = (sum(seen.over_trials(f"disturbed.{event}.{part}")) for part in ("excess", "variance"))
        without = seen.over_trials(f"disturbed.{event}.without")
        if not variance or not without or erfc(abs(excess) / sqrt(2 * variance)) >= LEVEL:
            continue
        moved = median(without) / headline.value - 1
        if abs(moved) > max(MATTERS, headline.half or 0.0):
            windows = sum(seen.over_trials(f"disturbed.{event}.windows"))
            return {"what": what, "windows": windows, "by": abs(moved), "without": median(without)}
    return None


CHECKS = (RowCheck("disturbed", "warning", _disturbed),)
