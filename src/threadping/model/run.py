"""The stored records: a study's question, a run with its trials and pings, a fleet; and the events of a run."""

from operator import attrgetter
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from threadping.model import contract, errors, quantities
from threadping.model.base import (
    MOST_CPUS_STORED,
    Finite,
    Moment,
    MomentIfKnown,
    Nanoseconds,
    Record,
    Seconds,
    Sentence,
    Share,
    Word,
)
from threadping.model.cases import Case, Pair, Runtime, Side, Skipped


class StoredQuestion(Record, frozen=True, tag_field="study"):
    """The stored question of a study: the fields that every study has."""

    stands_alone: ClassVar[bool] = False  # whether its rows must not be compared with those of other runs
    in_rounds: ClassVar[bool] = False  # whether it measures every case in each round, so that its trials are planned

    @property
    def name(self) -> str:
        """Return its name in a list of runs, before the experiments; empty where rows are the answer."""
        return "" if isinstance(self, Survey) else str(self.__struct_config__.tag)

    @property
    def pattern(self) -> Case | None:
        """Return the pattern of cases that follow from it and are not stored; None if they are stored."""
        return None

    @property
    def cases(self) -> int:
        return 0

    @property
    def compared(self) -> "Comparing | None":
        """Return the comparison in blocks; None if there is none."""
        return None


class Survey(StoredQuestion, frozen=True, tag="survey"):
    """A run that shows its rows."""

    in_rounds: ClassVar[bool] = True


class Repeated(StoredQuestion, frozen=True, tag="reproduce-articles"):
    """A run that repeats what these published articles measured; none named for all."""

    in_rounds: ClassVar[bool] = True
    articles: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()


class Comparing(StoredQuestion, frozen=True, tag="compare"):
    """The question of a comparison in blocks."""

    stands_alone: ClassVar[bool] = True

    what: Word  # in what the sides differ: `runtime`, `mechanism`, a parameter; empty of a thing and itself
    a: Word  # the first side's runtime, mechanism or value
    b: Word  # the second side's
    # of the run's cases those that are compared, by their places: A's and B's
    pairs: Annotated[tuple[tuple[contract.Count, contract.Count], ...], Meta(max_length=10_000)]
    metric: Word  # which figure, as `--metric` names it
    margin: Annotated[float, Meta(ge=0, le=1_000)]  # a difference that does not matter, as a share

    @property
    def compared(self) -> "Comparing":
        return self


class Pairing(StoredQuestion, frozen=True, tag="matrix"):
    """The question of a matrix: its cases follow from it, and are not stored with it."""

    case: Case  # of the first two CPUs; the others differ from it in these alone
    cpus: Annotated[tuple[contract.CpuNumber, ...], Meta(min_length=2, max_length=MOST_CPUS_STORED)]  # by number
    # where the lines are made: at the `first` CPU of a pair, at the `second`, or on a node
    homes: Annotated[tuple[Word, ...], Meta(min_length=1, max_length=100)]
    directions: bool  # whether each pair is measured in both: ping and pong change places

    @property
    def pattern(self) -> Case:
        return self.case

    @property
    def variants(self) -> int:
        """The number of cases of two CPUs: one for each home and direction."""
        return len(self.homes) * (2 if self.directions else 1)

    @property
    def cases(self) -> int:
        return len(self.cpus) * (len(self.cpus) - 1) // 2 * self.variants


