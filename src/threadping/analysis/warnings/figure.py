"""Checks that the headline is one figure: steady, alike over trials, of one placement, not of the loop around it."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import Literal

from msgspec import Struct

from threadping.analysis.checks import Facts
from threadping.analysis.declaration import LATE_HEADLINE, Row, RowCheck
from threadping.analysis.percentiles import (
    CARRYING_SAMPLES,
    FEWEST_FOR_A_RANGE,
    FEWEST_FOR_AN_INTERVAL,
    QUANTILES,
    SLACK,
    Estimate,
    estimate,
    fewest_for,
    interval,
    worth,
)
from threadping.analysis.warnings.reasons import competing, reasons
from threadping.model import quantities
from threadping.model.cases import LoopPairs
from threadping.model.numbers import named
from threadping.model.run import Observation

ALLOWED_SHARE, ALLOWED_NS = 0.02, 5.0
"""A loop that costs no more than either is as good as a bare one: the clock moves in steps of some nanoseconds, and no
loop of two threads repeats within less than 2%."""

LoopVerdict = Literal["within", "more", "less", "unknown"]


class LoopCost(Struct, frozen=True):
    """The cost of the loop for an operation, over pairs of a trial and a hand-written baseline, with 95% intervals."""

    bare_ns: float  # what an operation takes in a bare loop
    ns: Estimate  # what it takes longer in a trial
    ratio: Estimate  # how many times as long it takes there
    # whether that is within what is allowed, or surely beyond both; `less` is a bare loop that is slower
    verdict: LoopVerdict


def cost_of(pairs: LoopPairs) -> LoopCost:
    """Judge the pairs, which were measured in turn: whatever the machine did between two of them is in no difference.

    Fewer than six have no interval, and tell nothing.
    """
    each = list(zip(pairs.ours_ns, pairs.bare_ns, strict=True))
    ns = estimate([ours - bare for ours, bare in each])
    folds = estimate([math.log(ours / bare) for ours, bare in each])
    low, high = map(math.exp, folds.ends)
    ratio = Estimate(math.exp(folds.value), low, high, folds.kind)
    return LoopCost(estimate(pairs.bare_ns).value, ns, ratio, _verdict(ns, ratio))


def _verdict(ns: Estimate, ratio: Estimate) -> LoopVerdict:
    if ns.kind != "ci95":
        return "unknown"
    by_share = _side(ratio.ends, 1 - ALLOWED_SHARE, 1 + ALLOWED_SHARE)
    by_ns = _side(ns.ends, -ALLOWED_NS, ALLOWED_NS)
    if "within" in (by_share, by_ns):
        return "within"
    return by_ns if by_ns == by_share else "unknown"


def _side(ends: Sequence[float], least: float, most: float) -> LoopVerdict:
    low, high = ends
    if low > most:
        return "more"
    if high < least:
        return "less"
    return "within" if least <= low and high <= most else "unknown"


def _mixture(row: Row) -> Facts | None:
    share, headline = row.value("mixture.same_cpu"), row.headline
    if share is None or headline is None or not row.mixes:
        return None
    unit = row.leading.unit
    kinds = (("together", "on one CPU", share), ("apart", "on several", 1 - share))
    parts = [
        f"{_rate_or_time(value, unit)} {where} ({quantities.percent(of)} of the time)"
        for name, where, of in kinds
        if (value := row.value(f"mixture.{name}_{unit}")) is not None
    ]
    said = [*parts, f"on average {_rate_or_time(headline.value, unit)}"] if len(parts) > 1 else parts
    return {"kinds": ", ".join(said), "share": share} if said else None


def _rate_or_time(value: float, unit: str) -> str:
    return quantities.time(value) if unit == "ns" else f"{quantities.count(value)}/s"


MIXTURE_CHECKS = (RowCheck("mixture", "note", _mixture),)


def _one_burst(row: Row) -> Facts | None:
    for one in (of for of in row.declared.timed if of.column and row.value(f"{of.name}.samples")):
        found = row.timed(one.name)
        samples = worth(found)
        hidden = [
            name
            for name, q in QUANTILES.items()
            if samples * (1 - q) >= CARRYING_SAMPLES - SLACK and f"{one.name}.{name}" not in row.figures
        ]
        if hidden:
            return {"which": ", ".join(hidden), "noun": one.noun, "trials": len(found)}
    return None


BURST_CHECKS = (RowCheck("one-burst", "note", _one_burst),)
WHOLE_NS = 100  # minimum for nanoseconds without decimals

LOOP_SAID: Mapping[LoopVerdict, str] = {
    "within": "within 2% or 5 ns",
    "more": "more than 2% and 5 ns",
    "less": "a bare loop is slower, by more than 2% and 5 ns",
    "unknown": "whether that is within 2% or 5 ns cannot be told",
}


def _loop(row: Row) -> Facts | None:
    if row.loop is None:
        return None
    cost = cost_of(row.loop)
    low, high = cost.ns.ends
    return {
        "how": f"{_with_interval(cost.ns)} beside a bare loop's {quantities.time(cost.bare_ns)}",
        "said": LOOP_SAID[cost.verdict],
        "where": f"{quantities.counted(len(row.loop.cpus), 'thread')} on {named(row.loop.cpus)}",
        "pairs": len(row.loop.bare_ns),
        "bare": cost.bare_ns,
        "ns": cost.ns.value,
        "low": low,
        "high": high,
        "fold": cost.ratio.value,
        "level": "warning" if cost.verdict in ("more", "less") else "note",
    }


def _with_interval(ns: Estimate) -> str:
    """Nanoseconds that may be below 0, with the interval: `0.4 ns (-0.2 to 1.1)`."""
    decimals = 1 if max(map(abs, ns.ends)) < WHOLE_NS else 0
    value, low, high = (f"{round(one, decimals) + 0.0:,.{decimals}f}" for one in (ns.value, *ns.ends))
    return f"{value} ns ({low} to {high})" if ns.kind else f"{value} ns"


LOOP_CHECKS = (RowCheck("harness", "note", _loop),)
DRIFT = "drift"  # the ratio of the last third of a trial to its first, as a logarithm
STEADY, GRAVE = 0.02, 0.1
"""The distance that the last third of a trial may have from the first: as far as the warm-up allows between two
stretches; and from where on both headlines are shown, the whole's and the last third's."""

SURE = 0.99
"""The confidence of the interval of the drift. A run has some forty rows: at 95% one or two of them would be marked for
nothing where trials are noisy (1.5 to 3% of rows with six trials, simulated), at 99% at most 1% of rows are, whatever
the noise."""

STUDENT: Mapping[int, float] = {3: 9.925, 4: 5.841, 5: 4.604, 6: 4.032, 7: 3.707}
"""Student's t at 99.5% for so many trials: fewer than eight have no interval of 99% by order statistics. A drift is the
logarithm of a ratio of means over many windows, so that it is about normal; heavier tails make the interval too wide
and never too narrow (simulated: normal, t with three degrees of freedom, one trial in seven eight times as noisy)."""

WIDE, REMARKABLE = 0.25, 0.1
"""Half the interval, or half the range, as a share of the figure: beyond the first it warns, beyond the second it is
noted. On a quiet machine (an EPYC's two virtual CPUs, three runs of 40 rows) 9 rows of each run were over 10%, and 2
over 25%: a mark at one row in five says nothing. How many trials would narrow it is not told: the number that a root
promises was enough in 62 to 96% of rows of one group, and in 2 to 4% of rows of two (simulated)."""

MEDIAN_GAPS, APART, FEWEST_EACH = 4, math.log(1.05), 2
SPREADS: Mapping[int, float] = {4: 13, 5: 7, 6: 4.5, 7: 3.6, 8: 3.0, 9: 2.7, 10: 2.4, 11: 2.2}
SPREADS_OF_MANY = 2.0
"""Two groups of trials, two at least in each: the gap between them is the largest of all, more than 5%, 4 median gaps
and so many times the spread of either group, by the number of trials, as from twelve on. Of 60,000 samples of one group
(normal, Laplace, t with three degrees of freedom, exponential to either side, uniform) at most 1% show two. By twice
the spread alone, whatever their number, 3 to 10% of four to six trials did."""

EVENTS = {"switches": "a thread lost its CPU", "compile_ms": "the JIT compiled"}
"""Columns of windows that count events, and what each event is."""

FALSELY = 0.01
"""At most so many of the rows that a rule is asked of are marked for nothing, by simulation (docs/warnings.md)."""

LEVEL = 0.01 / len(EVENTS)
MATTERS = 0.01  # The headline moves by more than this share when the windows with an event are left out
REGIME = 1.5
"""Maximum ratio of the paces of the two kinds of window: beyond it, what is timed is not what is counted."""

REGIME_IN_A_CROWD = 10.0
"""That ratio where threads share CPUs: the scheduler chooses which threads run in which window, at any pace."""


def changes(drifts: Sequence[float]) -> tuple[float, float] | None:
    """The 99% interval of the drift over trials: of fewer than eight by Student's t; None of fewer than three."""
    if len(drifts) >= fewest_for(SURE):
        return interval(drifts, SURE)
    if len(drifts) not in STUDENT:
        return None
    reach = STUDENT[len(drifts)] * stdev(drifts) / math.sqrt(len(drifts))
    return fmean(drifts) - reach, fmean(drifts) + reach


def _not_steady(row: Row) -> Facts | None:
    """The interval of the drift lies beyond STEADY.

    Not of a mixture: where the scheduler moved the threads in between, its thirds are of different kinds.
    """
    drifts = row.over_trials(DRIFT)
    reach = None if row.mixes else changes(drifts)
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
    if len(drifts) < FEWEST_FOR_AN_INTERVAL or (reach[0] <= GRAVE and reach[1] >= -GRAVE):
        return facts
    return {**facts, **_both(row), "level": "error"}


def _both(row: Row) -> Facts:
    late, whole = row.over_trials(LATE_HEADLINE), row.headline
    if not late or whole is None:
        return {}
    third = (
        f", {_written(row, median(late))} in the last third of the trials, {_written(row, whole.value)} in all of them"
    )
    return {"whole": whole.value, "late": median(late), "third": third}


def _written(row: Row, value: float) -> str:
    return quantities.time(value) if _is_time(row) else quantities.count(value)


def _is_time(row: Row) -> bool:
    return row.declared.figure(row.declared.headline_of(row.case)).unit == "ns"


def _few_trials(row: Row) -> Facts | None:
    """Fewer trials than a range takes; of none other checks say more."""
    return {"trials": len(row.trials)} if 0 < len(row.trials) < FEWEST_FOR_A_RANGE else None


def _wide(row: Row) -> Facts | None:
    found, trials = row.headline, len(row.trials)
    if trials < FEWEST_FOR_A_RANGE or found is None or found.half is None or found.half <= REMARKABLE:
        return None
    low, high = found.ends
    how = quantities.span(found.ends) if _is_time(row) else quantities.counts(low, high)
    said = f"{how} is {'its 95% interval' if found.kind == 'ci95' else 'the range of its trials'}"
    level = "warning" if found.half > WIDE else "note"
    why = reasons(row, _time_of(row), "were slower")
    return {"how": how, "said": said, "half": found.half, "why": why, "level": level}


def _time_of(row: Row) -> Callable[[Observation], float | None]:
    name, of_time = row.declared.headline_of(row.case), _is_time(row)

    def read(one: Observation) -> float | None:
        value = one.figures.get(name)
        return value if of_time or not value else 1e9 / value

    return read


def groups(values: Sequence[float]) -> tuple[list[float], list[float]] | None:
    """The two groups that values fall into, the lower first; None where they are one."""
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


def _modes(row: Row) -> Facts | None:
    """Find two groups, but not of a mixture: both of its kinds have their share of the time next to the headline."""
    if len(row.trials) < 2 * FEWEST_EACH or row.mixes or row.headline is None:
        return None
    read = _time_of(row)
    found = groups([value for one in row.trials if (value := read(one))])
    if found is None:
        return None
    (near, far), why = map(median, found), reasons(row, read, "were slower")
    return {"near": near, "far": far, "fold": far / near, "nearer": len(found[0]), "farther": len(found[1]), "why": why}


def _regime(row: Row) -> Facts | None:
    pace = row.value("sampling_pace")
    if pace is None or not any(row.number(f"{one.name}.samples") for one in row.declared.timed):
        return None
    most = REGIME_IN_A_CROWD if competing(row) else REGIME
    if 1 / most <= pace <= most:
        return None
    return {"fold": max(pace, 1 / pace), "way": "slower" if pace > 1 else "faster"}


def _disturbed(row: Row) -> Facts | None:
    """Test whether what happened in some windows moved the headline: those windows against the others of each trial.

    Within each trial the windows are ranked by pace; the rank sums of the windows with an event are added up over
    trials (van Elteren, On the combination of independent two-sample tests of Wilcoxon, 1960). What is expected of each
    is by how long windows lasted, as `observe` reads it: a window of so many operations that is slow lasts longer, and
    sees more events that did nothing to it.

    Not of a mixture: the windows in which the scheduler moved a thread are not like the others.
    """
    headline = row.headline
    if headline is None or not headline.value or row.mixes:
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


def _may_drift(row: Row) -> float:
    """Bound false alarms: only where trials differ by as much as is allowed can chance make all of them drift."""
    drifts = row.over_trials(DRIFT)
    fakes = len(drifts) >= FEWEST_FOR_A_RANGE and max(drifts) - min(drifts) > STEADY and not row.mixes
    return FALSELY if fakes else 0.0


def _may_split(row: Row) -> float:
    values = sorted(value for one in row.trials if (value := _time_of(row)(one)) and value > 0)
    fakes = len(values) >= 2 * FEWEST_EACH and math.log(values[-1] / values[0]) > APART and not row.mixes
    return FALSELY if fakes else 0.0


def _may_disturb(row: Row) -> float:
    seen = any(sum(row.over_trials(f"disturbed.{event}.variance")) for event in EVENTS)
    return FALSELY if seen and not row.mixes else 0.0


OF_HEADLINES = (
    RowCheck("few-trials", "warning", _few_trials),
    RowCheck("wide", "warning", _wide),
    RowCheck("modes", "warning", _modes, by_chance=_may_split),
)

OF_PACES = (
    RowCheck("not-steady", "warning", _not_steady, by_chance=_may_drift),
    RowCheck("regime", "warning", _regime),
    RowCheck("disturbed", "warning", _disturbed, by_chance=_may_disturb),
)
"""Checks of operations that follow each other as fast as they can: where a schedule sets the pace, it is no figure."""
