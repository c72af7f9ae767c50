"""The chart as a file: where it may be written, and in which format."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadping import files
from threadping.analysis.declaration import Declared
from threadping.errors import ChartRefused
from threadping.extras import require
from threadping.model import Observation, Row, Run

FORMATS = (".svg", ".png", ".html")
"""The endings of files."""

WHAT = "the chart"

LESS_THAN = "\ue000less-than\ue000"
"""Stands for `<` while a page is made: characters for private use, which nobody else has a use for."""

SHARPNESS = 2.0
"""Pixels of a PNG for each of the specification's, so that it is sharp on today's screens and in print."""


def write_chart(
    run: Run, rows: Sequence[Row], observations: Sequence[Observation], declared: Declared, path: Path
) -> None:
    """Draw a run's rows and the trials that they are made of: how cases stand or scale, an experiment below the other.

    The ending of the file says in which format (.svg, .png, .html).

    Raises:
        ChartRefused: no row has a headline.
        UsageError: there is no such format.
        OutputUnwritable: the file cannot be written.
    """
    check_chart(path)
    shown = [row for row in rows if row.figures.get(declared[row.case.experiment].headline, 0.0) > 0]
    if not shown:
        raise ChartRefused("There is no chart to draw: no case of this run has a figure.")
    from threadping.views.charts.picture import specification  # what imports altair: a quarter of a second

    write_picture(specification(run, shown, observations, declared), path)


def write_picture(specification: dict[str, Any], path: Path) -> None:
    """Draw a specification into a file whose name was checked; raises OutputUnwritable."""
    files.write(path, _drawn(specification, path.suffix.lower()), WHAT)


def check_chart(path: Path) -> None:
    """See that a chart can be written there, before anything is measured for it.

    Raises ExtraMissing, or as `write_chart`.
    """
    require("charts", "Charts")
    files.check(path, FORMATS, WHAT)


def _drawn(specification: dict[str, Any], ending: str) -> bytes:
    """The content of a file; everything that shows a page is inside, so that it needs no network."""
    import vl_convert

    match ending:
        case ".svg":
            return vl_convert.vegalite_to_svg(specification).encode()
        case ".png":
            return bytes(vl_convert.vegalite_to_png(specification, scale=SHARPNESS))
    # The specification stands inside a script, where a foreign `</script>` would end it. JavaScript has another way to
    # write `<`, but what makes the page writes strings anew, so that way is taken after it.
    guarded = json.loads(json.dumps(specification).replace("<", LESS_THAN))
    return vl_convert.vegalite_to_html(guarded, bundle=True).replace(LESS_THAN, "\\u003c").encode()
