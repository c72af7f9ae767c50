"""The figures that every experiment has: what an operation costs the CPUs, and what the machine did meanwhile."""

from collections.abc import Callable

from threadping.analysis import reading
from threadping.analysis.declaration import Column, Evidence, Facts, Figure, Percentiles, RowCheck
from threadping.analysis.warnings.reasons import crowded
from threadping.contract import Distribution, Result, ThreadResult


def _counter(count: Callable[[ThreadResult], int | None]) -> Callable[[Result], float | None]:
    def total(result: Result) -> float | None:
        counts = [counted for thread in result.threads if (counted := count(thread)) is not None]
        return sum(counts) if counts else None

    return total


def _compile_ns(result: Result) -> float | None:
    compile_ms = result.managed.compile_ms if result.managed else None
    return None if compile_ms is None else compile_ms * 1e6


def middle(
    of: Percentiles, *, one: str, column: Column | None = None, mean: Column | None = None
) -> tuple[Figure, ...]:
    """The median and the mean of what was timed one by one, over trials the median; `one` names one of it."""

    def read(of_it: Callable[[Distribution], float | None]) -> Callable[[Result], float | None]:
        return lambda result: of_it(of.read(result))

    return (
        Figure(
            f"{of.name}.typical",
            "ns",
            read(reading.median_of),
            better="less",
            column=column,
            means=f"A trial's median {one}; over trials the median.",
        ),
        Figure(
            f"{of.name}.mean",
            "ns",
            read(reading.mean_of),
            over="mean",
            better="less",
            column=mean,
            means=f"A trial's mean {one}, nothing left out; over trials the mean.",
        ),
    )


EVERYWHERE = (
    Figure(
        "cpu_ns_per_op",
        "ns",
        reading.cpu_ns_per_op,
        better="less",
        column=Column("CPU/op", rank=3),
        means="CPU time of all threads, waiting included, for each operation of the measuring phase.",
    ),
    Figure(
        "drift",
        "index",
        reading.drift,
        column=Column("drift", rank=9, of_rows=False),
        means="Whether a trial was steady: the logarithm of how many times as long an operation took in its last third "
        "as in its first. 0.02 is 2% slower in the end.",
    ),
    Figure(
        "sampling_pace",
        "index",
        reading.sampling_pace,
        means="How many times as long an operation takes in sampling windows, where some are timed, as in throughput "
        "windows, where none is.",
    ),
    Figure("sampling_every", "count", reading.sampled_every),
    Figure(
        "clock_cost_ns",
        "ns",
        lambda result: result.clock.cost_ns,
        means="What one reading of the clock costs. It is subtracted from nothing.",
    ),
    Figure("lines", "count", lambda result: len(set(result.windows.of("throughput").line)), over="total"),
    Figure(
        "counters.slept",
        "count",
        _counter(lambda thread: thread.voluntary_switches),
        over="total",
        column=Column("slept", rank=8, of_rows=False),
        means="How often threads gave up their CPU: voluntary context switches.",
    ),
    Figure(
        "counters.preempted",
        "count",
        _counter(lambda thread: thread.involuntary_switches),
        over="total",
        column=Column("preempted", rank=7, of_rows=False),
        means="How often others took the CPU from a thread: involuntary context switches.",
    ),
    Figure("counters.migrations", "count", _counter(lambda thread: thread.migrations), over="total"),
    Figure("counters.major_faults", "count", _counter(lambda thread: thread.major_faults), over="total"),
    Figure("counters.moved", "count", reading.moved, over="total"),
    Figure("counters.steal_ns", "ns", lambda result: result.machine.steal_ns, over="total"),
    Figure("counters.interrupts", "count", lambda result: result.machine.interrupts, over="total"),
    Figure("counters.compile_ns", "ns", _compile_ns, over="most"),
    Figure(
        "counters.collections",
        "count",
        lambda result: result.managed.collections if result.managed else None,
        over="total",
    ),
    Figure("counters.cpus", "count", reading.cpus, over="most"),
    Figure("counters.clock_step_ns", "ns", lambda result: result.clock.resolution_ns, over="most"),
    Figure("counters.skew_ns", "ns", reading.skew_ns),
    Figure("counters.skew_bound_ns", "ns", reading.skew_bound_ns),
    Figure("counters.windows", "count", lambda result: len(result.windows.measured.ns), over="total"),
    Figure("counters.sampling_window_ns", "ns", reading.sampling_window_ns),
    Figure("counters.looks", "count", lambda r: r.evidence.looks if r.evidence else None, over="total"),
    Figure("counters.measured_ns", "ns", lambda result: result.measured.ns, over="total"),
    Figure("counters.cut", "count", lambda result: result.measured.cut, over="total"),
    Figure("counters.warmup_ops", "count", lambda result: result.warmup.ops, over="least"),
    Figure("counters.warmup_cut", "count", lambda result: result.warmup.ended == "limit", over="total"),
)
"""In the order in which they are shown and exported. Counters are of the measuring phase, of all threads."""


def oversubscribed(code: str, follows: Callable[[Evidence], str]) -> RowCheck:
    """A check that is true where threads share CPUs; `follows` says what that does to them, if anything."""

    def find(seen: Evidence) -> Facts | None:
        said = follows(seen)
        facts = {"threads": seen.case.threads, "cpus": seen.value("counters.cpus")} | (
            {"follows": said} if said else {}
        )
        return facts if crowded(seen) else None

    return RowCheck(code, "note", find)
