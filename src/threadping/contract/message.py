"""What every message of the contract is made of. All times are in nanoseconds."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

SCHEMA: Literal[4] = 4
"""The contract's version: what speaks another one comes from another build."""

MOST_THREADS = 4096

Version = Literal[4]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(min_length=1)]
Nanos = Annotated[float, Meta(ge=0)]
CpuNumber = Annotated[int, Meta(ge=0, le=65535)]
Params = dict[str, int | str]
Pin = Literal["thread", "process"]
Unit = Literal["ops", "ns"]
"""What windows are measured out in: `ops` where one of the threads opens them, `ns` where somebody outside does."""


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message of the contract: immutable, and strict about what it does not know."""
