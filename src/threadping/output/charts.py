"""Charts of an answer, in Vega-Lite: how cases compare, curves, scaling, percentiles, states; and their look.

One specification serves every format. What draws it is imported only then.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, repeat
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from threadping.analysis import percentiles
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import LATE_HEADLINE, Declaration, Figure, Row, Unit
from threadping.analysis.percentiles import (
    CARRYING_SAMPLES,
    CARRYING_TRIALS,
    FEWEST_FOR_A_RANGE,
    SLACK,
    Estimate,
    pooled,
    trials_beyond,
    worth,
)
from threadping.analysis.states import PairHistory, watched_pairs
from threadping.analysis.validity import validity_of
from threadping.model import files, quantities
from threadping.model.base import gathered
from threadping.model.cases import GROUPS, Case
from threadping.model.contract import Distribution
from threadping.model.errors import ChartRefused
from threadping.model.quantities import compact, counted, percent, time
from threadping.model.run import Machine, Run
from threadping.output import names
from threadping.output.layout import Chart, Json, sure, tick, with_interval, written
from threadping.output.row_tables import PivotLine, merit, pivot_lines
from threadping.probes.placements import cores_by_kind

Item = TypeVar("Item")
WIDTH, HEIGHT, COLUMNS = 400, 260, 2
"""The size of a panel without its axis: a phone shows one at a legible size, and two fit next to each other on
paper."""


INK, FAINT, GRID = "#222222", "#6B6B6B", "#E6E6E6"
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#B8860B", "#7F7F7F"]
"""Okabe and Ito, "Color Universal Design" (2008), for those who see colours differently too; with a yellow that can be
read on white, and grey in place of black."""

SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"]
"""Their number shares no factor with that of the colours, so the first 56 that differ in both look different."""

DOT = {"filled": True, "size": 70, "opacity": 1}
BEYOND = "An arrow marks an interval that extends beyond the axis."
HOW = f"Dots are medians over trials, bars their 95% intervals; in brackets the range of 3 to 5 trials. {BEYOND}"
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
        *arrows({"x": x, **colour}, "y", scale),
        marks("point", {"x": x, "y": y, **about, **looks}, **DOT),
    ]


def arrows(encoding: Json, axis: str, scale: Json, **options: Any) -> Iterator[Json]:
    """Draw an arrow where an interval extends beyond an end of an axis; its scale clamps it there."""
    least, most = scale["scale"]["domain"]
    ways = ("left", "right") if axis == "x" else ("down", "up")
    for end, outside, way in zip(("low", "high"), (f"< {least}", f"> {most}"), ways, strict=True):
        at = {axis: field(f"{end}:Q", **scale), "shape": {"value": f"triangle-{way}"}}
        yield {"transform": [{"filter": f"datum.{end} {outside}"}], **marks("point", encoding | at, **DOT, **options)}


def of_row(row: Row, cases: Sequence[Case]) -> Json:
    """Return what charts draw of a row whose headline is known, among rows of these cases."""
    case, declared, headline = row.case, row.declared, row.figures[row.leading.name]
    unit = row.leading.unit
    how_sure = sure(unit, headline, len(row.trials)).plain
    late = [f"({written(unit, found.value)} in the last third)" for found in [row.figures.get(LATE_HEADLINE)] if found]
    parts = (written(unit, headline.value), row.called, how_sure if headline.kind else f"({how_sure})", *late)
    said = " ".join(filter(None, parts))
    what = {"mechanism": names.mechanism(case), "runtime": names.plain(case.runtime)}
    what["placement"] = " ".join(filter(None, (names.placement_label(case), state(row))))
    differs = [one for one in names.differing_facts(case, cases, declared) if one != what["runtime"]]
    about = {**what, "threads": str(case.threads), names.plain(declared.title): said}
    for of in declared.timed[:1]:
        found = ((part, row.figures.get(f"{of.name}.{part}")) for part in percentiles.PERCENTILE_NAMES)
        about |= {f"{part} of {of.noun}": with_interval(of.unit, one).plain for part, one in found if one}
    return {
        **what,
        **_ends(headline),
        "look": names.plain(case.mechanism),
        "written": said,
        "differs": differs,
        "about": about,
    }


def _of_figure(row: Row, figure: Figure) -> Json:
    """Return what charts draw and write of another figure of a row than its headline."""
    found = row.figures[figure.name]
    how_sure = sure(figure.unit, found, len(row.trials)).plain
    said = f"{written(figure.unit, found.value)} {how_sure if found.kind else f'({how_sure})'}"
    return {**_ends(found), "written": said}


def _ends(found: Estimate) -> Json:
    return {"value": found.value, "low": found.ends[0], "high": found.ends[1]}


def coloured(name: str, order: Iterable[str], shown: Collection[str] | None = None) -> Json:
    """Encode a field as colour and shape by its place in the order; the legend has those that are `shown`, or all."""
    domain, legend = list(dict.fromkeys(order)), Json(orient="bottom", columns=1, direction="vertical")
    if shown is not None:
        legend["values"] = [one for one in domain if one in shown]
    colour, shape = ({"domain": domain, "range": looks} for looks in (COLOURS, SHAPES))  # Vega begins them anew
    return {"color": field(name, scale=colour, legend=legend), "shape": field(name, scale=shape, legend=legend)}


TICK_DIGITS = ((1.0,), (1.0, 2.0, 5.0), (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0))
"""Digits of ticks on a logarithmic axis: it has the first with which there are three ticks."""

MARGIN_SHARE = 0.04  # share of a logarithmic axis that is beyond the data at each end


def logarithmic(unit: Unit, values: Iterable[float], title: str = "") -> Json:
    """Return scale and axis of figures, which all values above 0 fill; with fewer than two ticks it ends with some."""
    held = [value for value in values if value > 0]
    margin = max((max(held) / min(held)) ** MARGIN_SHARE, 1.02)
    first, last = min(held) / margin, max(held) * margin
    # One power below: the logarithm of a number just below a power is rounded to it.
    powers = range(math.floor(math.log10(first)) - 1, math.ceil(math.log10(last)) + 2)
    every: list[float] = []
    for steps in TICK_DIGITS:
        every = [step * 10.0**power for power in powers for step in steps]
        if sum(first <= one <= last for one in every) > 2:
            break
    if sum(first <= one <= last for one in every) < 2:
        first, last = max(one for one in every if one <= first), min(one for one in every if one >= last)
    labels = {one: tick(unit, one) for one in every if first <= one <= last}
    scale = {"type": "log", "domain": [first, last], "nice": False, "clamp": True}
    return {"scale": scale, "title": f"{names.plain(title)}, log scale".removeprefix(", "), "axis": labelled(labels)}


def labelled(labels: Mapping[float, str], **options: Any) -> Json:
    """An axis with these labels at these values, as many as fit."""
    label = f"{json.dumps(list(labels.values()))}[indexof({json.dumps(list(labels))}, datum.value)]"
    return {"values": list(labels), "labelExpr": label, "labelOverlap": "greedy", **options}


def by_runtime(drawn: Json, data: Sequence[Json]) -> list[Json]:
    """Draw a panel for each runtime, with its name."""
    of_each = gathered((one["runtime"], one) for one in data).items()
    return [titled(panel(drawn, of_it, height=HEIGHT), runtime) for runtime, of_it in of_each]


def titled(drawn: Json, title: str) -> Json:
    return {**drawn, "title": {"text": names.plain(title), "fontSize": 13}}


def panel(drawn: Json, data: Sequence[Json], *, height: Any) -> Json:
    """A panel of marks, or of layers of them, with its data."""
    return {**drawn, "data": {"values": data}, "width": WIDTH, "height": height}


def some(found: Sequence[Item], lacking: str) -> Sequence[Item]:
    """Return what is to be drawn; raise ChartRefused, which says what is `lacking`, where there is none."""
    if not found:
        raise ChartRefused(f"There is no chart to draw: {lacking}.")
    return found


def page_of(run: Run, charts: Sequence[Chart]) -> Json:
    started = f"{run.started[:16].replace('T', ' ')} UTC, threadping {run.version}"
    return page(run.machine, f"run {run.id}, {started}" if run.id else started, charts)


def page(machine: Machine, when: str, charts: Sequence[Chart]) -> Json:
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
    """A chart with its title, what is to be known beneath it, and its panels next to each other."""
    lines = [line for one in chart.said for line in wrap(names.plain(one), 130)]
    title = {"text": wrap(names.plain(chart.title), 100), "subtitle": lines}
    return {"title": title, "concat": list(chart.panels), "columns": COLUMNS}


def top(made: Json) -> Json:
    return {"$schema": VEGA_LITE, "background": "white", "padding": 18, "config": CONFIG} | made


def state(row: Row) -> str:
    return f"at {time(row.state.core_to_core_ns)}" if row.state and row.of_several else ""


POINT_CELLS = (200, 30)
"""Maximum number of points of one state next to each other and in a decade: 100,000 would lie upon each other."""

NO_STATE, GREY = "in no state", len(COLOURS) - 1
TIME_UNITS = ((86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes"), (1.0, "seconds"))


def of_answer(answer: Answer) -> list[Chart]:
    """A panel for each pair of CPUs that was in several states."""
    watched = watched_pairs(answer.states, repeat(answer.run.id), answer.run.machine.topology)
    return over_time([one for one in watched if len(one.states) > 1])


def over_time(watched: Sequence[PairHistory]) -> list[Chart]:
    """Draw the pings of each pair that has some, over the time of their run; several runs are next to each other."""
    points = {one.cpus: [(at.run, at.at, at.ns, at.state) for at in one.series if at.ns] for one in watched}
    times = gathered(sorted((run, at) for series in points.values() for run, at, *_ in series))
    took = {run: at[-1] - at[0] or 1.0 for run, at in times.items()}
    alone = next(iter(took.values())) if len(took) == 1 else None
    if alone:
        seconds, unit = next((one for one in TIME_UNITS if alone >= 2 * one[0]), TIME_UNITS[-1])
        width, title, axis = alone / seconds, f"{unit} since the first ping", {"grid": False}
    else:
        axis = labelled({float(place): f"{run}" for place, run in enumerate(times)}, labelAlign="left")
        width, title = float(len(times)), "run"
    x = field("x:Q", title=title, axis=axis, scale={"domain": [0, width], "nice": False})
    places = dict(zip(times, range(len(times)), strict=True))
    made = []
    for pair, states in ((one.cpus, one.states) for one in watched if points[one.cpus]):
        labels = [f"{time(one.core_to_core_ns)}, {percent(one.share)} of the time" for one in states]
        drawn: dict[tuple[int, int, int | None], Json] = {}
        for run, moment, ns, state in points[pair]:
            within = (moment - times[run][0]) / took[run] * (1 if alone else 0.98)
            where = (places[run] + within) / len(times)
            cell = (round(where * POINT_CELLS[0]), round(math.log10(ns) * POINT_CELLS[1]), state)
            about = {"run": f"{run}", "at": f"{minute_of(moment)} UTC", "one way": time(ns)}
            named = NO_STATE if state is None else labels[state]
            drawn.setdefault(cell, {"x": where * width, "y": ns, "state": named, "about": about})
        colours = {"domain": [*labels, NO_STATE], "range": [*COLOURS[:-1][: len(labels)], COLOURS[GREY]]}
        colour = field("state:N", scale=colours, legend={"orient": "bottom", "columns": 1})
        y = field("y:Q", **logarithmic("ns", (ns for _, _, ns, _ in points[pair]), "one way"))
        point = {"x": x, "y": y, "color": colour, "tooltip": TOOLTIP}
        title = f"Core to core, {quantities.pair(pair)}: {counted(len(points[pair]), 'reference ping')}"
        pings = panel(marks("point", point, filled=True, size=14, opacity=0.75), [*drawn.values()], height=HEIGHT * 0.6)
        legend = [*labels, *[""] * (GREY - len(labels)), NO_STATE]
        made.append(Chart(f"states-{pair[0]}-{pair[1]}", title, ["One way, by a very short ping."], [pings], legend))
    return made


def minute_of(at: float) -> str:
    """Write seconds since 1970 as a title has them."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"


