"""What a fleet does: each host by itself, or every two of them; nothing here needs Dask."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from threadping.model.bounds import Record
from threadping.model.fleet import Fleet, Host, Member
from threadping.planning.budget import rounds


class FleetHosts(Record, frozen=True):
    """What the workers say: the hosts that can measure, with a note on some, and what is wrong with the others.

    `cpus` are those that each host's worker may use, by the host's key.
    """

    hosts: tuple[Host, ...]
    notes: dict[str, str]
    problems: tuple[tuple[Host, str], ...]
    cpus: Mapping[str, tuple[int, ...]]


class Job(Record, frozen=True):
    """A command of threadping, and the host that carries it out; of a pair the CPU of the far end."""

    member: Member
    words: tuple[str, ...]
    far_cpu: int | None = None


class Came(Record, frozen=True):
    """An event: a job has ended. Exactly one of `run`, not yet validated, and `problem` is set."""

    member: Member
    run: bytes | None
    problem: str | None


def planned(fleet: Fleet, found: FleetHosts) -> list[Job]:
    """Each host by itself; and of a fleet of hops every two, in rounds in which no host is busy twice."""
    alone = [Member(host, note=found.notes.get(host.key)) for host in found.hosts]
    if not fleet.transport:
        return [Job(one, fleet.words) for one in alone]
    hosts = sorted(found.hosts, key=lambda host: host.name)
    pairs = [Member(hosts[a], peer=hosts[b]) for one in rounds(range(len(hosts))) for a, b in one]
    return [
        *(Job(one, (*fleet.words, *_mechanisms(fleet, one))) for one in alone),
        *(_of_pair(fleet, one, found.cpus) for one in pairs),
    ]


def _of_pair(fleet: Fleet, pair: Member, cpus: Mapping[str, Sequence[int]]) -> Job:
    """What a pair measures; noted where both ends have one CPU, where spinning threads wait for time slices to end."""
    cpu = far_cpu(pair, cpus)
    shared = len(pair.machines) == 1 and {*cpus[pair.host.key]} == {cpu}
    note = f"both ends are on CPU {cpu}, the only one that they may use" if shared else None
    return Job(replace(pair, note=note), (*fleet.words, *_mechanisms(fleet, pair)), cpu)


def _mechanisms(fleet: Fleet, member: Member) -> tuple[str, ...]:
    """Both ways to wait for a message, to another host or over loopback; pairs of one machine share its turn."""
    of = fleet.transport if member.peer else f"{fleet.transport}-loopback"
    anyway = ("--anyway",) if member.peer and len(member.machines) == 1 else ()
    return ("--mechanism", f"{of},{of}-spin", *anyway)


def far_cpu(pair: Member, cpus: Mapping[str, Sequence[int]]) -> int:
    """The CPU that the far end of a pair has: not CPU 0, which takes most interrupts, where it may use another.

    On the near end's machine it is above all not the CPU that the near end has unless somebody names one.

    Args:
        pair: both ends.
        cpus: those that each host may use, by its key.
    """
    assert pair.peer is not None
    near = min(cpus[pair.host.key], key=lambda cpu: (cpu == 0, cpu), default=0)
    together = len(pair.machines) == 1
    return min(cpus[pair.peer.key], key=lambda cpu: (together and cpu == near, cpu == 0, cpu), default=0)
