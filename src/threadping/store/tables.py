"""The tables, and the one number that says which they are. Records are kept whole, and read back as records.

Others read `threadping_series`, whose columns stay as they are: a view, since what is below it may change.
"""

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
    Table,
    Text,
)

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
