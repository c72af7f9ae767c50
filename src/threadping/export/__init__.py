"""Runs for programs: one module for each format, and their registry."""

from collections.abc import Callable, Sequence

from threadping.errors import UnknownName
from threadping.export import as_csv, as_json
from threadping.model import Row, Run

Exporter = Callable[[Run, Sequence[Row]], str]

FORMATS: dict[str, Exporter] = {
    "json": as_json.export,
    "csv": as_csv.export,
}
"""Every format that a program reads: a new one is a module and a line here."""


def export(format_name: str, run: Run, rows: Sequence[Row]) -> str:
    """Write a run and its rows in a format; UnknownName where there is no such format."""
    if format_name not in FORMATS:
        raise UnknownName("format", format_name, list(FORMATS))
    return FORMATS[format_name](run, rows)
