"""Two cases against each other, in randomised blocks of four trials: the plan of a comparison, and its schedule.

Pairs of cases share the budget by turns, a block each; one that is settled is measured no more.
"""

from collections.abc import Callable, Collection, Sequence
from statistics import fmean, geometric_mean

from msgspec import Struct
from msgspec.structs import replace

from threadping import quantities
from threadping.model.cases import Case, Skipped
from threadping.model.trials import Observation
from threadping.plan.budget import Budget, budget_for, too_much
from threadping.plan.length import SETTLED, Length
from threadping.plan.plan import Plan
from threadping.plan.schedule import Batch, Ended, Levels, Schedule, Turn
from threadping.studies.compare.blocks import (
    GRID,
    TRIALS_OF_BLOCK,
    Looks,
    SideTrial,
    TrialBlock,
    is_spoilt,
    looks,
    order,
)

SPINNERS = Length(0.035, 0.035)
"""A trial of what spins and is compiled beforehand: nine blocks of these take 2.8 s where those of 0.1 s took 6.1, and
saw as much of planted shifts (`cas-one-line`, KVM, twice in turn)."""

COMPILED_BLOCK_S = 0.25
"""What a trial of a virtual machine measures in a comparison: between two processes its figures differ by 1 to 4%."""

WARMING = 0.5
"""The share of its limit that a warm-up is expected to take: it ends as soon as the pace is steady."""

LAST_TRIALS = 6
"""So many trials of a case tell what the next one will take."""


class BlockPlan(Struct, frozen=True):
    """The plan of a comparison.

    Attributes:
        plan: its cases, each once; its rounds are the most blocks of a pair.
        pairs: A and B of each comparison, by their places among the cases.
        looks: after how many blocks a pair is looked at.
        settling: whether one that a look settles is measured no more; else all are, as long as the budget lasts.
        budget_s: what the whole may take.
        left_out: the pairs that the budget does not carry.
    """

    plan: Plan
    pairs: tuple[tuple[int, int], ...]
    looks: Looks
    settling: bool
    budget_s: float
    left_out: tuple[Skipped, ...] = ()


def make_blocks(pairs: Sequence[tuple[Case, Case]], budget: Budget, *, settling: bool = True) -> BlockPlan:
    """Take pairs, the most wanted first, while the budget has room for two looks at each; the first for one look.

    A pair has as many blocks at most as the budget carries if the others are settled by then. Trials of A and B are of
    the same length: short where both spin, else as long as they like, and more where a runtime compiles.

    Args:
        pairs: A and B of each comparison; at least one.
        budget: what all of it may take.
        settling: whether a pair is measured no more when a look settles it.

    Raises:
        BudgetTooSmall: the first pair does not fit for one look; it names the smallest budget that will do.
    """
    costs = {case: budget.cost(case) for pair in pairs for case in pair}
    lengths: dict[Case, Length] = {}
    taken: list[tuple[Case, Case]] = []
    needed_s = spare_s = longest_s = 0.0
    missing = 0
    for a, b in pairs:
        compiles = any(budget.starts[case.runtime].compiles for case in (a, b))
        settled = [costs[case].lengths.settled for case in (a, b)]
        measure_s = max(one.measure_s for one in settled)
        of_both = Length(max(one.warmup_s for one in settled), measure_s)
        if budget.trial_s is None and compiles:
            of_both = replace(of_both, measure_s=max(measure_s, COMPILED_BLOCK_S))
        elif budget.trial_s is None and of_both == SETTLED:  # nothing asks for more
            of_both = SPINNERS
        block_s = sum(2 * _trial_s(costs[case].start_s, of_both) for case in (a, b))
        if not taken:
            what = f"{TRIALS_OF_BLOCK * (1 + GRID[0])} trials to compare {a.title} with {b.title}"
            budget.refuse_unless_it_carries((1 + GRID[0]) * block_s, what)
        needed_s += (1 + GRID[1]) * block_s
        if taken and (missing or not budget.carries(needed_s)):
            missing += 1
            continue
        taken.append((a, b))
        lengths |= {a: of_both, b: of_both}
        longest_s = max(longest_s, block_s)
        spare_s = budget.planned_s - budget_for(needed_s)
    cases = tuple(lengths)
    most = min(GRID[-1], max(GRID[0], GRID[1] + int(spare_s / longest_s)))
    return BlockPlan(
        plan=budget.plan({case: costs[case] for case in cases}, lengths.values(), most),
        pairs=tuple((cases.index(a), cases.index(b)) for a, b in taken),
        looks=looks(most),
        settling=settling,
        budget_s=budget.seconds,
        left_out=(too_much(quantities.counted(missing, "comparison"), missing, needed_s),) if missing else (),
    )


