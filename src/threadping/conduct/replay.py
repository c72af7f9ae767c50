"""What a run had measured until it stopped, replayed to its schedule, which then stands where it stood."""

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from threadping.analysis.states import near
from threadping.model.cases import Case, Pair
from threadping.model.errors import ThreadpingError
from threadping.model.grouping import gathered
from threadping.model.run import Resumed
from threadping.model.trials import Observation, ReferencePing, Trial
from threadping.planning.schedule import Batch, Levels, Schedule

Done = Sequence[tuple[Trial, Observation]]
"""Trials that were measured at once."""


class Past(Struct, frozen=True):
    """What is stored of a run that is resumed, each in the order in which it was stored."""

    trials: Sequence[Trial] = ()
    observations: Sequence[Observation] = ()
    pings: Sequence[ReferencePing] = ()

    @property
    def batches(self) -> Iterator[Done]:
        """The trials, those that were measured at once together."""
        both, first = list(zip(self.trials, self.observations, strict=True)), 0
        while first < len(both):
            size = both[first][0].beside + 1
            yield both[first : first + size]
            first += size


class Heard:
    """The pings of a run, and how pairs stood by them around its trials."""

    def __init__(self, pings: Sequence[ReferencePing], resumed: Sequence[Resumed] = ()) -> None:
        """Take pings in the order in which they were taken; those that were taken anew after a gap count once."""
        anew = {one.trials: one.pings for one in resumed}
        counting = (one for place, one in enumerate(pings) if place >= anew.get(one.trials, 0))
        self._of: Mapping[Pair, Sequence[ReferencePing]] = gathered((one.cpus, one) for one in counting)

    def before(self, pairs: Sequence[Pair], trials: int) -> Levels:
        """How pairs stood when a trial began before which so many had ended."""
        return _known([self._before(pair, trials) for pair in pairs])

    def after(self, pairs: Sequence[Pair], trials: int) -> Levels:
        """How pairs stood when a trial had ended with which so many had: what was pinged later is of the next one."""
        return _known([self._after(pair, trials) for pair in pairs])

    def last(self, trials: int) -> dict[Pair, ReferencePing]:
        """The last ping of each pair that was taken before so many trials had ended."""
        found = ((pair, self._before(pair, trials - 1)) for pair in self._of)
        return {pair: ping for pair, ping in found if ping}

    def _before(self, pair: Pair, trials: int) -> ReferencePing | None:
        pings = self._of.get(pair, ())
        return pings[end - 1] if (end := _end(pings, trials)) else None

    def _after(self, pair: Pair, trials: int) -> ReferencePing | None:
        pings, earlier = self._of.get(pair, ()), self._before(pair, trials - 1)
        two = pings[_end(pings, trials - 1) :][:2]
        if not two or two[0].trials != trials:
            return earlier
        first, *again = [one for one in two if one.trials == trials]
        unlike = first.ns and earlier and earlier.ns and not near(earlier.ns, first.ns)
        return again[0] if unlike and again else first


def _end(pings: Sequence[ReferencePing], trials: int) -> int:
    """How many of the pings of a pair were taken before more than so many trials had ended."""
    return bisect_right(pings, trials, key=lambda one: one.trials)


def _known(pings: Sequence[ReferencePing | None]) -> Levels:
    levels = tuple(one.ns for one in pings if one is not None and one.ns is not None)
    return levels if len(levels) == len(pings) else ()


def chosen(schedule: Schedule, done: Done, places: Mapping[Case, int]) -> Batch:
    """The schedule's own choice that led to these trials; what it would choose before them waited for a state.

    Raises:
        ThreadpingError: it would never have chosen them.
    """
    wanted = [(places.get(trial.case), trial.round, trial.side) for trial, _ in done]
    waiting: set[int] = set()
    while batch := schedule.next(waiting, _unknown):
        if [(turn.case, turn.round, turn.side) for turn in batch] == wanted:
            return batch
        if _all_wait(batch, waiting):
            break
        waiting.update(turn.case for turn in batch)
    raise ThreadpingError(
        "The run cannot be resumed: its trials are not those that its plan leads to, so that another threadping must "
        "have measured it. Measure again."
    )


def _unknown(_case: int) -> Levels:
    return ()


def _all_wait(batch: Batch, waiting: Collection[int]) -> bool:
    return all(turn.case in waiting for turn in batch)
