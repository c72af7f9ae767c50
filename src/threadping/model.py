"""The frozen records that all rooms share. No behaviour beyond what the record itself can tell."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from threadping import quantities
from threadping.contract import (
    MOST_THREADS,
    Count,
    CpuNumber,
    Distribution,
    OutliersRequest,
    Params,
    Pin,
    Request,
    Result,
    Topology,
)
from threadping.errors import ThreadpingError
from threadping.numbers import compact

RunStatus = Literal["running", "complete", "interrupted", "failed"]


class Record(Struct, frozen=True):
    """An immutable record."""


# ---- what a value can be: a record that is read from a store, a page or a host with another is refused ----

LONGEST_WORD = 1_000

Word = Annotated[str, Meta(max_length=LONGEST_WORD)]
"""A name, or what stands on one line."""

Sentence = Annotated[str, Meta(max_length=100_000)]
"""What a person reads: a reason, a note, what a JVM said of itself."""

Finite = Annotated[float, Meta(ge=-1.7976931348623157e308, le=1.7976931348623157e308)]
"""Neither infinite nor NaN."""

Nanoseconds = Annotated[float, Meta(ge=0, le=1e18)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]
"""Of a budget: 30 years."""

Share = Annotated[float, Meta(ge=-1, le=1e6)]
"""Of CPU time others may have used slightly less than nothing, or more than all: two clocks count it."""

_DAYS = (
    r"20[0-9]{2}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
    r"20[0-9]{2}-(0[469]|11)-(0[1-9]|[12][0-9]|30)",
    r"20[0-9]{2}-02-(0[1-9]|1[0-9]|2[0-8])",
    r"20([02468][048]|[13579][26])-02-29",
)
_MOMENT = (
    rf"({'|'.join(_DAYS)})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{{1,6}})?"
    r"(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])"
)
Moment = Annotated[str, Meta(pattern=rf"^{_MOMENT}\Z")]
"""A day that there is and a time with its zone, as `datetime.isoformat` writes it."""

MomentIfKnown = Annotated[str, Meta(pattern=rf"^({_MOMENT})?\Z")]

MOST_LISTED = 4_096
"""Of a matrix."""


Pair = tuple[CpuNumber, CpuNumber]
"""Two CPUs, the lower first."""

Side = Literal["a", "b"]
"""Of a comparison of two cases: B is compared with A."""

SIDES: tuple[Side, ...] = ("a", "b")

MOST_PAIRS = 4
"""Of the CPUs of one case so many pairs are pinged at most."""


class Placement(Record, frozen=True):
    """Where the threads stand: a word of the design (`same-l3`, …) and a CPU for each thread; None is not pinned.

    With `pin` "process" every thread may use all of these CPUs, as under taskset. `kinds` names what their cores are on
    a hybrid machine: `P-E`.
    """

    name: Word
    cpus: Annotated[tuple[CpuNumber | None, ...], Meta(max_length=MOST_THREADS)]
    pin: Pin = "thread"
    kinds: str = ""

    @property
    def title(self) -> str:
        """Its word, with the kinds of core on a hybrid machine: `same-l3 P-E`."""
        return " ".join(filter(None, (self.name, self.kinds)))

    @property
    def threads(self) -> int:
        """How many threads stand there."""
        return len(self.cpus)

    @property
    def used(self) -> tuple[int, ...]:
        """The CPUs, each once, in order; none where it is not pinned."""
        return tuple(dict.fromkeys(cpu for cpu in self.cpus if cpu is not None))

    @property
    def usual_home(self) -> tuple[int, ...] | None:
        """The CPUs on which the cells are made by default: the first thread's; None where it is not pinned."""
        return (self.used if self.pin == "process" else self.used[:1]) or None

    @property
    def may_share(self) -> bool:
        """Whether its threads stand on one CPU or on several as the scheduler decides: unpinned, or pinned together."""
        left_free = not self.used or (self.pin == "process" and len(self.used) > 1)
        return self.threads > 1 and left_free

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of CPUs whose distance its figures may depend on; none where it is not pinned, or on one CPU.

        Each CPU with the next in the order of the threads; of more than MOST_PAIRS those that are spread evenly.
        """
        pairs = [(min(pair), max(pair)) for pair in pairwise(self.used)]
        every = max(1, -(-len(pairs) // MOST_PAIRS))
        return tuple(pairs[::every])


class Home(Record, frozen=True):
    """Where the cells are made and first touched: the role or the node that was named, and its CPUs."""

    name: Word
    cpus: Annotated[tuple[CpuNumber, ...], Meta(max_length=MOST_LISTED)]

    @property
    def text(self) -> str:
        """Say it for a person: `home node 0`."""
        return f"home {self.name}"


class Skipped(Record, frozen=True, omit_defaults=True):
    """Something asked for or usual that is not measured, and why.

    Where only time was too short: `budget` is the `--budget` that has room for it, and `cases` how many it is.
    """

    what: Sentence
    reason: Sentence
    budget: Word | None = None
    cases: Count = 0


class Runtime(Record, frozen=True):
    """A probe as launched.

    `label` tells it apart in every output (`cpp`, `java-17 -XX:+UseParallelGC`); `command` is the argv before
    `describe` or `run`; `version` is for a person (`g++ 12.2.0 -O3`).
    """

    label: Word
    probe: Word
    command: Annotated[tuple[Sentence, ...], Meta(max_length=1_000)]
    version: Sentence


class WarmupPolicy(Record, frozen=True):
    """`rounds` rounds of `ops` operations before anything is recorded; without a round, until the pace is steady."""

    rounds: Annotated[int, Meta(ge=0, le=1_000_000)]
    ops: Annotated[int, Meta(ge=1, le=1_000_000_000_000)]

    @property
    def text(self) -> str:
        """Write it as it is given: `steady`, `10x100k`, `1x500M`."""
        if self.rounds == 0:
            return "steady"
        return f"{self.rounds}x{compact(self.ops)}"


GROUPS = {1: "thread", 2: "pair"}
"""What so many threads that belong together are called."""

DEFAULT_WARMUP = WarmupPolicy(0, 1)
"""Until the pace is steady. The published ten short warm-ups of 100,000 ("Biased Locking, OSR, and Benchmarking Fun",
2011) are `10x100k`."""


def with_params(mechanism: str, params: Params, varied: Iterable[str]) -> str:
    """Name a mechanism with those of its parameters that differ from its defaults: `cas-one-line wait=pause`."""
    return " ".join([mechanism, *(f"{name}={as_given(params[name])}" for name in varied)])


def as_text(value: object) -> str:
    """Write a value for a person: its text, if it has one."""
    return str(getattr(value, "text", value))


def as_given(value: int | str) -> str:
    """Write a parameter's value as a person gives it: `10k`, `yield`."""
    return compact(value) if isinstance(value, int) else value


