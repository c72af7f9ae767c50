"""A server that stays silent ends the wait in a sentence; one that was lost and comes back costs nothing."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import control
from tests.unit.store.examples import a_run, a_trial, add
from threadping.model.errors import StoreError
from threadping.store import failures
from threadping.store.database import open_store
from threadping.store.failures import place_of
from threadping.store.store import Store

SILENT = r"cannot be used: the server did not answer for 0\.5 s\. Mend that"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "ANSWER_S", 0.5)
    monkeypatch.setattr(failures, "BUSY_SECONDS", 5.0)


@contextmanager
def stopped(*processes: int) -> Iterator[None]:
    for pid in processes:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes:
            os.kill(pid, signal.SIGCONT)


def backends(store: Store) -> list[int]:
    """The processes of the server that serve this store's database."""
    asked = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
    with store._engine.connect() as connection:
        return [pid for (pid,) in connection.exec_driver_sql(asked)]


def test_backends_that_stop_in_mid_run_cost_nothing(new_database: Callable[[str], str]) -> None:
    with open_store(location := new_database("postgresql")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial(position=0))
        with stopped(*backends(store)):
            add(store, run.id, a_trial(position=1))  # by a new connection
            store.finish(run.id, "complete", None)
    with open_store(location) as store:
        assert [one.position for one in store.trials(store.run("last"))] == [0, 1]
        assert store.run("last").status == "complete"


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_is_restarted_twice_costs_nothing(
    how: str, new_database: Callable[[str], str], server: str
) -> None:
    with open_store(new_database("postgresql")) as store:
        run = store.begin(a_run())
        for position in range(3):
            add(store, run.id, a_trial(position=position))
            if position < 2:
                control(server, "pg_ctl", "-D", "data", "-l", "log", "-m", how, "-w", "restart")
        store.finish(run.id, "complete", None)
        assert [one.position for one in store.trials(run)] == [0, 1, 2]
        assert [one.position for one in store.observations(run)] == [0, 1, 2]
        assert store.run("last").status == "complete"


@pytest.mark.parametrize("committed", [True, False])
def test_a_connection_that_is_lost_while_it_commits_stores_once(
    committed: bool, new_database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(new_database("postgresql")) as store:
        run, dialect = store.begin(a_run()), store._engine.dialect
        commit, lost = dialect.do_commit, iter([True])

        def is_lost(connection: Any) -> None:
            if next(lost, False):
                if committed:
                    commit(connection)
                connection.dbapi_connection.close()
            commit(connection)

        monkeypatch.setattr(dialect, "do_commit", is_lost)
        add(store, run.id, a_trial(position=0))
        assert next(lost, None) is None
        assert [one.position for one in store.trials(run)] == [0]


def test_a_server_that_is_stopped_as_a_whole_gives_no_new_connection_either(
    new_database: Callable[[str], str], server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = new_database("postgresql")
    with open_store(location) as store:
        run = store.begin(a_run())
        postmaster = int((Path(server) / "data" / "postmaster.pid").read_text().splitlines()[0])
        monkeypatch.setattr(failures, "BUSY_SECONDS", 0.5)
        with stopped(postmaster, *backends(store)):
            with pytest.raises(StoreError, match=SILENT):
                store.run("last")
            with pytest.raises(StoreError, match=r"cannot be used: .*time"):
                store.finish(run.id, "failed", None)
        assert store.run("last").status == "running"


def test_what_a_url_says_of_waiting_comes_first() -> None:
    def bounds(location: str) -> dict[str, object]:
        return failures.connect_arguments(place_of(location).url)

    assert bounds("postgresql://host/db")["connect_timeout"] == 2
    assert "connect_timeout" not in bounds("postgresql://host/db?connect_timeout=60")
    assert bounds("sqlite:///x") == bounds("mysql://host/db") == {}
