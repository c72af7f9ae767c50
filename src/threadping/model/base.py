"""The base of records: their type, the bounds of their values, this machine's clock, and grouping.

msgspec refuses values out of bounds when it reads a store, a report or a host's answer.
"""

from collections.abc import Hashable, Iterable
from datetime import UTC, datetime
from time import gmtime
from typing import Annotated, Any, TypeVar

from msgspec import Meta, Struct

from threadping.model.errors import ThreadpingError


class Record(Struct, frozen=True):
    """An immutable record."""


LONGEST_WORD = 1_000
Word = Annotated[str, Meta(max_length=LONGEST_WORD)]  # a name, or one line
Sentence = Annotated[str, Meta(max_length=100_000)]  # text for a person: a reason, a note, a JVM's words
Finite = Annotated[float, Meta(ge=-1.7976931348623157e308, le=1.7976931348623157e308)]  # neither infinite nor NaN
Nanoseconds = Annotated[float, Meta(ge=0, le=1e18)]
Seconds = Annotated[float, Meta(ge=0, le=1e9)]  # of a budget: 30 years

# Others' CPU time may be slightly negative, or more than all: two clocks count it
Share = Annotated[float, Meta(ge=-1, le=1e6)]

_DAYS = (
    r"20[0-9]{2}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])",
    r"20[0-9]{2}-(0[469]|11)-(0[1-9]|[12][0-9]|30)",
    r"20[0-9]{2}-02-(0[1-9]|1[0-9]|2[0-8])",
    r"20([02468][048]|[13579][26])-02-29",
)

_MOMENT = (
    rf"({'|'.join(_DAYS)})T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{{1,6}})?"
    r"(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])"
)

# An existing day and a time with its zone, as `datetime.isoformat` writes it
Moment = Annotated[str, Meta(pattern=rf"^{_MOMENT}\Z")]
MomentIfKnown = Annotated[str, Meta(pattern=rf"^({_MOMENT})?\Z")]


def read_clock() -> str:
    """Return the time by this machine's clock, in seconds; raise ThreadpingError where no record can hold it."""
    if known := read_clock_if_set("seconds"):
        return known
    raise ThreadpingError(
        f"The clock of this machine is wrong: it shows the year {gmtime().tm_year}. Set it, such as by "
        "`timedatectl set-ntp true`, then measure again."
    )


def read_clock_if_set(timespec: str = "milliseconds") -> str:
    """Return the time by this machine's clock; nothing where somebody set that to what no record can hold."""
    year = gmtime().tm_year  # after 2262 Python has no other function that tells the time
    return datetime.now(UTC).isoformat(timespec=timespec) if 2000 <= year < 2100 else ""


MOST_CPUS_STORED = 4_096  # of a matrix
MOST_PAIRED_CASES = 1_000_000  # of a run: a matrix of 1,414 CPUs; readers keep each in memory
Key = TypeVar("Key", bound=Hashable)
Thing = TypeVar("Thing")


def value_at(record: Any, path: str) -> Any:
    """Return the value of an attribute of a record, as `machine.steal_ns`; None where one on the way is None."""
    for name in path.split("."):
        record = None if record is None else getattr(record, name)
    return record


def gathered(pairs: Iterable[tuple[Key, Thing]]) -> dict[Key, list[Thing]]:
    """Group things by key, both in the order in which they came; the pairs need not be sorted."""
    found: dict[Key, list[Thing]] = {}
    for key, thing in pairs:
        found.setdefault(key, []).append(thing)
    return found
