"""A plan, trial by trial, with a ping of their CPUs between any two."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from threadping.analysis.states import alike
from threadping.errors import Interrupted, StoreError, ThreadpingError
from threadping.machine.load import others_since
from threadping.model import (
    Event,
    Note,
    Observation,
    PingTaken,
    Run,
    RunEnded,
    RunStatus,
    Trial,
    TrialBegins,
    TrialEnded,
)
from threadping.plan import Pacing, Plan
from threadping.probes.interrupts import held_back
from threadping.probes.trial import run_trial
from threadping.relation import usable
from threadping.runner.watch import Watch

if TYPE_CHECKING:  # it would import SQLAlchemy
    from threadping.store import Store

START_SECONDS = 3.0
"""What the start of a probe may take at least, however quick it was before."""

HOPELESS_AFTER = 2
"""A case that has failed so often in a row is not tried again: it would only take the others' time."""

Observe = Callable[[Trial], Observation]


def run_plan(run: Run, plan: Plan, store: "Store", observe: Observe, watch: Watch) -> Iterator[Event]:
    """Measure what is planned and store each trial as it ends; the last event is RunEnded, whatever happens.

    It may run in any thread; whoever listens may stop listening between two events, which ends the run as interrupted.
    So does KeyboardInterrupt, after the probe at work was killed. A store that stops taking trials (a full disk) ends
    it too, with what was measured so far still in hand.

    Args:
        run: as it was stored when it began, with its number.
        plan: its rounds.
        store: where its trials and pings go.
        observe: reads a trial's figures.
        watch: over the state of the CPUs, with the state in which alone to measure, if one was asked for.
    """
    runner = Runner(run, plan, store, observe, watch)
    status: RunStatus = "complete"
    note: str | None = None
    problem: ThreadpingError | None = None
    try:
        for event in runner.events():
            if isinstance(event, Note):
                note = event.text
            yield event
    except (KeyboardInterrupt, GeneratorExit) as stop:
        note = "Interrupted; what was measured until then is stored and shown."
        if isinstance(stop, GeneratorExit):  # nobody hears the last event
            with held_back():
                store.finish(run.id, "interrupted", _joined(run.note, note))
            raise
        status, problem = "interrupted", Interrupted(note)
    except StoreError as error:
        status = "failed"
        note = f"{error} The run was ended; what was measured is shown, but its last trials are not stored."
        problem = StoreError(note)
    problem = problem or watch.never_came() or runner.unmeasured()
    note = _joined(run.note, note)
    try:
        with held_back(dropped=True):  # somebody who presses Ctrl-C once more would lose the answer
            store.finish(run.id, status, note)
    except StoreError as error:
        problem = problem or error
    ended = replace(run, status=status, note=note, ended=_now())
    yield RunEnded(ended, tuple(runner.observations), tuple(watch.pings), problem)


