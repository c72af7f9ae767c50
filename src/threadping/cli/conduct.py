"""Carry out a plan: trial after trial, each stored as it ends, whatever happens to the next."""

import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from threadping.errors import Interrupted, StoreError, ThreadpingError
from threadping.machine.relation import usable
from threadping.model import Run, RunStatus, Trial
from threadping.plan import Plan
from threadping.probes.trial import run_trial
from threadping.report.progress import Progress

if TYPE_CHECKING:  # it would import SQLAlchemy
    from threadping.store import Store

OVERDRAFT = 1.25
"""No round is begun that would end beyond the budget by more than this factor."""

HOPELESS_AFTER = 2
"""A case that has failed so often is not tried again: it would only take the others' time."""


class Conducted(Struct, frozen=True):
    """A run that has ended, all its trials, stored or not, and the problem to end with, if there is one."""

    run: Run
    trials: tuple[Trial, ...]
    problem: ThreadpingError | None


def conduct(run: Run, plan: Plan, start_s: Mapping[str, float], store: "Store") -> Conducted:
    """Measure every round of the plan and store each trial as it ends.

    Ctrl-C and SIGTERM end the run, marked as interrupted, after killing the probe at work. A store that stops taking
    trials (a full disk) ends it too, with what was measured so far still in hand.
    """
    trials: list[Trial] = []
    status: RunStatus = "complete"
    note: str | None = None
    problem: ThreadpingError | None = None
    run = store.begin(run)
    with _sigterm_as_interrupt(), Progress(run, plan) as progress:
        try:
            for trial in _trials(run, plan, start_s, progress):
                trials.append(trial)
                store.add(run.id, trial)
                progress.ended(trial)
            if len({trial.round for trial in trials}) < plan.rounds:
                note = "Ended before its last round: trials took longer than planned."
        except KeyboardInterrupt:
            status = "interrupted"
            note = "Interrupted; what was measured until then is stored and shown."
            problem = Interrupted(note)
        except StoreError as error:
            status = "failed"
            note = f"{error} The run was ended; what was measured is shown, but its last trials are not stored."
            problem = StoreError(note)
    problem = problem or _unmeasured(run, trials)
    try:
        store.finish(run.id, status, note)
    except StoreError as error:
        problem = problem or error
    ended = datetime.now(UTC).isoformat(timespec="milliseconds")
    return Conducted(replace(run, status=status, note=note, ended=ended), tuple(trials), problem)


def _trials(run: Run, plan: Plan, start_s: Mapping[str, float], progress: Progress) -> Iterator[Trial]:
    runtimes = {runtime.label: runtime for runtime in run.runtimes}
    failures: Counter[int] = Counter()
    begun = time.monotonic()
    for round_number in range(1, plan.rounds + 1):
        if time.monotonic() - begun + plan.round_s > OVERDRAFT * max(run.budget_s, plan.seconds):
            return
        for position, index in enumerate(plan.order(round_number)):
            case = run.cases[index]
            if failures[index] >= HOPELESS_AFTER:
                continue
            progress.begins(case, round_number)
            request = plan.request(case, round_number, len(usable(run.machine.topology)))
            started = datetime.now(UTC).isoformat(timespec="milliseconds")
            runtime = runtimes[case.runtime]
            outcome = run_trial(runtime, request, start_seconds=max(3.0, 10 * start_s[case.runtime]))
            failures[index] += outcome.failure is not None
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


def _unmeasured(run: Run, trials: list[Trial]) -> ThreadpingError | None:
    measured = [trial.case for trial in trials if trial.result is not None]
    missing = [case.title for case in run.cases if case not in measured]
    if not missing:
        return None
    of_all = f"{len(missing)} of {len(run.cases)} {'case' if len(run.cases) == 1 else 'cases'}"
    return ThreadpingError(f"{of_all} could not be measured, see their verdicts: {', '.join(missing)}.")


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """A service manager's stop ends a run as Ctrl-C does."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