class Requirement(StoredQuestion, frozen=True, tag="recommend-wait"):
    """The requirement of a wait strategy."""

    rate: Annotated[int, Meta(ge=1, le=10**12)]  # messages a second
    p99_ns: Nanoseconds  # the most that the 99th percentile of their latency may be, from when they are due
    # the most CPU time of the waiting thread, in per cent of a core; None where it may take all
    cpu_percent: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    system: Word = ""  # whose configuration is asked for, as `--for` names it; empty for none
    arrivals: Word = "constant"  # when messages are due: `constant`, `poisson` or `bursts`
    burst: Annotated[int, Meta(ge=1, le=10**12)] = 1  # how many are due at once; 1 where they come one by one
    # how many threads are let go at once, where rounds of a barrier are asked about; 0: messages are
    workers: Annotated[int, Meta(ge=0, le=4095)] = 0
    # how many jobs each of these rounds has; 0 is one for each worker
    jobs: Annotated[int, Meta(ge=0, le=1_000_000)] = 0

    @property
    def experiment(self) -> str:
        return "barrier" if self.workers else "load"

    @property
    def noun(self) -> str:
        return "rounds" if self.workers else "messages"

    @property
    def schedule(self) -> dict[str, str]:
        """The parameters that say when messages, or rounds, are due."""
        if self.workers:
            return {"pause": str(round(1e6 / self.rate)), "pacing": "period", "jobs": str(self.jobs)}
        burst = {"burst": str(self.burst)} if self.arrivals == "bursts" else {}
        return {"rate": str(self.rate), "arrivals": self.arrivals, **burst}

    @property
    def text(self) -> str:
        """Say it for a person: `a p99 of 20.0 µs at 10k/s (bursts of 50) with 20% of a core`."""
        come = {"poisson": " (Poisson arrivals)", "bursts": f" (bursts of {self.burst})"}.get(self.arrivals, "")
        cpu = f" with {self.cpu_percent:.3g}% of a core" if self.cpu_percent else ""
        p99 = f"a p99 of {quantities.time(self.p99_ns)}"
        if self.workers:
            jobs = f" have done {quantities.counted(self.jobs, 'job')}" if self.jobs else " are done"
            workers = f"until {quantities.counted(self.workers, 'worker')}{jobs}"
            return f"{p99} {workers}, {quantities.compact(self.rate)} times a second{cpu}"
        return f"{p99} at {quantities.compact(self.rate)}/s{come}{cpu}"


class QueueChoice(StoredQuestion, frozen=True, tag="recommend-queue"):
    """A run that says which queue to take: all of its cases are of `queue`, and say where and how they were asked."""

    in_rounds: ClassVar[bool] = True


Purpose = Literal["latency", "benchmark", "realtime"]  # purposes of a check-up


class Checkup(StoredQuestion, frozen=True, tag="doctor"):
    """The purpose of a check-up, and the files' signs when it began."""

    stands_alone: ClassVar[bool] = True
    in_rounds: ClassVar[bool] = True

    purpose: Purpose = "latency"  # by which limits it is judged: `latency`, `benchmark` or `realtime`
    limit_ns: Nanoseconds | None = None  # how late a thread may be; None where the purpose says it
    # what files said, by name
    signs: Annotated[dict[Word, Finite | Word], Meta(max_length=50_000)] = field(default_factory=dict)
    unseen: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()  # what could not be looked at
    before: contract.Count = 0  # the run that it is held against; 0 for none
    # of that run what every trial said of each effect, by its name
    effects_before: Annotated[dict[Word, tuple[Finite, ...]], Meta(max_length=1_000)] = field(default_factory=dict)


class SelfTest(StoredQuestion, frozen=True, tag="self-test"):
    """A run that checks threadping itself: what it measures must grow by what was planted."""

    stands_alone: ClassVar[bool] = True
    in_rounds: ClassVar[bool] = True


class OtherTool(StoredQuestion, frozen=True, tag="reproduce-tool"):
    """A run that repeats the numbers of another tool, of this name."""

    tool: Word


class CpuChoice(StoredQuestion, frozen=True, tag="recommend-cpus"):
    """The CPUs chosen for threads by core-to-core latency, and the comparison with the scheduler's choice."""

    stands_alone: ClassVar[bool] = True

    shape: Word  # which of the threads exchange something, as `--of` names it
    # a CPU for each thread, in their order
    cpus: Annotated[tuple[contract.CpuNumber, ...], Meta(min_length=2, max_length=MOST_CPUS_STORED)]
    # the CPUs among which these were chosen, by number
    considered: Annotated[tuple[contract.CpuNumber, ...], Meta(min_length=2, max_length=MOST_CPUS_STORED)]
    # which two CPUs exchange something, and how far they are apart, one way
    exchanges: Annotated[
        tuple[tuple[contract.CpuNumber, contract.CpuNumber, Nanoseconds], ...], Meta(max_length=1_000_000)
    ]
    cost_ns: Nanoseconds  # what the shape costs there: of most the mean of these, of a barrier the farthest
    # the same of CPUs that are drawn at random, the median; None where there is nothing to choose
    usual_ns: Nanoseconds | None
    # of how many pairs of those that were considered the latency is known; the others are as their like
    known: contract.Count
    matrix: Word  # where that is from, in words
    # what was left out of consideration, and what else is to be known of these CPUs, a sentence each
    notes: Annotated[tuple[Sentence, ...], Meta(max_length=100)]
    comparing: Comparing  # left to the scheduler, which is A, against pinned there, which is B

    @property
    def compared(self) -> Comparing:
        return self.comparing


