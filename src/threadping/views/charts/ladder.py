"""How cases stand: the headline of each with its interval, the better first, and the tail."""

from collections.abc import Iterable, Sequence

from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Unit
from threadping.views.charts import style

STEP = 38
CHARACTERS = 60
"""What has room in a line of text, also in DejaVu Sans, the widest font that browsers fall back to."""

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
        _where("label", marks("text", label, align="left", **text)),
        _where("label", marks("text", written, align="right", fontWeight=600, **text)),
    ]
    short = [{**one, "label": shortened(one["label"], one["written"])} if "label" in one else one for one in data]
    return style.panel({"layer": layers}, short, height={"step": STEP})


def _where(field: str, drawn: style.Json) -> style.Json:
    return {"transform": [{"filter": f"isValid(datum.{field})"}], **drawn}


def shortened(label: str, written: str) -> str:
    """A label that leaves room for what is written beside it: its middle goes, where all cases are most alike.

    Vega's own `limit` measures texts, which takes a quarter of the time of a page.
    """
    room = max(CHARACTERS - len(written), CHARACTERS // 4)
    behind = room // 3
    return label if len(label) <= room else f"{label[: room - behind - 1].rstrip()}…{label[-behind:].lstrip()}"
