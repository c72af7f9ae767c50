"""What is stored is a form of its own: what was stored before, and will be later, is read."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.unit.store.examples import a_run, example
from threadping.analysis import reading
from threadping.contract import SCHEMA, Clock, Request, Result
from threadping.store import form


def without(record: Any, *names: str) -> dict[str, Any]:
    fields = msgspec.to_builtins(record)
    return {name: value for name, value in fields.items() if name not in names}


FIRST_LOCK = {
    **without(example("result-lock", Result), "home", "distributions", "counts"),
    "schema": 1,
    "warmup": {"ops": 200, "ns": 4000, "complete": True},
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
        warmup={"ops": 200, "ns": 4000, "ended": "rounds"},
        windows={
            **{"warmup": [False, False], "line": [3, 1], "kind": ["throughput", "sampling"], "every": [0, 64]},
            **{"ns": [10_000, 5_000], "ops": ops, "switches": None, "compile_ms": None},
        },
        distributions={timed: {"unit": "ns", "values": [12], "counts": [4], "censored": 0, "negative": 0}},
        counts={"increments": {"made": 1900, "found": 1900, "exact": True}},
    )
    assert form.unpack(form.pack({**FIRST_LOCK, "mechanism": mechanism}), Result, 1) == expected


def test_a_cut_block_of_the_first_form_is_a_window_as_far_as_it_came() -> None:
    blocks = {"round_trips": 300, "lines": [[120.01], [], [99.5]], "partial": {"line": 1, "round_trips": 7, "ns": 0}}
    warmup = {"ops": 200, "ns": 4000, "complete": True}
    first = {"blocks": blocks, "singles": {"values_ns": [118], "counts": [5]}, "warmup": warmup, "evidence": None}
    windows = form.read({**without(example("result-cut", Result)), **first}, Result, 1).windows
    assert (windows.line, windows.ns, windows.ops) == ((0, 2, 1), (36_003, 29_850, 1), ((300, 300, 7), (300, 300, 7)))


@pytest.mark.parametrize(("experiment", "unit", "length"), [("signal", "ops", 1000), ("lock", "ns", 10_000_000)])
def test_a_request_of_the_first_form_says_what_the_probe_decided_then(experiment: str, unit: str, length: int) -> None:
    first = without(example("request-pinned", Request, experiment=experiment), "pin", "home", "windows", "patience_ns")
    first["warmup"] = {name: first["warmup"][name] for name in ("rounds", "ops", "limit_ns")}
    request = form.read({**first, "schema": 1}, Request, 1)
    assert (request.pin, request.home, request.windows.unit) == ("thread", None, unit)
    assert (request.windows.throughput, request.warmup.steady) == (length, None)


def thread(role: str) -> dict[str, Any]:
    counts = ("voluntary_switches", "involuntary_switches", "migrations", "minor_faults", "major_faults")
    return {"role": role, "cpus_start": [0], "cpus_end": [0], "cpu_ns": 9, **dict.fromkeys(counts, 0)}


SEEN: dict[str, Any] = {
    **{"ns": 9, "cpu_before": 0, "cpu": 0, "cpu_ns": 9, "run_delay_ns": None, "others_run_delay_ns": None},
    **dict.fromkeys(("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults"), 0),
    "interrupts": None,
}
OUTLIER = {"of": "wake", "thread": 1, "at_ns": 5, "ns": 6_000}
EVIDENCE = {"look_ns": 700, "interrupts": None, "lacking": ["No view of it."]}
ALIKE: dict[str, Any] = {
    "home": {"nodes": [0]},
    "clock": {"name": "a clock", "cost_ns": 20.5, "resolution_ns": 1, "skew": {"least_ns": -9, "most_ns": 8}},
    "machine": {"steal_ns": 0, "interrupts": 12},
    "managed": None,
}
"""What is told alike in the second form and in the third."""


def second(
    experiment: str, roles: list[str], *ops: list[int], complete: bool = True, of: str = "any", **changes: Any
) -> dict[str, Any]:
    """A result of the second form, of a plain window and a timed one, in which its threads did so much."""
    return {
        **ALIKE,
        "schema": 3,
        "experiment": experiment,
        "mechanism": "any",
        "threads": [thread(role) for role in roles],
        "warmup": {"ops": 100, "ns": 7, "complete": complete},
        "measured": {"ops": 900, "ns": 4_000, "cut": False},
        "windows": {"every": 8, "line": [3, 1], "kind": ["plain", "timed"], "ns": [2_000, 1_000], "ops": [*ops]},
        "distributions": {of: {"values_ns": [12, 15], "counts": [4, 2], "censored": 3}},
        "evidence": None,
        "counts": {"anything": {"made": 1_000, "found": 1_000, "exact": True}},
        **changes,
    }


def third(stored: dict[str, Any], *ops: list[int], ended: str = "rounds", **changes: Any) -> Result:
    """The same as it is told today."""
    (of,) = stored["distributions"]
    unit = "messages" if of == "batch" else "ns"
    return msgspec.convert(
        {
            **stored,
            "schema": SCHEMA,
            "warmup": {"ops": 100, "ns": 7, "ended": ended},
            "windows": {
                **{"warmup": [False, False], "line": [3, 1], "kind": ["throughput", "sampling"], "every": [0, 8]},
                **{"ns": [2_000, 1_000], "ops": [*ops], "switches": None, "compile_ms": None},
            },
            "distributions": {of: {"unit": unit, "values": [12, 15], "counts": [4, 2], "censored": 3, "negative": 0}},
            **changes,
        },
        Result,
    )


WORKED = [400, 200], [300, 100]
SIGNALLED = second("signal", ["ping", "pong"], *WORKED, of="round-trip")
LOCKED = second("lock", ["worker", "worker"], *WORKED, of="acquire", complete=False)
CALLED = second(
    "notify",
    ["notifier", "waiter"],
    [400, 200],
    [0, 0],
    of="wake",
    evidence={**EVIDENCE, "outliers": [{**OUTLIER, "seen": {**SEEN, "steal_ns": 4}}, {**OUTLIER, "seen": None}]},
)
SENT = second("ring", ["producer", "consumer"], [400, 200], [0, 0], of="latency")
BATCHED = second("ring", ["producer", "consumer", "producer"], [400, 200], [0, 0], [300, 100], of="batch")
SPREAD = second("ring", ["producer", "consumer", "consumer"], [400, 200], [0, 0], [0, 0], of="latency")


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        pytest.param(SIGNALLED, third(SIGNALLED, *WORKED), id="signal"),
        pytest.param(LOCKED, third(LOCKED, *WORKED, ended="limit"), id="lock"),
        pytest.param(
            CALLED,
            third(
                CALLED,
                [400, 200],
                [0, 0],
                evidence={
                    **EVIDENCE,
                    "looks": 0,
                    "outliers": [{**OUTLIER, "seen": SEEN}, {**OUTLIER, "seen": None}],
                },
            ),
            id="notify",
        ),
        # What was sent arrived: at one consumer once, at each of two of them whole.
        pytest.param(SENT, third(SENT, [400, 200], [400, 200]), id="ring"),
        pytest.param(
            BATCHED, third(BATCHED, [400, 200], [700, 300], [300, 100]), id="ring with two producers, in batches"
        ),
        pytest.param(
            SPREAD,
            third(
                SPREAD,
                *[[400, 200]] * 3,
                warmup={"ops": 200, "ns": 7, "ended": "rounds"},
                measured={"ops": 1_800, "ns": 4_000, "cut": False},
            ),
            id="ring with two consumers",
        ),
    ],
)
def test_a_result_of_the_second_form_tells_the_same_today(stored: dict[str, Any], expected: Result) -> None:
    assert form.read(stored, Result, 2) == expected
    assert form.unpack(form.pack(stored), Result, 2) == expected


def test_a_rate_of_what_was_sent_is_that_of_what_arrived() -> None:
    """700 messages of both producers in 2 us, 400 of one to each of two consumers: read as they were until now."""
    assert [reading.rate(form.read(one, Result, 2)) for one in (SENT, BATCHED, SPREAD)] == [2e8, 3.5e8, 2e8]


def test_a_request_of_the_second_form_waited_for_no_steady_pace_and_names_its_windows_as_today() -> None:
    today = example("request-pinned", Request)
    fields = without(today)
    warmup = {name: value for name, value in fields["warmup"].items() if name != "steady"}
    windows = {"plain": 1000, "timed": 300, "unit": "ops", "visits": 5, "chunk_ns": 20_000, "clock_share": 0.02}
    stored = {**fields, "schema": 3, "warmup": warmup, "windows": windows}
    assert form.read(stored, Request, 2) == replace(today, warmup=replace(today.warmup, steady=None))


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