StudyQuestion = (  # its tag names the study
    Survey | Comparing | Pairing | Requirement | Repeated | QueueChoice | OtherTool | Checkup | SelfTest | CpuChoice
)


class Failure(Record, frozen=True):
    """Why a trial has no result: a code (the contract's, or `crashed`, `hung`, `garbage`, …) and a sentence."""

    code: Word
    message: Sentence


class Spent(Record, frozen=True):
    """Seconds of a run's budget spent at three moments of a trial, interruptions left out."""

    free: float  # when what was measured before it had been learned from
    begun: float  # when the pings before it began: later, where a state was waited for
    ended: float  # when it had ended, before the pings after it


class Trial(Record, frozen=True):
    """One case measured once, in one fresh process: exactly one of `result` and `failure` is set.

    `others` is the share of its CPUs' time that other programs used; None where the kernel does not report it. `side`
    is A or B of a comparison; `round` is then the block, and block 0 is discarded. `concurrent` is the number of other
    trials measured at the same time, on other CPUs. `spent` is its position in the run; `throttled_ns` is how long the
    quota of a control group stopped threads meanwhile, summed over CPUs; None if no group reports it.
    """

    round: contract.Count
    position: contract.Count
    case: Case
    request: contract.Request
    result: contract.Result | None
    failure: Failure | None
    log: str
    started: str
    wall_ns: contract.Count
    others: Share | None = None
    side: Side | None = None
    concurrent: contract.Count = 0
    spent: Spent | None = None
    throttled_ns: contract.Count | None = None


class ReferencePing(Record, frozen=True):
    """The core-to-core latency of two CPUs at a moment: a very short ping, by the C++ probe or within a trial."""

    cpus: Pair
    # when it ended, in seconds since 1970
    at: Annotated[float, Meta(ge=0, lt=4_102_444_800)]  # the year 2100
    trials: contract.Count  # how many trials of its run had ended by then
    # one way, over its lines the mean of the middle half of their median blocks; None where it failed
    ns: Annotated[float, Meta(gt=0, le=1e15)] | None
    # of its single round trips, not halved; None where the samples do not carry it
    round_trip_p99_ns: Nanoseconds | None = None
    round_trip_max_ns: Nanoseconds | None = None  # the longest of them
    wall_ns: contract.Count = 0  # what it took besides trials, with the start of its process
    within: bool = False  # its trial's own process took it, right before or after it measured
    failure: Sentence | None = None  # why it has no figure


class PingLine(Record, frozen=True):
    """A reference ping in a series, as `threadping ping` shows it."""

    ping: ReferencePing
    seq: int  # the number of its interval, from 1
    after_s: float  # seconds from the start of the first interval to the start of this one
    # the ping of a moment before, which was unlike those before it, so that it was taken again
    disturbed: ReferencePing | None = None
    changed_from: float | None = None  # how far the pair was apart before (ns), where its state changed


class State(Record, frozen=True):
    """Pings of a pair that belong together: how it stood for a while."""

    cpus: Pair
    core_to_core_ns: float  # its name, their median
    range: tuple[float, float]  # the least and the most of them
    share: float  # of the time in which the pair was watched
    pings: int  # how many they are
    # how long it held each time, in order; the first and the last time it may have held for longer
    dwell_s: tuple[float, ...] = ()

    @property
    def lasted(self) -> bool:
        """Return whether it was more than a moment: three pings, over half a second or more."""
        return self.pings >= 3 and sum(self.dwell_s) >= 0.5


