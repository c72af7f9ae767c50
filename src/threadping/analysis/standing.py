"""In which state each trial was measured: that of the pings on both its sides."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from threadping.analysis.states import States
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
    by_pair: dict[Pair, dict[int, list[int]]] = {}
    for place, ping in enumerate(states.pings):
        if ping.ns is not None:
            by_pair.setdefault(ping.cpus, {}).setdefault(ping.trials, []).append(place)
    gaps = {pair: (sorted(places), places) for pair, places in by_pair.items()}
    return [_standing(one, number, gaps, states) for number, one in enumerate(observations)]


Gaps = tuple[Sequence[int], Mapping[int, Sequence[int]]]
"""After how many trials a pair was pinged, ascending, and the places of those pings."""


def _standing(one: Observation, number: int, gaps: Mapping[Pair, Gaps], states: States) -> Standing:
    of_pairs = [pair for pair in one.case.placement.pairs if pair in gaps]
    if not of_pairs:
        return Standing()
    sides = [_sides(number, gaps[pair], states, alone=len(states.of_pair(pair)) == 1) for pair in of_pairs]
    labels = [tuple(None if place is None else states.of[place] for place in two) for two in sides]
    same = tuple(before for before, after in labels if before is not None and before == after)
    stayed = len(same) == len(of_pairs)
    before, after = (_mean(side, states) for side in zip(*sides, strict=True))
    return Standing(same if stayed else (), not stayed, before, after)


def _sides(number: int, gap: Gaps, states: States, *, alone: bool) -> tuple[int | None, int | None]:
    """The pings before and after a trial; where a run was cut off, the one that is there for both, if `alone`."""
    before, after = _before(number, gap, states), _after(number, gap, states)
    if alone:
        return after if before is None else before, before if after is None else after
    return before, after


def _before(number: int, gap: Gaps, states: States) -> int | None:
    ended, places = gap
    at = bisect_right(ended, number)
    return _in_a_state(places[ended[at - 1]][::-1], states) if at else None


def _after(number: int, gap: Gaps, states: States) -> int | None:
    ended, places = gap
    at = bisect_left(ended, number + 1)
    return _in_a_state(places[ended[at]], states) if at < len(ended) else None


def _in_a_state(places: Sequence[int], states: States) -> int:
    """The first that is in a state; the first of all where none is."""
    return next((place for place in places if states.of[place] is not None), places[0])


def _mean(places: Sequence[int | None], states: States) -> float | None:
    known = [states.pings[place].ns for place in places if place is not None]
    return fmean(ns for ns in known if ns is not None) if len(known) == len(places) else None
