"""A server that stays silent ends the wait in a sentence; one that was lost and comes back costs nothing."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.postgresql import control
from tests.unit.store.examples import a_run, a_trial, add
from threadping.model.errors import StoreError
from threadping.store import connection, postgresql
from threadping.store.connection import Rows
from threadping.store.store import Store, open_store


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "ANSWER_S", 0.5)
    monkeypatch.setattr(connection, "BUSY_SECONDS", 5.0)


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


def test_backends_that_stop_in_mid_run_cost_nothing(new_database: Callable[[str], str]) -> None:
    with open_store(location := new_database("postgresql")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial(position=0))
        with stopped(*backends(store)):
            assert store.run("last").id == run.id  # by a new connection
        with stopped(*backends(store)):
            add(store, run.id, a_trial(position=1))  # by another
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


def test_a_server_that_is_stopped_as_a_whole_gives_no_new_connection_either(
    new_database: Callable[[str], str], server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = new_database("postgresql")
    with open_store(location) as store:
        run = store.begin(a_run())
        postmaster = int((Path(server) / "data" / "postmaster.pid").read_text().splitlines()[0])
        monkeypatch.setattr(connection, "BUSY_SECONDS", 0.5)
        with stopped(postmaster, *backends(store)):
            with pytest.raises(StoreError, match=r"cannot be used: its server did not answer"):
                store.run("last")
            with pytest.raises(StoreError, match=r"cannot be used: its server did not answer"):
                store.finish(run.id, "failed", None)
        assert store.run("last").status == "running"


def test_what_a_url_says_of_waiting_comes_first() -> None:
    assert postgresql.connect_arguments("postgresql://host/db")["connect_timeout"] == 2
    assert postgresql.connect_arguments("postgresql://host/db?connect_timeout=60")["connect_timeout"] == "60"
