"""Two figures against each other with what leads in both, and figures over something that is varied."""

from collections.abc import Iterator, Sequence

import altair as alt

from threadping.analysis.answer import Row
from threadping.analysis.curves import lines
from threadping.analysis.declaration import Declaration
from threadping.analysis.tradeoff import frontiers
from threadping.model import Case
from threadping.numbers import compact
from threadping.views.charts import style
from threadping.views.terminal import names
from threadping.views.terminal.curves import at, label, marks, unit_of

MOST = len(style.COLOURS)


def tradeoffs(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw a panel for each place of the dimension: every row as a dot, and a line through those that nothing beats."""
    of, found = declared.tradeoff, [one for one in frontiers(rows, declared) if one.beaten]
    if of is None or not found:
        return
    x_unit, y_unit = unit_of(declared, of.cheap), unit_of(declared, of.quick)
    data: dict[int, list[style.Json]] = {}
    for one in found:
        for row in (*one.leading, *one.beaten):
            drawn, cost = style.of_row(row, declared), row.figures[of.cheap]
            low, high = row.figures[of.quick].ends
            quick = row.figures[of.quick].value
            leads = {"leads": row in one.leading, "label": names.mechanism(row.case, declared.param)}
            about = {**drawn["about"], label(declared, of.cheap): style.WRITTEN[x_unit](cost.value)}
            point = {"x": cost.value, "y": quick, "low": low, "high": high, "runtime": drawn["runtime"], "about": about}
            data.setdefault(one.place, []).append({**point, **leads})
    every = [point for of_place in data.values() for point in of_place]
    x = alt.X(
        "x:Q", **{**style.logarithmic(x_unit, (point["x"] for point in every)), "title": label(declared, of.cheap)}
    )
    scaled = style.logarithmic(y_unit, (point[end] for point in every for end in ("low", "high")))
    y, runtimes = alt.Y("y:Q", **scaled), list(dict.fromkeys(point["runtime"] for point in every))
    looks = style.coloured("runtime:N", runtimes)
    faint = alt.condition("datum.leads", alt.value(1.0), alt.value(0.35))
    base = alt.Chart().encode(x=x)
    leading = base.transform_filter("datum.leads")
    drawn_layers = (
        leading.mark_line(interpolate="step-after", color=style.FAINT, strokeDash=[3, 3]).encode(y=y),
        leading.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **scaled), y2="high:Q", color=looks["color"]),
        base.mark_point(**{**style.DOT, "size": 55}).encode(y=y, opacity=faint, tooltip=style.TOOLTIP, **looks),
        leading.mark_text(align="left", dx=6, dy=-6, limit=190).encode(y=y, text="label:N"),
    )
    sized = alt.layer(*drawn_layers).properties(width=style.WIDTH, height=style.HEIGHT)
    panels = [style.panel(sized, points, f"{declared.param} {compact(place)}") for place, points in data.items()]
    both = f"{label(declared, of.quick)} against {label(declared, of.cheap)}"
    said = ["The line joins what no other beats in both: it has names. Down is quicker, to the left is cheaper."]
    yield style.Chart(f"{name}-tradeoff", f"{name}: {both}", said, panels, runtimes)


def over(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw each declared curve that has several places: a panel for each of its figures, a line for each case."""
    for curve in declared.curves:
        found = lines(curve, rows)[:MOST]
        if not found:
            continue
        named = {id(line): _name(line.row.case, declared, curve.param) for line in found}
        places = sorted({place for line in found for place in line.points})
        # A logarithmic axis has no 0: it stands one step before the first place.
        first = next(place for place in places if place)
        zero = first / 2
        ticks = {place or zero: at(curve, place) for place in places}
        scale = alt.Scale(type="log", nice=False, padding=12, domain=[min(ticks), max(ticks)])
        x = alt.X("x:Q", title=curve.along, scale=scale, axis=style.labelled(ticks, grid=False))
        looks = style.coloured("line:N", named.values())
        panels = []
        for figure in curve.figures:
            data = [
                {"x": place or zero, "y": one.value, "low": one.ends[0], "high": one.ends[1], "line": named[id(line)]}
                for line in found
                for place, figures in line.points.items()
                if (one := figures.get(figure)) and one.value > 0
            ]
            if data:
                y = style.logarithmic(unit_of(declared, figure), (one[end] for one in data for end in ("low", "high")))
                base = alt.Chart().encode(x=x)
                drawn = [
                    base.mark_line(strokeWidth=1.8).encode(y=alt.Y("y:Q", **y), color=looks["color"]),
                    base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q", color=looks["color"]),
                    base.mark_point(**style.DOT).encode(y=alt.Y("y:Q", **y), **looks),
                ]
                for line in found:
                    if line.doubled is not None:
                        rule = alt.Chart(alt.InlineData(values=[{"line": named[id(line)]}]))
                        rule = rule.mark_rule(strokeDash=[4, 3]).encode(color=looks["color"])
                        drawn.insert(0, rule.encode(x=alt.datum(line.doubled)))
                sized = alt.layer(*drawn).properties(width=style.WIDTH, height=style.HEIGHT)
                panels.append(style.panel(sized, data, label(declared, figure)))
        said = [style.HOW, *marks(curve, found, declared)]
        yield style.Chart(f"{name}-by-{curve.name}", f"{name}: {curve.title}", said, panels, list(named.values()))


def _name(case: Case, declared: Declaration, but: str) -> str:
    at_place = f", {declared.param} {compact(declared.place(case))}" if declared.param in case.params else ""
    return (
        f"{names.mechanism(case, declared.param, but)}, {names.plain(case.runtime)}, {names.standing(case)}{at_place}"
    )
