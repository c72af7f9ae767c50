"""The charts of an answer: the machine's states, how cases stand, and one experiment after the other."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from math import log

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row, Unit
from threadping.analysis.states import PairHistory, watched_pairs
from threadping.model import numbers
from threadping.model.grouping import gathered
from threadping.model.quantities import counted, percent, time
from threadping.output.charts import style
from threadping.output.charts.lines import curves, over, scalings, tradeoffs
from threadping.output.charts.style import fitting, width_of

POINT_CELLS = (200, 30)
"""How many points of one state are beside each other and in a decade at most: 100,000 would lie upon each other."""

NO_STATE, GREY = "in no state", len(style.COLOURS) - 1
TIME_UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


def of_answer(answer: Answer) -> list[style.Chart]:
    """A panel for each pair of CPUs that was in several states."""
    watched = watched_pairs(answer.states, repeat(answer.run.id), answer.run.machine.topology)
    return over_time([one for one in watched if len(one.states) > 1])


def over_time(watched: Sequence[PairHistory]) -> list[style.Chart]:
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


STEP = 38
FONT, GAP, LEAST = 12, 8, 120
"""The size of a line's texts, what is between its label and what is written beside it, and a label has at least."""

MOST_CASES = 60  # A ladder of more cases is read by nobody: the others stand in the tables
OF_STATES = "The time behind 'at' is the core-to-core latency in the state of the row."


def ladder(name: str, rows: Sequence[Row], declared: Declaration) -> style.Chart:
    """Draw rows whose headline is more than nothing, at least one."""
    headline = declared.leading
    tail = declared.timed[0] if declared.timed and headline.unit == "ns" else None
    data: list[style.Json] = []
    for row in style.best_first(rows)[:MOST_CASES]:
        far = {"tail": row.value(f"{tail.name}.p99")} if tail else {}
        drawn = style.of_row(row)
        data.append({**drawn, **far, "place": len(data), "label": drawn["case"]})
    said = [headline.means or declared.title, style.HOW]
    said += [f"Ticks are p99 of {tail.noun}."] if tail else []
    said += [OF_STATES] if any(style.state(row) for row in rows) else []
    said += [f"The {MOST_CASES} best of {len(rows)} cases."] if len(rows) > MOST_CASES else []
    runtimes = list(dict.fromkeys(one["runtime"] for one in data))
    drawn = dots(data, scale_of(data, headline.unit), "runtime:N", runtimes)
    return style.Chart(name, f"{name}: {declared.title}", said, [drawn], runtimes)


def scale_of(data: Sequence[style.Json], unit: Unit) -> style.Json:
    """A scale that holds all of them, and its axis."""
    return style.logarithmic(unit, (one.get(end) or 0 for one in data for end in ("value", "low", "high", "tail")))


def dots(data: Sequence[style.Json], x: style.Json, colour: str, order: Iterable[str]) -> style.Json:
    """A line for each `place`: `value` between `low` and `high`, and a tick at the `tail`, on this scale.

    One of each place has a `label`, and what is `written` at the other end of its line.
    """
    looks = style.coloured(colour, order)
    y, field, marks = style.field("place:O", axis=None), style.field, style.marks
    below: style.Json = {"yOffset": STEP / 4}
    text: style.Json = {"yOffset": -STEP / 5}
    bar = {"x": field("low:Q", **x), "x2": {"field": "high"}, "y": y, "color": looks["color"]}
    tick = {"x": field("tail:Q", **x), "y": y, "color": looks["color"]}
    dot = {"x": field("value:Q", **x), "y": y, "tooltip": style.TOOLTIP, **looks}
    label = {"x": {"value": 0}, "y": y, "text": field("label:N")}
    written = {"x": {"value": style.WIDTH}, "y": y, "text": field("written:N")}
    layers = [
        marks("rule", bar, strokeWidth=4, opacity=0.5, **below),
        _where("tail", marks("tick", tick, thickness=2, size=STEP / 3, orient="vertical", **below)),
        marks("point", dot, **style.DOT, **below),
        _where("label", marks("text", label, align="left", fontSize=FONT, **text)),
        _where("label", marks("text", written, align="right", fontWeight=600, fontSize=FONT, **text)),
    ]
    short = [{**one, **apart(one["label"], one["written"])} if "label" in one else one for one in data]
    return style.panel({"layer": layers}, short, height={"step": STEP})


def _where(field: str, drawn: style.Json) -> style.Json:
    return {"transform": [{"filter": f"isValid(datum.{field})"}], **drawn}


def apart(label: str, written: str) -> style.Json:
    """The two texts of a line, neither of which reaches into the other, in whatever font they are drawn.

    What is written keeps its beginning, a label both its ends: its middle goes, where all cases are most alike. Vega's
    own `limit` measures texts, which takes a quarter of the time of a page.
    """
    shown = fitting(written, style.WIDTH - GAP - LEAST, FONT, bold=True)
    return {"label": shortened(label, style.WIDTH - GAP - width_of(shown, FONT, bold=True)), "written": shown}


def shortened(label: str, room: float) -> str:
    """A label that is at most so wide, without its middle where it has to be."""
    if width_of(label, FONT) <= room:
        return label
    behind = fitting(label[::-1], room / 3, FONT)[::-1].lstrip("…").lstrip()
    return fitting(label[: len(label) - len(behind)], room - width_of(behind, FONT), FONT) + behind


def charts(answer: Answer) -> dict[str, list[style.Chart]]:
    """The charts of each experiment of which a row has a headline: the same for the same answer."""
    return {name: of_it for name in answer.declared if (of_it := list(_of_experiment(name, answer)))}


def _of_experiment(name: str, answer: Answer) -> Iterator[style.Chart]:
    declared = answer.declared[name]
    rows = [row for row in answer.rows if row.case.experiment == name and row.number(row.leading.name) > 0]
    if not rows:
        return
    leading = [row for row in rows if row.leads]
    yield from tradeoffs(name, leading, declared)
    yield from over(name, leading, declared)
    scaled = list(scalings(name, answer, rows, declared))
    if not (scaled and declared.along):
        yield ladder(name, rows, declared)
        yield from curves(name, rows, declared)
    yield from scaled


def every(answer: Answer) -> list[style.Chart]:
    """All of them; ChartRefused if no row has a headline."""
    experiments = style.some([*charts(answer).values()], "no case of this run has a figure")
    return [*of_answer(answer), *chain.from_iterable(experiments)]


def specification(answer: Answer) -> style.Json:
    """Lay all of them out."""
    return style.page_of(answer.run, every(answer))
