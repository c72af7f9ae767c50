"""What is measured next: a schedule says it, and learns from every trial. One of rounds, the usual one, stands here."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from threadping.analysis.states import alike
from threadping.contract import Result
from threadping.model import Observation, Side
from threadping.plan.length import Length
from threadping.plan.pacing import Pacing
from threadping.plan.rounds import Plan

Levels = tuple[float, ...]
"""How far the pairs of CPUs of a case are apart by their last pings (ns); empty where that is not known of each."""


class Turn(Struct, frozen=True):
    """The trial that is measured next.

    Attributes:
        case: its place in the plan.
        round: in which round, or block.
        rounds: of how many at most.
        needs_s: it begins only if so many seconds of the budget are left; 0 where it is measured in any case.
        side: of a comparison.
    """

    case: int
    round: int
    rounds: int
    needs_s: float = 0.0
    side: Side | None = None


Batch = tuple[Turn, ...]
"""Trials that are measured at once, one for most schedules; none of them share a CPU."""


class Ended(Struct, frozen=True):
    """A trial that has ended: what was seen, what it cost with its pings (s), and its CPUs before and after it.

    Of several that were measured at once each cost its share.
    """

    observation: Observation
    result: Result | None
    wall_s: float
    before: Levels
    after: Levels


class Schedule(ABC):
    """What the runner asks. Cases are named by their places in the plan."""

    def __init__(self, plan: Plan, seconds: float) -> None:
        """Begin with a plan, and with the seconds that the whole is to take."""
        self.plan, self.seconds = plan, seconds
        self.given_up: set[int] = set()

    @abstractmethod
    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """What is measured next, none of the cases that wait for a state; nothing where none is left.

        `levels` tells of a case how its CPUs stand now.
        """

    def length(self, case: int) -> Length:
        """How long the next trial of a case is: as planned."""
        return self.plan.lengths[case]

    @abstractmethod
    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        """Learn from a trial; so many seconds are left of what the whole was to take."""

    def give_up(self, case: int) -> None:
        """Measure a case no more."""
        self.given_up.add(case)

    @abstractmethod
    def left(self) -> tuple[int, float]:
        """How many trials are to come at most, and what they take in seconds."""

    def cut_short(self) -> str | None:
        """What to note where the budget ends it; None where that is as it should be."""
        return None


class Rounds(Schedule):
    """Every case once in each round, in random order; what is left of the budget goes to warm-ups."""

    def __init__(self, plan: Plan) -> None:
        """Begin with a plan."""
        super().__init__(plan, plan.seconds)
        self._pacing = Pacing(plan)
        self._measured = [0] * len(plan.cases)
        self._levels: list[list[Levels]] = [[] for _ in plan.cases]
        self._left_s = plan.seconds

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """The next trial of the round; those of the first one are measured whatever they take."""
        here = [self._in_this_state(case, levels(case)) for case in range(len(self._measured))]
        case = self.plan.next_case(self._measured, here, self.given_up | set(waiting))
        if case is None:
            return ()
        needs_s = self._pacing.expected_s(case) if self._measured[case] else 0.0
        return (Turn(case, self._measured[case] + 1, self.plan.rounds, needs_s),)

    def length(self, case: int) -> Length:
        """As the pacing has it."""
        return self._pacing.length(case)

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        """Remember the state of the trial and its cost; after a round share out what is left of the budget."""
        self._measured[turn.case] += 1
        if trial.after and len(trial.before) == len(trial.after) and all(map(alike, trial.before, trial.after)):
            self._levels[turn.case].append(trial.after)
        self._pacing.ended(turn.case, trial.wall_s, trial.result)
        trials, self._left_s = self._trials_left(), left_s
        if len({left for left in trials if left}) == 1:
            self._pacing.share_out(trials, left_s)

    def left(self) -> tuple[int, float]:
        """By what trials have taken so far; what they leave of the first round's time will be shared out."""
        trials = self._trials_left()
        return sum(trials), self._pacing.left_s(trials, 0.0 if all(self._measured) else self._left_s)

    def cut_short(self) -> str | None:
        """In how many rounds it ended."""
        rounds = f"{min(self._measured)} of {self.plan.rounds} rounds"
        return f"Ended with its budget after {rounds}: trials took longer than planned."

    def _in_this_state(self, case: int, now: Levels) -> int:
        """How many trials a case has had while its CPUs were as now; all of them where that is not known."""
        return sum(all(map(alike, one, now)) for one in self._levels[case]) if now else self._measured[case]

    def _trials_left(self) -> Sequence[int]:
        measured = enumerate(self._measured)
        return [0 if case in self.given_up else self.plan.rounds - had for case, had in measured]