STEP = 38
FONT, MOST_OF_LINE, MOST_OF_FIGURES = 12, 58, 40
"""The size of a line's texts, and the maximum characters of both together and of the figures at its end."""

MOST_CASES = 60  # A ladder of more cases is read by nobody: the tables have the others
OF_UNNAMED_PLACEMENT = "Lines that name no placement are {}."
OF_STATES = "The time behind 'at' is the core-to-core latency in the state of the row."


def ladder(name: str, rows: Sequence[Row], declared: Declaration, looks: Sequence[str]) -> Chart:
    """Draw rows whose headline is more than nothing, at least one."""
    cases, headline = [row.case for row in rows], rows[0].leading
    title = declared.title_of(cases)
    tail = declared.timed[0] if declared.timed and headline.unit == "ns" else None
    said = [headline.means or title, HOW]
    if common := names.shared(cases, declared):
        said.insert(0, f"All are {common}.")
    said += [f"Ticks are p99 of {tail.noun}."] if tail else []
    said += [OF_STATES] if any(state(row) for row in rows) else []
    said += [f"The {MOST_CASES} best of {len(rows)} cases."] if len(rows) > MOST_CASES else []
    drawn, usual = _rungs(sorted(rows, key=merit)[:MOST_CASES], headline, looks, f"{tail.name}.p99" if tail else None)
    said += [OF_UNNAMED_PLACEMENT.format(usual)] if usual else []
    return Chart(name, f"{cases[0].experiment}: {title}", said, [drawn])


