"""Blocks as GitHub's markdown: for a pull request."""

from collections.abc import Iterable, Iterator

from rich.text import Text

from threadping.sheets.grid import AsWide, Block, Blocks, Flow, Grid, Indented, Labelled, Lead, ShareBars

MARKS = {"bold red": "🔴 ", "bold green": "🟢 ", "yellow": "🟡 "}
"""What stands for the colour of a title, or of a cell as a whole: markdown has none."""


def as_markdown(blocks: Iterable[Block]) -> str:
    """Write blocks below each other; what only a terminal can show is left out."""
    return "\n".join(part for block in blocks for part in _written(block))


def _written(block: Block) -> Iterator[str]:
    match block:
        case Text() | str():
            if text := str(block).strip():
                yield escaped(text) + "\n"
        case Lead():
            yield f"### threadping: {MARKS.get(block.style, '')}{escaped(block.text)}\n"
        case AsWide() if block.instead:
            yield from _written(block.instead)
        case Flow():
            yield escaped(block.between.join(part.plain for part in block.parts)) + "\n"
        case Indented():
            yield escaped(block.text.plain) + "\n"
        case Labelled():
            rows = (" ".join(str(part) for part in row).removeprefix("- ") for row in block.rows)
            yield "".join(f"- {escaped(row)}\n" for row in rows)
        case Grid():
            yield table(block)
        case ShareBars():
            each = (f"{of.name}: {part}, {said}" for of in block.of for part, said in of.said)
            yield "".join(f"- {block.title.lower()} {escaped(line)}\n" for line in each)
        case Blocks():
            for part in block.parts:
                yield from _written(part)


def table(grid: Grid) -> str:
    """A grid, with all of its columns; what stands across or below a line is its last cell."""
    heads = [column.head for column in grid.columns]
    more = {place: grid.across.get(place) or grid.below.get(place) for place in {*grid.across, *grid.below}}
    rows = [[escaped(head) for head in heads] + ([""] if more else [])]
    rows.append(["---" if column.names else "---:" for column in grid.columns] + (["---"] if more else []))
    for place, cells in enumerate(zip(*(column.cells for column in grid.columns), strict=True)):
        last = [escaped(text.plain) if (text := more.get(place)) else ""] if more else []
        rows.append([MARKS.get(str(cell.style), "") + escaped(cell.plain.strip()) for cell in cells] + last)
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def escaped(text: str) -> str:
    """A text, of which markdown takes nothing for its own."""
    return "".join(f"\\{char}" if char in r"\`*_{}[]<>#|~" else char for char in " ".join(text.split()))
