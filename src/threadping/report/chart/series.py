"""The lines of the chart: which there are, how each looks, and where its points are."""

from collections.abc import Sequence
from typing import Literal

from msgspec import UNSET, Struct

from threadping.model import Row
from threadping.report import words
from threadping.report.lock.scaled import Scaled, scaled
from threadping.report.lock.tables import WAIT

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#B8860B")
"""Told apart by those who see colours differently too: Okabe and Ito, "Color Universal Design" (2008), with a darker
yellow, which is to be read on white."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
"""As many as share no factor with the colours: no two of the first 56 lines have both in common."""

Kind = Literal["lock", "no lock", "loses updates"]

DASHES: dict[Kind, list[int]] = {"lock": [1, 0], "no lock": [6, 3], "loses updates": [2, 3]}


class Series(Struct, frozen=True):
    """A line: what it is called, its points by number of threads, and what kind of mechanism it is of."""

    name: str
    runtime: str
    kind: Kind
    rows: tuple[Row, ...]

    @property
    def last(self) -> Row:
        """Where the line ends."""
        return self.rows[-1]


class Look(Struct, frozen=True):
    """The colour and the shape that tell a name, the same in every panel."""

    colour: str
    shape: str


def series_of(rows: Sequence[Row]) -> list[Series]:
    """A line for each mechanism and runtime, and for each placement and warm-up where there are several."""
    lines = scaled(rows)
    standings = len({line.standing for line in lines}) > 1
    warmups = words.tells_warmups(line.warmup for line in lines)
    return [
        Series(
            " ".join(
                [line.mechanism, *([line.standing] if standings else []), *([line.warmup] if warmups else [])],
            ),
            line.runtime,
            _kind(line),
            tuple(row for _, row in sorted(line.rows.items()) if row.ops_per_s),
        )
        for line in lines
    ]


def looks(series: Sequence[Series]) -> dict[str, Look]:
    """How each name looks, in the order in which lines end: neighbours differ in both."""
    ordered = sorted(series, key=lambda one: -(one.last.ops_per_s or 0.0))
    names = list(dict.fromkeys(one.name for one in ordered))
    return {name: Look(COLOURS[index % len(COLOURS)], SHAPES[index % len(SHAPES)]) for index, name in enumerate(names)}


def crowded_from(rows: Sequence[Row], usable: int) -> int | None:
    """The fewest CPUs that threads outnumber somewhere; None where each has one."""
    cpus = [(row.threads, _cpus(row, usable)) for row in rows]
    return min((have for threads, have in cpus if threads > have), default=None)


def _cpus(row: Row, usable: int) -> int:
    named = {cpu for cpu in row.cpus if cpu is not None}
    return len(named) or usable


def _kind(line: Scaled) -> Kind:
    if not line.exact:
        return "loses updates"
    return "lock" if all(row.measures == WAIT for row in line.rows.values()) else "no lock"


def interval(row: Row) -> tuple[float, float]:
    """The interval of the operations a second; a row without one is sure of itself."""
    if row.lock is not UNSET:
        return row.lock.ops_per_s_ci95
    return (row.ops_per_s or 0.0, row.ops_per_s or 0.0)
