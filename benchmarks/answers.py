"""Answer a question from the processes of both sides."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from benchmarks.questions import Question
from benchmarks.ratios import Met, Spread, judge, spread
from benchmarks.records import FigureName, Measurement, Subject
from threadping.analysis.percentiles import Estimate, estimate, ratio


class Answer(Struct, frozen=True):
    """Nanoseconds of both sides and the ratio of ours to theirs; None if a side has no figure.

    `by_median_block` is the same ratio with our median block (or window) on our side, where means are compared: where
    it differs from `ratio`, something disturbed the run. `met` is None where there is no limit.
    """

    group: str
    title: str
    limit: str | None
    ours: Spread | None
    theirs: Spread | None
    ratio: Estimate | None
    by_median_block: Estimate | None
    met: Met | None


def answer(question: Question, measurements: Sequence[Measurement], *, paired: bool = False) -> Answer:
    """Compare both sides' medians over processes; paired, or of one subject, round by round: the median of ratios."""

    def figures_of(subject: Subject, name: FigureName) -> dict[int, float]:
        of_it = ((one.round, one.figures) for one in measurements if one.subject == subject)
        read = ((number, figures.named(name)) for number, figures in of_it if figures)
        return {number: figure for number, figure in read if figure is not None}

    by_ours, by_theirs = question.figures
    ours, theirs = figures_of(question.ours, by_ours), figures_of(question.theirs, by_theirs)
    by_median_block = None
    if question.ours == question.theirs:
        ours, theirs = ({number: side[number] for number in ours.keys() & theirs.keys()} for side in (ours, theirs))
    compare = _ratio_of_rounds if paired or question.ours == question.theirs else _ratio
    found = compare(ours, theirs)
    if question.ours != question.theirs and by_ours == "mean":
        by_median_block = compare(figures_of(question.ours, "median_block"), theirs)
    return Answer(
        group=question.group,
        title=question.title,
        limit=question.limit.words if question.limit else None,
        ours=spread([*ours.values()]) if ours else None,
        theirs=spread([*theirs.values()]) if theirs else None,
        ratio=found,
        by_median_block=by_median_block,
        met=judge(found, question.limit) if question.limit else None,
    )


def _ratio(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Estimate | None:
    return ratio([*ours.values()], [*theirs.values()]) if ours and theirs else None


def _ratio_of_rounds(ours: Mapping[int, float], theirs: Mapping[int, float]) -> Estimate | None:
    """The median over the rounds that have both."""
    both = sorted(ours.keys() & theirs.keys())
    return estimate([ours[number] / theirs[number] for number in both]) if both else None
