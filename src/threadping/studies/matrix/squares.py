"""Which table is a matrix, and of which CPUs: whether cells are latencies or names of CPUs is decided, or refused."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from threadping.model.bounds import Record
from threadping.model.cases import Pair
from threadping.studies.matrix.pasted import MOST_CPUS, NAME, NO_FIGURE, NUMBER, Broken, PastedRow, Table, excerpt

MOST_NS = 1e9
"""A second: what is larger is no latency between two CPUs."""

BOTH = "header and index"
NAMED_BY_EDGES = "The numbers of its CPUs are those of its first row or column."
NOTES: Mapping[str, str] = {
    **dict.fromkeys((BOTH, "header", "index"), NAMED_BY_EDGES),
    "trailing": "Its rows end in a separator: if a row was cut off, a CPU is missing.",
}
"""What each reading takes for granted."""


class Figures(Record, frozen=True):
    """A table that was believed.

    Attributes:
        of: the table.
        cpus: whose figures these are.
        values: from one to another, where there is one (ns).
        note: what was taken for granted.
    """

    of: Table
    cpus: tuple[int, ...]
    values: Mapping[Pair, float]
    note: str = ""


def believed(table: Table) -> list[Figures]:
    """The matrices that the rows are; several where a tool wrote them below each other. Raises Broken."""
    if table.cpus is not None:
        return [_figures(table, table.cpus, table.rows)]
    errors: dict[str, Broken] = {}
    readings: dict[str, list[Figures]] = {}
    for name, reading in _readings(table.rows, table.by_columns):
        try:
            readings[name] = [_figures(table, cpus, rows) for cpus, rows in reading]
        except Broken as error:
            errors[name] = error
    if BOTH not in readings and table.by_columns and _may_name_cpus(table.rows):
        differ = f"line {table.rows[0].line} and its first column may name CPUs, but not the same ones in rising order"
        raise errors.get(BOTH) or Broken(differ)
    if not readings:
        of_a_square = len(table.rows) <= len(table.rows[0].cells) + 1
        raise next(iter(errors.values())) if errors and of_a_square else _not_square(table.rows)
    name = _choose([*readings], table.rows)
    return [replace(one, note=NOTES.get(name, "")) for one in readings[name]]


Square = tuple[tuple[int, ...], Sequence[PastedRow]]


def _readings(rows: Sequence[PastedRow], by_columns: bool) -> Iterator[tuple[str, list[Square]]]:
    """Every way to see a square in rows of cells, with the CPUs that it is of: those with names first."""
    height, widths = len(rows), {len(row.cells) for row in rows}
    if len(widths) != 1 or max(height, *widths, 0) > 4 * MOST_CPUS:
        return
    (width,) = widths
    by_number = tuple(range(width))
    above = _names(rows[0].cells) if by_columns else None
    beside = _names([row.cells[0] for row in rows]) if by_columns else None
    if height == width and by_columns:
        across, down = _names(rows[0].cells[1:]), _names([row.cells[0] for row in rows[1:]])
        if across and across == down and not NUMBER.fullmatch(rows[0].cells[0]):
            yield BOTH, [(across, _without_first(rows[1:]))]
    if height == width + 1 and above:
        yield "header", [(above, rows[1:])]
    if width == height + 1 and beside:
        yield "index", [(beside, _without_first(rows))]
    if width == height + 1 and by_columns and not any(row.cells[-1] for row in rows):
        yield "trailing", [(by_number[:-1], [PastedRow(row.line, row.cells[:-1]) for row in rows])]
    if height == width:
        yield "plain", [(by_number, rows)]
    elif by_columns and width > 1 and height % width == 0:
        yield "stacked", [(by_number, rows[at : at + width]) for at in range(0, height, width)]


def _names(cells: Sequence[str]) -> tuple[int, ...] | None:
    """The numbers of two CPUs or more, rising; None where the cells are something else."""
    found = [NAME.fullmatch(cell) for cell in cells]
    numbers = tuple(int(one[1]) for one in found if one)
    rising = all(a < b for a, b in pairwise(numbers))
    return numbers if len(numbers) == len(cells) and len(numbers) > 1 and rising else None


def _without_first(rows: Sequence[PastedRow]) -> list[PastedRow]:
    return [PastedRow(row.line, row.cells[1:]) for row in rows]


def _choose(readings: Sequence[str], rows: Sequence[PastedRow]) -> str:
    """The reading that is meant, where figures may be names of CPUs; Broken where that cannot be known."""
    first, *others = readings
    if not others:
        return first
    corner, in_a_row = rows[0].cells[0], first == BOTH
    names = rows[0].cells[1:] if in_a_row else [row.cells[0] for row in rows]
    is_named = corner not in NO_FIGURE and not NUMBER.fullmatch(corner)
    if is_named or [*map(_number, names)] == [*range(len(names))] or _has_fractions(rows):
        return first
    raise Broken(
        f"the whole numbers in line {rows[0].line} and in its first column may be CPUs or latencies. "
        "Write CPU into the first cell if they are CPUs, and a fraction (20.0) if they are latencies"
    )


def _number(name: str) -> int | None:
    found = NAME.fullmatch(name)
    return int(found[1]) if found else None


def _may_name_cpus(rows: Sequence[PastedRow]) -> bool:
    """Whether the first row and the first column of a square may name CPUs: whole numbers, each but once."""
    if len(rows) != len(rows[0].cells) or NUMBER.fullmatch(rows[0].cells[0]):
        return False
    edges = [[_number(cell) for cell in edge] for edge in (rows[0].cells[1:], [row.cells[0] for row in rows[1:]])]
    return all(None not in edge and len({*edge}) == len(edge) > 1 for edge in edges)


def _has_fractions(rows: Sequence[PastedRow]) -> bool:
    """Whether any figure of a table, but for its first row and column, is no whole number."""
    return any("." in cell or "," in cell for row in rows[1:] for cell in row.cells[1:])


def _not_square(rows: Sequence[PastedRow]) -> Broken:
    other = next((row for row in rows if len(row.cells) != len(rows)), rows[0])
    counted = f"a matrix of {len(rows):,} rows has as many columns, but line {other.line} has {len(other.cells):,}"
    return Broken(f"more than {MOST_CPUS:,} CPUs are not read" if len(rows) > 4 * MOST_CPUS else counted)


def _figures(table: Table, cpus: Sequence[int], rows: Sequence[PastedRow]) -> Figures:
    """The latencies in a square of cells; raises Broken where one is none, or where they are not of pairs."""
    if len(cpus) > MOST_CPUS:
        raise Broken(f"it is of {len(cpus):,} CPUs, and more than {MOST_CPUS:,} are not read")
    values = {}
    for name, row in zip(cpus, rows, strict=True):
        if len(row.cells) != len(cpus):
            raise _not_square(rows)
        for other, cell in zip(cpus, row.cells, strict=True):
            ns = _latency(cell, row.line)
            if name == other and ns:
                raise Broken(f"'{excerpt(cell)}' in line {row.line} is a latency of CPU {name} with itself")
            if name != other and ns is not None:
                values[name, other] = ns
    if not any(values.values()) or len(cpus) < 2:
        raise Broken("it has no latency between two CPUs")
    _check_directions(cpus, values)
    return Figures(table, tuple(cpus), values)


def _latency(cell: str, line: int) -> float | None:
    if cell in NO_FIGURE:
        return None
    ns = float(cell.replace(",", ".")) if NUMBER.fullmatch(cell) else MOST_NS + 1
    if ns > MOST_NS:
        raise Broken(f"'{excerpt(cell)}' in line {line} is no latency in nanoseconds")
    return ns


def _check_directions(cpus: Sequence[int], values: Mapping[Pair, float]) -> None:
    """Raise Broken unless every pair is in one triangle, or every pair in both: names among figures look like that."""
    if any((b, a) in values for a, b in values):
        if pair := next(((a, b) for a, b in values if (b, a) not in values), None):
            raise Broken(f"it has both directions of some pairs, but only one of CPUs {pair[0]} and {pair[1]}")
        return
    place = {name: at for at, name in enumerate(cpus)}
    above = next(((a, b) for a, b in values if place[a] < place[b]), None)
    if above and any(place[a] > place[b] for a, b in values):
        raise Broken(f"it has CPUs {above[0]} and {above[1]} above its diagonal, and other pairs below")
