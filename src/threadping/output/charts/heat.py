"""Heat maps of the latency between every two CPUs, as charts."""

from collections.abc import Iterator, Mapping

from threadping.analysis.latency_map import LatencyMap
from threadping.model.contract import Topology
from threadping.model.quantities import counted, time
from threadping.output import names
from threadping.output.charts import style
from threadping.output.heat import MapLayout, Scale, drawn, on, written

MOST_DRAWN = 128  # maximum number of CPUs: of more, groups are drawn
SIDE, LARGEST = 900, 34  # maximum side of the whole and of a cell, in pixels
FIGURES_FROM = 20  # A cell so wide has room for its figure
LABEL_PX = 22  # minimum distance of labels; a power of two of rows, as caches and cores are


def heat_charts(
    maps: Mapping[str, LatencyMap], topology: Topology | None, what: str, whole: int = SIDE
) -> Iterator[style.Chart]:
    """Draw a map for each home of lines that has a figure, at most `whole` pixels wide; groups are those of the first.

    `what` was measured, for the title.
    """
    scale = Scale.of(*maps.values())
    for home, of in maps.items():
        found = drawn(of, topology, MOST_DRAWN)
        if not found.known:
            continue
        said = [
            f"{names.plain(one.named) or 'group'}: {time(one.latency_ns)}, {counted(one.pairs, 'pair')}"
            for one in of.groups
        ]
        where = f", home {names.plain(home)}" if len(maps) > 1 else ""
        title = f"One-way latency between every two CPUs, {what}{where}"
        said = ["; ".join([*said, *filter(None, [found.shared])]), *of.misnamed]
        yield style.Chart("matrix", title, said, [_panel(found, scale, whole)])


def _panel(found: MapLayout, scale: Scale, whole: int) -> style.Json:
    labels = [str(group[0]) for group in found.groups]
    side = max(1, min(LARGEST, whole // len(labels)))
    data: list[style.Json] = [
        {"x": a, "y": b, "colour": written(colour), "ink": on(colour), "written": f"{ns:.0f}"}
        | {"about": {"CPUs": f"{b}, {a}", "one way": time(ns)}}
        for b, row in zip(labels, found.values, strict=True)
        for a, ns in zip(labels, row, strict=True)
        if ns is not None
        for colour in [scale.colour(ns)]
    ]
    every = 1 << ((LABEL_PX - 1) // side).bit_length()
    shown = {"values": labels[::every], "title": None, "ticks": False, "domain": False}
    x = style.field("x:N", sort=labels, axis={**shown, "orient": "top", "labelAngle": 0})
    y = style.field("y:N", sort=labels, axis=shown)
    fill = style.field("colour:N", scale=None, legend=None)
    layers = [style.marks("rect", {"x": x, "y": y, "fill": fill, "tooltip": style.TOOLTIP})]
    if side >= FIGURES_FROM:
        ink = style.field("ink:N", scale=None, legend=None)
        figures = {"x": x, "y": y, "fill": ink, "text": style.field("written:N")}
        layers.append(style.marks("text", figures, fontSize=11 if side >= LARGEST else 10, dy=3))
    length = side * len(labels)
    return {**style.panel({"layer": layers}, data, height=length), "width": length}
