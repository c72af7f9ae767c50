"""Printers of blocks: on a terminal, up to its width; as HTML; as Markdown.

rich.Table lays out each cell by itself, half a second for 833 rows of 12; this writes a line at a time.
"""

import io
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, TextIO

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.control import Control
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Span, Text

from threadping.model.text import LEGIBLE, in_columns, verbosity
from threadping.output import layout

ROOMY = 100  # minimum width at which columns are two blanks apart
EMPTY_TEXT = Text()
LONGEST_HEAD, LONGEST_WHOLE, LONGEST_WORD = 8, 12, 24
"""Before a column goes, longer heads and names than these wrap, and longer words are broken."""

NARROWEST_NAME, WHOLE = 6, 3  # before a column of a lower rank than this goes, intervals go


class Rendered(Struct, frozen=True):
    """A block as a console prints it."""

    block: layout.Block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        match self.block:
            case layout.Blocks():
                yield from map(Rendered, self.block.parts)
            case layout.WidthDependent():
                yield from map(Rendered, self.block.draw(console, options))
            case layout.Lead():
                yield Text(self.block.text, self.block.style)
            case layout.Indented():
                yield Padding(self.block.text, (0, 0, 0, self.block.by))
            case layout.Grid():
                for one in fitted(self.block, console, options.max_width):  # rich need not wrap a line that fits
                    yield from one.render(console, "\n") if isinstance(one, Text) and one.overflow else (one,)
            case layout.Flow():
                line = Text()
                for part in self.block.parts:
                    if line and line.cell_len + len(self.block.between) + part.cell_len > options.max_width:
                        yield line
                        line = Text()
                    line = Text.assemble(line, (self.block.between, "dim"), part) if line else part.copy()
                yield line
            case layout.Labelled():
                rows = [[one if isinstance(one, Text) else Text(one) for one in row] for row in self.block.rows]
                widths = [max(one.cell_len for one in each) + self.block.between for each in zip(*rows, strict=True)]
                for *labels, last in rows:
                    before = Text(style=self.block.style)
                    for text, width in zip(labels, widths, strict=False):
                        before.append_text(text).pad_right(width - text.cell_len)
                    for line in last.wrap(console, max(1, options.max_width - before.cell_len), overflow="fold"):
                        yield from Text.assemble(before, line).render(console, "\n")
                        before = Text(" " * before.cell_len, before.style)
            case _:
                yield self.block


