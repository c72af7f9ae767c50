"""How cases stand: the headline of each with its interval, the better first, and the tail."""

from collections.abc import Iterable, Sequence

from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Unit
from threadping.views.charts import style
from threadping.views.charts.widths import fitting, width_of

STEP = 38

FONT, GAP, LEAST = 12, 8, 120
"""The size of a line's texts, what is between its label and what is written beside it, and a label has at least."""

MOST_CASES = 60
"""A ladder of more cases is read by nobody: the others stand in the tables."""

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
