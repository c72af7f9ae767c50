"""Records as the store's tables have them."""

import json
import zlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from math import isfinite
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, inspect, structs

from threadping.model.base import Moment
from threadping.model.contract import SCHEMA
from threadping.model.errors import RunDamaged
from threadping.model.run import Machine, Run, RunStatus
from threadping.model.text import visible
from threadping.probes.owner import is_running

_Kind = TypeVar("_Kind")
FASTEST_LEVEL = 1  # of compression: 6, the usual one, takes three times as long for 4% less
BATCH_RECORDS = 64  # compressed one after the other: handing over each to a thread would take as long again
MAX_RECORD_BYTES = 256 << 20  # a trial of a minute has 1% of it
OVERDUE_S = 3600.0  # a run takes at most twice its budget; this much later it has ended, wherever it was measured


def row_of(run: Run) -> dict[str, str | None]:
    """Return the columns of a run; by the last three runs are searched, without reading their records."""
    return {
        "status": run.status,
        "ended": run.ended,
        "note": json_of_note(run.note),
        "record": json_of(run),
        "started": run.started,
        "machine": name_of(run.machine),
        "owner": None if run.imported else run.owner.machine,
    }


def name_of(machine: Machine) -> str:
    return json_of([machine.hostname, machine.cpu_model])


def json_of(record: Any) -> str:
    return json.dumps(visible(msgspec.to_builtins(record)))


def json_of_note(note: str | None) -> str | None:
    """Encode a note as JSON, which takes any text: half of a surrogate pair, too."""
    return None if note is None else json.dumps(note)


# What reading a damaged row ends with: msgspec's errors are ValueErrors
ROW_DAMAGE = (ValueError, TypeError, RecursionError, MemoryError, LookupError, ArithmeticError, zlib.error)


class RunSummary(Struct, frozen=True):
    """A run's columns that change while it is measured."""

    status: RunStatus
    ended: Moment | None
    note: str | None


def run_of(number: int, status: str, ended: str | None, note: str | None, record: str) -> Run:
    """Return the run of a row, interrupted if its process is gone; raise RunDamaged."""
    try:
        columns = {"status": status, "ended": ended, "note": note and json.loads(note)}
        summary = structs.asdict(msgspec.convert(columns, RunSummary))
        run = structs.replace(decoded(record, Run), id=number, **summary)
    except ROW_DAMAGE as error:
        raise RunDamaged(number, error) from error
    if run.status != "running" or (running := is_running(run.owner)):
        return run
    # A killed process could not write it. It is computed and never written, so that reading changes no store.
    since_s = (datetime.now(UTC) - datetime.fromisoformat(run.started)).total_seconds()
    over = running is False or since_s > 2 * run.budget_s + OVERDUE_S
    return structs.replace(run, status="interrupted") if over else run


def decoded(text: str, kind: type[_Kind]) -> _Kind:
    """Return a record that is stored as JSON, as `known` does."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError:
        return known(json.loads(text), kind)


def pack(record: Any) -> bytes:
    try:
        encoded = msgspec.msgpack.encode(record)
    except UnicodeEncodeError:
        encoded = msgspec.msgpack.encode(visible(msgspec.to_builtins(record)))
    return zlib.compress(encoded, FASTEST_LEVEL)


def pack_all(records: Sequence[Any]) -> list[bytes]:
    """Pack many records, each by itself, on two threads: compressing holds no lock of the interpreter."""
    from concurrent.futures import ThreadPoolExecutor

    parts = [records[at : at + BATCH_RECORDS] for at in range(0, len(records), BATCH_RECORDS)]
    with ThreadPoolExecutor(2) as pool:
        return [one for part in pool.map(lambda part: [*map(pack, part)], parts) for one in part]


def unpack(packed: Iterable[bytes], kind: type[_Kind]) -> list[_Kind]:
    """Return the records that were packed; raise one of ROW_DAMAGE if one is none."""
    decode, found = msgspec.msgpack.Decoder(kind).decode, []  # made once: a third of the time of small records
    for one in packed:
        bounded = zlib.decompressobj()
        encoded = bounded.decompress(one, MAX_RECORD_BYTES)
        if not bounded.eof:
            raise ValueError("a trial is too large, or ends too soon")
        try:
            found.append(decode(encoded))
        except msgspec.ValidationError:
            found.append(known(msgspec.msgpack.decode(encoded), kind))
    return found


def known(stored: Any, kind: type[_Kind]) -> _Kind:
    """Return what is known here of a stored record: one of yesterday is read by the records of today.

    A message of the contract refuses unknown fields and other versions of it, as it must where a probe speaks; here
    they are passed over. A figure that was stored as NaN, or without end, is not known.
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
            finite = {name: value for name, value in stored.items() if not isinstance(value, float) or isfinite(value)}
            return {name: _known(value, kind.value_type) for name, value in finite.items()}
        case inspect.StrType() if isinstance(stored, str) and kind.max_length:
            return stored[: kind.max_length]
        case inspect.VarTupleType() if isinstance(stored, list):
            return [_known(value, kind.item_type) for value in stored]
        case inspect.UnionType():
            tags = stored if isinstance(stored, dict) else {}
            for one in kind.types:
                if (
                    not isinstance(one, inspect.StructType)
                    or one.tag_field is None
                    or tags.get(one.tag_field) == one.tag
                ):
                    stored = _known(stored, one)
    return stored
