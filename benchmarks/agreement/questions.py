"""Agreement, declared: what is compared with what, and how far apart the two may be."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from msgspec.structs import replace

from benchmarks.agreement import bare, peer
from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import Limit, within
from benchmarks.records import BARE, PROBE, Subject
from threadping.model.cases import with_params

Group = StrEnum("Group", ["PEERS", "BARE", "LOCKS", "STREAMS", "CALLS", "BARRIERS", "RESTS", "LANGUAGES", "SINGLES"])

HEADINGS: dict[str, str] = {
    Group.PEERS: "Our probe and a peer, on one line per process, one way",
    Group.BARE: "Our probe and a hand-written baseline, the published ones among them, one way",
    Group.LOCKS: "Two threads on one lock, and a hand-written baseline, per operation",
    Group.STREAMS: "A stream from one thread to another, and a hand-written baseline, per message",
    Group.CALLS: "The call that wakes a thread, and a hand-written baseline, its median",
    Group.BARRIERS: "One thread releases another and waits for it, and a hand-written baseline, per round",
    Group.RESTS: "A hand-written baseline with steps before each first poll, or after each take of its consumer, "
    "and the same without steps",
    Group.LANGUAGES: "Other runtimes and C++, by our probes, one way",
    Group.SINGLES: "Our median single trip, its clock read included, and our block mean, one way",
}

LIMIT = within(5)
"""Holds both ways: a probe that is faster than its hand-written baseline runs another loop."""

WIDE_LIMIT = within(15)
"""As wide as the noise of blocked threads: the means of twelve baseline processes vary by 9-14% (sd). Spinning
barriers vary too: ten more instructions between two barrier waits make a round 9% faster."""

CLOSE_LIMIT = within(2)
"""Limit of Rust's two headline signals, against a hand-written baseline and against C++."""

CLOSE = ("cas-one-line", "release-one-line")

AT_FULL_SPEED = {
    f"{bare.QUEUE}{with_params(queue, bare.FULL_SPEED, bare.FULL_SPEED)}"
    for of_language in bare.QUEUES.values()
    for queue in of_language
}

GROUPS = {bare.LOCK: Group.LOCKS, bare.QUEUE: Group.STREAMS, bare.WAKEUP: Group.CALLS, bare.BARRIER: Group.BARRIERS}


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Yield our probe against a baseline over as many lines, and against the peer on one line, as the peer measures."""
    for one in subjects:
        what = f"{one.runtime} {one.mechanism}"
        group = next((of for prefix, of in GROUPS.items() if one.mechanism.startswith(prefix)), Group.BARE)
        if one.program == BARE and bare.REST in one.mechanism:
            without = replace(one, mechanism=one.mechanism.partition(bare.REST)[0])
            yield Question(Group.RESTS, f"{what} / without", one, without, None)
        elif one.program == BARE:
            mechanism = one.mechanism.removesuffix(bare.LISTED)
            title = f"{one.runtime} {mechanism} / {'listing' if _is_listed(one) else 'bare'}"
            yield Question(group, title, replace(one, program=PROBE, mechanism=mechanism), one, _limit(one))
        elif one.program == peer.NAME:
            title = f"cpp {one.mechanism} / {peer.NAME} bench {peer.BENCHES[one.mechanism]}"
            yield Question(Group.PEERS, title, Subject(PROBE, "cpp", one.mechanism, 1), one, LIMIT)
        elif one.lines > 1:
            yield Question(Group.SINGLES, f"{what} p50 / mean", one, one, None, ("single_p50", "median_block"))
            cpp = replace(one, runtime="cpp")
            if one != cpp and cpp in subjects:
                close = CLOSE_LIMIT if _is_close(one) else None
                yield Question(Group.LANGUAGES, f"{what} / cpp", one, cpp, close, ("median_block", "median_block"))


def _limit(one: Subject) -> Limit | None:
    """Return None for a listing with another loop, and for a stream whose pace depends on the consumer's distance."""
    if _is_listed(one) or one.mechanism in AT_FULL_SPEED:
        return None
    return WIDE_LIMIT if one.mechanism in bare.WIDE else CLOSE_LIMIT if _is_close(one) else LIMIT


def _is_listed(one: Subject) -> bool:
    return one.mechanism.endswith(bare.LISTED)


def _is_close(one: Subject) -> bool:
    return one.runtime == "rust" and one.mechanism in CLOSE


AGREEMENT = Benchmark("agreement", "Nanoseconds", "block or window", HEADINGS, possible)


def about(words: Collection[str]) -> Benchmark:
    """Ask only what has one of these words in its title; everything where there is none."""

    def wanted(subjects: Sequence[Subject]) -> Iterator[Question]:
        return (one for one in possible(subjects) if not words or any(word in one.title for word in words))

    return replace(AGREEMENT, possible=wanted)
