"""The reference pings over time, each a point in the colour of its state: a panel for each pair of CPUs."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

import altair as alt
from msgspec import Struct

from threadping import numbers
from threadping.analysis.states import States
from threadping.errors import ChartRefused
from threadping.model import Machine, Pair, State
from threadping.quantities import counted, percent, time
from threadping.views.charts import style
from threadping.views.charts.files import write_picture

if TYPE_CHECKING:
    from threadping.views.terminal.states import Watched

WIDTH, HEIGHT = 640, 180

CELL = 1.5
"""Points of one state that are nearer to each other than so many pixels are one: 100,000 would lie upon each other."""

NO_STATE, NO_COLOUR = "in no state", "#B5B5B5"
HOW = "Each point is a reference ping between two CPUs, one way."
UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))


class Point(Struct, frozen=True):
    """A ping that has a figure: of which run, when (seconds since 1970), the place of its state among its pair's."""

    run: int
    at: float
    ns: float
    state: int | None


def write_states(machine: Machine, watched: "Sequence[Watched]", path: Path) -> None:
    """Draw the pings of a machine, of one run or of several, into a file whose name was checked.

    Raises:
        ChartRefused: no ping has a figure.
        OutputUnwritable: the file cannot be written.
    """
    write_picture(specification(machine, watched), path)


def specification(machine: Machine, watched: "Sequence[Watched]") -> style.Json:
    """Lay out a panel for each pair of which a ping has a figure; ChartRefused if there is none."""
    taken = {one.cpus: [Point(at.run, at.at, at.ns, at.state) for at in one.series if at.ns] for one in watched}
    points = {pair: series for pair, series in taken.items() if series}
    if not points:
        raise ChartRefused("There is no chart to draw: no ping has a figure.")
    charts = over_time(points, {one.cpus: one.states for one in watched})
    times, runs = zip(*((one.at, one.run) for series in points.values() for one in series), strict=True)
    first, last = (_utc(at)[:-3] for at in (min(times), max(times)))
    when = f"{first} to {last} UTC" if len(set(runs)) > 1 else f"run {runs[0]}, {first} UTC"
    return style.page(machine, when, charts)


def of_answer(run: int, states: States) -> list[style.Json]:
    """A panel for each pair of CPUs that was in several states."""
    several = {pair: found for pair in states.pairs if len(found := states.of_pair(pair)) > 1}
    first = {pair: [one.cpus for one in states.found].index(pair) for pair in several}
    points: dict[Pair, list[Point]] = {pair: [] for pair in several}
    for one, place in zip(states.pings, states.of, strict=True):
        if one.cpus in several and one.ns:
            of_pair = None if place is None else place - first[one.cpus]
            points[one.cpus].append(Point(run, one.at, one.ns, of_pair))
    return over_time(points, several)


def over_time(points: Mapping[Pair, Sequence[Point]], states: Mapping[Pair, Sequence[State]]) -> list[style.Json]:
    """Draw each pair's pings, at least one each, over the time of their run; of several runs one beside the other."""
    begun: dict[int, float] = {}
    ended: dict[int, float] = {}
    for one in (one for series in points.values() for one in series):
        begun[one.run] = min(one.at, begun.get(one.run, one.at))
        ended[one.run] = max(one.at, ended.get(one.run, one.at))
    runs = sorted(begun)
    if len(runs) == 1:
        took = ended[runs[0]] - begun[runs[0]]
        seconds, unit = next((one for one in UNITS if took >= 2 * one[0]), UNITS[-1])
        x = alt.X("x:Q", title=f"{unit} since the first ping", axis=alt.Axis(grid=False), scale=_scale(took / seconds))
        places = dict.fromkeys(runs, (float(seconds), 0))
    else:
        axis = style.labelled({float(place): f"{run}" for place, run in enumerate(runs)}, grid=True, labelAlign="left")
        x = alt.X("x:Q", title="run", axis=axis, scale=_scale(len(runs)))
        places = {run: ((ended[run] - begun[run]) * 1.02 or 1, place) for place, run in enumerate(runs)}
    made = []
    for pair, series in points.items():
        across = WIDTH / CELL / (len(runs) if len(runs) > 1 else max(1e-9, took / seconds))
        drawn: dict[tuple[int, int, int | None], style.Json] = {}
        names = [f"{time(one.core_to_core_ns)}, {percent(one.share)} of the time" for one in states[pair]]
        for one in series:
            within, place = places[one.run]
            at = place + (one.at - begun[one.run]) / within
            cell = (round(at * across), round(log(one.ns) * HEIGHT / CELL / 3), one.state)
            about = {"run": f"{one.run}", "at": _utc(one.at), "one way": time(one.ns)}
            state = NO_STATE if one.state is None else names[one.state]
            drawn.setdefault(cell, {"x": at, "y": one.ns, "state": state, "about": about})
        colours = alt.Scale(domain=[*names, NO_STATE], range=[*style.COLOURS[: len(names)], NO_COLOUR])
        chart = alt.Chart(style.values(drawn.values())).mark_point(filled=True, size=12, opacity=0.75)
        y = alt.Y("y:Q", **style.logarithmic("ns", (one.ns for one in series)))
        chart = chart.encode(x=x, y=y, color=alt.Color("state:N", scale=colours), tooltip=style.TOOLTIP)
        title = f"Core to core, {numbers.pair(pair)}: {counted(len(series), 'reference ping')}"
        made.append(style.titled(chart.properties(width=WIDTH, height=HEIGHT), title, HOW))
    return made


def _utc(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"


def _scale(most: float) -> alt.Scale:
    return alt.Scale(domain=[0, most or 1], nice=False)
