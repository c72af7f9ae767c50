"""Print what is no run: a list, the states of a machine, runs beside each other."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVarTuple

from threadping.conduct.output import Output
from threadping.conduct.streams import say_written, write_export
from threadping.errors import UsageError
from threadping.sheets.console import stdout
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.sheets.markdown import as_markdown
from threadping.sheets.records import as_csv, as_json
from threadping.views.charts import write_picture

Ts = TypeVarTuple("Ts")
Specification = dict[str, Any]
"""A chart, in Vega-Lite."""


def present_sheets(
    output: Output,
    as_block: Callable[[], Block],
    *sheets: Sheet[Any],
    chart: Callable[[], Specification] | None = None,
    **facts: Any,
) -> None:
    """Print something as a block, or as its sheets: JSON has all of them and the facts, CSV those of the first name.

    Raises:
        UsageError: the output wants another format.
        ChartRefused: there is nothing to draw.
    """
    formats = {
        "json": lambda: as_json(*sheets, **facts),
        "csv": lambda: as_csv(*sheets),
        "markdown": lambda: as_markdown([as_block()]),
    }
    present(output, formats, as_block, chart=chart)


def present(
    output: Output,
    formats: Mapping[str, Callable[[*Ts], str]],
    as_block: Callable[[*Ts], Block],
    *of: *Ts,
    chart: Callable[[*Ts], Specification] | None = None,
) -> None:
    """Print something in one of its formats, or as a table, and draw it where that is wanted.

    Raises:
        UsageError: it has no such format.
        ChartRefused: there is nothing to draw.
    """
    if output.form != "table" and output.form not in formats:
        raise UsageError(f"--format {output.form} is not possible here. Choose table or {' or '.join(formats)}.")
    if output.form in formats:
        write_export(formats[output.form](*of))
    else:
        stdout().print(as_block(*of))
    if chart and output.chart:
        write_picture(chart(*of), output.chart)
        say_written(output.chart)
