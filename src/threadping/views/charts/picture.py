"""The picture's specification in Vega-Lite, from which every format is made: experiments one below the other."""

from collections.abc import Sequence

import altair as alt

from threadping.analysis.declaration import Declared
from threadping.model import Observation, Row, Run
from threadping.quantities import counted
from threadping.views.charts import style
from threadping.views.charts.ladder import ladder
from threadping.views.charts.scaling import scaling

AXIS = {"labelColor": style.INK, "labelFontSize": style.SIZE, "titleColor": style.INK, "titleFontSize": style.SIZE}
LINES = {"gridColor": style.GRID, "domainColor": style.FAINT, "tickColor": style.FAINT}
TITLE = {"anchor": "start", "frame": "group", "fontWeight": 600, "color": style.INK, "subtitleColor": style.FAINT}
SUBTITLE = {"subtitleFontSize": style.SIZE, "subtitleLineHeight": 17, "subtitlePadding": 6}
CONFIG = {
    "font": "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif",
    "view": {"stroke": None},
    "aria": False,  # it would describe points by their colours
    "axis": {"titleFontWeight": "normal", **AXIS, **LINES},
    "title": TITLE | SUBTITLE,
}


def specification(run: Run, rows: Sequence[Row], observations: Sequence[Observation], declared: Declared) -> style.Json:
    """Lay out a chart for each experiment of these rows, whose headline is more than nothing each."""
    charts = []
    for name, one in declared.items():
        if of_it := [row for row in rows if row.case.experiment == name]:
            chart, how = scaling(run, of_it, one) if one.along else ladder(of_it, observations, one)
            charts.append({**chart, "title": style.title(f"{name}: {one.title}", how, size=17, offset=18)})
    machine = run.machine
    number = f"run {run.id}, " if run.id else ""
    where = f"{machine.cpu_model or 'CPU model not told'}, {counted(len(machine.topology.cpus), 'CPU')}"
    when = f"{number}{run.started[:16].replace('T', ' ')} UTC, threadping {run.version}"
    return page(style.title(where, [when], size=13), charts, spacing=48)


def page(title: style.Json, charts: Sequence[style.Json], spacing: int) -> style.Json:
    """Put charts one below the other, under a title."""
    return {
        "$schema": alt.SCHEMA_URL,
        "title": title,
        "vconcat": charts,
        "spacing": spacing,
        "background": "white",
        "padding": 18,
        "config": CONFIG,
    }
