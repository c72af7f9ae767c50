"""How every chart looks: colours and shapes, axes, titles, and the page on which charts stand."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import altair as alt

from threadping.analysis import percentiles
from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration, Percentiles, Unit
from threadping.model import Machine, Run
from threadping.quantities import count, counted, percent, time
from threadping.views.terminal import names

Json = dict[str, Any]
"""A datum, or how data are drawn, in Vega-Lite."""

INK, FAINT, GRID = "#222222", "#6B6B6B", "#E6E6E6"

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#B8860B", "#7F7F7F"]
"""Okabe and Ito, "Color Universal Design" (2008), for those who see colours differently too; with a yellow that can be
read on white, and grey in place of black."""

SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
"""As many as share no factor with the colours: the first 56 of those that differ in both look different."""

DOT = {"filled": True, "size": 70, "opacity": 1}
HOW = "Dots are medians over trials, bars their 95% intervals (of 3 to 5 trials the range)."

TOOLTIP = alt.Tooltip("about:N")
"""A page shows what a datum is `about` as a table."""

AXIS = {"labelColor": INK, "titleColor": INK, "titleFontWeight": "normal", "gridColor": GRID, "domainColor": FAINT}
CONFIG = {
    "font": "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif",
    "view": {"stroke": None},
    "aria": False,
    "axis": {**AXIS, "tickColor": FAINT, "labelFontSize": 12, "titleFontSize": 12},
    "legend": {"title": None, "labelFontSize": 12, "labelLimit": 420, "symbolSize": 70, "symbolOpacity": 1},
    "header": {"title": None, "labelFontSize": 13, "labelFontWeight": 600, "labelColor": INK},
    "text": {"color": INK, "fontSize": 12},
    "title": {"anchor": "start", "frame": "group", "color": INK, "subtitleColor": FAINT, "offset": 14}
    | {"fontSize": 15, "subtitleFontSize": 12, "subtitleLineHeight": 17, "subtitlePadding": 6},
}

WRITTEN: Mapping[Unit, Callable[[float], str]] = {
    **{"ns": time, "per_s": count, "share": percent},
    **{"count": lambda number: f"{number:,.0f}", "index": lambda number: f"{number:.2f}"},
}

alt.data_transformers.consolidate_datasets = False  # each chart is written out with its data in it


def values(data: Iterable[Json]) -> alt.InlineData:
    """Data of a chart."""
    return alt.InlineData(values=list(data))


def of_row(row: Row, declared: Declaration) -> Json:
    """What charts draw of a row whose headline is known."""
    case, headline = row.case, row.figures[declared.headline]
    unit, (low, high) = declared.figure(declared.headline).unit, headline.ends
    trials = "" if headline.kind == "ci95" else f" ({counted(len(row.trials), 'trial')})"
    half = "" if headline.half is None else f" \N{PLUS-MINUS SIGN}{percent(headline.half)}"
    written = WRITTEN[unit](headline.value) + half + trials
    warmup = case.warmup.text if names.tells_warmups([case]) else ""
    what = {"mechanism": names.mechanism(case), "runtime": names.plain(case.runtime)}
    what["placement"] = " ".join(filter(None, (names.standing(case), warmup, state(row))))
    threads = "" if case.threads == 2 else f", {counted(case.threads, 'thread')}"
    label = f"{what['mechanism']}, {what['placement']}{threads}"
    about = {**what, "threads": str(case.threads), names.plain(declared.title): written}
    for of in declared.timed[:1]:
        found = ((part, row.value(f"{of.name}.{part}")) for part in percentiles.NAMES)
        about |= {f"{part} of {timed(of)}": time(value) for part, value in found if value is not None}
    figures = {"value": headline.value, "low": low, "high": high, "written": written}
    return {**what, **figures, "case": label, "about": about}


def best_first(rows: Iterable[Row], declared: Declaration) -> list[Row]:
    """Order rows by their headline."""
    more = declared.figure(declared.headline).better == "more"
    return sorted(rows, key=lambda row: row.figures[declared.headline].value, reverse=more)


def coloured(field: str, order: Iterable[str], orient: str = "right") -> Json:
    """Encode a field as colour and shape; what stands first in the order stands first in the legend."""
    domain, legend = list(dict.fromkeys(order)), alt.Legend(orient=orient)
    colour, shape = (alt.Scale(domain=domain, range=looks) for looks in (COLOURS, SHAPES))  # Vega begins them anew
    return {"color": alt.Color(field, scale=colour, legend=legend), "shape": alt.Shape(field, scale=shape)}


def logarithmic(unit: Unit, values: Iterable[float]) -> Json:
    """Scale and axis of figures: it begins and ends with a tick, and holds all values that are more than nothing."""
    held = [value for value in values if value > 0]
    steps = (1, 2, 5) if max(held) < 50 * min(held) else (1,)
    powers = range(math.floor(math.log10(min(held))), math.ceil(math.log10(max(held))) + 2)
    every = [step * 10.0**power for power in powers for step in steps]
    first = max(tick for tick in every if tick <= min(held))
    last = min(tick for tick in every if tick >= max(held) and tick > first)
    labels = {tick: re.sub(r"\.0+\b", "", WRITTEN[unit](tick)) for tick in every if first <= tick <= last}
    scale = alt.Scale(type="log", domain=[first, last], nice=False)
    return {"scale": scale, "title": None, "axis": labelled(labels)}


def labelled(labels: Mapping[float, str], **options: Any) -> alt.Axis:
    """An axis with these labels at these values, as many as have room."""
    label = f"{json.dumps(list(labels.values()))}[indexof({json.dumps(list(labels))}, datum.value)]"
    return alt.Axis(values=list(labels), labelExpr=label, labelOverlap="greedy", **options)


def titled(drawn: alt.TopLevelMixin, text: str, *said: str) -> Json:
    """A chart with a title, and what is to be known beneath it; written out, to be put on a page."""
    lines = [line for one in said for line in wrap(names.plain(one), 150)]
    made: Json = drawn.to_dict(context={"top_level": False})
    return {**made, "title": {"text": names.plain(text), "subtitle": lines}}


def when(run: Run) -> str:
    """Say which run, when it began, and by which version."""
    started = f"{run.started[:16].replace('T', ' ')} UTC, threadping {run.version}"
    return f"run {run.id}, {started}" if run.id else started


def page(machine: Machine, when: str, charts: Sequence[Json]) -> Json:
    """Put charts one below the other, under the machine that they are of."""
    where = f"{names.plain(machine.cpu_model or 'unknown CPU')}, {counted(len(machine.topology.cpus), 'CPU')}"
    return {
        "$schema": alt.SCHEMA_URL,
        "title": {"text": where, "subtitle": [names.plain(when)]},
        "vconcat": list(charts),
        "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
        "spacing": 40,
        "background": "white",
        "padding": 18,
        "config": CONFIG,
    }


def state(row: Row) -> str:
    """Name the state of a row, where its CPUs were in several."""
    return f"core-to-core {time(row.state.core_to_core_ns)}" if row.state and row.of_several else ""


def timed(of: Percentiles) -> str:
    """Name what percentiles are of: a one-way latency only if one way was timed."""
    return of.noun + (", halved" if of.parts == 2 else "")
