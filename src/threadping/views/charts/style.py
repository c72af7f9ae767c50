"""How every chart looks: colours and shapes, axes, titles, and what a page tells of a point that the mouse is on."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import altair as alt

from threadping.analysis.declaration import Declaration, Unit
from threadping.analysis.percentiles import NAMES
from threadping.model import Row
from threadping.views.terminal import cells, names

INK, FAINT, GRID = "#222222", "#6B6B6B", "#E6E6E6"
SIZE = 12
LETTERS_A_LINE = 165

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#B8860B")
"""Told apart by those who see colours differently too: Okabe and Ito, "Color Universal Design" (2008), with a darker
yellow, which is to be read on white."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
"""As many as share no factor with the colours: no two of the first 56 lines have both in common."""

COLOUR, SHAPE, TOLD = alt.Color("colour:N", scale=None), alt.Shape("shape:N", scale=None), alt.Tooltip("told:N")
"""Each datum brings its own; a page shows what is `told` as a table."""

POINT: Mapping[str, Any] = {"size": 62, "filled": True, "opacity": 1, "stroke": "white", "strokeWidth": 0.8}

Json = dict[str, Any]
"""A datum, or how data are drawn, in Vega-Lite."""

alt.data_transformers.consolidate_datasets = False  # each panel is written out by itself, with its data in it


def look(colour: int, shape: int) -> Json:
    """How something looks by its place among those that differ in colour, and in shape."""
    return {"colour": COLOURS[colour % len(COLOURS)], "shape": SHAPES[shape % len(SHAPES)]}


def chart(data: Sequence[Json]) -> alt.Chart:
    """A chart of these data, without marks."""
    return alt.Chart(alt.InlineData(values=data))


def panel(*layers: alt.Chart, width: float, height: float) -> Json:
    """Lay charts over each other.

    The panel is written out at once, and panels are put together by hand: altair would copy each of them, with all that
    it is made of, a thousand times.
    """
    made: Json = alt.layer(*layers).properties(width=width, height=height).to_dict(context={"top_level": False})
    return made


def ticks(values: Iterable[float]) -> list[float]:
    """The ticks of a logarithmic axis that begins and ends with one and holds all values that are more than nothing.

    They are powers of ten, with their doubles and fivefolds where the axis is short.
    """
    held = [value for value in values if value > 0]
    low, high = min(held), max(held)
    steps = (1, 2, 5) if high < 50 * low else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 2)
    every = [step * 10.0**power for power in powers for step in steps]
    first = max(tick for tick in every if tick <= low)
    last = min(tick for tick in every if tick >= high and tick > first)
    return [tick for tick in every if first <= tick <= last]


def logarithmic(at: Sequence[float], unit: Unit, **scale: Any) -> Json:
    """Scale and axis with a line of the grid at each tick."""
    written = {tick: cells.tick(unit, tick) for tick in at}
    return {
        "scale": alt.Scale(type="log", domain=[at[0], at[-1]], nice=False, clamp=True, **scale),
        "axis": axis(written, domain=False, ticks=False, labelPadding=8),
    }


def axis(labels: Mapping[float, str], **options: Any) -> alt.Axis:
    """An axis with these labels at these values."""
    label = f"{json.dumps(list(labels.values()))}[indexof({json.dumps(list(labels))}, datum.value)]"
    return alt.Axis(values=list(labels), labelExpr=label, labelOverlap="greedy", **options)


def title(text: str, said: Sequence[str] = (), size: float = 14, offset: float = 12) -> Json:
    """A title with what is to be known beneath it."""
    lines = [line for one in said for line in wrap(names.plain(one), LETTERS_A_LINE)]
    return {"text": names.plain(text), "subtitle": lines, "fontSize": size, "offset": offset}


def told(row: Row, declared: Declaration) -> dict[str, str]:
    """What a page tells of a row: its case, and what a table has of it."""
    headline = declared.figure(declared.headline)
    value = row.figures[headline.name]
    columns = [(names.head(one), one.unit, one.name) for one in declared.figures if one.column and one.column.of_rows]
    warmup = row.case.warmup.text if names.tells_warmups([row.case]) else ""
    tail = [(f"{of.head} {name}".strip(), f"{of.name}.{name}") for of in declared.distributions[:1] for name in NAMES]
    return {
        "mechanism": names.mechanism(row.case),
        "runtime": names.plain(row.case.runtime),
        "placement": " ".join(filter(None, (names.standing(row.case), warmup, row.state))),
        "threads": str(row.case.threads),
        "value": cells.written(headline.unit, value),
        "interval": cells.interval(headline.unit, value, row.intervals.get(headline.name), mixed=True).plain.strip(),
        **{head: _cell(unit, row, name) for head, unit, name in columns if name != headline.name},
        **{head: _cell("ns", row, name) for head, name in tail},
    }


def _cell(unit: Unit, row: Row, name: str) -> str:
    return cells.figure(unit, row.figures.get(name)).plain
