"""A plan, trial by trial, with a ping of their CPUs between any two."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.row_warnings import why_failed
from threadping.conduct.pings import Watch, taken_within
from threadping.model.base import read_clock_if_set
from threadping.model.cases import Case, Pair, Runtime
from threadping.model.errors import CpusLost, Interrupted, StoreError, ThreadpingError
from threadping.model.quantities import named
from threadping.model.run import (
    Event,
    Observation,
    PingTaken,
    ReferencePing,
    Run,
    RunEnded,
    RunStatus,
    Spent,
    Trial,
    TrialBegins,
    TrialEnded,
)
from threadping.planning.schedule import Batch, Ended, Levels, Schedule, Turn
from threadping.probes.interrupts import held_back
from threadping.probes.machine import difference, others_since, throttled_ns
from threadping.probes.placements import usable, watch_cpus
from threadping.probes.trial import START_SECONDS, Launch, holding_trace_points, run_trials, run_under_load
from threadping.store.store import Store

Done = Sequence[tuple[Trial, Observation]]  # trials that were measured at once


class StoredProgress(Struct, frozen=True):
    """The stored trials and observations of a run that is resumed, in their order, and its pings in theirs."""

    trials: Sequence[Trial] = ()
    observations: Sequence[Observation] = ()
    pings: Sequence[ReferencePing] = ()


def chosen(schedule: Schedule, done: Done, places: Mapping[Case, int]) -> Batch:
    """Replay the schedule to the batch of these trials; raise ThreadpingError if it would never have chosen them."""
    wanted = [(places.get(trial.case), trial.round, trial.side) for trial, _ in done]
    waiting: set[int] = set()
    while batch := schedule.next(waiting, lambda _: ()):
        if [(turn.case, turn.round, turn.side) for turn in batch] == wanted:
            return batch
        if all(turn.case in waiting for turn in batch):
            break
        waiting.update(turn.case for turn in batch)
    raise ThreadpingError(
        "The run cannot be resumed: its trials are not those that its plan leads to, so that another threadping must "
        "have measured it. Measure again."
    )


HOPELESS_AFTER = 2  # consecutive failures: then a case would only take the others' time
MOST_AT_ONCE = 16  # maximum number of pairs pinged before and after a batch
INTERRUPTED = "Interrupted; what was measured until then is stored and shown."
Observe = Callable[[Trial], Observation]
Listener = Callable[[Event], object]


class Runner:
    """Carries out one schedule, with a ping of the CPUs between any two trials."""

    def __init__(
        self,
        run: Run,
        schedule: Schedule,
        store: Store,
        observe: Observe,
        watch: Watch,
        cpp: Runtime,
        before: StoredProgress | None = None,
    ) -> None:
        """Raise ThreadpingError if the schedule would not have led to what was measured `before`."""
        self._observations: list[Observation] = []
        self._unstored: tuple[Trial, ...] = ()
        self._cpp = cpp
        self._run, self._schedule, self._store, self._observe, self._watch = run, schedule, store, observe, watch
        self._plan = schedule.plan
        self._runtimes = {runtime.label: runtime for runtime in run.runtimes}
        self._measured = [0] * len(self._plan.cases)
        self._failed = [0] * len(self._plan.cases)
        self._waiting: set[int] = set()
        self._waited = False
        self._free_s = 0.0
        unpinned = any(None in case.placement.cpus for case in self._plan.cases)
        used = {cpu for case in self._plan.cases for cpu in case.placement.used}
        self._lost_cpus = watch_cpus(usable(run.machine.topology) if unpinned else used)
        self._last: tuple[Batch, Done] | None = None
        self._begun = time.monotonic() - self._replay(before or StoredProgress())

    def run(self, listen: Listener) -> RunEnded:
        """Measure what the schedule says, store each trial as it ends, and tell the listener of every event.

        KeyboardInterrupt ends the run as interrupted, also where it meets the listener; the probe at work is killed
        before. A store that stops taking trials (a full disk) ends it too, with what was measured so far still in hand.
        """
        self._listen = listen
        status: RunStatus = "complete"
        note: str | None = None
        problem: ThreadpingError | None = None
        try:
            with holding_trace_points(self._cpp) if self._plan.outliers else nullcontext():
                note = self._measure_all()
        except KeyboardInterrupt:
            status, note = "interrupted", INTERRUPTED
            problem = Interrupted(f"{note} `threadping runs resume {self._run.id}` resumes it.")
        except CpusLost as error:
            status, problem, note = "failed", error, str(error)
        except StoreError as error:
            status = "failed"
            note = f"{error} The run was ended; what was measured is shown, but its last trials are not stored."
            problem = StoreError(note)
        problem = problem or self._watch.never_came() or self._unmeasured()
        note, took_s = joined(self._run.note, note), self._spent_s()
        ended = replace(self._run, status=status, note=note, ended=read_clock_if_set() or None, took_s=took_s)
        try:
            with held_back(dropped=True):  # a second Ctrl-C would lose the answer
                self._store.finish(ended)
        except StoreError as error:  # before any other problem: what was measured is to be kept elsewhere
            problem = problem if isinstance(problem, StoreError) else error
        return RunEnded(ended, tuple(self._observations), tuple(self._watch.pings), problem, self._unstored)

    def _measure_all(self) -> str | None:
        """Ping and measure until the schedule has nothing more; return why the plan was cut short."""
        if not self._last:
            self._keep(self._watch.ping(self._plan.survey, len(self._observations)))
        else:  # these pings end the last trials before the gap
            self._keep(self._watch.ping(self._pairs_of(self._last[0]), len(self._observations)))
            self._relearn(*self._last, self._spent_s())
        budget_s, out_of_time = max(self._run.budget_s, self._schedule.seconds), False
        while (batch := self._schedule.next(self._waiting, self._levels)) or self._waiting:
            needs_s = batch[0].needs_s if batch else 0.0  # the same for every turn of a batch
            if out_of_time := (needs_s > 0 or not batch) and budget_s - self._spent_s() < needs_s:
                break
            if not batch:
                wanted = {pair for index in self._waiting for pair in self._plan.cases[index].placement.pairs}
                self._keep(self._watch.wait(sorted(wanted), len(self._observations)))
                self._waiting.clear()
                self._waited = True
                continue
            begun_s, pairs, done = self._spent_s(), self._pairs_of(batch), len(self._observations)
            self._keep(self._watch.ping(pairs, done))
            if not self._watch.holds(pairs):
                self._waiting.update(turn.case for turn in batch)
                continue
            turn, (trials_left, seconds) = batch[0], self._schedule.left()
            left_s, case = max(0.0, min(seconds, budget_s - self._spent_s())), self._plan.cases[turn.case]
            self._listen(TrialBegins(case, turn.round, turn.rounds, done, done + trials_left, left_s, turn.side))
            trials = self._measure(batch, begun_s)
            results = [one.result for one in trials]
            self._keep(self._watch.took(taken_within(results, "before", done)))
            before = [self._levels(turn.case) for turn in batch]
            if self._schedule.tries_all and (lost := self._lost_cpus()):
                was, them = ("was", "it") if len(lost) == 1 else ("were", "them")
                raise CpusLost(
                    f"{named(lost)} {was} taken away from this process (a smaller cpuset or mask, or offline). "
                    f"Give {them} back, and `threadping runs resume {self._run.id}` measures the rest."
                )
            ended = [TrialEnded(trial, self._observe(trial)) for trial in trials]
            self._observations.extend(one.observation for one in ended)
            self._unstored = tuple(trials)  # all or none is stored: a part could not be measured again alone
            self._store.add_batch(self._run.id, [(one.trial, one.observation) for one in ended])
            self._unstored = ()
            for one in ended:
                self._listen(one)
            self._keep(self._watch.took(taken_within(results, "after", done + len(batch))))
            self._keep(self._watch.ping(pairs, done + len(batch)))
            self._free_s = self._spent_s()
            wall_s = (self._free_s - begun_s) / len(batch)
            for turn, of_it, levels in zip(batch, ended, before, strict=True):
                result = of_it.trial.result
                self._learn(turn, Ended(of_it.observation, result, wall_s, levels, self._levels(turn.case)))
        why = self._schedule.cut_short() if out_of_time else None
        if out_of_time and self._watch.wanted and self._waited:
            why = f"Ended with its budget, waiting for the state '{self._watch.wanted.text}'."
        return joined(why, self._schedule.unreached())

    def _replay(self, past: StoredProgress) -> float:
        """Tell the schedule what was measured before, but for the last trials; how many seconds that had spent."""
        places = {case: place for place, case in enumerate(self._plan.cases)}
        each = zip(past.trials, past.observations, strict=True)
        for first in each:
            done = [first, *islice(each, first[0].concurrent)]  # those that were measured at once
            if self._last:
                self._relearn(*self._last, _spent(done).free)
            self._observations.extend(seen for _, seen in done)
            self._last = chosen(self._schedule, done, places), done
        return _spent(self._last[1]).ended if self._last else 0.0

    def _relearn(self, batch: Batch, done: Done, free_s: float) -> None:
        """Learn from stored trials as when they had ended, after `free_s` seconds of the budget."""
        self._free_s, spent, first = free_s, _spent(done), done[0][0].position
        for turn, (trial, seen) in zip(batch, done, strict=True):
            pairs, wall_s = trial.case.placement.pairs, (free_s - spent.begun) / len(batch)
            before, after = self._watch.levels(pairs, first), self._watch.levels(pairs, first + len(batch), after=True)
            self._learn(turn, Ended(seen, trial.result, wall_s, before, after))

    def _unmeasured(self) -> ThreadpingError | None:
        """Return the error that cases have no figure; a schedule may leave cases untried, which is noted instead."""
        tried = {one.case for one in self._observations}
        measured = {one.case for one in self._observations if one.failure is None}
        without = [case for case in self._plan.cases if case not in measured]
        missing = [case.title for case in without if case in tried]
        if not missing and self._schedule.tries_all:
            missing = [case.title for case in without]
        if not missing:
            return None
        of_all = f"{len(missing)} of {len(self._plan.cases)} {'case' if len(self._plan.cases) == 1 else 'cases'}"
        named = ", ".join(dict.fromkeys(missing))  # pairs of CPUs have one title
        unmeasured = {*without}  # there may be thousands
        reasons = [
            why_failed(one) if one.failure.code == "stalled" else one.failure.message
            for one in self._observations
            if one.failure and one.case in unmeasured
        ]
        why = reasons[0] if len(set(reasons)) == 1 else f"The first error: {reasons[0]}" if reasons else ""
        why += f"{' ' if why else ''}`threadping show {self._run.id} --trials` shows each trial."
        return ThreadpingError(f"{of_all} could not be measured: {named}. {why}")

    def _levels(self, index: int) -> Levels:
        return self._watch.levels(self._plan.cases[index].placement.pairs)

    def _keep(self, pings: Iterable[PingTaken]) -> None:
        for event in pings:
            self._store.add_ping(self._run.id, event.ping)
            self._listen(event)

    def _measure(self, batch: Batch, begun_s: float) -> list[Trial]:
        launches, cpus = list[Launch](), usable(self._run.machine.topology)
        cases = [self._plan.cases[turn.case] for turn in batch]
        for turn, case in zip(batch, cases, strict=True):
            length, earlier = self._schedule.length(turn.case), self._measured[turn.case]
            request = self._plan.request(case, length, earlier, len(cpus))
            patience_s = max(START_SECONDS, 10 * self._plan.start_s[turn.case])
            promised = self._plan.paces[case.experiment].promised
            launches.append(Launch(self._runtimes[case.runtime], request, patience_s, promised))
        started, first = read_clock_if_set(), len(self._observations)
        # Busy threads are ours, wherever they run: unless that is here, what others took is known of all CPUs only.
        used = {cpu for case in cases for cpu in case.placement.used if case.busy.there or not case.busy.threads}
        share_of_others, throttled = others_since(used or cpus), throttled_ns()
        outcomes = run_under_load(self._cpp, cases[0].busy, lambda: run_trials(launches), cpus, cases[0].placement.used)
        others, throttled = share_of_others(), difference(throttled_ns(), throttled)
        spent = Spent(self._free_s, begun_s, self._spent_s())
        return [
            Trial(
                round=turn.round,
                position=first + place,
                case=case,
                request=launch.request,
                result=outcome.result,
                failure=outcome.failure,
                log=outcome.log,
                started=started,
                wall_ns=outcome.wall_ns,
                others=others,
                side=turn.side,
                concurrent=len(batch) - 1,
                spent=spent,
                throttled_ns=throttled,
            )
            for place, (turn, case, launch, outcome) in enumerate(zip(batch, cases, launches, outcomes, strict=True))
        ]

    def _learn(self, turn: Turn, ended: Ended) -> None:
        """Tell the schedule; a case with too many consecutive failures is given up."""
        self._measured[turn.case] += 1
        self._failed[turn.case] = self._failed[turn.case] + 1 if ended.observation.failure else 0
        if self._failed[turn.case] >= HOPELESS_AFTER:
            self._schedule.give_up(turn.case)
        self._schedule.ended(turn, ended, self._schedule.seconds - self._free_s)

    def _spent_s(self) -> float:
        """Return the seconds of measuring, without interruptions; in whole microseconds, to be stored exactly."""
        return round(time.monotonic() - self._begun, 6)

    def _pairs_of(self, batch: Batch) -> list[Pair]:
        """Return the pairs to ping: of a large batch some, spread evenly, or pings would take longer than trials."""
        pairs = [pair for turn in batch for pair in self._plan.cases[turn.case].placement.pairs]
        return pairs[:: max(1, -(-len(pairs) // MOST_AT_ONCE))]


def _spent(done: Done) -> Spent:
    spent = done[0][0].spent
    assert spent  # a run without it is not resumed
    return spent


def joined(*notes: str | None) -> str | None:
    return " ".join(note for note in notes if note) or None
