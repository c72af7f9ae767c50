"""The picture of pings: each a point over time, on a logarithmic axis, coloured by its state; a panel a pair."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import exp, log
from pathlib import Path

import altair as alt

from threadping.errors import ChartRefused
from threadping.model import Machine
from threadping.quantities import counted, percent, time
from threadping.views.charts import style
from threadping.views.charts.files import write_picture
from threadping.views.charts.labels import spread
from threadping.views.charts.picture import page
from threadping.views.terminal.heading import local_time
from threadping.views.terminal.states import IN_NO_STATE, Taken, Watched, name, summary, utc

WIDTH, HEIGHT = 760, 200
GAP, BESIDE, LETTER = 15, 12, 6.3
"""Pixels between names, from the panel to them, and of a letter of a run's number."""

CELL = 1.5
"""Points of one state that are nearer to each other than so many pixels are one: 100,000 would lie upon each other."""

POINT = {"size": 11, "filled": True, "opacity": 0.75, "strokeWidth": 0}
NEAREST_RULES = 4
HOW = "Each point is a ping: a very short ping between two CPUs. Its colour is its state; grey is in none."
UNITS = ((1, "seconds"), (60, "minutes"), (3600, "hours"), (86400, "days"))


def write_states(machine: Machine, watched: Sequence[Watched], path: Path) -> None:
    """Draw the pings of a machine, of one run or of several, into a file whose name was checked.

    Raises:
        ChartRefused: no ping has a figure.
        OutputUnwritable: the file cannot be written.
    """
    if not any(one.ns for pair in watched for one in pair.series):
        raise ChartRefused("There is no chart to draw: no ping has a figure.")
    write_picture(specification(machine, watched), path)


def specification(machine: Machine, watched: Sequence[Watched]) -> style.Json:
    """Lay out a panel for each pair of which a ping has a figure, at least one; all have the same axes.

    One run is drawn over its time. Nobody looked between several, so they are drawn ping by ping.
    """
    drawn = [(pair, [one for one in pair.series if one.ns]) for pair in watched]
    drawn = [(pair, series) for pair, series in drawn if series]
    times = [one.at for _, series in drawn for one in series]
    begun, took = min(times), max(times) - min(times)
    runs = {one.run for _, series in drawn for one in series}
    ticks = style.ticks(one.ns for _, series in drawn for one in series if one.ns)
    scale, unit = next((one for one in reversed(UNITS) if took >= 2 * one[0]), UNITS[0])
    panels = []
    for pair, series in drawn:
        if len(runs) == 1:
            places, rules = [(one.at - begun) / scale for one in series], []
            x = _x(f"{unit} since the first ping", 0, took / scale)
        else:
            places, rules = list(map(float, range(len(series)))), _rules(series)
            x = _x("pings, run by run", -0.5, len(series) - 0.5)
        panels.append({**_panel(pair, series, places, rules, x, ticks), "title": _title(pair)})
    where = f"{machine.cpu_model or 'CPU model not told'}, {counted(len(machine.topology.cpus), 'CPU')}"
    first, last = (f"{utc(at)[:16].replace('T', ' ')} UTC" for at in (begun, begun + took))
    when = f"run {min(runs)}, {first}" if len(runs) == 1 else f"{counted(len(runs), 'run')}, {first} to {last}"
    title = style.title("How far apart CPUs stood, one way", [where, when, HOW], size=17, offset=22)
    return page(title, panels, spacing=30)


def _title(pair: Watched) -> style.Json:
    return style.title(name(pair), ["; ".join(summary(pair))], offset=22)


def _x(title: str, first: float, last: float) -> alt.X:
    scale = alt.Scale(domain=[first, last], nice=False)
    return alt.X("x:Q", title=title, scale=scale, axis=alt.Axis(grid=False, format=",~r"))


def _rules(series: Sequence[Taken]) -> list[style.Json]:
    """Where runs begin, and their numbers where those have room; a rule that would touch the one before is left out."""
    found: list[style.Json] = []
    apart, free, at = len(series) / WIDTH, -1.0, 0
    for run, of_it in groupby(series, lambda one: one.run):
        said = f"run {run}" if at >= free else ""
        if said or not found or at >= found[-1]["x"] + NEAREST_RULES * apart:
            found.append({"x": at - 0.5, "said": said})
        if said:
            free = at + (len(said) + 1) * LETTER * apart
        at += len(list(of_it))
    return found


def _panel(
    pair: Watched,
    series: Sequence[Taken],
    places: Sequence[float],
    rules: Sequence[style.Json],
    x: alt.X,
    ticks: Sequence[float],
) -> style.Json:
    low, high = log(ticks[0]), log(ticks[-1])
    y = alt.Y("y:Q", title=None, **style.logarithmic(ticks, "ns"))
    points = style.chart(list(_points(pair, series, places, (ticks[0], ticks[-1]))))
    layers = [points.mark_point(**POINT).encode(x=x, y=y, color=style.COLOUR, tooltip=style.TOLD)]
    if rules:
        began = style.chart(rules).encode(x=x)
        text = began.mark_text(color=style.FAINT, align="left", baseline="bottom", fontSize=11, dx=1)
        down = began.mark_rule(color=style.FAINT, strokeWidth=0.7, opacity=0.6)
        layers = [
            down.encode(y=alt.value(0), y2=alt.value(HEIGHT)),
            text.encode(y=alt.value(-4), text="said:N"),
            *layers,
        ]
    if pair.states:
        wanted = [log(state.core_to_core_ns) for state in pair.states]
        beside = spread(wanted, GAP * (high - low) / HEIGHT, low, high)
        names = style.chart(
            [
                {
                    "y": exp(at),
                    "name": f"{time(state.core_to_core_ns)}, {percent(state.share)} of the time",
                    **_look(place),
                }
                for place, (state, at) in enumerate(zip(pair.states, beside, strict=True))
            ]
        ).mark_text(align="left", baseline="middle", fontSize=style.SIZE)
        layers.append(names.encode(x=alt.value(WIDTH + BESIDE), y=y, text="name:N", color=style.COLOUR))
    return style.panel(*layers, width=WIDTH, height=HEIGHT)


def _points(
    pair: Watched, series: Sequence[Taken], places: Sequence[float], ends: tuple[float, float]
) -> Iterator[style.Json]:
    """A point for each ping, but for those that would lie upon another of the same state."""
    across = WIDTH / CELL / ((places[-1] - places[0]) or 1)
    up = HEIGHT / CELL / log(ends[1] / ends[0])
    taken: set[tuple[int, int, int | None]] = set()
    for one, place in zip(series, places, strict=True):
        ns = one.ns or 0.0  # those without were left out
        cell = (round(place * across), round(log(ns) * up), one.state)
        if cell not in taken:
            taken.add(cell)
            state = IN_NO_STATE if one.state is None else time(pair.states[one.state].core_to_core_ns)
            told = {"run": str(one.run), "at": local_time(utc(one.at)), "one-way": time(ns), "state": state}
            yield {"x": place, "y": ns, **_look(one.state), "told": told}


def _look(state: int | None) -> style.Json:
    return {"colour": style.FAINT if state is None else style.look(state, 0)["colour"]}
