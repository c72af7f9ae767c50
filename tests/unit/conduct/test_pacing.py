"""Durations of trials after the first ones."""

import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from random import Random
from statistics import fmean
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace
from rich.console import Console

from tests.conftest import make_request, make_result
from tests.unit.analysis.examples import SIGNAL
from tests.unit.conduct.simulation import Clock, plan_of, simulated
from threadping.conduct import conduct as module
from threadping.conduct.environment import Environment
from threadping.conduct.pings import Watch
from threadping.conduct.progress import Progress
from threadping.conduct.study import StudyRequest
from threadping.model.cases import Case, Placement, Runtime
from threadping.model.contract import MeasuringPhase, Result, Warmup
from threadping.model.errors import BudgetTooSmall, ThreadpingError, UsageError
from threadping.model.run import Event, RunEnded, TrialBegins
from threadping.planning.defaults import Length, Pace, Start, in_blocks
from threadping.planning.plan import Budget, Pacing, make_plan
from threadping.planning.selection import Selection
from threadping.probes.runtimes import Found
from threadping.probes.trial import Launch, Outcome

BUDGET_S = 60
STARTS = {"cpp": Start(0.05), "java-17": Start(0.25, compiles=True)}
CASES = [
    replace(SIGNAL, mechanism=f"m{number}", runtime=label, placement=Placement("unpinned", (None, None)))
    for label, of_each in (("cpp", 20), ("java-17", 12))
    for number in range(of_each)
]
RESULT = make_result(make_request())


def result(warmup_s: float, measure_s: float, ended: str) -> Result:
    warmup = Warmup(1, int(warmup_s * 1e9), ended)  # type: ignore[arg-type]
    return replace(RESULT, warmup=warmup, measured=MeasuringPhase(1, int(measure_s * 1e9), cut=False))


class Machine(Clock):
    """It is the clock and the probe: each start takes `slower` times what was planned, with a spread of a fifth."""

    def __init__(self, seed: int, slower: float, steady_after_s: float) -> None:
        super().__init__()
        self.random, self.slower, self.steady_after_s = Random(seed), slower, steady_after_s
        self.warmups: list[tuple[str, float]] = []

    def run_trials(self, launches: Sequence[Launch]) -> list[Outcome]:
        ((runtime, request),) = ((one.runtime, one.request) for one in launches)
        limit, measure = request.warmup.limit_ns / 1e9, request.measure_ns / 1e9
        needed = self.steady_after_s * self.random.lognormvariate(0, 0.3) if runtime.probe == "java" else 0.01
        warmup = min(limit, needed)
        self.warmups.append((runtime.probe, limit))
        start = STARTS[runtime.label].seconds * self.slower * self.random.lognormvariate(0, 0.2)
        self.now += start + warmup + measure
        return [Outcome(result(warmup, measure, "steady" if warmup < limit else "limit"), None, "", 1)]


def carried_out(
    machine: Machine,
    scatter: Mapping[str, float] | None = None,
    until: float | None = None,
    cases: Sequence[Case] = CASES,
) -> tuple[list[tuple[float, TrialBegins]], RunEnded, str]:
    """When each trial began, how it all ended, and what progress printed."""
    budget_s = BUDGET_S
    plan = make_plan(cases, Budget(budget_s, STARTS, {"signal": Pace(in_blocks, measure_s=0.05)}, 3, until=until))
    file, begun = io.StringIO(), list[tuple[float, TrialBegins]]()
    watch = Watch(lambda *_: pytest.fail("nothing is pinned"))
    with Progress(Console(file=file, width=200)) as progress:

        def listen(event: Event) -> None:
            progress.saw(event)
            if isinstance(event, TrialBegins):
                begun.append((machine.now, event))

        ended = simulated(machine, plan, budget_s, watch, listen, scatter)
    return begun, ended, file.getvalue()