class Busy(Record, frozen=True):
    """Threads that compete with those of a trial for the machine's CPUs, unpinned, each in a process of its own.

    Attributes:
        threads: how many.
        nice: by how much they give way to others: 0 to 19.
    """

    threads: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    nice: Annotated[int, Meta(ge=0, le=19)] = 0

    @property
    def text(self) -> str:
        """Say it for a person: `beside 2 busy threads`; empty where there are none."""
        nice = f", nice {self.nice}" if self.nice else ""
        return f"beside {self.title}{nice}" if self.threads else ""

    @property
    def title(self) -> str:
        """Name them, as one side of a comparison: `2 busy threads`, `idle`."""
        return quantities.counted(self.threads, "busy thread") if self.threads else "idle"


ALONE = Busy()


class Case(Record, frozen=True):
    """What one row of output is about.

    `params` holds every parameter that has an effect, `varied` names those that differ from the mechanism's defaults;
    `timed` is what is timed one by one, in words; `home` is None where it is the usual one; `group` is how many threads
    belong together where their number is varied: 2 for pairs; `busy` the threads beside which it is measured.
    """

    experiment: Word
    mechanism: Word
    params: Annotated[Params, Meta(max_length=100)]
    runtime: Word
    placement: Placement
    blocking: bool
    lines: Annotated[int, Meta(ge=0, le=65536)]
    varied: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    warmup: WarmupPolicy = DEFAULT_WARMUP
    timed: Word = "round trip"
    home: Home | None = None
    group: Annotated[int, Meta(ge=1, le=2)] = msgspec.field(default=1, name="crew")  # as it is stored
    busy: Busy = ALONE

    def __hash__(self) -> int:
        """Equal cases have equal hashes, though a dictionary is among their fields."""
        params = frozenset(self.params.items())
        return hash((self.experiment, self.mechanism, params, self.runtime, self.placement, self.warmup))

    @property
    def identity(self) -> str:
        """Everything that tells the case from others, for a seed."""
        return msgspec.json.encode(self, order="sorted").decode()

    @property
    def threads(self) -> int:
        """How many threads take part."""
        return self.placement.threads

    @property
    def groups(self) -> int:
        """How many groups there are: single threads, or pairs."""
        return self.threads // self.group

    @property
    def title(self) -> str:
        """Name the case for a person by what is not usual: `cas-one-line wait=pause cpp same-l3 process 1x500M`.

        Two threads are usual: `mutex cpp 4 threads same-l3`, `futex cpp 16 pairs unpinned`. The experiment is not said.
        """
        return " ".join(filter(None, (one.said(self) for one in DIMENSIONS[1:])))


