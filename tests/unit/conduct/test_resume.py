"""A run that is killed at any point, and resumed, is the run that it would have been: trials, orders, requests."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import make_request, make_result
from tests.golden.fixture import RUN
from tests.unit.analysis.examples import SIGNAL
from tests.unit.conduct.simulation import Clock
from tests.unit.studies.matrix.planted import machine as cpus_of
from tests.unit.studies.matrix.planted import pairing
from tests.unit.studies.recommend_wait.examples import noisy, way
from threadping.analysis.states import parse_state
from threadping.conduct import pings, runner
from threadping.conduct.pings import Watch
from threadping.conduct.runner import Runner, StoredProgress
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Case, Pair, Placement, Runtime
from threadping.model.contract import MeasuringPhase, Warmup
from threadping.model.errors import ThreadpingError
from threadping.model.run import Failure, Observation, ReferencePing, Requirement, Resumed, Run, RunEnded, Trial
from threadping.planning.defaults import Pace, Start, in_blocks
from threadping.planning.plan import Budget, make_plan, plan_of, premises_of, starts_of
from threadping.planning.schedule import Rounds, Schedule
from threadping.probes.trial import Launch, Outcome
from threadping.studies.compare.blocks import BlockSchedule, looks, make_blocks
from threadping.studies.compare.verdict import PairBlocks, Rules
from threadping.studies.compare.verdict import compare as compare_blocks
from threadping.studies.matrix import tournament
from threadping.studies.matrix.tournament import CELL_LATENCY, Tournament, cases_of, make_tournament
from threadping.studies.recommend_queue import InTurn
from threadping.studies.recommend_wait.study import Search, plan_search

STARTS = {"cpp": Start(0.05), "java-17": Start(0.25, compiles=True)}
PACES = {name: one.pace for name, one in EXPERIMENTS.items()}
RUNTIMES = tuple(Runtime(label, label.split("-")[0], (), "") for label in STARTS)
NEAR, FAR = Placement("same-l3", (0, 1)), Placement("cross-node", (0, 2))
RESULT = make_result(make_request())


class Killed(BaseException):
    """Simulates SIGKILL: the process does nothing more."""


class World(Clock):
    """A machine and a store that outlive the processes which measure: a clock, CPUs whose states change, a disk.

    What a trial or a ping says and takes follows from how many trials had ended alone: so it is the same again for a
    process that repeats it. It is killed before its `at`th deed of all that are done here.
    """

    def __init__(self, at: int | None = None) -> None:
        super().__init__(100.0)
        self.deeds, self.at = count(), at
        self.trials: list[tuple[Trial, Observation]] = []
        self.pings: list[ReferencePing] = []
        self.begun: list[object] = []
        self.processes, self.resumed = 0, tuple[Resumed, ...]()

    def _does(self) -> None:
        if next(self.deeds) == self.at:
            raise Killed

    def ping(self, pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        """Now and then disturbed, when it is taken again; or in another state for a while."""
        self._does()
        self.now += 0.0125
        found = []
        for pair in pairs:
            before = any(one.cpus == pair and one.trials < trials for one in self.pings)
            asked = self.asked[pair, trials]
            self.asked[pair, trials] += 1
            state = 120.0 if Random(f"{pair}{trials // 7}").random() < 0.3 else 30.0 + sum(pair)
            disturbed = asked == 0 and before and Random(f"{pair}{trials}").random() < 0.2
            found.append(ReferencePing(pair, self.now, trials, 300.0 if disturbed else state))
        return found

    def run_trials(self, launches: Sequence[Launch]) -> list[Outcome]:
        self._does()
        self.begun.append([one.request for one in launches])
        ended, longest = list[Outcome](), 0.0
        for one in launches:
            chance = Random(f"{one.request.seed}")
            limit, needed = one.request.warmup.limit_ns / 1e9, chance.uniform(0.01, 1.0)
            start = STARTS[one.runtime.label].seconds * chance.lognormvariate(0, 0.2)
            longest = max(longest, start + min(limit, needed) + one.request.measure_ns / 1e9)
            warmup = Warmup(1, int(min(limit, needed) * 1e9), "steady" if needed < limit else "limit")
            result = replace(RESULT, warmup=warmup, measured=MeasuringPhase(1, one.request.measure_ns, cut=False))
            fails = chance.random() < 0.15
            failure = Failure("hung", "It hung.") if fails else None
            ended.append(Outcome(None if fails else result, failure, "", 1))
        self.now += round(longest, 4)  # whole microseconds, as times are stored
        return ended

    def add_batch(self, _run: int, ended: Sequence[tuple[Trial, Observation]]) -> None:
        self._does()
        self.trials.extend(ended)

    def add_ping(self, _run: int, ping: ReferencePing) -> None:
        self._does()
        self.pings.append(ping)

    def finish(self, *_: object) -> None: ...

    asked: Counter[tuple[Pair, int]]
    """Number of pings of each pair after a number of trials, by the current process."""

    def measure(self, run: Run, schedule: Schedule, state: str | None = None) -> RunEnded:
        """In a process of its own, which takes up what the store holds."""
        self.asked = Counter[tuple[Pair, int]]()
        seen = [seen for _, seen in self.trials]
        past = StoredProgress([trial for trial, _ in self.trials], seen, [*self.pings])
        if self.processes:
            self.resumed = (*self.resumed, Resumed("", len(seen), len(past.pings)))
        self.processes, run = self.processes + 1, replace(run, resumed=self.resumed)
        watch = Watch(self.ping, parse_state(state), (), past.pings, run.resumed)
        store: Any = self
        return Runner(run, schedule, store, observed, watch, RUNTIMES[0], past).run(lambda _event: None)


TRUTH = {"release-one-line": (300, 100.0), "futex": (28_000, 4.0), "condition": (33_000, 4.1), "park": (38_000, 6.0)}
"""The p99 (ns) and the CPU time of each wait strategy."""


def observed(trial: Trial) -> Observation:
    """Figures that follow from the trial's seed."""
    chance = Random(trial.request.seed)
    ns = 30 * chance.lognormvariate(0, 0.03)
    shared = {name: getattr(trial, name) for name in ("round", "position", "case", "failure", "side", "concurrent")}
    if trial.failure:
        return Observation(**shared, wall_ns=1)
    if trial.case.experiment == "load":
        return replace(noisy(chance, trial.case, *TRUTH[trial.case.mechanism], 500), **shared)
    return Observation(**shared, wall_ns=1, figures={CELL_LATENCY: ns, "headline": ns})


