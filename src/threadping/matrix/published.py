"""Matrices as other tools write them: core-to-core-latency's and c2clat's, read from any paste, and written exactly."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from threadping.analysis.estimate import Estimate
from threadping.errors import MatrixUnreadable
from threadping.matrix.matrix import Cell, Matrix, with_clusters
from threadping.matrix.pasted import (
    MOST_CPUS,
    NAME,
    NO_FIGURE,
    NUMBER,
    Broken,
    Form,
    Row,
    Table,
    lines_of,
    shown,
    tables,
)
from threadping.model import Record

MOST_NS = 1e9
"""A second: what is larger is no latency between two CPUs."""

MOST_LINES = 100_000
"""Of a paste: a hundred matrices of as many CPUs as are read."""

NAMED = "The numbers of its CPUs are those of its first row or column."
NOTES: Mapping[str, str] = {
    **dict.fromkeys(("header and index", "header", "index"), NAMED),
    "trailing": "Its rows end in a separator: if a row was cut off, a CPU is missing.",
}
"""What each reading takes for granted."""

ROUNDED = 0.500001
"""A whole number differs by so much, and by an error of arithmetic, from what it was made of (ns)."""

Pair = tuple[int, int]


class Published(Record, frozen=True):
    """A matrix of another tool.

    Attributes:
        form: of which tool.
        title: of its benchmark; empty where the file does not say.
        matrix: its figures, of one line, and of no known state.
        note: what was taken for granted in reading it, a sentence; empty where nothing was.
    """

    form: Form
    title: str
    matrix: Matrix
    note: str = ""


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


def read(text: str, what: object) -> tuple[Published, ...]:
    """Read every matrix in a text; where one is there as CSV and as it was printed, what is exact.

    Raises:
        MatrixUnreadable: there is none, or one that cannot be believed; `what` names the text.
    """
    if text.count("\n") + text.count("\r") > 2 * MOST_LINES:
        raise MatrixUnreadable(what, f"it has more than {MOST_LINES:,} lines, and no matrix of {MOST_CPUS:,} CPUs has")
    lines = lines_of(text)
    found: list[Figures] = []
    refused: list[tuple[int, Broken]] = []
    try:
        for table in tables(lines):
            try:
                found += believed(table)
            except Broken as error:
                if not table.by_columns:
                    raise
                refused.append((len(table.rows), error))
    except Broken as error:
        raise MatrixUnreadable(what, str(error)) from error
    if not found:
        raise MatrixUnreadable(what, str(max(refused, key=lambda one: one[0])[1]) if refused else _nothing(lines))
    return tuple(
        Published(one.of.form, one.of.title, _matrix(one.cpus, one.values), one.note) for one in _without_printed(found)
    )


def _nothing(lines: Sequence[str]) -> str:
    number, first = next(((number, line) for number, line in enumerate(lines, start=1) if line.strip()), (1, ""))
    return f"it is no matrix of core-to-core-latency or c2clat: line {number} is '{shown(first)}'"


def believed(table: Table) -> list[Figures]:
    """The matrices that the rows are; several where a tool wrote them below each other. Raises Broken."""
    if table.cpus is not None:
        return [_figures(table, table.cpus, table.rows)]
    errors: list[Broken] = []
    readings: dict[str, list[Figures]] = {}
    for name, reading in _readings(table.rows, table.by_columns):
        try:
            readings[name] = [_figures(table, cpus, rows) for cpus, rows in reading]
        except Broken as error:
            errors.append(error)
    if _differ(table.rows) and readings.keys() <= {"plain"}:
        raise Broken(f"line {table.rows[0].line} and its first column may name CPUs, but they differ")
    if not readings:
        raise errors[0] if errors and len(table.rows) <= len(table.rows[0].cells) + 1 else _not_square(table.rows)
    name = _choose([*readings], table.rows)
    return [replace(one, note=NOTES.get(name, "")) for one in readings[name]]


Square = tuple[tuple[int, ...], Sequence[Row]]


def _readings(rows: Sequence[Row], by_columns: bool) -> Iterator[tuple[str, list[Square]]]:
    """Every way to see a square in rows of cells, with the CPUs that it is of: those with names first."""
    height, widths = len(rows), {len(row.cells) for row in rows}
    if len(widths) > 1 or max(height, *widths) > 4 * MOST_CPUS:
        return
    (width,) = widths
    by_number = tuple(range(width))
    above = _names(rows[0].cells) if by_columns else None
    beside = _names([row.cells[0] for row in rows]) if by_columns else None
    if height == width and by_columns:
        across, down = _names(rows[0].cells[1:]), _names([row.cells[0] for row in rows[1:]])
        if across and across == down and not NUMBER.fullmatch(rows[0].cells[0]):
            yield "header and index", [(across, _without_first(rows[1:]))]
    if height == width + 1 and above:
        yield "header", [(above, rows[1:])]
    if width == height + 1 and beside:
        yield "index", [(beside, _without_first(rows))]
    if width == height + 1 and by_columns and not any(row.cells[-1] for row in rows):
        yield "trailing", [(by_number[:-1], [Row(row.line, row.cells[:-1]) for row in rows])]
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


def _without_first(rows: Sequence[Row]) -> list[Row]:
    return [Row(row.line, row.cells[1:]) for row in rows]


def _choose(readings: Sequence[str], rows: Sequence[Row]) -> str:
    """The reading that is meant, where figures may be names of CPUs; Broken where that cannot be known."""
    first, *others = readings
    if not others:
        return first
    corner, in_a_row = rows[0].cells[0], first == "header and index"
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


def _differ(rows: Sequence[Row]) -> bool:
    """Whether the first row and the first column name CPUs, and not the same."""
    above, beside = _names(rows[0].cells[1:]), _names([row.cells[0] for row in rows[1:]])
    named = above is not None and beside is not None and not NUMBER.fullmatch(rows[0].cells[0])
    return named and above != beside


def _has_fractions(rows: Sequence[Row]) -> bool:
    """Whether any figure of a table, but for its first row and column, is no whole number."""
    return any("." in cell or "," in cell for row in rows[1:] for cell in row.cells[1:])


def _not_square(rows: Sequence[Row]) -> Broken:
    other = next((row for row in rows if len(row.cells) != len(rows)), rows[0])
    counted = f"a matrix of {len(rows):,} rows has as many columns, but line {other.line} has {len(other.cells):,}"
    return Broken(f"more than {MOST_CPUS:,} CPUs are not read" if len(rows) > 4 * MOST_CPUS else counted)


def _figures(table: Table, cpus: Sequence[int], rows: Sequence[Row]) -> Figures:
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
                raise Broken(f"'{shown(cell)}' in line {row.line} is a latency of CPU {name} with itself")
            if name != other and ns is not None:
                values[name, other] = ns
    if not any(values.values()) or len(cpus) < 2:
        raise Broken("it has no latency between two CPUs")
    if (pair := _one_way(cpus, values)) is not None:
        raise Broken(f"it has both directions of some pairs, but only one of CPUs {pair[0]} and {pair[1]}")
    return Figures(table, tuple(cpus), values)


def _latency(cell: str, line: int) -> float | None:
    if cell in NO_FIGURE:
        return None
    ns = float(cell.replace(",", ".")) if NUMBER.fullmatch(cell) else MOST_NS + 1
    if ns > MOST_NS:
        raise Broken(f"'{shown(cell)}' in line {line} is no latency in nanoseconds")
    return ns


def _one_way(cpus: Sequence[int], values: Mapping[Pair, float]) -> Pair | None:
    """A pair of which one direction is known though of others both are: names among the figures look like that."""
    if not any((b, a) in values for a, b in values):
        place = {name: at for at, name in enumerate(cpus)}
        above = next(((a, b) for a, b in values if place[a] < place[b]), None)
        below = any(place[a] > place[b] for a, b in values)
        return above if below else None
    return next(((a, b) for a, b in values if (b, a) not in values), None)


def _without_printed(found: Sequence[Figures]) -> list[Figures]:
    """All, but one for each measurement: of what was printed, rounded, and written as CSV what is exact.

    It keeps the CPUs' numbers and the title, which the CSV lacks.
    """
    left = [*found]
    for printed in found:
        exact = None if printed.of.by_columns else next((one for one in left if _rounds_to(one, printed)), None)
        if exact is not None:
            left[left.index(exact)] = Figures(printed.of, printed.cpus, _renamed(exact, printed.cpus))
            left.remove(printed)
    return left


def _rounds_to(exact: Figures, printed: Figures) -> bool:
    """Whether what was printed are the rounded figures of a CSV, which names no CPUs."""
    cpus = tuple(range(len(printed.cpus)))
    if not exact.of.by_columns or exact.of.form != printed.of.form or exact.cpus != cpus:
        return False
    values = _renamed(exact, printed.cpus)
    return values.keys() == printed.values.keys() and all(
        abs(ns - printed.values[pair]) <= ROUNDED for pair, ns in values.items()
    )


def _renamed(of: Figures, cpus: Sequence[int]) -> dict[Pair, float]:
    return {(cpus[a], cpus[b]): ns for (a, b), ns in of.values.items()}


def _matrix(cpus: Sequence[int], values: Mapping[Pair, float]) -> Matrix:
    both = {pair for pair in values if values.get(pair[::-1], values[pair]) != values[pair]}
    kept = {pair: ns for pair, ns in values.items() if pair in both or pair[::-1] not in values or pair[0] < pair[1]}
    cells = tuple(Cell(pair, "unknown", Estimate(ns)) for pair, ns in kept.items())
    return with_clusters(Matrix(tuple(cpus), ("unknown",), cells), None)


def core_to_core_latency(of: Matrix) -> str:
    """A line for each CPU, by number: its latency to those before it, and to all where both directions are known."""
    cpus, leading = sorted(of.cpus), of.leading()
    ways = {cell.cpus for cell in leading.values()}
    directed = any(pair[::-1] in ways for pair in ways)
    lines = []
    for place, cpu in enumerate(cpus):
        shown = [leading.get((cpu, other)) if directed or at < place else None for at, other in enumerate(cpus)]
        lines.append(",".join("" if cell is None else _exactly(cell.latency.value) for cell in shown))
    return "".join(f"{line}\n" for line in lines)


def _exactly(ns: float) -> str:
    """The shortest decimal number that is this one, as Rust writes it: never with an exponent."""
    return np.format_float_positional(ns, trim="-")


def c2clat(of: Matrix) -> str:
    """A table of whole nanoseconds; 0 of a CPU with itself, and where nothing is known."""
    cpus, leading = sorted(of.cpus), of.leading()
    lines = ["".join([f"{'CPU':>4}", *(f" {cpu:>4}" for cpu in cpus)])]
    for cpu in cpus:
        shown = [leading.get((cpu, other)) for other in cpus]
        lines.append("".join([f"{cpu:>4}", *(f" {round(cell.latency.value) if cell else 0:>4}" for cell in shown)]))
    return "".join(f"{line}\n" for line in lines)