class BlockSchedule(Schedule):
    """The schedule of a comparison: a block of each open pair in turn; the first of each is thrown away.

    A block is finished once it has begun, and begins only if the budget has room for it. One that is spoilt is
    repeated: it counts for no look.
    """

    def __init__(
        self,
        wanted: BlockPlan,
        value: Callable[[int, Observation], float | None],
        settles: Callable[[int, Sequence[TrialBlock]], bool],
    ) -> None:
        """Begin; `value` reads the metric of a pair, and `settles` says at a look whether it needs no more blocks."""
        super().__init__(wanted.plan, wanted.budget_s)
        self._wanted, self._value, self._settles = wanted, value, settles
        self._blocks: list[list[TrialBlock]] = [[] for _ in wanted.pairs]
        self._begun = [0] * len(wanted.pairs)
        self._open = set(range(len(wanted.pairs)))
        self._due = 0
        self._trials: list[SideTrial] = []
        planned = zip(self.plan.start_s, self.plan.lengths, strict=True)
        self._took = [[_trial_s(start_s, length)] for start_s, length in planned]
        self._is_first = [True] * len(self.plan.cases)

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """The next trial of the block that has begun; else the first of the pair that had fewest blocks."""
        if not self._trials:
            if not self._open:
                return ()
            self._due = min(self._open, key=lambda one: (self._begun[one], one))
        pair = self._due
        side = order(self.plan.seed, pair, self._begun[pair])[len(self._trials)]
        case = self._wanted.pairs[pair]["ab".index(side)]
        begins_late = not self._trials and self._begun[pair] > 1
        needs_s = self._block_s(pair) if begins_late else 0.0
        return () if case in waiting else (Turn(case, self._begun[pair], self._most_of(pair), needs_s, side),)

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        """Keep what it says; at the end of a block the pair may be settled."""
        costs = [] if self._is_first[turn.case] else self._took[turn.case]
        self._took[turn.case], self._is_first[turn.case] = [*costs, trial.wall_s][-LAST_TRIALS:], False
        pair = self._due
        if pair not in self._open:  # given up meanwhile
            self._trials = []
            return
        value = self._value(pair, trial.observation)
        self._trials.append(SideTrial.of(trial.observation, value, _mean(trial.before), _mean(trial.after)))
        if len(self._trials) == TRIALS_OF_BLOCK:
            block = TrialBlock(tuple(self._trials))
            self._trials, number = [], self._begun[pair]
            self._begun[pair] += 1
            if number:
                self._finished(pair, block)

    def give_up(self, case: int) -> None:
        """Close the comparisons of which it is a side."""
        self._open -= {pair for pair in self._open if case in self._wanted.pairs[pair]}

    def left(self) -> tuple[int, float]:
        """As many as the last look needs."""
        blocks = {pair: max(0, 1 + self._most_of(pair) - self._begun[pair]) for pair in self._open}
        trials = TRIALS_OF_BLOCK * sum(blocks.values()) - len(self._trials)
        return max(0, trials), sum(number * self._block_s(pair) for pair, number in blocks.items())

    @property
    def _most(self) -> int:
        """How many blocks a pair has at most."""
        if self._wanted.settling:
            return self.plan.rounds
        a_turn_s = sum(map(self._block_s, range(len(self._wanted.pairs))))
        return max(self.plan.rounds, int(self._wanted.budget_s / a_turn_s))

    def _most_of(self, pair: int) -> int:
        """How many blocks it takes at most, as spoilt ones are repeated."""
        return self._most + sum(map(is_spoilt, self._blocks[pair]))

    def _finished(self, pair: int, block: TrialBlock) -> None:
        self._blocks[pair].append(block)
        sound = sum(not is_spoilt(one) for one in self._blocks[pair])
        if is_spoilt(block) or sound not in self._wanted.looks.blocks or not self._wanted.settling:
            return
        if sound == self.plan.rounds or self._settles(pair, self._blocks[pair]):
            self._open.discard(pair)

    def _block_s(self, pair: int) -> float:
        return sum(TRIALS_OF_BLOCK / 2 * fmean(self._took[case]) for case in self._wanted.pairs[pair])


def _trial_s(start_s: float, length: Length) -> float:
    return start_s + WARMING * length.warmup_s + length.measure_s


def _mean(levels: Levels) -> float | None:
    return geometric_mean(levels) if levels else None
