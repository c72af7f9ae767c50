"""Several threadpings at once on one store, even on one that none of them has made yet."""

import os
import pickle
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.unit.store.examples import a_failed_trial, a_run, add, seen
from threadping.store.connection import use_write_ahead_log
from threadping.store.store import open_store

TRIALS = 15

# What it stores was made by the test: to import what makes it would take longer than to store it.
WRITER = """
import pathlib, pickle, sys, threadping.store.store  # so that nothing but the store is waited for
from threadping.store.store import open_store
run, trials = pickle.loads(pathlib.Path(sys.argv[2]).read_bytes())
sys.stdin.read()
with open_store(sys.argv[1]) as store:
    run_id = store.begin(run).id
    for trial, observation in trials:
        store.add_batch(run_id, [(trial, observation)])
    store.finish(run_id, "complete", None)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


def journal_mode(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        (mode,) = database.execute("PRAGMA journal_mode").fetchone()
    return str(mode)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_writers_that_begin_together_lose_nothing(
    kind: str, new_database: Callable[[str], str], tmp_path: Path
) -> None:
    location = new_database(kind)
    given = {seed: [a_failed_trial(round=seed, position=position) for position in range(TRIALS)] for seed in (0, 1)}
    waiting, starting = os.pipe()
    writers = []
    for seed, trials in given.items():
        (file := tmp_path / str(seed)).write_bytes(
            pickle.dumps((a_run(seed=seed), [(one, seen(one)) for one in trials]))
        )
        command = [sys.executable, "-c", WRITER, location, str(file)]
        writers.append(subprocess.Popen(command, stdin=waiting, stderr=subprocess.PIPE, text=True))
    os.close(waiting)
    os.close(starting)  # which is what all of them wait for
    assert [writer.communicate(timeout=100)[1] for writer in writers] == ["", ""]

    with open_store(location, create=False) as store:
        runs = store.listed()[0]
        assert {run.seed for run, _ in runs} == given.keys()
        for run, ended in runs:
            assert (run.status, ended) == ("complete", TRIALS)
            assert store.trials(run) == given[run.seed]


def test_a_reader_does_not_hold_up_a_writer(path: Path) -> None:
    with open_store(str(path)) as store:
        run = store.begin(a_run())
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM trials").fetchone()
        add(store, run.id, a_failed_trial())
        assert reader.execute("SELECT count(*) FROM trials").fetchone() == (0,)
        reader.close()
        assert len(store.trials(run)) == 1
        # A commit waits for no disk; a trial without a run is refused.
        assert store.connection.rows("PRAGMA synchronous") == store.connection.rows("PRAGMA foreign_keys") == [(1,)]


def test_a_reader_that_will_write_lets_nobody_write_in_between(path: Path) -> None:
    with open_store(str(path)) as store, closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as other:

        def is_locked() -> None:
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")

        store.connection.commit(is_locked)
        other.execute("BEGIN IMMEDIATE")


@pytest.fixture
def holder(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program that reads a store without a log, which keeps it from getting one."""
    open_store(str(path)).close()
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as holder:
        holder.execute("PRAGMA journal_mode=DELETE")
        holder.execute("BEGIN")
        holder.execute("SELECT * FROM runs").fetchone()
        yield holder


def test_a_log_is_waited_for(path: Path, holder: sqlite3.Connection) -> None:
    release = threading.Timer(0.1, holder.execute, ["COMMIT"])
    release.start()
    use_write_ahead_log(path)
    release.join()
    assert journal_mode(path) == "wal"


def test_a_log_that_cannot_be_had_now_is_had_the_next_time(path: Path, holder: sqlite3.Connection) -> None:
    use_write_ahead_log(path)
    assert journal_mode(path) == "delete"
    holder.execute("COMMIT")
    open_store(str(path)).close()
    assert journal_mode(path) == "wal"
