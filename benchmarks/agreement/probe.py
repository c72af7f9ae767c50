"""What our probes measure of each headline mechanism."""

from collections.abc import Callable

from msgspec.structs import replace

from benchmarks.agreement import bare
from benchmarks.records import Figures
from benchmarks.trials import Ours, median_window
from threadping.analysis import reading
from threadping.analysis.percentiles import percentiles
from threadping.contract import MechanismDescription, Result
from threadping.experiments.notify import CALLS as TIMED_CALLS


def figures(result: Result) -> Figures:
    """One-way figures of a trial."""
    single = percentiles([result.timed()]).get("p50")
    return Figures(reading.ns_per_op(result), reading.typical(result), single and single / 2)


def of_windows(result: Result) -> Figures:
    """An operation, or a message, in windows in which nothing is timed."""
    return Figures(reading.ns_per_op(result), median_window(result))


def of_calls(result: Result) -> Figures:
    """A call, one clock reading in it: the median, which is what the bare program tells too."""
    return Figures(float(reading.median_of(TIMED_CALLS.read(result)) or 0))


def named(*names: str) -> Callable[[MechanismDescription], bool]:
    """Take those of these names."""
    return lambda mechanism: mechanism.name in names


SIGNAL = Ours(
    experiment="signal",
    takes=lambda mechanism: not mechanism.blocking or mechanism.name in bare.SLEEPERS,
    warmup_ns=1_000_000_000,  # enough for the published ten short warm-ups, as the bare Java makes
    measure_ns=400_000_000,
    figures=figures,
)
CONTENDED = Ours(
    experiment="lock",
    prefix=bare.LOCK,
    takes=named(*(name for of in bare.LOCKS.values() for name in of)),
    warmup_ns=1_000_000_000,
    measure_ns=400_000_000,
    figures=of_windows,
)
STREAM = Ours(
    experiment="ring",
    prefix=bare.RING,
    takes=named(*(name for of in bare.QUEUES.values() for name in of)),
    warmup_ns=1_000_000_000,
    measure_ns=400_000_000,
    figures=of_windows,
    settings=lambda _: [{"batch": batch} for batch in bare.BATCHES],
)
CALLS = Ours(
    experiment="notify",
    prefix=bare.NOTIFY,
    takes=named(bare.CALLED),
    warmup_ns=500_000_000,
    measure_ns=500_000_000,
    figures=of_calls,
)
ROUNDS = Ours(
    experiment="crowd",
    prefix=bare.CROWD,
    takes=named(*(name for of in bare.CROWDS.values() for name in of)),
    warmup_ns=500_000_000,
    measure_ns=400_000_000,
    figures=of_windows,
)
SHORT_ROUNDS = replace(
    ROUNDS, warmup_ns=bare.SHORT_MILLISECONDS * 500_000, measure_ns=bare.SHORT_MILLISECONDS * 1_000_000
)
ON_ONE_LINE = (CONTENDED, STREAM, CALLS)
"""Beside loops on one line, since what contends for it, or streams, is not held up by its place alone."""
