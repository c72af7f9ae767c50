"""The chart's specification in Vega-Lite, from which every format is made."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
from msgspec import UNSET, Struct

from threadping.model import Row, Run
from threadping.report import figures, words
from threadping.report.chart.labels import spread
from threadping.report.chart.series import DASHES, Kind, Look, Series, crowded_from, interval, looks, series_of
from threadping.report.heading import local_time

WIDTH, HEIGHT = 330, 400
MARGIN = 1.12
"""By so much the first and the last count of threads are away from the edges."""

LABEL_GAP = 15.0
LABEL_OFFSET = 34
PANELS_A_ROW = 3
INK, FAINT, GRID = "#222222", "#767676", "#E6E6E6"
POINT: dict[str, Any] = {"size": 62, "filled": True, "opacity": 1, "stroke": "white", "strokeWidth": 0.8}
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"

TOLD = {
    "name": "mechanism",
    "threads": "threads",
    "per second": "operations/s",
    "interval": "95% interval",
    "p99": "p99",
    "Jain": "fairness (Jain)",
    "placement": "placement",
}
"""What a page tells of a point that the mouse is on."""

KINDS: dict[Kind, str] = {"no lock": "dashed: no lock to wait for", "loses updates": "dotted: loses updates"}


class Frame(Struct, frozen=True):
    """What all panels share: the counts of threads, the powers of ten that hold every figure, and the looks."""

    threads: tuple[int, ...]
    low: int
    high: int
    height: float
    looks: dict[str, Look]

    def pixel(self, ops: float) -> float:
        """How far below the top a figure stands."""
        return self.height * (self.high - math.log10(ops)) / (self.high - self.low)

    def ops(self, pixel: float) -> float:
        """The figure that stands so far below the top."""
        return float(10 ** (self.high - pixel * (self.high - self.low) / self.height))


def specification(run: Run, rows: Sequence[Row]) -> dict[str, Any]:
    """Lay out a panel for each runtime, in the order of the rows."""
    lines = series_of(rows)
    runtimes = list(dict.fromkeys(line.runtime for line in lines))
    panels = {runtime: [line for line in lines if line.runtime == runtime] for runtime in runtimes}
    ends = [end for row in rows for end in (*interval(row), row.ops_per_s or 0.0) if end > 0]
    frame = Frame(
        threads=tuple(sorted({row.threads for row in rows})),
        low=math.floor(math.log10(min(ends))),
        high=math.ceil(math.log10(max(ends))),
        height=max(HEIGHT, LABEL_GAP * max(map(len, panels.values()))),
        looks=looks(lines),
    )
    usable = len(set(run.machine.topology.allowed))
    drawn = [
        _panel(runtime, of_it, frame, usable, first=number % PANELS_A_ROW == 0)
        for number, (runtime, of_it) in enumerate(panels.items())
    ]
    chart = (
        alt.concat(*drawn, columns=PANELS_A_ROW, spacing=24)
        .properties(title=_title(run, rows, lines), background="white", padding=18)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_concat(spacing=24)
    )
    made: dict[str, Any] = chart.to_dict()
    return made


def _title(run: Run, rows: Sequence[Row], lines: Sequence[Series]) -> alt.TitleParams:
    machine = run.machine
    where = f"{machine.cpu_model or 'CPU model not told'}, {words.counted(len(machine.topology.cpus), 'CPU')}"
    number = f", run {run.id}" if run.id else ""
    when = f"{local_time(run.started)}, threadping {run.version}{number}"
    kinds = [said for kind, said in KINDS.items() if any(line.kind == kind for line in lines)]
    how = [f"placement {_standing(rows)}", "the trials' median, with its 95% interval", *kinds]
    return alt.TitleParams(
        "How locks scale: operations a second of all threads together",
        subtitle=[words.plain(f"{where}; {when}"), words.plain("; ".join(how))],
        anchor="start",
        fontSize=19,
        fontWeight=600,
        color=INK,
        subtitleFontSize=12.5,
        subtitleColor="#4D4D4D",
        subtitleLineHeight=18,
        subtitlePadding=7,
        offset=20,
    )


def _standing(rows: Sequence[Row]) -> str:
    """Where the threads stand, of each placement with the most of them: one thread has no neighbours to name."""
    most = max(row.threads for row in rows)
    by_most = sorted((row for row in rows if row.threads > 1 or most == 1), key=lambda row: -row.threads)
    standing = {(row.placement, row.pin, row.home): row for row in reversed(by_most)}
    return "; ".join(words.standing(row) for row in standing.values())


def _panel(
    runtime: str, lines: Sequence[Series], frame: Frame, usable: int, *, first: bool
) -> alt.LayerChart | alt.FacetChart:
    points = alt.InlineData(values=[_point(line, row) for line in lines for row in line.rows])
    labels = alt.InlineData(values=_labels(lines, frame))
    x, y = _x(frame), _y(frame, first=first)
    names = list(frame.looks)
    colour = alt.Color(
        "name:N", scale=alt.Scale(domain=names, range=[look.colour for look in frame.looks.values()]), legend=None
    )
    shape = alt.Shape(
        "name:N", scale=alt.Scale(domain=names, range=[look.shape for look in frame.looks.values()]), legend=None
    )
    dash = alt.StrokeDash("kind:N", scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())), legend=None)
    base = alt.Chart(points).encode(x=x, color=colour, detail="name:N")
    told = alt.Chart(labels)
    layers = [
        *_crowded([row for line in lines for row in line.rows], frame, usable),
        told.mark_rule(strokeWidth=0.8, opacity=0.5).encode(
            x=alt.X("threads:Q"), y=alt.Y("ops:Q"), x2=alt.value(WIDTH + LABEL_OFFSET), y2="beside:Q", color=colour
        ),
        base.mark_line(strokeWidth=1.8, opacity=0.9).encode(y=y, strokeDash=dash),
        base.mark_rule(strokeWidth=1.4).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_point(**POINT).encode(y=y, shape=shape, tooltip=_tooltip()),
        told.mark_point(**POINT).encode(
            x=alt.value(WIDTH + LABEL_OFFSET), y=alt.Y("beside:Q"), color=colour, shape=shape
        ),
        told.mark_text(align="left", baseline="middle", fontSize=12, dx=9, color=INK).encode(
            x=alt.value(WIDTH + LABEL_OFFSET), y=alt.Y("beside:Q"), text="name:N"
        ),
    ]
    title = alt.TitleParams(words.plain(runtime), anchor="start", fontSize=14, fontWeight=600, color=INK, offset=14)
    return alt.layer(*layers).properties(width=WIDTH, height=frame.height, title=title)


def _x(frame: Frame) -> alt.X:
    low, high = frame.threads[0], frame.threads[-1]
    return alt.X(
        "threads:Q",
        title="threads",
        scale=alt.Scale(type="log", base=2, domain=[low / MARGIN, high * MARGIN], nice=False),
        axis=alt.Axis(
            values=list(frame.threads),
            format="d",
            grid=False,
            domainColor=FAINT,
            tickColor=FAINT,
            labelColor=INK,
            labelFontSize=12,
            titleColor=INK,
            titleFontSize=12,
            titleFontWeight="normal",
            labelOverlap="greedy",
        ),
    )


def _y(frame: Frame, *, first: bool) -> alt.Y:
    return alt.Y(
        "ops:Q",
        title="operations/s, log" if first else None,
        scale=alt.Scale(type="log", domain=[10.0**frame.low, 10.0**frame.high], nice=False),
        axis=alt.Axis(
            values=[10.0**power for power in range(frame.low, frame.high + 1)],
            labelExpr="replace(format(datum.value, '~s'), regexp('([kMG])'), ' $1')",
            gridColor=GRID,
            domain=False,
            ticks=False,
            labelColor=INK,
            labelFontSize=12,
            labelPadding=8,
            titleColor=INK,
            titleFontSize=12,
            titleFontWeight="normal",
        ),
    )


def _crowded(rows: Sequence[Row], frame: Frame, usable: int) -> list[alt.Chart]:
    """Where there are more threads than CPUs for them: a shade from there on, and a rule that says so."""
    cpus = crowded_from(rows, usable)
    said = "a CPU for every thread" if cpus is None else f"more threads than {words.counted(cpus, 'CPU')}"
    edge = max(cpus or 0.0, frame.threads[0] / MARGIN)
    chart = alt.Chart(alt.InlineData(values=[{"edge": edge, "said": said}]))
    text = chart.mark_text(color=FAINT, align="left", baseline="bottom", fontSize=11, dx=1).encode(
        x=alt.X("edge:Q"), y=alt.value(-4), text="said:N"
    )
    if cpus is None:
        return [text]
    return [
        chart.mark_rect(color="black", opacity=0.035).encode(
            x=alt.X("edge:Q"), x2=alt.value(WIDTH), y=alt.value(0), y2=alt.value(frame.height)
        ),
        chart.mark_rule(color=FAINT, strokeWidth=1, strokeDash=[3, 3]).encode(
            x=alt.X("edge:Q"), y=alt.value(0), y2=alt.value(frame.height)
        ),
        text,
    ]


def _point(line: Series, row: Row) -> dict[str, Any]:
    low, high = interval(row)
    ops, wait = row.ops_per_s or 0.0, row.latency_ns
    return {
        "name": line.name,
        "kind": line.kind,
        "threads": row.threads,
        "ops": ops,
        "low": max(low, 10.0**-9),  # a logarithm needs more than nothing
        "high": high,
        "per second": figures.count(ops),
        "interval": figures.interval(ops, low, high, figures.MULTIPLES),
        "placement": words.standing(row),
        "p99": figures.ABSENT if wait is None or wait.p99 is UNSET else f"{figures.time(wait.p99)} ({row.measures})",
        "Jain": figures.ABSENT if row.lock is UNSET else f"{row.lock.fairness.jain:.2f}",
    }


def _tooltip() -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{field}:N", title=title) for field, title in TOLD.items()]


def _labels(lines: Sequence[Series], frame: Frame) -> list[dict[str, Any]]:
    """A label beside the end of each line, with the figure at which it can stand."""
    ends = [line.last.ops_per_s or 1.0 for line in lines]
    places = spread([frame.pixel(end) for end in ends], LABEL_GAP, 0, frame.height)
    return [
        {"name": line.name, "threads": line.last.threads, "ops": end, "beside": frame.ops(place)}
        for line, end, place in zip(lines, ends, places, strict=True)
    ]
