"""The reference pings over time, each a point in the colour of its state: a panel for each pair of CPUs."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import log
from typing import TYPE_CHECKING, NamedTuple

from threadping import numbers
from threadping.analysis.answer import Answer
from threadping.errors import ChartRefused
from threadping.model import Machine, Pair, State
from threadping.quantities import counted, percent, time
from threadping.views.charts import style

if TYPE_CHECKING:
    from threadping.views.terminal.states import Watched

CELLS = (200, 30)
"""How many points of one state are beside each other and in a decade at most: 100,000 would lie upon each other."""

NO_STATE, GREY = "in no state", len(style.COLOURS) - 1
UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


class Point(NamedTuple):
    """A ping that has a figure: of which run, when (seconds since 1970), the place of its state among its pair's."""

    run: int
    at: float
    ns: float
    state: int | None


def specification(machine: Machine, watched: "Sequence[Watched]") -> style.Json:
    """Lay out a panel for each pair of which a ping has a figure; ChartRefused if there is none."""
    points = {one.cpus: [Point(at.run, at.at, at.ns, at.state) for at in one.series if at.ns] for one in watched}
    runs = {one.run for series in points.values() for one in series}
    times = [one.at for series in points.values() for one in series]
    if not times:
        raise ChartRefused("There is no chart to draw: no ping has a figure.")
    which = f"run {min(runs)}" if len(runs) == 1 else counted(len(runs), "run")
    when = f"{which}, {_utc(min(times))} to {_utc(max(times))} UTC"
    return style.page(machine, when, over_time(points, {one.cpus: one.states for one in watched}))


def of_answer(answer: Answer) -> list[style.Chart]:
    """A panel for each pair of CPUs that was in several states."""
    states, run = answer.states, answer.run.id
    several = {pair: found for pair in states.pairs if len(found := states.of_pair(pair)) > 1}
    points: dict[Pair, list[Point]] = {pair: [] for pair in several}
    for one, place in zip(states.pings, states.of, strict=True):
        if one.cpus in several and one.ns:
            state = None if place is None else several[one.cpus].index(states.found[place])
            points[one.cpus].append(Point(run, one.at, one.ns, state))
    return over_time(points, several)


def over_time(points: Mapping[Pair, Sequence[Point]], states: Mapping[Pair, Sequence[State]]) -> list[style.Chart]:
    """Draw the pings of each pair that has some, over the time of their run; several runs stand beside each other."""
    times: dict[int, list[float]] = {}
    for run, at in sorted((one.run, one.at) for series in points.values() for one in series):
        times.setdefault(run, []).append(at)
    took = {run: at[-1] - at[0] or 1.0 for run, at in times.items()}
    alone = next(iter(took.values())) if len(took) == 1 else None
    if alone:
        seconds, unit = next((one for one in UNITS if alone >= 2 * one[0]), UNITS[-1])
        width, title, axis = alone / seconds, f"{unit} since the first ping", {"grid": False}
    else:
        axis = style.labelled({float(place): f"{run}" for place, run in enumerate(times)}, labelAlign="left")
        width, title = float(len(times)), "run"
    x = style.field("x:Q", title=title, axis=axis, scale={"domain": [0, width], "nice": False})
    places = dict(zip(times, range(len(times)), strict=True))
    made = []
    for pair, series in ((pair, series) for pair, series in points.items() if series):
        labels = [f"{time(one.core_to_core_ns)}, {percent(one.share)} of the time" for one in states[pair]]
        drawn: dict[tuple[int, int, int | None], style.Json] = {}
        for one in series:
            within = (one.at - times[one.run][0]) / took[one.run] * (1 if alone else 0.98)
            where = (places[one.run] + within) / len(times)
            cell = (round(where * CELLS[0]), round(log(one.ns, 10) * CELLS[1]), one.state)
            about = {"run": f"{one.run}", "at": f"{_utc(one.at)} UTC", "one way": time(one.ns)}
            state = NO_STATE if one.state is None else labels[one.state]
            drawn.setdefault(cell, {"x": where * width, "y": one.ns, "state": state, "about": about})
        colours = {"domain": [*labels, NO_STATE], "range": [*style.COLOURS[:-1][: len(labels)], style.COLOURS[GREY]]}
        colour = style.field("state:N", scale=colours, legend={"orient": "bottom", "columns": 1})
        y = style.field("y:Q", **style.logarithmic("ns", (one.ns for one in series)))
        point = {"x": x, "y": y, "color": colour, "tooltip": style.TOOLTIP}
        title = f"Core to core, {numbers.pair(pair)}: {counted(len(series), 'reference ping')}"
        dots = style.marks("point", point, filled=True, size=14, opacity=0.75)
        panel = style.panel(dots, [*drawn.values()], height=style.HEIGHT * 0.6)
        named = f"states-{pair[0]}-{pair[1]}"
        legend = [*labels, *[""] * (GREY - len(labels)), NO_STATE]
        made.append(style.Chart(named, title, ["One way, by a very short ping."], [panel], legend))
    return made


def _utc(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
