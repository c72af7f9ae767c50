"""Which columns fit a width, and how wide each of them is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct
from rich.text import Text

GAP = 2
SHORTEST_BREAK = 8
"""A column whose words are broken is not made narrower than this."""

Stretching = Callable[[int], Text]


class Column(Struct, frozen=True, kw_only=True):
    """A column: `name` is what the note calls it, `above` stands over it and its neighbours, `head` right over it.

    Columns that are `naming` say what a line is about; the first of all may number it. `leave_out` says in which order
    columns go (1 goes first; None never goes); those that `matter` go only where they stand below the names. A column
    that stretches takes what is left, between two widths; its cells are made for the width that it gets. A `noun` is
    what the cells of a column of numbers count: it is said where they stand without their head.
    """

    name: str
    head: str
    above: str = ""
    naming: bool = False
    numbers: bool = False
    wraps: bool = False
    right: bool = True
    leave_out: int | None = None
    matters: bool = False
    stretches: tuple[int, int] | None = None
    noun: str = ""


class Line(Struct, frozen=True):
    """A row: a cell for each column; `instead` takes the place of all that do not name things, `below` follows.

    A row that is `apart` begins something new, and stands apart from the one before it.
    """

    cells: tuple[Text | Stretching, ...]
    instead: Text | None = None
    below: Text | None = None
    apart: bool = False


class Fit(Struct, frozen=True):
    """The columns to show by their position, with their widths; stacked: the figures stand below the names."""

    widths: dict[int, int]
    stacked: bool


def total(widths: Sequence[int]) -> int:
    """What columns take side by side."""
    return sum(widths) + GAP * (len(widths) - 1)


def fit(columns: Sequence[Column], lines: Sequence[Line], width: int) -> Fit:
    """Choose the columns for a width.

    Those that only name things are wrapped at blanks, as far as that lets all the others fit. Then others are left out,
    the least important first. Where those that matter do not fit beside the names, they stand below them.
    """
    contents = [_Content.of(column, lines, index) for index, column in enumerate(columns)]
    natural = {index: content.natural for index, content in enumerate(contents)}
    order = [index for _, index in sorted((c.leave_out, i) for i, c in enumerate(columns) if c.leave_out is not None)]
    for gone in _ever_more([index for index in order if not columns[index].matters]):
        widths = _widen({index: natural[index] for index in natural if index not in gone}, columns)
        if _wrap(widths, contents, width):
            return Fit(_stretch(widths, columns, width), stacked=False)
    names = {index: natural[index] for index in natural if columns[index].naming}
    if len(names) == len(natural):
        return Fit(_break(names, contents, width), stacked=False)
    beside = width - indent(columns, natural)
    for gone in _ever_more(order):
        figures = _widen({i: natural[i] for i in natural if i not in names and i not in gone}, columns)
        if total([*figures.values()]) <= beside:
            break
    return Fit({**names, **_stretch(figures, columns, beside)}, stacked=True)


def indent(columns: Sequence[Column], widths: Mapping[int, int]) -> int:
    """Where figures begin that stand below the names: beside the number, if there is one."""
    return widths[0] + GAP if columns[0].numbers else GAP


class _Content(Struct, frozen=True):
    """What a column's width depends on: the widths of the words of each cell, and what stands over them."""

    least: int
    cells: tuple[tuple[int, ...], ...]
    natural: int
    wraps: bool

    @classmethod
    def of(cls, column: Column, lines: Sequence[Line], index: int) -> "_Content":
        shown = [line for line in lines if column.naming or line.instead is None]
        texts = [cell for line in shown if isinstance(cell := line.cells[index], Text)]
        least = max(len(column.head), column.stretches[0] if column.stretches else 0)
        cells = tuple(tuple(Text(word).cell_len for word in text.plain.split()) for text in texts)
        return cls(least, cells, max([least, *(text.cell_len for text in texts)]), column.wraps)

    def within(self, width: int) -> int:
        """The width that this takes when it is wrapped within a width; its natural width where it cannot be."""
        longest = max([self.least, *(word for cell in self.cells for word in cell)])
        if longest > width:
            return self.natural
        return max([self.least, *(_longest_line(cell, width) for cell in self.cells)])


def _widen(widths: dict[int, int], columns: Sequence[Column]) -> dict[int, int]:
    """Make room for what stands above: the columns below it share what is missing, the last takes the rest."""
    for above, group in groupby(widths, key=lambda index: columns[index].above):
        below = [*group]
        needed = len(above) + (2 if above and len(below) > 1 else 0)
        missing = max(0, needed - total([widths[index] for index in below]))
        for index in below:
            widths[index] += missing // len(below)
        widths[below[-1]] += missing % len(below)
    return widths


def _wrap(widths: dict[int, int], contents: Sequence[_Content], width: int) -> bool:
    """Wrap the widest of the columns that can be, as far as needed; whether that was enough."""
    while total([*widths.values()]) > width:
        narrower = {index: contents[index].within(widths[index] - 1) for index in widths if contents[index].wraps}
        able = [index for index in narrower if narrower[index] < widths[index]]
        if not able:
            return False
        widest = max(able, key=lambda index: widths[index])
        widths[widest] = narrower[widest]
    return True


def _break(widths: dict[int, int], contents: Sequence[_Content], width: int) -> dict[int, int]:
    """Wrap, and then break words, where a table has nothing but names."""
    _wrap(widths, contents, width)
    while total([*widths.values()]) > width:
        able = [index for index in widths if contents[index].wraps and widths[index] > SHORTEST_BREAK]
        if not able:
            break
        widths[max(able, key=lambda index: widths[index])] -= 1
    return widths


def _stretch(widths: dict[int, int], columns: Sequence[Column], width: int) -> dict[int, int]:
    for index in widths:
        if limits := columns[index].stretches:
            spare = max(0, width - total([*widths.values()]))
            widths[index] = max(widths[index], min(limits[1], widths[index] + spare))
    return widths


def _ever_more(order: Sequence[int]) -> Iterator[Sequence[int]]:
    return (order[:number] for number in range(len(order) + 1))


def _longest_line(words: Sequence[int], width: int) -> int:
    """Fill lines with words of these lengths, as many to a line as fit; the length of the longest line."""
    lines = [0]
    for word in words:
        together = lines[-1] + bool(lines[-1]) + word
        if together <= width:
            lines[-1] = together
        else:
            lines.append(word)
    return max(lines)
