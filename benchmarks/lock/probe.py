"""What our probes measure of `lock`, with one thread."""

from statistics import median

from benchmarks.lock import bare, jmh
from benchmarks.records import Figures
from benchmarks.trials import Ours
from threadping.contract import Result
from threadping.figures import reading


def figures(result: Result) -> Figures:
    """Nanoseconds an operation in the windows in which nothing was timed."""
    plain = result.windows.of("plain")
    windows = (ns / ops for ns, ops in zip(plain.ns, plain.ops_in_each, strict=True) if ops)
    return Figures(reading.ns_per_op(result), median(windows))


LOCK_ALONE = Ours(
    experiment="lock",
    takes=lambda mechanism: mechanism.name in (*bare.MECHANISMS, *jmh.BENCHMARKS),  # what something stands beside
    warmup_ns=500_000_000,
    measure_ns=500_000_000,
    figures=figures,
)
