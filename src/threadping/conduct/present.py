"""Print what is no run: a list, the states of a machine, runs beside each other."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from threadping.conduct.output import Output
from threadping.conduct.streams import deliver, say_written, write_export
from threadping.errors import UsageError
from threadping.sheets.console import stdout
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.sheets.markdown import as_markdown
from threadping.sheets.records import as_csv, as_json
from threadping.views.charts import write_picture

Specification = dict[str, Any]
"""A chart, in Vega-Lite."""


def present_sheets(
    output: Output,
    as_block: Callable[[], Block],
    *sheets: Sheet[Any],
    chart: Callable[[], Specification] | None = None,
    code: int = 0,
    **facts: Any,
) -> int:
    """Present something as a block, or as its sheets: JSON has all of them and the facts, CSV those of the first name.

    Raises UsageError where the output wants another format.
    """
    formats = {
        "json": lambda: as_json(*sheets, **facts),
        "csv": lambda: as_csv(*sheets),
        "markdown": lambda: as_markdown([as_block()]),
    }
    return present(output, formats, as_block, chart=chart, code=code)


def present(
    output: Output,
    formats: Mapping[str, Callable[[], str]],
    as_block: Callable[[], Block],
    *,
    chart: Callable[[], Specification] | None = None,
    code: int = 0,
) -> int:
    """Draw something where that is wanted, and print it in a format or as a table; the exit code.

    Raises UsageError where it has no such format.
    """
    if output.form != "table" and output.form not in formats:
        raise UsageError(f"--format {output.form} is not possible here. Choose table or {' or '.join(formats)}.")
    if output.form in formats:
        printing = partial(write_export, formats[output.form]())
    else:
        printing = partial(stdout().print, as_block())
    return deliver(printing, [partial(draw, chart, output.chart)] if chart and output.chart else []) or code


def draw(chart: Callable[[], Specification], path: Path) -> None:
    """Draw a chart into a file and say so; raises ChartRefused where there is nothing to draw."""
    write_picture(chart(), path)
    say_written(path)