@pytest.mark.parametrize(("slower", "steady_after_s"), [(1.15, 0.1), (0.8, 1.5)])
def test_the_time_left_is_right_within_10_percent_and_never_grows(slower: float, steady_after_s: float) -> None:
    machine = Machine(round(100 * slower * steady_after_s), slower, steady_after_s)
    begun, ended, printed = carried_out(machine)
    assert ended.run.note is None
    assert len(ended.observations) == 6 * len(CASES)
    assert machine.now < BUDGET_S
    for at, event in begun:
        shown = event.round > 1 or steady_after_s == 1.5  # as soon as what warm-ups leave goes to others
        if shown and machine.now - at > 10:  # the last trials are too few to even out
            assert event.left_s == pytest.approx(machine.now - at, rel=0.1), event.round
    assert all(one.round <= other.round for (_, one), (_, other) in pairwise(begun))
    left = [float(seconds) for seconds in re.findall(r"about ([\d.]+) s left", printed)]
    assert left == sorted(left, reverse=True)
    assert len(left) == 6


def test_where_trials_take_much_longer_the_run_ends_with_its_budget_and_no_case_is_two_trials_behind() -> None:
    machine = Machine(0, slower=2, steady_after_s=1.5)
    begun, ended, _ = carried_out(machine)
    assert BUDGET_S - 1.5 < machine.now <= BUDGET_S
    rounds = f"{begun[-1][1].round - 1} of 6 rounds"
    assert ended.run.note == f"Ended with its budget after {rounds}: trials took longer than planned."
    had = [sum(one.case == case for one in ended.observations) for case in CASES]
    assert max(had) - min(had) == 1


def test_the_time_that_steady_trials_leave_goes_to_warmups_that_reached_their_limit() -> None:
    machine = Machine(1, slower=0.5, steady_after_s=1.5)
    carried_out(machine)
    java = [limit for probe, limit in machine.warmups if probe == "java"]
    assert min(java[12:]) > 1.5 * max(java[:12])
    assert {limit for probe, limit in machine.warmups if probe == "cpp"} == {machine.warmups[0][1]}
    assert machine.now == pytest.approx(0.96 * BUDGET_S, rel=0.05)


NOISY = {case.mechanism: 0.1 if place % 4 == 0 else 0.01 for place, case in enumerate(CASES)}
"""Some scatter by 10%, and the others by 1%."""


def test_the_time_that_is_left_goes_to_cases_that_scatter_and_all_keep_their_six_trials() -> None:
    machine = Machine(1, 0.6, 1.5)
    begun, ended, printed = carried_out(machine, NOISY)
    had = Counter((one.case.runtime, one.case.mechanism) for one in ended.observations)
    of = {of: [n for (_, name), n in had.items() if NOISY[name] == of] for of in (0.1, 0.01)}
    assert min(had.values()) >= 6
    assert ended.run.note is None
    assert 0.93 * BUDGET_S < machine.now <= BUDGET_S
    assert fmean(of[0.1]) > 6.5 and fmean(of[0.1]) - 6 > 4 * (fmean(of[0.01]) - 6)
    left = [float(seconds) for seconds in re.findall(r"about ([\d.]+) s left", printed)]
    assert left == sorted(left, reverse=True)
    for at, event in begun:
        if event.round > 2 and machine.now - at > 10:
            assert event.left_s == pytest.approx(machine.now - at, rel=0.1), event.round


FEW = CASES[:4]


def test_more_trials_of_a_case_are_spread_over_the_run() -> None:
    _, ended, _ = carried_out(Machine(1, 1.0, 0.1), NOISY, cases=FEW)
    noisy = [one.position for one in ended.observations if NOISY[one.case.mechanism] == 0.1]
    assert len(noisy) > 30
    first, second = (sum(place < share * len(ended.observations) for place in noisy) for share in (0.5, 1))
    assert 0.35 < first / second < 0.6


