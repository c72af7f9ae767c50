"""Blocks of four trials of two sides in random order: their plan, their schedule, and after how many one looks.

Pairs of cases share the budget by turns, a block each; one that is settled is measured no more.
"""

import random
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import accumulate, permutations
from math import log
from statistics import fmean, geometric_mean, median

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.questions import covering_order
from threadping.analysis.row_warnings import LOADED
from threadping.model.base import Record, gathered
from threadping.model.cases import Case, Side
from threadping.model.run import Comparing, Observation
from threadping.planning.defaults import SETTLED, Length, sampling_s
from threadping.planning.plan import PLANNED, Budget, Plan, budget_for, plan_of
from threadping.planning.schedule import Batch, Ended, Levels, Schedule, Turn

ORDERS: tuple[tuple[Side, ...], ...] = tuple(sorted(set(permutations(("a", "a", "b", "b")))))
"""The six orders in which two trials of each side can be measured."""

TRIALS_OF_BLOCK = 4

MASKED_FROM = 1.25  # ratio of the reference pings of a trial, or of its level to its block's, that masks it


class SideTrial(Record, frozen=True):
    """One trial of a block."""

    side: Side
    value: float | None  # the metric, above 0; None where the trial failed or does not carry it
    # the reference pings before it, over its pairs of CPUs the mean of their logarithms; None where there are none,
    # since its threads are not pinned
    before_ns: float | None = None
    after_ns: float | None = None  # the same after it
    failed: bool = False
    # the share of its CPUs' time that other programs used; None where the kernel does not report it
    others: float | None = None

    @staticmethod
    def of(seen: Observation, value: float | None, before_ns: float | None, after_ns: float | None) -> "SideTrial":
        """Return what a comparison keeps of a trial, whose metric has this value."""
        failed = seen.failure is not None or not seen.figures
        return SideTrial(seen.side or "a", value, before_ns, after_ns, failed, seen.others)


class TrialBlock(Record, frozen=True):
    """Four trials, two of each side, in the order in which they were measured."""

    trials: tuple[SideTrial, ...]


def order(seed: int, pair: int, block: int) -> tuple[Side, ...]:
    """Return the order of a block, one of six: uniform, independent of other blocks, reproducible."""
    return random.Random(f"{seed} {pair} {block}").choice(ORDERS)


@lru_cache(1 << 16)
def masked(block: TrialBlock) -> tuple[bool, ...]:
    """Mark the trials that a comparison leaves out, decided without regard to sides and values.

    They have no value, their reference pings differ by more than MASKED_FROM before and after, or they were measured in
    another state of the machine than most of the block.
    """
    both = [[ns for ns in (one.before_ns, one.after_ns) if ns is not None] for one in block.trials]
    around = [fmean(map(log, ends)) if ends else None for ends in both]
    middle = median(known) if (known := [one for one in around if one is not None]) else 0.0
    return tuple(
        trial.value is None
        or trial.value <= 0
        or (one is not None and abs(one - middle) > log(MASKED_FROM))
        or (len(ends) == 2 and max(ends) > MASKED_FROM * min(ends))
        for trial, one, ends in zip(block.trials, around, both, strict=True)
    )


def is_disturbed(block: TrialBlock) -> bool:
    """Return whether other programs ran next to a block: it says nothing of A and B, and is left out.

    All four trials together decide. The kernel counts CPU time in ticks of 10 ms, which is too coarse for one trial.
    """
    known = [one.others for one in block.trials if one.others is not None]
    return bool(known) and fmean(known) > LOADED


def is_spoilt(block: TrialBlock) -> bool:
    """Return whether a block is disturbed or has two masked trials: it is repeated while the budget lasts."""
    return is_disturbed(block) or sum(masked(block)) >= 2


ALPHA = 0.01  # error of all looks together: the share of equals that are said to differ

GRID = (4, 6, 9, 14, 21, 30, 45, 66, 100, 150, 225, 340, 500)
"""A look costs little where half as many blocks again were measured since the last."""


class Looks(Record, frozen=True):
    """The numbers of blocks after which to test; each look may err in an equal share of ALPHA."""

    blocks: tuple[int, ...]

    def level(self, blocks: int, comparisons: int, final: bool) -> float | None:
        """Return the level of the test after this number of blocks; None where none is due.

        Shares add up, whatever the dependence (Bonferroni). A look at so few blocks that no outcome is significant
        passes its share on to the next. The final look, whose time the data did not choose, spends all that is left.
        """
        blocks, left = min(blocks, self.blocks[-1]), 0.0
        for due in self.blocks:
            if due > blocks and not final:
                return None
            left += ALPHA / len(self.blocks)
            can_reject = 2 * 6.0**-due <= left / comparisons  # a foreign run may have planned 2**63 blocks
            if due == blocks and not final:
                return left / comparisons if can_reject else None
            if due < blocks and can_reject:
                left = 0.0
        return left / comparisons


def looks(most: int = 30) -> Looks:
    """Return the looks at a comparison of at most `most` blocks, the last of them at the end."""
    return Looks((*(due for due in GRID if due < most), most))


