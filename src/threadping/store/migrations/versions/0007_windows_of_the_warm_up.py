"""Results and requests have a third form, which threadping 0.2 and older cannot read; store/form.py reads the older.

A case of a run that does not say how it was warmed up was stored when there was but one way, ten rounds of 100,000.
That was the default then, and is not today.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

FORMER: Any = {"warmup": {"rounds": 10, "ops": 100_000}}

runs = sa.table("runs", sa.column("id"), sa.column("cases", sa.JSON))


def upgrade() -> None:
    """Let every case say how it was warmed up."""
    connection = op.get_bind()
    for run_id, cases in connection.execute(sa.select(runs.c.id, runs.c.cases)).all():
        if any("warmup" not in case for case in cases):
            told = [{**FORMER, **case} for case in cases]
            connection.execute(sa.update(runs).where(runs.c.id == run_id).values(cases=told))
