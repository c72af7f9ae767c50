"""What it costs to reach a thread, a process, the same host over its loopback, and another host: a row each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.model.bounds import Record
from threadping.model.fleet import Member

To = Literal["thread", "process", "loopback", "host"]

BETWEEN: dict[str, To] = {"threads": "thread", "processes": "process"}


HOP_FIGURES = {
    "round_trip_p99_ns": "round_trip_ns.p99",
    "cpu_ns_per_op": "cpu_ns_per_op",
    "far_cpu_ns_per_op": "hop.far_cpu_ns_per_op",
    "lost": "hop.lost",
}
"""What is said of each hop, by the figure of its row: p99 of single round trips, whole; CPU time of an operation, of
both threads for a hand-over, else of the near end; that of the far end; the share of datagrams sent again."""


class Hop(Record, frozen=True):
    """How long a message is on its way to another thread.

    Attributes:
        member: from which host, to which where it is another one; and the run.
        to: what is reached.
        row: by which mechanism, and its figures.
        latency: one way, in ns: half of the median round trip; None where nothing was measured.
    """

    member: Member
    to: To
    row: Row
    latency: Estimate | None

    def estimate(self, name: str) -> Estimate | None:
        """One of HOP_FIGURES; None where it is not known."""
        return self.row.figures.get(HOP_FIGURES[name])


def hops(members: Sequence[Member], answers: Mapping[str, Answer], local: Mapping[str, Answer]) -> tuple[Hop, ...]:
    """Those of each host, then those between hosts.

    Args:
        members: of a fleet of hops.
        answers: what their runs say, by the member's key.
        local: what runs of `signal` say, by the host's key; of those the quickest that spins and the quickest that
            sleeps are given.
    """
    found: list[Hop] = []
    for one in members:
        if one.peer is None and one.host.key in local:
            found += _quickest(Member(one.host, local[one.host.key].run.id), local[one.host.key])
        if one.key in answers:
            found += _hops(one, answers[one.key], "hop")
    return tuple(found)


def _quickest(member: Member, answer: Answer) -> Iterator[Hop]:
    known = [(one.latency.value, one) for one in _hops(member, answer, "signal") if one.latency]
    of_threads = [one for _, one in sorted(known, key=lambda one: one[0])]
    for to in BETWEEN.values():
        for blocking in (False, True):
            yield from [one for one in of_threads if (one.to, one.row.case.blocking) == (to, blocking)][:1]


def _hops(member: Member, answer: Answer, experiment: str) -> Iterator[Hop]:
    for row in answer.rows:
        if row.case.experiment == experiment:
            yield Hop(member, _reached(member, row), row, row.headline)


def _reached(member: Member, row: Row) -> To:
    if row.case.experiment != "hop":
        return BETWEEN[str(row.case.params.get("between", "threads"))]
    return "host" if member.peer else "loopback"
