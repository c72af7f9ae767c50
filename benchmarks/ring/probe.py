"""What our probes measure of `ring`."""

from collections.abc import Sequence
from statistics import median

from benchmarks.records import Figures
from benchmarks.ring import bare
from benchmarks.trials import Ours
from threadping.contract import MechanismDescription, Params, Result
from threadping.figures import reading


def figures(result: Result) -> Figures:
    """Nanoseconds a message in the windows in which no message carries a time."""
    plain = result.windows.of("plain")
    windows = (ns / ops for ns, ops in zip(plain.ns, plain.ops_in_each, strict=True) if ops)
    return Figures(reading.ns_per_op(result), median(windows))


def settings(mechanism: MechanismDescription) -> Sequence[Params]:
    """One by one and in batches, where there are any."""
    return [{"batch": batch} for batch in bare.BATCHES] if mechanism.name == "disruptor" else [{}]


STREAM = Ours(
    experiment="ring",
    takes=lambda mechanism: mechanism.name in ("disruptor", *bare.CPP_MECHANISMS),
    warmup_ns=1_000_000_000,
    measure_ns=500_000_000,
    figures=figures,
    settings=settings,
)
