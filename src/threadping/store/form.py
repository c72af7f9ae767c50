"""What is kept of results and requests: a form of its own, versioned apart from the contract.

Its number stands beside the figures as `form`; what has none is of form 1, the messages of the contract's schema 1.
What is older is brought up to date when it is read, a function a step. Whoever changes the form adds a step, and a
revision of the store, so that an older threadping refuses it. Neither is needed for a field with a default, and one
that is not known here is passed over.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from threadping.contract import SCHEMA, Request, Result

FORM = 2

Fields = dict[str, Any]

INCREMENTS = (
    *("fetch-add", "cas-loop", "single-writer-release", "false-sharing", "unprotected"),
    *("get-and-add", "long-adder"),
)
"""The mechanisms of `lock` that had no lock to wait for in form 1, which did not say what it had timed."""


def kept(record: Any) -> Any:
    """A record as it is stored."""
    fields = msgspec.to_builtins(record)
    return {"form": FORM, **fields} if type(record) in STEPS else fields


def read(stored: Any, kind: Any) -> Any:
    """The record of this type that was stored; a ValueError if there is none in it."""
    try:
        if kind in STEPS:
            for step in STEPS[kind][stored.get("form", 1) - 1 :]:
                stored = step(stored)
        return msgspec.convert(_known(stored, _type(kind)), kind)
    except (AttributeError, LookupError, TypeError) as error:  # a step did not find what every one of its form has
        raise ValueError(f"a stored {kind.__name__.lower()} is not whole: {error!r}") from error


def _one_for_all_experiments(result: Fields) -> Fields:
    """Form 2: windows, distributions and counts, where each experiment had a result of its own."""
    own = _of_lock(result) if result["experiment"] == "lock" else _of_signal(result)
    return {"home": {"nodes": None}, **result, **own}


def _of_signal(result: Fields) -> Fields:
    """A block, of which the mean round trip was kept, was a plain window; single round trips were of no window."""
    blocks = result["blocks"]
    length = blocks["round_trips"]
    windows = [(line, mean * length, length) for line, means in enumerate(blocks["lines"]) for mean in means]
    if cut := blocks["partial"]:
        windows.append((cut["line"], cut["ns"], cut["round_trips"]))
    ops = [round_trips for _, _, round_trips in windows]
    return {
        "windows": {
            "every": 1,
            "line": [line for line, _, _ in windows],
            "kind": ["plain"] * len(windows),
            "ns": [max(1, round(ns)) for _, ns, _ in windows],
            "ops": [ops, ops],
        },
        "distributions": {"round-trip": {**result["singles"], "censored": 0}},
        "counts": {},
    }


def _of_lock(result: Fields) -> Fields:
    windows = result["windows"]
    timed = "increment" if result["mechanism"] in INCREMENTS else "acquire"
    return {
        "windows": {
            "every": result["sampling"]["every"],
            "line": [window["line"] for window in windows],
            "kind": ["timed" if window["sampled"] else "plain" for window in windows],
            "ns": [window["ns"] for window in windows],
            "ops": [[window["ops"][index] for window in windows] for index in range(len(result["threads"]))],
        },
        "distributions": {timed: {**result["waits"], "censored": 0}},
        "counts": {"increments": result["counter"]},
    }


def _with_policy(request: Fields) -> Fields:
    """Form 2: a request says how to measure; the probes did then what stands here, where no CPU was shared."""
    in_blocks = {"unit": "ops", "plain": 1000, "timed": 300, "visits": 5}
    in_periods = {"unit": "ns", "plain": 10_000_000, "timed": 5_000_000, "visits": 1}
    windows = in_periods if request["experiment"] == "lock" else in_blocks
    warmup = request["warmup"]
    return {
        "pin": "thread",
        **request,
        "home": None,
        "warmup": {**warmup, "look_ns": 1_000_000, "uninterrupted": warmup["ops"] > 100_000},
        "windows": {**windows, "chunk_ns": 20_000, "clock_share": 0.02},
        "patience_ns": 1_000_000_000,
    }


STEPS: dict[Any, tuple[Callable[[Fields], Fields], ...]] = {
    Result: (_one_for_all_experiments,),
    Request: (_with_policy,),
}
"""For each record that has a form how it came from one to the next, the first from form 1 to 2."""

_type = cache(inspect.type_info)


def _known(stored: Any, kind: inspect.Type) -> Any:
    """What is known here of what was stored; a message of the contract is read as one of its version of today."""
    match kind:
        case inspect.StructType() if isinstance(stored, dict):
            schema = {"schema": SCHEMA} if any(field.name == "schema" for field in kind.fields) else {}
            known = {field.encode_name: field.type for field in kind.fields}
            return {name: _known(value, known[name]) for name, value in stored.items() if name in known} | schema
        case inspect.DictType() if isinstance(stored, dict):
            return {name: _known(value, kind.value_type) for name, value in stored.items()}
        case inspect.VarTupleType(item_type=inspect.StructType()) if isinstance(stored, list):
            return [_known(value, kind.item_type) for value in stored]
        case inspect.UnionType():
            for possible in kind.types:
                stored = _known(stored, possible)
    return stored
