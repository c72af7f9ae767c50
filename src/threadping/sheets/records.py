"""Sheets as records for programs: JSON, CSV, and the JSON Schema of both.

One rule for all: a record has an entry for each field that has a key, a dot in a key leads into a group, and the
interval of a figure stands beside it, as `NAME_ci95`, `NAME_ci99` or `NAME_range`: both ends, in the figure's unit.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from threadping.analysis.estimate import Estimate
from threadping.characters import in_cell, in_json, visible
from threadping.sheets.fields import Field, Line, Sheet

Ends = tuple[float, float]

IN_ONE_CELL: Mapping[str, Callable[[Any], str]] = {
    "params": lambda params: msgspec.json.encode(params).decode(),
    "varied": ";".join,
    "cpus": lambda cpus: "" if set(cpus) == {None} else ",".join("" if cpu is None else str(cpu) for cpu in cpus),
    **dict.fromkeys(
        ("warnings", "notes"), lambda found: ";".join(one if isinstance(one, str) else one["code"] for one in found)
    ),
}
"""What is a list or an object in JSON, and one cell in CSV."""


def spelt(name: str, value: Any) -> dict[str, Any]:
    """A value by its name, and the interval of an Estimate beside it."""
    if not isinstance(value, Estimate):
        return {name: value}
    interval = {f"{name}_{value.kind}": value.ends} if value.kind else {}
    return {name: value.value, **interval}


def record_of(sheet: Sheet[Line], line: Line) -> dict[str, Any]:
    """What programs read of a line: its fields that have a key, groups within."""
    tree: dict[str, Any] = {}
    for field in sheet.fields:
        if field.key:
            *path, leaf = field.key.split(".")
            group = tree
            for step in path:
                group = group.setdefault(step, {})
            group |= spelt(leaf, field.of(line))
    return tree


def as_json(*sheets: Sheet[Any], **facts: Any) -> str:
    """One object: what is known of the whole, then for each sheet its records, by its name."""
    records = {sheet.name: [record_of(sheet, line) for line in sheet.lines] for sheet in sheets}
    return indented(**facts, **records)


def as_csv(sheet: Sheet[Any], **leading: Any) -> str:
    """A line for each of a sheet's, with a column for each field; `leading` columns are alike in all."""
    records = ({name: "" if of is None else of for name, of in record_of(sheet, line).items()} for line in sheet.lines)
    lines = [{**leading, **dict(flat(record))} for record in records]
    return table(lines or [leading])


def indented(record: Any = None, **parts: Any) -> str:
    """JSON that a person can read too, of a record, or of an object of these parts: safe to print, whoever it is of."""
    try:
        encoded = msgspec.json.encode(parts or record)
    except UnicodeEncodeError:  # a path that is no UTF-8
        encoded = msgspec.json.encode(visible(msgspec.to_builtins(parts or record)))
    return in_json(msgspec.json.format(encoded, indent=2).decode()) + "\n"


def flat(record: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """The cells of a record: a dot leads into a group, an interval has two columns, a list is one text."""
    for name, value in record.items():
        if not group and name in IN_ONE_CELL and value is not None:
            yield name, IN_ONE_CELL[name](value)
        elif isinstance(value, Mapping):
            yield from flat(value, f"{group}{name}.")
        elif name.endswith(("ci90", "ci95", "ci99", "range")):
            yield from ends(f"{group}{name}", value).items()
        elif isinstance(value, tuple | list):
            yield group + name, ";".join("" if each is None else str(each) for each in value)
        elif value is not None:
            yield group + name, value


def ends(name: str, of: Sequence[Any] | None, called: Sequence[str] = ("lo", "hi")) -> dict[str, Any]:
    """The two columns of an interval, or of what is of both sides, empty where it is not known."""
    return {f"{name}.{end}": value for end, value in zip(called, of or (None, None), strict=True)}


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Write a heading and lines; what a line does not know is empty, and no text is a spreadsheet's formula."""
    text = io.StringIO()
    writer = csv.DictWriter(text, _columns(lines), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: in_cell(value) if isinstance(value, str) else value for name, value in line.items()} for line in lines
    )
    return text.getvalue()


def _columns(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every column of any line, before the one that it precedes there."""
    columns: list[str] = []
    for line in dict.fromkeys(map(tuple, lines)):
        place = len(columns)
        for name in reversed(line):
            if name in columns:
                place = columns.index(name)
            else:
                columns.insert(place, name)
    return columns


# ---- the schema ----


def fields_of(kind: type[msgspec.Struct], *without: str) -> tuple[Field[Any], ...]:
    """A field for each of a record's, by its name, but for some."""
    every = msgspec.structs.fields(kind)
    return tuple(
        Field(of=attrgetter(one.name), key=one.name, type=one.type) for one in every if one.name not in without
    )


def sheet_of(name: str, kind: type[msgspec.Struct], lines: Sequence[Any], *without: str) -> Sheet[Any]:
    """A sheet of records of one kind, for programs alone."""
    return Sheet(name, fields_of(kind, *without), lines)


T = TypeVar("T")


def type_of(name: str, fields: Sequence[Field[Any]]) -> Any:
    """The type of the records of a sheet, which `msgspec.json.schema` writes as their schema.

    A figure that may have an interval is of the type Estimate: its record then may have that of any kind.
    """
    entries: list[tuple[Any, ...]] = []
    groups: dict[str, list[Field[Any]]] = {}
    for field in fields:
        if "." in field.key:
            group, _, rest = field.key.partition(".")
            if group not in groups:
                entries.append((group, None))
            groups.setdefault(group, []).append(msgspec.structs.replace(field, key=rest))
        elif field.key:
            entries += _entries(field)
    made = [
        (entry[0], type_of(f"{name}{entry[0].title()}", groups[entry[0]])) if entry[0] in groups else entry
        for entry in entries
    ]
    return msgspec.defstruct(name, made, kw_only=True, frozen=True, forbid_unknown_fields=True)


def _entries(field: Field[Any]) -> Iterator[tuple[Any, ...]]:
    kind = field.type if field.type is not None else (float | None if field.unit else str)
    about = Meta(description=field.means) if field.means else None
    figure = (float | None) if kind is Estimate else kind
    yield field.key, Annotated[figure, about] if about else figure
    if kind is Estimate:
        for interval in ("ci95", "ci99", "range"):
            yield f"{field.key}_{interval}", Ends | msgspec.UnsetType, msgspec.UNSET


def schema(title: str, whole: type[msgspec.Struct], *sheets: Sheet[Any]) -> dict[str, Any]:
    """The JSON Schema of an object of these facts and sheets."""
    records = [(sheet.name, list[type_of(f"{sheet.name.title()}Entry", sheet.fields)]) for sheet in sheets]  # type: ignore[misc]
    object_type = msgspec.defstruct(whole.__name__, records, bases=(whole,), kw_only=True, forbid_unknown_fields=True)
    (top,), parts = msgspec.json.schema_components((object_type,), ref_template="#/$defs/{name}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **top, "$defs": parts}
