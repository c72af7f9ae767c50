"""Closed loops: threads that do nothing but operate, so that there is always the same number of operations under way.

What is under way, times the time from one operation to the next, is the mean of what an operation takes (Little, A
Proof for the Queuing Formula L = lambda W, 1961). By that waits are judged, and whether single ones can be timed.
"""

from collections.abc import Callable
from statistics import median

from msgspec import Struct

from threadping.analysis.checks import Fact, Facts
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.figures import Percentiles
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.warnings.samples import SLOW_NS
from threadping.model.cases import Case

IDENTITY = 1.1
"""How many times as long as its loop allows a mean may be: a tenth for clocks and windows. Where trials keep the
identity and differ by 10% (as those of sleepers) none of 1,000 rows of six is beyond it; by 30%, one in four, and each
of them shows a mean and a rate that do not fit together, which is what the note says (simulated in the tests)."""

READINGS = 2
"""An operation that is timed by itself has so many readings of the clock around it."""


class ClosedLoop(Struct, frozen=True):
    """A distribution of what a closed loop does.

    Attributes:
        timed: the distribution.
        under_way: how many operations are under way at once; 0 where that is not known, or nobody else is there.
        besides: figures that are of what was timed too, and stand outside the distribution's percentiles.
        parts: distributions of some of what was timed.
    """

    timed: Percentiles
    under_way: Callable[[Case], int]
    besides: tuple[str, ...] = ()
    parts: tuple[Percentiles, ...] = ()

    @property
    def checks(self) -> tuple[RowCheck, RowCheck]:
        """In this order: what is not shown is not held against anything."""
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
        """By the trials themselves; else by what is shown of them together."""
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
    """How many times as long as the loop allows a mean is: a reading of the clock comes on top."""
    return mean_ns / (under_way * 1e9 / ops_per_s + clock_ns)


def _why(row: Row, cycle_ns: float, factor: float) -> str:
    """What can be seen of the reason; nothing is said of what was not looked at."""
    readings, pace = READINGS * row.number("clock_cost_ns"), row.number("sampling_pace", 1.0)
    if factor <= IDENTITY * pace:
        return f"operations were {pace:.3g} times as slow while some of them were timed"
    if readings > (IDENTITY - 1) * cycle_ns:
        return (
            "the clock readings around an operation are more than a tenth of that, and a thread that reads a clock "
            "lets the others go first: it is the wait of a thread that pauses so long"
        )
    return "why is not known"
