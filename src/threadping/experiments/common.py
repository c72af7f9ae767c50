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
    told = result.managed.compile_ms if result.managed else None
    return None if told is None else told * 1e6


def middle(
    of: Percentiles, *, one: str, column: Column | None = None, mean: Column | None = None
) -> tuple[Figure, ...]:
    """The median and the mean of what was timed one by one, over trials the median; `one` names one of it."""

    def read(told: Callable[[Distribution], float | None]) -> Callable[[Result], float | None]:
        return lambda result: told(of.read(result))

    return (
        Figure(
            name=f"{of.name}.typical",
            unit="ns",
            read=read(reading.median_of),
            better="less",
            column=column,
            means=f"A trial's median {one}; over trials the median.",
        ),
        Figure(
            name=f"{of.name}.mean",
            unit="ns",
            read=read(reading.mean_of),
            over="mean",
            better="less",
            column=mean,
            means=f"A trial's mean {one}, nothing left out; over trials the mean.",
        ),
    )


EVERYWHERE = (
    Figure(
        name="cpu_ns_per_op",
        unit="ns",
        read=reading.cpu_ns_per_op,
        better="less",
        column=Column("CPU/op", rank=3),
        means="CPU time of all threads, waiting included, for each operation of the measuring phase.",
    ),
    Figure(
        name="drift",
        unit="index",
        read=reading.drift,
        column=Column("drift", rank=9, of_rows=False),
        means="Whether a trial was steady: the logarithm of how many times as long an operation took in its last third "
        "as in its first. 0.02 is 2% slower in the end.",
    ),
    Figure(
        name="sampling_pace",
        unit="index",
        read=reading.sampling_pace,
        means="How many times as long an operation takes in sampling windows, where some are timed, as in throughput "
        "windows, where none is.",
    ),
    Figure(name="sampling_every", unit="count", read=reading.sampled_every),
    Figure(
        name="clock_cost_ns",
        unit="ns",
        read=lambda result: result.clock.cost_ns,
        means="What one reading of the clock costs. It is subtracted from nothing.",
    ),
    Figure(
        name="lines", unit="count", read=lambda result: len(set(result.windows.of("throughput").line)), over="total"
    ),
    Figure(
        name="counters.slept",
        unit="count",
        read=_counter(lambda thread: thread.voluntary_switches),
        over="total",
        column=Column("slept", rank=8, of_rows=False),
        means="How often threads gave up their CPU: voluntary context switches.",
    ),
    Figure(
        name="counters.preempted",
        unit="count",
        read=_counter(lambda thread: thread.involuntary_switches),
        over="total",
        column=Column("preempted", rank=7, of_rows=False),
        means="How often others took the CPU from a thread: involuntary context switches.",
    ),
    Figure(name="counters.migrations", unit="count", read=_counter(lambda thread: thread.migrations), over="total"),
    Figure(name="counters.major_faults", unit="count", read=_counter(lambda thread: thread.major_faults), over="total"),
    Figure(name="counters.moved", unit="count", read=reading.moved, over="total"),
    Figure(name="counters.steal_ns", unit="ns", read=lambda result: result.machine.steal_ns, over="total"),
    Figure(name="counters.interrupts", unit="count", read=lambda result: result.machine.interrupts, over="total"),
    Figure(name="counters.compile_ns", unit="ns", read=_compile_ns, over="most"),
    Figure(
        name="counters.collections",
        unit="count",
        read=lambda result: result.managed.collections if result.managed else None,
        over="total",
    ),
    Figure(name="counters.cpus", unit="count", read=reading.cpus, over="most"),
    Figure(name="counters.clock_step_ns", unit="ns", read=lambda result: result.clock.resolution_ns, over="most"),
    Figure(name="counters.skew_ns", unit="ns", read=reading.skew_ns),
    Figure(name="counters.skew_bound_ns", unit="ns", read=reading.skew_bound_ns),
    Figure(name="counters.windows", unit="count", read=lambda result: len(result.windows.measured.ns), over="total"),
    Figure(name="counters.sampling_window_ns", unit="ns", read=reading.sampling_window_ns),
    Figure(name="counters.looks", unit="count", read=lambda r: r.evidence.looks if r.evidence else None, over="total"),
    Figure(name="counters.measured_ns", unit="ns", read=lambda result: result.measured.ns, over="total"),
    Figure(name="counters.cut", unit="count", read=lambda result: result.measured.cut, over="total"),
    Figure(name="counters.warmup_ops", unit="count", read=lambda result: result.warmup.ops, over="least"),
    Figure(name="counters.warmup_cut", unit="count", read=lambda result: result.warmup.ended == "limit", over="total"),
)
"""In the order in which they are shown and exported. Counters are of the measuring phase, of all threads."""


def oversubscribed(follows: Callable[[Evidence], str]) -> RowCheck:
    """A check that is true where threads share CPUs; `follows` says what that does to them."""

    def find(seen: Evidence) -> Facts | None:
        if not crowded(seen):
            return None
        return {"threads": seen.case.threads, "cpus": seen.value("counters.cpus"), "follows": follows(seen)}

    return RowCheck(
        code="oversubscribed",
        level="note",
        find=find,
        brief="{threads} threads on {cpus} CPUs",
        means="{threads} threads share {cpus} CPUs, so some are always without one. {follows} Shares and the tail are "
        "partly the scheduler's.",
    )
