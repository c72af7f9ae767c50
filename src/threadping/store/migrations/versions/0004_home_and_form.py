"""Where a case's cells are made: until then on the CPUs that the first thread happened to run on.

From here on results and requests are stored in form 2 (`threadping.store.form`), which an older threadping cannot read;
those that are there stay as they are, and are brought up to date when they are read.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Give the trials the column."""
    op.add_column("trials", sa.Column("home", sa.JSON))
