"""The messages of `contract/`, as Python reads and writes them. All times are in nanoseconds.

The JSON Schemas in `contract/` are the source; `tests/contract/test_examples.py` holds these records against them and
against every example message. An op is one handoff in `signal` (a round trip is two), one increment in `lock`, one
call in `wakeup`, one message that arrives in `queue`.
"""

from collections.abc import Sequence
from itertools import compress
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, structs

SCHEMA: Literal[4] = 4  # version of the contract: another one comes from another build
MOST_THREADS = 4096
MOST_COUNT = 2**63 - 1  # maximum in a store and in every probe's language; Python alone takes larger ones
HOUR_NS = 3_600_000_000_000
HIGHEST_SEED = 2**53 - 1
Version = Literal[4]
Whole = Annotated[int, Meta(ge=-MOST_COUNT - 1, le=MOST_COUNT)]
Count = Annotated[int, Meta(ge=0, le=MOST_COUNT)]
Positive = Annotated[int, Meta(ge=1, le=MOST_COUNT)]
Name = Annotated[str, Meta(min_length=1, max_length=10_000)]
Nanos = Annotated[float, Meta(ge=0, le=HOUR_NS)]
CpuNumber = Annotated[int, Meta(ge=0, le=65535)]
CpuPair = tuple[CpuNumber, CpuNumber]
Params = dict[str, Whole | str]
ThreadCount = Annotated[int, Meta(ge=1, le=MOST_THREADS)]
Pin = Literal["thread", "process"]
WindowUnit = Literal["ops", "ns"]  # `ops` where a measured thread opens windows, `ns` where another thread does


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message of the contract: immutable, and strict about what it does not know."""


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
    """The NUMA nodes of the cells' memory; None if the kernel does not tell, or a collector moves them."""

    nodes: Annotated[tuple[Count, ...], Meta(min_length=1)] | None


class Skew(Message, frozen=True):
    """The lead of one CPU's clock over another's, minimum and maximum."""

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
    """The warm-up, and its end: at a steady pace, after the requested rounds, or at its limit."""

    ops: Count
    ns: Count
    ended: Literal["steady", "rounds", "limit"]


class MeasuringPhase(Message, frozen=True):
    """The measuring phase, in operations of the roles that count; `cut` when the bound stopped it early."""

    ops: Count
    ns: Count
    cut: bool


class MachineCounters(Message, frozen=True):
    """Steal time of the CPUs, interrupts, and energy of packages (uJ) while measuring; None where unknown."""

    steal_ns: Count | None
    interrupts: Count | None
    energy_uj: Count | None = None


class Pause(Message, frozen=True):
    """When a runtime stopped all its threads, for how long, and what for; by the clock that is measured with."""

    at_ns: Count
    ns: Count
    name: Name


class Managed(Message, frozen=True):
    """The work of a managed runtime while it measured; `pauses` are all since its start, None if unknown."""

    compile_ms: Count | None
    collections: Count
    pauses: tuple[Pause, ...] | None
    rested_ns: Count | None = None  # sleep of its threads in the warm-up, so that it could compile; None if unknown


class PingResult(Message, frozen=True):
    """Time of a signal between two CPUs, one way, right before or after the measuring phase.

    `at_ns` is when it ended, by the clock of `time.monotonic`; `ns` is None where it came to no end in its time.
    """

    cpus: CpuPair
    when: Literal["before", "after"]
    at_ns: Count
    ns: Nanos | None


WindowKind = Literal["throughput", "sampling"]


