"""Our probes, run directly with a request each."""

from collections.abc import Callable, Sequence

from benchmarks.records import Contender, Figures, Subject, Unmeasured
from threadping.contract import SCHEMA, Request, Result, ThreadRequest, WarmupRequest
from threadping.experiments import EXPERIMENTS
from threadping.model import Runtime
from threadping.probes.trial import run_trial

START_SECONDS = 20.0
BOUND_NS = 5_000_000_000
WARMUP_ROUNDS, WARMUP_OPS = 10, 100_000
"""The published ten short warm-ups ("Biased Locking, OSR, and Benchmarking Fun", 2011), as by default."""


def contender(
    runtime: Runtime,
    experiment: str,
    subject: Subject,
    cpus: Sequence[int | None],
    *,
    warmup_ns: int,
    measure_ns: int,
    figures: Callable[[Result], Figures],
) -> Contender:
    """The subject's mechanism in this runtime, measured by a trial whose result `figures` reads.

    It is paced as threadping paces it where every thread has a CPU, and warms up for `warmup_ns` at most. Unmeasured
    for whatever the trial says instead of a result.
    """
    policy = EXPERIMENTS[experiment].pace.policy(measure_ns, warmup_ns, 1)

    def measure(seed: int) -> Figures:
        request = Request(
            schema=SCHEMA,
            experiment=experiment,
            mechanism=subject.mechanism,
            params={},
            threads=tuple(ThreadRequest(cpu) for cpu in cpus),
            pin="thread",
            lines=subject.lines,
            home=tuple(cpu for cpu in cpus[:1] if cpu is not None) or None,
            warmup=WarmupRequest(WARMUP_ROUNDS, WARMUP_OPS, warmup_ns, policy.look_ns, uninterrupted=False),
            windows=policy.windows,
            measure_ns=measure_ns,
            bound_ns=BOUND_NS,
            patience_ns=policy.patience_ns,
            seed=seed,
        )
        outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
        if outcome.result is None:
            raise Unmeasured(outcome.failure.message if outcome.failure else "The probe left no result.")
        return figures(outcome.result)

    return Contender(subject, measure)
