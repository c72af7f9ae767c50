"""What `probe topology` says."""

from typing import Annotated

from msgspec import Meta

from threadping.contract.message import Count, Message, Name, Version


class Cpu(Message, frozen=True):
    """An online CPU; two share a thing when its number is the same, None where the machine does not tell."""

    cpu: Count
    core: Count | None
    l2: Count | None
    l3: Count | None
    node: Count | None
    package: Count | None


class Topology(Message, frozen=True):
    """What `probe topology` says: the machine's CPUs, and those that this process may use."""

    source: Name
    cpus: Annotated[tuple[Cpu, ...], Meta(min_length=1)]
    allowed: Annotated[tuple[Count, ...], Meta(min_length=1)]
    schema: Version
