"""The tables as they are now. `migrations/` is how a store got there; a test holds the two together."""

import sqlalchemy as sa
from sqlalchemy import JSON, BigInteger, Column, Dialect, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.types import TypeDecorator

HEAD = "0007"
"""The newest revision in `migrations/versions`. Revisions count up in four digits, so that a newer one can be told
from an older one without importing Alembic (a tenth of a second)."""

VERSION_TABLE = "threadping_schema"
"""Where Alembic keeps a store's revision. A name of our own: `alembic_version` would be any other program's too."""


class Words(TypeDecorator[str]):
    r"""Text of any content, as a probe's log may have it.

    Half of a surrogate pair, which is how Python keeps a byte that was no UTF-8, becomes a visible `\udcff`. A NUL is
    kept where the database can (SQLite), and becomes a visible U+2400 where it cannot (PostgreSQL).
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make the text storable."""
        if value is None:
            return None
        storable = value.encode("utf-8", "backslashreplace").decode("utf-8")
        return storable if dialect.name == "sqlite" else storable.replace("\0", "\N{SYMBOL FOR NULL}")


metadata = MetaData()

version = Table(VERSION_TABLE, MetaData(), Column("version_num", sa.String(32), primary_key=True))  # made by Alembic

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
    Column("budget_s", sa.Double, nullable=False),
    Column("rounds", Integer, nullable=False),
    *(Column(name, JSON, nullable=False) for name in ("arguments", "machine", "runtimes", "cases", "skipped")),
    *(Column(f"owner_{name}", Words, nullable=False) for name in ("hostname", "boot_id")),
    *(Column(f"owner_{name}", BigInteger, nullable=False) for name in ("pid", "started_ticks")),
    sqlite_autoincrement=True,  # a number that a person has written down never comes to mean another run
)

# SQLite reads a row from its front: what is asked for often stands before what is long.
trials = Table(
    "trials",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", sa.ForeignKey("runs.id"), nullable=False),
    Column("round", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("case", Integer, nullable=False),  # which of runs.cases, from 0
    Column("started", Text, nullable=False),
    Column("wall_ns", BigInteger, nullable=False),
    Column("failure_code", Words),
    Column("failure_message", Words),
    Column("form", Integer, nullable=False),  # of request and result
    Column("observation", LargeBinary),  # packed; it can be made anew from the result, which is exact
    Column("request", JSON, nullable=False),
    Column("log", Words, nullable=False),
    Column("result", LargeBinary),  # packed
    sa.Index("trials_in_order", "run_id", "round", "position"),
)

pings = Table(
    "pings",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", sa.ForeignKey("runs.id"), nullable=False),
    Column("cpu", Integer, nullable=False),
    Column("other_cpu", Integer, nullable=False),
    Column("at", sa.Double, nullable=False),  # seconds since 1970
    Column("trials", Integer, nullable=False),  # of its run that had ended by then
    *(Column(name, sa.Double) for name in ("ns", "p99_ns", "max_ns")),
    Column("wall_ns", BigInteger, nullable=False),
    Column("failure", Words),
    sa.Index("pings_of_runs", "run_id"),
)
