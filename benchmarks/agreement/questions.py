"""What is compared with what, and how far apart the two may be."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from benchmarks.agreement import bare, peer
from benchmarks.agreement.ratios import Limit, at_most_above, within
from benchmarks.agreement.records import Subject


class Group(StrEnum):
    """The kinds of question."""

    PEERS = "peers"
    BARE = "bare"
    LANGUAGES = "languages"
    SINGLES = "singles"


HEADINGS = {
    Group.PEERS: "Our probe beside a peer, on one line a process",
    Group.BARE: "Our probe beside the published program with nothing around it, on one line a process",
    Group.LANGUAGES: "Other runtimes beside C++, by our probes",
    Group.SINGLES: "Our median single trip, less half a clock reading, beside our block mean",
}

PEER_LIMIT = within(5)
BARE_CPP_LIMIT, BARE_JAVA_LIMIT = at_most_above(2), at_most_above(5)
SINGLES_LIMIT = at_most_above(3)


class Question(Struct, frozen=True):
    """Two subjects side by side, or a subject's single trips beside its own blocks. Without a limit: reported."""

    group: Group
    ours: Subject
    theirs: Subject
    limit: Limit | None

    @property
    def title(self) -> str:
        """Name the question for a person."""
        subject = f"{self.ours.runtime} {self.ours.mechanism}"
        match self.group:
            case Group.PEERS:
                return f"{subject} / {peer.NAME} bench {peer.BENCHES[self.theirs.mechanism]}"
            case Group.BARE:
                remembers = self.theirs.mechanism.endswith(bare.REMEMBERED)
                return f"{subject} / bare{', own counter not read again' if remembers else ''}"
            case Group.LANGUAGES:
                return f"{subject} / {self.theirs.runtime}"
            case Group.SINGLES:
                return f"{subject} p50 / mean"


class Questions(Struct, frozen=True):
    """What can be asked here, and sentences on what cannot because our probe has no such mechanism."""

    asked: tuple[Question, ...]
    left_out: tuple[str, ...]

    @property
    def subjects(self) -> set[Subject]:
        """Everything that must be measured to answer."""
        return {subject for question in self.asked for subject in (question.ours, question.theirs)}


def questions(subjects: Sequence[Subject], groups: Collection[Group]) -> Questions:
    """Ask all that these subjects allow, in the order of the groups."""
    possible = [*_beside_others(subjects), *_by_ourselves(subjects)]
    wanted = sorted((one for one in possible if one.group in groups), key=lambda one: [*Group].index(one.group))
    known = set(subjects)
    return Questions(
        tuple(one for one in wanted if one.ours in known),
        tuple(f"{one.title}: the probe has no such mechanism here." for one in wanted if one.ours not in known),
    )


def _beside_others(subjects: Sequence[Subject]) -> Iterator[Question]:
    for other in subjects:
        if other.program == "bare":
            limit = BARE_CPP_LIMIT if other.runtime == "cpp" else BARE_JAVA_LIMIT
            mechanism = other.mechanism.removesuffix(bare.REMEMBERED)
            yield Question(Group.BARE, Subject("probe", other.runtime, mechanism, 1), other, limit)
        elif other.program == peer.NAME:
            yield Question(Group.PEERS, Subject("probe", "cpp", other.mechanism, 1), other, PEER_LIMIT)


def _by_ourselves(subjects: Sequence[Subject]) -> Iterator[Question]:
    """Over many lines: one line is luck, and only one process in twenty has the line of another."""
    for ours in subjects:
        if ours.program == "probe" and ours.lines > 1:
            yield Question(Group.SINGLES, ours, ours, SINGLES_LIMIT)
            theirs = Subject("probe", "cpp", ours.mechanism, ours.lines)
            if ours != theirs and theirs in subjects:
                yield Question(Group.LANGUAGES, ours, theirs, None)