class Runner:
    """Carries out one plan; `observations` are of the trials that have ended."""

    def __init__(self, run: Run, plan: Plan, store: "Store", observe: Observe, watch: Watch) -> None:
        """Take what `run_plan` takes."""
        self.observations: list[Observation] = []
        self._run, self._plan, self._store, self._observe, self._watch = run, plan, store, observe, watch
        self._runtimes = {runtime.label: runtime for runtime in run.runtimes}
        self._pacing = Pacing(plan)
        self._measured = [0] * len(plan.cases)
        self._levels: list[list[tuple[float, ...]]] = [[] for _ in plan.cases]
        self._failed = [0] * len(plan.cases)
        self._waiting: set[int] = set()
        self._waited = False
        self._planned_end = time.monotonic() + plan.seconds
        self._end = self._planned_end + max(0.0, run.budget_s - plan.seconds)

    def events(self) -> Iterator[Event]:
        """Every ping, every trial before and after it is measured, and a note where the plan is not carried out."""
        while (index := self._pick()) is not None or self._waiting:
            if self._is_out_of_time(index):
                yield self._why_it_ends()
                return
            if index is None:
                yield from self._wait()
                continue
            begun = time.monotonic()
            yield from self._ping(index)
            if not self._watch.holds(self._pairs(index)):
                self._waiting.add(index)
                continue
            before = self._watch.levels(self._pairs(index))
            yield self._begins(index)
            trial = self._measure(index)
            yield self._record(trial)
            yield from self._ping(index)
            self._learn(index, trial, before, time.monotonic() - begun)

    def _is_out_of_time(self, index: int | None) -> bool:
        """Whether the budget is spent, or would be before this trial ended; the first round is measured anyway."""
        if index is None:
            return self._left_s() < 0
        return self._measured[index] > 0 and self._left_s() < self._pacing.expected_s(index)

    def _why_it_ends(self) -> Note:
        wanted = self._watch.wanted
        if wanted and self._waited:
            return Note(f"Ended with its budget, waiting for the state '{wanted.text}'.")
        rounds = f"{min(self._measured)} of {self._plan.rounds} rounds"
        return Note(f"Ended with its budget after {rounds}: trials took longer than planned.")

    def unmeasured(self) -> ThreadpingError | None:
        """The error that there are cases without any figure."""
        measured = {one.case for one in self.observations if one.failure is None}
        missing = [case.title for case in self._plan.cases if case not in measured]
        if not missing:
            return None
        of_all = f"{len(missing)} of {len(self._plan.cases)} {'case' if len(self._plan.cases) == 1 else 'cases'}"
        return ThreadpingError(f"{of_all} could not be measured, see their errors: {', '.join(missing)}.")

    def _pick(self) -> int | None:
        """The case to measure next; None where none is left, or those that are left wait for a state."""
        here = [self._in_this_state(index) for index in range(len(self._measured))]
        return self._plan.next_case(self._measured, here, self._hopeless() | self._waiting)

    def _in_this_state(self, index: int) -> int:
        """How many trials a case has had while its CPUs were as now; all of them where that is not known."""
        now = self._watch.levels(self._pairs(index))
        return sum(all(map(alike, one, now)) for one in self._levels[index]) if now else self._measured[index]

    def _ping(self, index: int) -> Iterator[PingTaken]:
        for event in self._watch.ping(self._pairs(index), len(self.observations)):
            self._store.add_ping(self._run.id, event.ping)
            yield event

    def _wait(self) -> Iterator[PingTaken]:
        pairs = {pair for index in self._waiting for pair in self._pairs(index)}
        for event in self._watch.wait(sorted(pairs), len(self.observations)):
            self._store.add_ping(self._run.id, event.ping)
            yield event
        self._waiting.clear()
        self._waited = True

    def _begins(self, index: int) -> TrialBegins:
        trials = self._trials_left()
        done = len(self.observations)
        return TrialBegins(
            case=self._plan.cases[index],
            round=self._measured[index] + 1,
            rounds=self._plan.rounds,
            done=done,
            trials=done + sum(trials),
            left_s=max(0.0, min(self._pacing.left_s(trials), self._left_s())),
        )

    def _measure(self, index: int) -> Trial:
        case, number = self._plan.cases[index], self._measured[index] + 1
        cpus = len(usable(self._run.machine.topology))
        request = self._plan.request(case, self._pacing.length(index), number, cpus)
        started = _now()
        patience_s = max(START_SECONDS, 10 * self._plan.start_s[index])
        share_of_others = others_since(case.placement.used or usable(self._run.machine.topology))
        outcome = run_trial(self._runtimes[case.runtime], request, start_seconds=patience_s)
        return Trial(
            round=number,
            position=len(self.observations),
            case=case,
            request=request,
            result=outcome.result,
            failure=outcome.failure,
            log=outcome.log,
            started=started,
            wall_ns=outcome.wall_ns,
            others=share_of_others(),
        )

    def _record(self, trial: Trial) -> TrialEnded:
        observation = self._observe(trial)
        self.observations.append(observation)
        self._store.add(self._run.id, trial, observation)
        return TrialEnded(trial, observation)

    def _learn(self, index: int, trial: Trial, before: tuple[float, ...], wall_s: float) -> None:
        """Remember the state of the trial and its cost; after a round share out what is left of the budget."""
        self._measured[index] += 1
        self._failed[index] = self._failed[index] + 1 if trial.failure else 0
        after = self._watch.levels(self._pairs(index))
        if after and len(before) == len(after) and all(map(alike, before, after)):
            self._levels[index].append(after)
        self._pacing.ended(index, wall_s, trial.result)
        trials = self._trials_left()
        if len({left for left in trials if left}) == 1:
            self._pacing.share_out(trials, self._planned_end - time.monotonic())

    def _trials_left(self) -> list[int]:
        hopeless = self._hopeless()
        return [0 if i in hopeless else self._plan.rounds - had for i, had in enumerate(self._measured)]

    def _left_s(self) -> float:
        return self._end - time.monotonic()

    def _hopeless(self) -> set[int]:
        return {index for index, failed in enumerate(self._failed) if failed >= HOPELESS_AFTER}

    def _pairs(self, index: int) -> tuple[tuple[int, int], ...]:
        return self._plan.cases[index].placement.pairs


def _joined(*notes: str | None) -> str | None:
    return " ".join(note for note in notes if note) or None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
