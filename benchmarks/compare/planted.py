"""Comparisons of a thing with itself, in whose B a shift was planted, decided as a real run decides them."""

from collections.abc import Sequence
from math import exp
from statistics import fmean, median

from msgspec import Struct
from msgspec.structs import replace

from benchmarks.simulated.machines import measured
from threadping.studies.compare.blocks import TrialBlock, is_spoilt, looks
from threadping.studies.compare.verdict import Direction, WordOfB, logs

SHIFTS = {0.0: 0.03, 0.01: 0.01, 0.02: 0.02, 0.03: 0.03, 0.05: 0.03, 0.1: 0.03}
"""Each share by which B is made slower, and the margin that is asked for there."""

MARGINS = (0.01, 0.03)
"""Margins of the comparisons whose B is a slower build."""

Comparison = tuple[Sequence[TrialBlock], float]
"""Its blocks, and the seconds that one of them took."""


class Decided(Struct, frozen=True):
    """Verdict of a comparison, the direction in which B differs significantly, and its seconds."""

    answer: WordOfB
    direction: Direction | None
    seconds: float


class Line(Struct, frozen=True):
    """Results of the comparisons of one shift.

    Attributes:
        shift: by which B is slower.
        margin: that was asked for.
        comparisons: how many there were.
        slower: how many said that B is slower, by however little.
        wrong: how many said what is not so: a difference where there is none, faster, or the same where the shift is
            beyond the margin.
        cannot_tell: how many ended with their budget.
        seconds: the median time to a decision, of those that decided.
    """

    shift: float
    margin: float
    comparisons: int
    slower: int
    wrong: int
    cannot_tell: int
    seconds: float | None


def planted(blocks: Sequence[TrialBlock], shift: float) -> list[TrialBlock]:
    """The blocks with B slower by this share."""
    return [
        TrialBlock(
            tuple(
                replace(trial, value=trial.value * (1 + shift)) if trial.side == "b" and trial.value else trial
                for trial in block.trials
            )
        )
        for block in blocks
    ]


def decided(blocks: Sequence[TrialBlock], margin: float, seconds_per_block: float) -> Decided:
    """Look at the blocks as a run does: at every look that is due, and when the budget has ended."""
    sound = sum(not is_spoilt(block) for block in blocks)
    found, number = measured(blocks, looks(max(1, sound)), margin=margin)
    return Decided(found.answer, found.direction, (1 + number) * seconds_per_block)  # the first block was thrown away


def line(shift: float, comparisons: Sequence[Comparison]) -> Line:
    """Decide each comparison of a thing with itself after planting a shift."""
    return judged(shift, SHIFTS[shift], [(planted(blocks, shift), seconds) for blocks, seconds in comparisons])


def ratio_of(comparisons: Sequence[Comparison]) -> float:
    """Return B/A: the median over all sound blocks of B's mean logarithm minus A's."""
    sound = [block for blocks, _ in comparisons for block in blocks if not is_spoilt(block)]
    return exp(median(_difference(block) for block in sound))


def _difference(block: TrialBlock) -> float:
    found = {"a": list[float](), "b": list[float]()}
    for trial, value in zip(block.trials, logs(block), strict=True):
        if value is not None:
            found[trial.side].append(value)
    return fmean(found["b"]) - fmean(found["a"])


def judged(shift: float, margin: float, comparisons: Sequence[Comparison]) -> Line:
    """Decide each comparison; B is slower by this share in all of them."""
    found = [decided(blocks, margin, seconds) for blocks, seconds in comparisons]
    answers, ways = [one.answer for one in found], [one.direction for one in found]
    wrong = sum(one is not None if not shift else one == "faster" for one in ways)
    took = [one.seconds for one in found if one.answer != "cannot-tell"]
    return Line(
        shift=shift,
        margin=margin,
        comparisons=len(found),
        slower=ways.count("slower"),
        wrong=wrong + (answers.count("same") if shift > margin else 0),
        cannot_tell=answers.count("cannot-tell"),
        seconds=median(took) if took else None,
    )
