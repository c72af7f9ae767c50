"""Ratios as dots with their intervals, beside 1 and the margin; and the figures of a machine night after night."""

from collections.abc import Sequence
from math import isinf

from threadping.analysis.answer import Answer
from threadping.comparing.apart import History, Key, rows_of, values_of
from threadping.comparing.compare import Comparison
from threadping.comparing.compared import Compared
from threadping.comparing.words import TRIALS, Terms, fold, percentage, short, verdict_of_all
from threadping.model import Comparing
from threadping.quantities import time
from threadping.views.charts import style
from threadping.views.charts.ladder import dots
from threadping.views.terminal import names

FARTHEST = 2.0
"""What is more than so many times as slow, or as fast, ends at the border of the drawing."""

TICKS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, FARTHEST)
MOST_TICKS = 3
MOST_PANELS = 12
WIDTH, HEIGHT = 560, 90


def comparison(answer: Answer, of: Comparing, found: Sequence[Compared]) -> style.Json:
    """Lay out the ratio of each case of a run. ChartRefused if none has one."""
    labels = [" ".join(names.parts(one.a, of.what).values()) for one in found]
    results = [one.comparison for one in found]
    chart = ratios(list(zip(labels, results, strict=True)), of.margin, f"A is {of.a}, B is {of.b}.")
    return style.page_of(answer.run, [chart])


def ratios(found: Sequence[tuple[str, Comparison]], margin: float, sides: str, terms: Terms = TRIALS) -> style.Chart:
    """A line for each comparison: its ratio between the ends of the interval that decides.

    ChartRefused if none has a ratio.
    """
    known = [(name, one, *one.decides) for name, one in found if one.ratio and one.decides]
    results = style.some(known, "no case has a ratio yet")
    ends = [end for *_, low, high in results for end in (low, high) if end > 0 and not isinf(end)]
    needed = max([1 + 2 * margin, *(max(end, 1 / end) for end in ends)])
    reach = next((tick for tick in TICKS if tick >= needed), FARTHEST)
    data: list[style.Json] = []
    for place, (name, one, low, high) in enumerate(results):
        ratio = one.ratio or 1.0
        said, label = short(one, margin), names.plain(name)
        within = {of: min(max(end, 1 / reach), reach) for of, end in zip(ENDS, (low, ratio, high), strict=True)}
        about = {"case": label, "B is": said, "B / A": fold(ratio), "blocks": f"{one.blocks}"}
        written = f"{fold(ratio)}, {said}"
        line = {"place": place, "answer": one.answer, "label": label, "written": written, "about": about}
        data.append({**within, **line})
    ticks = [tick for tick in TICKS if tick <= reach][-MOST_TICKS:]
    shown = [*(1 / tick for tick in reversed(ticks)), 1.0, *ticks]
    axis = style.labelled({tick: f"{100 * (tick - 1):+.0f}%" if tick != 1 else "A" for tick in shown})
    x = {"scale": {"type": "log", "domain": [1 / reach, reach], "nice": False}, "title": None, "axis": axis}
    lines = [{"at": at, "what": what} for at, what in ((1.0, "A"), (1 + margin, "m"), (1 / (1 + margin), "m"))]
    dashes = style.field("what:N", legend=None, scale={"range": [[1, 0], [3, 3]]})
    rules = style.marks("rule", {"x": style.field("at:Q", **x), "strokeDash": dashes}, color=style.FAINT)
    order = list(dict.fromkeys(one["answer"] for one in data))
    drawn = dots(data, x, "answer:N", order)
    drawn = {**drawn, "layer": [{**rules, "data": {"values": lines}}, *drawn["layer"]]}
    said = verdict_of_all([one for _, one in found], margin, terms)
    how = f"Bars hold the ratio in 99 runs of 100; broken lines are {percentage(margin)} to each side."
    return style.Chart("comparison", said, [sides, how], [drawn], order)


ENDS = ("low", "value", "high")


def history(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> style.Json:
    """Lay out a panel for each figure, the oddest first: run after run, and between which figures the others were.

    ChartRefused if no figure is known of other nights.
    """
    answers = (*others, tonight)
    values = [values_of(rows, answer) for rows, answer in zip(rows_of(answers), answers, strict=True)]
    charts: list[style.Chart] = []
    for key, standing in sorted(results.figures.items(), key=lambda one: -one[1].distance)[:MOST_PANELS]:
        unit = tonight.declared[key.case.experiment].leading.unit
        data: list[style.Json] = [
            {"run": f"{answer.run.id}", "y": of_it[key], "which": "this run" if answer is tonight else "before"}
            for answer, of_it in zip(answers, values, strict=True)
            if key in of_it
        ]
        order = [str(answer.run.id) for answer in answers]
        colours = {"domain": ["before", "this run"], "range": [style.COLOURS[0], style.COLOURS[1]]}
        point = {
            "x": style.field("run:O", sort=order, title=None),
            "y": style.field("y:Q", **style.logarithmic(unit, [one["y"] for one in data])),
            "color": style.field("which:N", scale=colours),
        }
        band = style.marks("rect", {"y": style.field("low:Q"), "y2": {"field": "high"}}, color=style.GRID)
        held = {"values": [{"low": standing.low, "high": standing.high}]}
        state = f", core-to-core {time(key.core_to_core_ns)}" if key.core_to_core_ns else ""
        name = f"{key.case.experiment} {key.case.title}{state}"
        below = f"{standing.below} of {standing.nights} runs before lie below it."
        layers = [{**band, "data": held}, {**style.marks("point", point, **style.DOT), "data": {"values": data}}]
        drawn = {"width": WIDTH, "height": HEIGHT, "layer": layers}
        charts.append(style.Chart("history", name, [below], [drawn]))
    return style.page_of(tonight.run, style.some(charts, "no case of this run was measured before"))
