"""The picture of the published figures: a column for each machine, by year, ours last; a panel for each experiment."""

from collections.abc import Iterator, Sequence
from math import exp, log
from pathlib import Path
from textwrap import wrap

import altair as alt
from msgspec import Struct

from threadping.analysis.declaration import Unit
from threadping.errors import ChartRefused
from threadping.model import Run
from threadping.published.catalogue import alike
from threadping.published.comparison import Compared, Ours
from threadping.published.records import Published
from threadping.quantities import counted
from threadping.views.charts import style
from threadping.views.charts.files import write_picture
from threadping.views.charts.labels import spread
from threadping.views.charts.picture import page
from threadping.views.terminal import cells, names
from threadping.views.terminal.published import UNITS, name_of, told_here

STEP, HEIGHT, LOW = 118, 330, 110
"""Pixels from column to column, and the heights of a panel with figures of ours and of one without."""

WIDE = 0.33
"""How far from its middle a column reaches, as a share of a step."""

GAP, BESIDE = 15, 14
LETTERS, LINE = 18, 14
"""Of a column's name so many letters stand on a line, and how high a line is."""

OURS = {**style.POINT, "size": 150}
TOLD = ("machine", "os", "year", "runtime", "placement", "metric", "note")
HOW = "Circles are published figures, diamonds ours with the intervals (or ranges) of their trials."


class Point(Struct, frozen=True):
    """A figure in the picture.

    Attributes:
        series: what it is of.
        column: the machine and the year.
        threads: how many took part.
        value: the figure.
        reach: its interval, where it has one.
        told: what a page tells of it.
    """

    series: str
    column: str
    threads: int
    value: float
    reach: tuple[float, float] | None = None
    told: dict[str, str] = {}


def write_published(run: Run, compared: Sequence[Compared], path: Path) -> None:
    """Draw published figures and ours into a file whose name was checked.

    Raises:
        ChartRefused: no figure is more than nothing, which a logarithmic axis needs.
        OutputUnwritable: the file cannot be written.
    """
    if not any(one.published.value for one in compared):
        raise ChartRefused("There is no chart to draw: no figure is more than nothing.")
    write_picture(specification(run, compared), path)


def specification(run: Run, compared: Sequence[Compared]) -> style.Json:
    """Lay out a panel for each experiment and unit in which something was published, at least one."""
    here = f"here, {run.started[:4]}"
    panels: dict[tuple[str, str], list[Compared]] = {}
    for one in compared:
        if one.published.value:
            panels.setdefault((one.published.experiment, one.published.unit), []).append(one)
    charts = [_titled(of_it, here) for of_it in panels.values()]
    where = f"{run.machine.cpu_model or 'CPU model not told'}, {counted(len(run.machine.topology.cpus), 'CPU')}"
    when = f"{f'run {run.id}, ' if run.id else ''}{run.started[:16].replace('T', ' ')} UTC, threadping {run.version}"
    title = style.title("What was published, and what became of it here", [where, when, HOW], size=17, offset=18)
    return page(title, charts, spacing=64)


def _titled(of_it: Sequence[Compared], here: str) -> style.Json:
    first = of_it[0].published
    points = list(_points(of_it, here))
    threads = sorted({one.threads for one in points})
    said = list(dict.fromkeys(one.published.source for one in of_it))
    if not any(one.ours for one in of_it):
        said += [f"Not compared: {why}." for why in dict.fromkeys(one.reason for one in of_it)]
    if len(threads) > 1:
        said.append(f"In each column from left to right: {', '.join(map(str, threads))} threads.")
    metrics = {one.published.metric for one in of_it}
    title = f"{first.experiment}: {first.metric if len(metrics) == 1 else first.unit}"
    return {**_panel(points, threads, here, UNITS[first.unit]), "title": style.title(title, said)}


def _points(of_it: Sequence[Compared], here: str) -> Iterator[Point]:
    """The published figures by year, then ours, each once."""
    called = _series(of_it)
    for one in sorted(of_it, key=lambda one: one.published.year):
        theirs = one.published
        column = names.plain(f"{theirs.where}, {theirs.year}")
        told = {name: names.plain(str(getattr(theirs, name))) for name in TOLD}
        value = {"value": cells.written(UNITS[theirs.unit], theirs.value)}
        yield Point(called[theirs], column, theirs.threads, theirs.value, told=told | value)
    unique = {
        (called[one.published], one.published.threads, ours.row.states): Point(
            called[one.published],
            here,
            one.published.threads,
            ours.value,
            ours.interval.ends if ours.interval else None,
            told=_told(ours, one.published),
        )
        for one in of_it
        for ours in one.ours
        if ours.value > 0
    }
    yield from unique.values()


def _told(ours: Ours, theirs: Published) -> dict[str, str]:
    unit = UNITS[theirs.unit]
    reach = cells.interval(unit, ours.value, ours.interval, mixed=True).plain.strip()
    value = f"{cells.written(unit, ours.value)} {reach}"
    return {"ours": told_here(ours), "case": name_of(ours.row.case), "metric": theirs.metric, "value": value}


