"""The tables as they are now. `migrations/` is how a store got there; a test holds the two together."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

from threadping.contract import Params, Request, Result
from threadping.model import Case, Home, Machine, Runtime, Skipped, WarmupPolicy
from threadping.store.columns import Packed, Readable, Words

HEAD = "0004"
"""The newest revision in `migrations/versions`. Revisions count up in four digits, so that a newer one can be told
from an older one without importing Alembic (a tenth of a second)."""

VERSION_TABLE = "threadping_schema"
"""Where Alembic keeps a store's revision. A name of our own: `alembic_version` would be any other program's too."""

metadata = MetaData()

version = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True))  # made by Alembic

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("started", Text, nullable=False),
    Column("ended", Text),
    Column("status", Text, nullable=False),
    Column("note", Words),
    Column("version", Words, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("budget_s", Double, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("arguments", Readable(tuple[str, ...]), nullable=False),
    Column("machine", Readable(Machine), nullable=False),
    Column("runtimes", Readable(tuple[Runtime, ...]), nullable=False),
    Column("cases", Readable(tuple[Case, ...]), nullable=False),
    Column("skipped", Readable(tuple[Skipped, ...]), nullable=False),
    Column("owner_hostname", Words, nullable=False),
    Column("owner_boot_id", Words, nullable=False),
    Column("owner_pid", BigInteger, nullable=False),
    Column("owner_started_ticks", BigInteger, nullable=False),
    sqlite_autoincrement=True,  # a number that a person has written down never comes to mean another run
)

trials = Table(
    "trials",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("experiment", Words, nullable=False),
    Column("mechanism", Words, nullable=False),
    Column("params", Readable(Params), nullable=False),
    Column("varied", Readable(tuple[str, ...]), nullable=False),
    Column("runtime", Words, nullable=False),
    Column("placement", Words, nullable=False),
    Column("cpus", Readable(tuple[int | None, ...]), nullable=False),
    Column("pin", Words, nullable=False),
    Column("blocking", Boolean, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("warmup", Readable(WarmupPolicy), nullable=False),
    Column("timed", Words, nullable=False),
    Column("home", Readable(Home | None)),
    Column("started", Text, nullable=False),
    Column("wall_ns", BigInteger, nullable=False),
    Column("request", Readable(Request), nullable=False),
    Column("failure_code", Words),
    Column("failure_message", Words),
    Column("log", Words, nullable=False),
    # What was timed one by one is kept twice. `result` is exact, and is what our own figures come from;
    # `histogram` (HdrHistogram V2, ns) rounds to three digits, and is what every other tool reads. It takes a few
    # kilobytes, and a store can be exported by anybody who can read a column.
    Column("result", Packed(Result)),
    Column("histogram", Text),
    Index("trials_in_order", "run_id", "round", "position"),
)