def fitted(grid: layout.Grid, console: Console, available: int) -> Iterator[RenderableType]:
    """Yield the lines of a grid, as wide as it needs to be and the console lets it."""
    gap = 2 if available >= ROOMY else 1
    columns, is_short = [replace(one, wider=0) for one in grid.columns], any(one.with_intervals for one in grid.columns)
    widths = _widths(grid.columns, available, gap)
    if is_short and all(i in widths or one.rank >= WHOLE for i, one in enumerate(columns)):
        # else intervals do not fit, and nobody computes them
        whole = [replace(one, cells=one.with_intervals() if one.with_intervals else one.cells) for one in columns]
        widths = _widths(whole, available, gap)
        is_short = not all(i in widths or one.rank >= WHOLE for i, one in enumerate(columns))
        columns = columns if is_short else whole
    widths = _widths(columns, available, gap) if is_short else widths
    names = {i: width for i, width in widths.items() if columns[i].names}
    if any(column.head for column in columns):
        yield from _lines(columns, [Text(column.head, "bold") for column in columns], widths, gap, console)
    if grid.rule:
        yield Text("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * _total(widths.values(), gap), "dim", no_wrap=True)
    for place, cells in enumerate(zip(*(column.cells for column in columns), strict=True)):
        if place in grid.gaps:
            yield Text()
        if place in grid.headings:
            yield grid.headings[place]
        elif text := grid.across.get(place):
            first, *more = _lines(columns, cells, names, gap, console)
            at = _total(names.values(), gap) + gap
            fits = at + text.cell_len <= available
            first.pad_right(at - first.cell_len if fits else 0)
            yield first.append_text(text) if fits else first
            yield from more
            if not fits:
                yield Padding(text, (0, 0, 0, 2))
        else:
            yield from _lines(columns, cells, widths, gap, console)
        if place in grid.below:
            yield Padding(grid.below[place], (0, 0, 0, widths[0] + gap))
    gone = [column.title or column.head for i, column in enumerate(columns) if i not in widths]
    short = [one.head for i, one in enumerate(columns) if is_short and i in widths and one.with_intervals]
    gone += [f"intervals of {', '.join(short)}"] if short else []
    if gone and not grid.silent:
        yield Text(f"Not shown at this width: {', '.join(gone)}.", "dim")


def _lines(
    columns: Sequence[layout.GridColumn], cells: Sequence[Text], widths: Mapping[int, int], gap: int, console: Console
) -> Iterator[Text]:
    wrapped = {i: _wrapped(cells[i], width, console) for i, width in widths.items()}
    for number in range(max(map(len, wrapped.values()))):
        plain, spans = "", []
        for i, width in widths.items():
            cell = wrapped[i][number] if number < len(wrapped[i]) else EMPTY_TEXT
            blanks = " " * (width - cell.cell_len)
            to_the_left = columns[i].names or any(one.justify == "left" for one in columns[i].cells[:1])
            at = len(plain) if to_the_left else len(plain) + len(blanks)
            plain += cell.plain + blanks if to_the_left else blanks + cell.plain
            styled = [Span(0, len(cell.plain), cell.style), *cell.spans]
            spans += [span.move(at) for span in styled if span.style and span]
            plain += " " * gap
        line = Text(plain, spans=spans, no_wrap=True, overflow="ignore")
        line.rstrip()  # spans too: rich cannot print those that reach beyond a line
        yield line


def _widths(columns: Sequence[layout.GridColumn], available: int, gap: int) -> dict[int, int]:
    contents = [[one.head, *(cell.plain + " " * one.wider for cell in one.cells)] for one in columns]
    widths = {i: max(map(cell_len, set(of_it))) for i, of_it in enumerate(contents)}
    names = [i for i in widths if columns[i].names]
    least, words = dict(widths), {}
    for i in names:
        words[i] = max((cell_len(word) for one in set(contents[i]) for word in one.split()), default=1)
        if widths[i] > LONGEST_WHOLE:
            least[i] = max(min(words[i], LONGEST_WORD), columns[i].least)
    of_head = {i: column.head.split() for i, column in enumerate(columns)}
    heads = [i for i in widths if i not in names and widths[i] > LONGEST_HEAD]
    for i in heads:  # in two lines
        halves = [(" ".join(of_head[i][:at]), " ".join(of_head[i][at:])) for at in range(1, len(of_head[i]))]
        head = min((max(map(cell_len, both)) for both in halves), default=widths[i])
        least[i] = max(min(head, LONGEST_WORD), *map(cell_len, set(contents[i][1:])), 1)
    while _total(least.values(), gap) > available and any(columns[i].rank for i in least):
        gone = max(least, key=lambda i: (columns[i].rank, i))
        del least[gone], widths[gone]
    for floor in (least, words, dict.fromkeys(names, NARROWEST_NAME)):
        wrapping = [*heads, *names] if floor is least else names
        for i in sorted((i for i in wrapping if i in widths), key=lambda i: -widths[i]):
            over = _total(widths.values(), gap) - available
            widths[i] = max(min(widths[i], floor[i]), widths[i] - max(0, over))
    return widths


def _wrapped(cell: Text, width: int, console: Console) -> list[Text]:
    """Break a cell into lines of the width of its column; those below an indented line are indented further."""
    if cell.cell_len <= width:
        return [cell]
    hanging = 2 * (len(cell.plain) - len(cell.plain.lstrip()))
    lines = [*cell.wrap(console, max(1, width - hanging), overflow="fold")]
    for line in lines[1:]:
        line.pad_left(hanging)
    return lines


def _total(widths: Collection[int], gap: int) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def stdout() -> Console:
    return _console(sys.stdout)


def stderr() -> Console:
    return _console(sys.stderr, quiet=verbosity() < 0)


def _console(stream: TextIO, *, quiet: bool = False) -> Console:
    """Colour where the terminal has it and NO_COLOR does not forbid it; nothing in a foreign string is markup."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=LEGIBLE)  # a bar that this terminal cannot show must not end the program
    return TrimmingConsole(file=stream, quiet=quiet, markup=False, highlight=False, emoji=False)


class TrimmingConsole(Console):
    """Prints no blanks at the ends of lines, with which rich fills them up: so they can be copied and compared."""

    def print(self, *objects: Any, **options: Any) -> None:
        kept = (object,) if options.get("soft_wrap") else (str, Control)  # a bar prints a control to be drawn anew
        blocks = (one if isinstance(one, kept) else _Trimmed(Rendered(one)) for one in objects)
        super().print(*blocks, **options)


class _Trimmed(Struct, frozen=True):
    body: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.body, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()
            if line:
                line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
            if not console.encoding.startswith("utf"):
                texts = in_columns((one.text for one in line), console.encoding)
                line = [Segment(text, one.style) for text, one in zip(texts, line, strict=True)]
            yield from (*line, Segment.line())


def flat(blocks: Iterable[layout.Block]) -> Iterator[Text | layout.Lead | layout.Labelled | layout.Grid]:
    """Yield what a page and Markdown print, without what only a terminal can show."""
    for block in blocks:
        match block:
            case layout.Blocks():
                yield from flat(block.parts)
            case layout.WidthDependent():
                yield from flat([block.instead()] if block.instead else [])
            case layout.Flow():
                yield Text(block.between).join(block.parts)
            case layout.Indented():
                yield block.text
            case str():
                yield Text(block)
            case _:
                yield block


DOCS_PAGE = re.compile(r"(<[^>]*>)|docs/(?:[\w-]+/)*([\w-]+)\.md")  # outside tags


class Definitions(Struct, frozen=True):
    """Definitions of the words in a page's tables, and the address of the documentation."""

    heads: Mapping[str, str] = {}  # of columns
    names: Mapping[str, str] = {}  # of mechanisms
    docs: str = ""  # the address of the documentation of this version; empty if unknown

    def head(self, text: str) -> str:
        return _abbr(text, self.heads[text]) if text in self.heads else escape(text)

    def in_name(self, html: str) -> str:
        """Return the HTML of a case's name, in which its mechanism has a definition."""
        known = "|".join(sorted(map(re.escape, self.names), key=len, reverse=True))
        name = re.compile(rf"(?<![\w-])({known})(?![\w-])")
        return name.sub(lambda found: _abbr(found[1], self.names[found[1]]), html, count=1) if known else html

    def with_links(self, html: str) -> str:
        """Return HTML in which each page of the documentation is a link, or has a title if there is no address."""
        return DOCS_PAGE.sub(lambda found: found[1] or self._link(found), html)

    def _link(self, found: re.Match[str]) -> str:
        if self.docs:
            return f'<a href="{escape(self.docs)}/{found[0]}" rel="noreferrer">{found[2]}</a>'
        return _page_title(found)


def _page_title(found: re.Match[str]) -> str:
    return f"the page '{found[2]}' of the documentation"


def _abbr(text: str, definition: str) -> str:
    return f'<abbr title="{escape(DOCS_PAGE.sub(_page_title, definition))}">{escape(text)}</abbr>'


NO_DEFINITIONS = Definitions()
MARKS = {"bold red": "🔴 ", "bold green": "🟢 ", "yellow": "🟡 "}
"""Signs for the colour of a title, or of a cell as a whole: markdown has no colours."""


def as_markdown(blocks: Iterable[layout.Block]) -> str:
    """Write blocks below each other; what only a terminal can show is left out."""
    return "\n".join(filter(None, map(_as_markdown, flat(blocks))))


def _as_markdown(block: Text | layout.Lead | layout.Labelled | layout.Grid) -> str:
    match block:
        case Text():
            return f"{escaped(block.plain)}\n" if block.plain.strip() else ""
        case layout.Lead():
            return f"### threadping: {MARKS.get(block.style, '')}{escaped(block.text)}\n"
        case layout.Labelled():
            rows = (" ".join(str(part) for part in row).removeprefix("- ") for row in block.rows)
            return "".join(f"- {escaped(row)}\n" for row in rows)
        case layout.Grid():
            return _markdown_table(block)


def _markdown_table(grid: layout.Grid) -> str:
    more = {place: grid.across.get(place) or grid.below.get(place) for place in {*grid.across, *grid.below}}
    rows = [[escaped(column.head) for column in grid.columns] + ([""] if more else [])]
    rows.append(["---" if column.names else "---:" for column in grid.columns] + (["---"] if more else []))
    for place, cells in enumerate(grid.lines):
        last = [escaped(text.plain) if (text := more.get(place)) else ""] if more else []
        first = [f"**{escaped(heading.plain)}**"] if (heading := grid.headings.get(place)) else []
        written = [MARKS.get(str(cell.style), "") + escaped(cell.plain.strip()) for cell in cells[len(first) :]]
        rows.append([*first, *written, *last])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def escaped(text: str) -> str:
    """Return a text without any Markdown syntax."""
    return "".join(f"\\{char}" if char in r"\`*_{}[]<>#|~" else char for char in " ".join(text.split()))