class Dimension(Struct, frozen=True):
    """In what cases differ; titles, tables, exports and the sides of a comparison loop over DIMENSIONS.

    Attributes:
        name: its key in JSON and CSV, and the field of a case unless `value` reads it.
        plural: the field of a selection where its values stand, two of which `compare --NAME` takes; empty for none.
        head: of the column where tables say what is unusual about it; empty where they have it always.
        usual: what is not said; UNSET where all is.
        value: where a case stands in it: those that stand alike have equal ones.
        words: how that is written for a person, unless it is a word or has a text.
        entries: what JSON and CSV have of it, unless it is what is written for a person.
    """

    name: str
    plural: str
    head: str = "placement"
    usual: object = msgspec.UNSET
    value: Callable[[Case], Hashable] | None = None
    words: Callable[[Case], str] | None = None
    entries: Callable[[Case], Mapping[str, object]] | None = None

    def read(self, case: Case) -> Hashable:
        """Where a case stands in it."""
        found: Hashable = self.value(case) if self.value else getattr(case, self.name)
        return found

    def text(self, case: Case) -> str:
        """Write it for a person."""
        return self.words(case) if self.words else as_text(self.read(case))

    def is_unusual(self, case: Case) -> bool:
        """Whether it has a usual value, and the case another."""
        return self.usual is not msgspec.UNSET and self.read(case) != self.usual

    def said(self, case: Case) -> str:
        """Write it for a person; nothing where it is usual."""
        return self.text(case) if self.usual is msgspec.UNSET or self.is_unusual(case) else ""


DIMENSIONS = (
    Dimension("experiment", "", ""),
    Dimension(
        "mechanism",
        "mechanisms",
        "",
        words=lambda case: with_params(case.mechanism, case.params, case.varied),
        entries=lambda case: {
            "mechanism": case.mechanism,
            "params": case.params | ({f"{GROUPS[case.group]}s": case.groups} if case.group > 1 else {}),
            "varied": case.varied,
        },
    ),
    Dimension("runtime", "runtimes", ""),
    Dimension(
        "threads",
        "threads",
        "",
        usual=(2, 1),
        value=lambda case: (case.groups, case.group),
        words=lambda case: quantities.counted(case.groups, GROUPS[case.group]),
        entries=lambda case: {"threads": case.threads},
    ),
    Dimension(
        "placement",
        "placements",
        value=lambda case: (case.placement.title, case.placement.cpus),
        words=lambda case: case.placement.title,
        entries=lambda case: {"placement": case.placement.name, "cpus": case.placement.cpus},
    ),
    Dimension("pin", "pins", usual="thread", value=lambda case: case.placement.pin),
    Dimension("home", "homes", usual=None, entries=lambda case: {"home": case.home and case.home.name}),
    Dimension("warmup", "warmups", "warm-up", DEFAULT_WARMUP),
    Dimension(
        "busy", "busy", usual=ALONE, entries=lambda case: {"busy": case.busy.threads, "busy_nice": case.busy.nice}
    ),
)
"""In the order in which a title says them."""


def read_all(case: Case, *but: str) -> tuple[Hashable, ...]:
    """Where a case stands in every dimension `but` some: cases with equal ones differ in those alone."""
    return tuple(one.read(case) for one in DIMENSIONS if one.name not in but)


def differing(option: str) -> tuple[str, ...]:
    """The dimensions in which the sides of a comparison by an option differ: other threads stand on other CPUs."""
    return ("threads", "placement") if option in ("threads", "pairs") else (option,)