class Windows(Message, frozen=True, dict=True):
    """The windows in columns, in the order in which they came; `ops` has one for each thread.

    Operations of a `throughput` window read no clock, and its `every` is 0; in a `sampling` one a thread that times
    does so with one operation in `every`. Those of the `warmup` come first, and no other figure holds anything of them.
    `switches` counts how often a thread lost its CPU, `compile_ms` what the JIT compiled, `cpus` on how many CPUs the
    threads stood at its end; None where it is not read.
    """

    warmup: tuple[bool, ...]
    line: tuple[Count, ...]
    kind: tuple[WindowKind, ...]
    every: tuple[Count, ...]
    ns: tuple[Positive, ...]
    ops: Annotated[tuple[tuple[Count, ...], ...], Meta(min_length=1)]
    switches: tuple[Count, ...] | None
    compile_ms: tuple[Count, ...] | None
    cpus: tuple[ThreadCount, ...] | None = None

    def of(self, kind: WindowKind, *, warmup: bool = False) -> "Windows":
        """Return the measured windows of one kind, or its warm-up's; cached, as dozens of figures ask."""
        found: dict[tuple[WindowKind, bool], Windows] = self.__dict__.setdefault("found", {})
        if (kind, warmup) not in found:
            chosen = [one == kind and early == warmup for one, early in zip(self.kind, self.warmup, strict=True)]
            found[kind, warmup] = self.those(chosen)
        return found[kind, warmup]

    @property
    def measured(self) -> "Windows":
        return self.those([not early for early in self.warmup])

    def those(self, chosen: Sequence[bool]) -> "Windows":
        """Return the windows marked in `chosen`, which has one entry for each."""
        columns = structs.asdict(self) | {"ops": None}
        picked = {name: column and tuple(compress(column, chosen)) for name, column in columns.items()}
        return Windows(**picked | {"ops": tuple(tuple(compress(column, chosen)) for column in self.ops)})

    @property
    def total_ns(self) -> int:
        return sum(self.ns)

    @property
    def total_ops(self) -> int:
        return sum(map(sum, self.ops))


class Distribution(Message, frozen=True):
    """Recorded values of sampling windows: distinct, ascending, each with its frequency.

    `unit` is ns, or what is counted. `censored` durations overlapped a window without beginning and ending in it;
    `negative` ones, between two CPUs, came out below 0. Both are in no value.
    """

    unit: Name
    values: tuple[Count, ...]
    counts: tuple[Positive, ...]
    censored: Count
    negative: Count


class Seen(Message, frozen=True):
    """Kernel counters of a thread from the snapshot before an outlier to the one after it.

    `others_run_delay_ns` is the longest that another measuring thread was ready to run without a CPU, `throttled_ns`
    how long CPU quotas stopped threads, `awake_ns` how long the thread's CPU did not sleep, `others_woken` whether
    another CPU of the trial came out of its sleep. None where the kernel does not tell, or was not asked.
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
    throttled_ns: Count | None = None
    awake_ns: Count | None = None
    others_woken: bool | None = None


class Outlier(Message, frozen=True):
    """An outlier of a distribution, and what was seen around it; None where nothing was.

    `weight` is how many outliers one of the random sample represents, the inverse of its chance to be in it; 0 of
    one that is kept because it is among the longest. `draw` is the stretch of its thread's time that was drawn;
    None of one that was drawn alone.
    """

    of: Name
    thread: Count
    at_ns: Count
    ns: Count
    seen: Seen | None
    draw: Count | None = None
    weight: Annotated[float, Meta(ge=0, le=1e12)] = 1.0


class Evidence(Message, frozen=True):
    """Snapshots around outliers, their number, and in `lacking` what could not be read, with reasons."""

    look_ns: Nanos
    looks: Count
    interrupts: Literal["trace-points", "soft-interrupts"] | None
    lacking: tuple[Name, ...]
    outliers: tuple[Outlier, ...]


class ThreadRequest(Message, frozen=True):
    """The CPU of one measured thread; None leaves it to the scheduler."""

    cpu: CpuNumber | None


class WarmupRequest(Message, frozen=True):
    """The very windows that will be measured: `rounds` rounds of `ops` operations, and on until the pace is steady.

    Steady is a pace whose last two stretches differ by at most the share `steady`, while the runtime compiled and
    collected nothing; None does not wait for it. `limit_ns` ends the warm-up in any case. A stretch of work of
    `look_ns` tells how long an operation takes. An `uninterrupted` round is one loop, which a JIT replaces under way.
    """

    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]
    ops: Annotated[int, Meta(ge=1, le=1_000_000_000_000)]
    steady: Annotated[float, Meta(gt=0, le=1)] | None
    limit_ns: Annotated[int, Meta(ge=0, le=HOUR_NS)]
    look_ns: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    uninterrupted: bool


class WindowsRequest(Message, frozen=True):
    """The length of a throughput window and of a sampling one in `unit`, and the clock reads.

    With ops they are shortened until there is time for `visits` visits to every line. With ns a thread works about
    `chunk_ns` between two looks at its orders, and the clock takes at most `clock_share` of a sampling window.
    """

    unit: WindowUnit
    throughput: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    sampling: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    visits: Annotated[int, Meta(ge=1, le=1000)]
    chunk_ns: Annotated[int, Meta(ge=1, le=1_000_000_000)]
    clock_share: Annotated[float, Meta(gt=0, le=1)]


class OutliersRequest(Message, frozen=True):
    """The definition of an outlier: `least_ns` and `factor` times the median so far.

    Of each thread `most` of the longest are kept, and a random sample of at most as many.
    """

    factor: Annotated[float, Meta(ge=1, le=1_000_000)]
    least_ns: Annotated[int, Meta(ge=1, le=HOUR_NS)]
    most: Annotated[int, Meta(ge=1, le=10_000)]


class Request(Message, frozen=True):
    """One trial, as `probe run` is asked for it; `home` are the CPUs on which the cells are made and first touched."""

    experiment: Name
    mechanism: Name
    params: Params
    threads: Annotated[tuple[ThreadRequest, ...], Meta(min_length=1, max_length=MOST_THREADS)]
    pin: Pin
    lines: Annotated[int, Meta(ge=1, le=65536)]
    home: Annotated[tuple[CpuNumber, ...], Meta(min_length=1)] | None
    warmup: WarmupRequest
    windows: WindowsRequest
    outliers: OutliersRequest | None
    measure_ns: Annotated[int, Meta(ge=1_000_000, le=HOUR_NS)]
    bound_ns: Annotated[int, Meta(ge=1_000_000, le=2 * HOUR_NS)]
    patience_ns: Annotated[int, Meta(ge=1_000_000, le=HOUR_NS)]
    seed: Annotated[int, Meta(ge=0, le=HIGHEST_SEED)]
    schema: Version
    pings: Annotated[tuple[CpuPair, ...], Meta(max_length=64)] = ()  # taken right before and after measuring


class CountsHeld(Message, frozen=True):
    """Two counts to be held against each other: what the threads made, and what was found.

    `exact` if the mechanism guarantees that they are equal, from start to end: a difference is then an error. If False,
    they are a result, of sampling windows (`handoffs`, `wake-ups`) or from start to end (`increments`).
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
    measured: MeasuringPhase
    machine: MachineCounters
    managed: Managed | None
    windows: Windows
    distributions: dict[str, Distribution]
    evidence: Evidence | None
    counts: dict[str, CountsHeld]
    schema: Version
    pings: Annotated[tuple[PingResult, ...], Meta(max_length=128)] = ()  # what was taken of those requested

    def timed(self, name: str = "") -> Distribution:
        """Return the distribution of this name, or the only one; empty if there is none."""
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


