"""What the terminal prints, as data for a template: the same tables and sentences, cell by cell."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct
from rich.text import Text

from threadping.sheets.grid import AsWide, Blocks, Flow, Grid, Indented, Labelled, Lead

Part = tuple[str, str]
"""A piece of text, and the names of its styles."""

Cell = Sequence[Part]


class Line(Struct, frozen=True):
    """A line of a table: a cell for each column; or `across`, what stands in place of the figures."""

    cells: Sequence[Cell]
    across: Cell = ()
    gap: bool = False


class Block(Struct, frozen=True):
    """A table with heads, of which the first `names` are of names, or, without lines, a sentence."""

    text: Cell = ()
    heads: Sequence[str] = ()
    names: int = 0
    lines: Sequence[Line] = ()


def blocks(*printed: Any) -> Iterator[Block]:
    """Everything that these renderables print, in order; what is drawn with characters is left out."""
    for one in printed:
        match one:
            case str():
                yield Block(((one, ""),))
            case Text():
                if one.plain.strip():
                    yield Block(parts(one))
            case Lead():
                yield Block(((one.text, one.style),))
            case AsWide() if one.instead:
                yield from blocks(one.instead)
            case Blocks():
                yield from blocks(*one.parts)
            case Indented():
                yield Block(parts(one.text))
            case Flow():
                yield Block(parts(Text(one.between).join(one.parts)))
            case Grid():
                yield table(one)
            case Labelled():
                yield Block(lines=[Line([_cell(cell) for cell in row]) for row in one.rows])


def table(made: Grid) -> Block:
    """A table of the terminal, with all of its columns."""
    lines = []
    for place, cells in enumerate(zip(*(column.cells for column in made.columns), strict=True)):
        across = parts(made.across[place]) if place in made.across else ()
        lines.append(Line([parts(cell) for cell in cells], across, place in made.gaps))
    names = sum(column.names for column in made.columns)
    return Block(heads=[column.head for column in made.columns], names=names, lines=lines)


def _cell(cell: Any) -> Cell:
    return parts(cell) if isinstance(cell, Text) else ((str(cell), ""),)


def parts(text: Text) -> Cell:
    """A text where its styles change; blanks at its ends, which only align it on a terminal, go."""
    ends = sorted({0, len(text), *(end for span in text.spans for end in (span.start, span.end) if end <= len(text))})
    found = [
        (
            text.plain[begin:end],
            " ".join([str(text.style)] * bool(text.style))
            + " ".join(str(span.style) for span in text.spans if span.start <= begin and end <= span.end),
        )
        for begin, end in pairwise(ends)
    ]
    while found and not found[0][0].strip():
        del found[0]
    return tuple(found)


def markdown(block: Block) -> str:
    """A block as GitHub's markdown."""
    if not block.lines:
        return _escaped(block.text) + "\n"
    width = len(block.lines[0].cells)
    rows = [[escaped(head) for head in block.heads] or [""] * width]
    rows.append(["---" if place < block.names else "---:" for place in range(width)])
    rows += [[_escaped(cell) for cell in line.cells] for line in block.lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def escaped(text: str) -> str:
    """A text, of which markdown takes nothing for its own."""
    return "".join(f"\\{char}" if char in r"\`*_{}[]<>#|~" else char for char in " ".join(text.split()))


def _escaped(cell: Cell) -> str:
    return escaped("".join(text for text, _ in cell))
