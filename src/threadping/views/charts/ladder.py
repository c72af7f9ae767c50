"""How cases stand: the headline of each with its interval, the better first, and the tail."""

from collections.abc import Mapping, Sequence

import altair as alt

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration, Unit
from threadping.views.charts import style

WIDTH, STEP = 420, 22


def ladder(name: str, rows: Sequence[Row], declared: Declaration) -> style.Json:
    """Draw rows whose headline is more than nothing, at least one."""
    headline = declared.figure(declared.headline)
    tail = next((of for of in declared.timed if headline.name.startswith(f"{of.name}.")), None)
    data: list[style.Json] = []
    for row in style.best_first(rows, declared):
        far = {"tail": row.value(f"{tail.name}.p99")} if tail else {}
        data.append({**style.of_row(row, declared), **far, "place": len(data)})
    labels = {float(one["place"]): one["case"] for one in data}
    said = [headline.means or declared.title, style.HOW]
    said += [f"Ticks are p99 of {style.timed(tail)}."] if tail else []
    drawn = dots(data, labels, scale_of(data, headline.unit), "runtime:N", [one["runtime"] for one in data])
    return style.titled(drawn, f"{name}: {declared.title}", *said)


def scale_of(data: Sequence[style.Json], unit: Unit) -> style.Json:
    """A scale that holds all of them, and its axis."""
    return style.logarithmic(unit, (one.get(end) or 0 for one in data for end in ("value", "low", "high", "tail")))


def dots(
    data: Sequence[style.Json], labels: Mapping[float, str], x: style.Json, colour: str, order: Sequence[str]
) -> alt.LayerChart:
    """A line for each `place`: its label, `value` between `low` and `high`, a tick at the `tail`, and `written`.

    `x` is the scale and the axis of the values.
    """
    axis = style.labelled(labels, labelLimit=600, domain=False, ticks=False, labelPadding=8)
    looks = style.coloured(colour, order, orient="top")
    base = alt.Chart().encode(y=alt.Y("place:O", title=None, axis=axis), tooltip=style.TOOLTIP)
    bars = base.mark_errorbar(thickness=4, opacity=0.5).encode(x=alt.X("low:Q", **x), x2="high:Q", color=looks["color"])
    ticks = base.transform_filter("isValid(datum.tail)").mark_tick(thickness=2, size=STEP / 2)
    points = base.mark_point(**style.DOT).encode(x=alt.X("value:Q", **x), **looks)
    text = base.mark_text(align="left").encode(x=alt.value(WIDTH + 10), text="written:N")
    layers = bars, ticks.encode(x=alt.X("tail:Q", **x), color=looks["color"]), points, text
    return alt.layer(*layers, data=style.values(data)).properties(width=WIDTH, height=alt.Step(STEP))
