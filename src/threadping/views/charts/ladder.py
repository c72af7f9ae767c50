"""How cases stand: the headline of each with its interval, the better first, and the tail."""

from collections.abc import Sequence

import altair as alt

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration
from threadping.views.charts import style

WIDTH, STEP = 420, 22
HOW = "Dots are medians over trials, bars their 95% intervals (of 3 to 5 trials the range)."


def ladder(name: str, rows: Sequence[Row], declared: Declaration) -> style.Json:
    """Draw rows whose headline is more than nothing, at least one."""
    headline = declared.figure(declared.headline)
    ordered = sorted(rows, key=lambda row: row.figures[headline.name].value, reverse=headline.better == "more")
    tail = next((of for of in declared.timed if headline.unit == "ns" and headline.name.startswith(of.name)), None)
    data: list[style.Json] = []
    for row in ordered:
        drawn = style.of_row(row, declared)
        data.append({**drawn, "place": len(data), "tail": tail and row.value(f"{tail.name}.p99")})
    x = style.logarithmic(headline.unit, (one[end] or 0 for one in data for end in ("low", "high", "value", "tail")))
    cases = {float(one["place"]): f"{one['mechanism']}, {one['placement']}" for one in data}
    axis = style.labelled(cases, **style.NAMES)
    base = alt.Chart(style.values(data)).encode(y=alt.Y("place:O", title=None, axis=axis), tooltip=style.TOOLTIP)
    runtimes = style.coloured("runtime:N", (one["runtime"] for one in data), orient="top")
    layers = [
        base.mark_errorbar(thickness=4, opacity=0.5).encode(
            x=alt.X("low:Q", **x), x2="high:Q", color=runtimes["color"]
        ),
        base.mark_point(**style.DOT).encode(x=alt.X("value:Q", **x), **runtimes),
        base.mark_text(align="left").encode(x=alt.value(WIDTH + 10), text="written:N"),
    ]
    said = [headline.means or declared.title, HOW]
    if tail:
        said.append(f"Ticks are p99 of {style.timed(tail)}.")
        ticks = base.transform_filter("isValid(datum.tail)").mark_tick(thickness=2, size=STEP / 2)
        layers.append(ticks.encode(x=alt.X("tail:Q", **x), color=runtimes["color"]))
    drawn = alt.layer(*layers).properties(width=WIDTH, height=alt.Step(STEP))
    return style.titled(drawn, f"{name}: {declared.title}", *said)
