"""The pings of pairs of CPUs over time, each in its state."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import repeat
from math import log

from threadping import numbers
from threadping.analysis.answer import Answer
from threadping.analysis.standing import Watched, watched_pairs
from threadping.grouping import gathered
from threadping.quantities import counted, percent, time
from threadping.views.charts import style

POINT_CELLS = (200, 30)
"""How many points of one state are beside each other and in a decade at most: 100,000 would lie upon each other."""

NO_STATE, GREY = "in no state", len(style.COLOURS) - 1
TIME_UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


def of_answer(answer: Answer) -> list[style.Chart]:
    """A panel for each pair of CPUs that was in several states."""
    watched = watched_pairs(answer.states, repeat(answer.run.id), answer.run.machine.topology)
    return over_time([one for one in watched if len(one.states) > 1])


def over_time(watched: Sequence[Watched]) -> list[style.Chart]:
    """Draw the pings of each pair that has some, over the time of their run; several runs stand beside each other."""
    points = {one.cpus: [(at.run, at.at, at.ns, at.state) for at in one.series if at.ns] for one in watched}
    times = gathered(sorted((run, at) for series in points.values() for run, at, *_ in series))
    took = {run: at[-1] - at[0] or 1.0 for run, at in times.items()}
    alone = next(iter(took.values())) if len(took) == 1 else None
    if alone:
        seconds, unit = next((one for one in TIME_UNITS if alone >= 2 * one[0]), TIME_UNITS[-1])
        width, title, axis = alone / seconds, f"{unit} since the first ping", {"grid": False}
    else:
        axis = style.labelled({float(place): f"{run}" for place, run in enumerate(times)}, labelAlign="left")
        width, title = float(len(times)), "run"
    x = style.field("x:Q", title=title, axis=axis, scale={"domain": [0, width], "nice": False})
    places = dict(zip(times, range(len(times)), strict=True))
    made = []
    for pair, states in ((one.cpus, one.states) for one in watched if points[one.cpus]):
        labels = [f"{time(one.core_to_core_ns)}, {percent(one.share)} of the time" for one in states]
        drawn: dict[tuple[int, int, int | None], style.Json] = {}
        for run, at, ns, state in points[pair]:
            within = (at - times[run][0]) / took[run] * (1 if alone else 0.98)
            where = (places[run] + within) / len(times)
            cell = (round(where * POINT_CELLS[0]), round(log(ns, 10) * POINT_CELLS[1]), state)
            about = {"run": f"{run}", "at": f"{minute_of(at)} UTC", "one way": time(ns)}
            named = NO_STATE if state is None else labels[state]
            drawn.setdefault(cell, {"x": where * width, "y": ns, "state": named, "about": about})
        colours = {"domain": [*labels, NO_STATE], "range": [*style.COLOURS[:-1][: len(labels)], style.COLOURS[GREY]]}
        colour = style.field("state:N", scale=colours, legend={"orient": "bottom", "columns": 1})
        y = style.field("y:Q", **style.logarithmic("ns", (ns for _, _, ns, _ in points[pair])))
        point = {"x": x, "y": y, "color": colour, "tooltip": style.TOOLTIP}
        title = f"Core to core, {numbers.pair(pair)}: {counted(len(points[pair]), 'reference ping')}"
        dots = style.marks("point", point, filled=True, size=14, opacity=0.75)
        panel = style.panel(dots, [*drawn.values()], height=style.HEIGHT * 0.6)
        named = f"states-{pair[0]}-{pair[1]}"
        legend = [*labels, *[""] * (GREY - len(labels)), NO_STATE]
        made.append(style.Chart(named, title, ["One way, by a very short ping."], [panel], legend))
    return made


def minute_of(at: float) -> str:
    """Write seconds since 1970 as a title has them."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"
