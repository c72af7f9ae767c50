"""Sheets on a terminal: as wide as it is, with lines that break where they may.

rich.Table lays out each cell by itself, half a second for 833 rows of 12; this writes a line at a time.
"""

import io
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TextIO

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.control import Control
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Column as LabelColumn
from rich.table import Table
from rich.text import Span, Text

from threadping.model.quantities import percent
from threadping.model.text import LEGIBLE, in_columns
from threadping.output.layout import (
    Block,
    Blocks,
    Draw,
    Flow,
    Grid,
    Indented,
    Labelled,
    Lead,
    ShareBars,
    WidthDependent,
)

ROOMY = 100  # minimum width at which columns are two blanks apart
EMPTY_TEXT = Text()
LONGEST_WHOLE, LONGEST_WORD = 12, 20
"""Before a column goes, longer names than the first wrap, and longer words than the second are broken."""

NARROWEST_NAME = 6


def rendered(block: Block) -> RenderableType:
    """Return what a console prints of a block; anything else is left as it is."""
    match block:
        case Blocks():
            return Group(*map(rendered, block.parts))
        case WidthDependent():
            return _Drawn(block.draw)
        case Lead():
            return Text(block.text, block.style)
        case Indented():
            return Padding(block.text, (0, 0, 0, block.by))
        case Grid():
            return _Fitted(block)
        case Flow():
            return _Drawn(lambda _, options: flowing(block, options.max_width))
        case ShareBars():
            return _Drawn(lambda _, options: barred(block, options.max_width))
        case Labelled():
            labels = [LabelColumn(style=block.style, no_wrap=True) for _ in block.rows[0][1:]] if block.rows else []
            table = Table.grid(*labels, LabelColumn(overflow="fold"), padding=(0, block.between, 0, 0))
            for row in block.rows:
                table.add_row(*row)
            return table
        case _:
            return block


class _Drawn(Struct, frozen=True):
    """A block that is drawn for the console."""

    draw: Draw

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from map(rendered, self.draw(console, options))


def flowing(flow: Flow, width: int) -> Iterator[Text]:
    """The lines of a flow in so many columns."""
    line = Text()
    for part in flow.parts:
        if line and line.cell_len + len(flow.between) + part.cell_len > width:
            yield line
            line = Text()
        line = Text.assemble(line, (flow.between, "dim"), part) if line else part.copy()
    yield line


LONGEST_BAR, SHADES = 40, "\N{FULL BLOCK}\N{MEDIUM SHADE}\N{LIGHT SHADE}"
"""The length of a bar for all of the time, in characters; and its parts, one for each that is named."""


def barred(shares: ShareBars, width: int) -> Iterator[Text]:
    """A line for each that divides, with its bar, in so many columns."""
    for place, of in enumerate(shares.of):
        (first, share), *others = of.parts
        said = [f"{part} {percent(share)}" for part, share in others]
        said = said if len(said) < len(SHADES) else [said[0], f"{len(said) - 1} more"]
        after = f" {', '.join([percent(share), *said])}; {of.note}" if said else f" {of.note}"
        line = Text.assemble((f"{'' if place else shares.title:15}{of.name}   {first:>7} ", "bold"))
        room = max(len(SHADES), min(LONGEST_BAR, width - line.cell_len - len(after)))
        bars = (shade * max(1, round(room * share)) for shade, (_, share) in zip(SHADES, of.parts, strict=False))
        yield line.append("".join(bars)[:room], "cyan").append(after)


