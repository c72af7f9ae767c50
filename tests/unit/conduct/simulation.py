"""A plan carried out on a virtual clock; what it measures is kept nowhere."""

from collections.abc import Mapping, Sequence
from math import exp
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.golden.fixture import RUN
from threadping.conduct import pings, runner
from threadping.conduct.pings import Watch
from threadping.conduct.runner import Listener, Runner
from threadping.model.cases import Case, Runtime
from threadping.model.run import Observation, RunEnded, Trial
from threadping.planning.defaults import Length, Pace, in_blocks
from threadping.planning.plan import Plan
from threadping.planning.schedule import Rounds

RUNTIMES = tuple(Runtime(label, label.split("-")[0], (), "") for label in ("cpp", "java-17"))


class Clock:
    """In place of `time`: it passes while somebody sleeps."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Shelf:
    def add_batch(self, *_: object) -> None: ...
    def add_ping(self, *_: object) -> None: ...
    def finish(self, *_: object) -> None: ...


def plan_of(cases: Sequence[Case], rounds: int, seed: int, length: Length, longest_s: float, start_s: float) -> Plan:
    """Return a plan of `signal` in which all trials are of one length."""
    of_each, pace = len(cases), {"signal": Pace(in_blocks)}
    lengths, longest, starts = (length,) * of_each, (longest_s,) * of_each, (start_s,) * of_each
    return Plan(tuple(cases), starts, lengths, longest, rounds=rounds, seed=seed, paces=pace)


def simulated(
    machine: Any, plan: Plan, budget_s: float, watch: Watch, listen: Listener, scatter: Mapping[str, float] | None
) -> RunEnded:
    """The end of a run on this machine, which is the clock and the probe.

    Where it is known by how much figures of each mechanism `scatter`, time is allotted by that.
    """
    chance = Random(1)

    def observed(trial: Trial) -> Observation:
        figure = exp(chance.gauss(0, scatter[trial.case.mechanism] if scatter else 0))
        return Observation(trial.round, trial.position, trial.case, None, 1, {"headline": figure})

    run = replace(RUN, cases=plan.cases, rounds=plan.rounds, budget_s=budget_s, runtimes=RUNTIMES)
    shelf: Any = Shelf()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "time", machine)
        patch.setattr(pings, "time", machine)
        patch.setattr(runner, "run_trials", machine.run_trials)
        patch.setattr(runner, "throttled_ns", lambda: None)  # nothing is read of the machine that tests
        patch.setattr(runner, "others_since", lambda _cpus: lambda: None)
        schedule = Rounds(plan, (lambda seen: seen.figures["headline"]) if scatter else None)
        return Runner(run, schedule, shelf, observed, watch, RUNTIMES[0]).run(listen)
