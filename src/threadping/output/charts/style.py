"""The look of every chart: colours, shapes, axes, titles, widths of texts, and the page that charts are on."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, NamedTuple, TypeVar

from threadping.analysis import percentiles
from threadping.analysis.declaration import Row, Unit
from threadping.analysis.validity import is_usable
from threadping.model.errors import ChartRefused
from threadping.model.quantities import counted, time
from threadping.model.run import Machine, Run
from threadping.output import names
from threadping.output.layout import sure, tick, with_interval, written
from threadping.probes.placements import cores_by_kind

REGULAR = {
    0.3: "'IJijl",
    0.35: r" ,./:;\|",
    0.4: "()-[]ft",
    0.45: "!r",
    0.5: '"*_`',
    0.55: "?csz",
    0.6: "FLkvxy",
    0.65: "$0123456789EPSTYabdeghnopqu{}\N{MICRO SIGN}",
    0.7: "ABCKRVXZ",
    0.75: "NU",
    0.8: "&DGHOQ",
    0.85: "#+<=>^w~",
    0.9: "M",
}
"""Characters by their maximum width, in the size of the font: DejaVu Sans, the widest that browsers fall back to."""

BOLD = {
    0.35: " 'ijl",
    0.4: r",./:;IJ\|",
    0.45: "-f",
    0.5: "!()[]_`rt",
    0.55: '"*',
    0.6: "?csz",
    0.65: "Lx",
    0.7: "$0123456789EFTaekovy",
    0.75: "CPSYZbdghnpqu{}\N{MICRO SIGN}",
    0.8: "ABKRVX",
    0.85: "#+<=>DGHNU^~",
    0.9: "&OQ",
    0.95: "w",
}

WIDEST = 1.15  # An ellipsis, `m`, `W`, `%`, `@`, and what is in no table. Letters of East Asia are as wide as high.

WIDTHS, BOLD_WIDTHS = (
    {character: width for width, characters in table.items() for character in characters} for table in (REGULAR, BOLD)
)


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return how wide a text of this size is at most, in the unit of the size."""
    widths = BOLD_WIDTHS if bold else WIDTHS
    return size * sum(widths.get(character, WIDEST) for character in text)


