"""Both sides of a question, a process each, and the answer: whatever the benchmark."""

from collections.abc import Sequence

from msgspec import Struct

from benchmarks.questions import Question
from benchmarks.ratios import Interval, Met, Spread, judge, ratio_of_medians, spread
from benchmarks.records import Figures, Measurement, Subject


class Answer(Struct, frozen=True):
    """Both sides in nanoseconds and the ratio of ours to theirs; None where a side has no figure.

    `by_median_block` is the same ratio with our median block (or window) on our side: where it differs from `ratio`,
    which takes the mean of everything on both sides, something disturbed the run. `met` may be None.
    """

    group: str
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


def compare_means(question: Question, measurements: Sequence[Measurement], seed: int) -> Answer:
    """Others print the mean of all they timed: our mean beside theirs, and our median block (or window) as well."""
    ours, theirs = figures_of(question.ours, measurements), figures_of(question.theirs, measurements)
    sides = Sides(means(ours), means(theirs))
    by_median_block = ratio_of(Sides(median_blocks(ours), sides.theirs), seed)
    return answer_on(question, sides, ratio_of(sides, seed), by_median_block)


def answer_on(
    question: Question, sides: Sides, ratio: Interval | None, by_median_block: Interval | None = None
) -> Answer:
    """Put an answer together from both sides' figures and their ratio."""
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


def ratio_of(sides: Sides, seed: int) -> Interval | None:
    """The ratio of the two medians, if both sides have figures."""
    return ratio_of_medians(sides.ours, sides.theirs, seed) if sides.ours and sides.theirs else None


def figures_of(subject: Subject, measurements: Sequence[Measurement]) -> list[Figures]:
    """What the processes of a subject measured, without those that failed."""
    return [one.figures for one in measurements if one.subject == subject and one.figures is not None]


def means(figures: Sequence[Figures]) -> tuple[float, ...]:
    """The mean of each process."""
    return tuple(one.mean for one in figures)


def median_blocks(figures: Sequence[Figures]) -> tuple[float, ...]:
    """The median block (or window) of each process that tells it."""
    return tuple(one.median_block for one in figures if one.median_block is not None)


def _met(question: Question, ratio: Interval | None, sides: Sides) -> Met | None:
    if question.limit is None:
        return None
    return "cannot tell" if ratio is None else judge(ratio, question.limit, min(len(sides.ours), len(sides.theirs)))
