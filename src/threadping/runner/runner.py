"""A plan, trial by trial, with a ping of their CPUs between any two."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from threadping.errors import Interrupted, StoreError, ThreadpingError
from threadping.model import (
    Case,
    Event,
    Observation,
    PingTaken,
    Run,
    RunEnded,
    RunStatus,
    Runtime,
    Trial,
    TrialBegins,
    TrialEnded,
)
from threadping.plan import Plan
from threadping.probes.interrupts import held_back
from threadping.probes.trial import run_trial
from threadping.relation import usable
from threadping.runner.watch import Watch

if TYPE_CHECKING:  # it would import SQLAlchemy
    from threadping.store import Store

OVERDRAFT = 1.25
"""No round is begun that would end beyond the budget by more than this factor."""

START_SECONDS = 3.0
"""What the start of a probe may take at least, however quick it was before."""

HOPELESS_AFTER = 2
"""A case that has failed so often in a row is not tried again: it would only take the others' time."""

Observe = Callable[[Trial], Observation]


def run_plan(
    run: Run, plan: Plan, start_s: Mapping[str, float], store: "Store", observe: Observe, watch: Watch
) -> Iterator[Event]:
    """Measure what is planned and store each trial as it ends; the last event is RunEnded, whatever happens.

    It may run in any thread; whoever listens may stop listening between two events, which ends the run as interrupted.
    So does KeyboardInterrupt, after the probe at work was killed. A store that stops taking trials (a full disk) ends
    it too, with what was measured so far still in hand.

    Args:
        run: as it was stored when it began, with its number.
        plan: its rounds.
        start_s: for each runtime label, the seconds that its process takes besides warm-up and measuring.
        store: where its trials and pings go.
        observe: reads a trial's figures.
        watch: over the state of the CPUs, with the state in which alone to measure, if one was asked for.
    """
    seen: list[Observation] = []
    status: RunStatus = "complete"
    note: str | None = None
    problem: ThreadpingError | None = None
    try:
        for event in _trials(run, plan, start_s, seen, watch):
            match event:
                case Trial():
                    seen.append(observe(event))
                    store.add(run.id, event, seen[-1])
                    yield TrialEnded(event, seen[-1])
                case PingTaken():
                    store.add_ping(run.id, event.ping)
                    yield event
                case TrialBegins():
                    yield event
                case str():
                    note = event
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
    problem = problem or watch.never_came() or _unmeasured(run, seen)
    note = _joined(run.note, note)
    try:
        with held_back(dropped=True):  # somebody who presses Ctrl-C once more would lose the answer
            store.finish(run.id, status, note)
    except StoreError as error:
        problem = problem or error
    yield RunEnded(replace(run, status=status, note=note, ended=_now()), tuple(seen), tuple(watch.pings), problem)


def _trials(
    run: Run, plan: Plan, start_s: Mapping[str, float], seen: Sequence[Observation], watch: Watch
) -> Iterator[TrialBegins | PingTaken | Trial | str]:
    """Every ping, and every trial before and after it is measured; last of all a note, if trials are left out."""
    runtimes = {runtime.label: runtime for runtime in run.runtimes}
    failed_in_a_row = [0] * len(run.cases)
    measured = [0] * len(run.cases)
    begun = time.monotonic()
    latest = begun + OVERDRAFT * max(run.budget_s, plan.seconds)
    waiting: set[int] = set()
    while True:
        hopeless = {index for index, failed in enumerate(failed_in_a_row) if failed >= HOPELESS_AFTER}
        index = plan.next_case(measured, watch.here(run.cases, measured), hopeless | waiting)
        if index is None:
            if not waiting:
                break
            if time.monotonic() - begun > run.budget_s:
                yield f"Ended with its budget, waiting for the state '{watch.wanted and watch.wanted.text}'."
                break
            pairs = {pair for one in waiting for pair in run.cases[one].placement.pairs}
            yield from watch.waits(sorted(pairs), len(seen))
            waiting.clear()
            continue
        case, round_number = run.cases[index], measured[index] + 1
        if round_number > max(measured, default=0) and time.monotonic() + plan.round_s > latest:
            yield "Ended before its last round: trials took longer than planned."
            break
        yield from watch.ping(case.placement.pairs, len(seen))
        if not watch.holds(case.placement.pairs):
            waiting.add(index)
            continue
        watch.begins(case)
        yield TrialBegins(case, round_number)
        trial = _trial(run, plan, case, runtimes[case.runtime], round_number, len(seen), start_s[case.runtime])
        failed_in_a_row[index] = failed_in_a_row[index] + 1 if trial.failure else 0
        measured[index] += 1
        yield trial
        yield from watch.ping(case.placement.pairs, len(seen))
        watch.ended(case)
    yield from watch.close(len(seen))


def _trial(
    run: Run, plan: Plan, case: Case, runtime: Runtime, round_number: int, position: int, start_s: float
) -> Trial:
    request = plan.request(case, round_number, len(usable(run.machine.topology)))
    started = _now()
    outcome = run_trial(runtime, request, start_seconds=max(START_SECONDS, 10 * start_s))
    return Trial(
        round=round_number,
        position=position,
        case=case,
        request=request,
        result=outcome.result,
        failure=outcome.failure,
        log=outcome.log,
        started=started,
        wall_ns=outcome.wall_ns,
    )


def _unmeasured(run: Run, seen: list[Observation]) -> ThreadpingError | None:
    measured = {one.case for one in seen if one.failure is None}
    missing = [case.title for case in run.cases if case not in measured]
    if not missing:
        return None
    of_all = f"{len(missing)} of {len(run.cases)} {'case' if len(run.cases) == 1 else 'cases'}"
    return ThreadpingError(f"{of_all} could not be measured, see their verdicts: {', '.join(missing)}.")


def _joined(*notes: str | None) -> str | None:
    return " ".join(note for note in notes if note) or None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
