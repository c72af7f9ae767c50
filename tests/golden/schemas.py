"""The JSON Schemas of what threadping writes with --format json, made of the fields of sheets."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from threadping.analysis.declaration import Declaration
from threadping.analysis.percentiles import Estimate
from threadping.model.base import Record, gathered
from threadping.model.run import Machine
from threadping.output.heading import CoverageEntry
from threadping.output.layout import Field, Sheet
from threadping.output.records import path_of
from threadping.output.run_records import FindingEntry, RunEntry, row_fields, state_sheet, trial_fields

INTERVAL = "_(ci95|ci99|range)$"


class AnswerEntry(Record, frozen=True):
    """What is known of a run as a whole; errors are among the warnings.

    `answer` is what a study answered whose command made the run: all that this writes, but for `run`, and its name.
    """

    run: RunEntry
    machine: Machine
    warnings: list[FindingEntry]
    notes: list[FindingEntry]
    coverage: CoverageEntry
    answer: dict[str, Any] | UnsetType = UNSET


def schema_sheets(declared: Sequence[Declaration]) -> list[Sheet[Any]]:
    """Sheets without lines, of every field that rows and trials of these experiments can have: for the schema."""
    rows = [Sheet("rows", row_fields(one), ()) for one in declared]
    trials = [Sheet("trials", trial_fields(one), ()) for one in declared]
    return [*rows, *trials, state_sheet(())]


def schema(title: str, whole: type[msgspec.Struct], *sheets: Sheet[Any], either: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON Schema of an object of these facts and sheets, `either` of which it has, where some are named."""
    kinds = gathered((sheet.name, sheet.fields) for sheet in sheets)
    types = {name: list[type_of(f"{name.title()}Entry", *fields)] for name, fields in kinds.items()}  # type: ignore[misc]
    entries = [
        (name, kind | msgspec.UnsetType, msgspec.UNSET) if name in either else (name, kind)
        for name, kind in types.items()
    ]
    made = msgspec.defstruct(whole.__name__, entries, bases=(whole,), kw_only=True, forbid_unknown_fields=True)
    (top,), parts = msgspec.json.schema_components((made,), ref_template="#/$defs/{name}")
    end = {"$ref": "#/$defs/Number"}
    ends = {"type": ["array", "null"], "prefixItems": [end, end], "items": False, "minItems": 2}
    for part in parts.values():
        part["additionalProperties"] = False
        part["patternProperties"] = {INTERVAL: {"$ref": "#/$defs/Interval"}}
    one_of = {"oneOf": [{"required": [name]} for name in either]} if either else {}
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    made_of = {**parts, "Interval": ends, "Number": {"type": ["number", "null"]}}
    short: dict[str, Any] = _short({**about, **top, **one_of, "$defs": made_of})
    return short


def _short(part: Any) -> Any:
    """A part of a schema, where a number that may not be known refers to one definition."""
    if isinstance(part, list):
        return [_short(one) for one in part]
    if not isinstance(part, dict):
        return part
    rest = {name: _short(value) for name, value in part.items() if name != "anyOf"}
    if part.get("anyOf") == [{"type": "number"}, {"type": "null"}]:
        return {"$ref": "#/$defs/Number", **rest}
    return {**rest, **({"anyOf": _short(part["anyOf"])} if "anyOf" in part else {})}


def type_of(name: str, *kinds: Sequence[Field[Any]]) -> Any:
    """The type of the records of a sheet, or of several that have these fields each, for their schema.

    An entry that not all have may be absent; the interval of an Estimate is described by `schema`.
    """
    keyed = [{tuple(path_of(field)): field for field in fields if field.key} for fields in kinds]
    every = {path: field for fields in keyed for path, field in fields.items()}
    sparse = {path for path, field in every.items() if field.sparse or not all(path in fields for fields in keyed)}
    return _struct(name, every, sparse)


def _struct(name: str, fields: Mapping[tuple[str, ...], Field[Any]], sparse: Collection[tuple[str, ...]]) -> Any:
    entries: list[tuple[Any, ...]] = []
    names: dict[str, str] = {}
    for entry, paths in gathered((path[0], path) for path in fields).items():
        if paths[0][1:]:
            within = {path[1:]: fields[path] for path in paths}
            kind = _struct(f"{name}{entry.title().replace('_', '')}", within, {path[1:] for path in sparse})
            absent = all(path in sparse for path in paths)
            kind = kind | None if absent else kind
        else:
            kind, absent = _type(fields[paths[0]]), paths[0] in sparse
        attribute = f"entry_{len(entries)}"  # a name such as `p99.9` is none in Python
        names[attribute] = entry
        entries.append((attribute, kind | msgspec.UnsetType, msgspec.UNSET) if absent else (attribute, kind))
    return msgspec.defstruct(name, entries, kw_only=True, frozen=True, forbid_unknown_fields=True, rename=names)


def _type(field: Field[Any]) -> Any:
    kind = field.type if field.type is not None else (float | None if field.unit else str)
    kind = float | None if kind is Estimate else list[type_of(*kind)] if isinstance(kind, tuple) else kind  # type: ignore[misc]
    return Annotated[kind, Meta(description=field.means)] if field.means else kind
