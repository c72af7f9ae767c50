"""Records to rows of the tables, and back. A row that cannot be one raises ValueError or zlib.error."""

import json
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from math import isfinite
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, inspect, structs
from sqlalchemy import Row, Text, cast
from sqlalchemy.exc import DBAPIError

from threadping.characters import visible
from threadping.contract import SCHEMA
from threadping.errors import RunDamaged
from threadping.model.bounds import Moment
from threadping.model.run import NOBODY, Machine, Owner, Run, RunStatus
from threadping.store.owner import is_running
from threadping.store.tables import runs

_Kind = TypeVar("_Kind")

QUICKEST = 1
"""The level of compression: 6, the usual one, takes three times as long for 4% less."""

A_PART = 64
"""So many records are compressed one after the other: handing over each would take as long again."""

LARGEST = 256 << 20
"""In bytes, of a record: a trial of a minute has a hundredth of it."""

OVERDUE_S = 3600.0
"""A run lasts no longer than twice its budget; this much later it has ended, wherever it was measured."""


def values_of_run(run: Run) -> dict[str, Any]:
    """A run as its row, which has no number yet."""
    return {"status": run.status, "ended": run.ended, "note": run.note, "record": visible(msgspec.to_builtins(run))}


ROW_DAMAGE = (ValueError, TypeError, RecursionError, MemoryError, LookupError, ArithmeticError, zlib.error, DBAPIError)
"""What reading a damaged row ends with: msgspec's errors are ValueErrors, a text that is none SQLAlchemy's."""

RUN_COLUMNS = (runs.c.id, *(cast(runs.c[name], Text).label(name) for name in ("status", "ended", "note", "record")))
"""A run's row as text: what cannot be read in it costs this run, and not the rows that are read with it."""


class MachineName(Struct, frozen=True):
    """By what a machine is called."""

    hostname: str
    cpu_model: str | None


class Measurer(Struct, frozen=True):
    """What is known of a run's owner without reading all of it."""

    pid: int
    machine: str = ""


class Head(Struct, frozen=True):
    """What identifies a run without reading all of it."""

    started: str
    machine: MachineName
    owner: Measurer

    def is_of(self, machine: Machine, here: Owner) -> bool:
        """Whether it was measured on this machine, by its description and by this process on it."""
        is_named = (self.machine.hostname, self.machine.cpu_model) == (machine.hostname, machine.cpu_model)
        is_it = not self.owner.machine or not here.machine or self.owner.machine == here.machine
        return is_named and is_it and self.owner.pid != NOBODY.pid


class Told(Struct, frozen=True):
    """A run's columns, which are not read with its record: they change."""

    status: RunStatus
    ended: Moment | None
    note: str | None


def run_of(row: Row[Any]) -> Run:
    """The run of a row; one whose process is gone is interrupted, whatever its status says.

    Raises RunDamaged.
    """
    try:
        note = row.note and json.loads(row.note)  # which takes half of a surrogate pair
        told = msgspec.convert({"status": row.status, "ended": row.ended, "note": note}, Told)
        run = structs.replace(decoded(row.record, Run), id=row.id, **structs.asdict(told))
        return _as_it_ended(run)
    except ROW_DAMAGE as error:
        raise RunDamaged(row.id, error) from error


def _as_it_ended(run: Run) -> Run:
    if run.status != "running" or (running := is_running(run.owner)):
        return run
    # A killed process could not write it. It is computed and never written, so that reading changes no store.
    since_s = (datetime.now(UTC) - datetime.fromisoformat(run.started)).total_seconds()
    over = running is False or since_s > 2 * run.budget_s + OVERDUE_S
    return structs.replace(run, status="interrupted") if over else run


def decoded(text: str, kind: type[_Kind]) -> _Kind:
    """A record that is stored as JSON, as `known` has it."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError:
        return known(json.loads(text), kind)


def pack(record: Any) -> bytes:
    """Encode a record as MessagePack, and compress it."""
    try:
        encoded = msgspec.msgpack.encode(record)
    except UnicodeEncodeError:
        encoded = msgspec.msgpack.encode(visible(msgspec.to_builtins(record)))
    return zlib.compress(encoded, QUICKEST)


def pack_all(records: Sequence[Any]) -> list[bytes]:
    """Many records, each compressed by itself: which holds no lock of the interpreter, so that two work at once."""
    parts = [records[at : at + A_PART] for at in range(0, len(records), A_PART)]
    with ThreadPoolExecutor(2) as pool:
        return [one for part in pool.map(lambda part: [*map(pack, part)], parts) for one in part]


def unpack(packed: Iterable[bytes], kind: type[_Kind]) -> list[_Kind]:
    """The records that were packed; a ValueError or zlib.error if one is none."""
    decode, found = msgspec.msgpack.Decoder(kind).decode, []  # made once: a third of the time of small records
    for one in packed:
        encoded = _inflated(one)
        try:
            found.append(decode(encoded))
        except msgspec.ValidationError:
            found.append(known(msgspec.msgpack.decode(encoded), kind))
    return found


def _inflated(packed: bytes) -> bytes:
    bounded = zlib.decompressobj()
    encoded = bounded.decompress(packed, LARGEST)
    if not bounded.eof:
        raise ValueError("a trial is too large, or ends too soon")
    return encoded


def known(stored: Any, kind: type[_Kind]) -> _Kind:
    """What is known here of a stored record: one of yesterday is read by the records of today.

    A message of the contract refuses unknown fields and other versions of it, as it must where a probe speaks; here
    they are passed over.
    """
    try:
        return msgspec.convert(stored, kind)
    except msgspec.ValidationError:
        return msgspec.convert(_known(stored, inspect.type_info(kind)), kind)


def _known(stored: Any, kind: inspect.Type) -> Any:
    match kind:
        case inspect.StructType() if isinstance(stored, dict):
            here = {one.encode_name: one.type for one in kind.fields}
            found = {name: _known(value, here[name]) for name, value in stored.items() if name in here}
            tag = {kind.tag_field: stored[kind.tag_field]} if kind.tag_field in stored else {}
            return {**found, **tag, **({"schema": SCHEMA} if "schema" in here else {})}
        case inspect.DictType() if isinstance(stored, dict):
            return {name: _known(value, kind.value_type) for name, value in stored.items() if _is_known(value)}
        case inspect.StrType() if isinstance(stored, str) and kind.max_length:
            return stored[: kind.max_length]
        case inspect.VarTupleType() if isinstance(stored, list):
            return [_known(value, kind.item_type) for value in stored]
        case inspect.UnionType():
            for possible in kind.types:
                if not isinstance(possible, inspect.StructType) or _is_tagged(stored, possible):
                    stored = _known(stored, possible)
    return stored


def _is_tagged(stored: Any, kind: inspect.StructType) -> bool:
    """Whether it is of this kind, where kinds are told by a tag."""
    return kind.tag_field is None or (isinstance(stored, dict) and stored.get(kind.tag_field) == kind.tag)


def _is_known(value: Any) -> bool:
    """Whether it is something: a figure that was stored as NaN, or without end, is not known."""
    return not isinstance(value, float) or isfinite(value)
