"""The tables as they are now. `migrations/` is how a store got there; a test holds the two together."""

import sqlalchemy as sa
from sqlalchemy import JSON, BigInteger, Column, Integer, LargeBinary, MetaData, Table, Text

from threadping.store.text import Words

HEAD = "0005"
"""The newest revision in `migrations/versions`. Revisions count up in four digits, so that a newer one can be told
from an older one without importing Alembic (a tenth of a second)."""

VERSION_TABLE = "threadping_schema"
"""Where Alembic keeps a store's revision. A name of our own: `alembic_version` would be any other program's too."""

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
    Column("arguments", JSON, nullable=False),
    Column("machine", JSON, nullable=False),
    Column("runtimes", JSON, nullable=False),
    Column("cases", JSON, nullable=False),
    Column("skipped", JSON, nullable=False),
    Column("owner_hostname", Words, nullable=False),
    Column("owner_boot_id", Words, nullable=False),
    Column("owner_pid", BigInteger, nullable=False),
    Column("owner_started_ticks", BigInteger, nullable=False),
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