SPINNING = Length(0.035, 0.035)
"""A trial of a spinning mechanism that is compiled beforehand: nine such blocks take 2.8 s, nine of 0.1 s took 6.1 s
and detected as many planted shifts (`cas-one-line`, KVM, twice, alternating)."""

COMPILED_BLOCK_S = 0.25  # of a trial of a virtual machine, whose figures differ by 1 to 4% between two processes

WARMING = 0.5  # expected share of a warm-up's limit: it ends as soon as the pace is steady

LAST_TRIALS = 6  # of a case, by which the next one is estimated


class BlockPlan(Struct, frozen=True):
    """The plan of a comparison."""

    plan: Plan  # its cases, each once; its rounds are the maximum number of blocks of a pair
    # A and B of each comparison, by their places among the cases, in the order in which they begin
    pairs: tuple[tuple[int, int], ...]
    # whether a pair that a look settles is no longer measured; otherwise all are, as long as the budget lasts
    settling: bool
    budget_s: float  # for the whole, from now on

    @property
    def first(self) -> int:
        """The number of pairs that have time for a first look each, as planned: these begin at once."""
        planned = dict(enumerate(map(_trial_s, self.plan.start_s, self.plan.lengths)))
        blocks_s = (sum(TRIALS_OF_BLOCK / 2 * planned[case] for case in pair) for pair in self.pairs)
        return max(1, sum((1 + GRID[1]) * needed_s <= PLANNED * self.budget_s for needed_s in accumulate(blocks_s)))


def make_blocks(
    pairs: Sequence[tuple[Case, Case]],
    budget: Budget,
    *,
    named: Collection[str] = (),
    samples: int = 0,
    settling: bool = True,
) -> BlockPlan:
    """Plan blocks of all pairs: those begin first that cover the named axes, as many as have time for a look each.

    The rest wait until others are settled. A pair has as many blocks at most as the budget carries if the others are
    settled at their first look, and warm-ups are short. Trials of A and B are of the same length: short where both
    spin, else as long as they like, and more where a runtime compiles or a percentile takes more samples.

    Each trial is to time `samples` operations alone. Without `settling` a look ends no pair. Raise BudgetTooSmall, with
    the smallest sufficient budget, if the first pair does not fit with one look.
    """
    costs = {case: budget.cost(case) for pair in pairs for case in pair}
    lengths: dict[Case, Length] = {}
    for a, b in pairs:
        settled = [costs[case].settled for case in (a, b)]
        of_both = Length(max(one.warmup_s for one in settled), max(one.measure_s for one in settled))
        if budget.trial_s is None:
            compiles = any(budget.starts[case.runtime].compiles for case in (a, b))
            of_both = SPINNING if of_both == SETTLED and not compiles else of_both  # nothing asks for more
            wanted_s = [sampling_s(case, budget.paces[case.experiment], samples) for case in (a, b) if samples]
            wanted_s += [COMPILED_BLOCK_S] if compiles else []
            of_both = replace(of_both, measure_s=max([of_both.measure_s, *wanted_s]))
        lengths |= {a: of_both, b: of_both}
    pairs = [pairs[at] for at in covering_order([a for a, _ in pairs], named)]

    def blocks_s(warming: float) -> list[float]:
        """Return the duration of a block of each pair where warm-ups take this share of their limit."""
        return [sum(2 * _trial_s(costs[case].start_s, lengths[case], warming) for case in pair) for pair in pairs]

    cases, (a, b), planned, fast = tuple(lengths), pairs[0], blocks_s(WARMING), blocks_s(WARMING / 2)
    what = f"{TRIALS_OF_BLOCK * (1 + GRID[0])} trials to compare {a.title} with {b.title}"
    budget.require_fit((1 + GRID[0]) * planned[0], what)
    made = BlockPlan(
        plan=budget.plan({case: costs[case] for case in cases}, lengths.values(), GRID[0]),
        pairs=tuple((cases.index(a), cases.index(b)) for a, b in pairs),
        settling=settling,
        budget_s=max(budget.left_s, budget_for((1 + GRID[0]) * planned[0])),
    )
    fast = fast[: made.first]
    others_s = (1 + GRID[0]) * (sum(fast) - min(fast))
    most = min(GRID[-1], max(GRID[0], int((budget.planned_s - others_s) / min(fast)) - 1))
    return replace(made, plan=replace(made.plan, rounds=most))


def first_looks_s(answer: Answer, of: Comparing) -> float:
    """Return the budget (s) for a first look at every pair, by the duration of the trials so far; 0 if unknown."""
    if not answer.run.premises:
        return 0.0
    plan = plan_of(answer.run, answer.run.premises, {})
    planned = dict(zip(plan.cases, map(_trial_s, plan.start_s, plan.lengths), strict=True))
    walls = gathered((one.case, one.wall_ns / 1e9) for one in answer.observations)
    slowness = sum(map(fmean, walls.values())) / sum(planned[case] for case in walls) if walls else 1.0
    trials_s = sum(planned[plan.cases[case]] for pair in of.pairs for case in pair)
    return budget_for((1 + GRID[1]) * TRIALS_OF_BLOCK / 2 * trials_s * max(1.0, slowness))


