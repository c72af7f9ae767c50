"""The chart as a file: where it may be written, and in which format."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from threadping.errors import ChartRefused, ChartUnwritable
from threadping.figures.declaration import Declared
from threadping.model import Observation, Row, Run

Specification = dict[str, Any]

LESS_THAN = "\ue000less-than\ue000"
"""Stands for `<` while a page is made: characters for private use, which nobody else has a use for."""

SHARPNESS = 2.0
"""Pixels of a PNG for each of the specification's, so that it is sharp on today's screens and in print."""


def write_chart(
    run: Run, rows: Sequence[Row], observations: Sequence[Observation], declared: Declared, path: Path
) -> None:
    """Draw a run: how its cases stand or scale, an experiment below the other.

    Args:
        run: which machine this is, and when.
        rows: what is drawn of it.
        observations: the trials that the rows are made of.
        declared: the figures of each experiment.
        path: the file; its ending says in which format (.svg, .png, .html).

    Raises:
        ChartRefused: no row has a headline, or there is no such format.
        ChartUnwritable: the file cannot be written.
    """
    check_chart(path)
    shown = [row for row in rows if row.figures.get(declared[row.case.experiment].headline, 0.0) > 0]
    if not shown:
        raise ChartRefused("There is no chart to draw: no case of this run has a figure.")
    from threadping.report.chart.picture import specification  # what imports altair: a quarter of a second

    content = FORMATS[path.suffix.lower()](specification(run, shown, observations, declared))
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ChartUnwritable(f"The chart could not be written to {path}: {error.strerror or error}.") from error


def check_chart(path: Path) -> None:
    """See that a chart can be written there, before anything is measured for it; raises as `write_chart`."""
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise ChartRefused(f"The ending of a chart's file says in which format it is ({known}): not so {path}.")
    if path.is_dir():
        raise ChartUnwritable(f"The chart could not be written to {path}: it is a folder.")
    where = path if path.exists() else path.parent
    if not where.exists():
        raise ChartUnwritable(f"The chart could not be written to {path}: there is no folder {where}.")
    if not os.access(where, os.W_OK):
        raise ChartUnwritable(f"The chart could not be written to {path}: {where} may not be written.")


def _svg(specification: Specification) -> bytes:
    import vl_convert

    return vl_convert.vegalite_to_svg(specification).encode()


def _png(specification: Specification) -> bytes:
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(specification, scale=SHARPNESS))


def _html(specification: Specification) -> bytes:
    """Everything that shows it is inside: the page needs no network.

    The specification stands inside a script, where a foreign `</script>` would end it. JavaScript has another way to
    write `<`, but what makes the page writes strings anew, so that way is taken after it.
    """
    import vl_convert

    guarded = json.loads(json.dumps(specification).replace("<", LESS_THAN))
    return vl_convert.vegalite_to_html(guarded, bundle=True).replace(LESS_THAN, "\\u003c").encode()


FORMATS: dict[str, Callable[[Specification], bytes]] = {".svg": _svg, ".png": _png, ".html": _html}
"""Every format by the ending of its file."""
