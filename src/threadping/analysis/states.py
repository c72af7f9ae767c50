"""Pings become states: the placement state at any time, and the state in which each trial was measured.

A hypervisor moves virtual CPUs, so the distance of two of them is a property of the moment. Per pair of CPUs pings are
clusters on a logarithmic scale, cut where a gap exceeds GAP. Pings that no neighbour in time confirms found no
cluster: one that was disturbed, or taken while the state changed, lies anywhere between two.
"""

import re
from bisect import bisect, bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, count, pairwise, takewhile
from math import inf, sqrt
from operator import eq
from statistics import median
from typing import NamedTuple, TypeVar

from msgspec import Struct

from threadping.model.base import gathered
from threadping.model.cases import Pair
from threadping.model.contract import Topology
from threadping.model.errors import UsageError
from threadping.model.run import Observation, ReferencePing, Resumed, State
from threadping.probes.placements import relation

GAP = 1.25
"""Within a state pings lie closer together, and states lie further apart, on every machine that was seen: drift and
one pair of near cores for another make 15%, another core complex or socket makes 2x to 5x."""

REACH = sqrt(GAP)
"""The ratio within which many pings are dense, one beyond a state's others still belongs to it, and two consecutive
ones agree. With GAP those that saw a little of another state too were confirmed, and bridged states 1.5x apart in 14 of
6,000 simulated runs; with REACH in none."""

SPARSE = 1 / 1000
"""Pings so few among all of a pair found no state, and bridge no gap: of 100,000 some are confirmed by chance."""


class States(Struct, frozen=True):
    """The pings of a run, or of several, and the states that they fall into."""

    pings: Sequence[ReferencePing] = ()  # as they were taken
    of: Sequence[int | None] = ()  # for each of them the place of its state among `found`; None where it is in none
    found: Sequence[State] = ()  # pair by pair, the nearest first
    changes: dict[Pair, int] = {}  # for each pair how often its state changed while it was watched

    @property
    def pairs(self) -> list[Pair]:
        return sorted({one.cpus for one in self.pings})

    def of_pair(self, pair: Pair) -> list[State]:
        """The states of a pair, the nearest first."""
        first = self.first_of(pair)
        return list(self.found[first : bisect_right(self.found, pair, first, key=lambda state: state.cpus)])

    def first_of(self, pair: Pair) -> int:
        """The place of a pair's first state among those found, which are sorted by pairs: there may be thousands."""
        return bisect_left(self.found, pair, key=lambda state: state.cpus)


NO_STATES = States()  # the states of a run that pinged no CPUs: unpinned, or on one CPU


def alike(one: float, other: float, within: float = GAP) -> bool:
    """Return whether two pings may be of one state; whether consecutive ones agree, `within` REACH."""
    return max(one, other) <= within * min(one, other)


def watching(
    pings: Sequence[ReferencePing], resumed: Sequence[Resumed] = ()
) -> tuple[list[ReferencePing], list[list[ReferencePing]]]:
    """Return the pings of pairs that were pinged before the first trial of a run alone: the survey; and the others.

    These are divided where the run was resumed: before that nobody watched.
    """
    used = {one.cpus for one in pings if one.trials}
    survey = {one.cpus for one in pings if used and one.cpus not in used}
    cuts = [0, *(one.pings for one in resumed), len(pings)]
    parts = [[one for one in pings[first:last] if one.cpus not in survey] for first, last in pairwise(cuts)]
    return [one for one in pings if one.cpus in survey], parts


def states_of(*runs: Sequence[ReferencePing]) -> States:
    """The states of pings, each run's in the order in which they were taken; 100,000 take less than a second."""
    everything = [one for run in runs for one in run]
    of: list[int | None] = [None] * len(everything)
    found: list[State] = []
    changes: dict[Pair, int] = {}
    places, agree = count(), partial(alike, within=REACH)
    of_runs = [
        gathered(
            (one.cpus, _TimedPing(place, one.at, one.ns))
            for one, place in zip(run, places, strict=False)
            if one.ns is not None
        )
        for run in runs
    ]
    by_pair = gathered((pair, seen) for of_run in of_runs for pair, seen in of_run.items())
    for pair, series in sorted(by_pair.items()):
        bounds = _bounds(ns for run in series for ns in _confirmed([one.ns for one in run], agree) if ns is not None)
        # alone between pings of other clusters one was disturbed, or saw a change
        labels = ([_label(one.ns, bounds) for one in run] for run in series)
        labelled = [list(zip(run, _confirmed(own, eq), strict=True)) for run, own in zip(series, labels, strict=True)]
        held = [list(stretches([(one.at, label) for one, label in run if label is not None])) for run in labelled]
        changes[pair] = sum(max(0, len(run) - 1) for run in held)
        values: list[list[float]] = [[] for _ in bounds]
        for one, label in chain.from_iterable(labelled):
            if label is not None:
                of[one.place] = len(found) + label
                values[label].append(one.ns)
        every = [stretch for run in held for stretch in run]
        of_time = shares(every, Counter({label: len(of_it) for label, of_it in enumerate(values)}))
        for label, of_it in enumerate(values):
            dwell = tuple(seconds for state, seconds in every if state == label)
            found.append(State(pair, median(of_it), (min(of_it), max(of_it)), of_time[label], len(of_it), dwell))
    return States(everything, of, found, changes)


