"""A block: four trials of two sides in random order, which of them say nothing, and after how many one looks."""

import random
from functools import lru_cache
from itertools import permutations
from math import log
from statistics import fmean, median

from threadping.analysis.warnings.trials import LOADED
from threadping.model.bounds import Record
from threadping.model.cases import Side
from threadping.model.trials import Observation

ORDERS: tuple[tuple[Side, ...], ...] = tuple(sorted(set(permutations(("a", "a", "b", "b")))))
"""The six orders in which two trials of each side can be measured."""

TRIALS_OF_BLOCK = 4

MASKED_FROM = 1.25
"""A trial is masked where its reference pings differ by more than so many times, or it differs so from its block."""


class SideTrial(Record, frozen=True):
    """One trial of a block.

    Attributes:
        side: which of the two was measured.
        value: the metric, above 0; None where the trial failed or does not carry it.
        failed: whether it failed.
        others: the share of its CPUs' time that other programs used; None where the kernel does not report it.
        before_ns: the reference pings before it, over its pairs of CPUs the mean of their logarithms; None where there
            are none, since its threads are not pinned.
        after_ns: the same after it.
    """

    side: Side
    value: float | None
    before_ns: float | None = None
    after_ns: float | None = None
    failed: bool = False
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
    """In which of the six orders a block is measured: uniform, independent of other blocks, the same every time."""
    return random.Random(f"{seed} {pair} {block}").choice(ORDERS)


@lru_cache(1 << 16)
def masked(block: TrialBlock) -> tuple[bool, ...]:
    """Which of its trials are left out of a comparison; that is decided without regard to sides and values.

    Those without a value, those whose reference pings differ by more than MASKED_FROM before and after, and those that
    were measured in another state of the machine than most of the block.
    """
    around = [_around(trial) for trial in block.trials]
    middle = median(known) if (known := [one for one in around if one is not None]) else 0.0
    return tuple(
        trial.value is None
        or trial.value <= 0
        or (one is not None and abs(one - middle) > log(MASKED_FROM))
        or (len(ends) == 2 and max(ends) > MASKED_FROM * min(ends))
        for trial, one in zip(block.trials, around, strict=True)
        for ends in [[ns for ns in (trial.before_ns, trial.after_ns) if ns is not None]]
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


def _around(trial: SideTrial) -> float | None:
    """The mean logarithm of the reference pings around a trial."""
    pings = [log(ping) for ping in (trial.before_ns, trial.after_ns) if ping is not None]
    return fmean(pings) if pings else None


ALPHA = 0.01
"""How often all looks together may say of two equals that they differ."""

GRID = (4, 6, 9, 14, 21, 30, 45, 66, 100, 150, 225, 340, 500)
"""A look costs little where half as many blocks again were measured since the last."""


class Looks(Record, frozen=True):
    """After how many blocks to look; each look may err in an equal share of ALPHA."""

    blocks: tuple[int, ...]

    def level(self, blocks: int, comparisons: int, final: bool) -> float | None:
        """The level of the test after so many blocks; None where none is due.

        Shares add up, whatever the dependence (Bonferroni). A look at so few blocks that no outcome is significant
        passes its share on to the next. The final look, whose time the data did not choose, spends all that is left.
        """
        blocks, left = min(blocks, self.blocks[-1]), 0.0
        for due in self.blocks:
            if due > blocks and not final:
                return None
            left += ALPHA / len(self.blocks)
            can_reject = 2 / 6**due <= left / comparisons
            if due == blocks and not final:
                return left / comparisons if can_reject else None
            if due < blocks and can_reject:
                left = 0.0
        return left / comparisons


def looks(most: int = 30) -> Looks:
    """The looks at a comparison of at most so many blocks, the last of them when they are measured."""
    return Looks((*(due for due in GRID if due < most), most))
