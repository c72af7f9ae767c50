"""In which state each trial was measured: that of the pings on both its sides."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from statistics import fmean

from msgspec import Struct

from threadping.analysis.states import States
from threadping.grouping import gathered
from threadping.model import Observation, Pair


class Standing(Struct, frozen=True):
    """How the CPUs of a trial stood while it was measured.

    Attributes:
        states: for each pair of its CPUs the place of its state among those found; empty where it has none: unpinned,
            on one CPU, never pinged, or crossed.
        crossed: its state changed under way, or is unknown: the trial enters no row.
        before: the pings before it in nanoseconds, the mean over its pairs; None where there is none.
        after: the same after it.
    """

    states: tuple[int, ...] = ()
    crossed: bool = False
    before: float | None = None
    after: float | None = None

    @property
    def core_to_core_ns(self) -> float | None:
        """The mean of the pings around it; None where a side has none."""
        return None if self.before is None or self.after is None else (self.before + self.after) / 2


def standings(observations: Sequence[Observation], states: States) -> list[Standing]:
    """How the CPUs of each trial stood; of all trials of a run that ended, in the order in which they did.

    Several pings of a pair may stand between two trials, because one that is unlike the one before is taken again:
    of those in a state the last stands before the next trial, and the first after the one before. The last trial of a
    run that was killed has none after it: while its CPUs were in one state only, it is taken to have been in that.
    """
    taken = gathered((ping.cpus, place) for place, ping in enumerate(states.pings) if ping.ns is not None)
    of_pairs = Counter(state.cpus for state in states.found)
    return [_standing(one, number, taken, states, of_pairs) for number, one in enumerate(observations)]


def _standing(
    one: Observation, number: int, taken: Mapping[Pair, Sequence[int]], states: States, found: Mapping[Pair, int]
) -> Standing:
    of_pairs = [pair for pair in one.case.placement.pairs if pair in taken]
    if not of_pairs:
        return Standing()
    sides = [_sides(number, taken[pair], states, alone=found[pair] == 1) for pair in of_pairs]
    labels = [tuple(None if place is None else states.of[place] for place in two) for two in sides]
    same = tuple(before for before, after in labels if before is not None and before == after)
    stayed = len(same) == len(of_pairs)
    before, after = (_mean(side, states) for side in zip(*sides, strict=True))
    return Standing(same if stayed else (), not stayed, before, after)


def _sides(number: int, taken: Sequence[int], states: States, *, alone: bool) -> tuple[int | None, int | None]:
    """The pings before and after a trial; where a run was cut off, the one that is there for both, if `alone`."""
    at = bisect_right(taken, number, key=lambda place: states.pings[place].trials)
    before = _nearest((taken[place] for place in range(at - 1, -1, -1)), states)
    after = _nearest((taken[place] for place in range(at, len(taken))), states)
    if alone:
        return after if before is None else before, before if after is None else after
    return before, after


def _nearest(taken: Iterator[int], states: States) -> int | None:
    """Of the pings between two trials the first that is in a state, else the first; None where there is none."""
    first = next(taken, None)
    if first is None or states.of[first] is not None:
        return first
    gap = takewhile(lambda place: states.pings[place].trials == states.pings[first].trials, taken)
    return next((place for place in gap if states.of[place] is not None), first)


def _mean(places: Sequence[int | None], states: States) -> float | None:
    known = [ns for place in places if place is not None and (ns := states.pings[place].ns) is not None]
    return fmean(known) if len(known) == len(places) else None
