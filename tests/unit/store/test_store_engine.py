"""With what promises SQLite keeps the store."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from threadping.store import failures, open_store
from threadping.store.engine import engine_for, use_write_ahead_log
from threadping.store.place import understood

NORMAL = 1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    engine = engine_for(understood(str(path)))
    yield engine
    engine.dispose()


def pragma(engine: Engine, name: str) -> object:
    with engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_a_store_outlives_its_process_and_is_never_spoilt(path: Path, engine: Engine) -> None:
    open_store(str(path)).close()
    assert pragma(engine, "journal_mode") == "wal"
    assert pragma(engine, "synchronous") == NORMAL
    assert pragma(engine, "foreign_keys") == 1


@pytest.fixture
def holder(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program that reads the file, which keeps its log from being changed."""
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("CREATE TABLE anything (x)")
    holder.execute("BEGIN")
    holder.execute("SELECT * FROM anything").fetchone()
    yield holder
    holder.close()


def test_a_log_is_waited_for(engine: Engine, holder: sqlite3.Connection) -> None:
    release = threading.Timer(0.1, holder.execute, ["COMMIT"])
    release.start()
    use_write_ahead_log(engine)
    release.join()
    assert pragma(engine, "journal_mode") == "wal"


def test_without_a_log_the_store_does_as_well(engine: Engine, holder: sqlite3.Connection) -> None:
    use_write_ahead_log(engine)
    assert pragma(engine, "journal_mode") == "delete"
    assert pragma(engine, "busy_timeout") == failures.BUSY_SECONDS * 1000
