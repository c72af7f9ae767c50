"""Agreement, declared: what is compared with what, and how far apart the two may be."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from benchmarks.agreement import peer
from benchmarks.agreement.bare import REMEMBERED
from benchmarks.questions import Benchmark, Question
from benchmarks.ratios import at_most_above, within
from benchmarks.records import BARE, PROBE, Subject

Group = StrEnum("Group", ["PEERS", "BARE", "LANGUAGES", "SINGLES"])

HEADINGS: dict[str, str] = {
    Group.PEERS: "Our probe beside a peer, on one line a process",
    Group.BARE: "Our probe beside the published program with nothing around it, on one line a process",
    Group.LANGUAGES: "Other runtimes beside C++, by our probes",
    Group.SINGLES: "Our median single trip, its clock reading included, beside our block mean",
}

PEER_LIMIT = within(5)
BARE_CPP_LIMIT, BARE_JAVA_LIMIT = at_most_above(2), at_most_above(5)
SINGLES_LIMIT = at_most_above(3)


def possible(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Ours beside others on one line; by ourselves over many, since only one process in twenty has another's line."""
    for one in subjects:
        what = f"{one.runtime} {one.mechanism}"
        if one.program == BARE:
            limit = BARE_CPP_LIMIT if one.runtime == "cpp" else BARE_JAVA_LIMIT
            ours = Subject(PROBE, one.runtime, one.mechanism.removesuffix(REMEMBERED), 1)
            remembers = ", own counter not read again" if one.mechanism.endswith(REMEMBERED) else ""
            yield Question(Group.BARE, f"{ours.runtime} {ours.mechanism} / bare{remembers}", ours, one, limit)
        elif one.program == peer.NAME:
            title = f"cpp {one.mechanism} / {peer.NAME} bench {peer.BENCHES[one.mechanism]}"
            yield Question(Group.PEERS, title, Subject(PROBE, "cpp", one.mechanism, 1), one, PEER_LIMIT)
        elif one.lines > 1:
            yield Question(Group.SINGLES, f"{what} p50 / mean", one, one, SINGLES_LIMIT, ("single_p50", "median_block"))
            cpp = Subject(PROBE, "cpp", one.mechanism, one.lines)
            if one != cpp and cpp in subjects:
                yield Question(Group.LANGUAGES, f"{what} / cpp", one, cpp, None, ("median_block", "median_block"))


AGREEMENT = Benchmark("agreement", "One-way nanoseconds", "block", HEADINGS, possible)
