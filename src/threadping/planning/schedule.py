"""Schedules: each decides what is measured next, and learns from every trial.

Of figures that scatter by s and cost c a trial, the sum of the variances of their means is least for a time where each
has trials in proportion to s over the root of c (Neyman, On the two different aspects of the representative method,
Journal of the Royal Statistical Society 97, 1934). Figures are taken as logarithms: what counts is how sure each is as
a share of itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Sequence
from math import dist, log, sqrt
from statistics import fmean
from typing import ClassVar

from msgspec import Struct

from threadping.analysis.states import alike
from threadping.model import contract, quantities
from threadping.model.base import gathered
from threadping.model.cases import Side
from threadping.model.run import Observation
from threadping.planning import defaults
from threadping.planning import plan as plans
from threadping.planning.plan import FIRST_LOOK_S, LOOKS, USUAL_ROUNDS, Pacing, Plan, StoppingRule

TELLING = 2  # trials of each case that show how much it scatters; before that all cases have as many

# Degrees of freedom of a case's kind added to its own: two trials show hardly anything, and a case whose first ones
# agree by chance would get no more. Simulated (`benchmarks.simulated.tables allotted`): standard errors are 0.9 to
# 1.9% above those of known scatters; without it 1.5 to 3.1%.
PRIOR = 2

# Maximum that counts: a mixture of 1.7 and 36 µs scatters by 40% and more, no run is long enough to make it narrow, and
# it would take time from all other cases.
MOST_SCATTER = 0.2
NEGLIGIBLE_S = 1e-9  # time is spent when no more is left


def scatters(of_cases: Sequence[Sequence[Sequence[float]]], kinds: Sequence[Hashable]) -> list[float]:
    """Return each case's standard deviation of the logarithm of its figure, given by state; `kinds` share a prior."""
    own = []  # of each case its variance within states, and the degrees of freedom of that
    for states in of_cases:
        free = sum(len(values) - 1 for values in states if values)
        squares = sum(dist(values, [fmean(values)] * len(values)) ** 2 for values in states if values)
        own.append((squares / free if free else 0.0, free))
    # A wild one does not represent its kind
    known = gathered((kind, min(of, MOST_SCATTER**2)) for kind, (of, free) in zip(kinds, own, strict=True) if free)
    usual = {kind: fmean(variances) for kind, variances in known.items()}
    everywhere = fmean(usual.values()) if usual else 1.0
    return [
        min(MOST_SCATTER, sqrt((free * of_it + PRIOR * usual.get(kind, everywhere)) / (free + PRIOR)))
        for (of_it, free), kind in zip(own, kinds, strict=True)
    ]


def allotted(
    scatter: Sequence[float], cost: Sequence[float], least: Sequence[int], most: int, seconds: float
) -> list[float]:
    """Return the number of trials of each case that is best for `seconds` beyond the `least`."""
    weights = [of_it / sqrt(each) for of_it, each in zip(scatter, cost, strict=True)]
    low, high = 0.0, max((most / weight for weight in weights if weight), default=0.0)
    found, scale, left_s = [*map(float, least)], high, seconds
    while left_s > NEGLIGIBLE_S and high - low > NEGLIGIBLE_S * high:
        trials = [max(few, min(most, scale * weight)) for few, weight in zip(least, weights, strict=True)]
        spare_s = seconds - sum((n - few) * each for n, few, each in zip(trials, least, cost, strict=True))
        if spare_s >= 0:
            found, low, left_s = trials, scale, spare_s
        else:
            high = scale
        scale = (low + high) / 2
    return found


Levels = tuple[float, ...]  # core-to-core latencies of a case's pairs by their last pings (ns); empty if one is unknown


class Turn(Struct, frozen=True):
    """The trial that is measured next."""

    case: int  # its place in the plan
    round: int  # in which round, or block
    rounds: int  # of how many at most
    needs_s: float = 0.0  # seconds of the budget without which it does not begin; 0 if it is measured in any case
    side: Side | None = None  # of a comparison


Batch = tuple[Turn, ...]  # trials measured at once, one for most schedules; none share a CPU


class Ended(Struct, frozen=True):
    """A trial that has ended: its observation, its seconds (of a batch its share), and its CPUs before and after."""

    observation: Observation
    result: contract.Result | None
    wall_s: float
    before: Levels
    after: Levels


