"""What is compared with what, and how far apart the two may be."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from benchmarks.questions import Question, Questions, choose
from benchmarks.ratios import within
from benchmarks.records import BARE, PROBE, Subject

JMH = "JMH"
"""The third program."""


class Group(StrEnum):
    """The kinds of question."""

    BARE = "bare"
    JMH = "jmh"
    LINES = "lines"


HEADINGS: dict[str, str] = {
    Group.BARE: "Our probe beside a bare loop, one thread on one lock",
    Group.JMH: "Our probe beside JMH, one thread on one lock",
    Group.LINES: "Our probe as it usually measures, on several locks in turn, beside the same",
}

LIMITS = {BARE: within(3), JMH: within(5)}
GROUPS = {BARE: Group.BARE, JMH: Group.JMH}


def questions(subjects: Sequence[Subject], groups: Collection[str]) -> Questions:
    """Ask all that these subjects allow, in the order of the groups."""
    return choose(_possible(subjects), subjects, [group for group in Group if group in groups])


def _possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    for other in subjects:
        if other.program == PROBE:
            continue
        what = f"{other.runtime} {other.mechanism}"
        ours = Subject(PROBE, other.runtime, other.mechanism, 1)
        yield Question(GROUPS[other.program], f"{what} / {other.program}", ours, other, LIMITS[other.program])
        for usual in subjects:
            same = (usual.program, usual.runtime, usual.mechanism) == (PROBE, other.runtime, other.mechanism)
            if same and usual.lines > 1:
                title = f"{what}, {usual.lines} locks / {other.program}"
                yield Question(Group.LINES, title, usual, other, None)
