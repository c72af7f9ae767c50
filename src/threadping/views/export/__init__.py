"""An answer for programs: one module for each family of formats, and their registry."""

from collections.abc import Callable, Mapping

from threadping.analysis.answer import Answer
from threadping.views.export import as_csv, as_hdr, as_json, as_run

FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {
    "json": as_json.write,
    "csv": as_csv.write,
    "hgrm": as_hdr.hgrm,
    "hlog": as_hdr.hlog,
    "run": as_run.write,
}
"""Each writes the rows of an answer, or its trials one by one."""