class Failure(Record, frozen=True):
    """Why a trial has no result: a code (the contract's, or `crashed`, `hung`, `garbage`, …) and a sentence."""

    code: Word
    message: Sentence


class Spent(Record, frozen=True):
    """How many seconds of its budget a run had spent, interruptions left out, at three moments of a trial.

    Attributes:
        free: when what was measured before it had been learned from.
        begun: when the pings before it began: later, where a state was waited for.
        ended: when it had ended, before the pings after it.
    """

    free: float
    begun: float
    ended: float


class Trial(Record, frozen=True):
    """One case measured once, in one fresh process: exactly one of `result` and `failure` is set.

    `others` is the share of its CPUs' time that other programs used; None where the kernel does not report it.
    `side` is the one of a comparison for which it was measured; `round` is then the block, of which 0 is thrown away.
    `beside` is how many other trials were measured at the same time, on other CPUs. `spent` says where in its run it
    stood; None of one that was stored before runs could be resumed.
    """

    round: Count
    position: Count
    case: Case
    request: Request
    result: Result | None
    failure: Failure | None
    log: str
    started: str
    wall_ns: Count
    others: Share | None = None
    side: Side | None = None
    beside: Count = 0
    spent: Spent | None = None


class ReferencePing(Record, frozen=True):
    """How far two CPUs stood apart at a moment: a very short ping by the C++ probe.

    Attributes:
        cpus: the pair.
        at: when it ended, in seconds since 1970.
        trials: how many trials of its run had ended by then.
        ns: one way, over its lines the mean of the middle half of their median blocks; None where it failed.
        round_trip_p99_ns: of its single round trips, not halved; None where the samples do not carry it.
        round_trip_max_ns: the longest of them.
        wall_ns: what it took, with the start of its process.
        failure: why it has no figure.
    """

    cpus: Pair
    at: Annotated[float, Meta(ge=0, lt=4_102_444_800)]  # the year 2100
    trials: Count
    ns: Annotated[float, Meta(gt=0, le=1e15)] | None
    round_trip_p99_ns: Nanoseconds | None = None
    round_trip_max_ns: Nanoseconds | None = None
    wall_ns: Count = 0
    failure: Sentence | None = None


class PingLine(Record, frozen=True):
    """A reference ping in a series, as `threadping ping` shows it.

    Attributes:
        ping: what it shows.
        seq: of which interval, from 1.
        after_s: how many seconds after the first interval that one began.
        disturbed: the ping of a moment before, which was unlike those before it, so that it was taken again.
        changed_from: how far the pair was apart before (ns), where its state changed.
    """

    ping: ReferencePing
    seq: int
    after_s: float
    disturbed: ReferencePing | None = None
    changed_from: float | None = None


class State(Record, frozen=True):
    """Pings of a pair that belong together: how it stood for a while.

    Attributes:
        cpus: the pair.
        core_to_core_ns: its name, their median.
        range: the least and the most of them.
        share: of the time in which the pair was watched.
        pings: how many they are.
        dwell_s: how long it held each time, in order; the first and the last time it may have held for longer.
    """

    cpus: Pair
    core_to_core_ns: float
    range: tuple[float, float]
    share: float
    pings: int
    dwell_s: tuple[float, ...] = ()

    @property
    def lasted(self) -> bool:
        """Whether it was more than a moment: three pings, over half a second or more."""
        return self.pings >= 3 and sum(self.dwell_s) >= 0.5


class Observation(Record, frozen=True):
    """What one trial says, and all that rows are made from: its declared figures by name, absent where not known.

    A trial that ended without anything that can be counted has neither figures nor a failure. `form` is the version of
    the readings by which it was made; one of an older form is made anew from the trial's result. `started` is ISO 8601;
    `lacking` is what its probe could not see of outliers, a sentence each; `caused` the durations (ns) of the outliers
    that it did look at, by distribution and cause; `others` is the share of its CPUs' time that other programs used;
    `side` the one of a comparison for which it was measured, in the block `round`; `beside` how many other trials were
    measured at the same time.
    """

    round: Count
    position: Count
    case: Case
    failure: Failure | None
    wall_ns: Count
    figures: Annotated[dict[Word, Finite], Meta(max_length=1_000)] = {}
    distributions: Annotated[dict[Word, Distribution], Meta(max_length=100)] = {}
    form: Count = 0
    started: MomentIfKnown = ""
    lacking: Annotated[tuple[Sentence, ...], Meta(max_length=1_000)] = ()
    caused: Annotated[dict[Word, dict[Word, tuple[Count, ...]]], Meta(max_length=100)] = {}
    others: Share | None = None
    side: Side | None = None
    beside: Count = 0


