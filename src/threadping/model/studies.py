"""The stored questions of studies."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from threadping.model import quantities
from threadping.model.bounds import MOST_CPUS_STORED, Finite, Nanoseconds, Record, Sentence, Word
from threadping.model.cases import Case
from threadping.model.contract import Count, CpuNumber
from threadping.model.numbers import compact


class StoredQuestion(Record, frozen=True, tag_field="study"):
    """The stored question of a study: the fields that every study has."""

    name: ClassVar[str] = ""  # its name in a list of runs, before the experiments; empty where rows are the answer
    stands_alone: ClassVar[bool] = False  # whether its rows must not be compared with those of other runs
    in_rounds: ClassVar[bool] = False  # whether it measures every case in each round, so that its trials are planned

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


class Repeated(StoredQuestion, frozen=True, tag="published"):
    """A run that repeats what these published articles measured; none named for all."""

    name: ClassVar[str] = "published"
    in_rounds: ClassVar[bool] = True
    articles: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()


class Comparing(StoredQuestion, frozen=True, tag="compare"):
    """The question of a comparison in blocks."""

    name: ClassVar[str] = "compare"
    stands_alone: ClassVar[bool] = True

    what: Word  # in what the sides differ: `runtime`, `mechanism`, a parameter; empty of a thing and itself
    a: Word  # the first side's runtime, mechanism or value
    b: Word  # the second side's
    # of the run's cases those that are compared, by their places: A's and B's
    pairs: Annotated[tuple[tuple[Count, Count], ...], Meta(max_length=10_000)]
    metric: Word  # which figure, as `--metric` names it
    margin: Annotated[float, Meta(ge=0, le=1_000)]  # a difference that does not matter, as a share

    @property
    def compared(self) -> "Comparing":
        return self


class Pairing(StoredQuestion, frozen=True, tag="matrix"):
    """The question of a matrix: its cases follow from it, and are not stored with it."""

    name: ClassVar[str] = "matrix"

    case: Case  # of the first two CPUs; the others differ from it in these alone
    cpus: Annotated[tuple[CpuNumber, ...], Meta(min_length=2, max_length=MOST_CPUS_STORED)]  # by number
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


class Requirement(StoredQuestion, frozen=True, tag="advise"):
    """The requirement of a wait strategy."""

    name: ClassVar[str] = "advise"

    rate: Annotated[int, Meta(ge=1, le=10**12)]  # messages a second
    p99_ns: Nanoseconds  # the most that the 99th percentile of their latency may be, from when they are due
    # the most CPU time of the waiting thread, in per cent of a core; None where it may take all
    cpu_percent: Annotated[float, Meta(ge=0, le=1e6)] | None = None
    system: Word = ""  # whose configuration is asked for, as `--for` names it; empty for none
    arrivals: Word = "constant"  # when messages are due: `constant`, `poisson` or `bursts`
    burst: Annotated[int, Meta(ge=1, le=10**12)] = 1  # how many are due at once; 1 where they come one by one
    # how many threads are let go at once, where rounds of a crowd are asked about; 0: messages are
    workers: Annotated[int, Meta(ge=0, le=4095)] = 0
    # how many jobs each of these rounds has; 0 is one for each worker
    jobs: Annotated[int, Meta(ge=0, le=1_000_000)] = 0

    @property
    def experiment(self) -> str:
        return "crowd" if self.workers else "paced"

    @property
    def noun(self) -> str:
        return "rounds" if self.workers else "messages"

    @property
    def schedule(self) -> dict[str, str]:
        """The parameters that say when messages, or rounds, are due."""
        if self.workers:
            return {"pause": str(round(1e6 / self.rate)), "arrivals": "ticks", "jobs": str(self.jobs)}
        burst = {"burst": str(self.burst)} if self.arrivals == "bursts" else {}
        return {"rate": str(self.rate), "arrivals": self.arrivals, **burst}

    @property
    def text(self) -> str:
        """Say it for a person: `a p99 of 20.0 µs at 10k/s (bursts of 50) with 20% of a core`."""
        come = {"poisson": " (Poisson arrivals)", "bursts": f" (bursts of {self.burst})"}.get(self.arrivals, "")
        cpu = f" with {self.cpu_percent:.3g}% of a core" if self.cpu_percent else ""
        if self.workers:
            jobs = f" have done {quantities.counted(self.jobs, 'job')}" if self.jobs else " are done"
            workers = f"until {quantities.counted(self.workers, 'worker')}{jobs}"
            return f"a p99 of {quantities.time(self.p99_ns)} {workers}, {compact(self.rate)} times a second{cpu}"
        return f"a p99 of {quantities.time(self.p99_ns)} at {compact(self.rate)}/s{come}{cpu}"


class WhichQueue(StoredQuestion, frozen=True, tag="which"):
    """A run that says which queue to take: all of its cases are of `ring`, and say where and how they were asked."""

    name: ClassVar[str] = "which"
    in_rounds: ClassVar[bool] = True


Purpose = Literal["latency", "benchmark", "realtime"]  # purposes of a check-up


class Checkup(StoredQuestion, frozen=True, tag="doctor"):
    """The purpose of a check-up, and the files' signs when it began."""

    name: ClassVar[str] = "doctor"
    stands_alone: ClassVar[bool] = True
    in_rounds: ClassVar[bool] = True

    purpose: Purpose  # by which limits it is judged: `latency`, `benchmark` or `realtime`
    limit_ns: Nanoseconds | None = None  # how late a thread may be; None where the purpose says it
    # what files said, by name
    signs: Annotated[dict[Word, Finite | Word], Meta(max_length=50_000)] = field(default_factory=dict)
    unseen: Annotated[tuple[Word, ...], Meta(max_length=1_000)] = ()  # what could not be looked at
    before: Count = 0  # the run that it is held against; 0 for none
    # of that run what every trial said of each effect, by its name
    effects_before: Annotated[dict[Word, tuple[Finite, ...]], Meta(max_length=1_000)] = field(default_factory=dict)


