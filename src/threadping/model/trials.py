"""What was seen: trials and what they say, reference pings, and the states of pairs of CPUs."""

from typing import Annotated

from msgspec import Meta, field

from threadping.model.bounds import Finite, MomentIfKnown, Nanoseconds, Record, Sentence, Share, Word
from threadping.model.cases import Case, Pair, Side
from threadping.model.contract import Count, Distribution, Request, Result


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