_T = TypeVar("_T")


class _TimedPing(NamedTuple):
    """A ping of a pair: its place among all, and when it was taken."""

    place: int
    at: float
    ns: float


def _confirmed(run: Sequence[_T], agree: Callable[[_T, _T], bool]) -> list[_T | None]:
    """Keep those that agree with a neighbour in time, else None; one that is all alone has none against it."""
    together = [agree(*two) for two in pairwise(run)]
    similar = zip([len(run) == 1, *together], [*together, False], strict=True)
    return [one if a or b else None for one, (a, b) in zip(run, similar, strict=True)]


def _bounds(steady: Iterable[float]) -> list[tuple[float, float]]:
    ordered = sorted(steady)
    few = int(len(ordered) * SPARSE)
    beyond = [-inf] * few + ordered + [inf] * few
    found: list[tuple[float, float]] = []
    for below, ns, above in zip(beyond, ordered, beyond[2 * few :], strict=False):
        if above > REACH * ns and ns > REACH * below:
            continue
        if found and ns <= GAP * found[-1][1]:
            found[-1] = (found[-1][0], ns)
        else:
            found.append((ns, ns))
    return found


def _label(ns: float, bounds: Sequence[tuple[float, float]]) -> int | None:
    after = bisect_left(bounds, ns, key=lambda one: one[1])  # the first that does not end below it
    if after < len(bounds) and ns * REACH >= bounds[after][0]:
        return after
    return after - 1 if after and ns <= REACH * bounds[after - 1][1] else None


def stretches(series: Sequence[tuple[float, int]]) -> Iterator[tuple[int, float]]:
    """Yield each time that a state held, in seconds: the time between two pings is half of each one's."""
    middles = [(a + b) / 2 for (a, _), (b, _) in pairwise(series)]
    ends = [*(at for at, _ in series[:1]), *middles, *(at for at, _ in series[-1:])]
    begun = 0
    for i, (_, label) in enumerate(series):
        if i + 1 == len(series) or series[i + 1][1] != label:
            yield label, max(0.0, ends[i + 1] - ends[begun])  # a clock may be set back
            begun = i + 1


def shares(held: Sequence[tuple[int, float]], pings: Counter[int]) -> dict[int, float]:
    watched = sum(seconds for _, seconds in held)
    if not watched:
        return {label: number / pings.total() for label, number in pings.items()}
    return {label: sum(seconds for of, seconds in held if of == label) / watched for label in pings}


LOW, HIGH = "low", "high"


class StateFilter(Struct, frozen=True):
    """A placement state by its text: `low`, `high`, or the ends of a range of pings in nanoseconds.

    The only known state is `low`; a `high` one needs two known states.
    """

    text: str
    range: tuple[float, float] | None = None

    def holds(self, ns: float, seen: Iterable[float]) -> bool:
        """Return whether a ping is of it; `seen` are other pings of the pair, of this run and of those before."""
        if self.range:
            return self.range[0] <= ns <= self.range[1]
        levels = [ns, *seen]
        if self.text == HIGH:
            return alike(ns, max(levels)) and not alike(ns, min(levels))
        return alike(ns, min(levels))

    def is_only(self, seen: Sequence[float]) -> bool:
        """Return whether these pings are of one state, so that no state is known to be high."""
        return self.text == HIGH and alike(min(seen, default=1), max(seen, default=1))


def parse_state(text: str | None) -> StateFilter | None:
    """Read `low`, `high`, `20-40ns`, or `20-40`, its stored form; UsageError for anything else."""
    if text is None:
        return None
    if text in (LOW, HIGH):
        return StateFilter(text)
    match = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)-(\d{1,9}(?:\.\d+)?)(?:\s*ns)?", text.strip())
    if not match or float(match[1]) > float(match[2]):
        raise UsageError(f"--state '{text}' is not a state. Write low, high, or a range of pings: 20-40ns.")
    return StateFilter(text, (float(match[1]), float(match[2])))


class TrialStates(Struct, frozen=True):
    """The states of the CPUs of a trial while it was measured."""

    # for each pair of its CPUs the place of its state among those found; empty where it has none: unpinned, on one CPU,
    # never pinged, or changed under way
    states: tuple[int, ...] = ()
    changed: bool = False  # the state changed during the trial, or is unknown: the trial enters no row
    before: float | None = None  # the pings before it in nanoseconds, the mean over its pairs; None where there is none
    after: float | None = None  # the same after it

    @property
    def core_to_core_ns(self) -> float | None:
        """The mean of the pings around it; None where a side has none."""
        return None if self.before is None or self.after is None else (self.before + self.after) / 2


