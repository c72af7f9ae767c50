"""The kinds of values in messages, and what all messages have in common. All times are in nanoseconds."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

SCHEMA: Literal[4] = 4
"""The contract's version: what speaks another one comes from another build."""

MOST_THREADS = 4096

MOST_COUNT = 2**63 - 1
"""What a store and every probe's language hold in a whole number; Python alone would take larger ones."""

HOUR_NS = 3_600_000_000_000

Version = Literal[4]
Whole = Annotated[int, Meta(ge=-MOST_COUNT - 1, le=MOST_COUNT)]
Count = Annotated[int, Meta(ge=0, le=MOST_COUNT)]
Positive = Annotated[int, Meta(ge=1, le=MOST_COUNT)]
Name = Annotated[str, Meta(min_length=1, max_length=10_000)]
Nanos = Annotated[float, Meta(ge=0, le=HOUR_NS)]
CpuNumber = Annotated[int, Meta(ge=0, le=65535)]
Params = dict[str, Whole | str]
ThreadCount = Annotated[int, Meta(ge=1, le=MOST_THREADS)]
Pin = Literal["thread", "process"]
WindowUnit = Literal["ops", "ns"]
"""The unit of windows: `ops` where one of the threads opens them, `ns` where another thread of the probe does."""


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message of the contract: immutable, and strict about what it does not know."""
