"""A store is brought from any revision to the newest, all or nothing."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from tests.unit.store.examples import a_run, a_trial
from threadping.errors import StoreCorrupt, StoreReadOnly
from threadping.model import DEFAULT_WARMUP
from threadping.store import open_store, opening, schema
from threadping.store.engine import engine_for
from threadping.store.place import understood

NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "{next}"
down_revision = "{head}"


def upgrade() -> None:
    op.add_column("runs", sa.Column("mood", sa.Text, server_default="calm"))
    {then}
"""


TODAY = schema.HEAD
TOMORROW = f"{int(TODAY) + 1:04}"


def next_revision(then: str = "") -> str:
    return NEXT.format(next=TOMORROW, head=TODAY, then=then)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of the revision of today."""
    path = tmp_path / "runs.sqlite3"
    with open_store(str(path)) as store:
        store.add(store.begin(a_run()).id, a_trial())
    return path


@pytest.fixture
def tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The threadping of tomorrow, which has one revision more; the file of that revision."""
    folder = tmp_path / "migrations 100%"
    shutil.copytree(Path(opening.__file__).parent / "migrations", folder)
    monkeypatch.setattr(opening, "MIGRATIONS", str(folder).replace("%", "%%"))
    monkeypatch.setattr(schema, "HEAD", TOMORROW)
    file = folder / "versions" / f"{TOMORROW}_mood.py"
    file.write_text(next_revision())
    return file


def test_the_newest_revision_makes_the_tables_of_the_schema(path: Path) -> None:
    engine = engine_for(understood(str(path)))
    with engine.connect() as connection:
        options = {"compare_type": True, "version_table": schema.VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, schema.metadata) == []
    engine.dispose()


def test_the_schema_knows_the_newest_revision() -> None:
    config = Config()
    config.set_main_option("script_location", opening.MIGRATIONS)
    revisions = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert revisions == [f"{number:04}" for number in range(len(revisions), 0, -1)]
    assert revisions[0] == schema.HEAD


@pytest.mark.parametrize("create", [True, False])
def test_an_older_store_is_brought_up_to_date_with_all_it_holds(path: Path, tomorrow: Path, create: bool) -> None:
    with open_store(str(path), create=create) as store:
        assert len(store.trials(store.run("last").id)) == 1
    assert columns_and_revision(path) == (True, TOMORROW)


def test_a_new_store_gets_every_revision(tmp_path: Path, tomorrow: Path) -> None:
    open_store(str(tmp_path / "new.sqlite3")).close()
    assert columns_and_revision(tmp_path / "new.sqlite3") == (True, TOMORROW)


def test_a_migration_that_fails_half_way_changes_nothing(path: Path, tomorrow: Path) -> None:
    tomorrow.write_text(next_revision(then='op.execute("INSERT INTO nowhere VALUES (1)")'))
    with pytest.raises(StoreCorrupt, match="no such table: nowhere"):
        open_store(str(path))
    assert columns_and_revision(path) == (False, TODAY)


def test_an_older_store_that_cannot_be_written_says_so(path: Path, tomorrow: Path) -> None:
    with pytest.raises(StoreReadOnly):
        open_store(f"sqlite:///file:{path}?mode=ro&uri=true", create=False)


def test_a_store_of_the_first_revision_shows_what_was_measured_as_it_was(path: Path) -> None:
    """Nothing could be varied then, every thread was pinned on its own, one warm-up and one experiment."""
    as_the_first_revision_left_it(path)
    with open_store(str(path), create=False) as store:
        run = store.run("last")
        (trial,) = store.trials(run.id)
    for case in (trial.case, *run.cases):
        assert (case.varied, case.placement.pin, case.warmup) == ((), "thread", DEFAULT_WARMUP)
        assert (case.timed, case.home) == ("round trip", None)
    assert trial.request.pin == "thread"
    assert trial == a_trial(case=trial.case)


def as_the_first_revision_left_it(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for column in ("varied", "pin", "warmup", "timed", "home"):
            database.execute(f"ALTER TABLE trials DROP COLUMN {column}")
        (cases,) = database.execute("SELECT cases FROM runs").fetchone()
        first = json.loads(cases)
        for case in first:
            del case["varied"], case["warmup"], case["timed"], case["home"], case["placement"]["pin"]
        database.execute("UPDATE runs SET cases = ?", (json.dumps(first),))
        database.execute("UPDATE threadping_schema SET version_num = '0001'")


def columns_and_revision(path: Path) -> tuple[bool, str]:
    database = sqlite3.connect(path)
    columns = {row[1] for row in database.execute("PRAGMA table_info(runs)")}
    (revision,) = database.execute("SELECT version_num FROM threadping_schema").fetchone()
    database.close()
    return "mood" in columns, revision
