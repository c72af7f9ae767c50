"""Queue, declared: what is compared with what, and how far apart the two may be."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import within
from benchmarks.records import BARE, PROBE, Subject

Group = StrEnum("Group", ["BARE"])

HEADINGS: dict[str, str] = {
    Group.BARE: "A stream through our probe, and a hand-written baseline around the same queue, whose consumer rests "
    "after each take, or whose producer pauses after each message"
}
LIMIT = within(5)
"""Holds both ways: a stream that is faster because its consumer is slower is another stream."""


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Yield our stream against each baseline."""
    for other in subjects:
        if other.program == BARE:
            mechanism, _, steps = other.mechanism.partition(" rest=")
            ours = Subject(PROBE, other.runtime, mechanism, 1)
            limit = LIMIT if steps == "0 producer-work=0" else None
            yield Question(Group.BARE, f"{other.runtime} {other.mechanism} / bare", ours, other, limit)


QUEUE = Benchmark("queue", "Nanoseconds a message, one producer and one consumer", "window", HEADINGS, possible)
