"""States are planted in a simulated machine, whole plans are carried out on it, and the states must be found again.

The machine is a virtual clock, pairs of CPUs that move at random times whatever is at work just then, and soundings as
long and as noisy as real ones, of which one in a hundred is disturbed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import exp, log
from random import Random
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.unit.figures.examples import RUN, SIGNAL
from threadping.conduct import Watch, conduct, conducting, watch
from threadping.figures.checks import states as checks
from threadping.figures.declaration import Declaration, Figure
from threadping.figures.rows import rows_of
from threadping.figures.standing import standings
from threadping.figures.states import States, states_of
from threadping.model import Case, Observation, Pair, Placement, Row, RunEnded, Runtime, Sounding, Trial
from threadping.pace import Pace, in_blocks
from threadping.plan import Plan
from threadping.probes.trial import Outcome

PLANS = 1000
SOUNDING_S = 0.012
PLACES = [Placement("same-l3", cpus) for cpus in ((0, 1), (0, 2), (1, 2), (0, 1, 2))]
MOST_TRIALS = 4 * 8

FIGURES = tuple(Figure(name=f"trial {number}", unit="count", read=lambda _: None) for number in range(MOST_TRIALS))
"""A trial tells only the one of its number: the figures of a row name the trials that it is made of."""
DECLARED = {
    "signal": Declaration(
        title="", headline="headline", figures=FIGURES, distributions=(), op="hand-over", checks=checks.CHECKS
    )
}


class Truth(NamedTuple):
    """What a sounding saw: the states in which its pair was meanwhile, and whether it was disturbed."""

    states: set[int]
    disturbed: bool

    @property
    def of(self) -> int | None:
        """The one that it tells of."""
        return None if self.disturbed or len(self.states) > 1 else min(self.states)


class Machine:
    """It is the clock, the probe and the soundings of the modules under test."""

    def __init__(self, random: Random, planted: Sequence[float], dwell_s: float) -> None:
        """Its pairs are one of `planted` ns apart, for `dwell_s` in the mean."""
        self.random, self.planted, self.dwell_s = random, planted, dwell_s
        self.noise, self.disturbed, self.drift_per_s = random.uniform(0.01, 0.02), 0.01, 0.0
        self.now = 0.0
        self.truths: list[Truth] = []
        self._held: dict[Pair, list[tuple[float, int]]] = {}

    def monotonic(self) -> float:
        return self.now

    def run_trial(self, _: Runtime, request: Any, **__: object) -> Outcome:
        self.now += (request.measure_ns + request.warmup.limit_ns) / 1e9 * self.random.uniform(1.05, 1.2)
        return Outcome(None, None, "", 1)

    def sound(self, pair: Pair, trials: int) -> Sounding:
        begun, self.now = self.now, self.now + SOUNDING_S
        seen = self._between(pair, begun, self.now)
        disturbed = self.random.random() < self.disturbed
        self.truths.append(Truth({state for state, _ in seen}, disturbed))
        ns = sum(self.planted[state] * seconds for state, seconds in seen) / SOUNDING_S
        ns *= exp(self.random.gauss(0, self.noise)) * (1 + self.drift_per_s * self.now)
        ns *= self.random.uniform(1, 3) if disturbed else 1
        return Sounding(pair, self.now, trials, ns, wall_ns=round(SOUNDING_S * 1e9))

    def _between(self, pair: Pair, begun: float, ended: float) -> list[tuple[int, float]]:
        """The states in which a pair was, and for how many seconds; it is never asked of a time before."""
        held = self._held.setdefault(pair, [(0.0, self.random.randrange(len(self.planted)))])
        while held[-1][0] <= ended:
            others = [one for one in range(len(self.planted)) if one != held[-1][1]]
            lasts = self.random.expovariate(1 / self.dwell_s) if others else 1e9
            held.append((held[-1][0] + lasts, self.random.choice(others or [0])))
        while held[1][0] <= begun:
            del held[0]
        spans = [(state, since, until) for (since, state), (until, _) in zip(held, held[1:], strict=False)]
        return [(one, min(until, ended) - max(since, begun)) for one, since, until in spans if since < ended]


class Shelf:
    """A store that keeps nothing."""

    def add(self, *_: object) -> None: ...
    def add_sounding(self, *_: object) -> None: ...
    def finish(self, *_: object) -> None: ...


class Carried(NamedTuple):
    """A plan that was carried out, and what came of it."""

    machine: Machine
    ended: RunEnded
    states: States
    rows: list[Row]

    @property
    def trials(self) -> dict[int, list[float]]:
        """For each trial that is in a row the soundings of its states, pair by pair."""
        return {
            int(name.split()[1]): [state.sounding_ns for state in row.states]
            for row in self.rows
            for name in row.figures
        }


def carried_out(machine: Machine, places: Sequence[Placement], rounds: int, trial_s: float) -> Carried:
    cases = tuple(replace(SIGNAL, mechanism=f"m{n}", placement=place) for n, place in enumerate(places))
    plan = Plan(cases, (0.01,) * len(cases), rounds, trial_s, machine.random.randrange(999), {"signal": PACE})
    run = replace(RUN, cases=cases, rounds=rounds, budget_s=1e6, runtimes=(Runtime("cpp", "cpp", (), ""),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conducting, "time", machine)
        patch.setattr(watch, "time", machine)
        patch.setattr(conducting, "run_trial", machine.run_trial)
        shelf: Any = Shelf()
        *_, ended = conduct(run, plan, {"cpp": 0.01}, shelf, observed, Watch(machine.sound))
    assert isinstance(ended, RunEnded)
    states = states_of(ended.soundings)
    # Whether a figure depends on states is not asked here: each has one of its own.
    stood = [one.states for one in standings(ended.observations, states)]
    headlines = {places: 2.0**n for n, places in enumerate(dict.fromkeys(stood))}
    seen = [
        replace(one, figures={"headline": headlines[places], f"trial {number}": 1.0})
        for number, (one, places) in enumerate(zip(ended.observations, stood, strict=True))
    ]
    return Carried(machine, ended, states, rows_of(run, seen, DECLARED, states))


PACE = Pace(0.25, in_blocks)


def observed(trial: Trial) -> Observation:
    return Observation(trial.round, trial.position, trial.case, None, 1, {"headline": 1.0})


def random_plan(seed: int) -> Carried:
    """Trials of 0.15 to 3 s, states 1.5x to 5x apart that hold for a third of the shortest trial to 200 s."""
    random = Random(seed)
    planted = [25.0]
    for _ in range(random.randrange(3)):
        planted.append(planted[-1] * random.uniform(1.5, 5))
    machine = Machine(random, planted, dwell_s=exp(random.uniform(log(0.05), log(200))))
    places = random.choices(PLACES, k=random.randint(1, 4))
    return carried_out(machine, places, random.randint(3, 8), exp(random.uniform(log(0.15), log(3))))


@pytest.fixture(scope="module")
def plans() -> list[Carried]:
    return [random_plan(seed) for seed in range(PLANS)]


# ---- every trial where it belongs ----


class Side(NamedTuple):
    """The soundings of a pair on one side of a trial, and what they truly tell, the nearest to the trial first."""

    saw: list[Truth]
    told: list[int | None]

    @property
    def state(self) -> int | None:
        return next((one for one in self.told if one is not None), None)


def sides(carried: Carried, pair: Pair) -> Iterator[tuple[Side, Side]]:
    """What truly was on both sides of each trial.

    A sounding tells a state if it saw nothing else and one beside it saw the same; one alone cannot be told from one
    that was disturbed, by whatever rule.
    """
    sounded = zip(carried.ended.soundings, carried.machine.truths, strict=True)
    seen = [(one.trials, truth) for one, truth in sounded if one.cpus == pair]
    truths = [None, *(truth.of for _, truth in seen), None]
    told = [now if now in (before, after) else None for before, now, after in zip(truths, truths[1:], truths[2:], strict=False)]
    gaps: dict[int, Side] = {}
    for (ended, saw), one in zip(seen, told, strict=True):
        side = gaps.setdefault(ended, Side([], []))
        side.saw.append(saw)
        side.told.append(one)
    for trial in range(len(carried.ended.observations)):
        before = max((ended for ended in gaps if ended <= trial), default=None)
        after = min((ended for ended in gaps if ended > trial), default=None)
        if before is None or after is None:
            yield Side([], []), Side([], [])
        else:
            yield Side(gaps[before].saw[::-1], gaps[before].told[::-1]), gaps[after]


def place_of(ns: float, planted: Sequence[float]) -> int | None:
    """The planted state that this is the sounding of."""
    return next((place for place, at in enumerate(planted) if max(at, ns) < 1.12 * min(at, ns)), None)


def judged(carried: Carried) -> Iterator[tuple[str, bool, bool]]:
    """Of each trial what it is in truth, whether it is in a row, and whether in a wrong one."""
    around = {pair: list(sides(carried, pair)) for pair in carried.states.pairs}
    rows = carried.trials
    for number, one in enumerate(carried.ended.observations):
        pairs = [around[pair][number] for pair in one.case.placement.pairs]
        found = [place_of(ns, carried.machine.planted) for ns in rows.get(number, ())]
        true = [before.state if before.state == after.state else None for before, after in pairs]
        if any(None not in (a.state, b.state) and a.state != b.state for a, b in pairs):
            yield "crossed", number in rows, number in rows
        elif None in true:
            possible = [set[int]().union(*(saw.states for saw in a.saw + b.saw)) for a, b in pairs]
            wrong = number in rows and any(at not in may for at, may in zip(found, possible, strict=True))
            yield "unknown", number in rows, wrong
        else:
            clean = all(None not in a.told + b.told for a, b in pairs)
            yield "clean" if clean else "disturbed", number in rows, number in rows and found != true


def test_no_trial_is_in_a_wrong_row_and_none_left_out_that_stood_in_one_state(plans: list[Carried]) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    for seed, carried in enumerate(plans):
        for kind, placed, wrong in judged(carried):
            assert not wrong, f"seed {seed}"
            counts[kind, placed] += 1
    print(counts)
    assert counts["clean", True] > 9_000
    assert counts["crossed", False] > 1_000
    assert counts["clean", False] == counts["crossed", True] == 0
    assert counts["disturbed", False] == 0