class _Fitted(Struct, frozen=True):
    """A grid, printed as wide as it needs to be and the console lets it."""

    grid: Grid

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        gap = 2 if options.max_width >= ROOMY else 1
        widths = self._widths(options.max_width, gap)
        names = {i: width for i, width in widths.items() if self.grid.columns[i].names}
        if any(column.head for column in self.grid.columns):
            yield from self._lines([Text(column.head, "bold") for column in self.grid.columns], widths, gap, console)
        if self.grid.rule:
            yield Text("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * _total(widths.values(), gap), "dim", no_wrap=True)
        for place, cells in enumerate(zip(*(column.cells for column in self.grid.columns), strict=True)):
            if place in self.grid.gaps:
                yield Text()
            if place in self.grid.across:
                yield from self._across(cells, self.grid.across[place], names, gap, console, options.max_width)
            else:
                yield from self._lines(cells, widths, gap, console)
            if place in self.grid.below:
                yield Padding(self.grid.below[place], (0, 0, 0, widths[0] + gap))
        gone = [column.head for i, column in enumerate(self.grid.columns) if i not in widths]
        if gone and not self.grid.silent:
            yield Text(f"Not shown at this width: {', '.join(gone)}.", "dim")

    def _lines(self, cells: Sequence[Text], widths: Mapping[int, int], gap: int, console: Console) -> Iterator[Text]:
        wrapped = {
            i: list(cells[i].wrap(console, width, overflow="fold")) if cells[i].cell_len > width else [cells[i]]
            for i, width in widths.items()
        }
        for number in range(max(map(len, wrapped.values()))):
            plain, spans = "", []
            for i, width in widths.items():
                cell = wrapped[i][number] if number < len(wrapped[i]) else EMPTY_TEXT
                blanks = " " * (width - cell.cell_len)
                column = self.grid.columns[i]
                to_the_left = column.names or any(one.justify == "left" for one in column.cells[:1])
                at = len(plain) if to_the_left else len(plain) + len(blanks)
                plain += cell.plain + blanks if to_the_left else blanks + cell.plain
                styled = [Span(0, len(cell.plain), cell.style), *cell.spans]
                spans += [span.move(at) for span in styled if span.style and span]
                plain += " " * gap
            line = Text(plain, spans=spans, no_wrap=True, overflow="ignore")
            line.rstrip()  # spans too: rich cannot print those that reach beyond a line
            yield line

    def _across(
        self, cells: Sequence[Text], text: Text, names: Mapping[int, int], gap: int, console: Console, room: int
    ) -> Iterator[RenderableType]:
        first, *more = self._lines(cells, names, gap, console)
        at = _total(names.values(), gap) + gap
        fits = at + text.cell_len <= room
        first.pad_right(at - first.cell_len if fits else 0)
        yield first.append_text(text) if fits else first
        yield from more
        if not fits:
            yield Padding(text, (0, 0, 0, 2))

    def _widths(self, room: int, gap: int) -> dict[int, int]:
        contents = [[column.head, *(cell.plain for cell in column.cells)] for column in self.grid.columns]
        widths = {i: max(map(cell_len, set(of_it))) for i, of_it in enumerate(contents)}
        names = [i for i in widths if self.grid.columns[i].names]
        least, words = dict(widths), {}
        for i in names:
            words[i] = max((cell_len(word) for one in set(contents[i]) for word in one.split()), default=1)
            if widths[i] > LONGEST_WHOLE:
                least[i] = max(min(words[i], LONGEST_WORD), self.grid.columns[i].least)
        heads = [
            i for i, column in enumerate(self.grid.columns) if i not in names and cell_len(column.head) > LONGEST_WHOLE
        ]
        for i in heads:
            head = min(max(map(cell_len, self.grid.columns[i].head.split())), LONGEST_WORD)
            least[i] = max(head, *map(cell_len, set(contents[i][1:])), 1)
        while _total(least.values(), gap) > room and any(self.grid.columns[i].rank for i in least):
            gone = max(least, key=lambda i: (self.grid.columns[i].rank, i))
            del least[gone], widths[gone]
        for floor in (least, words, dict.fromkeys(names, NARROWEST_NAME)):
            wrapping = [*heads, *names] if floor is least else names
            for i in sorted((i for i in wrapping if i in widths), key=lambda i: -widths[i]):
                over = _total(widths.values(), gap) - room
                widths[i] = max(min(widths[i], floor[i]), widths[i] - max(0, over))
        return widths


def _total(widths: Collection[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def stdout() -> Console:
    """The console on standard output, for the answer."""
    return _console(sys.stdout)


def stderr() -> Console:
    """The console on standard error, for progress and remarks."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    """Colour where the terminal has it and NO_COLOR does not forbid it; nothing in a foreign string is markup."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=LEGIBLE)  # a bar that this terminal cannot show must not end the program
    return TrimmingConsole(file=stream, markup=False, highlight=False, emoji=False)


class TrimmingConsole(Console):
    """Prints no blanks at the ends of lines, with which rich fills them up: so they can be copied and compared."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print, unless as one long line."""
        kept = (object,) if options.get("soft_wrap") else (str, Control)  # a bar prints a control to be drawn anew
        blocks = (one if isinstance(one, kept) else _Trimmed(rendered(one)) for one in objects)
        super().print(*blocks, **options)


class _Trimmed(Struct, frozen=True):
    body: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.body, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            yield from (*_in_columns(line, console.encoding), Segment.line())


def _in_columns(line: list[Segment], encoding: str) -> Iterable[Segment]:
    """A line that a terminal of this encoding can show, with its columns below those of other lines."""
    if encoding.startswith("utf"):
        return line
    texts = in_columns((one.text for one in line), encoding)
    return (Segment(text, one.style) for text, one in zip(texts, line, strict=True))
