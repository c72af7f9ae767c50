"""The command `doctor`: a check-up, which may be held against an earlier one of this machine."""

from typing import Any

from threadping.analysis.answer import Answer
from threadping.analysis.health import effects_of
from threadping.conduct.conduct import conduct_asked
from threadping.conduct.stored import answered
from threadping.model.errors import StoreMissing, UsageError
from threadping.model.run import Checkup
from threadping.store.store import open_store
from threadping.studies.doctor.instrument import STUDY as CHECKING
from threadping.studies.doctor.study import STUDY

NONE_EARLIER = "There is no earlier check-up to hold this one against: `threadping doctor` makes the first."

CHECKUP_S, INSTRUMENT_S = 10.0, 30.0


def doctor(before: str | None, budget_s: float | None, *, instrument: bool, **options: Any) -> int:
    """Examine this machine, or the instrument; the exit code says whether it is fit, or true."""
    options["budget_s"] = budget_s or (INSTRUMENT_S if instrument else CHECKUP_S)
    if instrument:
        if before or options.pop("limit_ns") is not None:
            raise UsageError("--instrument checks threadping and no machine: leave --since, --against and --limit out.")
        del options["purpose"]
        return conduct_asked(CHECKING, options)
    earlier = _earlier(options["location"], before) if before else None
    values = {name: effect.values for name, effect in effects_of(earlier).items()} if earlier else {}
    return conduct_asked(STUDY, {**options, "before": earlier.run.id if earlier else 0, "effects_before": values})


def _earlier(location: str | None, which: str) -> Answer:
    """Return the check-up of this number, or the newest; raises UsageError where there is none."""
    try:
        with open_store(location, create=False) as store:
            if which == "last":
                done = (run for run, _ in store.newest() if run.status != "running" and not run.imported)
                newest = next((run for run in done if isinstance(run.study, Checkup)), None)
                if newest is None:
                    raise UsageError(NONE_EARLIER)
                which = str(newest.id)
            answer = answered(store, which)
    except StoreMissing as error:
        raise UsageError(NONE_EARLIER) from error
    if not isinstance(answer.run.study, Checkup):
        raise UsageError(f"Run {answer.run.id} is no check-up: --since is of runs of `threadping doctor`.")
    return answer
