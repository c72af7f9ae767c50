"""Trials of our probes for each headline mechanism."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from benchmarks.agreement import bare
from benchmarks.records import Figures
from benchmarks.trials import Ours, median_window
from threadping.analysis.percentiles import percentiles
from threadping.model import reading
from threadping.model.contract import Result


def figures(result: Result) -> Figures:
    """One-way figures of a trial."""
    single = percentiles([result.timed()]).get("p50")
    return Figures(reading.ns_per_op(result), reading.typical(result), single and single / 2)


def of_windows(result: Result) -> Figures:
    """An operation, or a message, in windows in which nothing is timed."""
    return Figures(reading.ns_per_op(result), median_window(result))


def of_calls(result: Result) -> Figures:
    """A call, one clock reading in it: the median, which is what the bare program tells too."""
    return Figures(reading.median_timed(result, "call") or 0.0)


def against_baselines(experiment: str, prefix: str, loops: Mapping[str, Iterable[str]], **further: Any) -> Ours:
    """Return the mechanisms that have a hand-written baseline in some language, measured by windows without samples."""
    names = {name for of_language in loops.values() for name in of_language}
    usual = Ours(
        experiment=experiment,
        prefix=prefix,
        takes=lambda mechanism: mechanism.name in names,
        warmup_ns=1_000_000_000,
        measure_ns=400_000_000,
        figures=of_windows,
    )
    return replace(usual, **further)


SIGNAL = Ours(
    experiment="signal",
    takes=lambda mechanism: not mechanism.blocking or mechanism.name in bare.BLOCKED,
    warmup_ns=1_000_000_000,  # enough for the published ten short warm-ups, as the bare Java makes
    measure_ns=400_000_000,
    figures=figures,
)
CONTENDED = against_baselines("lock", bare.LOCK, bare.LOCKS)
STREAM = against_baselines("queue", bare.QUEUE, bare.QUEUES, settings=lambda _: bare.STREAMS)
CALLS = Ours(
    experiment="wakeup",
    prefix=bare.WAKEUP,
    takes=lambda mechanism: mechanism.name == bare.CALLED,
    warmup_ns=500_000_000,
    measure_ns=500_000_000,
    figures=of_calls,
)
ROUNDS = against_baselines("barrier", bare.BARRIER, bare.BARRIERS, warmup_ns=500_000_000)
ON_ONE_LINE = (CONTENDED, STREAM, CALLS, ROUNDS)
"""Compared with baselines on one line: contention or a stream, not the place of a line, determines their time."""
