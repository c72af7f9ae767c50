"""What `probe run` writes: one trial's figures, the same for every experiment, or why there are none.

An op is one hand-over in `signal` (a round trip is two), one increment in `lock`, one call in `notify` and one message
that arrives in `ring`.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Annotated, Any, Literal

from msgspec import Meta

from threadping.contract.message import Count, Message, Name, Nanos, Positive, Version

Kind = Literal["throughput", "sampling"]


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

    `skew` is that of the two CPUs, among those whose threads compare their readings, whose clocks are certainly
    furthest apart; None where nothing is compared, and where threads are not pinned.
    """

    name: Name
    cost_ns: Nanos
    resolution_ns: Positive
    skew: Skew | None


class Warmup(Message, frozen=True):
    """What the warm-up did, and how it ended: at a steady pace, after the rounds asked for, or at its limit."""

    ops: Count
    ns: Count
    ended: Literal["steady", "rounds", "limit"]


class Measured(Message, frozen=True):
    """The measuring phase as a whole, in operations of the roles that count.

    `cut` when the bound stopped it before its time was over.
    """

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
    """The windows in columns, in the order in which they came; `ops` has one for each thread.

    Operations of a `throughput` window read no clock, and its `every` is 0; in a `sampling` one a thread that times
    does so with one operation in `every`. Those of the `warmup` come first, and no other figure holds anything of them.
    `switches` counts how often a thread lost its CPU, `compile_ms` what the JIT compiled; None where nobody reads that.
    """

    warmup: tuple[bool, ...]
    line: tuple[Count, ...]
    kind: tuple[Kind, ...]
    every: tuple[Count, ...]
    ns: tuple[Positive, ...]
    ops: Annotated[tuple[tuple[Count, ...], ...], Meta(min_length=1)]
    switches: tuple[Count, ...] | None
    compile_ms: tuple[Count, ...] | None

    @property
    def columns(self) -> list[tuple[Any, ...]]:
        """Every column that there is."""
        alone = (self.warmup, self.line, self.kind, self.every, self.ns, *self.ops)
        return [*alone, *(column for column in (self.switches, self.compile_ms) if column is not None)]

    def of(self, kind: Kind, *, warmup: bool = False) -> "Windows":
        """Those of one kind that were measured, or those of the warm-up."""
        chosen = [one == kind and early == warmup for one, early in zip(self.kind, self.warmup, strict=True)]
        return self.those(chosen)

    @property
    def measured(self) -> "Windows":
        """Those of both kinds that were measured."""
        return self.those([not early for early in self.warmup])

    def those(self, chosen: Sequence[bool]) -> "Windows":
        """Those for which `chosen`, which has one for each, is True."""

        def picked(column: tuple[Any, ...] | None) -> Any:
            return None if column is None else tuple(compress(column, chosen))

        return Windows(
            picked(self.warmup),
            picked(self.line),
            picked(self.kind),
            picked(self.every),
            picked(self.ns),
            tuple(map(picked, self.ops)),
            picked(self.switches),
            picked(self.compile_ms),
        )

    @property
    def total_ns(self) -> int:
        """How long they are together."""
        return sum(self.ns)

    @property
    def total_ops(self) -> int:
        """The operations of all threads in all of them."""
        return sum(map(sum, self.ops))


class Distribution(Message, frozen=True):
    """What was recorded one by one in sampling windows: distinct values, ascending, and how often each occurred.

    `unit` is ns, or what is counted. `censored` durations overlapped a window without beginning and ending in it;
    `negative` ones, between two CPUs, came out below 0. Both are in no value.
    """

    unit: Name
    values: tuple[Count, ...]
    counts: tuple[Positive, ...]
    censored: Count
    negative: Count

    @property
    def by_value(self) -> dict[int, int]:
        """How often each value occurred."""
        return dict(zip(self.values, self.counts, strict=True))


class Seen(Message, frozen=True):
    """What the kernel counted for a thread from the look before an outlier to the look after it.

    `others_run_delay_ns` is the longest that another measuring thread was ready to run without a CPU. None where the
    kernel does not tell, or was not asked.
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


class Outlier(Message, frozen=True):
    """One of the longest durations of a distribution, and what was seen around it; None where nothing was."""

    of: Name
    thread: Count
    at_ns: Count
    ns: Count
    seen: Seen | None


Interrupts = Literal["trace-points", "soft-interrupts"]


class Evidence(Message, frozen=True):
    """What was looked at around what took long, with how many looks; `lacking` says what could not be seen, and why."""

    look_ns: Nanos
    looks: Count
    interrupts: Interrupts | None
    lacking: tuple[Name, ...]
    outliers: tuple[Outlier, ...]


class Held(Message, frozen=True):
    """Two counts to be held against each other: what the threads made, and what was found.

    `exact` where the mechanism promises that they are equal, from start to end: a difference is then an error. Where it
    is False they are a result, of sampling windows (`hand-overs`, `wake-ups`) or from start to end (`increments`).
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
        return self.distributions.get(name, Distribution("ns", (), (), 0, 0))


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
