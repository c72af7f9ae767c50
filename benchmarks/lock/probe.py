"""Our probes, run directly with a request each: one thread."""

from statistics import median

from benchmarks.lock import bare, jmh
from benchmarks.records import PROBE, Contender, Figures, Subject, Unmeasured
from benchmarks.trials import contender
from threadping.contract import Result
from threadping.probes.description import Described

EXPERIMENT = "lock"
COMPARED = (*bare.MECHANISMS, *jmh.BENCHMARKS)
MEASURE_NS = 500_000_000
WARMUP_NS = 500_000_000


def contenders(described: Described, cpu: int) -> list[Contender]:
    """Two for each mechanism that something stands beside: on one lock, as others measure, and on as many as usual.

    C++ is pinned to `cpu`, as the bare loop is. Java is not, because JMH's thread cannot be.
    """
    return [
        contender(
            described.runtime,
            EXPERIMENT,
            Subject(PROBE, described.runtime.label, mechanism.name, lines),
            (cpu if described.runtime.probe == "cpp" else None,),
            warmup_ns=WARMUP_NS,
            measure_ns=MEASURE_NS,
            figures=figures,
        )
        for experiment in described.description.experiments
        if experiment.name == EXPERIMENT
        for mechanism in experiment.mechanisms
        if mechanism.name in COMPARED and mechanism.needs is None
        for lines in dict.fromkeys((1, mechanism.lines))
    ]


def figures(result: Result) -> Figures:
    """Nanoseconds an operation in the windows in which nothing was timed; Unmeasured if there was none of them."""
    plain = result.windows.of("plain")
    if not plain.total_ops:
        raise Unmeasured("Not one operation was completed within the bound.")
    return Figures(
        mean=plain.total_ns / plain.total_ops,
        median_block=median(ns / ops for ns, ops in zip(plain.ns, plain.ops_in_each, strict=True) if ops),
    )
