"""Blocks that any printer prints: grids of styled texts, made of sheets or cell by cell, and what is around them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial, wraps
from itertools import repeat
from typing import Any, Concatenate, ParamSpec

from msgspec import Struct
from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping.analysis.figures import Unit
from threadping.analysis.percentiles import Estimate
from threadping.model.quantities import ABSENT, percent
from threadping.output.cells import Field, Line, Sheet, figure, surely, with_interval


class GridColumn(Struct, frozen=True):
    """A column of figures, or of names, which come first and wrap, with a cell for each line.

    Where not all fit, long heads wrap, then columns of the highest `rank` go first, of one rank the last; those of rank
    0 stay. Names are not wrapped to less than `least` before a column goes.
    """

    head: str
    cells: Sequence[Text]
    rank: int = 0
    names: bool = False
    least: int = 0


def column(
    head: str, cells: Iterable[str | Text], style: str = "", rank: int = 0, *, names: bool = False, least: int = 0
) -> GridColumn:
    """A column of texts, all in one style; of `names`, which wrap."""
    made = [Text(cell, style) if isinstance(cell, str) else cell for cell in cells]
    return GridColumn(head, made, rank, names, least)


named = partial(column, names=True)


def figures(
    head: str, units: Unit | Iterable[Unit], values: Iterable[float | None], rank: int = 0, style: str = ""
) -> GridColumn:
    """A column of figures of one unit, or each of its own; a dash stands for what is not known."""
    each = repeat(units) if isinstance(units, str) else units
    return GridColumn(head, [figure(unit, value, style) for unit, value in zip(each, values, strict=False)], rank)


def sure_figures(head: str, unit: Unit, found: Sequence[Estimate | None], rank: int = 0, style: str = "") -> GridColumn:
    """A column of figures, each with how sure it is beside it, below each other."""
    reach = [surely(unit, one) if one and one.kind else Text() for one in found]
    beside = max((one.cell_len for one in reach), default=0)
    made = []
    for one, how in zip(found, reach, strict=True):
        text = figure(unit, one.value if one else None, style)
        if beside:
            how.pad_right(beside - how.cell_len)
            text = Text(" ").join((text, how))
        made.append(text)
    return GridColumn(head, made, rank)


def known(made: GridColumn) -> list[GridColumn]:
    """The column, unless nothing is known of any line."""
    return [made] if any(cell.plain not in ("", ABSENT) for cell in made.cells) else []


class Grid(Struct, frozen=True):
    """Columns with as many cells each."""

    columns: Sequence[GridColumn]  # what is shown
    across: Mapping[int, Text] = {}  # by the place of its line, what stands in place of its figures
    below: Mapping[int, Text] = {}  # by the place of its line, what stands below it
    gaps: Collection[int] = ()  # the places of the lines above which one is left empty
    rule: bool = True  # whether there is a line below the heads
    silent: bool = False  # whether columns that do not fit go without being named


def grid(*columns: GridColumn, **how: Any) -> Grid:
    """A grid of these columns; `how` are its other attributes."""
    return Grid(columns, **how)


def grid_of(sheet: Sheet[Line], **how: Any) -> Grid:
    """A grid of the fields of a sheet that have a head; `how` are its other attributes."""
    made = [_column(field, sheet.lines) for field in sheet.fields if field.head or field.write]
    return Grid([column for column in made if column], **how)


def _column(field: Field[Line], lines: Sequence[Line]) -> GridColumn | None:
    cells = [_cell(field, line) for line in lines]
    if field.if_known and not any(cell.plain not in ("", ABSENT) for cell in cells):
        return None
    return GridColumn(field.head, cells, field.rank, field.names, field.least)


def _cell(field: Field[Line], line: Line) -> Text:
    style = field.style(line) if callable(field.style) else field.style
    if field.write is not None:
        made = field.write(line)
        return made if isinstance(made, Text) else Text(made, style)
    value, unit = field.of(line), field.unit(line) if callable(field.unit) else field.unit
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
    """What a study answered, in a sentence: a title, where there are titles; its style says whether that is good."""

    text: str
    style: str = "bold"


class Labelled(Struct, frozen=True):
    """Rows of texts below each other, as many in each: labels, dim unless in another style, and what each is of.

    The last one of a row wraps.
    """

    rows: Sequence[Sequence[str | Text]]
    style: str = "dim"
    between: int = 2


class Indented(Struct, frozen=True):
    """A text that belongs to what stands above it, so many columns further right."""

    text: Text
    by: int = 2


class Divided(Struct, frozen=True):
    """How the time of something divides."""

    name: str  # of what
    parts: Sequence[tuple[str, float]]  # each with its share, at least one
    note: str  # what else is to be known; where there is one part, in place of its share

    @property
    def said(self) -> Sequence[tuple[str, str]]:
        """Each part, and what is said beside its bar."""
        first, *others = (percent(share) for _, share in self.parts)
        words = [f"{first} of the time", f"{others[0]}; {self.note}", *others[1:]] if others else [self.note]
        return [(part, one) for (part, _), one in zip(self.parts, words, strict=True)]


class ShareBars(Struct, frozen=True):
    """Bars, as long as shares of a time are."""

    title: str
    of: Sequence[Divided]


_Given = ParamSpec("_Given")

Draw = Callable[[Console, ConsoleOptions], Iterable[Any]]


class AsWide(Struct, frozen=True):
    """What a terminal shows, laid out for the console that it is printed on; other printers show `instead`, if any."""

    draw: Draw
    instead: "Block | None" = None


def as_wide(draw: Callable[Concatenate[Console, ConsoleOptions, _Given], Iterable[Any]]) -> Callable[_Given, AsWide]:
    """Make a block of what is drawn for a console: it is called with its other arguments, and printed with these."""

    @wraps(draw)
    def made(*args: _Given.args, **kwargs: _Given.kwargs) -> AsWide:
        return AsWide(lambda console, options: draw(console, options, *args, **kwargs))

    return made


class Blocks(Struct, frozen=True):
    """Blocks, one below the other."""

    parts: "tuple[Block, ...]"

    @staticmethod
    def of(*parts: "Block") -> "Blocks":
        """Put blocks one below the other into one block."""
        return Blocks(parts)


Block = Text | str | Lead | Flow | Labelled | Indented | Grid | ShareBars | AsWide | Blocks  # What any printer prints


def together(made: Callable[_Given, Iterable[Block]]) -> Callable[_Given, Blocks]:
    """Make one block of all that a generator yields."""

    @wraps(made)
    def joined(*args: _Given.args, **kwargs: _Given.kwargs) -> Blocks:
        return Blocks.of(*made(*args, **kwargs))

    return joined
