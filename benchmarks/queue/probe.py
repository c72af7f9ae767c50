"""Trials of `queue` by our probes."""

from collections.abc import Sequence

from benchmarks.queue import bare
from benchmarks.records import Figures
from benchmarks.trials import Ours, median_window
from threadping.model import reading
from threadping.model.contract import MechanismDescription, Params, Result


def figures(result: Result) -> Figures:
    """Nanoseconds a message in the windows in which no message carries a time."""
    return Figures(reading.ns_per_op(result), median_window(result))


def settings(mechanism: MechanismDescription) -> Sequence[Params]:
    """One by one and in batches, where there are any."""
    return [{"batch": batch} for batch in bare.BATCHES] if mechanism.name == bare.QUEUE else [{}]


STREAM = Ours(
    experiment="queue",
    takes=lambda mechanism: mechanism.name in (bare.QUEUE, bare.QUEUE),
    warmup_ns=1_000_000_000,
    measure_ns=500_000_000,
    figures=figures,
    settings=settings,
)
