"""What is stored is a form of its own: what was stored before, and will be later, is read."""

from typing import Any

import msgspec
import pytest

from tests.unit.store.examples import a_run, example
from threadping.contract import Clock, Request, Result
from threadping.store import form


def without(record: Any, *names: str) -> dict[str, Any]:
    fields = msgspec.to_builtins(record)
    return {name: value for name, value in fields.items() if name not in names}


FIRST_LOCK = {
    **without(example("result-lock", Result), "home", "distributions", "counts"),
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
    ops = [[400, 250], [600, 150]]
    expected = example(
        "result-lock",
        Result,
        mechanism=mechanism,
        home={"nodes": None},
        windows={"every": 64, "line": [3, 1], "kind": ["plain", "timed"], "ns": [10_000, 5_000], "ops": ops},
        distributions={timed: {"values_ns": [12], "counts": [4], "censored": 0}},
        counts={"increments": {"made": 1900, "found": 1900, "exact": True}},
    )
    assert form.unpack(form.pack({**FIRST_LOCK, "mechanism": mechanism}), Result, 1) == expected


def test_a_cut_block_of_the_first_form_is_a_window_as_far_as_it_came() -> None:
    blocks = {"round_trips": 300, "lines": [[120.01], [], [99.5]], "partial": {"line": 1, "round_trips": 7, "ns": 0}}
    first = {"blocks": blocks, "singles": {"values_ns": [118], "counts": [5]}}
    windows = form.read({**without(example("result-cut", Result)), **first}, Result, 1).windows
    assert (windows.line, windows.ns, windows.ops) == ((0, 2, 1), (36_003, 29_850, 1), ((300, 300, 7), (300, 300, 7)))


@pytest.mark.parametrize(("experiment", "unit", "plain"), [("signal", "ops", 1000), ("lock", "ns", 10_000_000)])
def test_a_request_of_the_first_form_says_what_the_probe_decided_then(experiment: str, unit: str, plain: int) -> None:
    first = without(example("request-pinned", Request, experiment=experiment), "pin", "home", "windows", "patience_ns")
    del first["warmup"]["look_ns"], first["warmup"]["uninterrupted"]
    request = form.read({**first, "schema": 1}, Request, 1)
    assert (request.pin, request.home, request.windows.unit, request.windows.plain) == ("thread", None, unit, plain)


def test_what_was_stored_survives_another_version_of_the_contract() -> None:
    result = example("result-native", Result)
    assert form.read({**without(result), "schema": 77}, Result) == result


RESULTS = [example(name, Result) for name in ("result-lock", "result-managed")]
RECORDS = [*RESULTS, example("request-pinned", Request), a_run()]


@pytest.mark.parametrize("record", RECORDS)
def test_what_is_not_known_here_is_passed_over_however_deep(record: Any) -> None:
    packed = form.pack(as_later(record))
    assert packed != form.pack(record)
    assert form.unpack(packed, type(record)) == record


def as_later(value: Any) -> Any:
    """As JSON, with a field in every record that nobody knows today."""
    match value:
        case msgspec.Struct():
            return {name: as_later(getattr(value, name)) for name in value.__struct_fields__} | {"later": {"x": [1]}}
        case dict():
            return {name: as_later(one) for name, one in value.items()}
        case tuple():
            return [as_later(one) for one in value]
    return value


class LaterClock(Clock, frozen=True):
    """A part of a result with fields that came later."""

    mood: str | None
    tone: str = "calm"


class LaterResult(Result, frozen=True):
    clock: LaterClock


def test_what_is_missing_is_its_default_or_none() -> None:
    stored = without(example("result-native", Result))
    clock = form.unpack(form.pack(stored), LaterResult).clock
    assert (clock.mood, clock.tone, clock.name) == (None, "calm", stored["clock"]["name"])
    stored["clock"] |= {"mood": "good", "tone": "shrill"}
    clock = form.unpack(form.pack(stored), LaterResult).clock
    assert (clock.mood, clock.tone) == ("good", "shrill")


def test_what_is_missing_and_can_be_neither_needs_a_step() -> None:
    with pytest.raises(ValueError, match=r"missing required field `cost_ns` - at `\$\.clock`"):
        form.read(without(example("result-native", Result)) | {"clock": {"name": "x", "resolution_ns": 1}}, Result)


@pytest.mark.parametrize("record", RECORDS)
def test_what_is_of_today_is_read_without_looking_at_each_field(record: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form, "_as_known", None)
    assert form.read(msgspec.to_builtins(record), type(record)) == record
    monkeypatch.setattr(form, "read", None)
    assert form.unpack(form.pack(record), type(record)) == record