def standings(observations: Sequence[Observation], states: States) -> list[TrialStates]:
    """Return the states of the CPUs of each trial, of all trials of a run that ended, in that order.

    Several pings of a pair may be between two trials, because one that is unlike the one before is taken again:
    of those in a state the last counts for the next trial, and the first for the trial before. What a trial pinged
    itself counts in any case: a state that comes for less than a trial is seen by that alone. The last trial of a run
    that was killed has none after it: while its CPUs were in one state only, it is taken to have been in that.
    """
    taken = gathered((ping.cpus, place) for place, ping in enumerate(states.pings) if ping.ns is not None)
    of_pairs, times = Counter(state.cpus for state in states.found), [ping.ns or 0.0 for ping in states.pings]
    found = []
    for number, one in enumerate(observations):
        sides: tuple[list[int | None], list[int | None]] = ([], [])
        for pair in one.case.placement.pairs:
            own = taken.get(pair, [])
            at = bisect_right(own, number, key=lambda place: states.pings[place].trials)
            before = _nearest((own[place] for place in range(at - 1, -1, -1)), states)
            after = _nearest((own[place] for place in range(at, len(own))), states)
            if of_pairs[pair] == 1:  # where a run was cut off, the ping that is there is for both sides
                before, after = after if before is None else before, before if after is None else after
            if own:
                sides[0].append(before)
                sides[1].append(after)
        labels = [[None if place is None else states.of[place] for place in two] for two in zip(*sides, strict=True)]
        same = tuple(before for before, after in labels if before is not None and before == after)
        stayed = len(same) == len(labels)
        known = [[times[place] for place in side if place is not None] for side in sides]
        means = [sum(of) / len(of) if of and len(of) == len(labels) else None for of in known]
        found.append(TrialStates(same if stayed else (), not stayed, *means))
    return found


def _nearest(taken: Iterator[int], states: States) -> int | None:
    """Return the first of the pings between two trials that is in a state or a trial's own, else the first, if any."""
    first = next(taken, None)
    if first is None or states.of[first] is not None or states.pings[first].within:
        return first
    gap = takewhile(lambda place: states.pings[place].trials == states.pings[first].trials, taken)
    return next((place for place in gap if states.of[place] is not None), first)


class PingSample(Struct, frozen=True, omit_defaults=True):
    """A ping of a pair, with the place of its state among the pair's; without `ns` it failed."""

    run: int
    at: float
    ns: float | None
    state: int | None
    failure: str | None = None


class PairHistory(Struct, frozen=True, omit_defaults=True):
    """A pair of CPUs over one run or several."""

    cpus: Pair  # the pair
    placement: str | None  # what they share, as the system says; None where it no longer knows them
    changes: int  # how often the state changed while they were watched
    pings: int  # how many were taken; `between` are in no state, and `failed` have no figure
    between: int
    failed: int
    states: Sequence[State]  # the nearest first
    series: Sequence[PingSample]  # the pings, run by run, in the order in which they were taken
    # when those trials ended whose state was not the same before and after, in seconds since 1970
    state_changed: Sequence[float] = ()


def watched_pairs(
    states: States, runs: Iterable[int], topology: Topology, observations: Sequence[Observation] = ()
) -> list[PairHistory]:
    """Return each pair with its states and pings; `runs` are the numbers of the run of each ping."""
    series: dict[Pair, list[PingSample]] = {pair: [] for pair in states.pairs}
    for run, one, place in zip(runs, states.pings, states.of, strict=False):
        state = None if place is None else place - states.first_of(one.cpus)
        series[one.cpus].append(PingSample(run, one.at, one.ns, state, one.failure))
    changed = _changed_trials(observations, states) if observations else {}
    cpus = {cpu.cpu: cpu for cpu in topology.cpus}
    return [
        PairHistory(
            cpus=pair,
            placement=relation(*(cpus[cpu] for cpu in pair)) if cpus.keys() >= set(pair) else None,
            changes=states.changes.get(pair, 0),
            pings=len(taken),
            between=sum(one.ns is not None and one.state is None for one in taken),
            failed=sum(one.ns is None for one in taken),
            states=states.of_pair(pair),
            series=taken,
            state_changed=changed.get(pair, ()),
        )
        for pair, taken in series.items()
    ]


def _changed_trials(observations: Sequence[Observation], states: States) -> dict[Pair, list[float]]:
    """Return when the trials on each pair ended whose state changed: at the first ping after their end."""
    of_pairs = gathered((ping.cpus, ping) for ping in states.pings)
    found: dict[Pair, list[float]] = {}
    for number, (one, standing) in enumerate(zip(observations, standings(observations, states), strict=True)):
        if standing.changed and not one.failure:
            for pair in of_pairs.keys() & set(one.case.placement.pairs):
                taken = of_pairs[pair]
                after = bisect(taken, number, key=lambda ping: ping.trials)
                found.setdefault(pair, []).append(taken[min(after, len(taken) - 1)].at)
    return found
