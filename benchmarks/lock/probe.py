"""Trials of `lock` by our probes, with one thread."""

from benchmarks.lock import bare, jmh
from benchmarks.records import Figures
from benchmarks.trials import Ours, median_window
from threadping.model import reading
from threadping.model.contract import Result


def figures(result: Result) -> Figures:
    """Nanoseconds an operation in the windows in which nothing was timed."""
    return Figures(reading.ns_per_op(result), median_window(result))


def wait(result: Result) -> Figures:
    """The mean wait of an operation that was timed, one clock reading in it."""
    return Figures(reading.mean_of(result.timed()) or 0.0)


TWO_THREADS = Ours(
    experiment="lock",
    prefix=bare.TWO_THREADS,
    takes=lambda mechanism: mechanism.name in bare.EVERY,
    warmup_ns=250_000_000,
    measure_ns=500_000_000,
    figures=wait,
)
LOCK_ALONE = Ours(
    experiment="lock",
    takes=lambda mechanism: mechanism.name in (*bare.MECHANISMS, *jmh.BENCHMARKS),  # those with a counterpart
    warmup_ns=500_000_000,
    measure_ns=500_000_000,
    figures=figures,
)
