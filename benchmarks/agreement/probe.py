"""Our probes, run directly with a request each."""

from benchmarks.records import PROBE, Contender, Figures, Subject, Unmeasured
from benchmarks.trials import contender
from threadping.contract import MechanismDescription, Result
from threadping.experiments.signal import ROUND_TRIPS
from threadping.figures import reading
from threadping.figures.percentiles import percentiles
from threadping.probes.description import Described

EXPERIMENT = "signal"
MEASURE_NS = 400_000_000
WARMUP_NS = 1_000_000_000
"""Enough for the published ten short warm-ups, as the bare Java makes."""


def lock_free(described: Described) -> list[MechanismDescription]:
    """The mechanisms that spin and that this runtime can run; the waits of the others are the scheduler's."""
    return [
        mechanism
        for experiment in described.description.experiments
        if experiment.name == EXPERIMENT
        for mechanism in experiment.mechanisms
        if not mechanism.blocking and mechanism.needs is None
    ]


def contenders(described: Described, ping: int, pong: int) -> list[Contender]:
    """Two for each mechanism: on one line, as peers measure, and on as many lines as it is usually measured."""
    return [
        contender(
            described.runtime,
            EXPERIMENT,
            Subject(PROBE, described.runtime.label, mechanism.name, lines),
            (ping, pong),
            warmup_ns=WARMUP_NS,
            measure_ns=MEASURE_NS,
            figures=figures,
        )
        for mechanism in lock_free(described)
        for lines in (1, mechanism.lines)
    ]


def figures(result: Result) -> Figures:
    """One-way figures of a trial; Unmeasured if its bound came before the first block."""
    if not result.windows.of("plain").total_ops:
        raise Unmeasured("Not one block was begun within the bound.")
    return Figures(
        mean=reading.ns_per_op(result),
        median_block=reading.typical(result),
        single_p50=percentiles([result.timed], ROUND_TRIPS.parts).get("p50"),
    )