def case(number: int, runtime: str, placement: Placement) -> Case:
    return replace(SIGNAL, mechanism=f"m{number}", runtime=runtime, placement=placement)


Study = tuple[Run, Callable[[Run], Schedule], str | None]


def headline(seen: Observation) -> float | None:
    return seen.figures.get("headline")


def rounds(
    state: str | None = None, budget_s: float = 14, until: float | None = None, *, allots: bool = False
) -> Study:
    """Rounds of cases of two languages, on two pairs of CPUs and on none, with a survey before them."""
    places = (NEAR, FAR, Placement("unpinned", (None, None)))
    cases = [
        case(number, label, place) for number, (label, place) in enumerate(zip([*STARTS] * 2, places, strict=False))
    ]
    budget_s = budget_s if state is None else 25
    plan = make_plan(cases, Budget(budget_s, STARTS, PACES, 3, until=until))
    plan = replace(plan, survey=((0, 1), (1, 2)), survey_s=0.025)
    run = replace(RUN, cases=plan.cases, rounds=plan.rounds, seed=3, budget_s=budget_s + 0.5, until=until)
    run = replace(run, runtimes=RUNTIMES, premises=premises_of(plan, STARTS))
    return run, lambda run: Rounds(plan_of(run, premises(run), PACES), headline if allots else None), state


def in_two_runs() -> Study:
    """Return the same cases, two and then the others; the first have too little time."""
    run, _, _ = rounds(budget_s=24)

    def schedule(run: Run) -> Schedule:
        return InTurn(plan_of(run, premises(run), PACES), [(0, 2), (1,)], headline)

    return run, schedule, None


def premises(run: Run) -> Any:
    assert run.premises
    return run.premises


def blocks() -> Study:
    """Return five pairs; three wait, some until others are settled or take less time than planned."""
    pairs = [(case(0, "cpp", NEAR), case(1, "cpp", NEAR)), (case(2, "cpp", FAR), case(2, "java-17", FAR))]
    pairs += [(case(at, "cpp", NEAR), case(at + 1, "cpp", NEAR)) for at in (3, 5, 7)]
    found = make_blocks(pairs, Budget(34, STARTS, PACES, 3))
    assert found.first == 2
    run = replace(RUN, cases=found.plan.cases, rounds=found.plan.rounds, seed=3, budget_s=34, runtimes=RUNTIMES)

    def schedule(run: Run) -> Schedule:
        def settles(_pair: int, blocks: Sequence[Any]) -> bool:
            return compare_blocks(
                PairBlocks(blocks, higher_is_better=False), Rules(0.03, looks(found.plan.rounds)), len(pairs)
            ).is_settled

        again = replace(found, plan=plan_of(run, premises(run), PACES))
        return BlockSchedule(again, lambda _, seen: seen.figures.get("headline"), settles)

    return replace(run, premises=premises_of(found.plan, STARTS)), schedule, None


