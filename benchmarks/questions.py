"""Questions of a benchmark, and those that the subjects here can answer."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct

from benchmarks.ratios import Limit
from benchmarks.records import FigureName, Subject


class Question(Struct, frozen=True):
    """Two subjects side by side, or two figures of one; each side by a figure of its own. Without a limit: reported."""

    group: str
    title: str
    ours: Subject
    theirs: Subject
    limit: Limit | None
    figures: tuple[FigureName, FigureName] = ("mean", "mean")


class Questions(Struct, frozen=True):
    """Questions that can be asked here, and a sentence for each that cannot because our probe lacks the mechanism."""

    asked: tuple[Question, ...]
    left_out: tuple[str, ...]

    @property
    def subjects(self) -> set[Subject]:
        """Everything that must be measured to answer."""
        return {subject for question in self.asked for subject in (question.ours, question.theirs)}


class Benchmark(Struct, frozen=True):
    """A declaration; one runner and one report serve them all.

    Attributes:
        name: as errors begin.
        measures: what its figures are.
        stretch: what our probe times as a whole, and tells the median of.
        headings: of its groups of questions, in the order in which they are shown.
        possible: every question that such subjects give rise to, whether our own side is among them or not.
    """

    name: str
    measures: str
    stretch: str
    headings: Mapping[str, str]
    possible: Callable[[Sequence[Subject]], Iterable[Question]]

    def questions(self, subjects: Sequence[Subject], groups: Collection[str]) -> Questions:
        """Ask the possible questions of these groups, in the groups' order, whose own side is among the subjects."""
        possible = [*self.possible(subjects)]
        wanted = [one for group in self.headings if group in groups for one in possible if one.group == group]
        return Questions(
            tuple(one for one in wanted if one.ours in subjects),
            tuple(f"{one.title}: the probe has no such mechanism here." for one in wanted if one.ours not in subjects),
        )
