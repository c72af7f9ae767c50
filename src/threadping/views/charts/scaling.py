"""How cases scale: the headline by number of threads, or by a parameter, a panel for each runtime."""

from collections.abc import Iterator, Sequence

from threadping.analysis.answer import Answer, Row
from threadping.analysis.declaration import Declaration
from threadping.numbers import compact
from threadping.views.charts import style
from threadping.views.terminal.pivot import Side, sides

DASHED = "Dashed lines are not comparable with the others: the warnings and notes of their rows say why."


def scalings(name: str, answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw rows whose headline is more than nothing by everything along which they differ, as tables show them."""
    for param in declared.dimensions:
        found = sides(answer, rows, param)
        ticks = sorted({point for one in found for point in one.rows if point})
        if len(ticks) > 1:
            yield _scaling(name, answer, found, ticks, param, declared)


def _scaling(
    name: str, answer: Answer, found: Sequence[Side], ticks: Sequence[int], param: str, declared: Declaration
) -> style.Chart:
    data: list[style.Json] = [
        {**style.of_row(row, declared), "line": _label(one, found), "x": point, "comparable": one.comparable}
        for one in found
        for point, row in one.rows.items()
        if point
    ]
    along, headline = param or str(declared.along), declared.leading
    axis = style.labelled({tick: compact(tick) for tick in ticks}, grid=False)
    scale = {"type": "log", "base": 2, "nice": False, "padding": 12, "domain": [ticks[0], ticks[-1]]}
    x = style.field("x:Q", title=along, axis=axis, scale=scale)
    y = style.logarithmic(headline.unit, (one[end] for one in data for end in ("low", "high")))
    last = {one["line"]: one["value"] for one in data}
    legend = sorted(last, key=lambda line: -last[line])
    dashes = {"domain": [True, False], "range": [[1, 0], [6, 4]]}
    line = {"strokeDash": style.field("comparable:N", scale=dashes, legend=None)}
    layers = style.intervals(x, "value", y, style.coloured("line:N", legend), line, tooltip=style.TOOLTIP)
    said = [headline.means or declared.title, style.HOW]
    cpus = len(answer.run.machine.topology.allowed)
    enough = cpus / found[0].case.group
    if not param and ticks[0] <= enough < ticks[-1]:
        rule = style.marks("rule", {"x": {"datum": enough}}, color=style.FAINT, strokeDash=[2, 3])
        layers.insert(0, {**rule, "data": {"values": [{}]}})
        said.append(f"Right of the dotted line there are more threads than the {cpus} CPUs.")
    said += [] if all(one["comparable"] for one in data) else [DASHED]
    title = f"{name}: {declared.title}{param and f', by {param}'}"
    return style.Chart(f"{name}-by-{along}", title, said, style.by_runtime({"layer": layers}, data), legend)


def _label(one: Side, among: Sequence[Side]) -> str:
    """Its mechanism, and the words by which it differs from other lines of that in one runtime."""
    mechanism, _, where, state, warmup = one.words
    alike = zip(*(other.words for other in among if other.words[:2] == one.words[:2]), strict=True)
    texts = zip((where, state and f"at {state}", warmup), [*alike][2:], strict=True)
    return ", ".join([mechanism, *(text for text, found in texts if text and len(set(found)) > 1)])