class Machine(Record, frozen=True):
    """What a figure cannot be judged without; None where the machine does not tell.

    `idle_states` are those of the first CPU that may be used, the deepest last.
    """

    hostname: Word
    cpu_model: Word | None
    kernel: Word
    os: Word | None
    hypervisor: Word | None
    governor: Word | None
    clock_source: Word | None
    cpu_quota: Annotated[float, Meta(ge=0, le=1e9)] | None
    memory_bytes: Count | None
    topology: Topology
    idle_states: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()


class Owner(Record, frozen=True):
    """The process that measures a run: by it a run in progress is known from one whose process died.

    `started_ticks` is when it started, in clock ticks since the boot; `pid_namespace` is what its `pid` is a number of,
    a container or the whole machine; `machine` a digest of the machine's id, empty where it has none. Nothing of it
    leaves the store.
    """

    hostname: Word
    boot_id: Word
    pid: int
    started_ticks: int
    pid_namespace: Word = ""
    machine: Word = ""


NOBODY = Owner("", "", 0, 0)
"""Of a run that was measured elsewhere: its process means nothing here."""


class Survey(Record, frozen=True, tag_field="study", tag="survey"):
    """A run that shows its rows."""


class Repeated(Record, frozen=True, tag_field="study", tag="published"):
    """A run that repeats what these published articles measured; none named for all."""

    articles: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()


class Comparing(Record, frozen=True, tag_field="study", tag="compare"):
    """What a run compares, in blocks.

    Attributes:
        what: in what the sides differ: `runtime`, `mechanism`, a parameter; empty of a thing and itself.
        a: the first side's runtime, mechanism or value.
        b: the second side's.
        pairs: of the run's cases those that are compared, by their places: A's and B's.
        metric: which figure, as `--metric` names it.
        margin: a difference that does not matter, as a share.
    """

    what: Word
    a: Word
    b: Word
    pairs: Annotated[tuple[tuple[Count, Count], ...], Meta(max_length=10_000)]
    metric: Word
    margin: Annotated[float, Meta(ge=0, le=1_000)]


class Pairing(Record, frozen=True, tag_field="study", tag="matrix"):
    """What a run measures between every two CPUs: its cases follow from it, and are not stored with it.

    Attributes:
        case: of the first two CPUs; the others differ from it in these alone.
        cpus: by number.
        homes: where the lines are made: at the `first` CPU of a pair, at the `second`, or on a node.
        directions: whether each pair is measured in both: ping and pong change places.
    """

    case: Case
    cpus: Annotated[tuple[CpuNumber, ...], Meta(min_length=2, max_length=MOST_LISTED)]
    homes: Annotated[tuple[Word, ...], Meta(min_length=1, max_length=100)]
    directions: bool

    @property
    def cases(self) -> int:
        """How many cases follow from it."""
        return len(self.cpus) * (len(self.cpus) - 1) // 2 * len(self.homes) * (2 if self.directions else 1)


class Requirement(Record, frozen=True, tag_field="study", tag="advise"):
    """What a way of waiting is to meet.

    Attributes:
        rate: messages a second.
        p99_ns: the most that the 99th percentile of their latency may be, from when they are due.
        cpu_percent: the most CPU time of the waiting thread, in per cent of a core; None where it may take all.
        system: whose configuration is asked for, as `--for` names it; empty for none.
        arrivals: when messages are due: `constant`, `poisson` or `bursts`.
        burst: how many are due at once; 1 where they come one by one.
    """

    rate: Annotated[int, Meta(ge=1, le=10**12)]
    p99_ns: Nanoseconds
    cpu_percent: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    system: Word = ""
    arrivals: Word = "constant"
    burst: Annotated[int, Meta(ge=1, le=10**12)] = 1

    @property
    def schedule(self) -> dict[str, str]:
        """The parameters of `paced` that say when messages are due."""
        burst = {"burst": str(self.burst)} if self.arrivals == "bursts" else {}
        return {"rate": str(self.rate), "arrivals": self.arrivals, **burst}

    @property
    def text(self) -> str:
        """Say it for a person: `a p99 of 20.0 µs at 10k/s (bursts of 50) with 20% of a core`."""
        come = {"poisson": " (Poisson arrivals)", "bursts": f" (bursts of {self.burst})"}.get(self.arrivals, "")
        cpu = f" with {self.cpu_percent:.3g}% of a core" if self.cpu_percent else ""
        return f"a p99 of {quantities.time(self.p99_ns)} at {compact(self.rate)}/s{come}{cpu}"


