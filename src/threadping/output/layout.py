"""The blocks that any printer prints: sheets, whose fields are each declared once, grids of texts, and sentences.

Records for a program are made of the same fields (`records.py`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial, wraps
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast

from msgspec import Struct
from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping.analysis.declaration import Figure, Row, Unit
from threadping.analysis.percentiles import Estimate
from threadping.model import quantities
from threadping.model.base import value_at
from threadping.model.quantities import ABSENT

UNIT_STYLES = {"ns": "dim", "\N{MICRO SIGN}s": "yellow", "ms": "red", "s": "bold red"}
"""Styles of units: the longer the time, the more a unit is highlighted. 12 ns and 12 ms look different."""

ONES = ((1.0, ""),)
UNIT_SCALES: Mapping[Unit, Sequence[tuple[float, str]]] = {"ns": quantities.UNITS, "per_s": quantities.MULTIPLES}


def figure(unit: Unit, value: float | Estimate | None, style: str = "") -> Text:
    """Write a figure, without how sure it is; a dash where it is not known."""
    if isinstance(value, Estimate):
        value = value.value
    if value is None:
        return Text(quantities.ABSENT, "dim")
    text = WRITTEN[unit](value)
    if unit != "ns":
        return Text(text, style)
    digits, of_time = text.split()
    return Text.assemble((digits, style), " ", (of_time, UNIT_STYLES[of_time]))


def headline(row: Row | None, column: Figure, style: str = "") -> Text:
    """Write the headline of a row, and what it is where the column is called otherwise: `14.2 us mean`."""
    found = row.headline if row else None
    if row is None or found is None:
        return figure(column.unit, None)
    return figure(row.leading.unit, found.value, style) + Text(
        "" if row.leading == column else f" {row.leading.head}", "dim"
    )


WRITTEN: Mapping[Unit, Callable[[float], str]] = {
    "ns": quantities.time,
    "per_s": quantities.count,
    "share": quantities.percent,
    "percent": lambda value: quantities.percent(value / 100),
    "count": "{:,.0f}".format,
    "index": lambda value: f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}",
}


def written(unit: Unit, value: float) -> str:
    """Write a figure in its unit: `59.3 ns`, `16.9 M`, `4.2%`, `1,200`, `0.87` (from 100 on `122`)."""
    return WRITTEN[unit](value)


def tick(unit: Unit, value: float) -> str:
    """Write a round figure as an axis has it, without digits that say nothing: `10 ns`, `1 M`."""
    return re.sub(r"\.0+\b", "", written(unit, value))


def sure(unit: Unit, found: Estimate | None, trials: int = 0, *, ends: bool = False) -> Text:
    """Write how sure a figure is: `±4%`, beyond 10% or with `ends` from where to where; a range in brackets.

    Of one or two trials it is their number; a dash where the figure is not known.
    """
    if found is None or found.kind is None:
        return Text(ABSENT if found is None else quantities.counted(trials, "trial"), "dim")
    narrow = found.half is not None and found.half <= quantities.PLAIN
    if narrow and found.kind == "ci95" and not ends:
        return Text(quantities.around(found.half or 0.0))
    write = quantities.interval if narrow or ends else quantities.from_to
    is_share, scales = unit == "share", UNIT_SCALES.get(unit, ONES)
    reach = quantities.shares(*found.ends) if is_share else write(found.value, *found.ends, scales)
    return Text(reach) if found.kind == "ci95" else Text(f"({reach})", "dim")


def with_interval(unit: Unit, found: Estimate | None, style: str = "") -> Text:
    """Write a figure, and how sure it is where that is known: `65.0 µs ±4%`."""
    text = figure(unit, found, style)
    return text if found is None or found.kind is None else Text(" ").join((text, sure(unit, found)))


Line = TypeVar("Line")
Ends = tuple[float, float]  # the ends of an interval, in the unit of its figure


class Field(Struct, Generic[Line], frozen=True, kw_only=True):
    """A fact of each line of a sheet: a column for a person, an entry of a record for a program."""

    # its value of a line: a number, an Estimate, a text, a sequence; None where it is not known
    of: Callable[[Line], Any]
    head: str = ""  # the head of its column; empty if it has none
    # its name in records; every dot but one before a number at the end leads into a group. Empty: it is in none.
    key: str = ""
    unit: Unit | Callable[[Line], Unit] | None = None  # of its values, or the unit of each line; None of texts
    # of its value in records, for the schema, or the name and fields of records in it; by default a number or null
    # where it has a unit, else a text
    type: Any = None
    means: str = ""  # what it says, in a sentence, for the schema
    # how it is written for a person, where that is not its value in its unit
    write: Callable[[Line], Any] | None = None
    # of its cells, or of the cell of each line: words that a terminal and a page know, such as `bold green`
    style: str | Callable[[Line], str] = ""
    rank: int = 0  # where not all columns fit, those of the highest go first; 0 stays
    names: bool = False  # whether it names its lines: it is then on the left, and wraps
    least: int = 0  # names are not wrapped to less before another column goes
    aligned: bool = False  # whether the cells of its estimates have how sure each is below each other
    if_known: bool = False  # whether its column goes where no line knows it
    # whether its entry goes from the record of a line that does not know it; a group of none is null
    sparse: bool = False


def attribute(
    path: str, means: str = "", type: Any = None, *, show: Callable[[Any], Any] | None = None, **how: Any
) -> Field[Any]:
    """Declare a field that is an attribute of its line, as `test.ratio`; `show` writes its value for a person.

    The last name is the key, unless another is given. Where a value on the way is None, so is that of the field.
    """
    of = partial(value_at, path=path)
    write = show and (lambda line: show(of(line)))
    return Field(**{"key": path.rpartition(".")[2], "of": of, "type": type, "means": means, "write": write, **how})


class Sheet(Struct, Generic[Line], frozen=True):
    """Lines with their fields; `name` is the key of its records in JSON."""

    name: str
    fields: Sequence[Field[Line]]
    lines: Sequence[Line]


class GridColumn(Struct, frozen=True):
    """A column of figures, or of names, which come first and wrap, with a cell for each line.

    Where not all fit, long heads wrap, then columns of the highest `rank` go first, of one rank the last; those of rank
    0 stay. Before one of a rank below 3 goes, all intervals go. Names are not wrapped to less than `least` before a
    column goes.
    """

    head: str
    cells: Sequence[Text]
    rank: int = 0
    names: bool = False
    least: int = 0
    with_intervals: Callable[[], Sequence[Text]] | None = None  # makes the cells of figures that have intervals
    title: str = ""  # its name among those that are not shown; empty for its head
    wider: int = 0  # the minimum width of intervals, with the blank before them


class Grid(Struct, frozen=True):
    """Columns with as many cells each."""

    columns: Sequence[GridColumn]  # what is shown
    across: Mapping[int, Text] = {}  # by the place of its line, a text in place of its figures
    below: Mapping[int, Text] = {}  # by the place of its line, a text below it
    headings: Mapping[int, Text] = {}  # by the place of its line, what the line is in place of all its cells
    gaps: Collection[int] = ()  # the places of the lines above which one is left empty
    rule: bool = True  # whether there is a line below the heads
    silent: bool = False  # whether columns that do not fit go without being named

    @property
    def lines(self) -> Iterator[tuple[Text, ...]]:
        """The cells of each line, with intervals."""
        return zip(*(one.with_intervals() if one.with_intervals else one.cells for one in self.columns), strict=True)


def named(head: str, of: Callable[[Line], Any], style: str = "", **how: Any) -> Field[Line]:
    return Field(head=head, of=of, style=style, names=True, **how)


def column(head: str, of: Callable[[Line], Any], style: str = "", rank: int = 0, **how: Any) -> Field[Line]:
    """Declare a column of texts, for a person alone."""
    return Field(head=head, of=of, style=style, rank=rank, **how)


def grid(lines: Sequence[Line], *fields: Field[Line], **how: Any) -> Grid:
    """Lay out a line for each of these lines, with a column for each field; `how` are other attributes of the grid."""
    columns = []
    for field in fields:
        values = [*map(field.of, lines)] if field.aligned else []
        unit, intervals = cast("Unit", field.unit), dict[str, Any]()
        if any(one and one.kind for one in values):
            cells = [figure(unit, one, str(field.style)) for one in values]
            intervals = {"with_intervals": partial(_aligned, unit, cells, values), "wider": 4}
        else:
            cells = [_cell(field, line) for line in lines]
        if not field.if_known or any(cell.plain not in ("", ABSENT) for cell in cells):
            columns.append(GridColumn(field.head, cells, field.rank, field.names, field.least, **intervals))
    return Grid(columns, **how)


def _aligned(unit: Unit, cells: Sequence[Text], values: Sequence[Estimate | None]) -> list[Text]:
    reach = [sure(unit, one) if one and one.kind else Text() for one in values]
    widest = max(one.cell_len for one in reach)
    for text in reach:
        text.pad_right(widest - text.cell_len)
    return [Text(" ").join(both) for both in zip(cells, reach, strict=True)]


def grid_of(sheet: Sheet[Line], **how: Any) -> Grid:
    """Lay out the fields of a sheet that have a head."""
    return grid(sheet.lines, *(field for field in sheet.fields if field.head or field.write), **how)


def _cell(field: Field[Line], line: Line) -> Text:
    style = field.style(line) if callable(field.style) else field.style
    if field.write is not None:
        made = field.write(line)
        return made if isinstance(made, Text) else Text(made, style)
    value, unit = field.of(line), field.unit(line) if callable(field.unit) else field.unit
    if isinstance(value, Text):
        return value
    if isinstance(value, Estimate) and unit:
        return with_interval(unit, value, style)
    if unit:
        return figure(unit, value, style)
    return Text(ABSENT, "dim") if value is None else Text(str(value), style)


class Flow(Struct, frozen=True):
    """Parts on as few lines as they take, none of them broken unless it is longer than a line."""

    parts: Sequence[Text]
    between: str = " \N{MIDDLE DOT} "


class Lead(Struct, frozen=True):
    """The answer of a study in a sentence: a title, where there are titles; its style says whether that is good."""

    text: str
    style: str = "bold"


class Labelled(Struct, frozen=True):
    """Rows of texts below each other: labels, dim unless in another style, and what each is of, which wraps."""

    rows: Sequence[Sequence[str | Text]]
    style: str = "dim"
    between: int = 2


class Indented(Struct, frozen=True):
    """A text that belongs to the block above it, `by` columns further right."""

    text: Text
    by: int = 2


_Given = ParamSpec("_Given")
Draw = Callable[[Console, ConsoleOptions], Iterable[Any]]


class WidthDependent(Struct, frozen=True):
    """A block laid out for the width of its console; other printers show `instead`, if any."""

    draw: Draw
    instead: "Callable[[], Block] | None" = None


class Blocks(Struct, frozen=True):
    """Blocks, one below the other."""

    parts: "tuple[Block, ...]"

    @staticmethod
    def of(*parts: "Block") -> "Blocks":
        """Put blocks one below the other into one block."""
        return Blocks(parts)


Block = (
    Text | str | Lead | Flow | Labelled | Indented | Grid | WidthDependent | Blocks
)  # a block, which any printer prints


def together(made: Callable[_Given, Iterable[Block]]) -> Callable[_Given, Blocks]:
    """Make one block of all that a generator yields."""

    @wraps(made)
    def joined(*args: _Given.args, **kwargs: _Given.kwargs) -> Blocks:
        return Blocks.of(*made(*args, **kwargs))

    return joined


Json = dict[str, Any]  # A datum, or how data are drawn, in Vega-Lite


class Chart(NamedTuple):
    """Panels that share their scales and a legend."""

    name: str  # what a file of it is called
    title: str  # what it shows
    said: Sequence[str]  # what is to be known to read it, in sentences
    panels: Sequence[Json]  # in Vega-Lite, at least one
    # the meaning of the colours and shapes, in their order, "" where one has no use; empty if not known
    legend: Sequence[str] = ()


class Details(Struct, frozen=True):
    """Blocks that are one click away; `mark` precedes their summary."""

    summary: str
    blocks: Sequence[Block]
    mark: str = ""


class Section(Struct, frozen=True):
    """A heading with its content."""

    name: str  # its anchor
    title: str  # the heading
    charts: Sequence[Chart] = ()  # first
    blocks: Sequence[Block] = ()  # below them
    details: Sequence[Details] = ()  # and below these
    # sections of a lower one are before it: the run's question has 0, experiments 2, the machine 3, warnings 4
    place: int = 3
    digest: bool = False  # whether its blocks, and the summaries of its details, are in a digest of the page


class Article(Struct, frozen=True):
    """An answer as a page shows it: `letter` distinguishes it, `outcome` is its heading, `command` repeats its run."""

    letter: str
    title: str
    outcome: Lead
    started: str
    lead: Sequence[Block]
    sections: Sequence[Section]
    command: str
