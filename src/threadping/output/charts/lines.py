"""Two figures against each other; figures over what is varied, over threads, and over percentiles."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import log10

import numpy as np

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row
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
from threadping.analysis.validity import validity_of
from threadping.model.cases import Case
from threadping.model.contract import Distribution
from threadping.model.numbers import compact
from threadping.output import names
from threadping.output.charts import style
from threadping.output.charts.style import field, marks
from threadping.output.layout import written
from threadping.output.row_tables import PivotLine, at, conclusions, pivot_lines

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
    return ", ".join(filter(None, (*parts, *chain(*names.further([case]).values()), names.place(case, declared))))


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

    Args:
        trials: each with at least one sample; together they may be too few for a single point.
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
