"""A panel of lines, each with its name beside its end."""

from collections.abc import Sequence
from math import exp, log

import altair as alt
from msgspec import Struct

from threadping.views.charts.labels import spread
from threadping.views.charts.style import COLOUR, INK, POINT, SHAPE, SIZE, TOLD, Json, chart, panel

GAP, BESIDE = 15, 34
"""Pixels between names, and from the panel to them."""


class Line(Struct, frozen=True):
    """A line through points with `x` and `y`; those with `low` and `high` too are marked, and reach so far."""

    name: str
    look: Json
    points: Sequence[Json]
    dash: Sequence[int] = (1, 0)


def lines_panel(
    lines: Sequence[Line],
    x: alt.X,
    y: alt.Y,
    ticks: Sequence[float],
    size: tuple[int, int],
    below: Sequence[alt.Chart] = (),
) -> Json:
    """Draw lines.

    Args:
        lines: at least one, each of at least one point.
        x: how the field `x` is shown.
        y: how the field `y` is shown, on a logarithmic axis.
        ticks: those of `y`, of which all points are between the first and the last.
        size: width and height in pixels, without the names, which stand to the right.
        below: what the lines are drawn over.
    """
    (width, height), low, high = size, log(ticks[0]), log(ticks[-1])
    ends = [line.points[-1] for line in lines]
    places = spread([log(end["y"]) for end in ends], GAP * (high - low) / height, low, high)
    labels = chart(
        [
            {**end, **line.look, "name": line.name, "beside": exp(place)}
            for line, end, place in zip(lines, ends, places, strict=True)
        ]
    )
    points = [
        {**point, **line.look, "line": number, "dash": list(line.dash)}
        for number, line in enumerate(lines)
        for point in line.points
    ]
    marked = chart([point for point in points if "low" in point]).encode(x=x, color=COLOUR)
    named = labels.encode(x=alt.value(width + BESIDE), y="beside:Q")
    dash = alt.StrokeDash("dash:N", scale=None)
    return panel(
        *below,
        labels.mark_rule(strokeWidth=0.8, opacity=0.5).encode(
            x=x, y=y, x2=alt.value(width + BESIDE), y2="beside:Q", color=COLOUR
        ),
        chart(points)
        .mark_line(strokeWidth=1.8, opacity=0.9)
        .encode(x=x, y=y, color=COLOUR, detail="line:N", strokeDash=dash),
        marked.mark_rule(strokeWidth=1.4).encode(y="low:Q", y2="high:Q"),
        marked.mark_point(**POINT).encode(y=y, shape=SHAPE, tooltip=TOLD),
        named.mark_point(**POINT).encode(color=COLOUR, shape=SHAPE),
        named.mark_text(align="left", baseline="middle", fontSize=SIZE, dx=9, color=INK).encode(text="name:N"),
        width=width,
        height=height,
    )
