"""Soundings: how far apart pairs of CPUs stood before and after each trial."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make their table, which is empty for older runs."""
    op.create_table(
        "soundings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id"), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("cpu", "other_cpu")),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("trials", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Double) for name in ("ns", "p99_ns", "max_ns")),
        sa.Column("wall_ns", sa.BigInteger, nullable=False),
        sa.Column("failure", sa.Text),
    )
    op.create_index("soundings_of_runs", "soundings", ["run_id"])
