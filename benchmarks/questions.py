"""What is compared with what, whatever the benchmark."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from benchmarks.ratios import Limit
from benchmarks.records import Subject


class Question(Struct, frozen=True):
    """Two subjects side by side, or two figures of one. Without a limit: reported."""

    group: str
    title: str
    ours: Subject
    theirs: Subject
    limit: Limit | None


class Questions(Struct, frozen=True):
    """What can be asked here, and sentences on what cannot because our probe has no such mechanism."""

    asked: tuple[Question, ...]
    left_out: tuple[str, ...]

    @property
    def subjects(self) -> set[Subject]:
        """Everything that must be measured to answer."""
        return {subject for question in self.asked for subject in (question.ours, question.theirs)}


def choose(possible: Iterable[Question], subjects: Sequence[Subject], groups: Sequence[str]) -> Questions:
    """Ask the possible questions of these groups, in their order, whose own side is among the subjects."""
    wanted = sorted((one for one in possible if one.group in groups), key=lambda one: groups.index(one.group))
    known = set(subjects)
    return Questions(
        tuple(one for one in wanted if one.ours in known),
        tuple(f"{one.title}: the probe has no such mechanism here." for one in wanted if one.ours not in known),
    )