def _rungs(rows: Sequence[Row], figure: Figure, looks: Sequence[str], tail: str | None = None) -> tuple[Json, str]:
    """Draw a line for each row, called by its mechanism and by what distinguishes it among these rows.

    Where a label would be too long, those of the commonest placement leave it out, which is returned.
    """
    cases, data, parts = [row.case for row in rows], list[Json](), list[list[str]]()
    several = len({case.runtime for case in cases}) > 1
    for row in rows:
        drawn = of_row(row, cases)
        drawn |= {} if figure in (row.leading, row.declared.leading) else _of_figure(row, figure)
        drawn["brief"] = written(figure.unit, drawn["value"])
        facts = (drawn["mechanism"], drawn["runtime"] * several, *drawn.pop("differs"), state(row))
        parts.append([*filter(None, facts)])
        data.append({**drawn, **({"tail": row.value(tail)} if tail else {}), "place": len(data)})
    is_long = any(
        len(", ".join(each)) + len(one["brief"]) > MOST_OF_LINE for each, one in zip(parts, data, strict=True)
    )
    usual, named = Counter(map(names.placement_label, cases)).most_common(1)[0]
    left_out = usual if is_long and named < len(cases) else ""
    for one, each in zip(data, parts, strict=True):
        one["label"] = ", ".join(part for part in each if part != left_out)
    return dots(data, scale_of(data, figure.unit, figure.head), "look:N", looks, named=False), left_out


