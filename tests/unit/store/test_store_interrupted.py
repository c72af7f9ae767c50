"""A run whose process is gone is distinguished from one that goes on; a killed one keeps every trial that had ended."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.conftest import ROOT
from tests.unit.store.examples import a_run, a_trial, add, an_owner
from threadping.model.errors import StoreError
from threadping.probes import owner
from threadping.probes.owner import is_running, owner_of_this_process
from threadping.store.store import open_store

# Three trials are stored, and a fourth is in the middle of being stored when the process is killed.
VICTIM = """
import sys, time
from tests.unit.store.examples import a_run, a_trial, add, seen
from threadping.store.store import open_store
from threadping.store.records import pack

store = open_store(sys.argv[1])
run_id = store.begin(a_run()).id
add(store, run_id, *(a_trial(round=0, position=position) for position in range(3)))

def store_and_wait():
    row = {"run_id": run_id, "observation": pack(seen(a_trial())), "trial": pack(a_trial())}
    store.connection.insert("trials", row)
    print("ready", flush=True)
    time.sleep(60)

store.connection.commit(store_and_wait)
"""


@contextmanager
def child(code: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_a_killed_run_is_interrupted_and_keeps_its_trials(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.sqlite3")
    with child(VICTIM, path) as process, open_store(path, create=False) as store:
        ((run, ended),) = store.listed()[0]
        assert (run.status, run.owner.pid, ended) == ("running", process.pid, 3)

        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, but nobody has collected it yet: a zombie
        assert store.run("last").status == "interrupted"

    with open_store(path, create=False) as store:
        run = store.run("last")
        assert (run.status, run.ended) == ("interrupted", None)
        assert store.trials(run) == [a_trial(round=0, position=position) for position in range(3)]
        assert store.listed()[0] == [(run, 3)]

    with open_store(path) as store:  # and the next run is none the worse
        run_id = store.begin(a_run()).id
        add(store, run_id, a_trial())
        assert [(run.status, ended) for run, ended in store.listed()[0]] == [("running", 1), ("interrupted", 3)]


def test_a_run_that_ended_stays_as_it_ended(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        run_id = store.begin(a_run(owner=an_owner(boot_id="an earlier boot"))).id
        assert store.run("last").status == "interrupted"
        store.finish(run_id, "complete", None)
        assert store.run("last").status == "complete"


def test_an_owner_is_gone_or_runs_where_that_is_certain() -> None:
    mine = owner_of_this_process()
    assert (mine.pid, mine.started_ticks > 0, mine.boot_id != "", is_running(mine)) == (os.getpid(), True, True, True)
    assert re.fullmatch(r"pid:\[\d+\]", mine.pid_namespace)
    with subprocess.Popen(["true"]) as process:
        process.wait()
    for pid in (process.pid, 0, -1, 2**40):
        assert is_running(an_owner(pid=pid)) is False
    assert is_running(an_owner(boot_id="an earlier boot")) is False
    assert is_running(an_owner(started_ticks=mine.started_ticks + 1)) is False  # another of the same number
    assert is_running(an_owner(hostname="renamed")) is True  # a container without a PID namespace of its own
    assert is_running(an_owner(hostname="elsewhere", boot_id="another", pid=2**30)) is None
    assert is_running(an_owner(pid_namespace="pid:[1]", pid=2**30)) is None  # a container of the same name


def test_without_proc_nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(owner, "_PROC", tmp_path)
    assert owner_of_this_process().boot_id == ""
    assert is_running(an_owner(pid=2**30)) is None


def test_a_run_that_cannot_be_looked_for_is_interrupted_long_after_its_budget(tmp_path: Path) -> None:
    there = an_owner(pid_namespace="pid:[1]", pid=2**30)
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        for minutes, status in ((61, "running"), (63, "interrupted")):
            started = (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat()
            assert store.begin(a_run(owner=there, started=started, budget_s=60)).id
            assert store.run("last").status == status


def test_a_process_with_an_awkward_name_is_found() -> None:
    rename = "open('/proc/self/comm', 'w').write(') Z 1 (x'); print('ready', flush=True); import time; time.sleep(60)"
    with child(rename) as process:
        state, started_ticks = owner._state_and_start(process.pid) or ("none", 0)
        assert state in "RSD"
        assert is_running(an_owner(pid=process.pid, started_ticks=started_ticks))


def test_a_resumed_run_has_the_present_status_and_keeps_its_trials(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial())
        with pytest.raises(StoreError, match=rf"Run {run.id} is still being measured, by process {run.owner.pid} of"):
            store.resume(run)
        store.finish(run.id, "interrupted", "Interrupted.")
        begun = store.resume(replace(store.run("last"), budget_s=7.0, note=None))
        stored = store.run("last")
        assert begun == stored
        assert (stored.status, stored.budget_s, stored.ended, stored.note) == ("running", 7.0, None, None)
        assert len(store.trials(stored)) == 1
