"""Our probes, run directly with a request each."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from benchmarks.records import Contender, Figures, Subject, Unmeasured
from threadping.contract import LockResult, Request, SignalResult, ThreadRequest, WarmupRequest
from threadping.model import Runtime
from threadping.probes.trial import run_trial

START_SECONDS = 20.0
BOUND_NS = 5_000_000_000
R = TypeVar("R", SignalResult, LockResult)


def contender(
    runtime: Runtime,
    experiment: tuple[str, type[R]],
    subject: Subject,
    cpus: Sequence[int | None],
    *,
    warmup: WarmupRequest,
    measure_ns: int,
    figures: Callable[[R], Figures],
) -> Contender:
    """The subject's mechanism in this runtime, measured by a trial whose result `figures` reads.

    `experiment` is its name and what its results are; Unmeasured for whatever the trial says instead.
    """
    name, kind = experiment

    def measure(seed: int) -> Figures:
        request = Request(
            schema=1,
            experiment=name,
            mechanism=subject.mechanism,
            params={},
            threads=tuple(ThreadRequest(cpu) for cpu in cpus),
            lines=subject.lines,
            warmup=warmup,
            measure_ns=measure_ns,
            bound_ns=BOUND_NS,
            seed=seed,
        )
        outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
        if not isinstance(outcome.result, kind):
            raise Unmeasured(outcome.failure.message if outcome.failure else "The probe left no result.")
        return figures(outcome.result)

    return Contender(subject, measure)
