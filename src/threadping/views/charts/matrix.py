"""A matrix as a chart: a cell for every two CPUs, coloured by its latency."""

from collections.abc import Iterator

from threadping.analysis.answer import Answer
from threadping.matrix.epochs import epochs
from threadping.matrix.matrix import Matrix
from threadping.quantities import counted, duration, time
from threadping.views.charts import style
from threadping.views.heat import Drawn, Scale, drawn, on, written
from threadping.views.terminal import names

MOST_ROWS = 128
"""Of more CPUs groups are drawn."""

SIDE, MOST = 900, 34
"""Of the whole and of a cell at most, in pixels."""

FIGURES_FROM = 20
"""A cell so wide has room for its figure."""

LABEL = 22
"""So many pixels are between labels at least; a power of two of rows, as caches and cores are."""


def specification(answer: Answer | None, of: Matrix) -> style.Json:
    """Lay out a matrix, of another tool without its machine; ChartRefused if it has no figure."""
    made = style.some([*charts(answer, of)], "no pair has a figure")
    return style.page_of(answer.run, made) if answer else style.top(style.whole(made[0]))


def charts(answer: Answer | None, of: Matrix, whole: int = SIDE) -> Iterator[style.Chart]:
    """A heat map for each home of which there is a figure, so many pixels wide at most; and how it changed."""
    topology = answer.run.machine.topology if answer else None
    pairing = answer.run.matrix if answer else None
    scale = Scale.of(of)
    for home in of.homes:
        found = drawn(of, topology, home, MOST_ROWS)
        if not found.known:
            continue
        said = [
            f"{names.plain(one.named) or 'group'}: {time(one.latency_ns)}, {counted(one.pairs, 'pair')}"
            for one in of.clusters
        ]
        what = "a reference ping each" if answer else "by another tool: one line, state unknown"
        what = f"{names.mechanism(pairing.case)} {names.plain(pairing.case.runtime)}" if pairing else what
        where = f", home {names.plain(home)}" if len(of.homes) > 1 else ""
        title = f"One-way latency between every two CPUs, {what}{where}"
        said = ["; ".join([*said, *filter(None, [found.shared])]), *of.misnamed]
        yield style.Chart("matrix", title, said, [_panel(found, scale, whole)])
    if answer and pairing and (parts := epochs(answer, of)):
        panels = [
            _panel(drawn(one.matrix, topology, of.homes[0], MOST_ROWS), scale, style.WIDTH)
            | {"title": {"text": f"{duration(one.begun_s)} to {duration(one.ended_s)}", "fontSize": 13}}
            for one in parts
        ]
        yield style.Chart("matrix-over-time", "How it changed", ["Many pairs changed their state at once."], panels)


def _panel(found: Drawn, scale: Scale, whole: int) -> style.Json:
    labels = [str(group[0]) for group in found.groups]
    side = max(1, min(MOST, whole // len(labels)))
    data: list[style.Json] = [
        {"x": a, "y": b, "colour": written(colour), "ink": on(colour), "written": f"{ns:.0f}"}
        | {"about": {"CPUs": f"{b}, {a}", "one way": time(ns)}}
        for b, row in zip(labels, found.values, strict=True)
        for a, ns in zip(labels, row, strict=True)
        if ns is not None
        for colour in [scale.colour(ns)]
    ]
    every = 1 << ((LABEL - 1) // side).bit_length()
    shown = {"values": labels[::every], "title": None, "ticks": False, "domain": False}
    x = style.field("x:N", sort=labels, axis={**shown, "orient": "top", "labelAngle": 0})
    y = style.field("y:N", sort=labels, axis=shown)
    fill = style.field("colour:N", scale=None, legend=None)
    layers = [style.marks("rect", {"x": x, "y": y, "fill": fill, "tooltip": style.TOOLTIP})]
    if side >= FIGURES_FROM:
        ink = style.field("ink:N", scale=None, legend=None)
        figures = {"x": x, "y": y, "fill": ink, "text": style.field("written:N")}
        layers.append(style.marks("text", figures, fontSize=11 if side >= MOST else 10, dy=3))
    length = side * len(labels)
    return {**style.panel({"layer": layers}, data, height=length), "width": length}
