"""A heat map: the colour of a latency, the same on a terminal, in a chart and on a page; and the map on a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import log
from statistics import median
from string import ascii_lowercase

from msgspec import Struct
from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping.analysis.latency_map import LatencyMap, groups
from threadping.model.base import Record
from threadping.model.contract import Topology
from threadping.model.quantities import TO, counted, time
from threadping.output import charts, names
from threadping.output.layout import Chart, Flow, Json, WidthDependent
from threadping.probes.placements import usable

Rgb = tuple[int, int, int]
PALETTE: tuple[Rgb, ...] = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))
"""viridis (van der Walt and Smith, 2015): brightness grows with latency, for readers with any colour vision."""

LEAST_REACH = 2.0  # minimum ratio of the farthest to the nearest colour: noise is to look like noise


class Scale(Record, frozen=True):
    """Colours from the nearest to the farthest latency (ns), by ratios."""

    low: float
    high: float

    @staticmethod
    def of(*maps: LatencyMap) -> "Scale":
        """Over the pairs of all maps; a figure of 0 has no ratio to others."""
        every = [ns for each in maps for ns in each.ns.values() if ns]
        low, high = min(every, default=1.0), max(every, default=1.0)
        wider = max(1.0, LEAST_REACH * low / high) ** 0.5
        return Scale(low / wider, high * wider)

    def colour(self, ns: float) -> Rgb:
        """Return the colour of a latency; beyond the ends it is theirs."""
        ns = min(max(ns, self.low), self.high)
        at = (log(ns) - log(self.low)) / (log(self.high) - log(self.low)) * (len(PALETTE) - 1)
        place = min(int(at), len(PALETTE) - 2)
        mixed = (round(a + (at - place) * (b - a)) for a, b in zip(PALETTE[place], PALETTE[place + 1], strict=True))
        red, green, blue = mixed
        return red, green, blue


def written(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def on(colour: Rgb) -> str:
    """Return the colour of text on it: black or white."""
    red, green, blue = colour
    return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"


class MapLayout(Record, frozen=True):
    """The content of a map: groups of CPUs, and the latency from each to each (ns); None where it is not known."""

    groups: Sequence[tuple[int, ...]]
    values: Sequence[Sequence[float | None]]

    @property
    def known(self) -> list[float]:
        return [value for row in self.values for value in row if value is not None]

    @property
    def shared(self) -> str:
        """Return how many CPUs share a row; empty where each has its own."""
        sizes = sorted({len(group) for group in self.groups})
        many = f"{sizes[0]} to {sizes[-1]}" if sizes[1:] else f"{sizes[0]}"
        return f"each row is {many} neighbouring CPUs" if sizes[-1] > 1 else ""


def drawn(of: LatencyMap, topology: Topology | None, at_most: int) -> MapLayout:
    made = groups(topology, of.cpus, at_most)
    rows = []
    for one in made:
        row = []
        for other in made:
            found = [ns for a in one for b in other if (ns := of.between(a, b)) is not None]
            row.append(median(found) if found else None)
        rows.append(row)
    return MapLayout(made, rows)


MOST_ROWS, MOST_WHOLE = 64, 32
"""Maximum rows, beyond which groups are drawn; and the number from which two rows share a line of a terminal."""

LOWER, UPPER, WHOLE = "\N{LOWER HALF BLOCK}", "\N{UPPER HALF BLOCK}", "\N{FULL BLOCK}" * 2
UNKNOWN, UNIT, BETWEEN = "\N{MIDDLE DOT}", "ns", 3
EVERY = 8  # columns that share a label, where figures do not fit


class HeatMap(Struct, frozen=True):
    """The latency of every two CPUs: figures where they fit, else colours, or the letters of groups without colour."""

    map: LatencyMap  # what is drawn
    topology: Topology | None  # of its machine; None where it is not known
    scale: Scale  # of its colours
    most: int = MOST_ROWS  # how many rows it has at most
    height: int = 2 * MOST_ROWS  # how many lines

    @property
    def block(self) -> WidthDependent:
        def draw(console: Console, options: ConsoleOptions) -> Iterator[Text]:
            yield from self.lines(console, options.max_width)
            if shared := self.drawn(options.max_width).shared:
                yield Text(f"E{shared[1:]}, named by the first: medians of their pairs.", "dim")

        return WidthDependent(draw)

    def drawn(self, width: int) -> MapLayout:
        margin = len(str(max(self.map.cpus))) + 2
        return drawn(self.map, self.topology, min(self.most, width - margin))

    def lines(self, console: Console, width: int) -> list[Text]:
        """Its lines, none where nothing is known."""
        of = self.drawn(width)
        if not of.known:
            return []
        labels = [str(group[0]) for group in of.groups]
        margin = max(map(len, [*labels, UNIT])) + 1
        cell_width, is_high = width - margin, len(labels) < self.height
        coloured = console.color_system is not None and not console.no_color
        for decimals in (1, 0) if any(ns % 1 for ns in of.known) else (0,):  # no decimal that nobody measured
            each = max(*map(len, labels), len(f"{max(of.known):.{decimals}f}")) + 1
            if is_high and each * len(labels) <= cell_width:
                return [*_figures(of, labels, margin, each, decimals, self.scale if coloured else None)]
        height, cell = 1, 1
        if not coloured:
            ends = [group.range[1] for group in self.map.groups[:-1]]
            rows = [
                [(" " if ns is None else _letter(sum(ns > end for end in ends)), "") for ns in row] for row in of.values
            ]
        elif is_high and len(labels) <= MOST_WHOLE and 2 * len(labels) <= cell_width:
            whole = [
                [("  ", "") if ns is None else (WHOLE, written(self.scale.colour(ns))) for ns in row]
                for row in of.values
            ]
            rows, cell = whole, 2
        else:
            rows, height = _halves(of, self.scale), 2
        return [_ticks(labels, margin, cell), *_rows(labels[::height], margin, rows)]


def groups_line(found: LatencyMap, topology: Topology) -> Flow:
    cpus, of_all = len(found.cpus), len(usable(topology))
    which = f"{cpus if cpus == of_all else f'{cpus} of {of_all}'} CPUs, a ping for every two"
    groups = (f"{names.plain(one.named) or 'group'} {time(one.latency_ns)}" for one in found.groups)
    return Flow([Text(which, "bold"), *map(Text, groups)])


Styled = tuple[str, str]  # A text and its style


def _rows(labels: Sequence[str], margin: int, rows: Iterable[Iterable[Styled]]) -> Iterator[Text]:
    for label, cells in zip(labels, rows, strict=True):
        yield Text.assemble((f"{label:>{margin - 1}} ", "bold"), *cells)


def _figures(
    of: MapLayout, labels: Sequence[str], margin: int, cell_width: int, decimals: int, scale: Scale | None
) -> Iterator[Text]:
    def cell(ns: float | None, *, own: bool) -> Styled:
        if ns is None:
            return f"{'' if own else UNKNOWN:>{cell_width}}", "dim"
        style = f"{on(scale.colour(ns))} on {written(scale.colour(ns))}" if scale else ""
        return f"{ns:>{cell_width}.{decimals}f}", style

    yield Text(f"{UNIT:>{margin - 1}} " + "".join(f"{label:>{cell_width}}" for label in labels), "bold")
    groups = [
        [cell(ns, own=one == other) for other, ns in zip(of.groups, row, strict=True)]
        for one, row in zip(of.groups, of.values, strict=True)
    ]
    yield from _rows(labels, margin, groups)


def _ticks(labels: Sequence[str], margin: int, cell_width: int) -> Text:
    line = " " * margin
    for place in range(0, len(labels), EVERY):
        line = f"{line:<{margin + cell_width * place}}{labels[place]}"
    return Text(line, "bold")


def _halves(of: MapLayout, scale: Scale) -> list[list[Styled]]:
    """Draw two rows in a line, so that the map is square."""

    def cell(above: float | None, below: float | None) -> Styled:
        upper, lower = ("" if ns is None else written(scale.colour(ns)) for ns in (above, below))
        return (UPPER, f"{upper} on {lower}" if lower else upper) if upper else (LOWER, lower) if lower else (" ", "")

    pairs = zip_longest(of.values[::2], of.values[1::2], fillvalue=[None] * len(of.values))
    return [[*map(cell, *two)] for two in pairs]


def _letter(place: int) -> str:
    return ascii_lowercase[min(place, len(ascii_lowercase) - 1)]


def legend(of: LatencyMap, scale: Scale | None = None, *, brief: bool = False) -> Iterator[Text]:
    scale = scale or Scale.of(of)
    named = [names.plain(one.named) or "group" for one in of.groups]
    times = [time(one.latency_ns) for one in of.groups]
    for place, one in enumerate(of.groups):
        line = Text.assemble(
            (f"{WHOLE} ", written(scale.colour(one.latency_ns))),
            f"{_letter(place)} " if len(of.groups) > 1 else "",
            f"{named[place]:<{max(map(len, named))}}  ",
            (f"{times[place]:>{max(map(len, times))}}", "bold"),
        )
        if not brief:
            spread = f"{one.range[0]:.3g}{TO}{one.range[1]:.3g}" if one.pairs > 1 else ""
            line.append(f"  {counted(one.pairs, 'pair')}").append(f"  {spread}", "dim")
        yield line


MOST_DRAWN = 128  # maximum number of CPUs: of more, groups are drawn
SIDE, LARGEST = 900, 34  # maximum side of the whole and of a cell, in pixels
FIGURES_FROM = 20  # minimum width of a cell with a figure
LABEL_PX = 22  # minimum distance of labels; a power of two of rows, as caches and cores are


def heat_charts(
    maps: Mapping[str, LatencyMap], topology: Topology | None, what: str, whole: int = SIDE
) -> Iterator[Chart]:
    """Draw a map for each home of lines that has a figure, at most `whole` pixels wide; `what` was measured."""
    scale = Scale.of(*maps.values())
    for home, of in maps.items():
        found = drawn(of, topology, MOST_DRAWN)
        if not found.known:
            continue
        said = [
            f"{names.plain(one.named) or 'group'}: {time(one.latency_ns)}, {counted(one.pairs, 'pair')}"
            for one in of.groups
        ]
        where = f", home {names.plain(home)}" if len(maps) > 1 else ""
        title = f"One-way latency between every two CPUs, {what}{where}"
        said = ["; ".join([*said, *filter(None, [found.shared])]), *of.misnamed]
        yield Chart("matrix", title, said, [_panel(found, scale, whole)])


def _panel(found: MapLayout, scale: Scale, whole: int) -> Json:
    labels = [str(group[0]) for group in found.groups]
    side = max(1, min(LARGEST, whole // len(labels)))
    data: list[Json] = [
        {"x": a, "y": b, "colour": written(colour), "ink": on(colour), "written": f"{ns:.0f}"}
        | {"about": {"CPUs": f"{b}, {a}", "one way": time(ns)}}
        for b, row in zip(labels, found.values, strict=True)
        for a, ns in zip(labels, row, strict=True)
        if ns is not None
        for colour in [scale.colour(ns)]
    ]
    every = 1 << ((LABEL_PX - 1) // side).bit_length()
    shown = {"values": labels[::every], "title": None, "ticks": False, "domain": False}
    x = charts.field("x:N", sort=labels, axis={**shown, "orient": "top", "labelAngle": 0})
    y = charts.field("y:N", sort=labels, axis=shown)
    fill = charts.field("colour:N", scale=None, legend=None)
    layers = [charts.marks("rect", {"x": x, "y": y, "fill": fill, "tooltip": charts.TOOLTIP})]
    if side >= FIGURES_FROM:
        ink = charts.field("ink:N", scale=None, legend=None)
        figures = {"x": x, "y": y, "fill": ink, "text": charts.field("written:N")}
        layers.append(charts.marks("text", figures, fontSize=11 if side >= LARGEST else 10, dy=3))
    length = side * len(labels)
    return {**charts.panel({"layer": layers}, data, height=length), "width": length}
