"""What a trial refers to instead of repeating it, the form of its records, and what was observed of it.

A trial's case was told by thirteen columns, and is now one of its run's cases by its place among them; the form stood
inside the JSON. Nothing was observed yet: observations are made from the results. Nobody read the histograms.
"""

import json
import zlib
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

SCALARS = ("experiment", "mechanism", "runtime", "blocking", "lines", "timed")
DOCUMENTS = ("params", "varied", "warmup", "home")
PLACEMENT = ("placement", "cpus", "pin")

UNTIL_0004: Any = {"varied": [], "warmup": {"rounds": 10, "ops": 100_000}, "timed": "round trip", "home": None}
"""What a case of a run does not say that was stored before it could differ; its pin is one more."""

runs = sa.table("runs", sa.column("id"), sa.column("cases", sa.JSON))
trials = sa.table(
    "trials",
    *map(sa.column, ("id", "run_id", "placement", "pin", "case", "form", "result", *SCALARS)),
    *(sa.column(name, sa.JSON) for name in (*DOCUMENTS, "cpus", "request")),
)


def upgrade() -> None:
    """Fill the new columns from the old ones, and drop those."""
    op.add_column("trials", sa.Column("case", sa.Integer))
    op.add_column("trials", sa.Column("form", sa.Integer))
    op.add_column("trials", sa.Column("observation", sa.LargeBinary))
    connection = op.get_bind()
    for run_id, cases in connection.execute(sa.select(runs.c.id, runs.c.cases)).all():
        _fill(connection, run_id, cases)
    # SQLite copies the table, which can also put what is asked for often before what is long.
    order: list[tuple[str, ...]] = [
        ("position", "case", "started", "wall_ns", "failure_code"),
        ("failure_code", "failure_message", "form", "observation", "request", "log", "result"),
    ]
    with op.batch_alter_table("trials", partial_reordering=order) as batch:
        for name in (*SCALARS, *DOCUMENTS, *PLACEMENT, "histogram"):
            batch.drop_column(name)
        batch.alter_column("case", existing_type=sa.Integer, nullable=False)
        batch.alter_column("form", existing_type=sa.Integer, nullable=False)


def _fill(connection: sa.Connection, run_id: int, cases: list[dict[str, Any]]) -> None:
    places: dict[str, int] = {}
    for place, case in enumerate(cases):
        places.setdefault(_identity(case), place)
    for trial_id in connection.execute(sa.select(trials.c.id).where(trials.c.run_id == run_id)).scalars().all():
        this = trials.c.id == trial_id
        trial = connection.execute(sa.select(trials).where(this)).one()._mapping
        placement = {"name": trial["placement"], "cpus": trial["cpus"], "pin": trial["pin"]}
        case = {**{name: trial[name] for name in (*SCALARS, *DOCUMENTS)}, "placement": placement}
        case["blocking"] = bool(case["blocking"])
        place = places.setdefault(_identity(case), len(cases))
        if place == len(cases):
            cases.append(case)
        values = {"case": place, "form": trial["request"].pop("form", 1)}
        if trial["result"] is not None:
            values["result"] = _without_form(trial["result"])
        connection.execute(sa.update(trials).where(this).values(request=trial["request"], **values))
    connection.execute(sa.update(runs).where(runs.c.id == run_id).values(cases=cases))


def _identity(case: dict[str, Any]) -> str:
    placement = {"pin": "thread", **case["placement"]}
    return json.dumps({**UNTIL_0004, **case, "placement": placement}, sort_keys=True)


def _without_form(packed: bytes) -> bytes:
    fields = msgspec.json.decode(zlib.decompress(packed), type=dict[str, msgspec.Raw])
    fields.pop("form", None)
    return zlib.compress(msgspec.json.encode(fields), 1)
