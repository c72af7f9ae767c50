"""The runs that a page carries: everything that its rows are made from, and nothing that a browser executes.

A run, its observations and its reference pings, compressed: a first run takes 0.2 MB. The single windows and outliers
of its trials stay in the store of the machine that measured: they would make the page six times as large.
"""

import base64
import binascii
import hashlib
import lzma
import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, repeat
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec
from msgspec.structs import replace

from threadping.contract import Count
from threadping.errors import PageUnreadable
from threadping.model import Observation, Owner, Record, ReferencePing, Run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
"""It counts up with every change that a reader of today could not read."""

OPEN, CLOSE = '<script type="application/json" id="threadping-runs">', "</script>"

LARGEST_PAGE, LARGEST_RUN = 64 << 20, 256 << 20
"""In bytes: a file, and what is decompressed from it. 2,000 trials take 4 MB and 20 MB."""

LARGE = 255
"""What a byte holds in place of a larger number."""

MOST_EXACT = 1 << 53
"""As nanoseconds, 104 days: a floating-point number is every whole number below it."""

MOST_MEMORY = 64 << 20
"""In bytes, of what decompresses: what is compressed here needs less than one."""

FOLDER = re.compile(r"/(home|Users)/[^/\s:]+")
"""A user's home folder, which would give the user's name away."""

NOBODY = Owner("", "", 0, 0)


class Carried(Record, frozen=True):
    """A run as it was stored."""

    run: Run
    observations: tuple[Observation, ...]
    pings: tuple[ReferencePing, ...]


class Column(Record, frozen=True):
    """Numbers, most of which are small: a byte for each, and those that have no room in it, for which LARGE stands."""

    small: bytes
    large: list[int]


class Columns(Record, frozen=True):
    """A run of which the distributions stand in columns, one after the other.

    Values ascend, and have twelve leading bits and zeros behind them: written as floating-point numbers, whose bits
    ascend as they do, neighbours mostly differ by a small number.

    Attributes:
        run: as it was stored.
        observations: with distributions that have neither values nor counts.
        pings: as they were stored.
        sizes: of each distribution how many values it has.
        unused: how many of their last bits are 0 in all values.
        steps: from each value to the next, without these bits.
        counts: how often each value occurred.
    """

    run: Run
    observations: tuple[Observation, ...]
    pings: tuple[ReferencePing, ...]
    sizes: list[Count]
    unused: Annotated[int, msgspec.Meta(ge=0, lt=64)]
    steps: Column
    counts: Column


class Packed(Record, frozen=True):
    """A run as it stands in a page: compressed, in base64, with its digest."""

    sha256: str
    data: str


class Envelope(Record, frozen=True):
    """All that a page carries."""

    format: int
    runs: tuple[Packed, ...]


def carry(
    run: Run, observations: Sequence[Observation], pings: Sequence[ReferencePing], *, identify: bool = False
) -> Carried:
    """What a page of a run carries; without `identify` the names of its host and users are left out.

    The number of a run and the process that measured it mean something in its own store only.
    """
    hosts = {run.machine.hostname, run.owner.hostname} - {""}
    run = replace(run, id=0, owner=NOBODY)
    if run.status == "running":
        run = replace(run, status="interrupted")
    if identify:
        return Carried(run, tuple(observations), tuple(pings))
    run = replace(run, machine=replace(run.machine, hostname=""))
    return Carried(
        anonymous(run, hosts),
        tuple(anonymous(one, hosts) for one in observations),
        tuple(anonymous(one, hosts) for one in pings),
    )


_Kind = TypeVar("_Kind", bound=Record)
Ints = tuple[int, ...]


def anonymous(record: _Kind, hosts: set[str]) -> _Kind:
    """The record itself where nothing in it is a name, as in almost all of thousands."""
    encoded = msgspec.msgpack.encode(record)
    if not any(name.encode() in encoded for name in ("/home/", "/Users/", *hosts)):
        return record
    nameless = msgspec.convert(_without_names(msgspec.to_builtins(record), hosts), type(record))
    return record if nameless == record else nameless


def _without_names(stored: Any, hosts: set[str]) -> Any:
    """Hosts are named in sentences and commands; a folder may be anywhere."""
    match stored:
        case str():
            for host in hosts if " " in stored or "/" in stored else ():
                stored = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-])", "host", stored)
            return FOLDER.sub("~", stored)
        case dict():
            return {_without_names(name, hosts): _without_names(value, hosts) for name, value in stored.items()}
        case list() | tuple() if stored and not isinstance(stored[0], int):
            return [_without_names(value, hosts) for value in stored]
    return stored


def embedded(runs: Sequence[Carried]) -> str:
    """The runs as an element of a page."""
    envelope = Envelope(FORMAT, tuple(_packed(one) for one in runs))
    return OPEN + msgspec.json.encode(envelope).decode() + CLOSE


def _packed(one: Carried) -> Packed:
    data = lzma.compress(msgspec.msgpack.encode(_in_columns(one)), preset=0)
    return Packed(hashlib.sha256(data).hexdigest(), base64.b64encode(data).decode())


