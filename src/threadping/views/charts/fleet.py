"""A figure over the hosts of a kind: each host a point, from the least to the most; those that differ by name."""

from collections.abc import Mapping, Sequence

from threadping.comparing.fleet import Outlier, Spread
from threadping.comparing.fleets import Contrast, Side
from threadping.comparing.words import HOSTS, fold
from threadping.quantities import counted, time
from threadping.views.charts import style
from threadping.views.charts.comparison import ratios
from threadping.views.charts.style import field, marks
from threadping.views.terminal.cells import written
from threadping.views.terminal.fleet import name_of, name_of_contrast
from threadping.views.terminal.names import plain

WIDTH, HEIGHT = 230, 96
ALIKE, DIFFERS = "like its kind", "differs"


def chart(spread: Spread, outliers: Sequence[Outlier], names: Mapping[str, str]) -> style.Chart:
    """Draw a spread and the outliers in it; `names` are of all hosts."""
    unit = spread.subject.unit
    differing = {one.host: one.ratio for one in outliers if one.host in spread.values}
    ordered = sorted(spread.values.items(), key=lambda one: one[1].value)
    data: list[style.Json] = []
    for place, (host, value) in enumerate(ordered):
        what = DIFFERS if host in differing else ALIKE
        name = f"{plain(names[host])} {fold(differing[host])}" if host in differing else ""
        data.append({"x": place, "y": value.value, "what": what, "name": name, "at": place / len(ordered)})
    least, most = ordered[0][1].value, ordered[-1][1].value
    scale = {"type": "log", "domain": [0.985 * least, 1.015 * most], "nice": False, "zero": False}
    labels = {value: written(unit, value) for value in (least, spread.median, most)}
    y = field("y:Q", scale=scale, title=None, axis=style.labelled(labels, grid=False, ticks=False))
    x = field("x:Q", scale={"domain": [-1, len(ordered)], "nice": False}, axis=None)
    colour = field("what:N", scale={"domain": [ALIKE, DIFFERS], "range": style.COLOURS[:2]}, legend=None)
    middle = {**marks("rule", {"y": field("y:Q", scale=scale)}, color=style.FAINT, strokeDash=[3, 3])}
    text = {"x": x, "y": y, "text": field("name:N")}
    layers = [
        {**middle, "data": {"values": [{"y": spread.median}]}},
        marks("point", {"x": x, "y": y, "color": colour}, filled=True, size=22, opacity=1),
        *(
            {"transform": [{"filter": f"datum.name && datum.at {side} 0.5"}], **marks("text", text, **looks)}
            for side, looks in (("<", {"align": "left", "dx": 6}), (">=", {"align": "right", "dx": -6}))
        ),
    ]
    said = [counted(len(ordered), "host"), f"median {written(unit, spread.median)}"]
    if spread.subject.case and spread.core_to_core_ns:
        said.append(f"core to core {time(spread.core_to_core_ns)}")
    if spread.differs_from:
        said.append(f"differs from {fold(spread.differs_from)}")
    drawn = {"layer": layers, "data": {"values": data}, "width": WIDTH, "height": HEIGHT}
    return style.Chart("spread", name_of(spread.subject), [", ".join(said)], [drawn])


def fleets(sides: Sequence[Side], _paired: int, found: Sequence[Contrast], margin: float) -> style.Json:
    """Draw the ratio of each figure of two fleets. ChartRefused if none has one."""
    of_it = [(name_of_contrast(one), one.comparison) for one in found]
    return style.top(style.whole(ratios(of_it, margin, f"A is {sides[0].title}, B is {sides[1].title}.", HOSTS)))