class Schedule(ABC):
    """The interface to the runner. Indices of the plan name cases."""

    tries_all: ClassVar[bool] = True  # whether each case must be tried, and losing CPUs ends it

    def __init__(self, plan: Plan, seconds: float) -> None:
        self.plan, self.seconds = plan, seconds
        self.given_up: set[int] = set()

    @abstractmethod
    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """Return the next batch without waiting cases, given the level of each CPU pair; empty if none is left."""

    def length(self, case: int) -> defaults.Length:
        return self.plan.lengths[case]

    @abstractmethod
    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        """Learn from a trial; `left_s` seconds of the whole are left."""

    def give_up(self, case: int) -> None:
        self.given_up.add(case)

    @abstractmethod
    def left(self) -> tuple[int, float]:
        """Return the maximum number of trials to come, and their seconds."""

    def cut_short(self) -> str | None:
        """Return the note on an end by the budget; None if that is as it should be."""
        return None

    def unreached(self) -> str | None:
        """Return the note on an end with unknown requested figures; None if all are known."""
        return None


class Rounds(Schedule):
    """Every case in each round, in random order; what is left of the budget goes to further trials, and to warm-ups.

    After some rounds of all it is known how much each case scatters, and those whose figures are least certain for what
    they cost have several trials in a round: where all have the usual number. A case that is known well enough, where
    that was asked for, has no more.
    """

    def __init__(self, plan: Plan, value: Callable[[Observation], float | None] | None = None) -> None:
        super().__init__(plan, plan.seconds)
        self._value = value
        self._allots = value is not None and plan.rounds >= USUAL_ROUNDS
        self._pacing = Pacing(plan)
        self._measured = [0 for _ in plan.cases]
        self._finished = [0 for _ in plan.cases]
        self._within = [(0, 1) for _ in plan.cases]
        self._levels: list[list[tuple[Levels, float]]] = [[] for _ in plan.cases]
        self._figures: list[dict[Levels, list[float]]] = [{} for _ in plan.cases]
        self._looking = [] if plan.until is None else [StoppingRule(plan.until) for _ in plan.cases]
        self._open = [*range(len(plan.cases))]  # the cases that are measured on, in order
        self._left_s = plan.seconds
        self._most = plans.MOST_ROUNDS if plan.until is None else max(LOOKS)

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """Return the next trial of the round; those of the first round ignore the time left."""
        here = {}  # of each case its rounds in the present state of its CPUs; all if that is unknown
        for case in self._open:
            if case not in waiting:
                now, known = levels(case), self._levels[case]
                in_state = int(sum(share for levels_then, share in known if _alike(levels_then, now)) + WHOLE_ROUND)
                here[case] = in_state if now else self._finished[case]
        case = self.plan.next_case(self._finished, here, self._within)
        if case is None:
            case = self._further(waiting)
        if case is None:
            return ()
        needs_s = self._pacing.expected_s(case) if self._measured[case] else 0.0
        number = min(self._finished[case] + 1, self.plan.rounds)
        return (Turn(case, number, self.plan.rounds, needs_s),)

    def length(self, case: int) -> defaults.Length:
        return self._pacing.lengths[case]

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        """Remember the state of the trial, its figure and its cost; after a round share out what is left."""
        case, self._left_s = turn.case, left_s
        had, of = self._within[case]
        stayed = bool(trial.after) and len(trial.before) == len(trial.after) and _alike(trial.before, trial.after)
        if stayed:
            self._levels[case].append((trial.after, 1 / of))
        self._learn(case, trial, stayed=stayed)
        self._measured[case] += 1
        self._pacing.ended(case, trial.wall_s, trial.result)
        if had + 1 < of:
            self._within[case] = had + 1, of
            return
        self._within[case] = 0, 1
        self._finished[case] += 1
        trials = self._trials_left()
        if len({self._finished[one] for one in self._open if self._finished[one] < self.plan.rounds}) == 1:
            kept_s = 0.0
            if self._allots:
                # Warm-ups may take half of the spare time, later none of it: a trial that was still warming up is of
                # something else; but once it is known what scatters, more trials tell more than longer warm-ups.
                spare_s = max(0.0, left_s - self._pacing.left_s(trials, 0.0))
                kept_s = spare_s if min(self._finished[case] for case in self._open) > TELLING else spare_s / 2
            self._pacing.share_out(trials, left_s - kept_s)
        self._allot()

    def left(self) -> tuple[int, float]:
        """Predict from the trials so far; the rest of rounds goes to further trials."""
        trials = self._trials_left()
        needed_s = self._pacing.left_s(trials, 0.0 if all(self._measured) else self._left_s)
        costs = {case: self._pacing.expected_s(case) for case in self._open}
        further = {case: max(0, self._most - self._measured[case] - trials[case]) for case in costs if self._allots}
        more_s = sum(n * costs[case] for case, n in further.items())
        spare_s = max(0.0, min(self._left_s - needed_s, more_s))
        return sum(trials) + int(spare_s / min(costs.values(), default=1.0)), needed_s + spare_s

    def cut_short(self) -> str | None:
        fewest = min((self._measured[case] for case in self._open), default=self.plan.rounds)
        if fewest >= self.plan.rounds or self.plan.until is not None:
            return None
        return f"Ended with its budget after {fewest} of {self.plan.rounds} rounds: trials took longer than planned."

    def unreached(self) -> str | None:
        wide = [place for place, one in enumerate(self._looking) if not one.is_narrow]
        if self.plan.until is None or not wide:
            return None
        named = ", ".join(dict.fromkeys(self.plan.cases[place].title for place in wide[:NAMED]))
        more = f" and {len(wide) - NAMED} more" if len(wide) > NAMED else ""
        return (
            f"{len(wide)} of {quantities.counted(len(self.plan.cases), 'case')} {defaults.NOT_NARROW} "
            f"{quantities.percent(self.plan.until)}: {named}{more}. Give a larger --budget, or fewer cases."
        )

    def give_up(self, case: int) -> None:
        super().give_up(case)
        self._close(case)

    def _close(self, case: int) -> None:
        if case in self._open:
            self._open.remove(case)

    def _learn(self, case: int, trial: Ended, *, stayed: bool) -> None:
        """Keep the figure of a trial, apart for each state unless threads sleep, and look whether it is narrow."""
        seen, splits = trial.observation, not self.plan.cases[case].blocking
        figure = None if seen.failure or not self._value else self._value(seen)
        if figure is None or figure <= 0 or (splits and trial.before and not stayed):
            return
        level, states = trial.after if splits else (), self._figures[case]
        state = next((one for one in states if _alike(one, level)), level)
        states.setdefault(state, []).append(figure)
        if self._looking and self.seconds - self._left_s >= FIRST_LOOK_S:
            self._looking[case].look(max(states.values(), key=len))
            if self._looking[case].has_ended:
                self._close(case)

    def _trials_left(self) -> list[int]:
        left = [0] * len(self._finished)
        for case in self._open:
            had, of = self._within[case]
            if self._finished[case] < self.plan.rounds:
                left[case] = self.plan.rounds - self._finished[case] - 1 + of - had
        return left

    def _allot(self) -> None:
        """Say of each case how many trials it has in the round that it is about to begin."""
        rounds = self.plan.rounds
        due = [one for one in self._open if not self._within[one][0] and TELLING <= self._finished[one] < rounds]
        if not due or not self._allots:
            return
        self._within = [(0, 1) if case in due else one for case, one in enumerate(self._within)]
        trials = self._trials_left()
        costs = [self._pacing.expected_s(case) for case in self._open]
        least = [self._measured[case] + trials[case] for case in self._open]
        spare_s = self._left_s - sum(trials[case] * each for case, each in zip(self._open, costs, strict=True))
        goals = allotted(self._scatters(), costs, least, self._most, max(0.0, spare_s))
        for case, goal in zip(self._open, goals, strict=True):
            if case in due:
                share = (goal - self._measured[case]) / (rounds - self._finished[case])
                self._within[case] = 0, max(1, round(share))

    def _further(self, waiting: Collection[int]) -> int | None:
        """Return the affordable case whose figure gains most by another trial per second."""
        if not self._allots or any(self._finished[case] < self.plan.rounds for case in self._open):
            return None
        gains = {
            case: scatter**2 / (self._measured[case] * (self._measured[case] + 1)) / self._pacing.expected_s(case)
            for case, scatter in zip(self._open, self._scatters(), strict=True)
            if case not in waiting
            and self._measured[case] < self._most
            and self._pacing.expected_s(case) <= self._left_s
        }
        return max(gains, key=lambda case: (gains[case], -case), default=None)

    def _scatters(self) -> list[float]:
        kinds = [(self.plan.cases[case].experiment, self.plan.cases[case].blocking) for case in self._open]
        return scatters([[[*map(log, of_it)] for of_it in self._figures[case].values()] for case in self._open], kinds)


NAMED = 3  # cases named in a note
WHOLE_ROUND = 1e-9  # tolerance: parts of a round make a whole one, however they are added up


def _alike(one: Levels, other: Levels) -> bool:
    return all(map(alike, one, other))
