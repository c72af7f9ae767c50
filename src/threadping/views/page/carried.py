"""The runs that a page carries: everything that its rows are made from, and nothing that a browser executes.

A run, its observations and its reference pings, compressed: a first run takes 0.2 MB. The single windows and outliers
of its trials stay in the store of the machine that measured: they would make the page six times as large.
"""

import base64
import binascii
import bz2
import hashlib
import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import isfinite
from operator import lt
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.errors import PageUnreadable
from threadping.model import Observation, Owner, Record, ReferencePing, Run

FORMAT = 1
"""It counts up with every change that a reader of today could not read."""

OPEN, CLOSE = '<script type="application/json" id="threadping-runs">', "</script>"

LARGEST_PAGE, LARGEST_RUN = 64 << 20, 512 << 20
"""In bytes: a file, and what is decompressed from it. 2,000 trials take 3 MB and 8 MB."""

FOLDER = re.compile(r"/(home|Users)/[^/\s:]+")
"""The folder of a user, whose name is nobody's business."""

NOBODY = Owner("", "", 0, 0)


class Carried(Record, frozen=True):
    """A run as it was stored."""

    run: Run
    observations: tuple[Observation, ...]
    pings: tuple[ReferencePing, ...]


class Packed(Record, frozen=True):
    """A run as it stands in a page: compressed, in base64, with its digest."""

    sha256: str
    data: str


class Envelope(Record, frozen=True):
    """All that a page carries."""

    format: int
    runs: tuple[Packed, ...]


def carried(answer: Answer, *, identify: bool = False) -> Carried:
    """What a page of an answer carries: without the names of host and users, unless they are to be told.

    The number of a run and the process that measured it mean something in its own store only.
    """
    run = replace(answer.run, id=0, owner=NOBODY)
    if run.status == "running":
        run = replace(run, status="interrupted")
    found = Carried(run, tuple(one.observation for one in answer.trials), tuple(answer.states.pings))
    if identify:
        return found
    hosts = {run.machine.hostname, answer.run.owner.hostname} - {""}
    anonymous = replace(found, run=replace(run, machine=replace(run.machine, hostname="")))
    return msgspec.convert(_without_names(msgspec.to_builtins(anonymous), hosts), Carried)


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
    data = bz2.compress(msgspec.msgpack.encode(_by_steps(msgspec.to_builtins(one), _differences)))
    return Packed(hashlib.sha256(data).hexdigest(), base64.b64encode(data).decode())


def carried_by(page: Path) -> list[Carried]:
    """The runs of a page; raises PageUnreadable, which says why there is none."""
    try:
        size = page.stat().st_size
        if size > LARGEST_PAGE:
            raise _unreadable(page, f"it has {size / 1e6:,.0f} MB, and no page of threadping has more than 64")
        text = page.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise _unreadable(page, error.strerror or str(error)) from error
    _, found, rest = text.partition(OPEN)
    if not found:
        raise _unreadable(page, "it carries no run: `threadping report` did not make it, or it was cut off")
    data, whole, _ = rest.partition(CLOSE)
    if not whole:
        raise _unreadable(page, "its end is missing. Copy it again")
    try:
        given = msgspec.json.decode(data, type=dict[str, Any]).get("format")
        if isinstance(given, int) and given > FORMAT:
            raise _unreadable(page, f"a newer threadping made it (format {given}; this one reads {FORMAT})")
        return [_unpacked(one, page) for one in msgspec.json.decode(data, type=Envelope).runs]
    except (ValueError, RecursionError) as error:
        raise _unreadable(page, f"somebody changed the run in it ({error})") from error


def _unpacked(one: Packed, page: Path) -> Carried:
    try:
        packed = base64.b64decode(one.data, validate=True)
        if hashlib.sha256(packed).hexdigest() != one.sha256:
            raise ValueError("its digest is another")
        bounded = bz2.BZ2Decompressor()
        encoded = bounded.decompress(packed, LARGEST_RUN)
        if not bounded.eof:
            raise ValueError("it is too large, or ends too soon")
        found = msgspec.convert(_by_steps(msgspec.msgpack.decode(encoded), accumulate), Carried)
        if not all(map(_makes_sense, found.observations)):
            raise ValueError("its figures make no sense")
        return found
    except (binascii.Error, OSError, LookupError, TypeError, AttributeError) as error:
        raise _unreadable(page, f"somebody changed the run in it ({error})") from error


def _makes_sense(one: Observation) -> bool:
    """Whether its numbers can be reckoned with: finite ones, and durations that ascend, each with its count."""
    ascend = (
        len(of.values) == len(of.counts) and all(map(lt, of.values, of.values[1:])) for of in one.distributions.values()
    )
    return all(map(isfinite, one.figures.values())) and all(ascend)


def _unreadable(page: Path, why: str) -> PageUnreadable:
    return PageUnreadable(f"{page} cannot be imported: {why}.")


def _differences(values: Sequence[int]) -> list[int]:
    return [values[0], *(after - before for before, after in pairwise(values))] if values else []


def _by_steps(stored: Any, convert: Any) -> Any:
    """The values of distributions ascend: their differences are smaller, and a quarter of the page is saved."""
    observations = [
        {
            **one,
            "distributions": {
                name: {**of, "values": list(convert(of["values"]))} for name, of in one.get("distributions", {}).items()
            },
        }
        for one in stored["observations"]
    ]
    return {**stored, "observations": observations}
