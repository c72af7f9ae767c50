"""Rows side by side: a line for each mechanism and runtime, a column for each number of threads."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.figures.declaration import Declaration
from threadping.model import Row
from threadping.quantities import counted
from threadping.report import cells, columns, names
from threadping.report.rungs import merit, state
from threadping.report.series import Family, families, lost
from threadping.report.table import Column, FittingTable


def pivot(rows: Sequence[Row], declared: Declaration) -> Iterator[RenderableType]:
    """Set the headline side by side, those first that are best with the most threads; nothing where none is varied."""
    threads = sorted({row.case.crews for row in rows})
    if not declared.along or len(threads) < 2:
        return
    lines = sorted(families(rows), key=lambda one: _order(one, threads, declared))
    standings = Column("placement", [Text(one.standing) for one in lines], names=True)
    states = Column("state", [Text(one.apart) for one in lines], names=True)
    heads = [counted(threads[0], declared.along.removesuffix("s")), *map(str, threads[1:])]
    yield FittingTable(
        [
            Column("mechanism", [Text(one.mechanism, "bold") for one in lines], names=True),
            Column("runtime", [Text(one.runtime) for one in lines], names=True),
            *([standings] if len({one.standing for one in lines}) > 1 else []),
            *([states] if any(one.apart for one in lines) else []),
            *columns.warmups([one.warmup for one in lines], shown=names.tells_warmups(row.case for row in rows)),
            *(
                Column(head, _cells(lines, of, declared), rank)
                for head, of, rank in zip(heads, threads, _ranks(len(threads)), strict=True)
            ),
        ]
    )
    yield Text()


def _order(one: Family, threads: Sequence[int], declared: Declaration) -> list[tuple[float, ...]]:
    nearest = min(map(state, one.rows.values()))
    return [nearest, *(merit(one.rows.get(of), declared) for of in reversed(threads))]


def _cells(lines: Sequence[Family], threads: int, declared: Declaration) -> list[Text]:
    """What each line does with so many threads; the best stands out, but none that loses some of its work."""
    headline, rows = declared.figure(declared.headline), [one.rows.get(threads) for one in lines]
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
