"""What a case also is: which of its parameters were varied, what was pinned, and how it was warmed up.

Until then nothing could be varied, each thread was pinned on its own, and the warm-up was ten rounds of 100,000. The
server's defaults say so of the old rows; a new row names all three.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Give the trials the three columns."""
    warmup = '{"rounds": 10, "ops": 100000}'
    op.add_column("trials", sa.Column("varied", sa.JSON, nullable=False, server_default=sa.text("'[]'")))
    op.add_column("trials", sa.Column("pin", sa.Text, nullable=False, server_default="thread"))
    op.add_column("trials", sa.Column("warmup", sa.JSON, nullable=False, server_default=warmup))
