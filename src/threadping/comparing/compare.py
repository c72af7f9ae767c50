"""What blocks say of B against A: an interval of the ratio, a word, and the reasons for doubt."""

from collections.abc import Sequence
from typing import Literal

from threadping.comparing.blocks import Block
from threadping.comparing.looks import Looks
from threadping.model import Record

Answer = Literal["slower", "faster", "same", "differs", "cannot-tell"]
"""Of B: `same` within the margin, `differs` by less than the margin."""

Ends = tuple[float, float]

Code = Literal["failures", "metric-absent", "masked", "too-few-blocks", "coarse", "moves-the-state", "modes"]
"""Why a comparison cannot tell, or what to doubt in it."""


class Comparison(Record, frozen=True):
    """B against A.

    Attributes:
        ratio: B's metric over A's; None where nothing can be compared.
        ci95: its 95% interval, were this the only look at it; an end may be infinite or 0.
        decides: the interval that decides: it covers the ratio in 99 of 100 runs, whenever they stop.
        answer: the word.
        visible: the smallest ratio above 1 that so many blocks see in 9 runs of 10; None where they see none.
        blocks: how many blocks it is made from, those that are spoilt not counted.
        masked: how many trials are left out.
        reasons: why it cannot tell, or what to doubt.
        needs_s: how long measuring takes in all until the margin is told; None unless it cannot tell.
    """

    ratio: float | None
    ci95: Ends | None
    decides: Ends | None
    answer: Answer
    visible: float | None
    blocks: int
    masked: int
    reasons: tuple[str, ...] = ()
    needs_s: float | None = None


def compare(
    blocks: Sequence[Block],
    *,
    margin: float,
    looks: Looks,
    comparisons: int = 1,
    higher_is_better: bool,
    seconds_per_block: float,
    final: bool = False,
) -> Comparison:
    """Compare the sides of these blocks, all that were measured.

    Args:
        blocks: in the order in which they were measured, the one that is thrown away not among them.
        margin: a difference that does not matter, as a share: 0.03.
        looks: when it is looked at; between them the answer is `cannot-tell`, unless it is final.
        comparisons: how many are made in this run; each may err that much less often.
        higher_is_better: whether the metric is a rate, so that a ratio above 1 means faster.
        seconds_per_block: what a block takes, for `needs_s`.
        final: whether nothing will be measured any more: then all that the looks to come may spend is spent now.
    """
    raise NotImplementedError


def conclude(
    pairs: Sequence[Sequence[Block]],
    *,
    margin: float,
    looks: Looks,
    higher_is_better: bool,
    seconds_per_block: Sequence[float],
) -> tuple[Comparison, ...]:
    """The final comparisons of a run, corrected for how many they are (Holm)."""
    raise NotImplementedError


def is_settled(comparison: Comparison, fail_above: float | None = None, *, higher_is_better: bool = False) -> bool:
    """Whether more blocks are not needed: there is an answer, and it is clear whether B is slower than `fail_above`."""
    raise NotImplementedError


def gate(comparisons: Sequence[Comparison], fail_above: float, *, higher_is_better: bool, strict: bool) -> int:
    """The exit code: 3 where one is surely slower by more than `fail_above`, 4 if that is open and `strict`, or 0."""
    raise NotImplementedError
