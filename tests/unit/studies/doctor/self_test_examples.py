"""Self-tests whose slope and stalls are planted, on a machine that moves and makes noise."""

import random
from bisect import bisect_right
from itertools import pairwise

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import APART, DECLARED, RUN
from tests.unit.studies.doctor.examples import BARE, CPP
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.states import standings, states_of
from threadping.model.cases import Pair
from threadping.model.run import Observation, ReferencePing, SelfTest
from threadping.studies.doctor.self_test import BLOCKING, BLOCKS_PLANNED, STALL_NS, calibrations

CASES = [case for case, _ in calibrations("cpp", APART)]


def checked(
    slope: float = 1.0,
    noise: float = 0.003,
    lost: int = 0,
    blocks: int = BLOCKS_PLANNED,
    moved: tuple[int, ...] = (),
    seed: int = 1,
    *,
    rows: bool = True,
) -> Answer:
    """A run: round trips of 60 ns and of 50 µs and what was planted, times `slope`; far apart in the blocks `moved`.

    Of a hundred stalls in each trial of stalls some are `lost` in all.
    """
    chance = random.Random(seed)
    seen = []
    for block in range(1, blocks + 1):
        for case in chance.sample(CASES, len(CASES)):
            sleeps = case.mechanism == BLOCKING
            bare = 50_000.0 if sleeps else 230.0 if block in moved else 60.0
            delay = float(case.params["delay"])
            measured = (bare * (1 + noise * chance.gauss(0, 1 if not sleeps else 0.5)) + delay) * slope
            figures = {"self-test.round_trip_ns": measured, "self-test.delay_ns": delay}
            timed = {"round_trip_ns": make_distribution((round(measured),), (300,))}
            if case.params["stall-every"]:
                there = 100 - (lost if block == 1 else 0)
                timed = {"round_trip_ns": make_distribution((round(measured), STALL_NS + 200), (29_900, there))}
                figures["self-test.stalls"] = 100.0
            seen.append(Observation(block, block, case, None, 1, figures, timed, 1))
    here = replace(RUN, machine=BARE, runtimes=(CPP,), cases=tuple(CASES), skipped=(), rounds=blocks)
    run = replace(here, budget_s=30.0, study=SelfTest(), arguments=("doctor", "--self-test"))
    return analyse(run, seen, (), DECLARED) if rows else Answer(run, tuple(map(Observed, seen)), (), DECLARED)


ANSWER = checked()

# Core to core in the states of the machine on which this was seen, and their shares of the time
LEVELS_NS, SHARES = (10.0, 28.0, 107.0), (0.03, 0.80, 0.17)
TRIAL_S, MEASURED_S, PING_S = 0.3, 0.07, 0.04
NOISE = 0.02  # of round trips, and of pings, within one state


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
