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
    Group.PEERS: "Our probe beside a peer, on one line a process, one way",
    Group.BARE: "Our probe beside a bare loop, the published ones among them, one way",
    Group.LOCKS: "Two threads on one lock, beside a bare loop, an operation of any",
    Group.STREAMS: "A stream from one thread to another, beside a bare loop, a message",
    Group.CALLS: "The call that wakes a thread, beside a bare loop, its median",
    Group.BARRIERS: "One thread lets another go and waits for it, beside a bare loop, a round",
    Group.RESTS: "A bare loop whose sides take some steps before each first look, or whose consumer does after each "
    "take, beside the same without",
    Group.LANGUAGES: "Other runtimes beside C++, by our probes, one way",
    Group.SINGLES: "Our median single trip, its clock reading included, beside our block mean, one way",
}

LIMIT = within(5)
"""Both ways: what is quicker than a bare loop of the same is another loop."""

WIDE_LIMIT = within(15)
"""As wide as the noise of those that sleep: twelve processes of a bare loop, whose means differ by 9 to 14% (sd). And
of barriers that spin: ten instructions more between two meetings at a barrier make a round 9% quicker."""

CLOSE_LIMIT = within(2)
"""What Rust's two headline signals keep to, beside a bare loop and beside C++'s."""

CLOSE = ("cas-one-line", "release-one-line")

AT_FULL_SPEED = {
    f"{bare.QUEUE}{with_params(queue, bare.FULL_SPEED, bare.FULL_SPEED)}"
    for of_language in bare.QUEUES.values()
    for queue in of_language
}

GROUPS = {bare.LOCK: Group.LOCKS, bare.QUEUE: Group.STREAMS, bare.WAKEUP: Group.CALLS, bare.BARRIER: Group.BARRIERS}


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Ours beside a bare loop over as many lines; beside the peer on one, as that measures."""
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
    """None where another loop stands beside ours, or a stream whose pace hangs on how close behind its consumer is."""
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
