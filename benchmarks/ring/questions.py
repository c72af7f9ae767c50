"""Ring, declared: what is compared with what, and how far apart the two may be."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import at_most_above
from benchmarks.records import BARE, PROBE, Subject

Group = StrEnum("Group", ["BARE"])

HEADINGS: dict[str, str] = {Group.BARE: "A stream through our probe beside a bare loop around the same queue"}
LIMIT = at_most_above(5)
"""At least 95% of the messages a second."""


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Our stream beside each bare one."""
    for other in subjects:
        if other.program == BARE:
            ours = Subject(PROBE, other.runtime, other.mechanism, 1)
            yield Question(Group.BARE, f"{other.runtime} {other.mechanism} / bare", ours, other, LIMIT)


RING = Benchmark("ring", "Nanoseconds a message, one producer and one consumer", "window", HEADINGS, possible)
