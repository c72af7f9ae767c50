"""Carrying out a plan, with the fake probe and a store that can be made to fail."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden.fixture import RUN
from threadping.cli.conduct import Conducted, conduct
from threadping.errors import Interrupted, StoreFull
from threadping.experiments import paces
from threadping.model import Case, Placement, Run, Runtime, Trial
from threadping.plan import Plan
from threadping.probes.trial import run_trial


class Shelf:
    """A store that keeps trials in a list, and is full after `room` of them."""

    def __init__(self, room: int = 1000) -> None:
        self.room = room
        self.trials: list[Trial] = []
        self.ended: tuple[str, str | None] | None = None

    def begin(self, run: Run) -> Run:
        return replace(run, id=1)

    def add(self, run_id: int, trial: Trial) -> None:
        if len(self.trials) == self.room:
            raise StoreFull("The disk is full.")
        self.trials.append(trial)

    def finish(self, run_id: int, status: str, note: str | None) -> None:
        self.ended = (status, note)


def case(mechanism: str, blocking: bool = True) -> Case:
    return Case("signal", mechanism, {}, "cpp", Placement("same-l3", (0, 1)), blocking, 1)


def carry_out(runtime: Runtime, shelf: Any, *cases: Case, rounds: int = 3, budget_s: float = 60) -> Conducted:
    plan = Plan(cases, tuple(0.1 for _ in cases), rounds, 0.2, seed=1, paces=paces())
    run = replace(RUN, cases=cases, runtimes=(runtime,), rounds=rounds, budget_s=budget_s)
    return conduct(run, plan, {"cpp": 0.1}, shelf)


def test_every_trial_is_stored_as_it_ends(fake_runtime: Runtime) -> None:
    shelf = Shelf()
    conducted = carry_out(fake_runtime, shelf, case("slow"), case("chatters"))
    assert list(conducted.trials) == shelf.trials
    assert Counter(trial.case.mechanism for trial in shelf.trials) == {"slow": 3, "chatters": 3}
    assert [trial.round for trial in shelf.trials] == [1, 1, 2, 2, 3, 3]
    assert (shelf.ended, conducted.problem) == (("complete", None), None)


def test_a_full_disk_ends_the_run_with_all_that_was_measured_in_hand(fake_runtime: Runtime) -> None:
    shelf = Shelf(room=2)
    conducted = carry_out(fake_runtime, shelf, case("slow"))
    assert len(shelf.trials) == 2
    assert len(conducted.trials) == 3
    assert conducted.run.status == "failed"
    assert "The disk is full." in str(conducted.problem)


def test_a_hopeless_case_does_not_take_the_others_time(fake_runtime: Runtime) -> None:
    shelf = Shelf()
    conducted = carry_out(fake_runtime, shelf, case("slow"), case("crashes"), rounds=4)
    assert Counter(trial.case.mechanism for trial in shelf.trials) == {"slow": 4, "crashes": 2}
    assert str(conducted.problem) == "1 of 2 cases could not be measured, see their verdicts: crashes cpp same-l3."


def test_no_round_is_begun_that_overdraws_the_budget(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(0, 1000, 2))
    monkeypatch.setattr("threadping.cli.conduct.time.monotonic", lambda: float(next(seconds)))
    conducted = carry_out(fake_runtime, Shelf(), case("slow"), rounds=9, budget_s=5)
    assert {trial.round for trial in conducted.trials} == {1, 2}
    assert "longer than planned" in (conducted.run.note or "")


def test_an_interrupt_keeps_what_was_measured(fake_runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    real, calls = run_trial, []

    def interrupted_at_the_third(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr("threadping.cli.conduct.run_trial", interrupted_at_the_third)
    conducted = carry_out(fake_runtime, shelf, case("slow"))
    assert len(shelf.trials) == len(conducted.trials) == 2
    assert shelf.ended is not None
    assert shelf.ended[0] == conducted.run.status == "interrupted"
    assert isinstance(conducted.problem, Interrupted)