MILLISECOND, SECOND = 1_000_000, 1_000_000_000

# A thread works 20 us between two polls of its orders: short next to a window, long next to a poll. The clock may take
# 2% of a sampling window.
CHUNK_NS, CLOCK_SHARE = 20_000, 0.02

# Outliers and the number kept of a trial; more are counted, without a cause
OUTLIERS = OutliersRequest(factor=10.0, least_ns=5_000, most=2048)


class Policy(Struct, frozen=True):
    """The timing part of a request."""

    windows: WindowsRequest
    look_ns: int
    patience_ns: int


# 1000 operations in a throughput window: the clock pair costs each of them below 0.1 ns. Five visits to a line: its
# median survives two disturbed ones.
BLOCKS = Policy(WindowsRequest("ops", 1000, 300, 5, CHUNK_NS, CLOCK_SHARE), look_ns=MILLISECOND, patience_ns=SECOND)


def brief_signal(
    mechanism: str, cpus: Sequence[int], outliers: OutliersRequest | None, limit_ns: int, measure_ns: int, **more: Any
) -> Request:
    """Return the request of a very short trial of `signal` between two CPUs, which warms up once."""
    return Request(
        schema=SCHEMA,
        experiment="signal",
        mechanism=mechanism,
        params={},
        threads=tuple(map(ThreadRequest, cpus)),
        pin="thread",
        home=(cpus[0],),
        warmup=WarmupRequest(1, 1000, None, limit_ns, BLOCKS.look_ns, uninterrupted=False),
        windows=BLOCKS.windows,
        outliers=outliers,
        measure_ns=measure_ns,
        patience_ns=BLOCKS.patience_ns,
        **more,
    )


class Cpu(Message, frozen=True, omit_defaults=True):
    """A CPU; two share a thing when its number is the same, None where the machine does not tell.

    `kind` is what its core is called on a hybrid machine: `P`, `E`, `LP-E`, `big`, `medium`, `little`.
    """

    cpu: Count
    core: Count | None
    l2: Count | None
    l3: Count | None
    node: Count | None
    package: Count | None
    kind: Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,12}$")] | None = None

    @property
    def is_listed(self) -> bool:
        """Return whether the system lists it; an unlisted but usable CPU has no known properties."""
        return (self.core, self.l2, self.l3, self.node, self.package) != (None,) * 5


