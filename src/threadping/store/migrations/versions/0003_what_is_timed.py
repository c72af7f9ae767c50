"""What a case times one by one: until then there was only `signal`, whose round trips the server's default names."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Give the trials the column."""
    op.add_column("trials", sa.Column("timed", sa.Text, nullable=False, server_default="round trip"))
