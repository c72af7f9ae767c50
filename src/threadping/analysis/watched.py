"""Pairs of CPUs over one run or several: their states, and every ping in its place."""

from bisect import bisect
from collections.abc import Iterable, Sequence

from msgspec import Struct

from threadping.analysis.standing import standings
from threadping.analysis.states import States
from threadping.contract import Topology
from threadping.grouping import gathered
from threadping.model import Observation, Pair, State
from threadping.relation import relation


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
