"""The view of a store that databases and dashboards read, on both kinds of database."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace

from tests.golden.fixture import CAS, MOVED, OBSERVATIONS, RUN, pinged
from tests.postgresql import new_database, server
from threadping.analysis.answer import Answer
from threadping.conduct.stored import answered, headlines_of, keep_series
from threadping.model.run import Stored
from threadping.probes.owner import owner_of_this_process
from threadping.store.store import Store, open_store

__all__ = ["new_database", "server"]

WHOLE = Stored(RUN, OBSERVATIONS, tuple(pinged(3, 5, 6)))
SHORT = Stored(replace(RUN, cases=(CAS,)), tuple(one for one in OBSERVATIONS if one.case == CAS), ())


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, new_database: Callable[[str], str]) -> str:
    return new_database(request.param)


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    with open_store(location) as opened:
        yield opened


def read(location: str, where: str = "") -> list[dict[str, Any]]:
    connect: Any = psycopg.connect if "://" in location else sqlite3.connect
    with closing(connect(location)) as connection:
        found = connection.execute(f"SELECT * FROM threadping_series {where} ORDER BY run, case_name, state")
        heads = [column[0] for column in found.description]
        return [dict(zip(heads, row, strict=True)) for row in found.fetchall()]


def test_the_view_has_a_line_for_each_headline_of_an_ended_run(store: Store, location: str) -> None:
    run = store.take(WHOLE)
    assert read(location) == []
    keep_series(store)
    rows = read(location)
    assert len(rows) == sum(row.headline is not None for row in MOVED.rows) > 20
    far, near = [one for one in rows if one["case_name"] == "signal cas-one-line cpp same-l3"]
    assert [*near][:7] == ["time", "run", "machine", "experiment", "case_name", "state", "core_to_core_ns"]
    assert [*near][7:] == ["figure", "unit", "value", "low", "high", "comparable", "version"]
    assert (near["state"], near["core_to_core_ns"]) == ("low-latency", 26.25)
    assert (far["state"], far["core_to_core_ns"]) == ("high-latency", 127.5)
    assert (near["run"], near["machine"], near["experiment"], near["version"]) == (run.id, "bench-7", "signal", "0.1.0")
    assert (near["figure"], near["unit"]) == ("latency_ns.typical", "ns")
    assert near["low"] == pytest.approx(58.08852) and near["low"] < near["value"] < near["high"] == 59.274
    text_or_time = near["time"] if "://" not in location else near["time"].isoformat()
    assert text_or_time.startswith("2026-03-01T09:30:00"), "of the database where it has times, to be compared"
    unlike = read(location, "WHERE NOT comparable")
    assert {one["case_name"] for one in unlike} == {"lock unprotected java-17 same-l3"}


def test_a_run_is_kept_once_anew_when_it_is_resumed_and_goes_with_it(store: Store, location: str) -> None:
    first, second = store.take(SHORT), store.take(SHORT)
    keep_series(store)
    keep_series(store)
    whole = len(read(location))
    assert whole == 2 * len(read(location, f"WHERE run = {first.id}"))
    store.remove(first.id)
    assert {one["run"] for one in read(location)} == {second.id}
    assert store.without_headlines() == []


def test_a_known_run_is_not_analysed_again(store: Store, location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    killed, known = store.take(SHORT), store.take(SHORT)
    asked: list[str] = []

    def answer_of(store: Store, which: str) -> Answer:
        asked.append(which)
        return answered(store, which)

    monkeypatch.setattr("threadping.conduct.stored.answered", answer_of)
    keep_series(store, replace(MOVED, run=known))
    assert (asked, {one["run"] for one in read(location)}) == ([str(killed.id)], {killed.id, known.id})


def test_a_damaged_run_keeps_none_of_the_others_out(store: Store, location: str) -> None:
    sound, damaged = store.take(SHORT), store.take(SHORT)
    store.connection.rows("UPDATE runs SET record = '{}' WHERE id = ?", damaged.id)
    keep_series(store)
    assert {one["run"] for one in read(location)} == {sound.id}


def test_an_old_run_that_fails_costs_no_new_one(store: Store, location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store.take(SHORT)
    known = store.take(SHORT)

    def fails(_store: Store, _which: str) -> Answer:
        raise ZeroDivisionError

    monkeypatch.setattr("threadping.conduct.stored.answered", fails)
    keep_series(store, replace(MOVED, run=known))
    assert {one["run"] for one in read(location)} == {known.id}
    store.connection.close()  # as one that is lost after a run
    keep_series(store)


def test_a_run_without_headlines_is_asked_once(store: Store, location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[int] = []

    def headlines(answer: Answer) -> Any:
        said.append(answer.run.id)
        return headlines_of(answer)

    monkeypatch.setattr("threadping.conduct.stored.headlines_of", headlines)
    empty = store.take(replace(SHORT, observations=()))
    running = store.begin(replace(RUN, id=0, status="running", ended=None, owner=owner_of_this_process()))
    keep_series(store)
    keep_series(store)
    assert (said, read(location), store.without_headlines()) == ([empty.id], [], [running.id])
