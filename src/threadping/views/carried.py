"""The runs that a page carries: everything that its rows are made from, and nothing that a browser executes.

A run, its observations and its reference pings, compressed: a first run takes 0.2 MB. The single windows and outliers
of its trials stay in the store of the machine that measured: they would make the page six times as large.
"""

import base64
import bz2
import hashlib
import re
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import isfinite
from operator import sub
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from threadping.contract import Distribution
from threadping.errors import PageUnreadable
from threadping.model import Owner, Record, Stored

FORMAT = 3
"""It counts up with every change that a reader of today could not read."""

OPEN, CLOSE = '<script type="application/json" id="threadping-runs">', "</script>"

LARGEST_PAGE, LARGEST_RUN = 64 << 20, 256 << 20
"""In bytes: a file, and what is decompressed from it. 2,000 trials take 4 MB and 20 MB."""

MOST_EXACT = 1 << 53
"""As nanoseconds, 104 days: floating-point arithmetic with such numbers is exact."""

FOLDER = re.compile(r"/(home|Users)/[^/\s:]+")
"""A user's home folder, which would give the user's name away."""

DAMAGE = (ValueError, RecursionError, OSError, EOFError, ArithmeticError, LookupError)

NOBODY = Owner("", "", 0, 0)


class Packed(Record, frozen=True):
    """A run as it stands in a page: compressed, in base64, with its digest."""

    sha256: str
    data: str


class Envelope(Record, frozen=True):
    """All that a page carries."""

    format: int
    runs: tuple[Packed, ...]


def carry(stored: Stored, *, identify: bool = False) -> Stored:
    """What a page of a run carries; without `identify` the names of its host and users are left out.

    The number of a run and the process that measured it mean something in its own store only.
    """
    hosts = {stored.run.machine.hostname, stored.run.owner.hostname} - {""}
    run = replace(stored.run, id=0, owner=NOBODY)
    if run.status == "running":
        run = replace(run, status="interrupted")
    if identify:
        return replace(stored, run=run)
    run = replace(run, machine=replace(run.machine, hostname=""))
    return Stored(
        anonymous(run, hosts),
        tuple(anonymous(one, hosts) for one in stored.observations),
        tuple(anonymous(one, hosts) for one in stored.pings),
    )


_Kind = TypeVar("_Kind", bound=Record)


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


def embedded(runs: Sequence[Stored]) -> str:
    """The runs as an element of a page."""
    compressed = [bz2.compress(msgspec.msgpack.encode(_changed(one, _in_steps))) for one in runs]
    packed = (Packed(hashlib.sha256(data).hexdigest(), base64.b64encode(data).decode()) for data in compressed)
    envelope = Envelope(FORMAT, tuple(packed))
    return OPEN + msgspec.json.encode(envelope).decode() + CLOSE


def carried_by(page: Path) -> list[Stored]:
    """The runs of a page; raises PageUnreadable, which says why there is none."""
    try:
        size = page.stat().st_size
        if size > LARGEST_PAGE:
            raise PageUnreadable(page, f"it has {size / 1e6:,.0f} MB, and no page of threadping has more than 64")
        content = page.read_bytes()
    except OSError as error:
        raise PageUnreadable(page, error.strerror or str(error)) from error
    return carried_in(content, page)


def carried_in(content: bytes, page: Path | str) -> list[Stored]:
    """The runs in what a file holds, or what a host sent: `page` names it. Raises PageUnreadable."""
    text = content.decode("utf-8", "replace")
    _, found, rest = text.partition(OPEN)
    if not found:
        raise PageUnreadable(page, "it carries no run: `threadping report` did not make it, or it was cut off")
    data, whole, _ = rest.partition(CLOSE)
    if not whole:
        raise PageUnreadable(page, "its end is missing. Copy it again")
    try:
        given = msgspec.json.decode(data, type=dict[str, Any]).get("format")
        if isinstance(given, int) and given != FORMAT:
            age = "a newer" if given > FORMAT else "an older"
            raise PageUnreadable(page, f"{age} threadping made it (format {given}; this one reads {FORMAT})")
        return [_unpacked(one) for one in msgspec.json.decode(data, type=Envelope).runs]
    except DAMAGE as error:
        raise PageUnreadable(page, f"somebody changed the run in it ({error})") from error


def _unpacked(packed: Packed) -> Stored:
    """The run; an error of one of the kinds of DAMAGE where it is none."""
    data = base64.b64decode(packed.data, validate=True)
    if hashlib.sha256(data).hexdigest() != packed.sha256:
        raise ValueError("its digest is another")
    bounded = bz2.BZ2Decompressor()
    encoded = bounded.decompress(data, LARGEST_RUN)
    if not bounded.eof:
        raise ValueError("it is too large, or ends too soon")
    one = msgspec.msgpack.decode(encoded, type=Stored)
    if not all(isfinite(figure) for seen in one.observations for figure in seen.figures.values()):
        raise ValueError("its figures make no sense")
    return _changed(one, _from_steps)


def _changed(one: Stored, change: Callable[[Distribution], Distribution]) -> Stored:
    """The run with every distribution changed."""
    seen = (
        replace(seen, distributions={name: change(of) for name, of in seen.distributions.items()})
        for seen in one.observations
    )
    return replace(one, observations=tuple(seen))


def _in_steps(of: Distribution) -> Distribution:
    """With the step from each value to the next in place of the values: most are alike, so a third less is stored."""
    return replace(of, values=tuple(map(sub, of.values, (0, *of.values))))


def _from_steps(of: Distribution) -> Distribution:
    """What was stored in steps; a ValueError where values do not ascend, each with its count."""
    values = tuple(accumulate(of.values))
    if 0 in of.values[1:] or len(values) != len(of.counts) or (values and values[-1] >= MOST_EXACT):
        raise ValueError("its figures make no sense")
    return replace(of, values=values)
