"""A thing compared with itself, again and again: what a gate on this machine can promise."""

from threadping.analysis.answer import Answer
from threadping.comparing.compared import blocks_of, seconds_of
from threadping.comparing.looks import looks
from threadping.comparing.power import SHIFTS, Power, power
from threadping.model import Case, Comparing, Record

BLOCKS = 9
"""So many blocks make one comparison: in C++ some four seconds of trials."""


class Itself(Record, frozen=True):
    """What comparisons of a case with itself say.

    Attributes:
        case: what was compared with itself.
        power: how often it was said to differ, and which planted shifts were seen.
        seconds: what one comparison took.
    """

    case: Case
    power: Power
    seconds: float


def itself(answer: Answer, of: Comparing, *, planted: bool) -> tuple[Itself, ...]:
    """Cut the blocks of each case into comparisons; with `planted`, say what of a shift each would have seen."""
    run, results = answer.run, []
    for (place, _), blocks, block_s in zip(of.pairs, blocks_of(answer, of), seconds_of(answer, of), strict=True):
        size = min(BLOCKS, len(blocks))
        runs = [blocks[first : first + size] for first in range(0, len(blocks) - size + 1, size or 1)] if size else []
        if runs:
            made = power(runs, looks=looks(size), shifts=SHIFTS if planted else (), seed=run.seed)
            results.append(Itself(run.cases[place], made, size * block_s))
    return tuple(results)