def carried_by(page: Path) -> list[Carried]:
    """The runs of a page; raises PageUnreadable, which says why there is none."""
    try:
        size = page.stat().st_size
        if size > LARGEST_PAGE:
            raise _unreadable(page, f"it has {size / 1e6:,.0f} MB, and no page of threadping has more than 64")
        content = page.read_bytes()
    except OSError as error:
        raise _unreadable(page, error.strerror or str(error)) from error
    return carried_in(content, page)


def carried_in(content: bytes, page: Path | str) -> list[Carried]:
    """The runs in what a file holds, or what a host sent: `page` names it. Raises PageUnreadable."""
    text = content.decode("utf-8", "replace")
    _, found, rest = text.partition(OPEN)
    if not found:
        raise _unreadable(page, "it carries no run: `threadping report` did not make it, or it was cut off")
    data, whole, _ = rest.partition(CLOSE)
    if not whole:
        raise _unreadable(page, "its end is missing. Copy it again")
    try:
        given = msgspec.json.decode(data, type=dict[str, Any]).get("format")
        if isinstance(given, int) and given != FORMAT:
            age = "a newer" if given > FORMAT else "an older"
            raise _unreadable(page, f"{age} threadping made it (format {given}; this one reads {FORMAT})")
        return [_unpacked(one, page) for one in msgspec.json.decode(data, type=Envelope).runs]
    except (ValueError, RecursionError) as error:
        raise _unreadable(page, f"somebody changed the run in it ({error})") from error


def _unpacked(one: Packed, page: Path | str) -> Carried:
    try:
        packed = base64.b64decode(one.data, validate=True)
        if hashlib.sha256(packed).hexdigest() != one.sha256:
            raise ValueError("its digest is another")
        bounded = lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_MEMORY)
        encoded = bounded.decompress(packed, LARGEST_RUN)
        if not bounded.eof:
            raise ValueError("it is too large, or ends too soon")
        return _in_rows(msgspec.msgpack.decode(encoded, type=Columns))
    except (binascii.Error, lzma.LZMAError, EOFError, ArithmeticError, LookupError) as error:
        raise _unreadable(page, f"somebody changed the run in it ({error})") from error


def _unreadable(page: Path | str, why: str) -> PageUnreadable:
    return PageUnreadable(f"{page} cannot be imported: {why}.")


def _column(numbers: "NDArray[np.int64]") -> Column:
    large = (numbers < 0) | (numbers >= LARGE)
    few = numbers[large].tolist()
    numbers[large] = LARGE
    return Column(numbers.astype("u1").tobytes(), few)


def _numbers(of: Column) -> "NDArray[np.int64]":
    import numpy as np

    numbers = np.frombuffer(of.small, "u1").astype(np.int64)
    numbers[numbers == LARGE] = of.large
    return numbers


def _in_columns(one: Carried) -> Columns:
    import numpy as np

    timed = [of for seen in one.observations for of in seen.distributions.values()]
    values = np.fromiter(chain.from_iterable(of.values for of in timed), np.float64).view(np.int64)
    used = int(np.bitwise_or.reduce(values))
    unused = max((used & -used).bit_length() - 1, 0)
    values >>= unused
    values[1:] -= values[:-1]
    counts = np.fromiter(chain.from_iterable(of.counts for of in timed), np.int64)
    observations = (_with(seen, repeat(((), ()))) for seen in one.observations)
    sizes = [len(of.values) for of in timed]
    return Columns(one.run, tuple(observations), one.pings, sizes, unused, _column(values), _column(counts))


def _in_rows(one: Columns) -> Carried:
    """What was packed; a ValueError where durations do not ascend, each with its count, or a figure is not finite."""
    import numpy as np

    values, counts = (_numbers(one.steps).cumsum() << one.unused).view(np.float64), _numbers(one.counts)
    with np.errstate(invalid="ignore"):
        whole = values.astype(np.int64)
    firsts = np.cumsum([0, *one.sizes])
    ascends = np.diff(values, prepend=-1.0) > 0
    ascends[firsts[firsts < len(values)]] = True
    finite = (isfinite(figure) for seen in one.observations for figure in seen.figures.values())
    if not (
        len(values) == len(counts) == firsts[-1]
        and len(one.sizes) == sum(len(seen.distributions) for seen in one.observations)
        and ascends.all()
        and ((values >= 0) & (values < MOST_EXACT) & (values == whole)).all()
        and (counts > 0).all()
        and all(finite)
    ):
        raise ValueError("its figures make no sense")
    parts = ((tuple(whole[at:end].tolist()), tuple(counts[at:end].tolist())) for at, end in pairwise(firsts.tolist()))
    return Carried(one.run, tuple(_with(seen, parts) for seen in one.observations), one.pings)


def _with(seen: Observation, parts: Iterator[tuple[Ints, Ints]]) -> Observation:
    """An observation whose distributions have these values and counts."""
    distributions = {
        name: replace(of, values=values, counts=counts)
        for (name, of), (values, counts) in zip(seen.distributions.items(), parts, strict=False)
    }
    return replace(seen, distributions=distributions)
