"""The jobs of a fleet, each host by itself or every two of them, and what hosts answer; nothing here needs Dask."""

from collections.abc import Sequence

from threadping.model.base import Record
from threadping.model.run import Fleet, Host, Member
from threadping.planning.plan import pairings


class HostReport(Record, frozen=True):
    """The state of a host before it measures.

    Attributes:
        host: by the name that its worker gives it.
        measuring: what measures there now.
        clock: its time in seconds since 1970.
        cpus: those that its worker may use.
        note: what is kept with its run; of the client.
        problem: why it cannot measure; of the client.
    """

    host: Host
    measuring: str | None
    clock: float
    cpus: tuple[int, ...] = (0,)
    note: str | None = None
    problem: str | None = None


class HostResult(Record, frozen=True):
    """The answer of a host: its run, as `--format run` writes it, or what its threadping said instead."""

    run: bytes
    said: str


class Job(Record, frozen=True):
    """A command of threadping, and the host that carries it out; of a pair the CPU of the far end."""

    member: Member
    words: tuple[str, ...]
    far_cpu: int = 0


def planned(fleet: Fleet, reports: Sequence[HostReport]) -> list[Job]:
    """Return each host by itself; and of a fleet of hops every two machines, in rounds in which none is busy twice."""
    able = sorted((one for one in reports if one.problem is None), key=lambda one: one.host.name)
    alone = [Member(one.host, note=one.note) for one in able]
    if not fleet.transport:
        return [Job(one, fleet.words) for one in alone]

    def words(of: str) -> tuple[str, ...]:
        return (*fleet.words, "--mechanism", f"{of},{of}-spin")  # both ways to wait for a message

    jobs = [Job(one, words(f"{fleet.transport}-loopback")) for one in alone]
    for near, far in ((able[a], able[b]) for of_round in pairings(range(len(able))) for a, b in of_round):
        if near.host.machine != far.host.machine:
            cpu = min(far.cpus, key=lambda cpu: (cpu == 0, cpu))  # CPU 0 takes most interrupts
            jobs.append(Job(Member(near.host, peer=far.host), words(fleet.transport), cpu))
    return jobs
