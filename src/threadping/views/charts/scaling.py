"""How cases scale: the headline by number of threads, or by a parameter, a panel for each runtime."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration
from threadping.contract import Topology
from threadping.model import Case
from threadping.numbers import compact
from threadping.views.charts import style
from threadping.views.terminal import names

DASHED = "Dashed lines are not comparable with the others: the warnings and notes of their rows say why."


def scalings(name: str, rows: Sequence[Row], declared: Declaration, topology: Topology) -> Iterator[style.Chart]:
    """Draw rows whose headline is more than nothing by everything along which they differ."""
    title, cpus = f"{name}: {declared.title}", len(topology.allowed)
    if declared.along and not declared.param:
        places = {row.case: float(row.case.crews) for row in rows}
        yield from _scaling(name, title, rows, declared, places, declared.along, cpus)
    for param in [*([declared.param] if declared.param else []), *declared.beside]:
        given = {row.case: str(row.case.params.get(param)) for row in rows}
        places = {case: float(value) for case, value in given.items() if value.isdigit() and int(value)}
        yield from _scaling(name, f"{title}, by {param}", rows, declared, places, param)


def _scaling(
    name: str,
    title: str,
    rows: Sequence[Row],
    declared: Declaration,
    places: Mapping[Case, float],
    along: str,
    cpus: int = 0,
) -> Iterator[style.Chart]:
    """Nothing if all stand at one place."""
    ticks = sorted(set(places.values()))
    if len(ticks) < 2:
        return
    data = _data([row for row in rows if row.case in places], declared, places, along)
    headline = declared.leading
    axis = style.labelled({tick: compact(int(tick)) for tick in ticks}, grid=False)
    scale = {"type": "log", "base": 2, "nice": False, "padding": 12, "domain": [ticks[0], ticks[-1]]}
    x = style.field("x:Q", title=along, axis=axis, scale=scale)
    y = style.logarithmic(headline.unit, (one[end] for one in data for end in ("low", "high")))
    last = {one["line"]: one["value"] for one in data}
    legend = sorted(last, key=lambda line: -last[line])
    looks = style.coloured("line:N", legend)
    dashes = {"domain": [True, False], "range": [[1, 0], [6, 4]]}
    line = {"strokeDash": style.field("comparable:N", scale=dashes, legend=None)}
    layers = style.intervals(x, "value", y, looks, line, tooltip=style.TOOLTIP)
    said = [headline.means or declared.title, style.HOW]
    enough = cpus / rows[0].case.crew
    if cpus and ticks[0] <= enough < ticks[-1]:
        rule = style.marks("rule", {"x": {"datum": enough}}, color=style.FAINT, strokeDash=[2, 3])
        layers.insert(0, {**rule, "data": {"values": [{}]}})
        said.append(f"Right of the dotted line there are more threads than the {cpus} CPUs.")
    said += [] if all(one["comparable"] for one in data) else [DASHED]
    yield style.Chart(f"{name}-by-{along}", title, said, style.by_runtime({"layer": layers}, data), legend)


def _data(rows: Sequence[Row], declared: Declaration, places: Mapping[Case, float], along: str) -> list[style.Json]:
    """Of a case in several states the nearest, which comes first, is on the case's own line, others on their own."""
    data: list[style.Json] = []
    seen: set[Case] = set()
    for row in rows:
        state = style.state(row) if row.case in seen else ""
        line = ", ".join(filter(None, (names.mechanism(row.case, along), state)))
        drawn = {"line": line, "x": places[row.case], "comparable": row.comparable}
        data.append({**style.of_row(row, declared), **drawn})
        seen.add(row.case)
    taken = Counter((one["runtime"], one["line"], one["x"]) for one in data)
    unclear = {line for (_, line, _), times in taken.items() if times > 1}
    apart = {(one["runtime"], one["line"]) for one in data if not one["comparable"]}
    for one in data:
        one["comparable"] = (one["runtime"], one["line"]) not in apart
        one["line"] += f", {one['placement']}" if one["line"] in unclear else ""
    return sorted(data, key=lambda one: one["x"])
