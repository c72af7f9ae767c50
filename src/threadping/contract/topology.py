"""What `probe topology` says."""

from typing import Annotated

from msgspec import Meta

from threadping.contract.values import Count, Message, Name, Version

CoreKind = Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,12}$")]


class Cpu(Message, frozen=True, omit_defaults=True):
    """A CPU; two share a thing when its number is the same, None where the machine does not tell.

    `kind` is what its core is called on a hybrid machine: `P`, `E`, `LP-E`, `big`, `medium`, `little`.
    """

    cpu: Count
    core: Count | None
    l2: Count | None
    l3: Count | None
    node: Count | None
    package: Count | None
    kind: CoreKind | None = None

    @property
    def is_listed(self) -> bool:
        """Whether the system lists it: of a CPU that may be used all the same nothing is known."""
        return (self.core, self.l2, self.l3, self.node, self.package) != (None,) * 5


class Topology(Message, frozen=True, omit_defaults=True):
    """What `probe topology` says: the machine's CPUs, and those that this process may use.

    `offline` are those that are known and not there; among `isolated` ones the scheduler balances no load. What the
    system tells `contradicts_itself` where the library found that it cannot all be so.
    """

    source: Name
    cpus: Annotated[tuple[Cpu, ...], Meta(min_length=1)]
    allowed: Annotated[tuple[Count, ...], Meta(min_length=1)]
    schema: Version
    offline: tuple[Count, ...] = ()
    isolated: tuple[Count, ...] = ()
    contradicts_itself: bool = False
