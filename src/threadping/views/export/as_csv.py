"""CSV: the lines of the JSON, a column for everything that one of them knows; what a line does not know is empty."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from threadping.analysis.answer import Answer
from threadping.characters import in_cell
from threadping.views.export.as_json import lines

IN_ONE_CELL: Mapping[str, Callable[[Any], str]] = {
    "params": lambda params: msgspec.json.encode(params).decode(),
    "varied": ";".join,
    "cpus": lambda cpus: "" if set(cpus) == {None} else ",".join("" if cpu is None else str(cpu) for cpu in cpus),
    **dict.fromkeys(("warnings", "notes"), lambda found: ";".join(one["code"] for one in found)),
}


def write(answer: Answer, trials: bool) -> str:
    """Write a heading and the lines."""
    run = {"run": answer.run.id, "hostname": answer.run.machine.hostname}
    written = [{**run, **dict(cells(line))} for line in lines(answer, trials)]
    return table(_columns(written or [run]), written)


def table(columns: Iterable[str], lines: Iterable[Mapping[str, Any]]) -> str:
    """Write a heading and lines; what a line does not know is empty, and no text is a spreadsheet's formula."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: in_cell(value) if isinstance(value, str) else value for name, value in line.items()} for line in lines
    )
    return text.getvalue()


def ends(name: str, of: Sequence[Any] | None, called: Sequence[str] = ("lo", "hi")) -> dict[str, Any]:
    """The two columns of an interval, or of what is of both sides, empty where it is not known."""
    return {f"{name}.{end}": value for end, value in zip(called, of or (None, None), strict=True)}


def cells(line: Mapping[str, Any], group: str = "") -> Iterator[tuple[str, Any]]:
    """What a line knows: a dot leads into a group, and an interval has two columns."""
    for name, value in line.items():
        if not group and name in IN_ONE_CELL:
            yield name, IN_ONE_CELL[name](value)
        elif isinstance(value, dict):
            yield from cells(value, f"{group}{name}.")
        elif isinstance(value, tuple | list):
            yield from ends(f"{group}{name}", value).items()
        elif value is not None:
            yield group + name, value


def _columns(lines: Sequence[Mapping[str, Any]]) -> list[str]:
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
