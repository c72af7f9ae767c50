"""What the trials of a run show of its plan: what they cost, and which of them were still warming up."""

from collections.abc import Sequence
from statistics import fmean

from msgspec.structs import replace

from threadping.contract import Result
from threadping.plan.length import Length
from threadping.plan.rounds import Plan

SHORTEST = 0.5
"""A warm-up that must make up for trials that took longer than planned is not cut below this share of itself."""


class Pacing:
    """The length of the next trial of each case: as planned in the first round, and then by what its trials showed.

    What a trial measures stays as planned, so that all trials of a case are alike. Warm-ups share the time that is
    left: those that ended at their limit get what others do not need, and all get less where trials took longer.
    """

    def __init__(self, plan: Plan) -> None:
        """Begin with the plan."""
        self._plan = plan
        self._lengths = list(plan.lengths)
        self._costs: list[list[float]] = [[] for _ in plan.cases]
        self._starts: list[list[float]] = [[] for _ in plan.cases]
        self._unsteady = [False] * len(plan.cases)

    def length(self, index: int) -> Length:
        """How long the next trial of a case is to be."""
        return self._lengths[index]

    def ended(self, index: int, wall_s: float, result: Result | None) -> None:
        """A trial of a case has taken so many seconds, its start and pings included."""
        self._costs[index].append(wall_s)
        if result is not None:
            self._starts[index].append(max(0.0, wall_s - (result.warmup.ns + result.measured.ns) / 1e9))
            self._unsteady[index] = result.warmup.ended == "limit"

    def expected_s(self, index: int) -> float:
        """What the next trial of a case will take."""
        length = self._lengths[index]
        if not self._starts[index]:
            return fmean(self._costs[index] or [self._plan.start_s[index] + length.seconds])
        full = fmean(self._starts[index]) + length.seconds
        return full if self._unsteady[index] else min(full, fmean(self._costs[index]))

    def left_s(self, trials_left: Sequence[int]) -> float:
        """What so many trials of each case will take."""
        return sum(left * self.expected_s(index) for index, left in enumerate(trials_left) if left)

    def share_out(self, trials_left: Sequence[int], seconds: float) -> None:
        """Fit the warm-ups to the time that is left for so many trials of each case."""
        due = [index for index, left in enumerate(trials_left) if left]
        spare = seconds - self.left_s(trials_left)
        if spare < 0:
            cut = [index for index in due if self._unsteady[index]]
            warming = sum(trials_left[index] * self._lengths[index].warmup_s for index in cut)
            share = max(SHORTEST, 1 + spare / warming) if warming else 1.0
            for index in cut:
                least = SHORTEST * self._plan.lengths[index].warmup_s
                self._limit(index, max(least, self._lengths[index].warmup_s * share))
            return
        growing = [i for i in due if self._unsteady[i] and self._lengths[i].warmup_s < self._plan.longest[i]]
        trials = sum(trials_left[index] for index in growing)
        for index in growing:
            self._limit(index, min(self._plan.longest[index], self._lengths[index].warmup_s + spare / trials))

    def _limit(self, index: int, warmup_s: float) -> None:
        self._lengths[index] = replace(self._lengths[index], warmup_s=warmup_s)
