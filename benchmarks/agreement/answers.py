"""From what the processes measured to an answer for each question."""

from collections.abc import Sequence

from msgspec import Struct

from benchmarks.agreement.questions import Group, Question
from benchmarks.agreement.ratios import Interval, Met, Spread, judge, median_of_ratios, ratio_of_medians, spread
from benchmarks.agreement.records import Figures, Measurement, Subject


class Answer(Struct, frozen=True):
    """Both sides in one-way nanoseconds and the ratio of ours to theirs; None where a side has no figure.

    `by_median_block` is the same ratio with the mean of each line's median block on our side: where it differs from
    `ratio`, which takes the mean of everything on both sides, something disturbed the run. `met` may be None.
    """

    group: Group
    title: str
    limit: str | None
    ours: Spread | None
    theirs: Spread | None
    ratio: Interval | None
    by_median_block: Interval | None
    met: Met | None


class Sides(Struct, frozen=True):
    """The figures of both sides, a process each."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]


def answer(question: Question, measurements: Sequence[Measurement], seed: int) -> Answer:
    """Compare what the question asks for."""
    ours, theirs = _figures(question.ours, measurements), _figures(question.theirs, measurements)
    match question.group:
        case Group.SINGLES:
            return _answer_on_singles(question, ours, seed)
        case Group.LANGUAGES:
            sides = Sides(_median_blocks(ours), _median_blocks(theirs))
            return _answer(question, sides, _ratio(sides, seed))
        case Group.PEERS | Group.BARE:
            sides = Sides(_means(ours), _means(theirs))
            by_median_block = _ratio(Sides(_median_blocks(ours), sides.theirs), seed)
            return _answer(question, sides, _ratio(sides, seed), by_median_block)


def _answer_on_singles(question: Question, figures: Sequence[Figures], seed: int) -> Answer:
    """Half a reading of the clock lies in every one-way single trip, and is taken off before the limit applies.

    A process is compared with itself, so the ratio is the median of ratios and not the ratio of medians.
    """
    whole = [
        (one.single_p50 - one.clock_cost / 2, one.median_block)
        for one in figures
        if one.single_p50 is not None and one.clock_cost is not None and one.median_block is not None
    ]
    sides = Sides(tuple(single for single, _ in whole), tuple(block for _, block in whole))
    ratio = median_of_ratios([single / block for single, block in whole], seed) if whole else None
    return _answer(question, sides, ratio)


def _answer(
    question: Question, sides: Sides, ratio: Interval | None, by_median_block: Interval | None = None
) -> Answer:
    return Answer(
        group=question.group,
        title=question.title,
        limit=question.limit.words if question.limit else None,
        ours=spread(sides.ours) if sides.ours else None,
        theirs=spread(sides.theirs) if sides.theirs else None,
        ratio=ratio,
        by_median_block=by_median_block,
        met=_met(question, ratio, sides),
    )


def _met(question: Question, ratio: Interval | None, sides: Sides) -> Met | None:
    if question.limit is None:
        return None
    return "cannot tell" if ratio is None else judge(ratio, question.limit, min(len(sides.ours), len(sides.theirs)))


def _ratio(sides: Sides, seed: int) -> Interval | None:
    return ratio_of_medians(sides.ours, sides.theirs, seed) if sides.ours and sides.theirs else None


def _figures(subject: Subject, measurements: Sequence[Measurement]) -> list[Figures]:
    return [one.figures for one in measurements if one.subject == subject and one.figures is not None]


def _median_blocks(figures: Sequence[Figures]) -> tuple[float, ...]:
    return tuple(one.median_block for one in figures if one.median_block is not None)


def _means(figures: Sequence[Figures]) -> tuple[float, ...]:
    return tuple(one.mean for one in figures)
