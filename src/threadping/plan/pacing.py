"""What the trials of a run show of its plan: what they cost, and which of them were still warming up."""

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import Result
from threadping.plan.length import Length
from threadping.plan.plan import Plan

SHORTEST = 0.5
"""A warm-up that must make up for trials that took longer than planned is not cut below this share of itself."""

RECENT_TRIALS = 3
"""So many trials tell what the next one will take: those before had other limits to their warm-up."""


class _TimedTrial(Struct, frozen=True):
    """A trial that ended: the seconds that it took without its warm-up, those of that, and whether that was steady."""

    fixed_s: float
    warmup_s: float
    steady: bool

    def again_s(self, limit_s: float) -> float:
        """What it would take with this limit: halfway to it, where the last one was too low."""
        longer = (self.warmup_s + limit_s) / 2
        return self.fixed_s + min(limit_s, self.warmup_s if self.steady else longer)


class Pacing:
    """The length of the next trial of each case: as planned in the first round, and then by what its trials showed.

    What a trial measures stays as planned, so that all trials of a case are alike. Warm-ups share the time that is
    left: those that ended at their limit get what others do not need, and get less where trials took longer.
    """

    def __init__(self, plan: Plan) -> None:
        """Expect of each case what its plan says."""
        self._plan = plan
        self._lengths = list(plan.lengths)
        planned = zip(plan.start_s, plan.lengths, strict=True)
        self._has_ended = [False] * len(plan.cases)
        self._seen = [
            [_TimedTrial(start_s + length.measure_s, length.warmup_s, steady=False)] for start_s, length in planned
        ]

    def length(self, index: int) -> Length:
        """How long the next trial of a case is to be."""
        return self._lengths[index]

    def ended(self, index: int, wall_s: float, result: Result | None) -> None:
        """A trial of a case has taken so many seconds, its start and pings included."""
        warmup_s = result.warmup.ns / 1e9 if result else 0.0
        seen = _TimedTrial(wall_s - warmup_s, warmup_s, steady=result is None or result.warmup.ended != "limit")
        self._seen[index] = [*self._seen[index], seen][-RECENT_TRIALS:] if self._has_ended[index] else [seen]
        self._has_ended[index] = True

    def expected_s(self, index: int) -> float:
        """What the next trial of a case will take."""
        return fmean(one.again_s(self._lengths[index].warmup_s) for one in self._seen[index])

    def left_s(self, trials_left: Sequence[int], seconds: float) -> float:
        """What so many trials of each case will take: what they leave of these seconds, longer warm-ups may get."""
        needed_s, growing = self._needed_s(trials_left), self._growing(trials_left)
        room_s = sum(trials_left[i] * (self._plan.longest[i] - self._lengths[i].warmup_s) for i in growing)
        return max(needed_s, min(seconds, needed_s + room_s))

    def share_out(self, trials_left: Sequence[int], seconds: float) -> None:
        """Fit the warm-ups to the time that is left for so many trials of each case."""
        spare_s = seconds - self._needed_s(trials_left)
        if spare_s < 0:
            at_limit = self._at_limit(trials_left)
            warming_s = sum(trials_left[i] * self._lengths[i].warmup_s for i in at_limit)
            for i in at_limit:
                least = SHORTEST * self._plan.lengths[i].warmup_s
                self._limit(i, max(least, self._lengths[i].warmup_s * (1 + spare_s / warming_s)))
            return
        growing = self._growing(trials_left)
        trials = sum(trials_left[i] for i in growing)
        for i in growing:
            self._limit(i, min(self._plan.longest[i], self._lengths[i].warmup_s + spare_s / trials))

    def _needed_s(self, trials_left: Sequence[int]) -> float:
        return sum(left * self.expected_s(index) for index, left in enumerate(trials_left) if left)

    def _at_limit(self, trials_left: Sequence[int]) -> list[int]:
        return [i for i, left in enumerate(trials_left) if left and not self._seen[i][-1].steady]

    def _growing(self, trials_left: Sequence[int]) -> list[int]:
        """Those at their limit that may have a longer warm-up."""
        return [i for i in self._at_limit(trials_left) if self._lengths[i].warmup_s < self._plan.longest[i]]

    def _limit(self, index: int, warmup_s: float) -> None:
        self._lengths[index] = replace(self._lengths[index], warmup_s=warmup_s)
