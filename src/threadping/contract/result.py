"""What `probe run` writes: one trial's figures, the same for every experiment, or why there are none.

An op is one hand-over in `signal` (a round trip is two), one increment in `lock`, one call in `notify` and one message
in `ring`.
"""

from itertools import compress
from typing import Annotated, Literal

from msgspec import Meta

from threadping.contract.message import Count, Message, Name, Nanos, Positive, Version

Kind = Literal["plain", "timed"]


class ThreadResult(Message, frozen=True):
    """One measuring thread's affinity, read back, and its counters over the measuring phase."""

    role: Name
    cpus_start: Annotated[tuple[Count, ...], Meta(min_length=1)]
    cpus_end: Annotated[tuple[Count, ...], Meta(min_length=1)]
    cpu_ns: Count
    voluntary_switches: Count
    involuntary_switches: Count
    migrations: Count | None
    minor_faults: Count
    major_faults: Count


class HomeResult(Message, frozen=True):
    """The NUMA nodes on which the cells' memory stands; None where the kernel is silent, or a collector moves them."""

    nodes: Annotated[tuple[Count, ...], Meta(min_length=1)] | None


class Skew(Message, frozen=True):
    """By how much one CPU's clock is ahead of another's, at least and at most."""

    least_ns: int
    most_ns: int


class Clock(Message, frozen=True):
    """The clock, what one reading costs on average and the steps in which it moves; nothing is subtracted.

    `skew` is that of the two CPUs, among those whose threads compare their readings, whose clocks seem furthest apart;
    None where nothing is compared, and where threads are not pinned.
    """

    name: Name
    cost_ns: Nanos
    resolution_ns: Positive
    skew: Skew | None


class Warmup(Message, frozen=True):
    """What the warm-up did; `complete` is False when its time limit ended it."""

    ops: Count
    ns: Count
    complete: bool


class Measured(Message, frozen=True):
    """The measuring phase as a whole; `cut` when the bound stopped it before its time was over."""

    ops: Count
    ns: Count
    cut: bool


class MachineCounters(Message, frozen=True):
    """Over the measuring phase: steal time of the threads' CPUs, interrupts of all; None where the kernel is silent."""

    steal_ns: Count | None
    interrupts: Count | None


class Pause(Message, frozen=True):
    """When a runtime stopped all its threads, for how long, and what for; by the clock that is measured with."""

    at_ns: Count
    ns: Count
    name: Name


class Managed(Message, frozen=True):
    """What a managed runtime did while it measured; `pauses` are all since its start, None where it does not tell."""

    compile_ms: Count | None
    collections: Count
    pauses: tuple[Pause, ...] | None


class Windows(Message, frozen=True):
    """The windows in columns, in the order measured; `ops` has one for each thread.

    Operations of a `plain` window read no clock; in a `timed` one a thread that times does so with one in `every`.
    """

    every: Positive
    line: tuple[Count, ...]
    kind: tuple[Kind, ...]
    ns: tuple[Positive, ...]
    ops: Annotated[tuple[tuple[Count, ...], ...], Meta(min_length=1)]

    def of(self, kind: Kind) -> "Windows":
        """Those of one kind."""
        chosen = [one == kind for one in self.kind]
        line, ns, *ops = (tuple(compress(column, chosen)) for column in (self.line, self.ns, *self.ops))
        return Windows(self.every, line, (kind,) * len(line), ns, tuple(ops))

    @property
    def total_ns(self) -> int:
        """How long they are together."""
        return sum(self.ns)

    @property
    def total_ops(self) -> int:
        """The operations of all threads in all of them."""
        return sum(map(sum, self.ops))

    @property
    def ops_in_each(self) -> list[int]:
        """The operations of all threads in each of them."""
        return list(map(sum, zip(*self.ops, strict=True)))


class Distribution(Message, frozen=True):
    """Durations that were timed one by one: distinct values, ascending, and how often each occurred.

    `censored` ones overlapped a window without beginning and ending in it, and are in no value. The values of `batch`
    are messages in place of nanoseconds.
    """

    values_ns: tuple[Count, ...]
    counts: tuple[Positive, ...]
    censored: Count

    @property
    def by_value(self) -> dict[int, int]:
        """How often each value occurred."""
        return dict(zip(self.values_ns, self.counts, strict=True))


class Seen(Message, frozen=True):
    """What the kernel counted for a thread from the look before an outlier to the look after it.

    `others_run_delay_ns` is the longest that another measuring thread was ready to run without a CPU; `steal_ns` is of
    its CPU, in ticks. None where the kernel does not tell, or was not asked.
    """

    ns: Count
    cpu_before: Count
    cpu: Count
    cpu_ns: Count
    run_delay_ns: Count | None
    others_run_delay_ns: Count | None
    voluntary_switches: Count
    involuntary_switches: Count
    minor_faults: Count
    major_faults: Count
    interrupts: Count | None
    steal_ns: Count | None


class Outlier(Message, frozen=True):
    """One of the longest durations of a distribution, and what was seen around it; None where nothing was."""

    of: Name
    thread: Count
    at_ns: Count
    ns: Count
    seen: Seen | None


Interrupts = Literal["trace-points", "soft-interrupts"]


class Evidence(Message, frozen=True):
    """What was looked at around what took long; `lacking` says what could not be seen, and what would show it."""

    look_ns: Nanos
    interrupts: Interrupts | None
    lacking: tuple[Name, ...]
    outliers: tuple[Outlier, ...]


class Held(Message, frozen=True):
    """Two counts from start to end: what the threads made, and what was found when they had ended.

    `exact` where the mechanism promises that they are equal: a difference is then an error.
    """

    made: Count
    found: Count
    exact: bool


class Result(Message, frozen=True):
    """One trial's figures."""

    experiment: Name
    mechanism: Name
    threads: Annotated[tuple[ThreadResult, ...], Meta(min_length=1)]
    home: HomeResult
    clock: Clock
    warmup: Warmup
    measured: Measured
    machine: MachineCounters
    managed: Managed | None
    windows: Windows
    distributions: dict[str, Distribution]
    evidence: Evidence | None
    counts: dict[str, Held]
    schema: Version

    def timed(self, name: str = "") -> Distribution:
        """What was timed one by one: the distribution of this name or, without, the only one; an empty one if none."""
        name = name or next(iter(self.distributions), "")
        return self.distributions.get(name, Distribution((), (), 0))


ErrorCode = Literal[
    "bad-request",
    "unknown-experiment",
    "unknown-mechanism",
    "unknown-param",
    "unsupported",
    "pin-failed",
    "stalled",
    "sequence-broken",
    "count-wrong",
    "internal",
]


class ProbeError(Message, frozen=True):
    """Why a probe could not measure."""

    code: ErrorCode
    message: Name


class Failed(Message, frozen=True):
    """The result message of a trial that could not be measured."""

    error: ProbeError
    schema: Version
