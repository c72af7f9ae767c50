"""A server that is stopped, or does not answer, ends the wait in a sentence; one that answers late is waited for."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.unit.store.examples import a_run, a_trial, add
from threadping.errors import StoreError
from threadping.store import silence
from threadping.store.database import open_store
from threadping.store.place import place_of
from threadping.store.store import Store

SILENT = r"cannot be used: the server did not answer for 0\.5 s\. Mend that"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(silence, "ANSWER_S", 0.5)


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


def test_backends_that_stop_in_mid_run_cost_a_trial_and_no_eternity(new_database: Callable[[str], str]) -> None:
    with open_store(location := new_database("postgresql")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial(position=0))
        with stopped(*backends(store)):
            with pytest.raises(StoreError, match=SILENT):
                add(store, run.id, a_trial(position=1))
            store.finish(run.id, "failed", "It was silent.")  # by a new connection
    with open_store(location) as store:
        assert [one.position for one in store.trials(store.run("last"))] == [0]
        assert store.run("last").status == "failed"


def test_a_server_that_is_stopped_as_a_whole_gives_no_new_connection_either(
    new_database: Callable[[str], str], server: str
) -> None:
    location = new_database("postgresql")
    with open_store(location) as store:
        run = store.begin(a_run())
        postmaster = int((Path(server) / "data" / "postmaster.pid").read_text().splitlines()[0])
        with stopped(postmaster, *backends(store)):
            with pytest.raises(StoreError, match=SILENT):
                store.run("last")
            with pytest.raises(StoreError, match=r"cannot be used: .*time"):
                store.finish(run.id, "failed", None)
        assert store.run("last").status == "running"


def test_what_a_url_says_of_waiting_comes_first() -> None:
    def bounds(location: str) -> dict[str, object]:
        return silence.connect_arguments(place_of(location).url)

    assert bounds("postgresql://host/db")["connect_timeout"] == 2
    assert "connect_timeout" not in bounds("postgresql://host/db?connect_timeout=60")
    assert bounds("sqlite:///x") == bounds("mysql://host/db") == {}
