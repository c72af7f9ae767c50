"""A table that fits every width: names wrap, the least important columns go, and a figure is never broken."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import measure_renderables
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

ROOMY = 100
"""From this width on columns stand two blanks apart."""

LONGEST_WHOLE, LONGEST_WORD = 12, 20
"""Before a column goes, longer names than the first wrap, and longer words than the second are broken."""

NARROWEST_NAME, NARROWEST_TEXT = 6, 40


class Column(Struct, frozen=True):
    """A column of figures, or of names, which come first and wrap, with a cell for each line.

    Where not all fit, columns of the highest `rank` go first, of one rank the last; those of rank 0 stay.
    """

    head: str
    cells: Sequence[Text]
    rank: int = 0
    names: bool = False


class FittingTable(Struct, frozen=True):
    """Columns, printed as wide as they need to be and the console lets them.

    Attributes:
        columns: with as many cells each.
        across: by the place of its line, what stands in place of its figures.
        below: by the place of its line, what stands below it.
        apart: the places of the lines that begin something new.
        above: by the place of such a line, what that is.
    """

    columns: Sequence[Column]
    across: Mapping[int, Text] = {}
    below: Mapping[int, Text] = {}
    apart: Collection[int] = ()
    above: Mapping[int, Text] = {}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print the heads, a rule, the lines, and which columns do not fit."""
        gap = 2 if options.max_width >= ROOMY else 1
        widths = self._widths(console, options, gap)
        heads = [Text(column.head, "bold", justify=column.cells[0].justify) for column in self.columns]
        yield self._grid(heads, widths, gap)
        yield Text("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * _total(widths.values(), gap), "dim", no_wrap=True)
        for place, cells in enumerate(zip(*(column.cells for column in self.columns), strict=True)):
            if place in self.apart:
                yield Text()
            if place in self.above:
                yield self.above[place]
            if place in self.across:
                yield from self._named(cells, self.across[place], widths, gap, options.max_width)
            else:
                yield self._grid(cells, widths, gap)
            if place in self.below:
                yield Padding(self.below[place], (0, 0, 0, widths[0] + gap))
        if gone := [column.head for i, column in enumerate(self.columns) if i not in widths]:
            yield Text(f"Not shown at this width: {', '.join(gone)}.", "dim")

    def _named(
        self, cells: Sequence[Text], text: Text, widths: Mapping[int, int], gap: int, room: int
    ) -> Iterator[RenderableType]:
        """A text beside the names, or below them where it would be squeezed."""
        names = {i: width for i, width in widths.items() if self.columns[i].names}
        squeezed = room - _total(names.values(), gap) - gap < min(NARROWEST_TEXT, text.cell_len)
        yield self._grid(cells, names, gap, None if squeezed else text)
        if squeezed:
            yield Padding(text, (0, 0, 0, 2))

    def _grid(
        self, cells: Sequence[Text], widths: Mapping[int, int], gap: int, text: Text | None = None
    ) -> RenderableType:
        if text is None and all(cells[i].cell_len <= width for i, width in widths.items()):
            return self._line(cells, widths, gap)
        grid = Table.grid(padding=(0, gap, 0, 0))
        for i, width in widths.items():
            names = self.columns[i].names
            grid.add_column(width=width, justify="left" if names else "right", no_wrap=not names, overflow="fold")
        grid.add_row(*(cells[i] for i in widths), *([text] if text else []))
        return grid

    def _line(self, cells: Sequence[Text], widths: Mapping[int, int], gap: int) -> Text:
        """What needs no wrapping, in a tenth of the time that a grid takes: there may be thousands."""
        line = Text(no_wrap=True, overflow="ignore")
        for i, width in widths.items():
            blanks = " " * (width - cells[i].cell_len)
            to_the_left = self.columns[i].names or cells[i].justify == "left"
            line.append(" " * gap if line else "")
            line = (
                line.append_text(cells[i]).append(blanks) if to_the_left else line.append(blanks).append_text(cells[i])
            )
        return line

    def _widths(self, console: Console, options: ConsoleOptions, gap: int) -> dict[int, int]:
        """The columns that are shown, and how wide each is."""
        contents = [[Text(column.head), *column.cells] for column in self.columns]
        needs = [measure_renderables(console, options, content) for content in contents]
        widths = {i: need.maximum for i, need in enumerate(needs)}
        names = [i for i in widths if self.columns[i].names]
        least = widths | {i: min(needs[i].minimum, LONGEST_WORD) for i in names if widths[i] > LONGEST_WHOLE}
        while _total(least.values(), gap) > options.max_width and any(self.columns[i].rank for i in least):
            gone = max(least, key=lambda i: (self.columns[i].rank, i))
            del least[gone], widths[gone]
        for floor in (least, dict.fromkeys(names, NARROWEST_NAME)):
            for i in sorted(names, key=lambda i: -widths[i]):
                over = _total(widths.values(), gap) - options.max_width
                widths[i] = max(min(widths[i], floor[i]), widths[i] - max(0, over))
        return widths


def _total(widths: Collection[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)
