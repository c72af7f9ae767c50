"""Whether what was measured grew by what was planted: slopes inside blocks, and stalls that are counted."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

from threadping.analysis.estimate import Estimate, estimate
from threadping.contract import Distribution
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.trials import Observation

FEWEST_BLOCKS = 6
"""From so many on a slope has an interval of 95%."""

InstrumentVerdict = Literal["true", "off", "cannot tell"]
INSTRUMENT_VERDICTS: Sequence[InstrumentVerdict] = ("true", "cannot tell", "off")
"""By their exit codes."""

ROUND_TRIP, DELAY, STALLS = "calibration.round_trip_ns", "calibration.delay_ns", "calibration.stalls"


class JudgedPart(Record, frozen=True):
    """A part of the instrument.

    Attributes:
        name: `spinners`, `sleepers` or `stalls`.
        value: the slope of round trips over delays, or seen stalls over planted ones; None where nothing is known.
        planted: how many delays, or stalls.
        verdict: whether it is what it should be.
    """

    name: str
    value: Estimate | None
    planted: int
    verdict: InstrumentVerdict


def weighted_median(values: Sequence[tuple[float, float]]) -> float:
    """Of values with their weights: that at which half of the weight is reached; at least one."""
    ordered = sorted(values)
    half, reached = sum(weight for _, weight in ordered) / 2, 0.0
    for value, weight in ordered:
        reached += weight
        if reached >= half:
            return value
    return ordered[-1][0]


def slope_of(points: Sequence[tuple[float, float]]) -> float | None:
    """How much the second grows with the first, by the slopes of all pairs of points, the far ones counting more."""
    slopes = [
        ((other_y - one_y) / (other_x - one_x), abs(other_x - one_x))
        for (one_x, one_y), (other_x, other_y) in combinations(points, 2)
        if other_x != one_x
    ]
    return weighted_median(slopes) if slopes else None


def slopes(trials: Sequence[Observation]) -> list[float]:
    """Of each block, which has every delay once, its slope."""
    points = gathered(
        (one.round, (one.figures[DELAY], one.figures[ROUND_TRIP]))
        for one in trials
        if DELAY in one.figures and ROUND_TRIP in one.figures
    )
    return [slope for of_block in points.values() if (slope := slope_of(of_block)) is not None]


def judge_slope(name: str, trials: Sequence[Observation], tolerance: float) -> JudgedPart:
    """Whether round trips grew by the delays: off where the whole interval lies further from 1 than is tolerated."""
    found = slopes(trials)
    if len(found) < FEWEST_BLOCKS:
        return JudgedPart(name, estimate(found) if found else None, len(found), "cannot tell")
    value = estimate(found)
    low, high = value.ends
    if abs(value.value - 1) <= tolerance:
        return JudgedPart(name, value, len(found), "true")
    beyond = low > 1 + tolerance or high < 1 - tolerance
    return JudgedPart(name, value, len(found), "off" if beyond else "cannot tell")


BAND = (0.9, 1.6)
"""A round trip that takes so many times as long as a stall has one in it. What takes longer was stopped by something
else: its trial is not counted."""


def stalls_seen(trips: Distribution, stall_ns: float) -> int | None:
    """How many round trips had a stall in them; None where one was stopped for longer."""
    low, high = (times * stall_ns for times in BAND)
    counts = list(zip(trips.values, trips.counts, strict=True))
    if any(ns > high for ns, _ in counts):
        return None
    return sum(count for ns, count in counts if ns >= low)


def judge_stalls(trials: Sequence[Observation]) -> JudgedPart:
    """Whether every planted stall was counted, and nothing else: exactly, of the trials that nothing else stopped."""
    pairs = [*_stalls(trials)]
    planted, seen = sum(of for of, _ in pairs), sum(of for _, of in pairs)
    if not planted:
        return JudgedPart("stalls", None, 0, "cannot tell")
    return JudgedPart("stalls", Estimate(seen / planted), planted, "true" if seen == planted else "off")


def _stalls(trials: Sequence[Observation]) -> Iterator[tuple[int, int]]:
    for one in trials:
        trips, stall = one.distributions.get("round_trip_ns"), one.case.params.get("stall")
        seen = stalls_seen(trips, stall) if trips is not None and isinstance(stall, int) else None
        if seen is not None and STALLS in one.figures:
            yield int(one.figures[STALLS]), seen