def _series(of_it: Sequence[Compared]) -> dict[Published, str]:
    """Name what each figure is of: by what repeats it, or else as it was published; without what all have alike."""
    parts = {one.published: _parts(one.published) for one in of_it}
    several = len({one.threads for one in parts}) > 1
    varying = [len({told[place] for told in parts.values()}) > 1 for place in range(3)]
    if several:
        varying[1] = False  # where each stands within its column says it
    named = {}
    for one, told in parts.items():
        kept = [part for part, differs in zip(told, varying, strict=True) if differs and part]
        named[one] = names.plain(" ".join(kept) or told[0])
    return named


def _parts(one: Published) -> tuple[str, str, str]:
    """What was done, where the threads stood, and which figure it is."""
    found = alike(one)
    if found is None:
        return one.runtime, one.placement, one.metric.removeprefix("notify call ")
    way, standing = found.way, found.standing
    done = [way.mechanism, *(f"{name}={value}" for name, value in way.params), way.build.probe, *way.build.flags]
    stood = f"{standing.where} process" if standing.pin == "process" else standing.where
    return " ".join(done), stood, one.metric.removeprefix("notify call ")


def _panel(points: Sequence[Point], threads: Sequence[int], here: str, unit: Unit) -> style.Json:
    """Every figure in its column, those of a series joined; the names of series stand on the right."""
    columns = list(dict.fromkeys(one.column for one in points))
    series = list(dict.fromkeys(one.series for one in points))
    ticks = style.ticks(end for one in points for end in (one.value, *(one.reach or ())))
    height = max(HEIGHT if here in columns else LOW, GAP * (len(series) + 3))
    data = [
        {
            "x": columns.index(one.column) + _aside(one.threads, threads),
            "y": one.value,
            **(dict(zip(("low", "high"), one.reach, strict=True)) if one.reach else {}),
            "series": one.series,
            "line": one.series if len(threads) == 1 else f"{one.series}, {one.column}",
            "colour": style.look(series.index(one.series), 0)["colour"],
            "ours": one.column == here,
            "shape": "diamond" if one.column == here else "circle",
            "told": one.told,
        }
        for one in points
    ]
    width = STEP * len(columns)
    scale = alt.Scale(domain=[-0.5, len(columns) - 0.5], nice=False)
    x = alt.X("x:Q", title=None, scale=scale, axis=alt.Axis(grid=False, labels=False, ticks=False))
    y = alt.Y("y:Q", title=None, **style.logarithmic(ticks, unit))
    drawn = style.chart(data).encode(x=x, color=style.COLOUR)
    theirs, ours = (_marked([one for one in data if one["ours"] is mine], x, y) for mine in (False, True))
    reaching = style.chart([one for one in data if "low" in one]).encode(x=x, color=style.COLOUR)
    named = style.chart(_names(data, ticks, height)).encode(color=style.COLOUR)
    below = style.chart([{"x": place, "name": "\n".join(wrap(name, LETTERS))} for place, name in enumerate(columns)])
    return style.panel(
        named.mark_rule(strokeWidth=0.8, opacity=0.4).encode(x=x, y=y, x2=alt.value(width + BESIDE), y2="beside:Q"),
        drawn.mark_line(strokeWidth=1.2, opacity=0.45).encode(y=y, detail="line:N"),
        reaching.mark_rule(strokeWidth=2.2).encode(y="low:Q", y2="high:Q"),
        theirs.mark_point(**style.POINT),
        ours.mark_point(**OURS),
        named.mark_text(align="left", baseline="middle", fontSize=style.SIZE, dx=4).encode(
            x=alt.value(width + BESIDE), y="beside:Q", text="series:N"
        ),
        below.mark_text(baseline="top", fontSize=style.SIZE, lineBreak="\n", lineHeight=LINE, color=style.INK).encode(
            x=x, y=alt.value(height + LINE // 2), text="name:N"
        ),
        width=width,
        height=height,
    )


def _marked(data: Sequence[style.Json], x: alt.X, y: alt.Y) -> alt.Chart:
    return style.chart(data).encode(x=x, y=y, color=style.COLOUR, shape=style.SHAPE, tooltip=style.TOLD)


def _aside(threads: int, counts: Sequence[int]) -> float:
    """How far from the middle of its column a figure stands: the more threads, the further to the right."""
    return WIDE * (2 * counts.index(threads) / (len(counts) - 1) - 1) if len(counts) > 1 else 0.0


def _names(data: Sequence[style.Json], ticks: Sequence[float], height: float) -> list[style.Json]:
    """The name of each series, beside the rightmost of its points as near as there is room."""
    last = {one["series"]: one for one in sorted(data, key=lambda one: one["x"])}
    low, high = log(ticks[0]), log(ticks[-1])
    places = spread([log(one["y"]) for one in last.values()], GAP * (high - low) / height, low, high)
    kept = ("x", "y", "series", "colour")
    return [
        {**{name: one[name] for name in kept}, "beside": exp(at)} for one, at in zip(last.values(), places, strict=True)
    ]