Question = Survey | Comparing | Pairing | Requirement | Repeated
"""What a study stores of its question; its tag names the study."""


STUDIES = {"comparison": "compare", "matrix": "matrix", "requirement": "advise"}
"""What a run had, before it had a study, by the tag that it has now."""


def with_study(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored run of before 2026-11-26, which had a field for each study, as it is stored now."""
    if "study" in stored:
        return stored
    for name, tag in STUDIES.items():
        if stored.get(name):
            return {**stored, "study": {"study": tag, **stored[name]}}
    articles = (stored.get("premises") or {}).get("articles")
    return {
        **stored,
        "study": {"study": "survey"} if articles is None else {"study": "published", "articles": articles},
    }


class Premises(Record, frozen=True):
    """What a run's plan was made of that stands nowhere else in the run: with it the run can be resumed.

    Of cases that are all alike in something it is stored once.

    Attributes:
        starts: of each runtime what a start takes, in seconds, and whether it compiles as it runs.
        start_s: for each case what a trial takes besides warm-up and measuring.
        lengths: for each case its warm-up and what it measures, in seconds.
        longest: for each case the warm-up that it may have where others leave it time.
        outliers: what is looked into.
        survey: pairs of CPUs that are pinged before the first trial.
        survey_s: what that takes.
        state: the one in which alone to measure, as `--state` names it.
        fail_above: of a comparison: by how much B may be slower.
        builds: of each runtime a digest of its probe.
        note: what was noted when it began.
        spare_s: what the budget has besides the rounds, for further trials.
    """

    starts: dict[str, tuple[float, bool]]
    start_s: tuple[float, ...]
    lengths: tuple[tuple[float, float], ...]
    longest: tuple[float, ...]
    outliers: OutliersRequest | None
    survey: tuple[Pair, ...] = ()
    survey_s: float = 0.0
    state: str | None = None
    fail_above: float | None = None
    builds: dict[str, str] = {}
    note: str | None = None
    spare_s: float = 0.0


class Resumed(Record, frozen=True):
    """That a run was resumed.

    Attributes:
        at: when, ISO 8601, UTC.
        trials: after how many trials.
        pings: after how many pings: the last of these, of no trial that is stored, were taken anew.
        restarted: whether its machine had been restarted meanwhile.
    """

    at: str
    trials: int
    pings: int
    restarted: bool = False


class Run(Record, frozen=True):
    """A plan carried out on one machine. `id` is 0 until the store gives it one. Times are ISO 8601, UTC.

    `premises` is None of a run that cannot be resumed: an older threadping stored it. `took_s` is how long it
    measured by a clock that nobody sets; None while it runs, or where that is not known. `until` is how well each
    figure was to be known, as a share of it; None where that was not asked for.
    """

    started: Moment
    machine: Machine
    runtimes: Annotated[tuple[Runtime, ...], Meta(max_length=1_000)]
    cases: Annotated[tuple[Case, ...], Meta(max_length=100_000)]
    skipped: Annotated[tuple[Skipped, ...], Meta(max_length=100_000)]
    rounds: Count
    budget_s: Seconds
    seed: Count
    version: Word
    arguments: Annotated[tuple[Sentence, ...], Meta(max_length=10_000)]
    owner: Owner
    status: RunStatus = "running"
    ended: Moment | None = None
    note: Sentence | None = None
    id: Count = 0
    study: Question = Survey()
    premises: Premises | None = None
    resumed: tuple[Resumed, ...] = ()
    took_s: float | None = None
    until: Annotated[float, Meta(gt=0, le=1)] | None = None

    @property
    def imported(self) -> bool:
        """Whether it was measured elsewhere, and so says nothing of this machine."""
        return self.owner.pid == NOBODY.pid

    @property
    def comparison(self) -> Comparing | None:
        """What it compares; None of another study."""
        return self.study if isinstance(self.study, Comparing) else None

    @property
    def matrix(self) -> Pairing | None:
        """What it measures between every two CPUs; None of another study."""
        return self.study if isinstance(self.study, Pairing) else None

    @property
    def requirement(self) -> Requirement | None:
        """What a way of waiting is to meet; None of another study."""
        return self.study if isinstance(self.study, Requirement) else None

    @property
    def planned(self) -> int | None:
        """How many trials were planned at least; None of what ends when it is settled."""
        return self.rounds * len(self.cases) if isinstance(self.study, Survey | Repeated) else None


class Stored(Record, frozen=True):
    """A run as it is stored, with what its trials say and its pings, in the order in which they came."""

    run: Run
    observations: tuple[Observation, ...]
    pings: tuple[ReferencePing, ...]


class Host(Record, frozen=True):
    """A host of a fleet, however many workers it has.

    Attributes:
        key: a digest of its machine id and its boot id, which tells it from other hosts.
        machine: a digest of its boot id alone: containers of one machine share it.
        name: what it calls itself.
        address: of the worker that measures for it.
        version: of its threadping.
        engine: the versions of Dask and Python there.
    """

    key: Word
    machine: Word
    name: Word
    address: Word
    version: Word
    engine: Word


class Member(Record, frozen=True):
    """What became of a host in a fleet: the number of its run, or why there is none; `note` is of both.

    Where pairs of hosts are measured, `peer` is the far end.
    """

    host: Host
    run: Count | None = None
    problem: Sentence | None = None
    note: Sentence | None = None
    peer: Host | None = None

    @property
    def key(self) -> str:
        """What tells it from the others of its fleet."""
        return f"{self.host.key} {self.peer.key}" if self.peer else self.host.key

    @property
    def name(self) -> str:
        """Name it for a person: the host, or both ends."""
        return f"{self.host.name} to {self.peer.name}" if self.peer else self.host.name

    @property
    def machines(self) -> frozenset[str]:
        """Where nothing else may measure at the same time."""
        return frozenset(one.machine for one in (self.host, self.peer) if one)


class Fleet(Record, frozen=True):
    """One question put to many hosts. `id` is 0 until the store gives it one; `started` is ISO 8601, UTC.

    Attributes:
        started: when it was put, by the clock of the host that put it.
        scheduler: the address of Dask's scheduler.
        words: the command that every host carries out, with its options.
        budget_s: how long each measures.
        version: of the threadping that asked.
        transport: of the messages between every two hosts, `tcp` or `udp`; empty where each measures by itself.
    """

    started: Moment
    scheduler: Word
    words: Annotated[tuple[Sentence, ...], Meta(max_length=10_000)]
    budget_s: Seconds
    version: Word
    transport: Word = ""
    id: Count = 0


class TrialBegins(Record, frozen=True):
    """An event: a trial of this case, in this round of so many, is about to begin.

    `done` of `trials` have ended, those of cases that are given up not among them; `left_s` is how many seconds the
    others will take, by what trials have taken so far. Of a `side` of a comparison rounds are blocks, and all these
    numbers what there will be at most.
    """

    case: Case
    round: int
    rounds: int
    done: int
    trials: int
    left_s: float
    side: Side | None = None


class TrialEnded(Record, frozen=True):
    """An event: a trial has ended, and is stored."""

    trial: Trial
    observation: Observation


class PingTaken(Record, frozen=True):
    """An event: a pair of CPUs was pinged, which is stored; `waits` while a state is waited for."""

    ping: ReferencePing
    waits: bool = False


class Note(Record, frozen=True):
    """An event: something about the run as a whole that is kept with it."""

    text: str


class RunEnded(Stored, frozen=True):
    """The last event of a run: how it ended; what was seen, stored or not; the problem, if there is one."""

    problem: ThreadpingError | None


Event = TrialBegins | TrialEnded | PingTaken | Note | RunEnded


def is_same(one: Machine, other: Machine) -> bool:
    """Whether two descriptions are of one machine, or of its like: by what neither drifts nor is a name."""
    return _kind_of(one) == _kind_of(other)


def _kind_of(machine: Machine) -> object:
    return machine.cpu_model, machine.kernel, machine.hypervisor, machine.topology.cpus
