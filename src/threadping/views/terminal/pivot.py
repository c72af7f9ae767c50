"""Rows side by side: a line for each mechanism and runtime, a column for each number of threads or batch."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.analysis.declaration import Declaration
from threadping.model import Row
from threadping.views.terminal import cells, columns, names
from threadping.views.terminal.rungs import merit, state
from threadping.views.terminal.series import Along, Family, families, lost
from threadping.views.terminal.table import Column, FittingTable


def pivots(rows: Sequence[Row], declared: Declaration) -> Iterator[RenderableType]:
    """Set the headline side by side along every dimension that is declared and varied."""
    if declared.along:
        along = Along(declared.along)
        yield from _pivot(families(rows, along), along, declared)
    for param in (Along(name, is_param=True) for name in declared.beside):
        yield from _pivot([one for one in families(rows, param) if len(one.rows) > 1], param, declared)


def _pivot(lines: Sequence[Family], along: Along, declared: Declaration) -> Iterator[RenderableType]:
    """Those first that are best at the last point; nothing where there is one point only."""
    points = sorted({point for one in lines for point in one.rows})
    if len(points) < 2:
        return
    lines = sorted(lines, key=lambda one: _order(one, points, declared))
    cases = [row.case for one in lines for row in one.rows.values()]
    standings = Column("placement", [Text(one.standing) for one in lines], names=True)
    states = Column("state", [Text(one.apart) for one in lines], names=True)
    heads = [along.head(points[0]), *map(str, points[1:])]
    yield FittingTable(
        [
            Column("mechanism", [Text(one.mechanism, "bold") for one in lines], names=True),
            Column("runtime", [Text(one.runtime) for one in lines], names=True),
            *([standings] if len({one.standing for one in lines}) > 1 else []),
            *([states] if any(one.apart for one in lines) else []),
            *columns.warmups([one.warmup for one in lines], shown=names.tells_warmups(cases)),
            *(
                Column(head, _cells(lines, of, declared), rank)
                for head, of, rank in zip(heads, points, _ranks(len(points)), strict=True)
            ),
        ]
    )
    yield Text()


def _order(one: Family, points: Sequence[int], declared: Declaration) -> list[tuple[float, ...]]:
    nearest = min(map(state, one.rows.values()))
    return [nearest, *(merit(one.rows.get(of), declared) for of in reversed(points))]


def _cells(lines: Sequence[Family], point: int, declared: Declaration) -> list[Text]:
    """What each line does at this point; the best stands out, but none that loses some of its work."""
    headline, rows = declared.figure(declared.headline), [one.rows.get(point) for one in lines]
    merits = [merit(row, declared) for row in rows]
    best = min((of for of, one in zip(merits, lines, strict=True) if not lost(one, declared)), default=None)
    return [
        cells.figure(headline.unit, row.figures.get(headline.name) if row else None, "bold green" if of == best else "")
        for of, row in zip(merits, rows, strict=True)
    ]


def _ranks(number: int) -> list[int]:
    """In which order columns go where not all fit: every other one from the second, both ends never."""
    inner = [*range(1, number - 1)]
    going = [*inner[::2], *inner[1::2]]
    return [len(going) - going.index(place) if place in going else 0 for place in range(number)]
