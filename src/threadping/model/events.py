"""What a run tells while it measures, in the order in which it happens."""

from threadping.errors import ThreadpingError
from threadping.model.bounds import Record
from threadping.model.cases import Case, Side
from threadping.model.run import Stored
from threadping.model.trials import Observation, ReferencePing, Trial


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
