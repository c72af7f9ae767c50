"""Two figures of which both are wanted low: the rows of which no other is better in both."""

from collections.abc import Sequence

from msgspec import Struct

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration, Tradeoff


class Frontier(Struct, frozen=True):
    """The rows at one place of a dimension, such as a rate, that nothing beats, the quickest first; and all others."""

    place: int
    leading: tuple[Row, ...]
    beaten: tuple[Row, ...]


def frontier(rows: Sequence[Row], of: Tradeoff) -> list[Row]:
    """The rows of which no other is as good in both figures and better in one, the quickest first.

    What is not comparable neither leads nor beats, unless nothing is; nor does what lacks one of the figures.
    """
    known = [row for row in rows if {of.quick, of.cheap} <= row.figures.keys()]
    known = [row for row in known if row.comparable] or known
    leading: list[Row] = []
    for row in sorted(known, key=lambda row: _both(row, of)):
        if not leading or _both(row, of)[1] < _both(leading[-1], of)[1]:
            leading.append(row)
    return leading


def frontiers(rows: Sequence[Row], declared: Declaration) -> list[Frontier]:
    """The frontier at each place where a row has both figures, in the order of the places."""
    of = declared.tradeoff
    if of is None:
        return []
    at_places: dict[int, list[Row]] = {}
    for row in rows:
        if {of.quick, of.cheap} <= row.figures.keys():
            at_places.setdefault(declared.place(row.case), []).append(row)
    found = []
    for place, there in sorted(at_places.items()):
        leading = frontier(there, of)
        found.append(Frontier(place, tuple(leading), tuple(row for row in there if row not in leading)))
    return found


def _both(row: Row, of: Tradeoff) -> tuple[float, float]:
    return row.figures[of.quick].value, row.figures[of.cheap].value