class BlockSchedule(Schedule):
    """The schedule of a comparison: a block of each open pair, round-robin; the first of each is discarded.

    A block is finished once it has begun, and begins only if it fits into the budget. A spoilt one is repeated, and
    counts for no look. A pair that did not fit at first waits until there is time for its first look in addition to
    those of all that have begun: time that a settled pair leaves goes to the next that waits, or to open ones if it
    is too little.
    """

    tries_all = False

    def __init__(
        self,
        wanted: BlockPlan,
        value: Callable[[int, Observation], float | None],
        settles: Callable[[int, Sequence[TrialBlock]], bool],
    ) -> None:
        super().__init__(wanted.plan, wanted.budget_s)
        self._wanted, self._value, self._settles, self._looks = wanted, value, settles, looks(wanted.plan.rounds)
        self._blocks: list[list[TrialBlock]] = [[] for _ in wanted.pairs]
        self._begun = [0] * len(wanted.pairs)
        self._open = set(range(len(wanted.pairs)))
        self._due = 0
        self._trials: list[SideTrial] = []
        self._planned = [_trial_s(*one) for one in zip(self.plan.start_s, self.plan.lengths, strict=True)]
        self._took: dict[int, list[float]] = {}
        self._left_s, self._slowness, self._first = self.seconds, 1.0, wanted.first

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        if not self._trials:
            pair = self._next_pair()
            if pair is None:
                return ()
            self._due = pair
        pair = self._due
        side = order(self.plan.seed, pair, self._begun[pair])[len(self._trials)]
        case = self._wanted.pairs[pair]["ab".index(side)]
        begins_late = not self._trials and self._begun[pair] > 1
        needs_s = self._block_s(pair) if begins_late else 0.0
        return () if case in waiting else (Turn(case, self._begun[pair], self._most_of(pair), needs_s, side),)

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        self._took[turn.case] = [*self._took.get(turn.case, ()), trial.wall_s][-LAST_TRIALS:]
        self._slowness = sum(map(fmean, self._took.values())) / sum(self._planned[case] for case in self._took)
        self._left_s = left_s
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
            if not number:
                return
            self._blocks[pair].append(block)
            sound = sum(not is_spoilt(one) for one in self._blocks[pair])
            if is_spoilt(block) or sound not in self._looks.blocks or not self._wanted.settling:
                return
            if sound == self.plan.rounds or self._settles(pair, self._blocks[pair]):
                self._open.discard(pair)

    def give_up(self, case: int) -> None:
        self._open -= {pair for pair in self._open if case in self._wanted.pairs[pair]}

    def left(self) -> tuple[int, float]:
        blocks = {pair: max(0, 1 + self._most_of(pair) - self._begun[pair]) for pair in self._open}
        trials = TRIALS_OF_BLOCK * sum(blocks.values()) - len(self._trials)
        seconds = sum(number * self._block_s(pair) for pair, number in blocks.items())
        share = min(1.0, self._left_s / seconds) if seconds else 0.0
        return max(0, int(share * trials)), min(seconds, self._left_s)

    def _next_pair(self) -> int | None:
        """Return a waiting pair that has time for its first look; else the one begun with fewest blocks."""
        first, open_ = 1 + min(GRID[1], self.plan.rounds), sorted(self._open)
        begun, waiting = ([pair for pair in open_ if (self._begun[pair] > 0) is has] for has in (True, False))
        due = (max(0, first + self._spoilt(pair) - self._begun[pair]) * self._block_s(pair) for pair in begun)
        free_s, blocks = self._left_s - sum(due), first if begun else 1 + GRID[0]
        in_turn = waiting[:1] if begun else waiting
        starting = [pair for pair in in_turn if blocks * self._block_s(pair) <= free_s]
        at_once = [pair for pair in waiting if pair < self._first]
        if at_once or starting:
            return (at_once or starting)[0]
        in_time = [pair for pair in begun if self._block_s(pair) <= self._left_s]
        return min(in_time or begun, key=lambda pair: (self._begun[pair], pair), default=None)

    def _most_of(self, pair: int) -> int:
        """Return the maximum number of blocks of a pair, whose spoilt ones are repeated."""
        most = self.plan.rounds
        if not self._wanted.settling:
            most = max(most, int(self._wanted.budget_s / sum(map(self._block_s, range(len(self._wanted.pairs))))))
        return most + self._spoilt(pair)

    def _spoilt(self, pair: int) -> int:
        return sum(map(is_spoilt, self._blocks[pair]))

    def _block_s(self, pair: int) -> float:
        """Estimate a block by the last trials of its cases; before their first by the slowness of others."""
        each = (self._took.get(case, [self._slowness * self._planned[case]]) for case in self._wanted.pairs[pair])
        return sum(TRIALS_OF_BLOCK / 2 * fmean(took) for took in each)


def _trial_s(start_s: float, length: Length, warming: float = WARMING) -> float:
    return start_s + warming * length.warmup_s + length.measure_s


def _mean(levels: Levels) -> float | None:
    return geometric_mean(levels) if levels else None
