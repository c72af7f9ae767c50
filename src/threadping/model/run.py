"""A plan carried out on one machine: what it tells while it measures, and what is needed to judge and to resume it."""

from typing import Annotated, Literal

from msgspec import Meta, field

from threadping.model.bounds import Finite, Moment, MomentIfKnown, Nanoseconds, Record, Seconds, Sentence, Share, Word
from threadping.model.cases import Case, Pair, Runtime, Side, Skipped
from threadping.model.contract import FIRST_VERSION, Count, Distribution, OutliersRequest, Request, Result, Topology
from threadping.model.errors import ThreadpingError
from threadping.model.studies import StudyQuestion, Survey


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

    `others` is the share of its CPUs' time that other programs used; None where the kernel does not report it.
    `side` is the one of a comparison for which it was measured; `round` is then the block, of which 0 is thrown away.
    `beside` is how many other trials were measured at the same time, on other CPUs. `spent` says where in its run it
    stood; `throttled_ns` is how long the quota of a control group stopped threads meanwhile, the sum over CPUs; None
    where no group tells.
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
    throttled_ns: Count | None = None


class ReferencePing(Record, frozen=True):
    """The core-to-core latency of two CPUs at a moment: a very short ping by the C++ probe."""

    cpus: Pair
    # when it ended, in seconds since 1970
    at: Annotated[float, Meta(ge=0, lt=4_102_444_800)]  # the year 2100
    trials: Count  # how many trials of its run had ended by then
    # one way, over its lines the mean of the middle half of their median blocks; None where it failed
    ns: Annotated[float, Meta(gt=0, le=1e15)] | None
    # of its single round trips, not halved; None where the samples do not carry it
    round_trip_p99_ns: Nanoseconds | None = None
    round_trip_max_ns: Nanoseconds | None = None  # the longest of them
    wall_ns: Count = 0  # what it took, with the start of its process
    failure: Sentence | None = None  # why it has no figure


class PingLine(Record, frozen=True):
    """A reference ping in a series, as `threadping ping` shows it."""

    ping: ReferencePing
    seq: int  # of which interval, from 1
    after_s: float  # how many seconds after the first interval that one began
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


class Observation(Record, frozen=True):
    """The figures of one trial, from which all rows are made: by name, absent if unknown.

    A trial that ended without anything that can be counted has neither figures nor a failure. `form` is the version of
    the readings by which it was made; one of an older form is made anew from the trial's result. `started` is ISO 8601;
    `lacking` is what its probe could not see of outliers, a sentence each; `caused` the durations (ns) of the outliers
    that it did look at, by distribution and cause; `others` is the share of its CPUs' time that other programs used;
    `side` the one of a comparison for which it was measured, in the block `round`; `beside` how many other trials were
    measured at the same time; `throttled_ns` how long a quota stopped threads meanwhile, the sum over CPUs.
    """

    round: Count
    position: Count
    case: Case
    failure: Failure | None
    wall_ns: Count
    figures: Annotated[dict[Word, Finite], Meta(max_length=1_000)] = field(default_factory=dict)
    distributions: Annotated[dict[Word, Distribution], Meta(max_length=100)] = field(default_factory=dict)
    form: Count = 0
    started: MomentIfKnown = ""
    lacking: Annotated[tuple[Sentence, ...], Meta(max_length=1_000)] = ()
    caused: Annotated[dict[Word, dict[Word, tuple[Count, ...]]], Meta(max_length=100)] = field(default_factory=dict)
    others: Share | None = None
    side: Side | None = None
    beside: Count = 0
    throttled_ns: Count | None = None


RunStatus = Literal["running", "complete", "interrupted", "failed"]


class Machine(Record, frozen=True):
    """The machine of a run; None where it does not tell.

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


NOBODY = Owner("", "", 0, 0)  # of a run measured elsewhere: its process means nothing here


class Premises(Record, frozen=True):
    """Inputs of a run's plan that no other field has: with them the run can be resumed.

    Of cases that are all alike in something it is stored once.
    """

    # of each runtime what a start takes, in seconds, and whether it compiles as it runs
    starts: dict[str, tuple[float, bool]]
    start_s: tuple[float, ...]  # for each case what a trial takes besides warm-up and measuring
    lengths: tuple[tuple[float, float], ...]  # for each case its warm-up and what it measures, in seconds
    longest: tuple[float, ...]  # for each case the warm-up that it may have where others leave it time
    outliers: OutliersRequest | None  # what is looked into
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
    None while it runs, or where that is not known. `until` is how well each figure was to be known, as a share of it;
    None where that was not asked for. `versions` are those of its mechanisms,
    by experiment, mechanism and language: `lock mutex rust`; of what stands nowhere there it is the first. `loops` are
    digests of their timed loops as they were compiled, by experiment, mechanism and runtime; of what stands nowhere
    there nothing is known. `left_out` are cases that were asked for by name, for which the budget had no room.
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
        return self.versions.get(f"{case.experiment} {case.mechanism} {probe}", FIRST_VERSION)

    def loop_of(self, case: Case) -> str:
        """Return the digest of the timed loops of a case's mechanism in its runtime; empty if unknown."""
        return self.loops.get(f"{case.experiment} {case.mechanism} {case.runtime}", "")

    @property
    def imported(self) -> bool:
        """Return whether it was measured elsewhere."""
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
    """A run as it is stored, with what its trials say and its pings, in the order in which they came."""

    run: Run
    observations: tuple[Observation, ...]
    pings: tuple[ReferencePing, ...]


def is_same(one: Machine, other: Machine) -> bool:
    """Return whether two descriptions are of one machine, or of its like: by what neither drifts nor is a name."""
    return _kind_of(one) == _kind_of(other)


def _kind_of(machine: Machine) -> object:
    return machine.cpu_model, machine.kernel, machine.hypervisor, machine.topology.cpus


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
    """The last event of a run: how it ended; what was seen, stored or not; the problem, if there is one.

    `unstored` are the trials, the last ones, that its store did not take.
    """

    problem: ThreadpingError | None
    unstored: tuple[Trial, ...] = ()


Event = TrialBegins | TrialEnded | PingTaken | Note | RunEnded
