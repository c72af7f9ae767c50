"""A table that fits every width: names wrap, the least important columns go, and a figure is never broken.

rich.Table lays out each cell by itself, half a second for 833 rows of 12; this writes a line at a time.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Column as Grid
from rich.table import Table
from rich.text import Span, Text

from threadping.analysis.estimate import Estimate
from threadping.analysis.figures import Unit
from threadping.quantities import ABSENT
from threadping.views.terminal.cells import figure, surely

ROOMY = 100
"""From this width on columns stand two blanks apart."""

NOTHING = Text()

LONGEST_WHOLE, LONGEST_WORD = 12, 20
"""Before a column goes, longer names than the first wrap, and longer words than the second are broken."""

NARROWEST_NAME = 6


class Column(Struct, frozen=True):
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
) -> Column:
    """A column of texts, all in one style; of `names`, which wrap."""
    made = [Text(cell, style) if isinstance(cell, str) else cell for cell in cells]
    return Column(head, made, rank, names, least)


named = partial(column, names=True)


def figures(
    head: str, units: Unit | Iterable[Unit], values: Iterable[float | None], rank: int = 0, style: str = ""
) -> Column:
    """A column of figures of one unit, or each of its own; a dash stands for what is not known."""
    each = repeat(units) if isinstance(units, str) else units
    return Column(head, [figure(unit, value, style) for unit, value in zip(each, values, strict=False)], rank)


def sure_figures(head: str, unit: Unit, found: Sequence[Estimate | None], rank: int = 0, style: str = "") -> Column:
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
    return Column(head, made, rank)


def known(made: Column) -> list[Column]:
    """The column, unless nothing is known of any line."""
    return [made] if any(cell.plain not in ("", ABSENT) for cell in made.cells) else []


class FittingTable:
    """Columns, printed as wide as they need to be and the console lets them."""

    def __init__(
        self,
        *columns: Column,
        across: Mapping[int, Text] = {},
        below: Mapping[int, Text] = {},
        gaps: Collection[int] = (),
        rule: bool = True,
        silent: bool = False,
    ) -> None:
        """Take what is shown.

        Args:
            columns: with as many cells each.
            across: by the place of its line, what stands in place of its figures.
            below: by the place of its line, what stands below it.
            gaps: the places of the lines above which one is left empty.
            rule: whether there is a line below the heads.
            silent: whether columns that do not fit go without being named.
        """
        self.columns, self.across, self.below, self.gaps = columns, across, below, gaps
        self.rule, self.silent = rule, silent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print the heads, a rule, the lines, and which columns do not fit."""
        gap = 2 if options.max_width >= ROOMY else 1
        widths = self._widths(options.max_width, gap)
        names = {i: width for i, width in widths.items() if self.columns[i].names}
        yield from self._lines([Text(column.head, "bold") for column in self.columns], widths, gap, console)
        if self.rule:
            yield Text("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * _total(widths.values(), gap), "dim", no_wrap=True)
        for place, cells in enumerate(zip(*(column.cells for column in self.columns), strict=True)):
            if place in self.gaps:
                yield Text()
            if place in self.across:
                yield from self._across(cells, self.across[place], names, gap, console, options.max_width)
            else:
                yield from self._lines(cells, widths, gap, console)
            if place in self.below:
                yield Padding(self.below[place], (0, 0, 0, widths[0] + gap))
        gone = [column.head for i, column in enumerate(self.columns) if i not in widths]
        if gone and not self.silent:
            yield Text(f"Not shown at this width: {', '.join(gone)}.", "dim")

    def _lines(self, cells: Sequence[Text], widths: Mapping[int, int], gap: int, console: Console) -> Iterator[Text]:
        wrapped = {
            i: list(cells[i].wrap(console, width, overflow="fold")) if cells[i].cell_len > width else [cells[i]]
            for i, width in widths.items()
        }
        for number in range(max(map(len, wrapped.values()))):
            plain, spans = "", []
            for i, width in widths.items():
                cell = wrapped[i][number] if number < len(wrapped[i]) else NOTHING
                blanks = " " * (width - cell.cell_len)
                to_the_left = self.columns[i].names or self.columns[i].cells[0].justify == "left"
                at = len(plain) if to_the_left else len(plain) + len(blanks)
                plain += cell.plain + blanks if to_the_left else blanks + cell.plain
                styled = [Span(0, len(cell.plain), cell.style), *cell.spans]
                spans += [span.move(at) for span in styled if span.style and span]
                plain += " " * gap
            yield Text(plain.rstrip(), spans=spans, no_wrap=True, overflow="ignore")

    def _across(
        self, cells: Sequence[Text], text: Text, names: Mapping[int, int], gap: int, console: Console, room: int
    ) -> Iterator[RenderableType]:
        """A text beside the names, or below them where it does not fit."""
        first, *more = self._lines(cells, names, gap, console)
        at = _total(names.values(), gap) + gap
        fits = at + text.cell_len <= room
        first.pad_right(at - first.cell_len if fits else 0)
        yield first.append_text(text) if fits else first
        yield from more
        if not fits:
            yield Padding(text, (0, 0, 0, 2))

    def _widths(self, room: int, gap: int) -> dict[int, int]:
        """The columns that are shown, and how wide each is."""
        contents = [[column.head, *(cell.plain for cell in column.cells)] for column in self.columns]
        widths = {i: max(map(cell_len, set(of_it))) for i, of_it in enumerate(contents)}
        names = [i for i in widths if self.columns[i].names]
        least = dict(widths)
        for i in names:
            if widths[i] > LONGEST_WHOLE:
                words = (word for one in set(contents[i]) for word in one.split())
                least[i] = max(min(max(map(cell_len, words), default=1), LONGEST_WORD), self.columns[i].least)
        heads = [i for i, column in enumerate(self.columns) if i not in names and cell_len(column.head) > LONGEST_WHOLE]
        for i in heads:
            head = min(max(map(cell_len, self.columns[i].head.split())), LONGEST_WORD)
            least[i] = max(head, *map(cell_len, set(contents[i][1:])), 1)
        while _total(least.values(), gap) > room and any(self.columns[i].rank for i in least):
            gone = max(least, key=lambda i: (self.columns[i].rank, i))
            del least[gone], widths[gone]
        for floor in (least, dict.fromkeys(names, NARROWEST_NAME)):
            wrapping = [*heads, *names] if floor is least else names
            for i in sorted((i for i in wrapping if i in widths), key=lambda i: -widths[i]):
                over = _total(widths.values(), gap) - room
                widths[i] = max(min(widths[i], floor[i]), widths[i] - max(0, over))
        return widths


def _total(widths: Collection[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def labelled(rows: Sequence[tuple[str, Text]]) -> RenderableType:
    """Labels, dim, and beside each what it is the label of."""
    grid = Table.grid(Grid(style="dim", no_wrap=True), Grid(overflow="fold"), padding=(0, 2, 0, 0))
    for label, text in rows:
        grid.add_row(label, text)
    return grid