Caused = tuple[contract.Count, Annotated[float, Meta(ge=0, le=1e12)]]
"""The duration (ns) of an outlier, and how many it represents."""


class Observation(Record, frozen=True):
    """The figures of one trial, from which all rows are made: by name, absent if unknown.

    A trial that ended without anything that can be counted has neither figures nor a failure. `form` is the version of
    the readings by which it was made; one of an older form is made anew from the trial's result. `started` is ISO 8601;
    `lacking` are the causes of outliers that its probe could not see, a sentence each; `caused` is a random sample of
    its outliers, by distribution and cause; `others` is the share of its CPUs' time that other programs used; `side` is
    A or B of a comparison, in the block `round`; `concurrent` the number of other trials measured at the same time;
    `throttled_ns` how long a quota stopped threads meanwhile, summed over CPUs.
    """

    round: contract.Count
    position: contract.Count
    case: Case
    failure: Failure | None
    wall_ns: contract.Count
    figures: Annotated[dict[Word, Finite], Meta(max_length=1_000)] = field(default_factory=dict)
    distributions: Annotated[dict[Word, contract.Distribution], Meta(max_length=100)] = field(default_factory=dict)
    form: contract.Count = 0
    started: MomentIfKnown = ""
    lacking: Annotated[tuple[Sentence, ...], Meta(max_length=1_000)] = ()
    caused: Annotated[dict[Word, dict[Word, tuple[Caused, ...]]], Meta(max_length=100)] = field(default_factory=dict)
    others: Share | None = None
    side: Side | None = None
    concurrent: contract.Count = 0
    throttled_ns: contract.Count | None = None


RunStatus = Literal["running", "complete", "interrupted", "failed"]


class Machine(Record, frozen=True):
    """The machine of a run; None where it does not tell. `idle_states` are of the first CPU, the deepest last."""

    hostname: Word
    cpu_model: Word | None
    kernel: Word
    os: Word | None
    hypervisor: Word | None
    governor: Word | None
    clock_source: Word | None
    cpu_quota: Annotated[float, Meta(ge=0, le=1e9)] | None
    memory_bytes: contract.Count | None
    topology: contract.Topology
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


NOBODY = Owner("", "", 0, 0)  # of a run measured elsewhere: its process means nothing here


class Premises(Record, frozen=True):
    """Inputs of a run's plan that no other field has, to resume it; what all cases share is stored once."""

    # of each runtime what a start takes, in seconds, and whether it compiles as it runs
    starts: dict[str, tuple[float, bool]]
    start_s: tuple[float, ...]  # for each case what a trial takes besides warm-up and measuring
    lengths: tuple[tuple[float, float], ...]  # for each case its warm-up and what it measures, in seconds
    longest: tuple[float, ...]  # for each case the warm-up that it may have where others leave it time
    outliers: contract.OutliersRequest | None  # what is looked into
    survey: tuple[Pair, ...] = ()  # pairs of CPUs that are pinged before the first trial
    survey_s: float = 0.0  # what that takes
    state: str | None = None  # the one in which alone to measure, as `--state` names it
    fail_above: float | None = None  # of a comparison: by how much B may be slower
    builds: dict[str, str] = field(default_factory=dict)  # of each runtime a digest of its probe
    note: str | None = None  # what was noted when it began
    spare_s: float = 0.0  # what the budget has besides the rounds, for further trials


class Resumed(Record, frozen=True):
    """A resumption of a run."""

    at: str  # when, ISO 8601, UTC
    trials: int  # after how many trials
    pings: int  # after how many pings: the last of these, of no trial that is stored, were taken anew
    restarted: bool = False  # whether its machine had been restarted meanwhile


