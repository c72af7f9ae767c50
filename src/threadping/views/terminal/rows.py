"""The rows of one experiment: names, the headline and how far it reaches, its tail, and what else is declared."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.analysis.declaration import Declaration
from threadping.model import Row
from threadping.views.terminal import cells, columns, names
from threadping.views.terminal.bar import Axis
from threadping.views.terminal.rungs import SEVERITIES, Rung, state
from threadping.views.terminal.table import Column, FittingTable
from threadping.views.terminal.verdicts import mark

PERCENTILES = {"p50": 4, "p99": 1, "p99.9": 3, "max": 5}
"""Those of the first distribution that are shown, with the ranks of their columns."""

OF_FURTHER = {"p50": 2, "p99": 2}
"""And those of a further one."""


def rows_table(rungs: Sequence[Rung], declared: Declaration) -> Iterator[RenderableType]:
    """Lay out an experiment's rungs; those without a figure say why."""
    rows = [rung.row for rung in rungs]
    numbers = Column("#", [_number(rung, rungs[-1].number) for rung in rungs], names=True)
    kinds = {"95% CI" if found.ci95 else "range" for row in rows if (found := row.intervals.get(declared.headline))}
    mixed = len(kinds) > 1
    headline = _headline(rows, declared, "95% CI" if "95% CI" in kinds else "range", mixed=mixed)
    figures = [*headline, *_figures(rows, declared), *_bars(rows, declared)]
    yield FittingTable(
        [numbers, *columns.naming([row.case for row in rows]), *figures],
        across={place: _why_not(row) for place, row in enumerate(rows) if not row.figures},
        apart=[
            place
            for place in range(1, len(rows))
            if state(rows[place - 1]) != state(rows[place])
            or (declared.along and rows[place - 1].case.crews != rows[place].case.crews)
        ],
        above=_states(rows),
    )
    if mixed:
        yield Text("In brackets is the range of fewer than six trials.", "dim")


def _states(rows: Sequence[Row]) -> dict[int, Text]:
    """Above the first row of each state how far CPUs stood apart in it; nothing where there is one."""
    if not any(row.one_of_several for row in rows):
        return {}
    firsts = [place for place, row in enumerate(rows) if not place or state(rows[place - 1]) != state(row)]
    return {place: Text(rows[place].state or "in any state", "bold cyan") for place in firsts}


def _number(rung: Rung, last: int) -> Text:
    number = Text(f"{rung.number:{len(str(last))}} ", "dim")
    return number.append_text(mark(rung.severity)) if rung.severity else number


def _why_not(row: Row) -> Text:
    codes = [one.code for severity in SEVERITIES for one in row.verdicts if one.severity == severity]
    return Text(f"no figure: {codes[0]}" if codes else "no figure", "red")


def _headline(rows: Sequence[Row], declared: Declaration, reach: str, *, mixed: bool) -> list[Column]:
    one = declared.figure(declared.headline)
    values = _values(rows, one.name)
    found = [
        cells.interval(one.unit, value, row.intervals.get(one.name), mixed=mixed)
        for row, value in zip(rows, values, strict=True)
    ]
    return [
        *columns.figures(names.head(one), 0, one.unit, values, "bold"),
        Column(reach, found, rank=1),
    ]


def _figures(rows: Sequence[Row], declared: Declaration) -> Iterator[Column]:
    """The tail of the first distribution, something of the others, and the other figures that have a column."""
    for of in declared.distributions[:1]:
        for name, rank in PERCENTILES.items():
            yield from columns.figures(f"{of.head} {name}".strip(), rank, "ns", _values(rows, f"{of.name}.{name}"))
    for of in declared.distributions[1:]:
        for name, rank in OF_FURTHER.items():
            yield from columns.figures(f"{of.head} {name}", rank, of.unit, _values(rows, f"{of.name}.{name}"))
    for one in declared.figures:
        if one.column and one.column.of_rows and one.name != declared.headline:
            yield from columns.figures(one.column.head, one.column.rank, one.unit, _values(rows, one.name))


def _bars(rows: Sequence[Row], declared: Declaration) -> Iterator[Column]:
    """The headline on a logarithmic axis; where it is a time, with a line on to p99.9."""
    one = declared.figure(declared.headline)
    values = _values(rows, one.name)
    timed = declared.timed if one.unit == "ns" else ()
    tails = _values(rows, f"{timed[0].name}.p99.9") if timed else [None] * len(rows)
    if told := [value for value in (*values, *tails) if value is not None]:
        axis = Axis.over(told)
        bars = [Text() if value is None else axis.bar(value, tail) for value, tail in zip(values, tails, strict=True)]
        yield Column(axis.label(one.unit), bars, rank=9)


def _values(rows: Sequence[Row], name: str) -> list[float | None]:
    return [row.figures.get(name) for row in rows]
