"""The plan of an advice, and its schedule: every way of waiting once, then the cheapest that may meet the requirement.

What a requirement rules out is measured no more; it ends when more trials would not change the advice.
"""

import random
from collections.abc import Callable, Collection, Sequence
from statistics import fmean

from msgspec.structs import replace

from threadping import quantities
from threadping.model.cases import Case, Skipped
from threadping.model.studies import Requirement
from threadping.model.trials import Observation
from threadping.plan.budget import PLANNED, Budget, Cost, too_much
from threadping.plan.length import Length
from threadping.plan.plan import Plan
from threadping.plan.schedule import Batch, Ended, Levels, Schedule, Turn
from threadping.studies.advise.advice import below_the_clock
from threadping.studies.advise.floor import floor_of
from threadping.studies.advise.judging import FEW, FEWEST_SURE, JudgedWay, judge_way, next_way

MOST_TRIALS = 240
"""So many trials of one way at most: what they leave open is too close to call."""

SCREENING, ROUNDING_S = 0.5, 1e-6
"""The share of a budget that the first trials of all ways may take, and by what their sum may be off: they are
shortened until they take just that, and where the sum was rounded up the last way was left out."""

LEAST_MEASURE_S, LEAST_MESSAGES, LEAST_BURSTS = 0.1, 20, 2
"""What a first trial measures at least: so many messages carry a median, and to miss a p99 by that is to miss it; of a
single burst it may see nothing."""


def plan_search(cases: Sequence[Case], budget: Budget, required: Requirement) -> tuple[Plan, tuple[Skipped, ...]]:
    """Plan the first trials, as short as may be where the budget is; what it cannot carry is left out, the last first.

    Args:
        cases: the ways of waiting, the most wanted first.
        budget: what all of it may take; to look into outliers takes time of the receiver.
        required: what they are to meet.

    Raises:
        BudgetTooSmall: there is no time to be sure of any way.
    """
    costs = [budget.cost(case) for case in cases]
    sure_s = min(FEWEST_SURE * (one.start_s + _balanced(one).seconds) for one in costs)
    budget.refuse_unless_it_carries(sure_s, f"{FEWEST_SURE} trials of one way of waiting at this rate")
    measured = sum(one.lengths.least.measure_s for one in costs)
    room_s = SCREENING * budget.seconds - sum(one.least - one.lengths.least.measure_s for one in costs)
    least_s = max(LEAST_MEASURE_S, LEAST_MESSAGES / required.rate, LEAST_BURSTS * required.burst / required.rate)
    screens = [_shorter(one.lengths.least, room_s / measured, least_s) for one in costs]
    takes = [one.start_s + screen.seconds for one, screen in zip(costs, screens, strict=True)]
    most_s = SCREENING * budget.seconds + ROUNDING_S
    kept = max(1, sum(sum(takes[: place + 1]) <= most_s for place in range(len(cases))))
    plan = budget.plan(dict(zip(cases[:kept], costs, strict=False)), screens[:kept], MOST_TRIALS)
    if kept == len(cases):
        return plan, ()
    left = len(cases) - kept
    return plan, (too_much(f"{quantities.counted(left, 'way')} of waiting", left, PLANNED * sum(takes) / SCREENING),)


class Search(Schedule):
    """The schedule: the first trials in random order, then the way that decides."""

    def __init__(self, plan: Plan, budget: Budget, required: Requirement) -> None:
        """Look for the cheapest of the ways of a plan."""
        super().__init__(plan, budget.seconds)
        self._required, self._left_s = required, budget.seconds
        self._trials: list[list[Observation]] = [[] for _ in plan.cases]
        self._ways: dict[int, JudgedWay] = {}
        self._order = _floor_first(plan)
        costs = [budget.cost(case) for case in plan.cases]
        self._settled = [_balanced(one) for one in costs]
        self._took = [[one.start_s + length.seconds] for one, length in zip(costs, self._settled, strict=True)]

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """The next first trial; then the way that is the cheapest that may meet the requirement."""
        if below_the_clock([one for of_it in self._trials for one in of_it], self._required) is not None:
            return ()
        if self._is_hopeless():
            return ()
        first = next((case for case in self._screening() if case not in waiting), None)
        if first is not None:
            return (Turn(first, 1, MOST_TRIALS, self._first_s(first)),)
        tried = [case for case in sorted(self._ways) if case not in self.given_up]  # of equal ones the most wanted
        place = next_way([self._ways[case] for case in tried], self._required, MOST_TRIALS)
        if place is None:
            return ()
        case = tried[place]
        if case in waiting:
            return ()
        return (Turn(case, len(self._trials[case]) + 1, MOST_TRIALS, fmean(self._took[case])),)

    def length(self, case: int) -> Length:
        """Short at first; then as long as a trial takes besides."""
        return self._settled[case] if self._trials[case] else self.plan.lengths[case]

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        """Learn from a trial whether its way can still meet the requirement."""
        if self._trials[turn.case]:
            self._took[turn.case] = [*self._took[turn.case], trial.wall_s][-3:]
        trials = self._trials[turn.case]
        trials.append(trial.observation)
        self._ways[turn.case] = judge_way(self.plan.cases[turn.case], trials, self._required, told=False)
        self._left_s = left_s

    def left(self) -> tuple[int, float]:
        """All first trials, and as many as the budget has room for."""
        screening = self._screening()
        first_s = sum(map(self._first_s, screening))
        rest_s = max(0.0, self._left_s - first_s)
        return len(screening) + int(rest_s / fmean(took for of_it in self._took for took in of_it)), self._left_s

    def _is_hopeless(self) -> bool:
        """Whether the sender by itself is late for more messages than may be, and no way is in time by chance."""
        if any(one.verdict == "meets" or one.is_within(self._required) for one in self._ways.values()):
            return False
        seen = [one for of_it in self._trials for one in of_it]
        return floor_of(self.plan.cases, seen, self._required) is not None

    def _screening(self) -> list[int]:
        return [case for case in self._order if not self._trials[case] and case not in self.given_up]

    def _first_s(self, case: int) -> float:
        return self.plan.start_s[case] + self.plan.lengths[case].seconds


def _floor_first(plan: Plan) -> list[int]:
    """All cases in random order, but first so many of each kind of way that their senders tell of the floor."""
    drawn = random.Random(f"{plan.seed}/search").sample(range(len(plan.cases)), len(plan.cases))
    kinds = ([case for case in drawn if plan.cases[case].blocking is sleeps] for sleeps in (False, True))
    return list(dict.fromkeys([*(case for kind in kinds for case in kind[:FEW]), *drawn]))


def _balanced(cost: Cost) -> Length:
    """What a further trial lasts: it measures as long as it takes besides, within what its experiment says.

    What decides is the share of late messages over trials, so a trial need not carry a p99 by itself, and bad trials
    are seen the sooner, the more trials there are.
    """
    least, settled = cost.lengths.least, cost.lengths.settled
    measure_s = min(settled.measure_s, max(least.measure_s, cost.start_s + settled.warmup_s))
    return Length(settled.warmup_s, measure_s)


def _shorter(length: Length, share: float, least_s: float) -> Length:
    """This share of what is measured, if that is less, but not less than so many seconds."""
    return replace(length, measure_s=min(length.measure_s, max(least_s, share * length.measure_s)))
