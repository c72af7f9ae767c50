"""Self-tests on a machine that moves meanwhile: each trial has a ping before and after it."""

import random
from bisect import bisect_right
from itertools import pairwise

from msgspec.structs import replace

from tests.unit.studies.doctor.self_test_examples import checked
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.states import standings, states_of
from threadping.model.cases import Pair
from threadping.model.run import Observation, ReferencePing

LEVELS_NS, SHARES = (10.0, 28.0, 107.0), (0.03, 0.80, 0.17)
"""Core to core in the states of the machine on which this was seen, and their shares of the time."""
TRIAL_S, MEASURED_S, PING_S = 0.3, 0.07, 0.04
NOISE = 0.02
"""Noise of round trips, and of pings, within one state."""


class Host:
    """A host whose two CPUs change their placement state at random, at a rate per minute."""

    def __init__(self, chance: random.Random, moves_a_minute: float) -> None:
        """For two minutes."""
        self.levels, self.begun, now = [chance.choices(LEVELS_NS, SHARES)[0]], [0.0], 0.0
        while moves_a_minute and (now := now + chance.expovariate(moves_a_minute / 60)) < 120:
            others = [(ns, share) for ns, share in zip(LEVELS_NS, SHARES, strict=True) if ns != self.levels[-1]]
            self.levels.append(chance.choices(*zip(*others, strict=True))[0])
            self.begun.append(now)

    def mean_ns(self, first: float, last: float) -> float:
        """Core to core between two moments: a mixture where it moved in between."""
        edges = [first, *(at for at in self.begun if first < at < last), last]
        parts = ((b - a) * self.levels[bisect_right(self.begun, a) - 1] for a, b in pairwise(edges))
        return sum(parts) / (last - first)


def moving(seed: int, slope: float = 1.0, moves_a_minute: float = 21) -> Answer:
    """Return a run whose trials follow the host's state, and whose delays are measured `slope` times as long."""
    chance = random.Random(seed)
    host, now = Host(chance, moves_a_minute), 0.1
    still = checked(seed=seed, rows=False)
    pair: Pair = still.run.cases[0].placement.pairs[0]
    seen: list[Observation] = []
    pings: list[ReferencePing] = []

    def ping() -> None:
        nonlocal now
        ns = host.mean_ns(now, now + PING_S) * chance.gauss(1, NOISE)
        now += PING_S
        pings.append(ReferencePing(pair, 1_700_000_000 + now, len(seen), ns * slope))

    ping()
    for one in still.observations:
        level = host.mean_ns(now + TRIAL_S - MEASURED_S, now + TRIAL_S)
        bare = (50_000 if one.case.blocking else 0) + 2 * level
        measured = slope * (bare * chance.gauss(1, NOISE) + one.figures["self-test.delay_ns"])
        now += TRIAL_S
        seen.append(replace(one, figures=one.figures | {"self-test.round_trip_ns": measured}))
        ping()
    states = states_of(pings)
    return replace(still, trials=tuple(map(Observed, seen, standings(seen, states))), states=states)