def scale_of(data: Sequence[Json], unit: Unit, title: str = "") -> Json:
    """A scale that holds all of them, and its axis."""
    return logarithmic(unit, (one.get(end) or 0 for one in data for end in ("value", "low", "high", "tail")), title)


def dots(
    data: Sequence[Json],
    x: Json,
    colour: str,
    order: Iterable[str],
    marked: Sequence[float] = (),
    *,
    named: bool = True,
) -> Json:
    """Draw a line for each `place`: `value` between `low` and `high`, a tick at the `tail`, a `label` and figures.

    Ticks of the axis, and those that are `marked`, are on each line, below its texts.
    """
    looks, y = coloured(colour, order), field("place:O", axis=None)
    for look in looks.values() if not named else ():  # labels say what its legend would
        look["legend"] = None
    below: Json = {"yOffset": STEP / 4}
    text: Json = {"yOffset": -STEP / 5}
    bar = {"x": field("low:Q", **x), "x2": {"field": "high"}, "y": y, "color": looks["color"]}
    mark = {"x": field("tail:Q", **x), "y": y, "color": looks["color"]}
    dot = {"x": field("value:Q", **x), "y": y, "tooltip": TOOLTIP, **looks}
    label = {"x": {"value": 0}, "y": y, "text": field("label:N")}
    figures = {"x": {"value": WIDTH}, "y": y, "text": field("written:N")}
    guides = [(at, GRID) for at in x["axis"]["values"]] + [(at, FAINT) for at in marked]
    places = dict.fromkeys(one["place"] for one in data)
    guide = {"x": field("at:Q", **x), "y": y, "color": field("ink:N", scale=None)}
    behind = [{"at": at, "place": place, "ink": ink} for place in places for at, ink in guides]
    x["axis"]["grid"] = False
    layers = [
        {**marks("tick", guide, thickness=1, size=STEP / 2, orient="vertical", **below), "data": {"values": behind}},
        marks("rule", bar, strokeWidth=4, opacity=0.5, **below),
        *arrows({"y": y, "color": looks["color"]}, "x", x, **below),
        _where("tail", marks("tick", mark, thickness=2, size=STEP / 3, orient="vertical", **below)),
        marks("point", dot, **DOT, **below),
        _where("label", marks("text", label, align="left", fontSize=FONT, **text)),
        _where("label", marks("text", figures, align="right", fontWeight=600, fontSize=FONT, **text)),
    ]
    short = [
        {**one, **apart(one["label"], one["written"], one.get("brief", ""))} if "label" in one else one for one in data
    ]
    return panel({"layer": layers}, short, height={"step": STEP})


