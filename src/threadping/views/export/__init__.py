"""An answer for programs: one module for each family of formats, and their registry."""

from collections.abc import Callable, Mapping

from threadping.analysis.answer import Answer
from threadping.errors import UnknownName
from threadping.views.export import as_csv, as_hdr, as_json, as_run

FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {
    "json": as_json.write,
    "csv": as_csv.write,
    "hgrm": as_hdr.hgrm,
    "hlog": as_hdr.hlog,
    "run": as_run.write,
}
"""Each writes the rows of an answer, or its trials one by one."""


def export(format_name: str, answer: Answer, *, trials: bool = False) -> str:
    """Write the rows of an answer, or its trials one by one; UnknownName if there is no such format."""
    if format_name not in FORMATS:
        raise UnknownName("format", format_name, list(FORMATS))
    return FORMATS[format_name](answer, trials)