def fitting(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """A text that is at most so wide, with an ellipsis at its end where something is left out."""
    if width_of(text, size, bold=bold) <= room:
        return text
    left = room - width_of("…", size, bold=bold)
    end = len(text)
    while end and width_of(text[:end], size, bold=bold) > left:
        end -= 1
    return f"{text[:end].rstrip()}…"


Item = TypeVar("Item")
Json = dict[str, Any]  # A datum, or how data are drawn, in Vega-Lite
WIDTH, HEIGHT, COLUMNS = 400, 260, 2
"""The size of a panel without its axis: a phone shows one at a legible size, and two fit next to each other on
paper."""


class Chart(NamedTuple):
    """Panels that share their scales and a legend."""

    name: str  # what a file of it is called
    title: str  # what it shows
    said: Sequence[str]  # what is to be known to read it, in sentences
    panels: Sequence[Json]  # in Vega-Lite, at least one
    # what the colours and shapes stand for, in their order, "" where one has no use; empty if not known
    legend: Sequence[str] = ()


INK, FAINT, GRID = "#222222", "#6B6B6B", "#E6E6E6"
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#B8860B", "#7F7F7F"]
"""Okabe and Ito, "Color Universal Design" (2008), for those who see colours differently too; with a yellow that can be
read on white, and grey in place of black."""

SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
"""Their number shares no factor with that of the colours, so the first 56 that differ in both look different."""

DOT = {"filled": True, "size": 70, "opacity": 1}
HOW = "Dots are medians over trials, bars their 95% intervals; in brackets the range of 3 to 5 trials."
VEGA_LITE = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
FIELD_KINDS = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
AXIS = {"labelColor": INK, "titleColor": INK, "titleFontWeight": "normal", "gridColor": GRID, "domainColor": FAINT}
CONFIG: dict[str, Any] = {
    "font": "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif",
    "view": {"stroke": None},
    "aria": False,
    "axis": {**AXIS, "tickColor": FAINT, "labelFontSize": 12, "titleFontSize": 12},
    "legend": {
        "title": None,
        "labelFontSize": 12,
        "labelLimit": 420,
        "symbolSize": 70,
        "symbolOpacity": 1,
        "symbolLimit": 0,  # else lines beyond thirty are drawn, but not named
    },
    "header": {"title": None, "labelFontSize": 13, "labelFontWeight": 600, "labelColor": INK},
    "text": {"color": INK, "fontSize": 12, "baseline": "alphabetic", "dy": 4},
    "title": {"anchor": "start", "frame": "group", "color": INK, "subtitleColor": FAINT, "offset": 14}
    | {"fontSize": 15, "subtitleFontSize": 12, "subtitleLineHeight": 17, "subtitlePadding": 6},
}


def field(name: str, **options: Any) -> Json:
    """Encode a field, named as `value:Q` with its kind, as a position or a look."""
    name, _, kind = name.partition(":")
    return {"field": name, "type": FIELD_KINDS[kind], **options}


TOOLTIP = field("about:N")  # A page shows what a datum is `about` as a table


def marks(shape: str, encoding: Json, **options: Any) -> Json:
    """Draw each datum as a mark of this shape."""
    return {"mark": {"type": shape, **options}, "encoding": encoding}


def intervals(x: Json, figure: str, scale: Json, looks: Json, dashes: Json | None = None, **about: Json) -> list[Json]:
    """Draw a line, with dashes where some are given, through figures, a bar from `low` to `high` and a dot at each.

    The scale is that of all three; `looks` are colour and shape; `about` is what else dots encode.
    """
    y, colour = field(f"{figure}:Q", **scale), {"color": looks["color"]}
    bar = {"x": x, "y": field("low:Q", **scale), "y2": {"field": "high"}, **colour}
    return [
        marks("line", {"x": x, "y": y, **(dashes or {}), **colour}, strokeWidth=1.8),
        marks("rule", bar, strokeWidth=1.5),
        marks("point", {"x": x, "y": y, **about, **looks}, **DOT),
    ]


def of_row(row: Row) -> Json:
    """Return what charts draw of a row whose headline is known."""
    case, declared, headline = row.case, row.declared, row.figures[row.leading.name]
    unit, (low, high) = row.leading.unit, headline.ends
    how_sure = sure(unit, headline, len(row.trials)).plain
    late = f"({written(unit, row.late.value)} in the last third)" if row.late else ""
    parts = (written(unit, headline.value), row.called, how_sure if headline.kind else f"({how_sure})", late)
    said = " ".join(filter(None, parts))
    what = {"mechanism": names.mechanism(case), "runtime": names.plain(case.runtime)}
    what["placement"] = " ".join(filter(None, (names.placement_label(case), *names.further(case), state(row))))
    threads = "" if case.threads == 2 else f", {counted(case.threads, 'thread')}"
    label = f"{what['mechanism']}, {what['placement']}{threads}"
    about = {**what, "threads": str(case.threads), names.plain(declared.title): said}
    for of in declared.timed[:1]:
        found = ((part, row.figures.get(f"{of.name}.{part}")) for part in percentiles.PERCENTILE_NAMES)
        about |= {f"{part} of {of.noun}": with_interval(of.unit, one).plain for part, one in found if one}
    figures = {"value": headline.value, "low": low, "high": high, "written": said}
    return {**what, **figures, "case": label, "about": about}


def best_first(rows: Sequence[Row]) -> list[Row]:
    """Order rows of one experiment by their headline; those that may not be ranked are behind."""
    sign = -1 if rows[0].leading.better == "more" else 1
    return sorted(rows, key=lambda row: (not is_usable(row, "rank"), sign * row.figures[row.leading.name].value))


def coloured(name: str, order: Iterable[str]) -> Json:
    """Encode a field as colour and shape; what stands first in the order stands first in the legend."""
    domain, legend = list(dict.fromkeys(order)), {"orient": "bottom", "columns": 1, "direction": "vertical"}
    colour, shape = ({"domain": domain, "range": looks} for looks in (COLOURS, SHAPES))  # Vega begins them anew
    return {"color": field(name, scale=colour, legend=legend), "shape": field(name, scale=shape)}


def logarithmic(unit: Unit, values: Iterable[float]) -> Json:
    """Scale and axis of figures: it begins and ends with a tick, and holds all values that are more than nothing."""
    held = [value for value in values if value > 0]
    steps = (1, 2, 5) if max(held) < 50 * min(held) else (1,)
    # One power below: the logarithm of a number just below a power is rounded to it.
    powers = range(math.floor(math.log10(min(held))) - 1, math.ceil(math.log10(max(held))) + 2)
    every = [step * 10.0**power for power in powers for step in steps]
    first = max(one for one in every if one <= min(held))
    last = min(one for one in every if one >= max(held) and one > first)
    labels = {one: tick(unit, one) for one in every if first <= one <= last}
    scale = {"type": "log", "domain": [first, last], "nice": False}
    return {"scale": scale, "title": None, "axis": labelled(labels)}


def labelled(labels: Mapping[float, str], **options: Any) -> Json:
    """An axis with these labels at these values, as many as have room."""
    label = f"{json.dumps(list(labels.values()))}[indexof({json.dumps(list(labels))}, datum.value)]"
    return {"values": list(labels), "labelExpr": label, "labelOverlap": "greedy", **options}


def by_runtime(drawn: Json, data: Sequence[Json]) -> list[Json]:
    """A panel for each runtime of the data."""
    runtimes = dict.fromkeys(one["runtime"] for one in data)
    return [titled(drawn, [one for one in data if one["runtime"] == runtime], runtime) for runtime in runtimes]


def titled(drawn: Json, data: Sequence[Json], title: str) -> Json:
    """A panel with a title of its own, beside others."""
    return {**panel(drawn, data, height=HEIGHT), "title": {"text": names.plain(title), "fontSize": 13}}


def panel(drawn: Json, data: Sequence[Json], *, height: Any) -> Json:
    """A panel of marks, or of layers of them, with its data."""
    return {**drawn, "data": {"values": data}, "width": WIDTH, "height": height}


def when(run: Run) -> str:
    """Say which run, when it began, and by which version."""
    started = f"{run.started[:16].replace('T', ' ')} UTC, threadping {run.version}"
    return f"run {run.id}, {started}" if run.id else started


def some(found: Sequence[Item], lacking: str) -> Sequence[Item]:
    """Return what is to be drawn; raise ChartRefused, which says what is `lacking`, where there is none."""
    if not found:
        raise ChartRefused(f"There is no chart to draw: {lacking}.")
    return found


def page_of(run: Run, charts: Sequence[Chart]) -> Json:
    """Put charts one below the other, under the run that they are of."""
    return page(run.machine, when(run), charts)


def page(machine: Machine, when: str, charts: Sequence[Chart]) -> Json:
    """Put charts one below the other, under the machine that they are of."""
    cpus, kinds = counted(len(machine.topology.cpus), "CPU"), cores_by_kind(machine.topology)
    where = names.plain(", ".join(filter(None, (machine.cpu_model or "unknown CPU", cpus, kinds))))
    return top(
        {
            "title": {"text": where, "subtitle": [names.plain(when)]},
            "vconcat": [whole(chart) for chart in charts],
            "resolve": {"scale": dict.fromkeys(("color", "shape", "strokeDash"), "independent")},
            "spacing": 40,
        }
    )


def whole(chart: Chart) -> Json:
    """A chart with its title, what is to be known beneath it, and its panels beside each other."""
    lines = [line for one in chart.said for line in wrap(names.plain(one), 130)]
    title = {"text": names.plain(chart.title), "subtitle": lines}
    return {"title": title, "concat": list(chart.panels), "columns": COLUMNS}


def top(made: Json) -> Json:
    """Return what is drawn as a picture of its own."""
    return {"$schema": VEGA_LITE, "background": "white", "padding": 18, "config": CONFIG} | made


def state(row: Row) -> str:
    """Name the state of a row, where its CPUs were in several."""
    return f"at {time(row.state.core_to_core_ns)}" if row.state and row.of_several else ""
