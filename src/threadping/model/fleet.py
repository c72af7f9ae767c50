"""One question put to many hosts, and what became of each."""

from typing import Annotated

from msgspec import Meta

from threadping.model.bounds import Moment, Record, Seconds, Sentence, Word
from threadping.model.contract import Count


class Host(Record, frozen=True):
    """A host of a fleet, however many workers it has."""

    key: Word  # a digest of its machine id and its boot id, which tells it from other hosts
    machine: Word  # a digest of its boot id alone: containers of one machine share it
    name: Word  # what it calls itself
    address: Word  # of the worker that measures for it
    version: Word  # of its threadping
    engine: Word  # the versions of Dask and Python there


class Member(Record, frozen=True):
    """The result of a host in a fleet: the number of its run, or the reason why there is none.

    Where pairs of hosts are measured, `peer` is the far end.
    """

    host: Host
    run: Count | None = None
    problem: Sentence | None = None
    note: Sentence | None = None
    peer: Host | None = None

    @property
    def key(self) -> str:
        return f"{self.host.key} {self.peer.key}" if self.peer else self.host.key

    @property
    def name(self) -> str:
        return f"{self.host.name} to {self.peer.name}" if self.peer else self.host.name

    @property
    def machines(self) -> frozenset[str]:
        """Return the machines where nothing else may measure meanwhile."""
        return frozenset(one.machine for one in (self.host, self.peer) if one)


class Fleet(Record, frozen=True):
    """One question put to many hosts. `id` is 0 until the store gives it one; `started` is ISO 8601, UTC."""

    started: Moment  # when it was put, by the clock of the host that put it
    scheduler: Word  # the address of Dask's scheduler
    # the command that every host carries out, with its options
    words: Annotated[tuple[Sentence, ...], Meta(max_length=10_000)]
    budget_s: Seconds  # how long each measures
    version: Word  # of the threadping that asked
    transport: Word = ""  # of the messages between every two hosts, `tcp` or `udp`; empty where each measures by itself
    id: Count = 0
