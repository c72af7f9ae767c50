"""From what the processes measured to an answer for each question."""

from collections.abc import Sequence

from benchmarks.agreement.questions import Group
from benchmarks.answers import Answer, Sides, answer_on, compare_means, figures_of, median_blocks, ratio_of
from benchmarks.questions import Question
from benchmarks.ratios import median_of_ratios
from benchmarks.records import Figures, Measurement


def answer(question: Question, measurements: Sequence[Measurement], seed: int) -> Answer:
    """Compare what the question asks for."""
    match Group(question.group):
        case Group.SINGLES:
            return _answer_on_singles(question, figures_of(question.ours, measurements), seed)
        case Group.LANGUAGES:
            ours, theirs = (figures_of(side, measurements) for side in (question.ours, question.theirs))
            sides = Sides(median_blocks(ours), median_blocks(theirs))
            return answer_on(question, sides, ratio_of(sides, seed))
        case Group.PEERS | Group.BARE:
            return compare_means(question, measurements, seed)


def _answer_on_singles(question: Question, figures: Sequence[Figures], seed: int) -> Answer:
    """A process is compared with itself, so the ratio is the median of ratios and not the ratio of medians."""
    whole = [
        (one.single_p50, one.median_block)
        for one in figures
        if one.single_p50 is not None and one.median_block is not None
    ]
    sides = Sides(tuple(single for single, _ in whole), tuple(block for _, block in whole))
    ratio = median_of_ratios([single / block for single, block in whole], seed) if whole else None
    return answer_on(question, sides, ratio)
