"""Our probes, run directly with a request each."""

from statistics import fmean, median

from benchmarks.records import PROBE, Contender, Figures, Subject, Unmeasured
from benchmarks.trials import contender
from threadping.contract import MechanismDescription, SignalResult, WarmupRequest
from threadping.probes.description import Described
from threadping.stats.percentiles import carried_percentiles

EXPERIMENT = "signal"
HAND_OVERS_A_ROUND_TRIP = 2
MEASURE_NS = 400_000_000
WARMUP = WarmupRequest(rounds=10, ops=100_000, limit_ns=1_000_000_000)
"""The published ten short warm-ups ("Biased Locking, OSR, and Benchmarking Fun", 2011), as the bare Java makes."""


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
            (EXPERIMENT, SignalResult),
            Subject(PROBE, described.runtime.label, mechanism.name, lines),
            (ping, pong),
            warmup=WARMUP,
            measure_ns=MEASURE_NS,
            figures=figures,
        )
        for mechanism in lock_free(described)
        for lines in (1, mechanism.lines)
    ]


def figures(result: SignalResult) -> Figures:
    """One-way figures of a trial; Unmeasured if its bound came before a block was complete."""
    lines = [blocks for blocks in result.blocks.lines if blocks]
    if not lines:
        raise Unmeasured("Not one block was completed within the bound.")
    singles = dict(zip(result.singles.values_ns, result.singles.counts, strict=True))
    p50 = carried_percentiles(singles).get("p50")
    return Figures(
        mean=fmean(block for blocks in lines for block in blocks) / HAND_OVERS_A_ROUND_TRIP,
        median_block=fmean(median(blocks) for blocks in lines) / HAND_OVERS_A_ROUND_TRIP,
        single_p50=None if p50 is None else p50 / HAND_OVERS_A_ROUND_TRIP,
        clock_cost=result.clock.cost_ns,
    )
