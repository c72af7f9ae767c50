"""How pairs of CPUs stood: in which state each trial was measured, and every ping of a run or several in its place."""

from bisect import bisect, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from msgspec import Struct

from threadping.analysis.states import States
from threadping.contract import Topology
from threadping.grouping import gathered
from threadping.model.cases import Pair
from threadping.model.trials import Observation, State
from threadping.relation import relation


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
    labels = [[None if place is None else states.of[place] for place in two] for two in sides]
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
    return sum(known) / len(known) if len(known) == len(places) else None


class Taken(Struct, frozen=True, omit_defaults=True):
    """A ping of a pair: of which run, when (seconds since 1970), and the place of its state among the pair's.

    Without `ns` it failed, and `failure` says why; without a `state` it is in none.
    """

    run: int
    at: float
    ns: float | None
    state: int | None
    failure: str | None = None


class Watched(Struct, frozen=True, omit_defaults=True):
    """A pair of CPUs over one run or several.

    Attributes:
        cpus: the pair.
        placement: what they share, as the system says; None where it no longer knows them.
        changes: how often the state changed while they were watched.
        pings: how many were taken; `between` are in no state, and `failed` have no figure.
        states: the nearest first.
        series: the pings, run by run, in the order in which they were taken.
        crossed: when those trials ended whose state was not the same before and after, in seconds since 1970.
    """

    cpus: Pair
    placement: str | None
    changes: int
    pings: int
    between: int
    failed: int
    states: Sequence[State]
    series: Sequence[Taken]
    crossed: Sequence[float] = ()


def watched_pairs(
    states: States, runs: Iterable[int], topology: Topology, observations: Sequence[Observation] = ()
) -> list[Watched]:
    """Each pair with its states and pings.

    Args:
        states: of all pings.
        runs: of which run each ping is.
        topology: what CPUs share, as the system says.
        observations: of the run, where there is one, to say which trials crossed.
    """
    series: dict[Pair, list[Taken]] = {pair: [] for pair in states.pairs}
    for run, one, place in zip(runs, states.pings, states.of, strict=False):
        state = None if place is None else place - states.first_of(one.cpus)
        series[one.cpus].append(Taken(run, one.at, one.ns, state, one.failure))
    crossed = _crossed(observations, states) if observations else {}
    cpus = {cpu.cpu: cpu for cpu in topology.cpus}
    return [
        Watched(
            cpus=pair,
            placement=relation(*(cpus[cpu] for cpu in pair)) if cpus.keys() >= set(pair) else None,
            changes=states.changes.get(pair, 0),
            pings=len(taken),
            between=sum(one.ns is not None and one.state is None for one in taken),
            failed=sum(one.ns is None for one in taken),
            states=states.of_pair(pair),
            series=taken,
            crossed=crossed.get(pair, ()),
        )
        for pair, taken in series.items()
    ]


def _crossed(observations: Sequence[Observation], states: States) -> dict[Pair, list[float]]:
    """For each pair when the trials on it ended that crossed: at the first ping that knows of their end."""
    of_pairs = gathered((ping.cpus, ping) for ping in states.pings)
    found: dict[Pair, list[float]] = {}
    for number, (one, standing) in enumerate(zip(observations, standings(observations, states), strict=True)):
        if standing.crossed and not one.failure:
            for pair in of_pairs.keys() & set(one.case.placement.pairs):
                taken = of_pairs[pair]
                after = bisect(taken, number, key=lambda ping: ping.trials)
                found.setdefault(pair, []).append(taken[min(after, len(taken) - 1)].at)
    return found
