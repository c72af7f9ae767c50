"""Sheets as records for programs: JSON and CSV.

One rule for all: a record has an entry for each field that has a key, a dot in a key leads into a group, and the
interval of a figure follows it, as `NAME_ci95`, `NAME_ci99` or `NAME_range`: both ends, in the figure's unit.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from threadping.analysis.percentiles import Estimate
from threadping.model.base import gathered
from threadping.model.text import in_cell, in_json, visible
from threadping.output.layout import Field, Line, Sheet

IN_ONE_CELL: Mapping[str, Callable[[Any], str]] = {
    "params": lambda params: msgspec.json.encode(params).decode(),
    "varied": ";".join,
    "runtimes": lambda found: ";".join(one["label"] for one in found),
    "cpus": lambda cpus: "" if set(cpus) == {None} else ",".join("" if cpu is None else str(cpu) for cpu in cpus),
    **dict.fromkeys(
        ("warnings", "notes"), lambda found: ";".join(one if isinstance(one, str) else one["code"] for one in found)
    ),
}
"""Entries that are a list or an object in JSON, and one cell in CSV."""


def path_of(field: Field[Any]) -> list[str]:
    """Return where an entry is in its record: `latency_ns.p99.9` is `p99.9` of the group `latency_ns`."""
    return re.split(r"\.(?!\d+$)", field.key)


def records_of(sheet: Sheet[Line]) -> list[dict[str, Any]]:
    """Return what programs read of the lines: their fields that have a key, groups within."""
    fields = [(path_of(field), field) for field in sheet.fields if field.key]
    return [_record(fields, line) for line in sheet.lines]


def _record(fields: Sequence[tuple[Sequence[str], Field[Line]]], line: Line) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for (*path, leaf), field in fields:
        value = field.of(line)
        if value is None and field.sparse:
            if path:
                tree.setdefault(path[0], None)
            continue
        group = tree
        for step in path:
            group[step] = group.get(step) or {}
            group = group[step]
        made = {leaf: value}
        if isinstance(value, Estimate):
            is_whole = field.unit == "count" and value.value % 1 == 0
            made = {leaf: int(value.value) if is_whole else value.value}
            made |= {f"{leaf}_{value.kind}": value.ends} if value.kind else {}
        assert group.keys().isdisjoint(made), f"two fields have the key {field.key}"
        group |= made
    return tree


def as_json(*sheets: Sheet[Any], **facts: Any) -> str:
    """Write one object: what is known of the whole, then the records of sheets. It can be printed whatever it holds."""
    whole = whole_of(*sheets, **facts)
    try:
        encoded = msgspec.json.encode(whole)
    except UnicodeEncodeError:  # a path that is no UTF-8
        encoded = msgspec.json.encode(visible(msgspec.to_builtins(whole)))
    return in_json(msgspec.json.format(encoded, indent=2).decode()) + "\n"


def whole_of(*sheets: Sheet[Any], **facts: Any) -> dict[str, Any]:
    each = gathered((sheet.name, record) for sheet in sheets for record in records_of(sheet))
    return joined(facts, {sheet.name: each.get(sheet.name, []) for sheet in sheets})


def joined(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of all parts; AssertionError if two have one key, so that one value would hide the other."""
    whole: dict[str, Any] = {}
    for part in parts:
        assert whole.keys().isdisjoint(part), f"two values of one name: {sorted(whole.keys() & part)}"
        whole.update(part)
    return whole


def as_csv(*sheets: Sheet[Any], **leading: Any) -> str:
    """Write a line for each of those of the first sheet, and of others of its name, behind `leading` columns."""
    lines = []
    for sheet in (sheet for sheet in sheets if sheet.name == sheets[0].name):
        always = {field.key for field in sheet.fields if not field.sparse}
        for record in records_of(sheet):
            known = {name: "" if value is None and name in always else value for name, value in record.items()}
            lines.append(joined(leading, dict(flat(msgspec.to_builtins(known)))))
    return table(lines or [leading])


def flat(record: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """The cells of a record: a dot leads into a group, an interval has two columns, a list is one text."""
    for name, value in record.items():
        if not group and name in IN_ONE_CELL and value is not None:
            yield name, IN_ONE_CELL[name](value)
        elif not group and name in ("skipped", "resumed", "versions", "loops"):  # of a run: dozens of columns
            continue
        elif isinstance(value, dict):
            yield from flat(value, f"{group}{name}.")
        elif name.endswith(("ci90", "ci95", "ci99", "range")):
            low, high = value or (None, None)
            yield from ((f"{group}{name}.lo", low), (f"{group}{name}.hi", high))
        elif isinstance(value, tuple | list):
            yield group + name, ";".join("" if each is None else str(each) for each in value)
        elif value is not None:
            yield group + name, value


def table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Write a heading and lines; what a line does not know is empty, and no text is a spreadsheet's formula."""
    text = io.StringIO()
    columns, writer = _columns(lines), csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for line in lines:
        writer.writerow(in_cell(value) if isinstance(value := line.get(name), str) else value for name in columns)
    return text.getvalue()


def _columns(lines: Iterable[Mapping[str, Any]]) -> list[str]:
    columns: list[str] = []
    for line in dict.fromkeys(map(tuple, lines)):
        place = len(columns)
        for name in reversed(line):
            if name in columns:
                place = columns.index(name)
            else:
                columns.insert(place, name)
    return columns


def fields_of(kind: type[msgspec.Struct], *without: str) -> tuple[Field[Any], ...]:
    """A field for each of a record's, by its name, but for some."""
    every = (one for one in msgspec.structs.fields(kind) if one.name not in without)
    return tuple(Field(of=attrgetter(one.name), key=one.name, type=one.type) for one in every)


def sheet_of(name: str, kind: type[msgspec.Struct], lines: Sequence[Any], *without: str) -> Sheet[Any]:
    """A sheet of records of one kind, for programs alone."""
    return Sheet(name, fields_of(kind, *without), lines)