def _where(known: str, drawn: Json) -> Json:
    return {"transform": [{"filter": f"isValid(datum.{known})"}], **drawn}


def apart(label: str, figures: str, brief: str = "") -> dict[str, str]:
    """Shorten the two texts of a line: figures to `brief`, or to their beginning; a label keeps both its ends."""
    if brief and len(label) + len(figures) > MOST_OF_LINE:
        figures = brief
    figures = figures if len(figures) <= MOST_OF_FIGURES else f"{figures[: MOST_OF_FIGURES - 1].rstrip()}…"
    most = MOST_OF_LINE - len(figures)
    if len(label) > most:
        label = f"{label[: most - most // 2 - 1].rstrip()}…{label[len(label) - most // 2 :].lstrip()}"
    return {"label": label, "written": figures}


def charts_of(answer: Answer) -> dict[str, list[Chart]]:
    looks = list(dict.fromkeys(names.plain(row.case.mechanism) for row in answer.rows))
    return {name: of_it for name in answer.declared if (of_it := list(_of_experiment(name, answer, looks)))}


def _of_experiment(name: str, answer: Answer, looks: Sequence[str]) -> Iterator[Chart]:
    declared = answer.declared[name]
    rows = [row for row in answer.rows if row.case.experiment == name and row.number(row.leading.name) > 0]
    if not rows:
        return
    usual = [row for row in rows if row.leading.unit == declared.leading.unit]
    scaled = list(scalings(name, answer, usual, declared, looks))
    if not (scaled and declared.along):
        for unit, alike in gathered((row.leading.unit, row) for row in rows).items():
            yield ladder(name if unit == declared.leading.unit else f"{name}-median", alike, declared, looks)
        yield from curves(name, rows, declared, looks)
    yield from scaled


def every(answer: Answer) -> list[Chart]:
    """All of them; ChartRefused if no row has a headline."""
    experiments = some([*charts_of(answer).values()], "no case of this run has a figure")
    return [*of_answer(answer), *chain.from_iterable(experiments)]


MOST_CURVES = len(COLOURS)
FEW_POINTS = 3  # maximum number of points along which more lines than MOST_CURVES are dots on rows
NOT_COMPARABLE = "Faint lines are not comparable with the others: the warnings and notes of their rows say why."
POINTS_PER_NINE = 32  # Points of a curve from one percentile to that with another nine
MOST_WITH_HALF = 1e3  # one over the share of the slowest from which on 50% would overlap 0%


def scalings(
    name: str, answer: Answer, rows: Sequence[Row], declared: Declaration, looks: Sequence[str]
) -> Iterator[Chart]:
    """Draw rows whose headline is more than nothing by everything along which they differ, as tables show them.

    Of each pair of CPUs only the state that held for longest is drawn.
    """
    for param in declared.dimensions:
        for figure in ("", *declared.pivoted):
            leading = [row for row in rows if row.leads and (not figure or row.number(figure) > 0)]
            found = [one for one in pivot_lines(leading, param) if not param or len(one.rows) > 1]
            if len({point for one in found for point in one.rows if point}) > 1:
                yield _scaling(name, answer, found, param, figure, looks)