class Run(Record, frozen=True):
    """A plan carried out on one machine. `id` is 0 until the store gives it one. Times are ISO 8601, UTC.

    `premises` is None of a run that cannot be resumed. `took_s` is how long it measured by a clock that nobody sets;
    None while it runs, or where that is not known. `until` is the wanted half-width of each interval, as a share of its
    value; None if none was asked for. `versions` are those of its mechanisms, by experiment, mechanism and language:
    `lock mutex rust`; a missing one is version 1. `loops` are digests of their compiled timed loops, by experiment,
    mechanism and runtime; a missing one is unknown. `left_out` are cases named by the user that did not fit into the
    budget.
    """

    started: Moment
    machine: Machine
    runtimes: Annotated[tuple[Runtime, ...], Meta(max_length=1_000)]
    cases: Annotated[tuple[Case, ...], Meta(max_length=100_000)]
    skipped: Annotated[tuple[Skipped, ...], Meta(max_length=100_000)]
    rounds: contract.Count
    budget_s: Seconds
    seed: contract.Count
    version: Word
    arguments: Annotated[tuple[Sentence, ...], Meta(max_length=10_000)]
    owner: Owner
    status: RunStatus = "running"
    ended: Moment | None = None
    note: Sentence | None = None
    id: contract.Count = 0
    study: StudyQuestion = Survey()
    premises: Premises | None = None
    resumed: tuple[Resumed, ...] = ()
    took_s: float | None = None
    until: Annotated[float, Meta(gt=0, le=1)] | None = None
    versions: Annotated[dict[Word, Word], Meta(max_length=10_000)] = field(default_factory=dict)
    loops: Annotated[dict[Word, Word], Meta(max_length=100_000)] = field(default_factory=dict)
    left_out: Annotated[tuple[Case, ...], Meta(max_length=100_000)] = ()

    def version_of(self, case: Case) -> str:
        probe = next((one.probe for one in self.runtimes if one.label == case.runtime), case.runtime)
        return self.versions.get(f"{case.experiment} {case.mechanism} {probe}", contract.FIRST_VERSION)

    @property
    def imported(self) -> bool:
        return self.owner.pid == NOBODY.pid

    @property
    def patterns(self) -> tuple[Case, ...]:
        """Return its cases; the common pattern where they follow from its study."""
        return (self.study.pattern,) if self.study.pattern else self.cases

    @property
    def number_of_cases(self) -> int:
        """Return the number of its cases, including those that follow from its study."""
        return len(self.cases) + self.study.cases

    @property
    def planned(self) -> int | None:
        """Return the number of planned trials; None if the study ends when it is settled."""
        return self.rounds * len(self.cases) if self.study.in_rounds else None


class Stored(Record, frozen=True):
    """A stored run, with its observations and its pings, in the order in which they were measured."""

    run: Run
    observations: tuple[Observation, ...]
    pings: tuple[ReferencePing, ...]


_KIND = attrgetter("cpu_model", "kernel", "hypervisor", "topology.cpus")


def is_same(one: Machine, other: Machine) -> bool:
    """Return whether two descriptions are of one machine, or of its like: by what neither drifts nor is a name."""
    return bool(_KIND(one) == _KIND(other))


class TrialBegins(Record, frozen=True):
    """An event: a trial of this case, in this round of several, is about to begin.

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


class RunEnded(Stored, frozen=True):
    """The end of a run: how, what was seen, the problem if any, and the last trials if `unstored`."""

    problem: errors.ThreadpingError | None
    unstored: tuple[Trial, ...] = ()


Event = TrialBegins | TrialEnded | PingTaken


class Host(Record, frozen=True):
    """A host of a fleet, however many workers it has."""

    key: Word  # a digest of its machine id and its boot id, which tells it from other hosts
    machine: Word  # a digest of its boot id alone: containers of one machine share it
    name: Word  # what it calls itself
    address: Word  # of the worker that measures for it
    version: Word  # of its threadping
    engine: Word  # the versions of Dask and Python there


class Member(Record, frozen=True):
    """The result of a host in a fleet: the number of its run, or the reason why there is none."""

    host: Host
    run: contract.Count | None = None
    problem: Sentence | None = None
    note: Sentence | None = None


class Fleet(Record, frozen=True):
    """One question put to many hosts. `id` is 0 until the store gives it one; `started` is ISO 8601, UTC."""

    started: Moment  # when it was put, by the clock of the host that put it
    scheduler: Word  # the address of Dask's scheduler
    # the command that every host carries out, with its options
    words: Annotated[tuple[Sentence, ...], Meta(max_length=10_000)]
    budget_s: Seconds  # how long each measures
    version: Word  # of the threadping that asked
    id: contract.Count = 0
