"""Whether the headline is one figure: steady within a trial, alike over trials, of what the percentiles are of."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Facts, RowCheck
from threadping.analysis.estimate import FEWEST_FOR_A_RANGE
from threadping.analysis.warnings.reasons import competing, reasons
from threadping.quantities import spread

LATE = "headline_late"
"""The headline of a trial's last third, as `observe` reads it."""

DRIFT = "drift"
"""How much slower the last third of a trial was than its first."""

STEADY, GRAVE = 0.02, 0.1
"""How far the last third of a trial may be from the first: as far as the warm-up allows between two stretches; and from
where on the headline is the last third's."""

WIDE, NARROW = 0.25, 0.1
"""Half the interval, or half the range, as a share of the figure: beyond the first it warns, and more trials are to
reach the second. Every figure has its width beside it, and the interval of six trials is their whole range: on a quiet
machine (an EPYC's two virtual CPUs, three runs of 40 rows) 9 rows of each run were over 10%, and 2 over 25%."""

MOST_NEEDED = 10_000
"""More trials than anyone runs: how many would narrow an interval is not shown beyond this."""

MEDIAN_GAPS, SPREADS, APART, FEWEST_EACH = 4, 2, math.log(1.05), 2
"""Two groups of trials, two at least in each: the gap between them is the largest of all, more than 5%, 4 median gaps
and 2 times the spread of either group. 4 median gaps alone saw two groups in 8 to 34% of runs of one lognormal; with
the spread it is 0 to 5%, and two groups 1.3x apart are seen in nine of ten runs (simulated in the tests)."""

EVENTS = {"switches": "a thread lost its CPU", "compile_ms": "the JIT compiled"}
"""Columns of windows that count events, and what each event is."""

LEVEL = 0.01 / len(EVENTS)
MATTERS = 0.01
"""The headline moves by more than this share when the windows with an event are left out."""

REGIME = 1.5
"""How far the paces of the two kinds of window may be apart: beyond it, what is timed is not what is counted."""

REGIME_IN_A_CROWD = 10.0
"""The same where threads share CPUs: the scheduler chooses which threads run in which window, at any pace."""


def _not_steady(row: Row) -> Facts | None:
    """The interval of the drift, or the range of fewer than six trials, lies beyond STEADY."""
    found = row.figures.get(DRIFT)
    if found is None or found.low is None:
        return None
    low, high = found.ends
    if low <= STEADY and high >= -STEADY:
        return None
    facts = {
        "by": math.expm1(abs(found.value)),
        "way": "slower" if low > 0 else "faster",
        "third": "",
        "why": reasons(row),
    }
    if low > GRAVE or high < -GRAVE:
        return facts | {"level": "error", "third": " The headline is that of the last third."}
    return facts


def _wide(row: Row) -> Facts | None:
    found, trials = row.headline, len(row.trials)
    if trials < FEWEST_FOR_A_RANGE:
        return {"how": "1 trial" if trials == 1 else f"{trials} trials", "needed": 6, "why": "too few for an interval"}
    if found is None or found.half is None or found.half <= WIDE:
        return None
    needed = math.ceil(trials * (found.half / NARROW) ** 2)
    shown = needed if needed < MOST_NEEDED else f"{MOST_NEEDED:,} or more"
    return {"how": spread(found.half), "needed": shown, "why": reasons(row)}


def groups(values: Sequence[float]) -> tuple[list[float], list[float]] | None:
    """The two groups that values fall into, the lower first; None where they are one."""
    ordered = sorted(values)
    if len(ordered) < 2 * FEWEST_EACH or ordered[0] <= 0:
        return None
    gaps = [math.log(above / below) for below, above in pairwise(ordered)]
    inside = range(FEWEST_EACH - 1, len(gaps) - FEWEST_EACH + 1)
    at = max(inside, key=lambda place: gaps[place])
    spread = max(sum(gaps[:at]), sum(gaps[at + 1 :]))
    if gaps[at] <= max(APART, MEDIAN_GAPS * median(gaps), SPREADS * spread):
        return None
    return ordered[: at + 1], ordered[at + 1 :]


def _modes(row: Row) -> Facts | None:
    values = row.over_trials(row.declared.headline_of(row.case)) if row.headline else []
    of_time = row.declared.leading.unit == "ns"
    found = groups(values if of_time else [1e9 / value for value in values if value])
    if found is None:
        return None
    (near, far), why = map(median, found), reasons(row)
    return {"near": near, "far": far, "fold": far / near, "nearer": len(found[0]), "farther": len(found[1]), "why": why}


def _regime(row: Row) -> Facts | None:
    """Only where something was timed."""
    pace = row.value("sampling_pace")
    timed = any(row.number(f"{one.name}.samples") for one in row.declared.timed)
    most = REGIME_IN_A_CROWD if competing(row) else REGIME
    if pace is None or not timed or 1 / most <= pace <= most:
        return None
    return {"fold": max(pace, 1 / pace), "way": "slower" if pace > 1 else "faster"}


def _disturbed(row: Row) -> Facts | None:
    """Whether what happened in some windows moved the headline: those windows against the others of each trial.

    Within each trial the windows are ranked by pace; the rank sums of the windows with an event are added up over
    trials (van Elteren, On the combination of independent two-sample tests of Wilcoxon, 1960), whose distribution over
    all permutations inside the trials is close to normal.
    """
    headline = row.headline
    if headline is None or not headline.value:
        return None
    for event, what in EVENTS.items():
        excess, variance = (sum(row.over_trials(f"disturbed.{event}.{part}")) for part in ("excess", "variance"))
        without = row.over_trials(f"disturbed.{event}.without")
        if not variance or not without or math.erfc(abs(excess) / math.sqrt(2 * variance)) >= LEVEL:
            continue
        moved = median(without) / headline.value - 1
        if abs(moved) > max(MATTERS, headline.half or 0.0):
            windows = sum(row.over_trials(f"disturbed.{event}.windows"))
            return {"what": what, "windows": windows, "by": abs(moved), "without": median(without)}
    return None


OF_HEADLINES = (RowCheck("wide", "warning", _wide), RowCheck("modes", "warning", _modes))

OF_PACES = (
    RowCheck("not-steady", "warning", _not_steady),
    RowCheck("regime", "warning", _regime),
    RowCheck("disturbed", "warning", _disturbed),
)
"""Of operations that follow each other as fast as they can: where a schedule sets the pace, it is no figure."""
