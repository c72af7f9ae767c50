"""The matrix in what somebody pasted: found among banners, prompts, fences and colours, and refused where it is none.

core-to-core-latency prints a table for a person, "34±0" between every two CPUs, to stderr, and with `--csv` rows of
commas to stdout; a paste may hold both, and several of each. c2clat prints a table that begins with "CPU", or with `-p`
what gnuplot reads.
"""

import csv
import html
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from msgspec.structs import replace

from threadping.model.bounds import Record
from threadping.model.cases import Pair

Form = Literal["core-to-core-latency", "c2clat"]

MOST_CPUS = 1024
"""Of a matrix; what c2clat can see (CPU_SETSIZE). Half a million pairs take some 0.5 GB."""

COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\[\d{1,3}(?:;\d{1,3})*m")
"""As a terminal writes it, and as it looks where the escape character was lost."""

QUOTED = re.compile(r"(?:> ?)+")
"""As in a mail."""

MISREAD = str.maketrans({"\N{REPLACEMENT CHARACTER}": "±", "\ufeff": "", "\N{ZERO WIDTH SPACE}": ""})
TITLE = re.compile(r"\d\) (\S.{0,200})")
PLOTTED = re.compile(r"\$\w{1,40} *<< *['\"]?(\w{1,40})['\"]?")
WHOLE = re.compile(r"[0-9]{1,6}")
NAME = re.compile(r"(?:(?:cpu|core|thread)[ _-]?)?([0-9]{1,6})", re.IGNORECASE)
"""Of a CPU, in a header or an index."""

NUMBER = re.compile(r"[0-9]{1,10}(?:[.,][0-9]{1,60})?")
SPREAD = re.compile(r"(?:±|\+/?-).{0,20}")
"""What stands behind a mean."""

NO_FIGURE = ("", "NaN", "nan", "NA", "-", "--", "\N{EN DASH}", "\N{EM DASH}")
FOREIGN = re.compile(r"[$@~\u276f\u279c\u00bb`]|[^0-9]{25}")
"""It is in a prompt or in prose, and in no cell."""


class PastedRow(Record, frozen=True):
    """A line of a table: its number in the file, and what stands in its cells."""

    line: int
    cells: tuple[str, ...]


class Table(Record, frozen=True):
    """Rows that may be a matrix.

    Attributes:
        form: of which tool.
        title: of the benchmark; empty where it does not say.
        rows: in their order.
        cpus: which it names itself; None where its rows are all.
        by_columns: whether cells are parted by a character, so that a first row or column may name CPUs.
    """

    form: Form
    title: str
    rows: tuple[PastedRow, ...]
    cpus: tuple[int, ...] | None = None
    by_columns: bool = False


class Broken(Exception):
    """A table begins as one of a tool does, and does not go on so: why, in a clause."""


def lines_of(text: str) -> list[str]:
    """The lines, without colours, quotation marks of a mail, and what HTML or a wrong encoding made of them."""
    text = COLOUR.sub("", html.unescape(text) if "&" in text else text)
    text = text.replace("\u00c2±", "±").replace("\u252c\u2592", "±").translate(MISREAD)
    return [line[found.end() :] if (found := QUOTED.match(line)) else line for line in re.split(r"\r*\n|\r", text)]


def tables(lines: Sequence[str]) -> Iterator[Table]:
    """Find every table; raises Broken where one of c2clat's, or one for a person, ends too soon."""
    at, title = 0, ""
    while at < len(lines):
        for begins in (_c2clat, _plotted, _printed, _spaced, _separated):
            if found := begins(lines, at):
                table, at = found
                yield table if table.form == "c2clat" else replace(table, title=title)
                break
        else:
            title = named[1].strip() if (named := TITLE.match(lines[at].strip())) else title
            at += 1


Parsed = tuple[Table, int] | None
"""A table, and the first place behind it."""


def _next(lines: Sequence[str], at: int) -> int:
    """The place of the next line that is not blank; the end where there is none."""
    at += 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def words(lines: Sequence[str], at: int) -> list[str]:
    """What stands in a line, parted by blanks: of more than a row can hold the rest is one word."""
    return lines[at].split(None, MOST_CPUS + 2) if at < len(lines) else []


def excerpt(written: str) -> str:
    """The beginning of what somebody wrote, on one line and without what moves a cursor."""
    begin = " ".join(written[:400].split())[:40]
    return "".join(letter if letter.isprintable() else "?" for letter in begin)


def cpu(text: str, line: int) -> int:
    """The number of a CPU; raises Broken."""
    if not WHOLE.fullmatch(text):
        raise Broken(f"'{excerpt(text)}' in line {line} is no CPU")
    return int(text)


def _c2clat(lines: Sequence[str], at: int) -> Parsed:
    first, *named = words(lines, at) or [""]
    if first != "CPU" or 2 * sum(map(bool, map(WHOLE.fullmatch, named))) < max(1, len(named)):
        return None
    cpus = tuple(cpu(one, at + 1) for one in named)
    place, rows = _next(lines, at), list[tuple[int, list[str]]]()
    while len(rows) < len(cpus) and WHOLE.fullmatch(next(iter(words(lines, place)), "")):
        rows.append((place + 1, words(lines, place)))
        place = _next(lines, place)
    if tuple(int(row[0]) for _, row in rows) != cpus or len(set(cpus)) < len(cpus):
        raise Broken(f"the rows and the first line of the table in line {at + 1} name different CPUs")
    return Table("c2clat", "", tuple(PastedRow(line, tuple(row[1:])) for line, row in rows), cpus), place


def _plotted(lines: Sequence[str], at: int) -> Parsed:
    """What `c2clat -p` hands to gnuplot; it does not say which CPUs these are."""
    begun = PLOTTED.fullmatch(lines[at].strip())
    if not begun or words(lines, _next(lines, at))[:1] == ["CPU"]:  # a fork's, with the names of CPUs: _c2clat's
        return None
    rows, place = [], _next(lines, at)
    while place < len(lines) and lines[place].strip() != begun[1]:
        rows.append(PastedRow(place + 1, tuple(words(lines, place))))
        place = _next(lines, place)
        if len(rows) > MOST_CPUS:
            break
    if place >= len(lines):
        raise Broken(f"the end ({begun[1]}) of the table in line {at + 1} is missing. Copy it again")
    if not rows:
        raise Broken(f"the table in line {at + 1} is empty")
    return Table("c2clat", "", tuple(rows)), place + 1


def _spaced(lines: Sequence[str], at: int) -> Parsed:
    """The same without its frame: figures alone, as many rows as columns, first a 0."""
    first = words(lines, at)
    if len(first) < 2 or len(first) > MOST_CPUS or not _is_nothing(first[0]):
        return None

    def row_of(place: int) -> tuple[str, ...]:
        row = words(lines, place) if place >= 0 else []
        return tuple(row) if len(row) == len(first) and all(map(_is_figure, row)) else ()

    rows: list[PastedRow] = []
    while not row_of(at - 1) and len(rows) <= len(first) and (row := row_of(at + len(rows))):
        rows.append(PastedRow(at + len(rows) + 1, row))
    return (Table("c2clat", "", tuple(rows)), at + len(rows)) if len(rows) == len(first) else None


def _is_nothing(cell: str) -> bool:
    """Whether it is what stands on a diagonal: blank, a dash, no number, or 0."""
    return cell in NO_FIGURE or bool(re.fullmatch(r"0{1,10}([.,]0{1,60})?", cell))


def _is_figure(cell: str) -> bool:
    return cell in NO_FIGURE or bool(NUMBER.fullmatch(cell))


def _printed(lines: Sequence[str], at: int) -> Parsed:
    """What core-to-core-latency prints for a person: CPUs, then a row for each: its number, and a mean with its error.

    A terminal may have broken its lines.
    """
    header, place = _header(lines, at)
    if not header or words(lines, place)[:1] != [header[0]] or len(words(lines, place)) > len(header) + 1:
        return None
    rows = []
    for number, name in enumerate(header):
        line, (first, *cells) = place + 1, words(lines, place) or [""]
        if first != name:
            raise Broken(f"the table in line {at + 1} is of {len(header)} CPUs, but its row of CPU {name} is missing")
        place = _next(lines, place)
        while (more := words(lines, place)) and all(SPREAD.search(cell) for cell in more):
            cells += more
            place = _next(lines, place)
        rows.append(
            PastedRow(line, _with_diagonal([SPREAD.sub("", cell) for cell in cells], number, len(header), line))
        )
    return Table("core-to-core-latency", "", tuple(rows), tuple(map(int, header))), place


def _header(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """The CPUs of a line, and of those that go on with it; and where the rows begin."""
    header: list[str] = []
    known: set[str] = set()
    place = at
    if at and _is_whole(words(lines, at - 1)):
        return [], place  # it goes on with what was no header: of a long list no line is looked at twice
    while (row := words(lines, place)) and row[0] not in known:
        known |= {*row}
        header += row
        if len(known) < len(header) or len(header) > MOST_CPUS or not _is_whole(row):
            return [], place
        place = _next(lines, place)
    return (header, place) if len(header) > 1 else ([], place)


def _is_whole(row: Sequence[str]) -> bool:
    return bool(row) and all(map(WHOLE.fullmatch, row))


def _with_diagonal(cells: list[str], number: int, cpus: int, line: int) -> tuple[str, ...]:
    """As many cells as there are CPUs, of a row that has all, those before its own, or all but its own."""
    if len(cells) == cpus:
        return tuple(cells)
    if len(cells) == number:
        return (*cells, *[""] * (cpus - number))
    if len(cells) == cpus - 1:
        return (*cells[:number], "", *cells[number:])
    raise Broken(f"line {line} has {len(cells)} latencies, where its row has {number}")


def _separated(lines: Sequence[str], at: int) -> Parsed:
    """Rows of cells parted by tabs, semicolons or commas."""
    parts = next((one for one in "\t;," if one in lines[at]), "")
    rows: list[PastedRow] = []
    while at + len(rows) < len(lines) and len(rows) <= 4 * MOST_CPUS:
        place = at + len(rows)
        cells = _cells(lines[place], parts) if parts else None
        if cells is None or not (_is_row(cells) or (rows and len(cells) == len(rows[-1].cells))):
            break
        rows.append(PastedRow(place + 1, cells))
    behind = at + len(rows)
    if rows and (before := _names_above(lines, at, parts, rows[0])):
        rows.insert(0, before)
    return (Table("core-to-core-latency", "", tuple(rows), by_columns=True), behind) if len(rows) > 1 else None


def _names_above(lines: Sequence[str], at: int, parts: str, first: PastedRow) -> PastedRow | None:
    """The line before the first row, where it has as many cells: the names in it are not to be lost."""
    cells = _cells(lines[at - 1], parts) if at else None
    if not cells or len(cells) != len(first.cells):
        return None
    return PastedRow(at, cells) if len(cells) > 2 or all(map(NAME.fullmatch, cells)) else None


def _cells(line: str, parts: str) -> tuple[str, ...] | None:
    """The cells of a line that may be a row; None of one that is a prompt or prose."""
    if not 0 < line.count(parts) < 8 * MOST_CPUS:
        return None
    try:
        (row,) = csv.reader([line], delimiter=parts)
    except (csv.Error, ValueError):
        return None
    cells = tuple(map(str.strip, row))
    return None if any(map(FOREIGN.search, cells)) else cells


def _is_row(cells: Sequence[str]) -> bool:
    return 2 * sum(map(_is_figure, cells)) >= len(cells)


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
