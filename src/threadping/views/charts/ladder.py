"""How cases stand: the headline of each with its interval, the better first, and their percentile curves below."""

from collections.abc import Sequence

import altair as alt

from threadping.analysis.declaration import Declaration
from threadping.model import Interval, Observation, Row
from threadping.views.charts import style
from threadping.views.charts.curves import curves

PLOT, STEP = 340, 22
LETTER, GUTTER = 6.3, 18
"""About how wide a letter is, which nobody tells before it is drawn, and the space between columns."""

INK, FAINT = alt.value(style.INK), alt.value(style.FAINT)
COLUMNS = {"mechanism": INK, "runtime": style.COLOUR, "placement": FAINT, "plot": None, "value": INK, "interval": FAINT}
"""From left to right, with their colours."""

HOW = (
    "Dots are median trials, bars their 95% intervals, thin lines the ranges of all trials (in brackets those of fewer "
    "than six, which carry no interval)."
)


def ladder(
    rows: Sequence[Row], observations: Sequence[Observation], declared: Declaration
) -> tuple[style.Json, list[str]]:
    """Draw rows whose headline is more than nothing, at least one, and say how they are drawn."""
    headline = declared.figure(declared.headline)
    ordered = sorted(rows, key=lambda row: row.figures[headline.name], reverse=headline.better == "more")
    looks = _looks([row.case.runtime for row in ordered])
    panels = [_rungs(ordered, looks, declared), *curves(ordered, looks, observations, declared)]
    return {"vconcat": panels, "spacing": 34}, [headline.means, HOW]


def _looks(runtimes: Sequence[str]) -> list[style.Json]:
    """A colour for each runtime and a shape for each of its cases; where there is one runtime, both for each case."""
    colours = list(dict.fromkeys(runtimes))
    if len(colours) == 1:
        return [style.look(at, at) for at in range(len(runtimes))]
    return [style.look(colours.index(one), runtimes[:at].count(one)) for at, one in enumerate(runtimes)]


def _rungs(rows: Sequence[Row], looks: Sequence[style.Json], declared: Declaration) -> style.Json:
    """A line of text for each row, its dot and its interval between its name and its figure."""
    headline = declared.figure(declared.headline)
    data: list[style.Json] = []
    for row, look in zip(rows, looks, strict=True):
        value = row.figures[headline.name]
        reach = row.intervals.get(headline.name, Interval((value, value)))
        (least, most), (low, high) = reach.range, reach.ci95 or (value, value)
        sides = {"least": least, "most": most, "low": low, "high": high}
        data.append({"line": len(data), "x": value, **sides, **look, "told": style.told(row, declared)})
    places, right = {}, 0.0
    for column in COLUMNS:
        places[column] = right
        right += GUTTER + (PLOT if column == "plot" else LETTER * max(len(one["told"][column]) for one in data))
    ticks = style.ticks(one[end] for one in data for end in ("x", "least", "most"))
    shown = style.logarithmic(ticks, headline.unit, range=[places["plot"], places["plot"] + PLOT])
    base = style.chart(data).encode(y=alt.Y("line:O", axis=None))
    dots = base.encode(x=alt.X("x:Q", title=None, **shown), color=style.COLOUR, shape=style.SHAPE, tooltip=style.TOLD)
    text = base.mark_text(align="left", fontSize=style.SIZE)
    return style.panel(
        dots.mark_point(**style.POINT),
        base.mark_rule(strokeWidth=1.5, opacity=0.6).encode(x="least:Q", x2="most:Q", color=style.COLOUR),
        base.mark_rule(strokeWidth=5, opacity=0.6).encode(x="low:Q", x2="high:Q", color=style.COLOUR),
        *(
            text.encode(x=alt.value(places[name]), text=f"told.{name}:N", color=colour)
            for name, colour in COLUMNS.items()
            if colour
        ),
        width=places["value"],
        height=STEP * len(rows),
    )
