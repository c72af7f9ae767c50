"""Several threadpings at once on one store, even on one that none of them has made yet."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.unit.store.examples import a_run, a_trial
from threadping.store import open_store

WRITERS, TRIALS = 6, 15

WRITER = f"""
import sys
from tests.unit.store.examples import a_run, a_trial
from threadping.store import open_store
sys.stdin.readline()
with open_store(sys.argv[1]) as store:
    run_id = store.begin(a_run(seed=int(sys.argv[2]))).id
    for position in range({TRIALS}):
        store.add(run_id, a_trial(round=int(sys.argv[2]), position=position))
    store.finish(run_id, "complete", None)
"""


def test_writers_that_begin_together_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "runs.sqlite3"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(seed)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for seed in range(WRITERS)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=100)[1] for writer in writers] == [""] * WRITERS

    with open_store(str(path), create=False) as store:
        runs = store.runs()
        assert sorted(run.seed for run, _ in runs) == list(range(WRITERS))
        for run, ended in runs:
            assert (run.status, ended) == ("complete", TRIALS)
            assert store.trials(run.id) == [a_trial(round=run.seed, position=position) for position in range(TRIALS)]
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_a_reader_does_not_hold_up_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with open_store(str(path)) as store:
        run_id = store.begin(a_run()).id
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM trials").fetchone()
        store.add(run_id, a_trial())
        assert reader.execute("SELECT count(*) FROM trials").fetchone() == (0,)
        reader.close()
        assert len(store.trials(run_id)) == 1


def test_a_migration_waits_for_the_one_under_way(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    first = sqlite3.connect(path, isolation_level=None)
    first.execute("BEGIN IMMEDIATE")
    command = "import sys; from threadping.store import open_store; open_store(sys.argv[1]).close()"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", command, str(path)], env=environment) as second:
        try:
            second.wait(timeout=1.5)
            raise AssertionError("it did not wait")
        except subprocess.TimeoutExpired:
            first.execute("COMMIT")
        assert second.wait(timeout=60) == 0
    first.close()