class Instrument(StoredQuestion, frozen=True, tag="instrument"):
    """A run that checks threadping itself: what it measures must grow by what was planted."""

    name: ClassVar[str] = "instrument"
    stands_alone: ClassVar[bool] = True
    in_rounds: ClassVar[bool] = True


class LikeTool(StoredQuestion, frozen=True, tag="like"):
    """A run that repeats the numbers of another tool, of this name."""

    name: ClassVar[str] = "like"

    tool: Word


class Placing(StoredQuestion, frozen=True, tag="place"):
    """The CPUs chosen for threads by core-to-core latency, and the comparison with the scheduler's choice."""

    name: ClassVar[str] = "place"
    stands_alone: ClassVar[bool] = True

    shape: Word  # which of the threads exchange something, as `--of` names it
    # a CPU for each thread, in their order
    cpus: Annotated[tuple[CpuNumber, ...], Meta(min_length=2, max_length=MOST_CPUS_STORED)]
    # the CPUs among which these were chosen, by number
    considered: Annotated[tuple[CpuNumber, ...], Meta(min_length=2, max_length=MOST_CPUS_STORED)]
    # which two CPUs exchange something, and how far they are apart, one way
    exchanges: Annotated[tuple[tuple[CpuNumber, CpuNumber, Nanoseconds], ...], Meta(max_length=1_000_000)]
    cost_ns: Nanoseconds  # what the shape costs there: of most the mean of these, of a crowd the farthest
    # the same of CPUs that are drawn at random, the median; None where there is nothing to choose
    usual_ns: Nanoseconds | None
    known: Count  # of how many pairs of those that were considered the latency is known; the others are as their like
    matrix: Word  # where that is from, in words
    # what was left out of consideration, and what else is to be known of these CPUs, a sentence each
    notes: Annotated[tuple[Sentence, ...], Meta(max_length=100)]
    comparing: Comparing  # left to the scheduler, which is A, against pinned there, which is B

    @property
    def compared(self) -> Comparing:
        return self.comparing

    @property
    def is_only_choice(self) -> bool:
        """Return whether there were no more CPUs than threads."""
        return len(self.considered) == len(self.cpus)


StudyQuestion = (  # its tag names the study
    Survey | Comparing | Pairing | Requirement | Repeated | WhichQueue | LikeTool | Checkup | Instrument | Placing
)
