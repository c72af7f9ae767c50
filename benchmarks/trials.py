"""Our probes, run directly with a request each."""

from collections.abc import Callable, Sequence
from statistics import median

from msgspec import Struct

from benchmarks.records import PROBE, Contender, Figures, Subject, Unmeasured
from tests.trials import run_trial
from threadping.experiments import EXPERIMENTS
from threadping.model import reading
from threadping.model.cases import Runtime, with_params
from threadping.model.contract import (
    OUTLIERS,
    SCHEMA,
    MechanismDescription,
    OutliersRequest,
    Params,
    Request,
    Result,
    ThreadRequest,
    WarmupRequest,
)
from threadping.planning.defaults import crowding, outliers_of
from threadping.planning.plan import STEADY
from threadping.probes.runtimes import Described

START_SECONDS = 20.0
BOUND_NS = 5_000_000_000


class Ours(Struct, frozen=True, kw_only=True):
    """Trials of an experiment: their duration, their longest warm-up, and the figures read from them.

    `program` is their name, and `prefix` precedes the names of the mechanisms. `outliers` selects the outliers whose
    causes are found; `settings` has the parameters of each mechanism that differ from its defaults.
    """

    experiment: str
    takes: Callable[[MechanismDescription], bool]
    warmup_ns: int
    measure_ns: int
    figures: Callable[[Result], Figures]
    program: str = PROBE
    prefix: str = ""
    outliers: OutliersRequest | None = OUTLIERS
    settings: Callable[[MechanismDescription], Sequence[Params]] = lambda _mechanism: ({},)


def median_window(result: Result) -> float:
    """Nanoseconds an operation of any thread in the median window of those in which nothing was timed."""
    windows = reading.counted(result, "throughput")
    counts = map(sum, zip(*windows.ops, strict=True))
    return median(ns / ops for ns, ops in zip(windows.ns, counts, strict=True) if ops)


def contenders(
    described: Described, ours: Ours, cpus: Sequence[int | None], *, usual_lines: bool = False
) -> list[Contender]:
    """Two for each mechanism taken that this runtime can run: on one line, as others measure, and on as many as usual.

    With `usual_lines` the second alone.

    Each is paced as threadping paces it. Raises Unmeasured where a trial has no result, or completed no operation
    within its bound.
    """
    return [
        _contender(described.runtime, ours, mechanism.name, params, lines, cpus)
        for experiment in described.description.experiments
        if experiment.name == ours.experiment
        for mechanism in experiment.mechanisms
        if mechanism.needs is None and ours.takes(mechanism)
        for params in ours.settings(mechanism)
        for lines in dict.fromkeys((*([] if usual_lines else [1]), mechanism.lines))
    ]


def _contender(
    runtime: Runtime, ours: Ours, mechanism: str, params: Params, lines: int, cpus: Sequence[int | None]
) -> Contender:
    pace = EXPERIMENTS[ours.experiment].pace
    policy = pace.policy(ours.measure_ns, ours.warmup_ns, crowding(cpus, len(cpus)), False)  # alike for all

    def measure(seed: int) -> Figures:
        request = Request(
            schema=SCHEMA,
            experiment=ours.experiment,
            mechanism=mechanism,
            params=params,
            threads=tuple(ThreadRequest(cpu) for cpu in cpus),
            pin="thread",
            lines=lines,
            home=tuple(cpu for cpu in cpus[:1] if cpu is not None) or None,
            warmup=WarmupRequest(0, 1, STEADY, ours.warmup_ns, policy.look_ns, uninterrupted=False),
            windows=policy.windows,
            outliers=outliers_of(ours.outliers, len(cpus)),
            measure_ns=ours.measure_ns,
            bound_ns=max(BOUND_NS, 2 * (ours.warmup_ns + ours.measure_ns)),
            patience_ns=policy.patience_ns,
            seed=seed,
        )
        outcome = run_trial(runtime, request, start_seconds=START_SECONDS)
        if outcome.result is None:
            raise Unmeasured(outcome.failure.message if outcome.failure else "The probe left no result.")
        if not reading.counted(outcome.result, "throughput").total_ops:
            raise Unmeasured("Not one operation was completed within the bound.")
        return ours.figures(outcome.result)

    return Contender(
        Subject(ours.program, runtime.label, f"{ours.prefix}{with_params(mechanism, params, params)}", lines), measure
    )
