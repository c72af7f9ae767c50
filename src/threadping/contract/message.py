"""What every message of the contract is made of. All times are in nanoseconds."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

MOST_THREADS = 4096

Version = Literal[1]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Name = Annotated[str, Meta(min_length=1)]
Nanos = Annotated[float, Meta(ge=0)]
Params = dict[str, int | str]
Pin = Literal["thread", "process"]


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message of the contract: immutable, and strict about what it does not know."""
