"""Several processes on one store: at once, killed in the middle, and a server that is silent or restarts."""

import os
import pickle
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.postgresql import control
from tests.unit.store.examples import a_failed_trial, a_run, a_trial, add, an_owner, end, seen
from threadping.model.errors import StoreError
from threadping.model.run import Run, Trial
from threadping.probes import owner
from threadping.probes.owner import is_running, owner_of_this_process
from threadping.store import postgresql, tables
from threadping.store.store import Store, open_store
from threadping.store.tables import Rows, use_write_ahead_log

TRIALS = 15

# What it stores was made by the test: to import what makes it would take longer than to store it.
WRITER = """
import msgspec, pathlib, pickle, sys, threadping.store.store, time  # so that nothing but the store is waited for
from threadping.probes.owner import owner_of_this_process
from threadping.store.store import open_store
run, trials, is_killed = pickle.loads(pathlib.Path(sys.argv[2]).read_bytes())
sys.stdin.read()

def store_another_and_wait():
    store.connection.insert("trials", {"run_id": run.id, "observation": b"", "trial": b""})
    print("ready", flush=True)
    time.sleep(60)

with open_store(sys.argv[1]) as store:
    run = store.begin(msgspec.structs.replace(run, owner=owner_of_this_process()))
    for trial, observation in trials:
        store.add_batch(run.id, [(trial, observation)])
    if is_killed:
        store.connection.commit(store_another_and_wait)
    store.finish(msgspec.structs.replace(run, status="complete"))
"""


