"""Two figures against each other with what leads in both, and figures over something that is varied."""

from collections.abc import Iterator, Sequence

from threadping.analysis.answer import Row
from threadping.analysis.curves import lines
from threadping.analysis.declaration import Declaration
from threadping.analysis.tradeoff import frontiers
from threadping.model import Case
from threadping.views.charts import style
from threadping.views.charts.style import field, marks
from threadping.views.terminal import names
from threadping.views.terminal.cells import written
from threadping.views.terminal.curves import at, doublings, label, unit_of

MOST = len(style.COLOURS)
"""No two lines of a panel have the same colour."""

BEATEN = {**style.DOT, "size": 30, "opacity": 0.4}


def tradeoffs(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw a panel for each place of the dimension: every row as a dot, and a line through those that nothing beats."""
    of, found = declared.tradeoff, [one for one in frontiers(rows, declared) if one.beaten]
    if of is None or not found:
        return
    cost, time = label(declared, of.cheap), label(declared, of.quick)
    unit = unit_of(declared, of.cheap)
    panels: dict[str, list[style.Json]] = {}
    for one in found:
        for row in (*one.leading, *one.beaten):
            cheap, quick = (row.figures[figure] for figure in (of.cheap, of.quick))
            named = f"{names.mechanism(row.case, declared.param)}, {names.plain(row.case.runtime)}"
            line = {"line": named} if row in one.leading else {}
            low, high = quick.ends
            about = {**style.of_row(row, declared)["about"], cost: written(unit, cheap.value)}
            point = {"x": cheap.value, "y": quick.value, "low": low, "high": high, "about": about}
            panels.setdefault(names.place(row.case, declared), []).append({**point, **line})
    every = [point for of_place in panels.values() for point in of_place]
    legend = list(dict.fromkeys(point["line"] for point in every if "line" in point))
    across = style.logarithmic(unit, (point["x"] for point in every))
    up = style.logarithmic(unit_of(declared, of.quick), (point[end] for point in every for end in ("low", "high")))
    looks, tip = style.coloured("line:N", legend), {"tooltip": style.TOOLTIP}
    x, y = field("x:Q", **{**across, "title": cost}), field("y:Q", **up)
    _, bar, dots = style.intervals(x, "y", up, looks, **tip)
    step = marks("line", {"x": x, "y": y}, interpolate="step-after", color=style.FAINT, strokeDash=[3, 3])
    layers = [
        {"transform": [{"filter": f"{which}isValid(datum.line)"}], **drawn}
        for which, drawn in (
            ("!", marks("point", {"x": x, "y": y, **tip}, color=style.FAINT, **BEATEN)),
            ("", step),
            ("", bar),
            ("", dots),
        )
    ]
    made = [style.titled({"layer": layers}, points, place) for place, points in panels.items()]
    said = [f"{time} of every case against {cost}. Coloured is what no other beats in both: the others are grey."]
    yield style.Chart(f"{name}-tradeoff", f"{name}: {time} against {cost}", said, made, legend)


def over(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw each declared curve that has several places: a panel for each of its figures, a line for each case."""
    for curve in declared.curves:
        found = {_name(line.row.case, declared, curve.param): line for line in lines(curve, rows)[:MOST]}
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
            whole = curve.whole(figure)
            data: list[style.Json] = [
                {"x": place or zero, "y": one.value, "low": one.ends[0], "high": one.ends[1], "line": named}
                for named, line in found.items()
                for place, figures in line.points.items()
                if (one := figures.get(figure)) and one.ends[0] > 0
            ]
            if data:
                up = style.logarithmic(unit_of(declared, whole), (one[end] for one in data for end in ("low", "high")))
                rules = [{**mark, "data": {"values": doubled}}] if doubled else []
                layers = [*rules, *style.intervals(x, "y", up, looks)]
                panels.append(style.titled({"layer": layers}, data, label(declared, whole)))
        said = [style.HOW, *doublings(curve, list(found.values()), declared)]
        yield style.Chart(f"{name}-by-{curve.name}", f"{name}: {curve.title}", said, panels, list(found))


def _name(case: Case, declared: Declaration, but: str) -> str:
    parts = (names.mechanism(case, declared.param, but), names.plain(case.runtime), names.standing(case))
    return ", ".join(filter(None, (*parts, names.place(case, declared))))
