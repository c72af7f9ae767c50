"""Two figures against each other with what leads in both, and figures over something that is varied."""

from collections.abc import Iterator, Sequence

import altair as alt

from threadping.analysis.answer import Row
from threadping.analysis.curves import lines
from threadping.analysis.declaration import Declaration
from threadping.analysis.tradeoff import frontiers
from threadping.model import Case
from threadping.views.charts import style
from threadping.views.terminal import names
from threadping.views.terminal.curves import at, label, marks, unit_of

MOST = len(style.COLOURS)


def tradeoffs(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw a panel for each place of the dimension: every row as a dot, and a line through those that nothing beats."""
    of, found = declared.tradeoff, [one for one in frontiers(rows, declared) if one.beaten]
    if of is None or not found:
        return
    cost, time = label(declared, of.cheap), label(declared, of.quick)
    written = style.WRITTEN[unit_of(declared, of.cheap)]
    panels: dict[str, list[style.Json]] = {}
    for one in found:
        for row in (*one.leading, *one.beaten):
            cheap, quick = (row.figures[figure] for figure in (of.cheap, of.quick))
            named = f"{names.mechanism(row.case, declared.param)}, {names.plain(row.case.runtime)}"
            line = {"line": named} if row in one.leading else {}
            low, high = quick.ends
            about = {**style.of_row(row, declared)["about"], cost: written(cheap.value)}
            point = {"x": cheap.value, "y": quick.value, "low": low, "high": high, "about": about}
            panels.setdefault(names.place(row.case, declared), []).append({**point, **line})
    every = [point for of_place in panels.values() for point in of_place]
    legend = list(dict.fromkeys(point["line"] for point in every if "line" in point))
    across = style.logarithmic(unit_of(declared, of.cheap), (point["x"] for point in every))
    up = style.logarithmic(unit_of(declared, of.quick), (point[end] for point in every for end in ("low", "high")))
    x, y, looks = alt.X("x:Q", **{**across, "title": cost}), alt.Y("y:Q", **up), style.coloured("line:N", legend)
    base = alt.Chart().encode(x=x)
    leading, beaten = (base.transform_filter(f"{'' if leads else '!'}isValid(datum.line)") for leads in (True, False))
    layers = (
        beaten.mark_point(**{**style.DOT, "size": 30, "opacity": 0.4}, color=style.FAINT).encode(
            y=y, tooltip=style.TOOLTIP
        ),
        leading.mark_line(interpolate="step-after", color=style.FAINT, strokeDash=[3, 3]).encode(y=y),
        leading.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **up), y2="high:Q", color=looks["color"]),
        leading.mark_point(**style.DOT).encode(y=y, tooltip=style.TOOLTIP, **looks),
    )
    sized = alt.layer(*layers).properties(width=style.WIDTH, height=style.HEIGHT)
    drawn = [style.panel(sized, points, place) for place, points in panels.items()]
    said = [f"{time} of every case against {cost}. Coloured is what no other beats in both: the others are grey."]
    yield style.Chart(f"{name}-tradeoff", f"{name}: {time} against {cost}", said, drawn, legend)


def over(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw each declared curve that has several places: a panel for each of its figures, a line for each case."""
    for curve in declared.curves:
        found = lines(curve, rows)[:MOST]
        if not found:
            continue
        named = {id(line): _name(line.row.case, declared, curve.param) for line in found}
        places = sorted({place for line in found for place in line.points})
        zero = next(place for place in places if place) / 2  # a logarithmic axis has no 0
        ticks = {place or zero: at(curve, place) for place in places}
        scale = alt.Scale(type="log", nice=False, padding=12, domain=[min(ticks), max(ticks)])
        x = alt.X("x:Q", title=curve.along, scale=scale, axis=style.labelled(ticks, grid=False))
        looks = style.coloured("line:N", named.values())
        panels = []
        for figure in curve.figures:
            data: list[style.Json] = [
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
    parts = (names.mechanism(case, declared.param, but), names.plain(case.runtime), names.standing(case))
    return ", ".join(filter(None, (*parts, names.place(case, declared))))
