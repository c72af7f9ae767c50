"""The colour of a latency in a matrix: the same on a terminal, in a chart and on a page."""

from collections.abc import Sequence
from math import log
from statistics import median

from threadping.contract import Topology
from threadping.matrix.locality import groups
from threadping.matrix.matrix import Matrix
from threadping.model import Record

Rgb = tuple[int, int, int]

PALETTE: tuple[Rgb, ...] = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))
"""viridis (van der Walt and Smith, 2015): as bright as it is far, also for those who see colours differently."""

LEAST_REACH = 2.0
"""From the nearest to the farthest colour it is this ratio at least: noise is to look like noise."""


class Scale(Record, frozen=True):
    """From the nearest to the farthest, in nanoseconds, by ratios."""

    low: float
    high: float

    @staticmethod
    def of(matrix: Matrix) -> "Scale":
        """Over the pairs of a matrix, those of all homes."""
        every = [cell.latency.value for cell in matrix.cells if cell.leads]
        low, high = min(every, default=1.0), max(every, default=1.0)
        wider = max(1.0, LEAST_REACH * low / high) ** 0.5
        return Scale(low / wider, high * wider)

    def colour(self, ns: float) -> Rgb:
        """Of a latency; beyond the two it is theirs."""
        ns = min(max(ns, self.low), self.high)
        at = (log(ns) - log(self.low)) / (log(self.high) - log(self.low)) * (len(PALETTE) - 1)
        place = min(int(at), len(PALETTE) - 2)
        mixed = (round(a + (at - place) * (b - a)) for a, b in zip(PALETTE[place], PALETTE[place + 1], strict=True))
        red, green, blue = mixed
        return red, green, blue


def written(colour: Rgb) -> str:
    """As `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def on(colour: Rgb) -> str:
    """The colour of figures that stand on it: black or white."""
    red, green, blue = colour
    return "#111111" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "#ffffff"


class Drawn(Record, frozen=True):
    """What is drawn: groups of CPUs, and the latency from each to each (ns); None where it is not known."""

    groups: Sequence[tuple[int, ...]]
    values: Sequence[Sequence[float | None]]

    @property
    def known(self) -> list[float]:
        """Every latency."""
        return [value for row in self.values for value in row if value is not None]

    @property
    def shared(self) -> str:
        """How many CPUs share a row; empty where each has its own."""
        sizes = sorted({len(group) for group in self.groups})
        many = f"{sizes[0]} to {sizes[-1]}" if sizes[1:] else f"{sizes[0]}"
        return f"each row is {many} neighbouring CPUs" if sizes[-1] > 1 else ""


def drawn(of: Matrix, topology: Topology | None, home: str, at_most: int) -> Drawn:
    """Lay a matrix out, at most so many rows; of groups of several CPUs the medians of their pairs."""
    leading = of.leading(home)
    made = groups(topology, of.cpus, at_most)
    rows = []
    for one in made:
        row = []
        for other in made:
            found = [cell.latency.value for a in one for b in other if (cell := leading.get((a, b)))]
            row.append(median(found) if found else None)
        rows.append(row)
    return Drawn(made, rows)
