"""The charts of an answer: the machine's states, how cases stand, curves, trade-offs, scaling and percentiles."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from math import log, log10

import numpy as np

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row, Unit
from threadping.analysis.percentiles import (
    CARRYING_SAMPLES,
    CARRYING_TRIALS,
    FEWEST_FOR_A_RANGE,
    SLACK,
    mixture,
    trials_beyond,
    worth,
)
from threadping.analysis.questions import curve_lines as lines
from threadping.analysis.questions import frontiers
from threadping.analysis.states import PairHistory, watched_pairs
from threadping.analysis.validity import validity_of
from threadping.model import quantities
from threadping.model.base import gathered
from threadping.model.cases import Case
from threadping.model.contract import Distribution
from threadping.model.quantities import compact, counted, percent, time
from threadping.output import names
from threadping.output.charts import style
from threadping.output.charts.style import field, fitting, marks, width_of
from threadping.output.layout import written
from threadping.output.row_tables import PivotLine, at, conclusions, pivot_lines

POINT_CELLS = (200, 30)
"""Maximum number of points of one state next to each other and in a decade: 100,000 would lie upon each other."""

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
        for run, moment, ns, state in points[pair]:
            within = (moment - times[run][0]) / took[run] * (1 if alone else 0.98)
            where = (places[run] + within) / len(times)
            cell = (round(where * POINT_CELLS[0]), round(log(ns, 10) * POINT_CELLS[1]), state)
            about = {"run": f"{run}", "at": f"{minute_of(moment)} UTC", "one way": time(ns)}
            named = NO_STATE if state is None else labels[state]
            drawn.setdefault(cell, {"x": where * width, "y": ns, "state": named, "about": about})
        colours = {"domain": [*labels, NO_STATE], "range": [*style.COLOURS[:-1][: len(labels)], style.COLOURS[GREY]]}
        colour = style.field("state:N", scale=colours, legend={"orient": "bottom", "columns": 1})
        y = style.field("y:Q", **style.logarithmic("ns", (ns for _, _, ns, _ in points[pair])))
        point = {"x": x, "y": y, "color": colour, "tooltip": style.TOOLTIP}
        title = f"Core to core, {quantities.pair(pair)}: {counted(len(points[pair]), 'reference ping')}"
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


MOST_CURVES = len(style.COLOURS)  # No two lines of a panel have the same colour
DASHED = "Dashed lines are not comparable with the others: the warnings and notes of their rows say why."
POINTS_PER_NINE = 32  # Points of a curve from one percentile to that with another nine
BEATEN = {**style.DOT, "size": 30, "opacity": 0.4}


def tradeoffs(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw a panel for each place of the dimension: every row as a dot, and a line through those that nothing beats."""
    of, found = declared.tradeoff, [one for one in frontiers(rows, declared) if one.beaten]
    if of is None or not found:
        return
    quickest, cheapest = declared.figure(of.quick), declared.figure(of.cheap)
    cost, time, unit = cheapest.head, quickest.head, cheapest.unit
    panels: dict[str, list[style.Json]] = {}
    for one in found:
        for row in (*one.leading, *one.beaten):
            cheap, quick = (row.figures[figure] for figure in (of.cheap, of.quick))
            named = f"{names.mechanism(row.case, declared.param)}, {names.plain(row.case.runtime)}"
            line = {"line": named} if row in one.leading else {}
            low, high = quick.ends
            about = {**style.of_row(row)["about"], cost: written(unit, cheap.value)}
            point = {"x": cheap.value, "y": quick.value, "low": low, "high": high, "about": about}
            panels.setdefault(names.place(row.case, declared), []).append({**point, **line})
    every = [point for of_place in panels.values() for point in of_place]
    legend = list(dict.fromkeys(point["line"] for point in every if "line" in point))
    across = style.logarithmic(unit, (point["x"] for point in every))
    up = style.logarithmic(quickest.unit, (point[end] for point in every for end in ("low", "high")))
    looks, tip = style.coloured("line:N", legend), {"tooltip": style.TOOLTIP}
    x, y = field("x:Q", **{**across, "title": cost}), field("y:Q", **up)
    _, bar, dots = style.intervals(x, "y", up, looks, **tip)
    step = marks("line", {"x": x, "y": y}, interpolate="step-after", color=style.FAINT, strokeDash=[3, 3])
    beaten = marks("point", {"x": x, "y": y, **tip}, color=style.FAINT, **BEATEN)
    layers = [
        {"transform": [{"filter": f"{which}isValid(datum.line)"}], **drawn}
        for which, drawn in (("!", beaten), ("", step), ("", bar), ("", dots))
    ]
    made = [style.titled({"layer": layers}, points, place) for place, points in panels.items()]
    said = [f"{time} of every case against {cost}. Coloured is what no other beats in both: the others are grey."]
    yield style.Chart(f"{name}-tradeoff", f"{name}: {time} against {cost}", said, made, legend)


