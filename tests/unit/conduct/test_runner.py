"""Carrying out a plan, with the fake probe and a store that can be made to fail."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import count, product
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import make_result
from tests.golden.fixture import RUN
from threadping.analysis.analyse import observe
from threadping.analysis.states import StateFilter, standings, states_of, watching
from threadping.conduct.pings import Watch
from threadping.conduct.runner import Listener, Runner
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Busy, Case, Pair, Placement, Runtime
from threadping.model.contract import PingResult
from threadping.model.errors import Interrupted, StoreError, StoreFull
from threadping.model.run import (
    Event,
    Failure,
    Observation,
    PingTaken,
    ReferencePing,
    Run,
    RunEnded,
    Trial,
    TrialBegins,
    TrialEnded,
)
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan
from threadping.planning.schedule import Rounds
from threadping.probes.trial import Launch, Outcome, run_trials

RUN_TRIALS = "threadping.conduct.runner.run_trials"
UNPINNED, APART = Placement("unpinned", (None, None)), Placement("same-l3", (0, 1))
FIGURES = EXPERIMENTS["signal"].figures
INTERRUPTED = ("interrupted", "Interrupted; what was measured until then is stored and shown.")


def unheard(_event: Event) -> None: ...


class Shelf:
    """A store that keeps trials and pings, is full after `capacity` of them, and may be gone at the end."""

    def __init__(self, capacity: int = 1000, *, gone: bool = False) -> None:
        self.capacity, self.gone = capacity, gone
        self.kept: list[tuple[Trial, Observation]] = []
        self.pinged: list[ReferencePing] = []
        self.ended: tuple[str, str | None] | None = None

    def add_batch(self, _run_id: int, ended: Sequence[tuple[Trial, Observation]]) -> None:
        if len(self.kept) + len(ended) > self.capacity:
            raise StoreFull("The disk is full.")
        self.kept.extend(ended)

    def add_ping(self, _run_id: int, ping: ReferencePing) -> None:
        if len(self.pinged) == self.capacity:
            raise StoreFull("The disk is full.")
        self.pinged.append(ping)

    def finish(self, run: Run) -> None:
        if self.gone:
            raise StoreError("The store is gone.")
        self.ended = (run.status, run.note)


def ended_run(
    runtime: Runtime,
    shelf: Any,
    *mechanisms: str,
    rounds: int = 3,
    budget_s: float = 60,
    placement: Placement = UNPINNED,
    watch: Watch | None = None,
    listen: Listener = unheard,
) -> RunEnded:
    """Unless a placement is given, no CPUs are pinged."""
    cases = [Case("signal", name, {}, "cpp", placement, True, 1) for name in mechanisms]
    run, plan = of_run(runtime, cases, rounds, budget_s)
    runner = Runner(run, Rounds(plan), shelf, lambda one: observe(one, FIGURES), watch or Watch(ping()), runtime)
    return runner.run(listen)


def of_run(runtime: Runtime, cases: Sequence[Case], rounds: int, budget_s: float = 60) -> tuple[Run, Plan]:
    of_each = len(cases)
    plan = Plan(
        cases=tuple(cases),
        start_s=(0.1,) * of_each,
        lengths=(Length(0.1, 0.1),) * of_each,
        longest=(0.1,) * of_each,
        rounds=rounds,
        seed=2,
        paces={"signal": EXPERIMENTS["signal"].pace},
    )
    return replace(RUN, cases=plan.cases, runtimes=(runtime,), rounds=rounds, budget_s=budget_s), plan


def ping(*planted: float | None) -> Callable[[Sequence[Pair], int], list[ReferencePing]]:
    """Return a ping that costs nothing and yields these values, then the last one for ever."""
    values = iter(planted)
    last: list[float | None] = [26.0]

    def ping(pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        (pair,), last[0] = pairs, next(values, last[0])
        return [ReferencePing(pair, time.time(), trials, last[0])]

    return ping


def test_every_trial_is_reported_before_and_after_and_stored_first(fake_runtime: Runtime) -> None:
    shelf = Shelf()
    seen = list[tuple[Event, int]]()
    ended = ended_run(fake_runtime, shelf, "slow", "chatters", listen=lambda one: seen.append((one, len(shelf.kept))))
    begun = [(event.case, event.round, kept) for event, kept in seen if isinstance(event, TrialBegins)]
    done = [(event, kept) for event, kept in seen if isinstance(event, TrialEnded)]
    assert begun == [(event.trial.case, event.trial.round, kept - 1) for event, kept in done]
    assert sorted((case.mechanism, number) for case, number, _ in begun) == [*product(("chatters", "slow"), (1, 2, 3))]
    assert [(event.trial, event.observation) for event, _ in done] == shelf.kept
    assert ended.observations == tuple(observation for _, observation in shelf.kept)
    assert [observation.figures["latency_ns.typical"] for observation in ended.observations] == [2000] * 6
    assert (ended.run.status, ended.problem, shelf.ended) == ("complete", None, ("complete", None))
    assert [(one.done, one.trials) for one, _ in seen if isinstance(one, TrialBegins)] == [(n, 6) for n in range(6)]
    _, plan = of_run(fake_runtime, ended.run.cases, rounds=3)
    seeds = {plan.request(case, plan.lengths[0], earlier, 2).seed for case in plan.cases for earlier in range(3)}
    assert {trial.request.seed for trial, _ in shelf.kept} == seeds
    assert len(seeds) == 6


class AtOnce(Rounds):
    """Every case of a round at once."""

    def next(self, waiting: Any, levels: Any) -> Any:
        return tuple(turn for case in range(len(self.plan.cases)) for turn in self._of(case, waiting, levels))

    def _of(self, case: int, waiting: Any, levels: Any) -> Any:
        others = {*waiting, *range(len(self.plan.cases))} - {case}
        return super().next(others, levels)


def test_trials_of_a_batch_are_measured_at_once_and_each_is_what_a_single_one_would_be(fake_runtime: Runtime) -> None:
    planted, pinged = {(0, 1): 26.0, (2, 3): 127.0}, []

    def ping(pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        pinged.append((len(pairs), trials))
        return [ReferencePing(pair, time.time(), trials, planted.get(pair, 60.0)) for pair in pairs]

    places = [Placement("same-l3", pair) for pair in planted]
    both = zip(("slow", "crashes"), places, strict=True)
    cases = [Case("signal", name, {}, "cpp", place, True, 1) for name, place in both]
    run, plan = of_run(fake_runtime, cases, rounds=3)
    shelf: Any = Shelf()
    schedule = AtOnce(replace(plan, survey=((0, 1), (2, 3), (0, 2), (1, 3))))
    ended = Runner(run, schedule, shelf, lambda one: observe(one, FIGURES), Watch(ping), fake_runtime).run(unheard)
    assert [(one.position, one.case.mechanism, one.concurrent) for one in ended.observations] == [
        *((0, "slow", 1), (1, "crashes", 1)),
        *((2, "slow", 1), (3, "crashes", 1)),
        (4, "slow", 0),  # the other one is hopeless
    ]
    assert pinged == [(2, 0), (2, 0), (2, 2), (2, 4), (1, 5)]  # of what was surveyed nothing is pinged twice
    assert [one.cpus for one in watching(ended.pings)[0]] == [(0, 2), (1, 3)]
    stood = standings(ended.observations, states_of(ended.pings))
    assert [one.core_to_core_ns for one in stood] == [26, 127, 26, 127, 26]
    assert len(shelf.kept) == 5


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """On which CPUs it is watched what others take, which is 25%."""
    watched: list[set[int]] = []

    def others_since(cpus: Collection[int]) -> Callable[[], float]:
        watched.append({*cpus})
        return lambda: 0.25

    monkeypatch.setattr("threadping.conduct.runner.others_since", others_since)
    return watched


@pytest.mark.parametrize(("busy", "cpus"), [(Busy(), {2}), (Busy(1), {0, 1}), (Busy(1, there=True), {2})])
def test_what_others_took_is_counted_on_the_cpus_where_what_is_ours_runs(
    fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch, watched: list[set[int]], busy: Busy, cpus: set[int]
) -> None:
    none = [Outcome(None, Failure("hung", "So."), "", 1)]
    monkeypatch.setattr("threadping.conduct.runner.run_under_load", lambda *_: none)
    case = Case("signal", "slow", {}, "cpp", Placement("same-cpu", (2, 2)), True, 1, busy=busy)
    run, plan = of_run(fake_runtime, [case], rounds=1)
    shelf: Any = Shelf()
    Runner(run, Rounds(plan), shelf, lambda one: observe(one, FIGURES), Watch(ping()), fake_runtime).run(unheard)
    assert watched == [cpus]


@pytest.mark.parametrize(("number", "step"), [(16, 1), (17, 2), (33, 3)])
def test_of_a_large_batch_some_pairs_are_pinged_and_a_slow_start_has_more_patience(
    fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch, watched: list[set[int]], number: int, step: int
) -> None:
    pinged: list[list[Pair]] = []
    patience: list[float] = []

    def ping(pairs: Sequence[Pair], trials: int) -> list[ReferencePing]:
        pinged.append([*pairs])
        return [ReferencePing(pair, 0.0, trials, 26.0) for pair in pairs]

    def run_none(launches: Sequence[Launch]) -> list[Outcome]:
        patience.extend(one.start_seconds for one in launches)
        return [Outcome(None, Failure("hung", "It hung."), "", 1)] * len(launches)

    monkeypatch.setattr(RUN_TRIALS, run_none)
    pairs = [(2 * place, 2 * place + 1) for place in range(number)]
    cases = [Case("signal", "slow", {}, "cpp", Placement("same-l3", pair), True, 1) for pair in pairs]
    run, plan = of_run(fake_runtime, cases, rounds=1)
    schedule: Any = AtOnce(replace(plan, start_s=(0.5, *plan.start_s[1:])))
    shelf: Any = Shelf()
    ended = Runner(run, schedule, shelf, lambda one: observe(one, FIGURES), Watch(ping), fake_runtime).run(unheard)
    assert pinged == [pairs[::step]] * 2
    assert patience == [5.0, *[3.0] * (number - 1)]
    assert watched == [{*range(2 * number)}]
    assert {one.others for one in ended.observations} == {0.25}


def test_a_full_disk_ends_the_run_with_all_that_was_measured_in_hand(fake_runtime: Runtime) -> None:
    ended = ended_run(fake_runtime, shelf := Shelf(capacity=2), "slow")
    assert (len(shelf.kept), len(ended.observations), ended.run.status) == (2, 3, "failed")
    assert str(ended.problem).startswith("The disk is full. The run was ended; what was measured is shown")
    ended = ended_run(fake_runtime, Shelf(capacity=1), "slow", placement=APART)  # at a ping too
    assert (ended.run.status, len(ended.observations), len(ended.pings)) == ("failed", 1, 2)


def test_a_store_that_cannot_record_the_end_is_the_problem(fake_runtime: Runtime) -> None:
    for mechanism in ("slow", "crashes"):  # it comes before what else went wrong
        ended = ended_run(fake_runtime, Shelf(gone=True), mechanism, rounds=1)
        assert (str(ended.problem), len(ended.observations)) == ("The store is gone.", 1)
    ended = ended_run(fake_runtime, Shelf(capacity=1), "slow")
    assert [one.position for one in ended.unstored] == [1]


def test_a_case_that_stalls_next_to_others_says_so(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    stalled = Failure("stalled", "No message arrives any more.")
    monkeypatch.setattr(RUN_TRIALS, lambda launches: [Outcome(None, stalled, "", 1)] * len(launches))
    monkeypatch.setattr("threadping.conduct.runner.others_since", lambda _cpus: lambda: 0.85)
    ended = ended_run(fake_runtime, Shelf(), "slow")
    assert (
        "No message arrives any more. Other programs used 85% of its CPUs' time meanwhile. A thread that gets no CPU "
        "cannot go on: if other programs had these CPUs, stop them. `threadping show 7 --trials` "
    ) in str(ended.problem)


def test_a_hopeless_case_does_not_take_the_others_time_and_is_not_said_to_be_slow(fake_runtime: Runtime) -> None:
    ended = ended_run(fake_runtime, Shelf(), "slow", "crashes", rounds=4)
    assert Counter(one.case.mechanism for one in ended.observations) == {"slow": 4, "crashes": 2}
    said = "The probe ended (signal SIGSEGV) without a result. `threadping show 7 --trials` shows each trial."
    assert str(ended.problem) == f"1 of 2 cases could not be measured: crashes cpp unpinned. {said}"
    ended = ended_run(fake_runtime, Shelf(), "crashes", rounds=4, placement=APART, watch=Watch(ping(None)))
    assert (len(ended.observations), ended.run.note, len(ended.pings)) == (2, None, 3)  # pings that fail end nothing


@pytest.mark.parametrize(("failing", "trials"), [({1, 3, 5}, 6), ({2, 4, 5}, 5)])
def test_only_failures_in_a_row_are_hopeless(
    fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch, failing: set[int], trials: int
) -> None:
    def sometimes(launches: Sequence[Launch]) -> Any:
        mechanism = "crashes" if len(shelf.kept) + 1 in failing else "slow"
        return run_trials([replace(one, request=replace(one.request, mechanism=mechanism)) for one in launches])

    monkeypatch.setattr(RUN_TRIALS, sometimes)
    ended = ended_run(fake_runtime, shelf := Shelf(), "slow", rounds=6)
    assert (len(ended.observations), ended.problem) == (trials, None)


def test_trials_after_the_first_round_keep_the_budget(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(0, 1000, 2))  # a trial takes six
    monkeypatch.setattr("threadping.conduct.runner.time.monotonic", lambda: float(next(seconds)))
    ended = ended_run(fake_runtime, Shelf(), "slow", rounds=9, budget_s=16)
    assert [one.round for one in ended.observations] == [1, 2]
    note = "Ended with its budget after 2 of 9 rounds: trials took longer than planned."
    assert ended.run.note == note
    seen = list[Event]()
    how: Any = {"rounds": 9, "budget_s": 1, "listen": seen.append}
    ended = ended_run(fake_runtime, Shelf(), "slow", "chatters", "slow", **how)
    assert [one.round for one in ended.observations] == [1, 1, 1]
    assert [event.left_s for event in seen if isinstance(event, TrialBegins)][1:] == [0, 0]
    came = Watch(ping(127), StateFilter("high", (100, 150)))
    ended = ended_run(fake_runtime, Shelf(), "slow", rounds=9, budget_s=16, placement=APART, watch=came)
    assert ended.run.note == note  # it does not end for a state that came


def test_an_interrupt_keeps_what_was_measured_before(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted_at_the_third(*args: Any, **kwargs: Any) -> Any:
        if len(shelf.kept) == 2:
            raise KeyboardInterrupt
        return run_trials(*args, **kwargs)

    monkeypatch.setattr(RUN_TRIALS, interrupted_at_the_third)
    monkeypatch.setattr("threadping.conduct.runner.read_clock_if_set", lambda: "")
    ended = ended_run(fake_runtime, shelf := Shelf(), "slow")
    assert len(shelf.kept) == len(ended.observations) == 2
    assert shelf.ended == (ended.run.status, ended.run.note) == INTERRUPTED
    assert isinstance(ended.problem, Interrupted) and ended.run.ended is None  # the clock is set to no time


def test_a_listener_that_is_interrupted_ends_the_run(fake_runtime: Runtime) -> None:
    def interrupted(_event: Event) -> None:
        raise KeyboardInterrupt

    ended = ended_run(fake_runtime, shelf := Shelf(), "slow", listen=interrupted)
    assert (type(ended.problem), shelf.kept, shelf.ended) == (Interrupted, [], INTERRUPTED)


def kind(event: Event) -> object:
    """A ping as its distance and number of trials before it; any other event as its type."""
    return (event.ping.ns, event.ping.trials) if isinstance(event, PingTaken) else type(event)


def test_trials_are_pinged_before_and_after_which_is_stored_first(fake_runtime: Runtime) -> None:
    heard, shelf = [], Shelf()

    def listen(event: Event) -> None:
        heard.append(kind(event))
        assert not isinstance(event, PingTaken) or shelf.pinged[-1] is event.ping

    ended = ended_run(fake_runtime, shelf, "slow", rounds=2, placement=APART, listen=listen)
    trial = [TrialBegins, TrialEnded]
    assert heard == [(26, 0), *trial, (26, 1), *trial, (26, 2)]
    assert [*ended.pings] == shelf.pinged


def test_pings_that_a_trial_took_itself_stand_around_it(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    levels = iter([26.0, 26.0, 127.0, 127.0, 26.0, 127.0, 127.0, 127.0])

    def run_pinged(launches: Sequence[Launch]) -> list[Outcome]:
        (one,) = launches
        each = tuple(PingResult(one.request.pings[0], when, 10**9, next(levels)) for when in ("before", "after"))
        return [Outcome(make_result(one.request, pings=each), None, "", 1)]

    monkeypatch.setattr(RUN_TRIALS, run_pinged)
    run, plan = of_run(fake_runtime, [Case("signal", "slow", {}, "cpp", APART, False, 1)], rounds=4)
    shelf: Any = Shelf()
    watch = Watch(ping(26))
    ended = Runner(run, Rounds(plan), shelf, lambda one: observe(one, FIGURES), watch, fake_runtime).run(unheard)
    within = [(one.trials, one.ns) for one in shelf.pinged if one.within]
    assert within == [(0, 26), (1, 26), (1, 127), (2, 127), (2, 26), (3, 127), (3, 127), (4, 127)]
    assert [(one.trials, one.ns) for one in shelf.pinged if not one.within] == [(0, 26)]
    assert list(ended.pings) == shelf.pinged
    stood = standings(ended.observations, states_of(ended.pings))
    assert [(one.before, one.after) for one in stood] == [(26, 26), (127, 127), (26, 127), (127, 127)]
    assert [one.states for one in stood] == [(0,), (1,), (), (1,)]  # the third saw both, though no other ping did


def test_an_awaited_state_is_measured_when_it_comes(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.conduct.pings.WAIT_S", 0)
    watch = Watch(ping(26, 26, 127), StateFilter("high", (100, 150)))
    heard = list[Event]()
    ended_run(fake_runtime, Shelf(), "slow", rounds=1, placement=APART, watch=watch, listen=heard.append)
    assert [kind(one) for one in heard] == [(26, 0), (26, 0), (127, 0), TrialBegins, TrialEnded, (127, 1)]
    assert [event.waits for event in heard if isinstance(event, PingTaken)] == [False, True, True, False]


def test_a_state_that_never_comes_ends_with_the_budget(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.conduct.pings.WAIT_S", 0)
    monkeypatch.setattr("threadping.conduct.runner.time.monotonic", count(0, 0.001).__next__)
    watch = Watch(ping(), StateFilter("high", (100, 150)))
    ended = ended_run(fake_runtime, shelf := Shelf(), "slow", budget_s=0.1, placement=APART, watch=watch)
    assert ended.run.note == "Ended with its budget, waiting for the state 'high'."
    assert (ended.run.status, ended.observations, len(shelf.pinged) > 1) == ("complete", (), True)
    assert str(ended.problem).startswith("The state 'high' did not come within ")


def test_a_state_that_comes_and_goes_leaves_its_trials(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("threadping.conduct.pings.WAIT_S", 0)
    monkeypatch.setattr("threadping.conduct.runner.time.monotonic", count(0, 0.001).__next__)
    watch = Watch(ping(127, 26), StateFilter("high", (100, 150)))
    ended = ended_run(fake_runtime, Shelf(), "slow", budget_s=0.1, placement=APART, watch=watch)
    assert (len(ended.observations), ended.problem) == (1, None)
    assert ended.run.note == "Ended with its budget, waiting for the state 'high'."
