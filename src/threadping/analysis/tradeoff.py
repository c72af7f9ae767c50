"""Two figures that should both be low: the rows that no other row beats in both."""

from collections.abc import Sequence

from msgspec import Struct

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration, Tradeoff
from threadping.grouping import gathered


class Frontier(Struct, frozen=True):
    """The rows at one place of a dimension, such as a rate, that nothing beats, the quickest first; and all others."""

    place: int
    leading: tuple[Row, ...]
    beaten: tuple[Row, ...]


def frontier(rows: Sequence[Row], of: Tradeoff) -> list[Row]:
    """The rows that no other beats, the quickest first: surely better in one figure, and not surely worse in the other.

    What is not comparable neither leads nor beats, unless nothing is; nor does what lacks one of the figures.
    """
    known = [row for row in rows if {of.quick, of.cheap} <= row.figures.keys()]
    known = [row for row in known if row.comparable] or known
    leading = [row for row in known if not any(_beats(other, row, of) for other in known)]
    return sorted(leading, key=lambda row: row.figures[of.quick].value)


def _beats(one: Row, other: Row, of: Tradeoff) -> bool:
    figures = [(one.figures[name], other.figures[name]) for name in (of.quick, of.cheap)]
    better = any(mine.ends[1] < theirs.ends[0] for mine, theirs in figures)
    return better and not any(theirs.ends[1] < mine.ends[0] for mine, theirs in figures)


def frontiers(rows: Sequence[Row], declared: Declaration) -> list[Frontier]:
    """The frontier at each place where a row has both figures, in the order of the places."""
    of = declared.tradeoff
    if of is None:
        return []
    known = (row for row in rows if {of.quick, of.cheap} <= row.figures.keys())
    at_places = gathered((declared.place(row.case), row) for row in known)
    found = []
    for place, there in sorted(at_places.items()):
        leading = frontier(there, of)
        found.append(Frontier(place, tuple(leading), tuple(row for row in there if row not in leading)))
    return found
