"""Which pairs of CPUs a run pings before its first trial, so that it can show how the machine is built."""

from threadping.analysis.locality import ordered
from threadping.contract import Topology
from threadping.model.cases import Pair
from threadping.plan.budget import PING_S, SPAWN_S
from threadping.plan.round_robin import rounds
from threadping.relation import usable

SHARE = 0.05
"""Of the budget it takes no more."""

MOST, FEWEST = 32, 3
"""So many CPUs are pinged at most; of two nothing is to be shown."""

OF_PART = 4
"""Of more CPUs so many neighbours of each part of their order: near pairs are seen as well as far ones."""


def survey(topology: Topology, budget_s: float) -> tuple[tuple[Pair, ...], float]:
    """Every two of the CPUs that may be used, of many some, in rounds in which none is twice; and what that takes."""
    cpus, most = ordered(topology, usable(topology)), MOST
    while len(cpus) >= FEWEST and most > FEWEST:
        step = -(-len(cpus) // (most // OF_PART))
        few = tuple(cpu for at, cpu in enumerate(cpus) if at % step < OF_PART)
        made = rounds(cpus if len(cpus) <= most else few)
        seconds = sum(PING_S + SPAWN_S * (len(of_round) - 1) for of_round in made)
        if seconds <= SHARE * budget_s:
            return tuple(pair for of_round in made for pair in of_round), seconds
        most //= 2
    return (), 0.0
