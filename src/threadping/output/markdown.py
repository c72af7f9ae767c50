"""Sheets as HTML and as Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise

from rich.text import Text

from threadping.output.layout import (
    Block,
    Blocks,
    Flow,
    Grid,
    Indented,
    Labelled,
    Lead,
    ShareBar,
    ShareBars,
    WidthDependent,
)

LINK = "link "  # the beginning of a style that is an address
BAR = '<rect width="{:.1f}" height="4" rx="1" fill="var(--{})"/>'


def as_html(*blocks: Block, label: str = "") -> str:
    """Write blocks below each other; a table is called by its label. What only a terminal can show is left out."""
    return "\n".join(part for block in blocks for part in _as_html(block, escape(label)))


def _as_html(block: Block, label: str) -> Iterator[str]:
    match block:
        case Text() | str():
            if (text := _text(block)).plain.strip():
                yield f"<p>{_styled(text)}</p>"
        case Lead():
            yield f"<p>{_styled(Text(block.text, block.style))}</p>"
        case WidthDependent() if block.instead:
            yield from _as_html(block.instead, label)
        case Flow():
            yield f"<p>{_styled(Text(block.between).join(block.parts))}</p>"
        case Indented():
            yield f"<p>{_styled(block.text)}</p>"
        case Labelled():
            yield from _table((_line(_cell(_text(cell), "n") for cell in row) for row in block.rows), label)
        case Grid():
            label = label or escape(block.columns[0].head)
            yield from _table(_lines(block), label, _heads(block), "table" if block.rule else "table questions")
        case ShareBars():
            yield f'<dl class="states" aria-label="{escape(block.title.lower())}">'
            yield from (line for of in block.of for line in _bars(block.title.lower(), of))
            yield "</dl>"
        case Blocks():
            for part in block.parts:
                yield from _as_html(part, label)


def _table(lines: Iterable[str], label: str, heads: str = "", kind: str = "table") -> Iterator[str]:
    yield f'<div class="{kind}" tabindex="0" role="region" aria-label="{label or "table"}"><table>{heads}'
    yield from ("<tbody>", *lines, "</tbody></table></div>")


def _heads(grid: Grid) -> str:
    heads = (f'<th scope="col"{_class("n" * column.names)}>{escape(column.head)}' for column in grid.columns)
    shown = any(column.head for column in grid.columns)
    return f"<thead>{_line(heads)}</thead>" if shown else ""


def _lines(grid: Grid) -> Iterator[str]:
    kinds = ["n" * column.names for column in grid.columns]
    kinds = kinds if any(column.head for column in grid.columns) else ["n"] * len(kinds)
    for place, cells in enumerate(zip(*(column.cells for column in grid.columns), strict=True)):
        across = grid.across.get(place)
        shown = [_cell(cell, kind) for cell, kind in zip(cells, kinds, strict=True) if not across or kind]
        more = [f'<td colspan="{len(kinds) - len(shown)}">{_styled(across)}'] if across else []
        yield _line([*shown, *more], _class("gap" * (place in grid.gaps)))
        if below := grid.below.get(place):
            yield _line([f'<td class="n" colspan="{len(kinds)}">{_styled(below)}'])


def _line(cells: Iterable[str], kind: str = "") -> str:
    return f"<tr{kind}>{''.join(cells)}</tr>"


def _bars(title: str, of: ShareBar) -> Iterator[str]:
    for place, ((part, words), (_, share)) in enumerate(zip(of.said, of.parts, strict=True)):
        name = "" if place else escape(f"{title} {of.name}")
        bar = BAR.format(100, "grid") + BAR.format(100 * share, "c0")
        svg = f'<svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
        yield f"<div><dt>{name}</dt><dd><strong>{escape(part)}</strong>{svg}<span>{escape(words)}</span></dd></div>"


def _text(of: str | Text) -> Text:
    return Text(of) if isinstance(of, str) else of


def _cell(text: Text, kind: str) -> str:
    return f"<td{_class(kind)}>{_styled(text)}"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _styled(text: Text) -> str:
    """A text with its styles as classes; blanks at its beginning, which only align it on a terminal, go."""
    ends = sorted({0, len(text), *(end for span in text.spans for end in (span.start, span.end) if end <= len(text))})
    pieces: list[tuple[str, Sequence[str]]] = []
    for begin, end in pairwise(ends):
        within = [str(span.style) for span in text.spans if span.start <= begin and end <= span.end]
        if pieces or text.plain[begin:end].strip():
            pieces.append((text.plain[begin:end], [str(text.style)] * bool(text.style) + within))
    return "".join(_piece(escape(piece), styles) for piece, styles in pieces)


def _piece(text: str, every: Sequence[str]) -> str:
    styles = " ".join(one for one in every if not one.startswith(LINK))
    styled = f"<i>{text}</i>" if styles == "dim" else f'<b class="{styles}">{text}</b>' if styles else text
    address = next((one.removeprefix(LINK) for one in every if one.startswith(LINK)), None)
    return f'<a href="{escape(address)}" rel="noreferrer">{styled}</a>' if address else styled


MARKS = {"bold red": "🔴 ", "bold green": "🟢 ", "yellow": "🟡 "}
"""Signs for the colour of a title, or of a cell as a whole: markdown has no colours."""


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
        case WidthDependent() if block.instead:
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