def test_a_case_that_is_known_well_enough_is_measured_no_more() -> None:
    rows: list[tuple[float, str | None]] = [
        (0.05, None),
        (0.012, "1 of 4 cases have intervals wider than 1.2%: m0 cpp unpinned."),
    ]
    for until, note in rows:
        machine = Machine(1, 1.0, 0.1)
        _, ended, _ = carried_out(machine, NOISY, until, FEW)
        had = Counter(one.case.mechanism for one in ended.observations)
        assert min(had.values()) >= 12
        assert machine.now >= 20
        assert max(had, key=lambda name: had[name]) == "m0"
        if note is None:
            assert ended.run.note is None and machine.now < BUDGET_S - 10
        else:
            assert ended.run.note and ended.run.note.startswith(note)


TWO = plan_of(CASES[:2], rounds=6, seed=1, length=Length(0.2, 0.1), longest_s=1.0, start_s=0.1)


def learnt(*ended: str, start_s: float = 0.1) -> Pacing:
    """Return the pacing after one trial per case; a warm-up ended at its limit of 0.2 s or was steady after 0.1 s."""
    found = Pacing(TWO)
    assert found.left_s([1, 1], 0.0) == pytest.approx(0.8)
    for index, how in enumerate(ended):
        warmup = 0.2 if how == "limit" else 0.1
        found.ended(index, start_s + warmup + 0.1, result(warmup, 0.1, how))
    return found


def test_warmups_share_the_time_that_is_left() -> None:
    rows: list[tuple[tuple[str, str], float, float, float, float, tuple[float, float]]] = [
        (("limit", "steady"), 0.1, 3.5, 4.5, 4.5, (0.4, 0.2)),  # all that is spare goes to the one that needs it
        (("limit", "limit"), 0.1, 4.0, 6.0, 6.0, (0.4, 0.4)),
        (("limit", "limit"), 0.1, 4.0, 99.0, 12.0, (1.0, 1.0)),  # never beyond what nothing hurries takes
        (("steady", "steady"), 0.1, 3.0, 9.0, 3.0, (0.2, 0.2)),
        (("limit", "limit"), 0.2, 5.0, 4.5, 5.0, (0.15, 0.15)),
        (("limit", "limit"), 0.2, 5.0, 1.0, 5.0, (0.1, 0.1)),  # never below half of what was planned
    ]
    for ended, start_s, left, seconds, shown, warmups in rows:
        found = learnt(*ended, start_s=start_s)
        assert found.left_s([5, 5], 0.0) == pytest.approx(left)
        assert found.left_s([5, 5], seconds) == pytest.approx(shown)
        found.share_out([5, 5], seconds)
        assert [found.lengths[index].warmup_s for index in (0, 1)] == pytest.approx(warmups)
        assert {found.lengths[index].measure_s for index in (0, 1)} == {0.1}


def test_trials_without_a_result_count_with_what_they_took_and_the_last_three_tell_what_the_next_will_take() -> None:
    found = Pacing(TWO)
    for wall_s, left_s in ((9.0, 9.0), (1.0, 5.0), (2.0, 4.0), (6.0, 3.0)):
        found.ended(0, wall_s, None)
        assert found.left_s([1, 0], 0.0) == left_s


@pytest.mark.parametrize(("built", "code"), [((), 2), (("./mine.hpp",), 1)])
def test_a_budget_is_wrong_before_a_build(built: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cpp = Runtime("cpp", "cpp", ("/probe",), "")
    monkeypatch.setattr(module, "check_format", lambda *_: None)
    monkeypatch.setattr(module, "find_runtimes", lambda _, **__: Found((cpp,), ()))
    monkeypatch.setattr(module, "machine_lock", lambda **_: nullcontext())

    def prepare(_asked: object, environment: Environment) -> None:
        environment.built.extend(built)
        raise BudgetTooSmall("A budget of 4 s is too small.")

    study, output = SimpleNamespace(prepare=prepare), cast(Any, None)
    with pytest.raises(ThreadpingError, match="too small") as error:
        module.conduct(cast(Any, study), StudyRequest(None, Selection()), output)
    assert (error.value.exit_code, isinstance(error.value, UsageError)) == (code, code == 2)
