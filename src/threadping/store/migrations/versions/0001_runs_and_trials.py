"""The first tables: runs, and the trials in them.

A revision is history: it names its types itself and imports nothing from `schema`, which will change after it.
A later one is `0002_….py` with `down_revision = "0001"`, and `schema.HEAD` moves with it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("budget_s", sa.Double, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("arguments", sa.JSON, nullable=False),
        sa.Column("machine", sa.JSON, nullable=False),
        sa.Column("runtimes", sa.JSON, nullable=False),
        sa.Column("cases", sa.JSON, nullable=False),
        sa.Column("skipped", sa.JSON, nullable=False),
        sa.Column("owner_hostname", sa.Text, nullable=False),
        sa.Column("owner_boot_id", sa.Text, nullable=False),
        sa.Column("owner_pid", sa.BigInteger, nullable=False),
        sa.Column("owner_started_ticks", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "trials",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("experiment", sa.Text, nullable=False),
        sa.Column("mechanism", sa.Text, nullable=False),
        sa.Column("params", sa.JSON, nullable=False),
        sa.Column("runtime", sa.Text, nullable=False),
        sa.Column("placement", sa.Text, nullable=False),
        sa.Column("cpus", sa.JSON, nullable=False),
        sa.Column("blocking", sa.Boolean, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("wall_ns", sa.BigInteger, nullable=False),
        sa.Column("request", sa.JSON, nullable=False),
        sa.Column("failure_code", sa.Text),
        sa.Column("failure_message", sa.Text),
        sa.Column("log", sa.Text, nullable=False),
        sa.Column("result", sa.LargeBinary),
        sa.Column("histogram", sa.Text),
    )
    op.create_index("trials_in_order", "trials", ["run_id", "round", "position"])
