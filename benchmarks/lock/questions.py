"""Lock, declared: what is compared with what, and how far apart the two may be."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from benchmarks.lock import jmh
from benchmarks.lock.bare import TWO_THREADS
from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import Limit, within
from benchmarks.records import BARE, PROBE, Subject

Group = StrEnum("Group", ["BARE", "JMH", "LINES", "WAITS"])

HEADINGS: dict[str, str] = {
    Group.BARE: "Our probe and a hand-written baseline, one thread on one lock",
    Group.JMH: "Our probe and JMH, one thread on one lock",
    Group.LINES: "Our probe as it usually measures, alternating between several locks, and the same counterpart",
    Group.WAITS: "The mean wait of two threads on one lock, and a baseline that also samples in mid-chunk",
}

COUNTERPARTS: dict[str, tuple[Group, Limit]] = {BARE: (Group.BARE, within(3)), jmh.NAME: (Group.JMH, within(5))}


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Yield each program's one lock against our one, and against as many as we usually measure."""
    for other in subjects:
        if other.program == PROBE:
            continue
        what = f"{other.runtime} {other.mechanism}"
        ours = Subject(PROBE, other.runtime, other.mechanism, 1)
        if other.mechanism.startswith(TWO_THREADS):
            yield Question(Group.WAITS, f"{what} / {other.program}", ours, other, within(10))
            continue
        group, limit = COUNTERPARTS[other.program]
        yield Question(group, f"{what} / {other.program}", ours, other, limit)
        for usual in subjects:
            same = (usual.program, usual.runtime, usual.mechanism) == (PROBE, other.runtime, other.mechanism)
            if same and usual.lines > 1:
                yield Question(Group.LINES, f"{what}, {usual.lines} locks / {other.program}", usual, other, None)


LOCK = Benchmark("lock", "Nanoseconds an operation of one thread", "window", HEADINGS, possible)
