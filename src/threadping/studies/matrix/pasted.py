"""Matrices of other tools: found in what somebody pasted, shown next to one's own, and written as those tools do.

Three layouts are read. A table of words begins with a line of CPUs and has a row for each: core-to-core-latency prints
"34±0" between every two CPUs, c2clat begins with "CPU". A grid of numbers has as many rows as columns, its cells
divided by commas, semicolons, tabs or blanks: core-to-core-latency's CSV. A list of pairs names its columns in its
first line: two of CPUs, and one of latencies. Everything else is refused in a sentence: by its name, if others.toml
knows which tool prints it.
"""

import csv
import html
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from itertools import pairwise, product
from typing import Literal

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.latency_map import LatencyMap, map_of
from threadping.conduct.presenting import Output, present
from threadping.conduct.stored import answered
from threadping.model.base import Record, gathered
from threadping.model.cases import Pair
from threadping.model.errors import Unreadable
from threadping.model.quantities import counted
from threadping.model.run import Pairing
from threadping.model.text import made_literal
from threadping.output import charts, heading, heat, layout, names, records
from threadping.store.store import open_store
from threadping.studies.matrix.study import MAP_FORMATS, maps_of, matrix_of, pasted_sheets

Form = Literal["core-to-core-latency", "c2clat", "CSV", "list of pairs"]
ACCEPTED = (
    "Import the output of core-to-core-latency or c2clat, a CSV with a row and a column for each CPU, or a "
    "list of pairs below a line like cpu1,cpu2,latency_ns"
)

MOST_CPUS = 1024  # of a matrix, as c2clat can see (CPU_SETSIZE): half a million pairs take 0.5 GB
MOST_LINES = 100_000  # of a paste: a hundred matrices of MOST_CPUS
MOST_NS = 1e9  # a second: no latency between two CPUs is larger
ROUNDED = 0.500001  # maximum error of a rounded figure, with an error of arithmetic (ns)

COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\[\d{1,3}(?:;\d{1,3})*m")  # also where the escape character was lost
QUOTED = re.compile(r"(?:> ?)+")  # as in a mail
MISREAD = str.maketrans({"\N{REPLACEMENT CHARACTER}": "±", "\ufeff": "", "\N{ZERO WIDTH SPACE}": ""})
DESCRIBED = [  # lines that say what the tables below them are of, each until the next of its kind or of one before it
    re.compile(r"CPU: (\S.{0,80})"),
    re.compile(r"\d\) (\S.{0,200})"),
    re.compile(r"(Memory domain: \S.{0,80})"),
]
WHOLE = re.compile(r"[0-9]{1,6}")
NAME = re.compile(r"(?:(?:cpu|core|thread)[ _-]?)?([0-9]{1,6})", re.IGNORECASE)  # of a CPU, in a header or an index
NUMBER = re.compile(r"[0-9]{1,10}(?:[.,][0-9]{1,60})?")
SPREAD = re.compile(r"±|\+/?-")  # between a mean and its standard error
CPU_COLUMN = re.compile(r"(?:.*[ _-])?(?:cpu|core)(?:[ _-]?\w{1,2})?", re.IGNORECASE)
LATENCY_COLUMN = re.compile(
    r"(?!.*(?:min|max|us\b|µs|ms\b|micro|milli|cycle|trip|rtt)).*(?:latency|ns\b|nanosec).*", re.I
)
NODE_COLUMN = re.compile(r"mem(?:ory)?[ _-]?(?:numa|node)", re.IGNORECASE)
NO_FIGURE = ("", "NaN", "nan", "NA", "-", "--", "\N{EN DASH}", "\N{EM DASH}")
FOREIGN = re.compile(r"[$@~\u276f\u279c\u00bb`]|[^0-9]{25}")  # in a prompt or in prose, and in no cell


class PastedRow(Record, frozen=True):
    """A line of a table: its number in the file, and its cells."""

    line: int
    cells: tuple[str, ...]


class Table(Record, frozen=True):
    """Rows that may be a matrix."""

    form: Form  # the tool that writes such tables
    rows: tuple[PastedRow, ...]  # in their order
    cpus: tuple[int, ...] | None = None  # the CPUs that a table of words names; None for a grid
    title: str = ""  # of the benchmark; empty where the file does not say


class Figures(Record, frozen=True):
    """The latencies of a table (ns), and what was taken for granted in reading it."""

    of: Table
    cpus: tuple[int, ...]
    values: Mapping[Pair, float]
    spread: Mapping[Pair, float]  # their standard errors (ns), as far as the tool prints them
    note: str = ""


class PastedMatrix(Record, frozen=True):
    """A matrix of another tool: one line, in an unknown state."""

    form: Form  # the tool
    title: str  # of its benchmark; empty where the file does not say
    map: LatencyMap  # its figures
    note: str = ""  # an assumption of the reader, a sentence; empty without any


OTHER_SHAPE = "a matrix of"  # the beginning of a refusal where rows and columns are not as many


class Broken(Exception):
    """A table is no matrix: why, in a clause."""


class OtherOutput(Unreadable):
    """The output of a tool that prints no matrix, and that a command of ours comes near to."""

    exit_code = 2


def read(text: str, what: object) -> tuple[PastedMatrix, ...]:
    """Read every matrix in a text; from a print-out and its CSV make one with the exact figures.

    Raises:
        Unreadable: there is none, or one that cannot be believed; `what` names the text.
    """
    if text.count("\n") + text.count("\r") > 2 * MOST_LINES:
        raise Unreadable(what, f"it has more than {MOST_LINES:,} lines: a matrix of {MOST_CPUS:,} CPUs has fewer")
    lines = lines_of(text)
    found: list[Figures] = []
    refused: dict[int, str] = {}  # by the number of rows
    for table in tables(lines):
        try:
            found += believed(table)
        except Broken as error:
            refused.setdefault(len(table.rows), str(error))
    largest = refused[max(refused)] if refused else ""
    if not found:
        for other in tomllib.loads((files(__package__) / "others.toml").read_text())["others"]:
            if re.search(other["prints"], text, re.MULTILINE):
                raise OtherOutput(what, f"it is {other['is']}, and not a matrix. `{other['command']}` {other['does']}")
        number, first = next(((number, line) for number, line in enumerate(lines, start=1) if line.strip()), (1, ""))
        nothing = f"it is not a matrix: line {number} is '{excerpt(first)}'"
        is_of_a_cell = largest and not largest.startswith(OTHER_SHAPE)
        raise Unreadable(what, largest if is_of_a_cell else f"{largest or nothing}. {ACCEPTED}")
    left_out = f"Something else that may be a matrix was left out: {largest}." if largest else ""
    read_as = []
    for one in _without_printed(found):
        step, known = clock_step(one.values.values()), one.values
        # one where both directions of a pair have the same
        kept = {pair: ns for pair, ns in known.items() if pair[0] < pair[1] or known.get(pair[::-1]) != ns}
        hidden = {pair: max(STEPS_APART * step, one.spread.get(pair, 0.0)) for pair in kept}
        coarse = f"Its figures come in steps of {step:.2g} ns: finer differences are the clock's." if step else ""
        notes = " ".join(filter(None, (one.note, coarse, left_out)))
        read_as.append(PastedMatrix(one.of.form, one.of.title, map_of(one.cpus, kept, None, hidden=hidden), notes))
    return tuple(read_as)


def lines_of(text: str) -> list[str]:
    """Return the lines without colours, quotation marks of a mail, and what HTML or a wrong encoding made of them."""
    text = COLOUR.sub("", html.unescape(text) if "&" in text else text)
    text = text.replace("\u00c2±", "±").replace("\u252c\u2592", "±").translate(MISREAD)
    return [line[found.end() :] if (found := QUOTED.match(line)) else line for line in re.split(r"\r*\n|\r", text)]


def excerpt(written: str) -> str:
    """Return the beginning of a text, on one line and without what moves a cursor."""
    begin = " ".join(written[:400].split())[:40]
    return "".join(letter if letter.isprintable() else "?" for letter in begin)


def tables(lines: Sequence[str]) -> Iterator[Table]:
    """Find every table that may be a matrix."""
    at, said = 0, [""] * len(DESCRIBED)
    while at < len(lines):
        table = _of_words(lines, at) or _of_blanks(lines, at) or _of_pairs(lines, at) or _of_columns(lines, at)
        if table:
            yield replace(table, title=", ".join(filter(None, said)))
            at = table.rows[-1].line
        else:
            for place, mark in enumerate(DESCRIBED):
                if named := mark.match(lines[at].strip()):
                    said[place:] = [named[1].strip(), *[""] * (len(DESCRIBED) - place - 1)]
            at += 1


def _words(lines: Sequence[str], at: int) -> list[str]:
    """Return the words of a line; of more than a row can hold the rest is one word."""
    return lines[at].split(None, MOST_CPUS + 2) if 0 <= at < len(lines) else []


def _of_words(lines: Sequence[str], at: int) -> Table | None:
    """Return a line of CPUs with a row for each: its number, and figures with or without an error."""
    header = _words(lines, at)
    form: Form = "c2clat" if header[:1] == ["CPU"] else "core-to-core-latency"
    header = header[form == "c2clat" :]
    if not 1 < len({*header}) == len(header) <= MOST_CPUS or not all(map(WHOLE.fullmatch, header)):
        return None
    first = _words(lines, at + 1)
    if first[:1] != header[:1] or len(first) > len(header) + 1:
        return None
    rows = []
    for row, name in enumerate(header, start=at + 1):
        begin, *cells = _words(lines, row) or [""]
        if begin != name:
            break
        rows.append(PastedRow(row + 1, tuple(cells)))
    return Table(form, tuple(rows), tuple(map(int, header)))


def _of_blanks(lines: Sequence[str], at: int) -> Table | None:
    """Return figures alone between blanks, as many rows as columns, first a 0: what `c2clat -p` hands to gnuplot."""
    first = _words(lines, at)
    if not 1 < len(first) <= MOST_CPUS or not (first[0] in NO_FIGURE or re.fullmatch(r"0{1,10}([.,]0*)?", first[0])):
        return None

    def row_of(place: int) -> tuple[str, ...]:
        row = _words(lines, place)
        return tuple(row) if len(row) == len(first) and all(map(_is_figure, row)) else ()

    rows: list[PastedRow] = []
    while not row_of(at - 1) and len(rows) <= len(first) and (row := row_of(at + len(rows))):
        rows.append(PastedRow(at + len(rows) + 1, row))
    return Table("c2clat", tuple(rows)) if len(rows) == len(first) else None


def _of_columns(lines: Sequence[str], at: int) -> Table | None:
    """Return rows of cells between tabs, semicolons or commas, with the line above where it may name their columns."""
    divider = next((one for one in "\t;," if one in lines[at]), "")
    rows: list[PastedRow] = []
    while divider and at + len(rows) < len(lines) and len(rows) <= 4 * MOST_CPUS:
        cells = _cells(lines[at + len(rows)], divider)
        is_row = cells and 2 * sum(map(_is_figure, cells)) >= len(cells)
        if cells is None or not (is_row or (rows and len(cells) == len(rows[-1].cells))):
            break
        rows.append(PastedRow(at + len(rows) + 1, cells))
    above = _cells(lines[at - 1], divider) if at and rows else None
    if above and len(above) == len(rows[0].cells) and (len(above) > 2 or all(map(NAME.fullmatch, above))):
        rows.insert(0, PastedRow(at, above))
    return Table("core-to-core-latency", tuple(rows)) if len(rows) > 1 else None


def _of_pairs(lines: Sequence[str], at: int) -> Table | None:
    """Return the CPUs, the latency and the memory node, if any, of each row below a line that names these columns."""
    divider = next((one for one in "\t;," if one in lines[at]), "")
    header = (_cells(lines[at], divider) if divider else None) or ()
    columns = [
        [place for place, name in enumerate(header) if of.fullmatch(name)]
        for of in (CPU_COLUMN, LATENCY_COLUMN, NODE_COLUMN)
    ]
    if len(columns[0]) != 2 or not columns[1]:
        return None
    wanted, rows = (*columns[0], columns[1][0], *columns[2][:1]), list[PastedRow]()
    while at + len(rows) + 1 < len(lines) and (cells := _cells(lines[at + len(rows) + 1], divider)):
        if len(cells) != len(header) or not all(WHOLE.fullmatch(cells[place]) for place in columns[0]):
            break
        rows.append(PastedRow(at + len(rows) + 2, tuple(cells[place] for place in wanted)))
    return Table("list of pairs", tuple(rows)) if rows else None


def _cells(line: str, divider: str) -> tuple[str, ...] | None:
    """Return the cells of a line that may be a row; None for a prompt or prose."""
    if not 0 < line.count(divider) < 8 * MOST_CPUS:
        return None
    try:
        (row,) = csv.reader([line], delimiter=divider)
    except (csv.Error, ValueError):
        return None
    cells = tuple(map(str.strip, row))
    return None if any(map(FOREIGN.search, cells)) else cells


def _is_figure(cell: str) -> bool:
    return cell in NO_FIGURE or bool(NUMBER.fullmatch(cell))


def believed(table: Table) -> list[Figures]:
    """Return the matrices of a table; several where a tool wrote them below each other. Raises Broken."""
    rows, height, width = table.rows, len(table.rows), len(table.rows[0].cells)
    if table.cpus is not None:
        if height < len(table.cpus):
            missing = f"its row of CPU {table.cpus[height]} is missing"
            raise Broken(f"the table in line {rows[0].line - 1} is of {counted(len(table.cpus), 'CPU')}, but {missing}")
        return [_figures(table, table.cpus, rows)]
    if table.form == "list of pairs":
        by_node = gathered((", ".join(f"Memory domain: NUMA node {one}" for one in row.cells[3:]), row) for row in rows)
        cpus = tuple(sorted({cpu for row in rows for cpu in map(int, row.cells[:2])}))
        titles = {node: ", ".join(filter(None, (table.title, node))) for node in by_node}
        return [_figures(replace(table, title=titles[node]), cpus, of_node) for node, of_node in by_node.items()]
    if height > 4 * MOST_CPUS:
        raise Broken(f"more than {MOST_CPUS:,} CPUs are not read")
    other = next((row for row in rows if len(row.cells) != height), rows[0])
    columns = f"{OTHER_SHAPE} {height:,} rows has as many columns, but line {other.line} has {len(other.cells):,}"
    if width < 2 or height % width or any(len(row.cells) != width for row in rows):
        raise Broken(columns)
    if table.form == "core-to-core-latency" and height == width and (cpus := _names(rows)):
        without_first = [PastedRow(row.line, row.cells[1:]) for row in rows[1:]]
        return [_figures(table, cpus, without_first, NAMED_BY_EDGES)]
    try:
        return [_figures(table, tuple(range(width)), rows[first : first + width]) for first in range(0, height, width)]
    except Broken as error:
        raise (error if height == width else Broken(columns)) from error


NAMED_BY_EDGES = "The numbers of its CPUs are those of its first row and column."


def _names(rows: Sequence[PastedRow]) -> tuple[int, ...]:
    """Return the CPUs that the first row and column of a square name; none where these are latencies. Raises Broken."""
    corner, *header = rows[0].cells
    edges = [[NAME.fullmatch(cell) for cell in edge] for edge in (header, [row.cells[0] for row in rows[1:]])]
    across, down = ([int(one[1]) for one in edge if one] for edge in edges)
    may_name = all(len({*edge}) == len(header) > 1 for edge in (across, down))
    if NUMBER.fullmatch(corner) or not may_name:
        return ()
    has_fractions = any("." in cell or "," in cell for row in rows[1:] for cell in row.cells[1:])
    if across == down and (corner not in NO_FIGURE or has_fractions or across == [*range(len(across))]):
        return tuple(across)
    if across != down and (corner not in NO_FIGURE or has_fractions):
        raise Broken(f"line {rows[0].line} and its first column may name CPUs, but not the same ones")
    raise Broken(
        f"the whole numbers in line {rows[0].line} and in its first column may be CPUs or latencies. "
        "Write CPU into the first cell if they are CPUs, and a fraction (20.0) if they are latencies"
    )


def _figures(table: Table, cpus: tuple[int, ...], rows: Sequence[PastedRow], note: str = "") -> Figures:
    """Return the latencies in rows of a pair or of as many CPUs; raises Broken where these are not of pairs."""
    if len(cpus) > MOST_CPUS:
        raise Broken(f"it is of {len(cpus):,} CPUs, and more than {MOST_CPUS:,} are not read")
    is_list = table.form == "list of pairs"
    values, spread = dict[Pair, float](), dict[Pair, float]()
    pairs = (((int(row.cells[0]), int(row.cells[1])), row.cells[2], row.line) for row in rows if is_list)
    for pair, cell, line in pairs if is_list else _of_grid(cpus, rows, may_lack=table.cpus is not None):
        ns, error = _latency(cell, line) or (None, 0.0)
        if pair[0] == pair[1] and ns:
            raise Broken(f"'{excerpt(cell)}' in line {line} is a latency of CPU {pair[0]} with itself")
        if pair in values:
            raise Broken(f"line {line} has a second latency of CPUs {pair[0]} and {pair[1]}")
        if pair[0] != pair[1] and ns is not None:
            values[pair], spread[pair] = ns, error
    if not any(values.values()):
        raise Broken("it has no latency between two CPUs")
    if any((b, a) in values for a, b in values):
        alone = next(((a, b) for a, b in values if (b, a) not in values), None)
        if alone and not is_list:
            raise Broken(f"it has both directions of some pairs, but only one of CPUs {alone[0]} and {alone[1]}")
    elif not is_list:  # all above the diagonal, or all below: names of CPUs among latencies look like neither
        place_of = {name: at for at, name in enumerate(cpus)}
        above = [pair for pair in values if place_of[pair[0]] < place_of[pair[1]]]
        if 0 < len(above) < len(values):
            raise Broken(f"it has CPUs {above[0][0]} and {above[0][1]} above its diagonal, and other pairs below")
    if not table.cpus and not is_list and any(values.get((b, a), ns) != ns for (a, b), ns in values.items()):
        table = replace(table, form="CSV")  # core-to-core-latency's usual CSV has one direction, other tools' have both
    return Figures(table, cpus, values, spread, note)


def _of_grid(cpus: Sequence[int], rows: Sequence[PastedRow], *, may_lack: bool) -> Iterator[tuple[Pair, str, int]]:
    """Yield each pair with its cell and line; a row may lack its own CPU, or all from it on. Raises Broken."""
    for place, (name, row) in enumerate(zip(cpus, rows, strict=True)):
        cells = [*row.cells]
        if may_lack and len(cells) == place:
            cells += [""] * (len(cpus) - place)
        elif may_lack and len(cells) == len(cpus) - 1:
            cells.insert(place, "")
        elif len(cells) != len(cpus):
            raise Broken(f"line {row.line} has {counted(len(cells), 'figure')}, where its row has {place}")
        yield from (((name, other), cell, row.line) for other, cell in zip(cpus, cells, strict=True))


def _latency(cell: str, line: int) -> tuple[float, float] | None:
    """Return the latency in a cell and its standard error, 0 where the tool prints none; None for an empty cell."""
    if cell in NO_FIGURE:
        return None
    figure, error, *_ = [*SPREAD.split(cell, maxsplit=1), "0"]
    ns = float(figure.replace(",", ".")) if NUMBER.fullmatch(figure) else MOST_NS + 1
    if ns > MOST_NS:
        raise Broken(f"'{excerpt(cell)}' in line {line} is not a latency in nanoseconds")
    return ns, float(error.replace(",", ".")) if NUMBER.fullmatch(error) else 0.0


def _without_printed(found: Sequence[Figures]) -> list[Figures]:
    """Return one for each measurement: the exact figures of a CSV, which names no CPUs, with its print-out's CPUs."""
    left = [*found]
    for printed in (one for one in found if one.of.cpus is not None):
        of, unnamed = printed.cpus, tuple(range(len(printed.cpus)))
        for exact in left:
            if exact.of.form == "core-to-core-latency" and not exact.of.cpus and exact.cpus == unnamed:
                values = {(of[a], of[b]): ns for (a, b), ns in exact.values.items()}
                errors = (abs(ns - printed.values.get(pair, -1.0)) for pair, ns in values.items())
                if len(values) == len(printed.values) and all(error <= ROUNDED for error in errors):
                    left[left.index(exact)] = replace(printed, values=values)
                    left.remove(printed)
                    break
    return left


COARSE_NS = 3.0  # minimum step of a clock that is looked for; whole figures of a finer one look like any others
STEPS_APART = 1.5  # Medians of two groups that are fewer steps of the clock apart are one group's
FEWEST_FIGURES, FEWEST_STEPS, MOST_STEPS, MOST_DISTINCT = 21, 4, 1000, 40
OFF_WHOLE, OFF_EXACT = 0.75, 0.05  # maximum distance (ns) from a multiple of the step of whole and of other figures


def clock_step(figures: Collection[float]) -> float:
    """Return the step (ns) of the coarse clock by which figures were measured; 0 if they do not come in steps.

    All of four or more distinct figures must be near multiples of it, and most of them next to each other: that is so
    of fewer than 1 of 100 maps whose figures vary freely.
    """
    known = sorted({ns for ns in figures if ns})
    off = OFF_WHOLE if all(ns == round(ns) for ns in known) else OFF_EXACT
    if len(figures) < FEWEST_FIGURES or not FEWEST_STEPS <= len(known) <= MOST_DISTINCT:
        return 0.0
    most = min(MOST_STEPS, int(known[-1] / COARSE_NS))
    for number, error in product(range(FEWEST_STEPS, most + 1), (0.0, -0.5, 0.5, -1.0, 1.0)):
        step = (known[-1] + error * off) / number
        if all(ns > off and abs(ns - round(ns / step) * step) <= off for ns in known):
            gaps = [after - before for before, after in pairwise(sorted({round(ns / step) for ns in known}))]
            if len(gaps) + 1 >= FEWEST_STEPS and 2 * gaps.count(1) >= len(gaps):
                return step
    return 0.0


PASTED_FORMATS: Mapping[str, Callable[[LatencyMap], str]] = {
    "json": lambda found: records.as_json(*pasted_sheets(found), cpus=found.cpus),
    "csv": lambda found: records.as_csv(pasted_sheets(found)[0]),
    **MAP_FORMATS,
}


def show_pasted(text: str, name: str, output: Output) -> int:
    """Print what other tools have written, next to the newest matrix of this machine; the exit code."""
    found = read(text, name)
    if len(found) > 1 and (output != Output(location=output.location)):
        which = f" ({found[0].title})" if found[0].title else ""
        held = names.plain(f"{name} holds {len(found)} matrices: this is the first{which}")
        print(f"{held}. For another, delete the text before it; a table shows all.", file=sys.stderr)

    def beside_ours() -> layout.Block:
        with open_store(output.location) as store:
            own = (
                run for run, trials in store.newest() if isinstance(run.study, Pairing) and trials and not run.imported
            )
            newest = next(own, None)
            return layout.Blocks.of(*pasted_screen(name, found, answered(store, str(newest.id)) if newest else None))

    def chart() -> layout.Json:
        made = heat.heat_charts({"": found[0].map}, None, "by another tool")
        return charts.top(charts.whole(charts.some([*made], "no pair has a figure")[0]))

    formats = {name: partial(write, found[0].map) for name, write in PASTED_FORMATS.items()}
    return present(output, formats, beside_ours, chart=chart)


def pasted_screen(name: str, found: Sequence[PastedMatrix], ours: Answer | None) -> Iterator[layout.Block]:
    """Show what other tools have measured, and the newest matrix of one's own."""
    for one in found:
        title = f" {names.plain(one.title)}," if one.title else ""
        what = f": {one.form},{title} {counted(len(one.map.cpus), 'CPU')}."
        yield Text.assemble((names.plain(name), "bold"), what)
        if one.note:
            yield Text(one.note)
        yield from maps_of({"": one.map}, None)
        if zeros := sum(not ns for ns in one.map.ns.values()):
            yield Text(f"{counted(zeros, 'figure')} of 0: the tool's clock was too coarse. They belong to no group.")
        yield Text()
    if ours:
        yield heading.where(ours.run)
        yield from maps_of(matrix_of(ours).maps, ours.run.machine.topology)
    else:
        yield Text(made_literal("`threadping matrix` measures your own, to be shown next to it."), "dim")
