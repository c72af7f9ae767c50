"""What a trial did as a whole, in the result that `probe run` writes: threads, clock, warm-up, machine, runtime."""

from typing import Annotated, Literal

from msgspec import Meta

from threadping.contract.values import Count, Message, Name, Nanos, Whole


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

    least_ns: Whole
    most_ns: Whole


class Clock(Message, frozen=True):
    """The clock, what one reading costs on average and the steps in which it moves; nothing is subtracted.

    `skew` is that of the two CPUs, among those whose threads compare their readings, whose clocks are certainly
    furthest apart; None where nothing is compared, and where threads are not pinned.
    """

    name: Name
    cost_ns: Nanos
    resolution_ns: Annotated[int, Meta(ge=1, le=1_000_000_000)]
    skew: Skew | None


class Warmup(Message, frozen=True):
    """What the warm-up did, and how it ended: at a steady pace, after the rounds asked for, or at its limit."""

    ops: Count
    ns: Count
    ended: Literal["steady", "rounds", "limit"]


class MeasuringPhase(Message, frozen=True):
    """The measuring phase as a whole, in operations of the roles that count.

    `cut` when the bound stopped it before its time was over.
    """

    ops: Count
    ns: Count
    cut: bool


class MachineCounters(Message, frozen=True):
    """Over the measuring phase: steal time of the threads' CPUs, all interrupts, and the energy of all packages in uJ.

    None where the kernel is silent.
    """

    steal_ns: Count | None
    interrupts: Count | None
    energy_uj: Count | None = None


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
