"""A store is brought from any revision to the newest, all or nothing, with what it holds."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, insert, select

from tests.unit.store.examples import seen_unread
from threadping.contract import Request, Result
from threadping.errors import StoreCorrupt, StoreReadOnly
from threadping.store import form, open_store, opening, schema
from threadping.store.engine import engine_for
from threadping.store.place import understood

STORED = Path(__file__).with_name("stored-by-0.1.sqlite3")
"""Of revision 0003, made by threadping 0.1 with a fake probe; beside it its trials, as that threadping gave them."""
BEFORE = json.loads(STORED.with_suffix(".json").read_text())
"""The trials of each of its runs, cut and failed ones among them."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copy(STORED, tmp_path / "old.sqlite3"))


def differences(location: str) -> list[Any]:
    """How the tables of a store differ from those of the schema."""
    engine = engine_for(understood(location))
    with engine.connect() as connection:
        options = {"compare_type": True, "version_table": schema.VERSION_TABLE}
        found = compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata)
    engine.dispose()
    return list(found)


def test_the_newest_revision_makes_the_tables_of_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite3"
    open_store(str(path)).close()
    assert differences(str(path)) == []
    with closing(sqlite3.connect(path)) as database:
        for table in schema.metadata.sorted_tables:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table.name})")]
            assert columns == [column.name for column in table.columns]


def test_the_schema_knows_the_newest_revision() -> None:
    folder = Path(opening.__file__).with_name("migrations")
    revisions = [script.revision for script in ScriptDirectory(folder).walk_revisions()]
    assert revisions == [f"{number:04}" for number in range(int(schema.HEAD), 0, -1)]


def test_a_migration_that_fails_half_way_changes_nothing(old: Path) -> None:
    with closing(sqlite3.connect(old)) as database, database:
        database.execute("UPDATE trials SET result = x'00' WHERE id = 15")
        before = list(database.iterdump())
    for create in (True, False):
        with pytest.raises(StoreCorrupt, match="incomplete or truncated stream"):
            open_store(str(old), create=create)
    with closing(sqlite3.connect(old)) as database:
        assert list(database.iterdump()) == before


def test_an_older_store_that_cannot_be_written_says_so(old: Path) -> None:
    with pytest.raises(StoreReadOnly):
        open_store(f"sqlite:///file:{old}?mode=ro&uri=true", create=False)


def bring_to(revision: str, location: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "HEAD", revision)
        open_store(location).close()


def lifted(trial: dict[str, Any]) -> dict[str, Any]:
    """A trial as that threadping told it, whose request and result were of form 2."""
    stored: dict[str, type[Any]] = {"request": Request, "result": Result} if trial["result"] else {"request": Request}
    read = {name: form.read(trial[name], kind, 2) for name, kind in stored.items()}
    return {**trial, **json.loads(msgspec.json.encode(read))}


TODAY = {run: [lifted(trial) for trial in trials] for run, trials in BEFORE.items()}


def as_told_today(location: str, *, create: bool = False) -> Any:
    with open_store(location, create=create) as store:
        runs = [run for run, _ in store.runs()]
        trials = {str(run.id): store.trials(run) for run in runs}
        observed = {str(run.id): store.observations(run) for run in runs}
    for run in runs:
        of_run = trials[str(run.id)]
        assert observed[str(run.id)] == [seen_unread(trial) for trial in of_run]
        assert len({id(trial.case) for trial in of_run}) in (0, len(run.cases))  # all that were stored, and no more
    return json.loads(msgspec.json.encode(trials))


@pytest.mark.parametrize("create", [True, False])
def test_a_store_of_the_version_before_is_told_as_before(old: Path, create: bool) -> None:
    assert [len(of_run) for of_run in BEFORE.values()] == [6, 3, 6]
    assert as_told_today(str(old), create=create) == TODAY
    assert as_told_today(str(old)) == TODAY  # and stays so
    assert differences(str(old)) == []


def test_a_store_of_the_first_revision_shows_what_was_measured_as_it_was(old: Path) -> None:
    """Nothing could be varied then, every thread was pinned on its own, one warm-up and one experiment."""
    columns = ("varied", "pin", "warmup", "timed")
    with closing(sqlite3.connect(old)) as database, database:
        database.execute("DELETE FROM trials WHERE experiment = 'lock'")
        for column in columns:
            database.execute(f"ALTER TABLE trials DROP COLUMN {column}")
        names = ("varied", "warmup", "timed", "placement.pin")
        without = ", ".join(f"'$[{case}].{name}'" for case in (0, 1) for name in names)
        database.execute(f"UPDATE runs SET cases = json_remove(cases, {without})")
        database.execute("UPDATE threadping_schema SET version_num = '0001'")
    assert as_told_today(str(old)) == {**TODAY, "3": []}


def test_forms_are_lifted_out_and_trials_of_no_case_of_their_run_keep_theirs(old: Path) -> None:
    bring_to("0004", str(old))
    with closing(sqlite3.connect(old)) as database, database:
        for row_id, request, packed in database.execute("SELECT id, request, result FROM trials WHERE run_id = 1"):
            upgraded = form.read(json.loads(request), Request, 1), form.unpack(packed, Result, 1)
            request, result = ({"form": form.FORM, **msgspec.to_builtins(one)} for one in upgraded)
            values = (json.dumps(request), form.pack(result), row_id)
            database.execute("UPDATE trials SET request = ?, result = ? WHERE id = ?", values)
        database.execute("UPDATE runs SET cases = json_remove(cases, '$[0]') WHERE id = 1")
    assert as_told_today(str(old)) == TODAY
    with closing(sqlite3.connect(old)) as database:
        found = database.execute("SELECT \"case\", form, request ->> 'form' FROM trials WHERE run_id = 1 ORDER BY id")
        assert found.fetchall() == [(1, form.FORM, None), (0, form.FORM, None)] * 3
        results = database.execute("SELECT result FROM trials WHERE run_id = 1").fetchall()
    assert not any("form" in form.unpack(packed, dict) for (packed,) in results)


def test_a_store_on_a_server_is_brought_up_to_date_too(old: Path, new_database: Callable[[str], str]) -> None:
    url = new_database("postgresql")
    bring_to("0003", url)
    source, target, tables = engine_for(understood(str(old))), engine_for(understood(url)), MetaData()
    tables.reflect(source, only=["runs", "trials"])
    with source.connect() as reader, target.begin() as writer:
        for table in tables.sorted_tables:
            writer.execute(insert(table), [row._asdict() for row in reader.execute(select(table))])
    source.dispose()
    target.dispose()
    assert (as_told_today(url), differences(url)) == (TODAY, [])