def _scaling(
    name: str, answer: Answer, found: Sequence[PivotLine], param: str, figure: str, looks: Sequence[str]
) -> Chart:
    declared = answer.declared[name]
    ticks = sorted({point for one in found for point in one.rows if point})
    along, drawn = param or str(declared.along), declared.figure(figure or declared.headline)
    title = f"{name}: {drawn.head if figure else declared.title}{param and f', by {param}'}"
    called = "-".join(filter(None, (name, "by", along, figure and drawn.head)))
    said = [drawn.means or declared.title, HOW]
    if len(found) > MOST_CURVES and len(ticks) <= FEW_POINTS:
        panels = []
        for tick in ticks:
            rows = sorted((one.rows[tick] for one in found if tick in one.rows), key=merit)[:MOST_CASES]
            at = f"{param} {compact(tick)}" if param else counted(tick, GROUPS[rows[0].case.group])
            made, usual = _rungs(rows, drawn, looks)
            panels.append(titled(made, at))
            said += [f"{at}: {OF_UNNAMED_PLACEMENT.format(usual)}"] if usual else []
        return Chart(called, title, said, panels)
    cases = [row.case for one in found for row in one.rows.values()]
    data: list[Json] = [
        {
            **of_row(row, cases),
            **(_of_figure(row, drawn) if figure else {}),
            "line": ", ".join(filter(None, (one.case.mechanism, differs))),
            "x": point,
            "differs": differs if point == max(one.rows) else "",
            "comparable": validity_of([*one.rows.values()], "chart").status == "usable",
        }
        for one, differs in ((one, _differs(one, found)) for one in found)
        for point, row in one.rows.items()
        if point
    ]
    axis = labelled({tick: compact(tick) for tick in ticks}, grid=False)
    scale = {"type": "log", "base": 2, "nice": False, "padding": 12, "domain": [ticks[0], ticks[-1]]}
    x = field("x:Q", title=f"{along}, log scale", axis=axis, scale=scale)
    y = logarithmic(drawn.unit, (one[end] for one in data for end in ("low", "high")), drawn.head)
    opacity = field("comparable:N", scale={"domain": [True, False], "range": [1, 0.4]}, legend=None)
    shown = {one["look"] for one in data}
    looked = coloured("look:N", looks, shown)
    layers = intervals(x, "value", y, looked, {"opacity": opacity, "detail": field("line:N")}, tooltip=TOOLTIP)
    layers.append(_ends_named(x, field("value:Q", **y)))
    cpus = len(answer.run.machine.topology.allowed)
    enough = cpus / found[0].case.group
    if not param and ticks[0] <= enough < ticks[-1]:
        rule = marks("rule", {"x": {"datum": enough}}, color=FAINT, strokeDash=[2, 3])
        layers.insert(0, {**rule, "data": {"values": [{}]}})
        said.append(f"Right of the dotted line there are more threads than the {cpus} CPUs.")
    said += [] if all(one["comparable"] for one in data) else [NOT_COMPARABLE]
    return Chart(
        called, title, said, by_runtime({"layer": layers}, data), [one if one in shown else "" for one in looks]
    )


def _ends_named(x: Json, y: Json) -> Json:
    """Write next to the end of a line what distinguishes it from others of its mechanism."""
    text = marks("text", {"x": x, "y": y, "text": field("differs:N")}, align="right", dx=-8, dy=-6, fontSize=FONT - 1)
    return {"transform": [{"filter": "datum.differs"}], **text}


def _differs(one: PivotLine, among: Sequence[PivotLine]) -> str:
    """Return what distinguishes a line from others of its look and runtime; empty if it has no others."""
    look, runtime = names.plain(one.case.mechanism), one.words["runtime"]
    same = (other for other in among if other.words["runtime"] == runtime)
    alike = [other.words for other in same if names.plain(other.case.mechanism) == look]
    texts = (text for head, text in one.words.items() if len({words[head] for words in alike}) > 1)
    return ", ".join(filter(None, (text.removeprefix(look).strip() for text in texts)))


