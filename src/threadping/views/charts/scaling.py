"""How cases scale: the headline by number of threads, or by a parameter, a panel for each runtime."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import altair as alt

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration
from threadping.contract import Topology
from threadping.model import DEFAULT_WARMUP, Case
from threadping.views.charts import style
from threadping.views.charts.ladder import HOW
from threadping.views.terminal import names

WIDTH, HEIGHT, COLUMNS = 280, 340, 3
DASHED = "Dashed lines are of something else than the others, and not to be compared with them."


def scalings(name: str, rows: Sequence[Row], declared: Declaration, topology: Topology) -> Iterator[style.Json]:
    """Draw rows whose headline is more than nothing by everything along which they differ."""
    title = f"{name}: {declared.title}"
    if declared.along:
        places = {row.case: float(row.case.crews) for row in rows}
        yield from _scaling(title, rows, declared, places, declared.along, len(topology.allowed))
    for param in declared.beside:
        given = {row.case: str(row.case.params.get(param)) for row in rows}
        places = {case: float(value) for case, value in given.items() if value.isdigit() and int(value)}
        yield from _scaling(f"{title}, by {param}", rows, declared, places, param)


def _scaling(
    title: str, rows: Sequence[Row], declared: Declaration, places: Mapping[Case, float], along: str, cpus: int = 0
) -> Iterator[style.Json]:
    """Nothing if all stand at one place. Of rows in several states the nearest stands for the case, others say so."""
    ticks = sorted(set(places.values()))
    shown = [row for row in rows if row.case in places]
    if len(ticks) < 2:
        return
    nearest = {id(row) for row in {row.case: row for row in reversed(shown)}.values()}
    lines = [_line(row, along, nearest=id(row) in nearest) for row in shown]
    places_taken = Counter((row.case.runtime, line, places[row.case]) for row, line in zip(shown, lines, strict=True))
    unclear = {line for (_, line, _), times in places_taken.items() if times > 1}
    apart = {(row.case.runtime, line) for row, line in zip(shown, lines, strict=True) if not row.comparable}
    data: list[style.Json] = []
    for row, line in zip(shown, lines, strict=True):
        where = f", {names.standing(row.case)}" if line in unclear else ""
        at = {"x": places[row.case], "line": line + where, "comparable": (row.case.runtime, line) not in apart}
        data.append({**style.of_row(row, declared), **at})
    data.sort(key=lambda one: one["x"])
    highest = sorted({one["line"]: one["value"] for one in data}.items(), key=lambda one: -one[1])
    looks = style.coloured("line:N", (line for line, _ in highest))
    headline = declared.figure(declared.headline)
    axis = style.labelled({tick: f"{tick:g}" for tick in ticks}, grid=False)
    x = alt.X("x:Q", title=along, axis=axis, scale=alt.Scale(type="log", base=2, nice=False, padding=12))
    y = style.logarithmic(headline.unit, (one[end] for one in data for end in ("low", "high")))
    dash = alt.StrokeDash("comparable:N", scale=alt.Scale(domain=[True, False], range=[[1, 0], [6, 4]]), legend=None)
    base = alt.Chart().encode(x=x, tooltip=style.TOOLTIP)
    layers = [
        base.mark_line(strokeWidth=1.8).encode(y=alt.Y("value:Q", **y), color=looks["color"], strokeDash=dash),
        base.mark_errorbar(thickness=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q", color=looks["color"]),
        base.mark_point(**style.DOT).encode(y=alt.Y("value:Q", **y), **looks),
    ]
    said = [headline.means or declared.title, HOW]
    enough = cpus / shown[0].case.crew
    if cpus and ticks[0] <= enough < ticks[-1]:
        rule = alt.Chart(style.values([{}])).mark_rule(color=style.FAINT, strokeDash=[2, 3])
        layers.insert(0, rule.encode(x=alt.datum(enough)))
        said.append(f"Right of the dotted line there are more threads than the {cpus} CPUs.")
    if apart:
        said.append(DASHED)
    drawn = alt.layer(*layers, data=style.values(data)).properties(width=WIDTH, height=HEIGHT)
    drawn = drawn.facet(alt.Facet("runtime:N", sort=None), columns=COLUMNS)
    yield style.titled(drawn, title, " ".join(said))


def _line(row: Row, along: str, *, nearest: bool) -> str:
    case = row.case
    parts = [names.mechanism(case, along)]
    parts += [case.warmup.text] if case.warmup != DEFAULT_WARMUP else []
    parts += [style.state(row)] if not nearest else []
    return ", ".join(filter(None, parts))
