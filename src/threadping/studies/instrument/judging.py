"""Whether what was measured grew by what was planted: slopes inside blocks, and stalls that are counted."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal

from threadping.analysis.answer import Observed
from threadping.analysis.estimate import Estimate, estimate
from threadping.contract import Distribution
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.trials import Observation

FEWEST_BLOCKS = 6
"""From so many on a slope has an interval of 95%."""

InstrumentVerdict = Literal["true", "off", "cannot tell"]
INSTRUMENT_VERDICTS: Sequence[InstrumentVerdict] = ("true", "cannot tell", "off")
"""The worst last."""

ROUND_TRIP, DELAY, STALLS = "calibration.round_trip_ns", "calibration.delay_ns", "calibration.stalls"


class JudgedPart(Record, frozen=True):
    """A part of the instrument.

    Attributes:
        name: `spinners`, `sleepers` or `stalls`.
        value: the slope of round trips over delays, or seen stalls over planted ones; None where nothing is known.
        planted: how many delays, or stalls.
        verdict: whether it is what it should be.
        moves: how often the machine moved meanwhile, where that matters to it.
    """

    name: str
    value: Estimate | None
    planted: int
    verdict: InstrumentVerdict
    moves: int = 0


def weighted_median(values: Sequence[tuple[float, float]]) -> float:
    """Of values with their weights: that at which half of the weight is reached; at least one."""
    ordered = sorted(values)
    half, reached = sum(weight for _, weight in ordered) / 2, 0.0
    for value, weight in ordered:
        reached += weight
        if reached >= half:
            return value
    return ordered[-1][0]


Planted = tuple[float, float]
"""What was planted, and what was measured (ns)."""


def slope_of(*states: Sequence[Planted]) -> float | None:
    """How much the second grows with the first, by the slopes of all pairs of points, the far ones counting more.

    Both points of a pair are of one state of the machine: between two states a round trip differs by more than what
    was planted. None where no pair is as far apart as MOST_OF_SPAN of all points.
    """
    pairs = [two for points in states for two in combinations(points, 2)]
    slopes = [((y - one_y) / (x - one_x), abs(x - one_x)) for (one_x, one_y), (x, y) in pairs if x != one_x]
    planted = [x for points in states for x, _ in points]
    farthest = max((weight for _, weight in slopes), default=0.0)
    return weighted_median(slopes) if farthest and farthest >= MOST_OF_SPAN * (max(planted) - min(planted)) else None


MOST_OF_SPAN = 0.5
"""Of a block of which only near delays were measured in one state the slope is mostly noise."""


def slopes(trials: Sequence[Observed]) -> list[float]:
    """Of each block, which has every delay once, its slope within the states in which its trials were measured."""
    points = gathered(
        (one.observation.round, (_state(one), (figures[DELAY], figures[ROUND_TRIP])))
        for one in trials
        if DELAY in (figures := one.observation.figures) and ROUND_TRIP in figures and not _is_moved(one)
    )
    found = (slope_of(*gathered(of_block).values()) for of_block in points.values())
    return [slope for slope in found if slope is not None]


def _state(one: Observed) -> tuple[int, ...]:
    """The state that its round trips depend on: those of sleepers take a hundred times as long as any state's."""
    return () if one.observation.case.blocking else one.standing.states


def _is_moved(one: Observed) -> bool:
    """Whether the machine moved while it was measured, or may have, and it depends on that."""
    return one.standing.crossed and not one.observation.case.blocking


def judge_slope(name: str, trials: Sequence[Observed], tolerance: float, moves: int) -> JudgedPart:
    """Whether round trips grew by the delays: off where the whole interval lies further from 1 than is tolerated.

    Args:
        name: of the part.
        trials: all of it.
        tolerance: by how much the slope may differ from 1.
        moves: how often the machine moved meanwhile; it does not matter to threads that sleep.
    """
    found = slopes(trials)
    moved = 0 if all(one.observation.case.blocking for one in trials) else moves

    def part(verdict: InstrumentVerdict) -> JudgedPart:
        return JudgedPart(name, estimate(found) if found else None, len(found), verdict, moved)

    if len(found) < FEWEST_BLOCKS:
        return part("cannot tell")
    value = estimate(found)
    low, high = value.ends
    if abs(value.value - 1) <= tolerance:
        return part("true")
    return part("off" if low > 1 + tolerance or high < 1 - tolerance else "cannot tell")


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
