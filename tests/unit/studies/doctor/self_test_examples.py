"""Self-tests whose slope and stalls are planted, on a machine that moves and makes noise."""

import random

from msgspec.structs import replace

from tests.conftest import make_distribution
from tests.golden.fixture import APART, DECLARED, RUN
from tests.unit.studies.doctor.examples import BARE, CPP
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.states import TrialStates, states_of
from threadping.model.run import Observation, ReferencePing, SelfTest
from threadping.studies.doctor.self_test import BLOCKING, BLOCKS_PLANNED, ROUND_TRIP, STALL_NS, calibrations

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


def moving(slope: float = 1.0, *, always: bool = False) -> Answer:
    """A run on a host that changes between 28 and 107 ns core to core, each time for two trials and three pings.

    A trial in five has crossed, all of them where it changes `always`. Delays are measured `slope` times as long.
    """
    still = checked(slope=slope, rows=False)
    trials = []
    for at, one in enumerate(still.observations):
        far = at % 4 > 1
        further = 0.0 if one.case.blocking or not far else 158.0 * slope  # there and back
        figures = {**one.figures, ROUND_TRIP: one.figures[ROUND_TRIP] + further}
        crossed = always or at % 5 == 4
        trials.append(Observed(replace(one, figures=figures), TrialStates(() if crossed else (int(far),), crossed)))
    levels = (107.0 if at % 6 > 2 else 28.0 for at in range(30))
    return replace(still, trials=tuple(trials), states=states_of([pinged(at, ns) for at, ns in enumerate(levels)]))


def pinged(at: int, ns: float) -> ReferencePing:
    return ReferencePing((0, 1), 1_700_000_000.0 + at, at, ns)
