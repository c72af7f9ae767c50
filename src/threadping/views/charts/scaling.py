"""How cases scale: the headline by number of threads, a panel for each runtime, a line for each mechanism."""

from collections import Counter
from collections.abc import Sequence

import altair as alt

from threadping.analysis.declaration import Declaration
from threadping.analysis.rows import ends
from threadping.model import Row, Run
from threadping.quantities import counted
from threadping.views.charts import style
from threadping.views.charts.lines import GAP, Line, lines_panel
from threadping.views.terminal import names
from threadping.views.terminal.series import Family, families, lost

WIDTH, HEIGHT = 330, 400
PANELS_A_ROW = 3
MARGIN = 1.12
"""By so much the first and the last count of threads are away from the edges."""

Dash = tuple[int, int]
SOLID, DASHED, DOTTED = (1, 0), (6, 3), (2, 3)


def scaling(run: Run, rows: Sequence[Row], declared: Declaration) -> tuple[style.Json, list[str]]:
    """Draw rows whose headline is more than nothing, at least one, and say how they are drawn."""
    headline = declared.figure(declared.headline)
    ticks = style.ticks(end for row in rows for end in (row.figures[headline.name], *ends(row, headline.name)))
    crews = sorted({row.case.crews for row in rows})
    usual = Counter(row.case.timed for row in rows).most_common(1)[0][0]
    found = families(rows)
    kinds = [_kind(family, usual, declared) for family in found]
    named = _names(found)
    last = [[*family.rows.values()][-1].figures[headline.name] for family in found]
    by_end = list(dict.fromkeys(name for _, name in sorted(zip(last, named, strict=True), reverse=True)))
    panels: dict[str, list[Line]] = {}
    for family, name, (dash, _) in zip(found, named, kinds, strict=True):
        points = [_point(row, declared) for row in family.rows.values()]
        look = style.look(by_end.index(name), by_end.index(name))
        panels.setdefault(family.runtime, []).append(Line(name, look, points, dash))
    height = max(HEIGHT, GAP * max(map(len, panels.values())))
    drawn = []
    for number, (runtime, lines) in enumerate(panels.items()):
        of_it = [row for row in rows if names.plain(row.case.runtime) == runtime]
        title = None if number % PANELS_A_ROW else names.head(headline)
        y = alt.Y("y:Q", title=title, **style.logarithmic(ticks, headline.unit))
        crowded = _crowded(of_it, run, crews[0] / MARGIN, height)
        panel = lines_panel(lines, _x(crews, declared), y, ticks, (WIDTH, height), crowded)
        drawn.append({**panel, "title": style.title(runtime, offset=4)})
    places = dict.fromkeys(names.standing(row.case) for row in rows if row.case.crews == crews[-1])
    dashes = "; ".join(dict.fromkeys(said for _, said in kinds if said))
    how = f"placement {', '.join(places)}; median trials with their 95% intervals, the ranges of fewer than six"
    return {"concat": drawn, "columns": PANELS_A_ROW, "spacing": 24}, [how, dashes]


def _kind(family: Family, usual: str, declared: Declaration) -> tuple[Dash, str]:
    """Dots are for what loses some of its work, dashes for what is not timed as most others are."""
    if gone := lost(family, declared):
        return DOTTED, f"dotted: some {names.head(gone)}"
    timed = next(iter(family.rows.values())).case.timed
    return (SOLID, "") if timed == usual else (DASHED, f"dashed: times the {timed}, not the {usual}")


def _names(found: Sequence[Family]) -> list[str]:
    """Name lines by their mechanism, and where they stand and how they were warmed up where that tells them apart."""
    standings = len({family.standing for family in found}) > 1
    warmups = names.tells_warmups(row.case for family in found for row in family.rows.values())
    return [
        " ".join(
            [
                one.mechanism,
                *([one.standing] if standings else []),
                *([one.warmup] if warmups else []),
                *([one.apart] if one.apart else []),
            ]
        )
        for one in found
    ]


def _point(row: Row, declared: Declaration) -> style.Json:
    low, high = ends(row, declared.headline)
    value = row.figures[declared.headline]
    return {"x": row.case.crews, "y": value, "low": low, "high": high, "told": style.told(row, declared)}


def _x(crews: Sequence[int], declared: Declaration) -> alt.X:
    domain = [crews[0] / MARGIN, crews[-1] * MARGIN]
    scale = alt.Scale(type="log", base=2, domain=domain, nice=False)
    return alt.X(
        "x:Q", title=declared.along, scale=scale, axis=style.axis({one: str(one) for one in crews}, grid=False)
    )


def _crowded(rows: Sequence[Row], run: Run, left: float, height: float) -> list[alt.Chart]:
    """Where there are more threads than CPUs for them: a shade from there on, and a rule that says so."""
    usable = len(set(run.machine.topology.allowed))
    standing = [(row.case, len({*row.case.placement.cpus} - {None}) or usable) for row in rows]
    beyond = min(((have, case.crew) for case, have in standing if case.threads > have), default=None)
    cpus = beyond and beyond[0]
    said = "a CPU for every thread" if cpus is None else f"more threads than {counted(cpus, 'CPU')}"
    at = style.chart([{"x": max(beyond[0] / beyond[1] if beyond else 0, left), "said": said}]).encode(x="x:Q")
    text = at.mark_text(color=style.FAINT, align="left", baseline="bottom", fontSize=11, dx=1)
    shown = [text.encode(y=alt.value(-4), text="said:N")]
    if cpus is not None:
        down = at.encode(y=alt.value(0), y2=alt.value(height))
        shown.append(down.mark_rect(color="black", opacity=0.035).encode(x2=alt.value(WIDTH)))
        shown.append(down.mark_rule(color=style.FAINT, strokeWidth=1, strokeDash=[3, 3]))
    return shown