def writer(folder: Path, location: str, run: Run, trials: Sequence[Trial], *, is_killed: bool = False) -> list[str]:
    """Return the command of a process that stores these, and may be killed while it stores another."""
    (file := folder / str(run.seed)).write_bytes(pickle.dumps((run, [(one, seen(one)) for one in trials], is_killed)))
    return ["-c", WRITER, location, str(file)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


def journal_mode(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        (mode,) = database.execute("PRAGMA journal_mode").fetchone()
    return str(mode)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_simultaneous_writers_lose_nothing(kind: str, new_database: Callable[[str], str], tmp_path: Path) -> None:
    location = new_database(kind)
    given = {seed: [a_failed_trial(round=seed, position=position) for position in range(TRIALS)] for seed in (0, 1)}
    waiting, starting = os.pipe()
    writers = []
    for seed, trials in given.items():
        command = [sys.executable, *writer(tmp_path, location, a_run(seed=seed), trials)]
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
    open_store(str(path)).connection.close()
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
    open_store(str(path)).connection.close()
    assert journal_mode(path) == "wal"


@contextmanager
def child(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command, nothing = [sys.executable, *arguments], subprocess.DEVNULL
    with subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def test_a_killed_run_is_interrupted_and_keeps_its_trials(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.sqlite3")
    trials = [a_trial(round=0, position=position) for position in range(3)]
    command = writer(tmp_path, path, a_run(), trials, is_killed=True)
    with child(*command) as process, open_store(path, create=False) as store:
        ((run, ended),) = store.listed()[0]
        assert (run.status, run.owner.pid, ended) == ("running", process.pid, 3)

        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, but nobody has collected it yet: a zombie
        assert store.run("last").status == "interrupted"

    with open_store(path, create=False) as store:
        run = store.run("last")
        assert (run.status, run.ended) == ("interrupted", None)
        assert store.trials(run) == trials
        assert store.listed()[0] == [(run, 3)]

    with open_store(path) as store:  # and the next run is none the worse
        run_id = store.begin(a_run()).id
        add(store, run_id, a_trial())
        assert [(run.status, ended) for run, ended in store.listed()[0]] == [("running", 1), ("interrupted", 3)]


def test_an_owner_is_gone_or_runs_where_that_is_certain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
    with child("-c", rename) as process:
        state, started_ticks = owner._state_and_start(process.pid) or ("none", 0)
        assert state in "RSD"
        assert is_running(an_owner(pid=process.pid, started_ticks=started_ticks))


def test_a_resumed_run_has_the_present_status_and_keeps_its_trials(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial())
        with pytest.raises(StoreError, match=rf"Run {run.id} is still being measured, by process {run.owner.pid} of"):
            store.resume(run)
        end(store, run.id, "interrupted", note="Interrupted.")
        begun = store.resume(replace(store.run("last"), budget_s=7.0, note=None))
        stored = store.run("last")
        assert begun == stored
        assert (stored.status, stored.budget_s, stored.ended, stored.note) == ("running", 7.0, None, None)
        assert len(store.trials(stored)) == 1


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "ANSWER_S", 0.5)
    monkeypatch.setattr(tables, "BUSY_SECONDS", 5.0)


@contextmanager
def stopped(*processes: int) -> Iterator[None]:
    """A backend whose connection was given up may have ended meanwhile."""
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def backends(store: Store) -> list[int]:
    """The processes of the server that serve this store's database."""
    asked = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
    return [pid for (pid,) in store.connection.rows(asked)]


@pytest.mark.usefixtures("impatient")
def test_backends_that_stop_in_mid_run_cost_nothing(new_database: Callable[[str], str]) -> None:
    with open_store(location := new_database("postgresql")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial(position=0))
        with stopped(*backends(store)):
            assert store.run("last").id == run.id  # by a new connection
        with stopped(*backends(store)):
            add(store, run.id, a_trial(position=1))  # by another
            end(store, run.id)
    with open_store(location) as store:
        assert [one.position for one in store.trials(store.run("last"))] == [0, 1]
        assert store.run("last").status == "complete"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_restarted_twice_costs_nothing(how: str, new_database: Callable[[str], str], server: str) -> None:
    with open_store(new_database("postgresql")) as store:
        run = store.begin(a_run())
        for position in range(3):
            add(store, run.id, a_trial(position=position))
            if position < 2:
                control(server, "pg_ctl", "-D", "data", "-l", "log", "-m", how, "-w", "restart")
        end(store, run.id)
        assert [one.position for one in store.trials(run)] == [0, 1, 2]
        assert [one.position for one in store.observations(run)] == [0, 1, 2]
        assert store.run("last").status == "complete"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("committed", [True, False])
def test_a_connection_that_is_lost_while_it_commits_stores_once(
    committed: bool, new_database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(new_database("postgresql")) as store:
        run, connection, lost = store.begin(a_run()), store.connection, iter([True])
        assert isinstance(connection, postgresql.ServerConnection)
        rows = connection.rows

        def is_lost(statement: str, *values: object) -> Rows:
            if statement == "COMMIT" and next(lost, False):
                if committed:
                    rows(statement)
                connection.server.close()
            return rows(statement, *values)

        monkeypatch.setattr(connection, "rows", is_lost)
        add(store, run.id, a_trial(position=0))
        assert next(lost, None) is None
        assert [one.position for one in store.trials(run)] == [0]


@pytest.mark.usefixtures("impatient")
def test_a_server_that_is_stopped_as_a_whole_gives_no_new_connection_either(
    new_database: Callable[[str], str], server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = new_database("postgresql")
    with open_store(location) as store:
        run = store.begin(a_run())
        postmaster = int((Path(server) / "data" / "postmaster.pid").read_text().splitlines()[0])
        monkeypatch.setattr(tables, "BUSY_SECONDS", 0.5)
        with stopped(postmaster, *backends(store)):
            with pytest.raises(StoreError, match=r"cannot be used: its server did not answer"):
                store.run("last")
            with pytest.raises(StoreError, match=r"cannot be used: its server did not answer"):
                store.finish(replace(run, status="failed"))
        assert store.run("last").status == "running"


@pytest.mark.usefixtures("impatient")
def test_what_a_url_says_of_waiting_comes_first() -> None:
    assert postgresql.connect_arguments("postgresql://host/db")["connect_timeout"] == 2
    assert postgresql.connect_arguments("postgresql://host/db?connect_timeout=60")["connect_timeout"] == "60"