def over(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw each declared curve that has several places: a panel for each of its figures, a line for each case."""
    for curve in declared.curves:
        found = {_name(line.row.case, declared, curve.param): line for line in lines(curve, rows)[:MOST_CURVES]}
        if not found:
            continue
        places = sorted({place for line in found.values() for place in line.points})
        zero = next(place for place in places if place) / 2  # a logarithmic axis has no 0
        ticks = {place or zero: at(curve, place) for place in places}
        scale = {"type": "log", "nice": False, "padding": 12, "domain": [min(ticks), max(ticks)]}
        x = field("x:Q", title=curve.along, scale=scale, axis=style.labelled(ticks, grid=False))
        looks = style.coloured("line:N", found)
        doubled = [{"x": line.doubled, "line": named} for named, line in found.items() if line.doubled is not None]
        mark = marks("rule", {"x": x, "color": looks["color"]}, strokeDash=[4, 3])
        panels = []
        for figure in curve.figures:
            whole = declared.figure(curve.whole(figure))
            data: list[style.Json] = [
                {"x": place or zero, "y": one.value, "low": one.ends[0], "high": one.ends[1], "line": named}
                for named, line in found.items()
                for place, figures in line.points.items()
                if (one := figures.get(figure)) and one.ends[0] > 0
            ]
            if data:
                up = style.logarithmic(whole.unit, (one[end] for one in data for end in ("low", "high")))
                rules = [{**mark, "data": {"values": doubled}}] if doubled else []
                layers = [*rules, *style.intervals(x, "y", up, looks)]
                panels.append(style.titled({"layer": layers}, data, whole.head))
        said = [style.HOW, *conclusions(curve, list(found.values()), declared)]
        yield style.Chart(f"{name}-by-{curve.name}", f"{name}: {curve.title}", said, panels, list(found))


def _name(case: Case, declared: Declaration, but: str) -> str:
    parts = (names.mechanism(case, declared.param, but), names.plain(case.runtime), names.placement_label(case))
    return ", ".join(filter(None, (*parts, *names.further(case), names.place(case, declared))))


def scalings(name: str, answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw rows whose headline is more than nothing by everything along which they differ, as tables show them."""
    for param in declared.dimensions:
        for figure in ("", *declared.pivoted):
            found = pivot_lines([row for row in rows if not figure or row.number(figure) > 0], param)
            ticks = sorted({point for one in found for point in one.rows if point})
            if len(ticks) > 1:
                yield _scaling(name, answer, found, ticks, param, figure, declared)


def _scaling(
    name: str,
    answer: Answer,
    found: Sequence[PivotLine],
    ticks: Sequence[int],
    param: str,
    figure: str,
    declared: Declaration,
) -> style.Chart:
    data: list[style.Json] = [
        {
            **style.of_row(row),
            **_of_figure(row, figure),
            "line": _label(one, found),
            "x": point,
            "comparable": validity_of([*one.rows.values()], "chart").status == "usable",
        }
        for one in found
        for point, row in one.rows.items()
        if point
    ]
    along, drawn = param or str(declared.along), declared.figure(figure or declared.headline)
    axis = style.labelled({tick: compact(tick) for tick in ticks}, grid=False)
    scale = {"type": "log", "base": 2, "nice": False, "padding": 12, "domain": [ticks[0], ticks[-1]]}
    x = style.field("x:Q", title=along, axis=axis, scale=scale)
    y = style.logarithmic(drawn.unit, (one[end] for one in data for end in ("low", "high")))
    last = {one["line"]: one["value"] for one in data}
    legend = sorted(last, key=lambda line: -last[line])
    dashes = {"domain": [True, False], "range": [[1, 0], [6, 4]]}
    line = {"strokeDash": style.field("comparable:N", scale=dashes, legend=None)}
    layers = style.intervals(x, "value", y, style.coloured("line:N", legend), line, tooltip=style.TOOLTIP)
    said = [drawn.means or declared.title, style.HOW]
    cpus = len(answer.run.machine.topology.allowed)
    enough = cpus / found[0].case.group
    if not param and ticks[0] <= enough < ticks[-1]:
        rule = style.marks("rule", {"x": {"datum": enough}}, color=style.FAINT, strokeDash=[2, 3])
        layers.insert(0, {**rule, "data": {"values": [{}]}})
        said.append(f"Right of the dotted line there are more threads than the {cpus} CPUs.")
    said += [] if all(one["comparable"] for one in data) else [DASHED]
    title = f"{name}: {drawn.head if figure else declared.title}{param and f', by {param}'}"
    called = "-".join(filter(None, (name, "by", along, figure and drawn.head)))
    return style.Chart(called, title, said, style.by_runtime({"layer": layers}, data), legend)


def _of_figure(row: Row, figure: str) -> style.Json:
    if not figure:
        return {}
    low, high = row.figures[figure].ends
    return {"value": row.figures[figure].value, "low": low, "high": high}


def _label(one: PivotLine, among: Sequence[PivotLine]) -> str:
    mine, same = one.words, ("mechanism", "runtime")
    alike = [other.words for other in among if all(other.words[head] == mine[head] for head in same)]
    differs = {head: text for head, text in mine.items() if text and len({words[head] for words in alike}) > 1}
    texts = (f"at {text}" if head == "core to core" else text for head, text in differs.items())
    return ", ".join([mine["mechanism"], *texts])


def curves(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw what was timed of the best rows, a panel for each runtime; nothing if no samples carry a curve."""
    for of in (one for one in declared.timed if one.column):
        found: dict[str, list[style.Json]] = {}
        for row in style.best_first(rows):
            if points := curve(row.timed(of.name)):
                drawn = style.of_row(row)
                of_it = {"line": drawn["case"], "runtime": drawn["runtime"]}
                found.setdefault(drawn["case"], []).extend({**of_it, "x": x, "y": y} for x, y in points)
        if not found:
            continue
        data = [point for line in [*found.values()][:MOST_CURVES] for point in line]
        nines = {10.0**n: f"{100 - 100 * 10.0**-n:.{max(0, n - 2)}f}%" for n in range(1, 9)}
        reach = {"type": "log", "nice": False, "domain": [1, max(point["x"] for point in data)]}
        axis = style.labelled({1.0: "0%", 2.0: "50%", **nines})
        x = style.field("x:Q", title="percentile, as far as the samples carry it", scale=reach, axis=axis)
        y = style.field("y:Q", **style.logarithmic("ns", (point["y"] for point in data)))
        legend = list(found)[:MOST_CURVES]
        line = {"x": x, "y": y, "color": style.coloured("line:N", legend)["color"]}
        lines = style.marks("line", line, strokeWidth=1.8, interpolate="step-before")
        few = f", of the {MOST_CURVES} best of {len(found)}" if len(found) > MOST_CURVES else ""
        title = f"Percentiles of {of.noun}{few}"
        yield style.Chart(f"{name}-{of.of or 'percentiles'}", title, [of.means], style.by_runtime(lines, data), legend)


def curve(trials: Sequence[Distribution]) -> list[tuple[float, float]]:
    """Return how long all but the slowest take: one over the share of the slowest, as far as carried, and nanoseconds.

    Each trial has at least one sample; together they may be too few for a single point.
    """
    reach = worth(trials) / CARRYING_SAMPLES if trials else 0.0
    if reach <= 1:
        return []
    at = np.unique(
        [*10 ** np.arange(0, log10(reach), 1 / POINTS_PER_NINE), *(x for x in (2.0, 20.0) if x < reach), reach]
    )
    values, shares = mixture(trials)
    places = shares.searchsorted(1 - 1 / at - SLACK).clip(max=len(values) - 1)
    if len(trials) >= FEWEST_FOR_A_RANGE:
        carried = (at <= 2) | (trials_beyond(trials, values[places]) >= CARRYING_TRIALS - SLACK)
        at, places = at[carried], places[carried]
    return [(float(x), float(ns)) for x, ns in zip(at, values[places], strict=True) if ns > 0]
