"""The published figures beside ours: a panel for each experiment and unit, a line for each figure that was repeated."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from threadping.analysis.answer import Answer
from threadping.errors import ChartRefused
from threadping.views.charts import style
from threadping.views.charts.files import write_picture
from threadping.views.charts.ladder import dots, scale_of
from threadping.views.terminal import names

if TYPE_CHECKING:
    from threadping.published.comparison import Compared


def write_published(answer: Answer, compared: "Sequence[Compared]", path: Path) -> None:
    """Draw published figures and ours into a file whose name was checked.

    Raises:
        ChartRefused: no published figure was repeated.
        OutputUnwritable: the file cannot be written.
    """
    write_picture(specification(answer, compared), path)


def specification(answer: Answer, compared: "Sequence[Compared]") -> style.Json:
    """Lay out the panels; ChartRefused if no published figure was repeated."""
    panels: dict[tuple[str, str], list[Compared]] = {}
    for one in compared:
        if one.published.value and one.ours:
            panels.setdefault((one.published.experiment, one.published.unit), []).append(one)
    if not panels:
        raise ChartRefused("There is no chart to draw: this run has no figure that repeats a published one.")
    charts = [_panel(f"{experiment}, {unit}", of_it, unit) for (experiment, unit), of_it in panels.items()]
    return style.page(answer.run.machine, style.when(answer.run), charts)


def _panel(title: str, compared: "Sequence[Compared]", unit: str) -> style.Json:
    data: list[style.Json] = []
    labels: dict[float, str] = {}
    for place, one in enumerate(compared):
        theirs = one.published
        label = (f"{theirs.year}", theirs.runtime, theirs.placement, f"{theirs.threads} threads", theirs.metric)
        labels[place] = names.plain(", ".join(filter(None, label)))
        about = {"place": place, "about": {"figure": labels[place], "machine": names.plain(theirs.machine)}}
        data.append({**about, "who": "published", **dict.fromkeys(("value", "low", "high"), theirs.value)})
        for ours in one.ours:
            low, high = ours.estimate.ends
            data.append({**about, "who": "here", "value": ours.estimate.value, "low": low, "high": high})
    scale = scale_of(data, "ns" if unit == "ns" else "per_s")
    drawn = dots(data, labels, scale, "who:N", ["published", "here"])
    return style.titled(drawn, title, style.HOW)
