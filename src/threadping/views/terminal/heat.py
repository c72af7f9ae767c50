"""A heat map on the terminal, and beside it what its colours mean."""

from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from string import ascii_lowercase

from msgspec import Struct
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from threadping import quantities
from threadping.contract import Topology
from threadping.matrix.epochs import MOST as MOST_EPOCHS
from threadping.matrix.epochs import Epoch
from threadping.matrix.matrix import Matrix
from threadping.quantities import counted
from threadping.relation import usable
from threadping.views.heat import Drawn, Scale, drawn, on, written
from threadping.views.terminal import names
from threadping.views.terminal.heading import Flow

MOST_ROWS, MOST_WHOLE = 64, 32
"""Of more CPUs groups are drawn, and from here on two rows share a line: a terminal is seldom higher."""

LOWER, UPPER, WHOLE = "\N{LOWER HALF BLOCK}", "\N{UPPER HALF BLOCK}", "\N{FULL BLOCK}" * 2
UNKNOWN, UNIT, BETWEEN = "\N{MIDDLE DOT}", "ns", 3
MOST_SMALL = (16, 8)
"""Rows of a map on the first screen, the first that fit."""

EVERY = 8
"""Where figures have no room, so many columns share a label."""


class HeatMap(Struct, frozen=True):
    """The latency of every two CPUs, in the order of their locality: figures where they fit, else colours alone.

    Without colour and room for figures each pair is the letter of its group.

    Attributes:
        matrix: what is drawn.
        topology: of its machine; None where it is not known.
        home: of the lines.
        most: how many rows it has at most.
        height: how many lines.
        scale: of its colours, where other maps share it.
    """

    matrix: Matrix
    topology: Topology | None
    home: str
    most: int = MOST_ROWS
    height: int = 2 * MOST_ROWS
    scale: Scale | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it line by line."""
        of = self._drawn(options.max_width)
        yield from self._lines(of, console, options.max_width)
        if of.shared:
            yield Text(f"E{of.shared[1:]}, named by the first: medians of their pairs.", "dim")

    def lines(self, console: Console, width: int) -> list[Text]:
        """Its lines."""
        return [*self._lines(self._drawn(width), console, width)]

    def _drawn(self, width: int) -> Drawn:
        beside = len(str(max(self.matrix.cpus))) + 2
        return drawn(self.matrix, self.topology, self.home, min(self.most, width - beside))

    def _lines(self, of: Drawn, console: Console, width: int) -> Iterator[Text]:
        if not of.known:
            return
        labels = [str(group[0]) for group in of.groups]
        margin = max(map(len, [*labels, UNIT])) + 1
        room, is_high = width - margin, len(labels) < self.height
        scale = self.scale or Scale.of(self.matrix)
        coloured = console.color_system is not None and not console.no_color
        for decimals in (1, 0):
            each = max(*map(len, labels), len(f"{max(of.known):.{decimals}f}")) + 1
            if is_high and each * len(labels) <= room:
                yield from _figures(of, labels, margin, each, decimals, scale if coloured else None)
                return
        if not coloured:
            yield from _letters(of, labels, margin, self.matrix)
        elif is_high and len(labels) <= MOST_WHOLE and 2 * len(labels) <= room:
            yield from _whole(of, labels, margin, scale)
        else:
            yield from _halves(of, labels, margin, scale)

    def beside(self, texts: Sequence[Text], console: Console, width: int) -> list[Text]:
        """The lines of the map with these beside them; where the column labels are all that is too much without."""
        of = self._drawn(width)
        lines = [*self._lines(of, console, width - BETWEEN - max(text.cell_len for text in texts))]
        if (note := of.shared) and len(texts) < self.height:
            texts = [*texts, Text(note, "dim")]
        if len(lines) == self.height + 1:
            del lines[0]
        left = max((line.cell_len for line in lines), default=0) + BETWEEN
        lines += [Text() for _ in texts[len(lines) :]]
        for line, text in zip(lines, texts, strict=False):
            line.pad_right(left - line.cell_len)
            line.append_text(text)
        return lines


class OverTime(Struct, frozen=True):
    """How the map changed: parts of the run beside each other, in the colours of the whole."""

    matrix: Matrix
    topology: Topology | None
    epochs: Sequence[Epoch]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it line by line."""
        each = (options.max_width + BETWEEN) // MOST_EPOCHS - BETWEEN
        parts = []
        for one in self.epochs:
            of = HeatMap(one.matrix, self.topology, one.matrix.homes[0], 16, 9, Scale.of(self.matrix))
            head = Text(f"{quantities.duration(one.begun_s)} to {quantities.duration(one.ended_s)}", "bold")
            parts.append([head, *of.lines(console, each)])
        for lines in zip_longest(*parts, fillvalue=Text()):
            yield Text(" " * BETWEEN).join(_padded(line, each) for line in lines)


def _padded(line: Text, width: int) -> Text:
    padded = line.copy()
    padded.pad_right(width - line.cell_len)
    return padded


