"""One trial by itself."""

from threadping.model.cases import Runtime
from threadping.model.contract import Request
from threadping.probes.trial import Launch, Outcome, run_trials


def run_trial(runtime: Runtime, request: Request, *, start_seconds: float) -> Outcome:
    return run_trials([Launch(runtime, request, start_seconds)])[0]
