"""What our probes measure of `signal`."""

from benchmarks.records import Figures
from benchmarks.trials import Ours
from threadping.analysis import reading
from threadping.analysis.percentiles import percentiles
from threadping.contract import Result


def figures(result: Result) -> Figures:
    """One-way figures of a trial."""
    single = percentiles([result.timed()]).get("p50")
    return Figures(reading.ns_per_op(result), reading.typical(result), single and single / 2)


SIGNAL = Ours(
    experiment="signal",
    takes=lambda mechanism: not mechanism.blocking,  # the waits of those that sleep are the scheduler's
    warmup_ns=1_000_000_000,  # enough for the published ten short warm-ups, as the bare Java makes
    measure_ns=400_000_000,
    figures=figures,
)
