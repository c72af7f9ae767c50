"""A table that fits every width and never breaks a figure."""

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from threadping.report.columns import GAP, Column, Fit, Line, fit, indent, total
from threadping.report.figures import LINE
from threadping.report.layout import NARROWEST, Paragraph, tidy, wrapped
from threadping.report.words import counted


class Grid(Struct, frozen=True):
    """Columns and lines, printed as wide as the console; a note says which columns do not fit."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    wider: str = "A wider terminal shows"
    """How that note begins."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print the heads, a rule, the lines, and the note."""
        chosen = fit(self.columns, self.lines, options.max_width)
        yield from self._heads(chosen)
        for line in self.lines:
            if line.apart:
                yield Text()
            if chosen.stacked:
                yield from self._stacked(console, line, chosen)
            else:
                yield from self._level(console, options.max_width, line, chosen)
            if line.below is not None:
                yield Paragraph(line.below, indent=self._indent(chosen))
        if left_out := [column.name for index, column in enumerate(self.columns) if index not in chosen.widths]:
            yield Paragraph(Text(f"{self.wider}: {', '.join(left_out)}.", "dim"))

    def _heads(self, chosen: Fit) -> RenderResult:
        shown = self._figures(chosen) if chosen.stacked else [*chosen.widths]
        offset = self._indent(chosen) if chosen.stacked else 0
        if any(self.columns[index].above for index in shown):
            yield _shifted(self._above(shown, chosen), offset)
        yield _shifted(self._joined(shown, chosen, [Text(self.columns[index].head, "bold") for index in shown]), offset)
        yield tidy(Text(LINE * (offset + total([chosen.widths[index] for index in shown])), "dim"))

    def _above(self, shown: Sequence[int], chosen: Fit) -> Text:
        """What stands over several columns, with a line over all of them."""
        parts = []
        for above, group in groupby(shown, key=lambda index: self.columns[index].above):
            indices = [*group]
            room = total([chosen.widths[index] for index in indices])
            cell = Text(above, "bold")
            if above and len(indices) > 1:
                cell = Text(f" {above} ", "bold")
                cell.align("center", room, LINE)
            parts.append(_aligned(cell, room, right=self.columns[indices[0]].right))
        return Text(" " * GAP).join(parts)

    def _level(self, console: Console, width: int, line: Line, chosen: Fit) -> RenderResult:
        """One row, as high as its highest name."""
        shown = [index for index in chosen.widths if self.columns[index].naming or line.instead is None]
        cells = [self._cell(console, line, index, chosen) for index in shown]
        rows = [
            self._joined(shown, chosen, [cell[number] if number < len(cell) else Text() for cell in cells])
            for number in range(max(map(len, cells)))
        ]
        beside = rows[0].cell_len + GAP
        if line.instead is not None and beside + NARROWEST <= width:
            yield Paragraph(line.instead, rows.pop(0), beside)
        yield from map(tidy, rows)
        if line.instead is not None and beside + NARROWEST > width:
            yield Paragraph(line.instead, indent=self._indent(chosen))

    def _stacked(self, console: Console, line: Line, chosen: Fit) -> RenderResult:
        """The names on one line, the figures on the next."""
        naming = [index for index in chosen.widths if self.columns[index].naming]
        names = [self._said(cell, index) for index in naming if isinstance(cell := line.cells[index], Text)]
        beside = self._indent(chosen)
        lead, before = (names.pop(0), beside) if self.columns[0].numbers else (Text(), 0)
        yield Paragraph(Text(" " * GAP).join(name for name in names if name.plain), lead, before)
        if line.instead is not None:
            yield Paragraph(line.instead, indent=beside)
        else:
            shown = self._figures(chosen)
            cells = [self._cell(console, line, index, chosen)[0] for index in shown]
            yield _shifted(self._joined(shown, chosen, cells), beside)

    def _said(self, cell: Text, index: int) -> Text:
        """A cell that stands without its head."""
        noun = self.columns[index].noun
        return Text(counted(int(cell.plain), noun)) if noun and cell.plain else cell

    def _figures(self, chosen: Fit) -> list[int]:
        return [index for index in chosen.widths if not self.columns[index].naming]

    def _indent(self, chosen: Fit) -> int:
        """Where everything but a line's number begins."""
        return indent(self.columns, chosen.widths) if chosen.stacked else chosen.widths[0] + GAP

    def _cell(self, console: Console, line: Line, index: int, chosen: Fit) -> list[Text]:
        cell = line.cells[index]
        if not isinstance(cell, Text):
            return [cell(chosen.widths[index])]
        return wrapped(console, cell, chosen.widths[index]) if self.columns[index].wraps else [cell]

    def _joined(self, shown: Sequence[int], chosen: Fit, cells: Sequence[Text]) -> Text:
        return Text(" " * GAP).join(
            _aligned(cell, chosen.widths[index], right=self.columns[index].right)
            for index, cell in zip(shown, cells, strict=True)
        )


def _aligned(cell: Text, width: int, *, right: bool) -> Text:
    blanks = " " * (width - cell.cell_len)
    return Text(blanks).append_text(cell) if right else Text().append_text(cell).append(blanks)


def _shifted(line: Text, offset: int) -> Text:
    return tidy(Text(" " * offset).append_text(line))
