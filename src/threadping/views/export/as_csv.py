"""CSV: every line with the same columns, whatever the run; what is absent is empty."""

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from threadping.views.export.flat import Flat
from threadping.views.export.told import Told

PAIRS = ("ci95", "range")

IN_A_CELL: Mapping[str, Callable[[Any], str]] = {
    "params": lambda params: msgspec.json.encode(params).decode(),
    "varied": ";".join,
    "cpus": lambda cpus: "" if set(cpus) == {None} else ",".join("" if cpu is None else str(cpu) for cpu in cpus),
    "verdicts": lambda verdicts: ";".join(verdict["code"] for verdict in verdicts),
}
"""How that is written which is neither a number nor a text."""


def write(told: Told) -> str:
    """Write a heading and the lines."""
    text = io.StringIO()
    names = {"run": 0, "hostname": "", **dict.fromkeys(told.names)}
    writer = csv.DictWriter(text, _columns(names), lineterminator="\n")
    writer.writeheader()
    run = {"run": told.run.id, "hostname": told.run.machine.hostname}
    writer.writerows(_columns({**run, **line}) for line in told.lines)
    return text.getvalue()


def _columns(line: Flat) -> dict[str, Any]:
    """The cells of a line by their columns: a pair has two."""
    cells: dict[str, Any] = {}
    for name, value in line.items():
        if name.endswith(PAIRS):
            cells[f"{name}.lo"], cells[f"{name}.hi"] = value or (None, None)
        else:
            cells[name] = IN_A_CELL[name](value) if name in IN_A_CELL and value is not None else value
    return cells
