"""What is stored is a form of its own: what was stored before, and will be later, is read."""

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.store.examples import example
from threadping.contract import Request, Result
from threadping.experiments import rows_of
from threadping.store import form, open_store

HERE = Path(__file__).parent
STORED, SHOWN = HERE / "stored-by-0.1.sqlite3", HERE / "stored-by-0.1.json"
"""A store made by threadping 0.1 with a fake probe, and the rows that it showed: cut and failed trials among them."""

NEW = ("home", "censored")


def test_a_store_of_the_version_before_is_shown_with_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    shutil.copy(STORED, path)
    with open_store(str(path), create=False) as store:
        shown = {str(run.id): rows_of(run, store.trials(run.id)) for run, _ in store.runs()}
    rows = json.loads(msgspec.json.encode(shown))
    assert {row.pop(name) for of_run in rows.values() for row in of_run for name in NEW} == {None, 0}
    before = json.loads(SHOWN.read_text())
    assert [len(of_run) for of_run in before.values()] == [2, 1, 2]
    assert_same(rows, before)


def assert_same(now: Any, before: Any) -> None:
    """To the last bit but one: means of blocks were kept, and are whole nanoseconds now."""
    match before:
        case dict():
            assert now.keys() == before.keys()
            for name in before:
                assert_same(now[name], before[name])
        case list():
            assert len(now) == len(before)
            for one, other in zip(now, before, strict=True):
                assert_same(one, other)
        case float():
            assert now == pytest.approx(before, rel=1e-15)
        case _:
            assert now == before


FIRST_LOCK = {
    **msgspec.to_builtins(example("result-lock", Result)),
    "schema": 1,
    "windows": [
        {"line": 3, "sampled": False, "ns": 10_000, "ops": [400, 600]},
        {"line": 1, "sampled": True, "ns": 5_000, "ops": [250, 150]},
    ],
    "sampling": {"every": 64},
    "waits": {"values_ns": [12], "counts": [4]},
    "counter": {"exact": True, "made": 1900, "found": 1900},
}


@pytest.mark.parametrize(
    ("mechanism", "timed"),
    [
        *((name, "acquire") for name in ("mutex", "ticket-lock", "monitor", "semaphore")),
        *((name, "increment") for name in ("fetch-add", "cas-loop", "single-writer-release", "false-sharing")),
        *((name, "increment") for name in ("unprotected", "get-and-add", "long-adder")),
    ],
)
def test_what_a_lock_of_the_first_form_had_timed_is_known_by_its_mechanism(mechanism: str, timed: str) -> None:
    first = {name: value for name, value in FIRST_LOCK.items() if name not in ("home", "distributions", "counts")}
    expected = example(
        "result-lock",
        Result,
        mechanism=mechanism,
        home={"nodes": None},
        windows={
            "every": 64,
            "line": [3, 1],
            "kind": ["plain", "timed"],
            "ns": [10_000, 5_000],
            "ops": [[400, 250], [600, 150]],
        },
        distributions={timed: {"values_ns": [12], "counts": [4], "censored": 0}},
        counts={"increments": {"made": 1900, "found": 1900, "exact": True}},
    )
    assert form.read({**first, "mechanism": mechanism}, Result) == expected


def test_a_cut_block_of_the_first_form_is_a_window_as_far_as_it_came() -> None:
    first = {
        **msgspec.to_builtins(example("result-cut", Result)),
        "blocks": {
            "round_trips": 300,
            "lines": [[120.01], [], [99.5]],
            "partial": {"line": 1, "round_trips": 7, "ns": 0},
        },
        "singles": {"values_ns": [118], "counts": [5]},
    }
    windows = form.read(first, Result).windows
    assert (windows.line, windows.ns, windows.ops) == ((0, 2, 1), (36_003, 29_850, 1), ((300, 300, 7), (300, 300, 7)))


@pytest.mark.parametrize(("experiment", "unit", "plain"), [("signal", "ops", 1000), ("lock", "ns", 10_000_000)])
def test_a_request_of_the_first_form_says_what_the_probe_decided_then(experiment: str, unit: str, plain: int) -> None:
    first = msgspec.to_builtins(example("request-pinned", Request, experiment=experiment))
    for name in ("pin", "home", "windows", "patience_ns"):
        del first[name]
    del first["warmup"]["look_ns"], first["warmup"]["uninterrupted"]
    request = form.read({**first, "schema": 1}, Request)
    assert (request.pin, request.home, request.windows.unit, request.windows.plain) == ("thread", None, unit, plain)


def test_what_is_stored_says_its_form_and_survives_another_version_of_the_contract() -> None:
    result = example("result-native", Result)
    stored = form.kept(result)
    assert stored["form"] == form.FORM == 2
    assert form.read({**stored, "schema": 77}, Result) == result


def test_fields_that_are_not_known_here_are_passed_over_however_deep() -> None:
    result = example("result-lock", Result)
    stored = json.loads(msgspec.json.encode({**form.kept(result), "mood": "calm"}))
    for part in ("clock", "windows", *(f"distributions/{name}" for name in result.distributions), "threads/0"):
        deep: Any = stored
        for step in part.split("/"):
            deep = deep[int(step) if isinstance(deep, list) else step]
        deep["later"] = {"x": 1}
    assert form.read(stored, Result) == result


class Later(Result, frozen=True):
    """A result with a field that came later."""

    mood: str = "calm"


def test_a_field_with_a_default_is_read_from_what_has_none() -> None:
    stored = form.kept(example("result-native", Result))
    assert form.read(stored, Later).mood == "calm"
    assert form.read({**stored, "mood": "wild"}, Later).mood == "wild"