def curves(name: str, rows: Sequence[Row], declared: Declaration, looks: Sequence[str]) -> Iterator[Chart]:
    """Draw what was timed of the best rows, a panel for each runtime; nothing if no samples carry a curve."""
    for of in (one for one in declared.timed if one.column):
        timed = [
            (row, points) for row in sorted(rows, key=merit) if row.leads and (points := curve(row.timed(of.name)))
        ]
        cases = [row.case for row, _ in timed[:MOST_CURVES]]
        data: list[Json] = []
        for number, (row, points) in enumerate(timed[:MOST_CURVES]):
            look, alike = (
                names.plain(row.case.mechanism),
                [case for case in cases if case.mechanism == row.case.mechanism],
            )
            of_it = {"line": number, "look": look, "runtime": names.plain(row.case.runtime)}
            data.extend({**of_it, "x": x, "y": y} for x, y in points)
            params = names.mechanism(row.case).removeprefix(look).strip() if len(alike) > 1 else ""
            facts = names.differing_facts(row.case, alike, declared)
            texts = [one for one in (params, *facts) if one and one != of_it["runtime"]]
            data[-1] |= {"end": True, "differs": ", ".join(texts)}
        if not data:
            continue
        nines = {10.0**n: f"{100 - 100 * 10.0**-n:.{max(0, n - 2)}f}%" for n in range(1, 9)}
        most = max(point["x"] for point in data)
        half = {2.0: "50%"} if most < MOST_WITH_HALF else {}
        reach = {"type": "log", "nice": False, "domain": [1, most]}
        axis = labelled({1.0: "0%", **half, **nines})
        x = field("x:Q", title="percentile, log scale, as far as samples carry it", scale=reach, axis=axis)
        y = field("y:Q", **logarithmic("ns", (point["y"] for point in data), of.head or of.noun))
        seen = {one["look"] for one in data}
        looked = coloured("look:N", looks, seen)
        line = {"x": x, "y": y, "color": looked["color"], "detail": field("line:N")}
        lines = marks("line", line, strokeWidth=1.8, interpolate="step-before")
        ends = [marks("point", {"x": x, "y": y, **looked}, **DOT), _ends_named(x, y)]
        few = f", of the {MOST_CURVES} best of {len(timed)}" if len(timed) > MOST_CURVES else ""
        layers = {"layer": [lines, *(_where("end", one) for one in ends)]}
        legend = [one if one in seen else "" for one in looks]
        yield Chart(
            f"{name}-{of.of or 'percentiles'}",
            f"Percentiles of {of.noun}{few}",
            [of.means],
            by_runtime(layers, data),
            legend,
        )


def curve(trials: Sequence[Distribution]) -> list[tuple[float, float]]:
    """Return one over the share of the slowest, as far as samples carry it, and how long all but these take (ns)."""
    reach = worth(trials) / CARRYING_SAMPLES if trials else 0.0
    if reach <= 1:
        return []
    places = range(math.ceil(math.log10(reach) * POINTS_PER_NINE))
    at = {reach, *(10 ** (place / POINTS_PER_NINE) for place in places), *(x for x in (2.0, 20.0) if x < reach)}
    mixed = pooled(trials)
    assert mixed  # since they have samples
    found = [(x, mixed.at(1 - 1 / x)) for x in at]
    return [
        (x, float(ns))
        for x, ns in sorted(found)
        if ns > 0
        and (len(trials) < FEWEST_FOR_A_RANGE or x <= 2 or trials_beyond(mixed.each, ns) >= CARRYING_TRIALS - SLACK)
    ]


LESS_THAN = "\ue000less-than\ue000"
"""The substitute for `<` while a page is made: characters for private use, which no name has."""

SHARPNESS = 2.0  # Pixels of a PNG for each of the specification's, so that it is sharp on today's screens and in print


def write_picture(specification: dict[str, object], path: Path) -> None:
    """Draw a specification into a file whose name was checked; raises OutputUnwritable."""
    import vl_convert

    match path.suffix.lower():
        case ".svg":
            drawn = vl_convert.vegalite_to_svg(specification).encode()
        case ".png":
            drawn = bytes(vl_convert.vegalite_to_png(specification, scale=SHARPNESS))
        case _:
            # The specification is inside a script, which a foreign `</script>` would end. JavaScript has another way to
            # write `<`, but what makes the page writes strings anew, so that way is taken after it.
            guarded = json.loads(json.dumps(specification).replace("<", LESS_THAN))
            drawn = vl_convert.vegalite_to_html(guarded, bundle=True).replace(LESS_THAN, "\\u003c").encode()
    files.write(path, drawn, "the chart")
