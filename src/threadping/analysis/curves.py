"""Figures over something that is varied: gaps of one row, a parameter of several; and figures against each other."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.layout import Curve, Tradeoff
from threadping.analysis.validity import is_usable
from threadping.grouping import gathered
from threadping.model.cases import Case


class CurveLine(Struct, frozen=True):
    """What a curve shows of one case.

    Attributes:
        row: one of its rows, for its name.
        points: at each place, in order, the figures that are known there.
        doubled: the place at which the declared figure is twice what it is at 0; None if it never is.
        concluded: what follows from it, in sentences.
    """

    row: Row
    points: Mapping[float, Mapping[str, Estimate]]
    doubled: float | None = None
    concluded: tuple[str, ...] = ()


def lines(curve: Curve, rows: Sequence[Row]) -> list[CurveLine]:
    """A line for each row, or for all rows that differ in the curve's parameter only; none of a single place."""
    together: dict[Case | int, dict[float, Row]] = {}
    for number, row in enumerate(rows):
        if curve.groups:
            places = [place for place in curve.groups if _figures(curve, place, row)]
            is_one_of_several = len(places) == 1 and curve.param in row.case.params
            line = together.setdefault(_without(curve.param, row.case) if is_one_of_several else number, {})
            for place in places:
                line.setdefault(place, row)
        elif curve.param in row.case.params:
            line = together.setdefault(_without(curve.param, row.case), {})
            line.setdefault(float(row.case.params[curve.param]), row)
    found = []
    for at in together.values():
        points = {place: _figures(curve, place, row) for place, row in sorted(at.items())}
        known = {place: figures for place, figures in points.items() if figures}
        if len(known) > 1:
            of_trials = {
                place: row.over_trials(curve.figures[0]) for place, row in at.items() if is_usable(row, "rank")
            }
            found.append(CurveLine(at[min(known)], known, _doubled(curve, at), tuple(curve.concludes(of_trials))))
    return found


def _without(param: str, case: Case) -> Case:
    params = {name: value for name, value in case.params.items() if name != param}
    return replace(case, params=params, varied=tuple(name for name in case.varied if name != param))


def _figures(curve: Curve, place: float, row: Row) -> dict[str, Estimate]:
    group = f"{curve.groups[place]}." if curve.groups else ""
    return {name: one for name in curve.figures if (one := row.figures.get(group + name))}


def _doubled(curve: Curve, rows: Mapping[float, Row]) -> float | None:
    """Between two places as if the figure grew evenly."""
    if not curve.doubles:
        return None
    values = [(place, value) for place, row in sorted(rows.items()) if (value := row.value(curve.doubles[0]))]
    for (place, value), (further, more) in pairwise(values):
        twice = 2 * values[0][1]
        if values[0][0] == 0 and value < twice <= more:
            return place + (further - place) * (twice - value) / (more - value)
    return None


class Frontier(Struct, frozen=True):
    """The rows at one place of a dimension, such as a rate, that nothing beats, the quickest first; and all others."""

    place: int
    leading: tuple[Row, ...]
    beaten: tuple[Row, ...]


def frontier(rows: Sequence[Row], of: Tradeoff) -> list[Row]:
    """The rows that no other beats, the quickest first: surely better in one figure, and not surely worse in the other.

    What may not be ranked neither leads nor beats; nor does what lacks one of the figures.
    """
    known = [row for row in rows if {of.quick, of.cheap} <= row.figures.keys() and is_usable(row, "rank")]
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