class SmallMap(Struct, frozen=True):
    """What the first screen shows of every two CPUs: a map where it has room for one, else its groups.

    Attributes:
        matrix: what is drawn.
        topology: of its machine.
        height: how many lines it has at most.
    """

    matrix: Matrix
    topology: Topology
    height: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it line by line."""
        cpus, of_all = len(self.matrix.cpus), len(usable(self.topology))
        which = f"{cpus if cpus == of_all else f'{cpus} of {of_all}'} CPUs"
        texts = [Text(f"{which}, a ping for every two", "bold"), *legend(self.matrix, brief=True)]
        if len(texts) == self.height + 1:
            del texts[0]
        for most in MOST_SMALL if len(texts) <= self.height else ():
            of = HeatMap(self.matrix, self.topology, "first", most, self.height)
            if len(lines := of.beside(texts, console, options.max_width)) <= self.height:
                yield from lines
                return
        groups = (f"{names.plain(one.named)} {quantities.time(one.latency_ns)}" for one in self.matrix.clusters)
        flow = Flow([Text(which, "bold"), *map(Text, groups)]).__rich_console__(console, options)
        yield from islice(flow, max(0, self.height))


def _figures(
    of: Drawn, labels: Sequence[str], margin: int, room: int, decimals: int, scale: Scale | None
) -> Iterator[Text]:
    yield Text(f"{UNIT:>{margin - 1}} " + "".join(f"{label:>{room}}" for label in labels), "bold")
    for label, group, row in zip(labels, of.groups, of.values, strict=True):
        line = Text(f"{label:>{margin - 1}} ", "bold")
        for other, ns in zip(of.groups, row, strict=True):
            if ns is None:
                line.append(f"{'' if other == group else UNKNOWN:>{room}}", "dim")
            elif scale:
                colour = scale.colour(ns)
                line.append(f"{ns:>{room}.{decimals}f}", f"not bold {on(colour)} on {written(colour)}")
            else:
                line.append(f"{ns:>{room}.{decimals}f}", "not bold")
        yield line


def _ticks(labels: Sequence[str], margin: int, room: int) -> Text:
    """Labels above the first of every few columns."""
    line = " " * margin
    for place in range(0, len(labels), EVERY):
        line = f"{line:<{margin + room * place}}{labels[place]}"
    return Text(line, "bold")


def _whole(of: Drawn, labels: Sequence[str], margin: int, scale: Scale) -> Iterator[Text]:
    yield _ticks(labels, margin, 2)
    for label, row in zip(labels, of.values, strict=True):
        line = Text(f"{label:>{margin - 1}} ", "bold")
        for ns in row:
            line.append("  " if ns is None else WHOLE, "" if ns is None else written(scale.colour(ns)))
        yield line


def _halves(of: Drawn, labels: Sequence[str], margin: int, scale: Scale) -> Iterator[Text]:
    """Two rows in a line, so that it is as high as it is wide."""
    yield _ticks(labels, margin, 1)
    for place in range(0, len(labels), 2):
        line = Text(f"{labels[place]:>{margin - 1}} ", "bold")
        upper = of.values[place]
        lower = of.values[place + 1] if place + 1 < len(labels) else [None] * len(upper)
        for above, below in zip(upper, lower, strict=True):
            if above is None and below is None:
                line.append(" ")
            elif above is None:
                line.append(LOWER, written(scale.colour(below or 1)))
            else:
                under = "" if below is None else f" on {written(scale.colour(below))}"
                line.append(UPPER, f"not bold {written(scale.colour(above))}{under}")
        yield line


def _letters(of: Drawn, labels: Sequence[str], margin: int, matrix: Matrix) -> Iterator[Text]:
    yield _ticks(labels, margin, 1)
    ends = [cluster.range[1] for cluster in matrix.clusters]
    for label, row in zip(labels, of.values, strict=True):
        letters = [" " if ns is None else _letter(sum(ns > end for end in ends[:-1])) for ns in row]
        yield Text.assemble((f"{label:>{margin - 1}} ", "bold"), "".join(letters))


def _letter(place: int) -> str:
    return ascii_lowercase[min(place, len(ascii_lowercase) - 1)]


def legend(of: Matrix, *, brief: bool = False) -> Iterator[Text]:
    """A line for each group: its colour, letter, name and latency; unless it is brief its pairs and their range."""
    scale = Scale.of(of)
    named = [names.plain(one.named) or "group" for one in of.clusters]
    times = [quantities.time(one.latency_ns) for one in of.clusters]
    for place, one in enumerate(of.clusters):
        line = Text.assemble(
            (f"{WHOLE} ", written(scale.colour(one.latency_ns))),
            f"{_letter(place)} " if len(of.clusters) > 1 else "",
            f"{named[place]:<{max(map(len, named))}}  ",
            (f"{times[place]:>{max(map(len, times))}}", "bold"),
        )
        if not brief:
            spread = f"{one.range[0]:.3g}{quantities.TO}{one.range[1]:.3g}" if one.pairs > 1 else ""
            line.append(f"  {counted(one.pairs, 'pair')}").append(f"  {spread}", "dim")
        yield line
