"""What is compared with what, and how far apart the two may be."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from benchmarks.agreement import bare, peer
from benchmarks.questions import Question, Questions, choose
from benchmarks.ratios import Limit, at_most_above, within
from benchmarks.records import BARE, PROBE, Subject


class Group(StrEnum):
    """The kinds of question."""

    PEERS = "peers"
    BARE = "bare"
    LANGUAGES = "languages"
    SINGLES = "singles"


HEADINGS: dict[str, str] = {
    Group.PEERS: "Our probe beside a peer, on one line a process",
    Group.BARE: "Our probe beside the published program with nothing around it, on one line a process",
    Group.LANGUAGES: "Other runtimes beside C++, by our probes",
    Group.SINGLES: "Our median single trip, its clock reading included, beside our block mean",
}

PEER_LIMIT = within(5)
BARE_CPP_LIMIT, BARE_JAVA_LIMIT = at_most_above(2), at_most_above(5)
SINGLES_LIMIT = at_most_above(3)


def questions(subjects: Sequence[Subject], groups: Collection[str]) -> Questions:
    """Ask all that these subjects allow, in the order of the groups."""
    possible = (*_beside_others(subjects), *_by_ourselves(subjects))
    return choose(possible, subjects, [group for group in Group if group in groups])


def _beside_others(subjects: Sequence[Subject]) -> Iterator[Question]:
    for other in subjects:
        if other.program == BARE:
            limit = BARE_CPP_LIMIT if other.runtime == "cpp" else BARE_JAVA_LIMIT
            mechanism = other.mechanism.removesuffix(bare.REMEMBERED)
            remembers = other.mechanism.endswith(bare.REMEMBERED)
            beside = f"bare{', own counter not read again' if remembers else ''}"
            yield _question(Group.BARE, Subject(PROBE, other.runtime, mechanism, 1), f"/ {beside}", other, limit)
        elif other.program == peer.NAME:
            beside = f"{peer.NAME} bench {peer.BENCHES[other.mechanism]}"
            yield _question(Group.PEERS, Subject(PROBE, "cpp", other.mechanism, 1), f"/ {beside}", other, PEER_LIMIT)


def _by_ourselves(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Over many lines: one line is luck, and only one process in twenty has the line of another."""
    for ours in subjects:
        if ours.program == PROBE and ours.lines > 1:
            yield _question(Group.SINGLES, ours, "p50 / mean", ours, SINGLES_LIMIT)
            theirs = Subject(PROBE, "cpp", ours.mechanism, ours.lines)
            if ours != theirs and theirs in subjects:
                yield _question(Group.LANGUAGES, ours, f"/ {theirs.runtime}", theirs, None)


def _question(group: Group, ours: Subject, beside: str, theirs: Subject, limit: Limit | None) -> Question:
    return Question(group, f"{ours.runtime} {ours.mechanism} {beside}", ours, theirs, limit)