def search() -> Study:
    ways = [way("release-one-line", wait="spin"), way("futex"), way("park", "java-17"), way("condition")]
    required, budget = Requirement(1_000, 35_000.0), Budget(20, STARTS, PACES, 3)
    plan, _ = plan_search(ways, budget, required)
    run = replace(RUN, cases=plan.cases, rounds=plan.rounds, seed=3, budget_s=20, runtimes=RUNTIMES)

    def schedule(run: Run) -> Schedule:
        again = Budget(run.budget_s, starts_of(premises(run)), PACES, run.seed)
        return Search(plan_of(run, premises(run), PACES), again, required)

    return replace(run, premises=premises_of(plan, STARTS)), schedule, None


def every_pair(cpus: int = 5) -> Study:
    of = pairing(range(cpus))
    cases = cases_of(of, cpus_of(cpus, 4, 8))
    found = make_tournament(of, cases, STARTS, 6.0, 3, {"signal": Pace(in_blocks)})
    run = replace(RUN, cases=(), rounds=found.plan.rounds, seed=3, budget_s=6.0, runtimes=RUNTIMES, study=of)

    def schedule(run: Run) -> Schedule:
        again = plan_of(replace(run, cases=tuple(cases)), premises(run), found.plan.paces)
        return Tournament(replace(found, plan=again))

    return replace(run, premises=premises_of(found.plan, STARTS)), schedule, None


@pytest.fixture(params=["rounds", "allotted", "until", "state", "blocks", "search", "matrix", "in two runs"])
def study(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Study]:
    monkeypatch.setattr(tournament, "SETTLED", 4)
    of: dict[str, Callable[[], Study]] = {
        "rounds": rounds,
        "allotted": lambda: rounds(budget_s=24, allots=True),
        "until": lambda: rounds(budget_s=45, until=0.045, allots=True),
        "state": lambda: rounds("20-60"),
        "blocks": blocks,
        "search": search,
        "matrix": every_pair,
        "in two runs": in_two_runs,
    }
    yield of[request.param]()


def carried_out(study: Study, monkeypatch: pytest.MonkeyPatch, *kills: int) -> tuple[World, RunEnded]:
    """Execute a study in one process, or in several: each is killed after some actions, and the next resumes."""
    run, schedule, state = study
    world = World()
    for module in (runner, pings):
        monkeypatch.setattr(module, "time", world)
    monkeypatch.setattr(runner, "run_trials", world.run_trials)
    monkeypatch.setattr(runner, "others_since", lambda _: lambda: 0.0)
    for at in kills:
        world.deeds, world.at = count(), at
        with pytest.raises(Killed):
            world.measure(run, schedule(run), state)
        world.now += 5000  # until somebody resumes it
    world.deeds, world.at = count(), None
    return world, world.measure(run, schedule(run), state)


def stored(world: World, *, waits: bool) -> Sequence[object]:
    """All that a trial is, but for its date.

    Where a state is waited for what comes next is the machine's choice: then it is said only what was measured.
    """
    if waits:
        return sorted((trial.case.title, trial.round) for trial, _ in world.trials)
    return [
        (trial.case, trial.round, trial.position, trial.side, trial.concurrent, trial.request, trial.spent, seen)
        for trial, seen in world.trials
    ]


def test_killed_at_any_point_and_resumed_it_is_the_same_run(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, ended = carried_out(study, monkeypatch)
    deeds, expected = next(whole.deeds), stored(whole, waits=bool(study[2]))
    assert len(expected) >= 12
    step = max(1, deeds // 3) | 1  # odd, so that pings and trials are both interrupted
    for at in range(0, deeds, step):
        world, again = carried_out(study, monkeypatch, at)
        assert stored(world, waits=bool(study[2])) == expected, at
        assert (again.run.status, again.run.note) == (ended.run.status, ended.run.note), at
        twice = sum(map(len, world.begun)) - len(world.trials)  # type: ignore[arg-type]
        assert twice <= world.trials[-1][0].concurrent + 4, at  # the batch that ran
    world, _ = carried_out(study, monkeypatch, deeds // 4, deeds // 3)
    assert stored(world, waits=bool(study[2])) == expected


def test_trials_that_a_plan_does_not_lead_to_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run, schedule, _ = rounds()
    world, _ = carried_out((run, schedule, None), monkeypatch)
    world.trials[1] = world.trials[0]
    with pytest.raises(ThreadpingError, match=r"its trials are not those that its plan leads to"):
        world.measure(run, schedule(run))
