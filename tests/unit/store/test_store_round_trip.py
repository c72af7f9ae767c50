"""What goes into the store comes out of it, whatever it is, on SQLite and on a server."""

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.store.examples import a_case, a_failed_trial, a_run, a_trial, add, an_owner, example, seen
from threadping.contract import Request, Result
from threadping.errors import StoreError, UnknownRun
from threadping.model import Failure, Placement, Trial
from threadping.store import Store, form, open_store, owner_of_this_process, schema

any_text = st.text(st.characters())  # surrogates too
storable_text = st.text()
any_params = st.dictionaries(any_text, st.integers() | any_text, max_size=5)
lengths = st.integers(1, 2**63 - 1)
BOTH = ["sqlite", "postgresql"]


@pytest.fixture(scope="module", params=BOTH)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(a_location(request, tmp_path_factory.mktemp("store"))) as store:
        yield store


@pytest.fixture(params=BOTH)
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with open_store(a_location(request, tmp_path)) as store:
        yield store


def a_location(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return str(folder / "runs.sqlite3")
    return str(request.getfixturevalue("new_database")())


def stored(store: Store, trial: Trial) -> Trial:
    run = store.begin(a_run(cases=(a_case(lines=1), trial.case)))
    add(store, run.id, trial)
    (found,) = store.trials(run)
    assert found.case is run.cases[1]
    assert store.observations(run) == [seen(found)]
    return found


def as_kept(store: Store, text: str) -> str:
    """A server's text has no NUL."""
    return text if store.place.is_sqlite else text.replace("\0", "\N{SYMBOL FOR NULL}")


def test_a_run_comes_back_as_it_went_in(store: Store) -> None:
    begun = store.begin(a_run())
    assert begun.id > 0
    assert begun == msgspec.structs.replace(a_run(), id=begun.id)
    assert store.run(str(begun.id)) == begun


def test_a_run_of_nulls_comes_back(store: Store) -> None:
    known = ("hostname", "kernel", "topology")
    machine = a_run().machine
    nothing = {name: None for name in machine.__struct_fields__ if name not in known}
    run = a_run(machine=msgspec.structs.replace(machine, **nothing), note=None, skipped=(), runtimes=(), cases=())
    assert msgspec.structs.replace(store.run(str(store.begin(run).id)), id=0) == run


@pytest.mark.parametrize("name", ["native", "managed", "cut", "lock", "lock-unprotected"])
def test_a_trial_comes_back_as_it_went_in(store: Store, name: str) -> None:
    trial = a_trial(result=example(f"result-{name}", Result))
    assert stored(store, trial) == msgspec.structs.replace(trial, log=as_kept(store, trial.log))


@pytest.mark.parametrize("failure", [a_failed_trial().failure, Failure("", "")])
def test_a_failed_trial_comes_back_as_it_went_in(store: Store, failure: Failure) -> None:
    trial = a_failed_trial(failure=failure)
    assert stored(store, trial) == trial


def test_an_unpinned_trial_comes_back(store: Store) -> None:
    case = a_case(placement=Placement("unpinned", (None, None)))
    trial = a_failed_trial(case=case, request=example("request-unpinned", Request))
    assert stored(store, trial) == trial


@given(params=any_params, word=any_text, text=storable_text)
def test_odd_words_come_back(store: Store, params: Any, word: str, text: str) -> None:
    case = a_case(experiment=word, mechanism=word, runtime=word, params=params, placement=Placement(word, ()))
    request = example("request-pinned", Request, experiment=word or "x", params=params)
    kept = as_kept(store, text)
    trial = a_failed_trial(case=case, request=request, log=text, failure=Failure(text, text))
    assert stored(store, trial) == msgspec.structs.replace(trial, log=kept, failure=Failure(kept, kept))


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
    trial = a_trial(result=result)
    run = store.begin(a_run())
    observation = seen(trial, figures={"cost": cost, "-": -cost}, distributions=result.distributions)
    store.add(run.id, trial, observation)
    assert store.trials(run)[0].result == result
    assert store.observations(run) == [observation]


@given(arguments=st.lists(any_text), note=storable_text | st.none())
def test_a_runs_odd_words_come_back(store: Store, arguments: list[str], note: str | None) -> None:
    found = store.run(str(store.begin(a_run(arguments=tuple(arguments), note=note)).id))
    assert (found.arguments, found.note) == (tuple(arguments), note and as_kept(store, note))


def test_bytes_that_were_no_text_stay_visible(store: Store) -> None:
    assert stored(store, a_trial(log=b"caf\xe9".decode(errors="surrogateescape"))).log == r"caf\udce9"


def test_a_log_of_ten_megabytes_comes_back(store: Store) -> None:
    log = "0123456789\n\0\ufffd" * 800_000
    assert stored(store, a_trial(log=log)).log == as_kept(store, log)


def test_trials_and_observations_come_by_round_and_position(empty: Store) -> None:
    run, other = empty.begin(a_run()), empty.begin(a_run())
    add(empty, other.id, a_trial(round=7))
    for round_, position in [(1, 0), (0, 10), (0, 2), (10, 0), (2, 1), (2, 0)]:
        add(empty, run.id, a_trial(round=round_, position=position))
    for found in (empty.trials(run), empty.observations(run)):
        assert [(one.round, one.position) for one in found] == [(0, 2), (0, 10), (1, 0), (2, 0), (2, 1), (10, 0)]


def test_observations_are_had_without_results(empty: Store) -> None:
    run = empty.begin(a_run())
    add(empty, run.id, a_trial())
    with empty._engine.begin() as connection:
        connection.execute(schema.trials.update().values(result=b"", request={}))
    assert empty.observations(run) == [seen(a_trial())]


@pytest.mark.parametrize("unreadable", [None, b"scribble", form.pack({"form": "x"})])
def test_an_observation_that_cannot_be_read_is_one_to_be_made_anew(empty: Store, unreadable: bytes | None) -> None:
    run, trial = empty.begin(a_run()), a_failed_trial()
    add(empty, run.id, trial)
    with empty._engine.begin() as connection:
        connection.execute(schema.trials.update().values(observation=unreadable))
    nothing = seen(trial, figures={}, distributions={}, form=0)
    assert empty.observations(run) == [nothing]
    empty.add(run.id, trial, seen(trial, figures={"no number in JSON": float("inf")}))
    assert empty.observations(run) == [nothing, nothing]


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
        add(empty, run_id, *(a_trial(position=position) for position in range(trials)))
    add(empty, ids[2], a_failed_trial())
    assert [(run.seed, trials) for run, trials in empty.runs()] == [(2, 4), (1, 0), (0, 2)]
    assert [run.id for run, _ in empty.runs(limit=2)] == [ids[2], ids[1]]


def test_last_is_the_newest(empty: Store) -> None:
    empty.begin(a_run(started="2025-01-02T00:00:00+00:00"))
    newest = empty.begin(a_run(started="2024-01-01T00:00:00+00:00"))  # the machine's clock was set back
    assert empty.run("last") == newest


def test_an_empty_store_has_no_last_run(empty: Store) -> None:
    with pytest.raises(UnknownRun, match=r"no run 'last': the store .*runs.* holds none yet"):
        empty.run("last")
    assert empty.runs() == []


def test_an_unknown_run_names_those_there_are(empty: Store) -> None:
    for _ in range(3):
        empty.begin(a_run())
    for which in ("4", "0", "-1", "1.0", "", "first", " 1", "1 ", "1\n", "\u0661", "9" * 5000, "' or 1=1"):
        with pytest.raises(UnknownRun, match=r"It holds runs 1 to 3; 'last' is 3\.") as error:
            empty.run(which)
        assert error.value.exit_code == 2


def test_what_is_not_there_cannot_be_changed(empty: Store) -> None:
    empty.begin(a_run())
    with pytest.raises(UnknownRun, match="no run '7'"):
        empty.finish(7, "complete", None)
    with pytest.raises(UnknownRun, match="no run '7'"):
        add(empty, 7, a_trial())
    with pytest.raises(UnknownRun, match="no run '7'"):
        empty.remove(7)
    assert [(run.id, trials) for run, trials in empty.runs()] == [(1, 0)]


def test_a_trial_goes_to_a_run_that_another_began(empty: Store) -> None:
    run = empty.begin(a_run())
    with open_store(empty.place.url.render_as_string(hide_password=False)) as other:
        add(other, run.id, a_failed_trial(case=run.cases[1]))
    assert empty.trials(run) == [a_failed_trial(case=run.cases[1])]


def test_a_run_is_removed_with_its_trials_and_no_other(empty: Store) -> None:
    gone, kept = (empty.begin(a_run(owner=an_owner(pid=-1))) for _ in range(2))
    for run in (gone, kept):
        add(empty, run.id, a_failed_trial(), a_failed_trial(position=6))
    empty.remove(gone.id)
    assert [(run.id, trials) for run, trials in empty.runs()] == [(kept.id, 2)]
    assert empty.trials(gone) == []
    assert len(empty.trials(kept)) == 2
    empty.remove(kept.id)
    assert empty.begin(a_run()).id > kept.id  # a number never comes to mean another run


def test_a_run_that_is_being_measured_is_not_removed(empty: Store) -> None:
    mine = owner_of_this_process()
    run = empty.begin(a_run())
    add(empty, run.id, a_failed_trial())
    with pytest.raises(
        StoreError, match=rf"Run {run.id} is still .*process {mine.pid} of {mine.hostname}\. End"
    ) as error:
        empty.remove(run.id)
    assert type(error.value) is StoreError
    assert empty.runs()[0][1] == 1
    empty.finish(run.id, "complete", None)
    empty.remove(run.id)
    assert empty.runs() == []


def test_a_trial_is_there_for_everybody_once_it_was_added(empty: Store) -> None:
    run = empty.begin(a_run())
    with open_store(empty.place.url.render_as_string(hide_password=False), create=False) as reader:
        for position in range(3):
            add(empty, run.id, a_trial(position=position))
            assert len(reader.trials(run)) == position + 1


def test_other_programs_can_ask_for_cases_and_machines(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "runs.sqlite3")) as store:
        run = store.begin(a_run())
        add(store, run.id, a_trial(case=run.cases[1]), a_failed_trial(position=6))
    database = sqlite3.connect(tmp_path / "runs.sqlite3")
    mechanism = "json_extract(cases, '$[' || \"case\" || '].mechanism')"
    columns = f"{mechanism}, wall_ns, failure_code, result IS NULL, json_extract(machine, '$.cpu_model')"
    found = database.execute(f"SELECT {columns} FROM trials JOIN runs ON runs.id = run_id ORDER BY position")
    assert found.fetchall() == [
        ("condition", 2**53 + 1, None, 0, "A CPU @ 3.00GHz"),
        ("cas-one-line", 2**53 + 1, "hung", 1, "A CPU @ 3.00GHz"),
    ]
    database.close()
