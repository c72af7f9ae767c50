"""The published figures beside ours: a panel for each experiment and unit, a line for each figure that was repeated."""

import re
from collections.abc import Sequence

from threadping.analysis.answer import Answer
from threadping.grouping import gathered
from threadping.published.comparison import Compared, Judged
from threadping.views.charts import style
from threadping.views.charts.ladder import dots, scale_of
from threadping.views.terminal import names
from threadping.views.terminal.published import fold


def specification(answer: Answer, compared: Sequence[Compared], _judged: Sequence[Judged] = ()) -> style.Json:
    """Lay out the panels; ChartRefused if no published figure was repeated."""
    drawn = style.some(charts(compared), "this run has no figure that repeats a published one")
    return style.page_of(answer.run, drawn)


def charts(compared: Sequence[Compared]) -> list[style.Chart]:
    """A chart for each published experiment and unit of which a figure was repeated."""
    repeated = (one for one in compared if one.published.value and one.ours)
    panels = gathered(((one.published.experiment, one.published.unit), one) for one in repeated)
    return [_chart(f"{experiment}, {unit}", of_it, unit) for (experiment, unit), of_it in panels.items()]


def _chart(title: str, compared: Sequence[Compared], unit: str) -> style.Chart:
    data: list[style.Json] = []
    for place, one in enumerate(compared):
        theirs = one.published
        words = (f"{theirs.year}", theirs.runtime, theirs.placement, f"{theirs.threads} threads", theirs.metric)
        label = names.plain(", ".join(filter(None, words)))
        about = {"place": place, "about": {"figure": label, "machine": names.plain(theirs.machine)}}
        ratios = [fold(ratio) for ours in one.ours if (ratio := one.ratio(ours))]
        line = {**about, "label": label, "written": ", ".join(ratios)}
        data.append({**line, "who": "published", **dict.fromkeys(("value", "low", "high"), theirs.value)})
        for ours in one.ours:
            low, high = ours.estimate.ends
            data.append({**about, "who": "here", "value": ours.estimate.value, "low": low, "high": high})
    who = ["published", "here"]
    drawn = dots(data, scale_of(data, "ns" if unit == "ns" else "per_s"), "who:N", who)
    return style.Chart(
        f"published-{re.sub('[^a-z0-9]+', '-', title)}",
        title,
        ["At the end of a line: how many times the published figure ours is.", style.HOW],
        [drawn],
        who,
    )