class Topology(Message, frozen=True, omit_defaults=True):
    """The answer to `probe topology`: the machine's CPUs, and those that this process may use.

    `offline` are those that are known and not there; among `isolated` ones the scheduler balances no load. What the
    system tells `contradicts_itself` where the library found that it cannot all be so.
    """

    source: Name
    cpus: Annotated[tuple[Cpu, ...], Meta(min_length=1)]
    allowed: Annotated[tuple[Count, ...], Meta(min_length=1)]
    schema: Version
    offline: tuple[Count, ...] = ()
    isolated: tuple[Count, ...] = ()
    contradicts_itself: bool = False


class MechanismWords(Message, frozen=True):
    """A sentence on what a mechanism does, and one on what it costs the CPU and when to choose it."""

    summary: Name
    costs: Name


class ExperimentWords(Message, frozen=True):
    """Texts on an experiment's mechanisms, or the name of an experiment with the same ones; and on parameters."""

    mechanisms: dict[str, MechanismWords | Name]
    params: dict[str, Name]


FIRST_VERSION = "1.0.0"  # default version of a mechanism


class MechanismChange(Message, frozen=True):
    """A change of mechanisms in a language, and their version since.

    The first number counts up where figures mean something else: they are no more compared with those of before; the
    second where a parameter came, or means more than it did; the third where the machine code of a timed loop is
    another and its figures are as they were. `mechanisms` names those of the experiment; none named are all.
    """

    version: Annotated[str, Meta(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    experiment: Name
    probe: Name
    mechanisms: tuple[Name, ...]
    what: Name

    def is_of(self, experiment: str, mechanism: str, probe: str) -> bool:
        of_it = not self.mechanisms or mechanism in self.mechanisms
        return of_it and (self.experiment, self.probe) == (experiment, probe)


class Words(Message, frozen=True):
    """All texts; `timed` names what each distribution times, `changes` are of mechanisms, the oldest first."""

    timed: dict[str, Name]
    experiments: dict[str, ExperimentWords]
    changes: tuple[MechanismChange, ...]

    def version(self, experiment: str, mechanism: str, probe: str) -> str:
        changes = (one.version for one in reversed(self.changes) if one.is_of(experiment, mechanism, probe))
        return next(changes, FIRST_VERSION)

    def of(self, experiment: str, mechanism: str) -> MechanismWords | None:
        """Return the text about an experiment's mechanism; None if there is none."""
        known = self.experiments.get(experiment)
        found = known.mechanisms.get(mechanism) if known else None
        return self.of(found, mechanism) if isinstance(found, str) else found


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
    """A mechanism's parameter: a text with its `choices`, or a whole number with its `range` (least, most).

    `needs` has what a text may be elsewhere, each with what it needs that is not here.
    """

    name: Name
    default: Whole | str
    choices: Annotated[tuple[Name, ...], Meta(min_length=1)] | None
    range: tuple[Whole, Whole] | None
    only_with: OnlyWith | None
    needs: tuple[tuple[Name, str], ...] = ()


class MechanismDescription(Message, frozen=True):
    """A mechanism as its probe describes it.

    `timed` names for each role the distribution of what it times one by one, the last for all further ones; `pinnable`
    is False for threads without a CPU of their own; `needs` says why this runtime cannot run it; `words` describe a
    mechanism that words.json does not have.
    """

    name: Name
    blocking: bool
    timed: Annotated[tuple[Name, ...], Meta(min_length=1)]
    pinnable: bool
    lines: Positive
    params: tuple[ParamDescription, ...]
    needs: str | None
    words: MechanismWords | None


class RoleDescription(Message, frozen=True):
    """A thread's part; `counts` says whether its operations are the experiment's."""

    name: Name
    counts: bool


class ExperimentDescription(Message, frozen=True):
    """An experiment that a probe can measure.

    `roles` are what its threads are, in the order of a request's `threads`; further ones again and again, or as
    parameters say. `threads` is the least and the most of them that a trial can have; `windows` the unit of a request's
    windows.
    """

    name: Name
    roles: Annotated[tuple[RoleDescription, ...], Meta(min_length=1)]
    threads: tuple[ThreadCount, ThreadCount]
    windows: WindowUnit
    mechanisms: tuple[MechanismDescription, ...]


class Description(Message, frozen=True):
    """The answer to `probe describe`."""

    probe: Name
    version: Name
    toolchain: Toolchain
    experiments: tuple[ExperimentDescription, ...]
    schema: Version
