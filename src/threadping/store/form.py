"""What is kept of records: a form of its own, versioned apart from the contract.

A field that goes, that has a default or that may be None needs nothing here: what is not known is passed over, what is
missing is its default or None. Any other change of a request or a result is a new `FORM`, with a step here, taken when
something older is read, and a revision of the store, so that an older threadping refuses it. Any other change of what a
run is made of, such as its machine or its cases, is a revision that rewrites them.
"""

import zlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from threadping.contract import SCHEMA, Request, Result

FORM = 3

Fields = dict[str, Any]
_Kind = TypeVar("_Kind")

QUICKEST = 1
"""The level of compression: 6, the usual one, takes three times as long for 4% less."""

INCREMENTS = (
    *("fetch-add", "cas-loop", "single-writer-release", "false-sharing", "unprotected"),
    *("get-and-add", "long-adder"),
)
"""The mechanisms of `lock` that had no lock to wait for in form 1, which did not say what it had timed."""


def read(stored: Any, kind: type[_Kind], form: int = FORM) -> _Kind:
    """The record of this type that was stored in this form, as plain JSON; a ValueError if there is none in it."""
    if form == FORM:
        with suppress(msgspec.ValidationError):
            return msgspec.convert(stored, kind)
    try:
        for step in STEPS.get(kind, ())[form - 1 :]:
            stored = step(stored)
        return msgspec.convert(_as_known(stored, _type(kind)), kind)
    except (AttributeError, LookupError, TypeError) as error:  # a step did not find what every one of its form has
        raise ValueError(f"a stored {kind.__name__.lower()} is not whole: {error!r}") from error


def pack(record: Any) -> bytes:
    """A record as compressed JSON: exact, for thousands of numbers that nobody queries one by one."""
    return zlib.compress(msgspec.json.encode(record), QUICKEST)


def unpack(packed: bytes, kind: type[_Kind], form: int = FORM) -> _Kind:
    """The record that was packed; a ValueError or zlib.error if there is none in it."""
    text = zlib.decompress(packed)
    if form == FORM:
        with suppress(msgspec.ValidationError):
            return msgspec.json.decode(text, type=kind)
    return read(msgspec.json.decode(text), kind, form)


_type: Callable[[Any], inspect.Type] = cache(inspect.type_info)


def _as_known(stored: Any, kind: inspect.Type) -> Any:
    """What is known here of what was stored; a message of the contract is read as one of its version of today."""
    match kind:
        case inspect.StructType() if isinstance(stored, dict):
            known = {field.encode_name: field for field in kind.fields}
            fields = {name: _as_known(value, known[name].type) for name, value in stored.items() if name in known}
            absent = {name: None for name, field in known.items() if field.required and _may_be_none(field.type)}
            return {**absent, **fields, **({"schema": SCHEMA} if "schema" in known else {})}
        case inspect.DictType() if isinstance(stored, dict):
            return {name: _as_known(value, kind.value_type) for name, value in stored.items()}
        case inspect.VarTupleType(item_type=inspect.StructType()) if isinstance(stored, list):
            return [_as_known(value, kind.item_type) for value in stored]
        case inspect.UnionType():
            for possible in kind.types:
                stored = _as_known(stored, possible)
    return stored


def _may_be_none(kind: inspect.Type) -> bool:
    return isinstance(kind, inspect.UnionType) and kind.includes_none


def _one_for_all(result: Fields) -> Fields:
    """Form 2: windows, distributions and counts, where each experiment had a result of its own."""
    every, windows, timed, counts = (_of_lock if result["experiment"] == "lock" else _of_signal)(result)
    line, kind, ns, ops = ([window[place] for window in windows] for place in range(4))
    by_thread = [[each[thread] for each in ops] for thread in range(len(result["threads"]))]
    return {
        "home": {"nodes": None},
        **result,
        "windows": {"every": every, "line": line, "kind": kind, "ns": ns, "ops": by_thread},
        "distributions": {name: {**samples, "censored": 0} for name, samples in timed.items()},
        "counts": counts,
    }


