"""The ratios of a comparison, drawn."""

from collections.abc import Sequence
from math import isinf

from threadping.analysis.answer import Answer
from threadping.model.studies import Comparing
from threadping.quantities import fold
from threadping.rows.coverage import with_coverage
from threadping.sheets import names
from threadping.studies.compare.reading import ComparedPair
from threadping.studies.compare.sheets import ABOVE, BELOW
from threadping.studies.compare.words import percentage, verdict_of_all
from threadping.views.charts import style
from threadping.views.charts.ladder import dots

TICKS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0)
"""The scale ends at the first that holds all intervals; an interval that goes on beyond the last has an arrow."""

MOST_TICKS = 3

BEYOND = "An arrow marks an interval that goes on beyond the scale."


def ratio_chart(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> style.Chart:
    """A line for each case: its ratio between the ends of the interval that decides.

    ChartRefused if none has a ratio.
    """
    margin, tests = of.margin, [one.test for one in found]
    labels = [" ".join(names.parts(one.a, of.what).values()) for one in found]
    each = zip(labels, tests, strict=True)
    known = [(name, one, *one.decides) for name, one in each if one.ratio and one.decides]
    results = style.some(known, "no case has a ratio yet")
    ends = [end for *_, low, high in results for end in (low, high) if end > 0 and not isinf(end)]
    needed = max([1 + 2 * margin, *(max(end, 1 / end) for end in ends)])
    reach = next((tick for tick in TICKS if tick >= needed), TICKS[-1])
    data: list[style.Json] = []
    for place, (name, one, low, high) in enumerate(results):
        ratio = one.ratio or 1.0
        said, label = one.answer.replace("-", " "), names.plain(name)
        within = {
            of: min(max(end, 1 / reach), reach) for of, end in zip(CHART_INTERVAL, (low, ratio, high), strict=True)
        }
        about = {"case": label, "B is": said, "B / A": fold(ratio), "blocks": f"{one.blocks}"}
        arrows = f"{BELOW if low < 1 / reach else ''}{ABOVE if high > reach else ''}"
        written = f"{fold(ratio)}, {said} {arrows}".rstrip()
        line = {"place": place, "answer": one.answer, "label": label, "written": written, "about": about}
        data.append({**within, **line})
    ticks = [tick for tick in TICKS if tick <= reach][-MOST_TICKS:]
    shown = [*(1 / tick for tick in reversed(ticks)), 1.0, *ticks]
    axis = style.labelled({tick: _tick(tick) for tick in shown})
    x = {"scale": {"type": "log", "domain": [1 / reach, reach], "nice": False}, "title": None, "axis": axis}
    lines = [{"at": at, "what": what} for at, what in ((1.0, "A"), (1 + margin, "m"), (1 / (1 + margin), "m"))]
    dashes = style.field("what:N", legend=None, scale={"range": [[1, 0], [3, 3]]})
    rules = style.marks("rule", {"x": style.field("at:Q", **x), "strokeDash": dashes}, color=style.FAINT)
    order = list(dict.fromkeys(one["answer"] for one in data))
    drawn = dots(data, x, "answer:N", order)
    drawn = {**drawn, "layer": [{**rules, "data": {"values": lines}}, *drawn["layer"]]}
    said = with_coverage(answer, verdict_of_all(tests, margin))
    how = f"Bars hold the ratio in 99 runs of 100; broken lines are {percentage(margin)} to each side."
    beyond = [BEYOND] if any(one["written"].endswith((BELOW, ABOVE)) for one in data) else []
    return style.Chart("comparison", said, [f"A is {of.a}, B is {of.b}.", how, *beyond], [drawn], order)


def _tick(ratio: float) -> str:
    if ratio == 1:
        return "A"
    if ratio >= 2 or ratio <= 1 / 2:
        return f"{ratio:g}x" if ratio > 1 else f"1/{1 / ratio:g}x"
    return f"{100 * (ratio - 1):+.0f}%"


CHART_INTERVAL = ("low", "value", "high")
