"""The tables of the store, records as they stand in them, and whose run is being measured.

A process that is killed cannot write that it was. So a run records its owner, and a reader of a run that is still
`running` looks for that process. Process numbers are reused, and are of one PID namespace (a container has its own);
together with the boot and the tick at which the process started they are unique.

Others read `threadping_series`, whose columns stay as they are: a view, since what is below it may change.
"""

import json
import os
import socket
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, inspect, structs
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    cast,
)
from sqlalchemy.exc import DBAPIError

from threadping.model.bounds import Moment
from threadping.model.characters import visible
from threadping.model.contract import SCHEMA
from threadping.model.errors import RunDamaged
from threadping.model.run import NOBODY, Machine, Owner, Run, RunStatus

_PROC, _MACHINE_ID = Path("/proc"), Path("/etc/machine-id")
_DEAD_STATES = frozenset("ZXx")  # zombie, dead: killed, though its parent has not yet asked; see proc_pid_stat(5)


def owner_of_this_process() -> Owner:
    """Describe this process so that another, later, can find out whether it still runs."""
    namespace = boot_id = ""
    with suppress(OSError):  # without /proc nothing can be found out later
        boot_id = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        namespace = (_PROC / "self/ns/pid").readlink().name
    _, started_ticks = _state_and_start(os.getpid()) or ("", 0)
    return Owner(socket.gethostname(), boot_id, os.getpid(), started_ticks, namespace, _machine())


def _machine() -> str:
    """A digest of the machine's id, which systemd asks not to show; empty where it has none, as most containers."""
    try:
        found = _MACHINE_ID.read_text(errors="replace").strip()
    except OSError:
        return ""
    return sha256(f"threadping {found}".encode()).hexdigest()[:16] if found else ""


def is_running(owner: Owner) -> bool | None:
    """Whether the process certainly runs; None where that cannot be known from here.

    Nothing is known of the processes of another host or another container, nor of any where there is no /proc.
    """
    here = owner_of_this_process()
    if not here.boot_id:
        return None
    if owner.boot_id != here.boot_id:  # another host, or this one before it was started anew
        return False if owner.hostname == here.hostname else None
    if owner.pid_namespace != here.pid_namespace:
        return None
    if not _exists(owner.pid):
        return False
    # What cannot be read is hidden by /proc's hidepid option; it may well be the owner.
    state, started_ticks = _state_and_start(owner.pid) or ("", owner.started_ticks)
    return state not in _DEAD_STATES and started_ticks == owner.started_ticks


def _exists(pid: int) -> bool:
    if pid <= 0:  # to kill(2) these mean groups, not a process
        return False
    try:
        with suppress(PermissionError):
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _state_and_start(pid: int) -> tuple[str, int] | None:
    """Return a process's state and the clock tick since boot at which it started; None if that cannot be read."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the name, in parentheses, may itself hold spaces and parentheses
    return fields[0], int(fields[19])


VERSION = 8
"""The format of a store; one of another is refused. It counts up with every change of these tables, and with a change
of a stored record that `records.known` cannot read: anything but a field that is new, has a default, or went."""

metadata = MetaData()
version = Table("threadping_schema", metadata, Column("version_num", Integer, primary_key=True))
runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("status", Text, nullable=False),
    Column("ended", Text),
    Column("note", JSON(none_as_null=True)),  # JSON takes any text, bytes that were none included
    Column("record", JSON, nullable=False),
    sqlite_autoincrement=True,  # a number that a person has written down never comes to mean another run
)


def _of_runs(name: str, *columns: Column[bytes]) -> Table:
    """A table of what a run holds many of, in the order in which it was stored."""
    number = Column[int]("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    run = Column[int]("run_id", ForeignKey("runs.id"), nullable=False)
    return Table(name, metadata, number, run, *columns, Index(f"{name}_of_runs", "run_id"))


trials = _of_runs(
    "trials",
    Column("observation", LargeBinary, nullable=False),  # before what is long: SQLite reads a row from its front
    Column("trial", LargeBinary, nullable=False),
)
pings = _of_runs("pings", Column("ping", LargeBinary, nullable=False))

fleets = Table(
    "fleets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("record", JSON, nullable=False),
    sqlite_autoincrement=True,
)
members = Table(
    "members",
    metadata,
    Column("fleet_id", ForeignKey("fleets.id"), primary_key=True),
    Column("host", Text, primary_key=True, index=True),
    Column("run_id", ForeignKey("runs.id"), index=True),
    Column("record", JSON, nullable=False),
)
"""A store that was made before there were fleets gets these two with its first."""

headlines = Table(
    "headlines",
    metadata,
    Column("run_id", ForeignKey("runs.id"), nullable=False, index=True),
    Column("time", Text),
    Column("machine", Text),
    Column("experiment", Text),
    Column("case_name", Text),
    Column("state", Text),
    Column("core_to_core_ns", Double),
    Column("figure", Text),
    Column("unit", Text),
    Column("value", Double),
    Column("low", Double),
    Column("high", Double),
    Column("comparable", Boolean),
    Column("version", Text),
)
"""What a run says of each row, once it has ended; a run that says nothing has one line, without a value."""

SERIES = "threadping_series"


def series_view(dialect: str) -> str:
    """The statement that makes the view of all headlines; times are times of the database where it has them."""
    time = "CAST(time AS timestamptz)" if dialect == "postgresql" else "time"
    rest = "run_id AS run, machine, experiment, case_name, state, core_to_core_ns"
    values = "figure, unit, value, low, high, comparable, version"
    return f"CREATE VIEW {SERIES} AS SELECT {time} AS time, {rest}, {values} FROM headlines WHERE value IS NOT NULL"


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