def _of_signal(result: Fields) -> tuple[int, list[Any], Fields, Fields]:
    """A block, of which the mean round trip was kept, was a plain window; single round trips were of no window."""
    blocks = result["blocks"]
    length = blocks["round_trips"]
    windows = [(line, mean * length, length) for line, means in enumerate(blocks["lines"]) for mean in means]
    if cut := blocks["partial"]:
        windows.append((cut["line"], cut["ns"], cut["round_trips"]))
    rows = [(line, "plain", max(1, round(ns)), (ops, ops)) for line, ns, ops in windows]
    return 1, rows, {"round-trip": result["singles"]}, {}


def _of_lock(result: Fields) -> tuple[int, list[Any], Fields, Fields]:
    rows = [(w["line"], "timed" if w["sampled"] else "plain", w["ns"], w["ops"]) for w in result["windows"]]
    timed = "increment" if result["mechanism"] in INCREMENTS else "acquire"
    return result["sampling"]["every"], rows, {timed: result["waits"]}, {"increments": result["counter"]}


def _with_policy(request: Fields) -> Fields:
    """Form 2: a request says how to measure; the probes did then what stands here, where no CPU was shared."""
    in_blocks = {"unit": "ops", "plain": 1000, "timed": 300, "visits": 5}
    in_periods = {"unit": "ns", "plain": 10_000_000, "timed": 5_000_000, "visits": 1}
    windows = in_periods if request["experiment"] == "lock" else in_blocks
    warmup = request["warmup"]
    return {
        "pin": "thread",
        **request,
        "warmup": {**warmup, "look_ns": 1_000_000, "uninterrupted": warmup["ops"] > 100_000},
        "windows": {**windows, "chunk_ns": 20_000, "clock_share": 0.02},
        "patience_ns": 1_000_000_000,
    }


def _with_warmup_windows(result: Fields) -> Fields:
    """Form 3: windows say whether they were the warm-up's and how often was sampled; messages count where they arrive.

    Until then `ring` counted what was sent; all of it arrived, or the trial had failed.
    """
    windows, kinds = result["windows"], [KINDS[kind] for kind in result["windows"]["kind"]]
    roles = [thread["role"] for thread in result["threads"]]
    sent = [sum(of_each) for of_each in zip(*windows["ops"], strict=True)]
    warmup, measured, consumers = result["warmup"], result["measured"], max(1, roles.count("consumer"))
    return {
        **result,
        "warmup": {**warmup, "ops": warmup["ops"] * consumers, "ended": "rounds" if warmup["complete"] else "limit"},
        "measured": {**measured, "ops": measured["ops"] * consumers},
        "windows": {
            "warmup": [False] * len(kinds),
            "line": windows["line"],
            "kind": kinds,
            "every": [windows["every"] if kind == "sampling" else 0 for kind in kinds],
            "ns": windows["ns"],
            "ops": [sent if role == "consumer" else ops for role, ops in zip(roles, windows["ops"], strict=True)],
            "switches": None,
            "compile_ms": None,
        },
        "distributions": {
            name: {
                "unit": "messages" if name == "batch" else "ns",
                "values": one["values_ns"],
                "counts": one["counts"],
                "censored": one["censored"],
                "negative": 0,
            }
            for name, one in result["distributions"].items()
        },
        "evidence": result.get("evidence") and {"looks": 0, **result["evidence"]},
    }


def _with_kinds_of_today(request: Fields) -> Fields:
    """Form 3: the two kinds of window have their names of today; nobody waited for a steady pace."""
    windows = {KINDS.get(name, name): value for name, value in request["windows"].items()}
    return {**request, "warmup": {"steady": None, **request["warmup"]}, "windows": windows}


KINDS = {"plain": "throughput", "timed": "sampling"}

STEPS: dict[Any, tuple[Callable[[Fields], Fields], ...]] = {
    Result: (_one_for_all, _with_warmup_windows),
    Request: (_with_policy, _with_kinds_of_today),
}
"""For each record that has a form how it came from one to the next, the first from form 1 to 2."""
