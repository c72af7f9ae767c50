"""What goes into the store comes out of it, whatever it is."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.store.examples import a_case, a_failed_trial, a_run, a_trial, example
from threadping.contract import Request, Result
from threadping.errors import StoreError, UnknownRun
from threadping.model import Failure, Placement
from threadping.store import Store, open_store

any_text = st.text(st.characters())  # surrogates too
storable_text = st.text()
any_params = st.dictionaries(any_text, st.integers() | any_text, max_size=5)
lengths = st.integers(1, 2**63 - 1)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(str(tmp_path_factory.mktemp("store") / "runs.sqlite3")) as store:
        yield store


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        yield store


def test_a_run_comes_back_as_it_went_in(store: Store) -> None:
    begun = store.begin(a_run())
    assert begun.id > 0
    assert begun == msgspec.structs.replace(a_run(), id=begun.id)
    assert store.run(str(begun.id)) == begun


def test_a_run_of_nulls_comes_back(store: Store) -> None:
    nothing = {
        name: None for name in a_run().machine.__struct_fields__ if name not in ("hostname", "kernel", "topology")
    }
    run = a_run(
        machine=msgspec.structs.replace(a_run().machine, **nothing), note=None, skipped=(), runtimes=(), cases=()
    )
    assert msgspec.structs.replace(store.run(str(store.begin(run).id)), id=0) == run


@pytest.mark.parametrize("name", ["native", "managed", "cut", "lock", "lock-unprotected"])
def test_a_trial_comes_back_as_it_went_in(store: Store, name: str) -> None:
    trial = a_trial(result=example(f"result-{name}", Result))
    assert stored(store, trial) == trial


def test_a_failed_trial_comes_back_as_it_went_in(store: Store) -> None:
    assert stored(store, a_failed_trial()) == a_failed_trial()


def test_a_failure_without_words_is_still_a_failure(store: Store) -> None:
    assert stored(store, a_failed_trial(failure=Failure("", ""))).failure == Failure("", "")


def test_an_unpinned_trial_comes_back(store: Store) -> None:
    case = a_case(placement=Placement("unpinned", (None, None)))
    trial = a_trial(case=case, request=example("request-unpinned", Request))
    assert stored(store, trial) == trial


@given(params=any_params, word=storable_text, log=storable_text, code=storable_text, sentence=storable_text)
def test_odd_words_come_back(store: Store, params: Any, word: str, log: str, code: str, sentence: str) -> None:
    case = a_case(experiment=word, mechanism=word, runtime=word, params=params, placement=Placement(word, ()))
    request = example("request-pinned", Request, experiment=word or "x", params=params)
    trial = a_failed_trial(case=case, request=request, log=log, failure=Failure(code, sentence))
    assert stored(store, trial) == trial


@given(ns=st.lists(lengths), cost=st.floats(0, 1e300), counts=st.dictionaries(lengths, st.integers(1, 2**40)))
def test_figures_come_back_exact(store: Store, ns: list[int], cost: float, counts: dict[int, int]) -> None:
    values = sorted(counts)
    result = example(
        "result-native",
        Result,
        clock={"name": "a clock", "cost_ns": cost, "resolution_ns": 1},
        windows={"every": 1, "line": [0] * len(ns), "kind": ["plain"] * len(ns), "ns": ns, "ops": [ns, ns]},
        distributions={"any": {"values_ns": values, "counts": [counts[v] for v in values], "censored": 3}},
    )
    assert stored(store, a_trial(result=result)).result == result


@given(arguments=st.lists(any_text), note=storable_text | st.none())
def test_a_runs_odd_words_come_back(store: Store, arguments: list[str], note: str | None) -> None:
    run = a_run(arguments=tuple(arguments), note=note)
    assert msgspec.structs.replace(store.run(str(store.begin(run).id)), id=0) == run


def test_bytes_that_were_no_text_stay_visible(store: Store) -> None:
    log = b"caf\xe9".decode(errors="surrogateescape")
    assert stored(store, a_trial(log=log)).log == r"caf\udce9"


def test_a_log_of_ten_megabytes_comes_back(store: Store) -> None:
    log = "0123456789\n\0\ufffd" * 800_000
    assert stored(store, a_trial(log=log)).log == log


def test_trials_come_by_round_and_position(empty: Store) -> None:
    run_id = empty.begin(a_run()).id
    other = empty.begin(a_run()).id
    for round_, position in [(1, 0), (0, 10), (0, 2), (10, 0), (2, 1), (2, 0)]:
        empty.add(run_id, a_trial(round=round_, position=position))
    empty.add(other, a_trial(round=7))
    found = [(trial.round, trial.position) for trial in empty.trials(run_id)]
    assert found == [(0, 2), (0, 10), (1, 0), (2, 0), (2, 1), (10, 0)]


def test_finish_says_how_when_and_why(empty: Store) -> None:
    first, second = empty.begin(a_run()).id, empty.begin(a_run()).id
    before = datetime.now(UTC).replace(microsecond=0)
    empty.finish(first, "failed", "no room")
    run = empty.run(str(first))
    assert (run.status, run.note) == ("failed", "no room")
    assert run.ended is not None
    assert before <= datetime.fromisoformat(run.ended) <= datetime.now(UTC)
    untouched = empty.run(str(second))
    assert (untouched.status, untouched.note, untouched.ended) == ("running", "as begun", None)


def test_runs_come_newest_first_with_what_ended(empty: Store) -> None:
    ids = [empty.begin(a_run(seed=seed)).id for seed in range(3)]
    for run_id, trials in zip(ids, (2, 0, 3), strict=True):
        for position in range(trials):
            empty.add(run_id, a_trial(position=position))
    empty.add(ids[2], a_failed_trial())
    assert [(run.seed, trials) for run, trials in empty.runs()] == [(2, 4), (1, 0), (0, 2)]
    assert [run.id for run, _ in empty.runs(limit=2)] == [ids[2], ids[1]]


def test_last_is_the_newest(empty: Store) -> None:
    empty.begin(a_run(started="2025-01-02T00:00:00+00:00"))
    newest = empty.begin(a_run(started="2024-01-01T00:00:00+00:00"))  # the machine's clock was set back
    assert empty.run("last") == newest


def test_an_empty_store_has_no_last_run(empty: Store) -> None:
    with pytest.raises(UnknownRun, match=r"no run 'last': the store .*runs\.sqlite3 holds none yet"):
        empty.run("last")
    assert empty.runs() == []


@pytest.mark.parametrize(
    "which", ["4", "0", "-1", "1.0", "", "first", " 1", "1 ", "1\n", "\u0661", "9" * 5000, "' or 1=1"]
)
def test_an_unknown_run_names_those_there_are(empty: Store, which: str) -> None:
    for _ in range(3):
        empty.begin(a_run())
    with pytest.raises(UnknownRun, match=r"It holds runs 1 to 3; 'last' is 3\.") as error:
        empty.run(which)
    assert error.value.exit_code == 2


def test_what_is_not_there_cannot_be_changed(empty: Store) -> None:
    empty.begin(a_run())
    with pytest.raises(UnknownRun, match="no run '7'"):
        empty.finish(7, "complete", None)
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        empty.add(7, a_trial())
    assert empty.trials(7) == []


def test_a_trial_is_there_for_everybody_once_it_was_added(empty: Store) -> None:
    run_id = empty.begin(a_run()).id
    with open_store(str(empty.place), create=False) as reader:
        for position in range(3):
            empty.add(run_id, a_trial(position=position))
            assert len(reader.trials(run_id)) == position + 1


def test_what_later_questions_need_is_in_columns(empty: Store) -> None:
    run_id = empty.begin(a_run()).id
    empty.add(run_id, a_trial())
    empty.add(run_id, a_failed_trial(position=6))
    with sqlite3.connect(str(empty.place)) as database:
        database.row_factory = sqlite3.Row
        first, second = database.execute("select *, json_extract(params, '$.spins') as spins from trials").fetchall()
        machine = database.execute("select json_extract(machine, '$.cpu_model') from runs").fetchone()[0]
    database.close()
    assert (first["experiment"], first["mechanism"], first["placement"]) == ("signal", "cas-one-line", "same-l3")
    assert (first["runtime"], first["spins"], first["wall_ns"]) == ("java-17 -XX:+UseParallelGC", 40, 2**53 + 1)
    assert (first["failure_code"], second["failure_code"]) == (None, "hung")
    assert second["result"] is second["histogram"] is None
    assert machine == "A CPU @ 3.00GHz"


def stored(store: Store, trial: Any) -> Any:
    run_id = store.begin(a_run()).id
    store.add(run_id, trial)
    (found,) = store.trials(run_id)
    return found
