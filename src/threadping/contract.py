"""The messages of `contract/`, as Python reads and writes them.

The JSON Schemas in `contract/` are the source; `tests/contract/test_examples.py` holds these records against them and
against every example message. All times are in nanoseconds; an op is one hand-over, a round trip is two.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

SCHEMA = 1

Version = Literal[1]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(min_length=1)]
Nanos = Annotated[float, Meta(ge=0)]
CpuNumber = Annotated[int, Meta(ge=0, le=65535)]
Params = dict[str, int | str]
Pin = Literal["thread", "process"]


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message of the contract: immutable, and strict about what it does not know."""


class ThreadRequest(Message, frozen=True):
    """Where one measuring thread stands; `cpu` None leaves it to the scheduler."""

    cpu: CpuNumber | None


class WarmupRequest(Message, frozen=True):
    """`rounds` rounds of `ops` operations before anything is recorded, ended early at `limit_ns`."""

    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]
    ops: Annotated[int, Meta(ge=1, le=1_000_000_000_000)]
    limit_ns: Annotated[int, Meta(ge=0, le=3_600_000_000_000)]


class Request(Message, frozen=True, omit_defaults=True):
    """One trial, as `probe run` is asked for it."""

    experiment: Name
    mechanism: Name
    params: Params
    threads: Annotated[tuple[ThreadRequest, ...], Meta(min_length=1, max_length=4096)]
    lines: Annotated[int, Meta(ge=1, le=65536)]
    warmup: WarmupRequest
    measure_ns: Annotated[int, Meta(ge=1_000_000, le=3_600_000_000_000)]
    bound_ns: Annotated[int, Meta(ge=1_000_000, le=7_200_000_000_000)]
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    schema: Version
    pin: Pin = "thread"


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
    """The measuring phase as a whole, lead-ins included; `cut` when the bound stopped it inside a block."""

    ops: Count
    ns: Count
    cut: bool


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


class Singles(Message, frozen=True):
    """Round trips timed one by one: distinct values, ascending, and how often each occurred."""

    values_ns: tuple[Count, ...]
    counts: tuple[Positive, ...]


class MachineCounters(Message, frozen=True):
    """Over the measuring phase: steal time of the threads' CPUs, interrupts of all; None where the kernel is silent."""

    steal_ns: Count | None
    interrupts: Count | None


class Managed(Message, frozen=True):
    """What a managed runtime did while it measured."""

    compile_ms: Count | None
    collections: Count


class Result(Message, frozen=True):
    """One trial's figures."""

    experiment: Name
    mechanism: Name
    threads: Annotated[tuple[ThreadResult, ...], Meta(min_length=1)]
    clock: Clock
    warmup: Warmup
    measured: Measured
    blocks: Blocks
    singles: Singles
    machine: MachineCounters
    managed: Managed | None
    schema: Version


ErrorCode = Literal[
    "bad-request",
    "unknown-experiment",
    "unknown-mechanism",
    "unknown-param",
    "unsupported",
    "pin-failed",
    "stalled",
    "sequence-broken",
    "internal",
]


class ProbeError(Message, frozen=True):
    """Why a probe could not measure."""

    code: ErrorCode
    message: Annotated[str, Meta(min_length=1)]


class Failed(Message, frozen=True):
    """The result message of a trial that could not be measured."""

    error: ProbeError
    schema: Version


class Toolchain(Message, frozen=True):
    """The compiler, or the virtual machine, with its flags."""

    name: Name
    version: Name
    flags: tuple[str, ...]


class OnlyWith(Message, frozen=True):
    """The value of another parameter without which a parameter may not be given."""

    param: Name
    value: Name


class ParamDescription(Message, frozen=True):
    """A mechanism's parameter: a text with its `choices`, or a whole number with its `range` (least, most)."""

    name: Name
    default: int | str
    choices: Annotated[tuple[Name, ...], Meta(min_length=1)] | None
    range: tuple[int, int] | None
    only_with: OnlyWith | None
    summary: Name


class MechanismDescription(Message, frozen=True):
    """A mechanism as its probe describes it.

    `pinnable` is False for threads without a CPU of their own; `needs` says why this runtime cannot run it.
    """

    name: Name
    summary: Name
    cpu_cost: Name
    blocking: bool
    pinnable: bool
    lines: Positive
    params: tuple[ParamDescription, ...]
    needs: str | None


class ExperimentDescription(Message, frozen=True):
    """An experiment that a probe can measure, and the roles of its threads in the order of a request's `threads`."""

    name: Name
    roles: Annotated[tuple[str, ...], Meta(min_length=1)]
    mechanisms: tuple[MechanismDescription, ...]


class Description(Message, frozen=True):
    """What `probe describe` says."""

    probe: Name
    version: Name
    toolchain: Toolchain
    experiments: tuple[ExperimentDescription, ...]
    schema: Version


class Cpu(Message, frozen=True):
    """An online CPU; two share a thing when its number is the same, None where the machine does not tell."""

    cpu: Count
    core: Count | None
    l2: Count | None
    l3: Count | None
    node: Count | None
    package: Count | None


class Topology(Message, frozen=True):
    """What `probe topology` says: the machine's CPUs, and those that this process may use."""

    source: Name
    cpus: Annotated[tuple[Cpu, ...], Meta(min_length=1)]
    allowed: Annotated[tuple[Count, ...], Meta(min_length=1)]
    schema: Version
