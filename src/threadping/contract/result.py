"""What `probe run` writes: one trial's figures, which differ from experiment to experiment, or why there are none.

An op is one hand-over in `signal` (a round trip is two) and one increment in `lock`.
"""

from typing import Annotated, Literal

from msgspec import Meta

from threadping.contract.message import Count, Message, Name, Nanos, Positive, Version


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


class Clock(Message, frozen=True):
    """The clock, what one reading costs on average and the steps in which it moves; nothing is subtracted."""

    name: Name
    cost_ns: Nanos
    resolution_ns: Positive


class Warmup(Message, frozen=True):
    """What the warm-up did; `complete` is False when its time limit ended it."""

    ops: Count
    ns: Count
    complete: bool


class Measured(Message, frozen=True):
    """The measuring phase as a whole, lead-ins included; `cut` when the bound stopped it before its time was over."""

    ops: Count
    ns: Count
    cut: bool


class MachineCounters(Message, frozen=True):
    """Over the measuring phase: steal time of the threads' CPUs, interrupts of all; None where the kernel is silent."""

    steal_ns: Count | None
    interrupts: Count | None


class Managed(Message, frozen=True):
    """What a managed runtime did while it measured."""

    compile_ms: Count | None
    collections: Count


class Distribution(Message, frozen=True):
    """Times that were taken one by one: distinct values, ascending, and how often each occurred."""

    values_ns: tuple[Count, ...]
    counts: tuple[Positive, ...]


class CommonResult(Message, frozen=True, tag_field="experiment"):
    """What every experiment's result holds."""

    mechanism: Name
    threads: Annotated[tuple[ThreadResult, ...], Meta(min_length=1)]
    clock: Clock
    warmup: Warmup
    measured: Measured
    machine: MachineCounters
    managed: Managed | None
    schema: Version

    @property
    def experiment(self) -> str:
        """The experiment's name, by which a message is told from another experiment's."""
        return str(self.__struct_config__.tag)


class PartialBlock(Message, frozen=True):
    """A block that the bound cut, as far as it came."""

    line: Count
    round_trips: Positive
    ns: Count


class Blocks(Message, frozen=True):
    """Mean round trips of whole blocks, a tuple for each line; empty for a line not reached."""

    round_trips: Positive
    lines: Annotated[tuple[tuple[Nanos, ...], ...], Meta(min_length=1)]
    partial: PartialBlock | None


class SignalResult(CommonResult, frozen=True, tag="signal"):
    """One trial of `signal`: blocks, and round trips timed one by one."""

    blocks: Blocks
    singles: Distribution

    @property
    def timed(self) -> Distribution:
        """What was timed one by one: round trips."""
        return self.singles


class Window(Message, frozen=True):
    """A stretch of undisturbed work at one line, and the operations of each thread in it."""

    line: Count
    sampled: bool
    ns: Positive
    ops: Annotated[tuple[Count, ...], Meta(min_length=1)]


class EveryNth(Message, frozen=True):
    """In a sampled window each thread times one operation in `every`."""

    every: Positive


class Counter(Message, frozen=True):
    """The increments that were made from start to end, warm-up included, and those that the counters held then.

    `exact` where the mechanism protects them: a difference is then an error.
    """

    exact: bool
    made: Count
    found: Count


class LockResult(CommonResult, frozen=True, tag="lock"):
    """One trial of `lock`: windows, waits timed one by one in the sampled ones, and whether the count is right."""

    windows: tuple[Window, ...]
    sampling: EveryNth
    waits: Distribution
    counter: Counter

    @property
    def timed(self) -> Distribution:
        """What was timed one by one: waits for the lock, or whole increments where there is none."""
        return self.waits


Result = SignalResult | LockResult
"""One trial's figures: what `experiment` says decides which they are."""


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
