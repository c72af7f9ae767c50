"""The rounds of a plan, trial by trial."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from threadping.errors import Interrupted, StoreError, ThreadpingError
from threadping.machine.relation import usable
from threadping.model import Case, Event, Observation, Run, RunEnded, RunStatus, Trial, TrialBegins, TrialEnded
from threadping.plan import Plan
from threadping.probes.trial import run_trial

if TYPE_CHECKING:  # it would import SQLAlchemy
    from threadping.store import Store

OVERDRAFT = 1.25
"""No round is begun that would end beyond the budget by more than this factor."""

START_SECONDS = 3.0
"""What the start of a probe may take at least, however quick it was before."""

HOPELESS_AFTER = 2
"""A case that has failed so often in a row is not tried again: it would only take the others' time."""

Observe = Callable[[Trial], Observation]


def conduct(run: Run, plan: Plan, start_s: Mapping[str, float], store: "Store", observe: Observe) -> Iterator[Event]:
    """Measure every round of the plan and store each trial as it ends; the last event is RunEnded, whatever happens.

    It may run in any thread; whoever listens may stop listening between two events, which ends the run as interrupted.
    So does KeyboardInterrupt, after the probe at work was killed. A store that stops taking trials (a full disk) ends
    it too, with what was measured so far still in hand.

    Args:
        run: as it was stored when it began, with its number.
        plan: its rounds.
        start_s: for each runtime label, the seconds that its process takes besides warm-up and measuring.
        store: where its trials go.
        observe: reads a trial's figures.
    """
    seen: list[Observation] = []
    status: RunStatus = "complete"
    note: str | None = None
    problem: ThreadpingError | None = None
    try:
        for event in _trials(run, plan, start_s):
            if isinstance(event, Trial):
                observation = observe(event)
                seen.append(observation)
                store.add(run.id, event, observation)
                yield TrialEnded(event, observation)
            elif isinstance(event, TrialBegins):
                yield event
            else:
                note = event
    except (KeyboardInterrupt, GeneratorExit) as stop:
        note = "Interrupted; what was measured until then is stored and shown."
        if isinstance(stop, GeneratorExit):  # nobody hears the last event
            store.finish(run.id, "interrupted", note)
            raise
        status, problem = "interrupted", Interrupted(note)
    except StoreError as error:
        status = "failed"
        note = f"{error} The run was ended; what was measured is shown, but its last trials are not stored."
        problem = StoreError(note)
    problem = problem or _unmeasured(run, seen)
    try:
        store.finish(run.id, status, note)
    except StoreError as error:
        problem = problem or error
    yield RunEnded(replace(run, status=status, note=note, ended=_now()), tuple(seen), problem)


def _trials(run: Run, plan: Plan, start_s: Mapping[str, float]) -> Iterator[TrialBegins | Trial | str]:
    """Every trial before and after it is measured; last of all a note, if rounds are left out."""
    runtimes = {runtime.label: runtime for runtime in run.runtimes}
    failed_in_a_row: Counter[Case] = Counter()
    begun = time.monotonic()
    for round_number in range(1, plan.rounds + 1):
        if time.monotonic() - begun + plan.round_s > OVERDRAFT * max(run.budget_s, plan.seconds):
            yield "Ended before its last round: trials took longer than planned."
            return
        for position, index in enumerate(plan.order(round_number)):
            case = run.cases[index]
            if failed_in_a_row[case] >= HOPELESS_AFTER:
                continue
            yield TrialBegins(case, round_number)
            request = plan.request(case, round_number, len(usable(run.machine.topology)))
            started = _now()
            outcome = run_trial(
                runtimes[case.runtime], request, start_seconds=max(START_SECONDS, 10 * start_s[case.runtime])
            )
            failed_in_a_row[case] = failed_in_a_row[case] + 1 if outcome.failure else 0
            yield Trial(
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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
