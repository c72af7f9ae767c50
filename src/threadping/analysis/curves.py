"""Figures over something that is varied: over the gaps of one row, or over a parameter by which rows differ."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Curve
from threadping.analysis.estimate import Estimate
from threadping.model import Case


class Line(Struct, frozen=True):
    """What a curve shows of one case.

    Attributes:
        row: one of its rows, for its name.
        points: at each place, in order, the figures that are known there.
        doubled: the place at which the declared figure is twice what it is at 0; None if it never is.
    """

    row: Row
    points: Mapping[float, Mapping[str, Estimate]]
    doubled: float | None = None


def lines(curve: Curve, rows: Sequence[Row]) -> list[Line]:
    """A line for each row, or for all rows that differ in the curve's parameter only; none of a single place."""
    together: dict[Case | int, dict[float, Row]] = {}
    for number, row in enumerate(rows):
        if curve.param and curve.param in row.case.params:
            line = together.setdefault(_without(curve.param, row.case), {})
            line.setdefault(float(row.case.params[curve.param]), row)
        elif not curve.param:
            together[number] = dict.fromkeys(curve.groups, row)
    found = []
    for at in together.values():
        points = {place: _figures(curve, place, row) for place, row in sorted(at.items())}
        known = {place: figures for place, figures in points.items() if figures}
        if len(known) > 1:
            found.append(Line(at[min(known)], known, _doubled(curve, at)))
    return found


def _without(param: str, case: Case) -> Case:
    params = {name: value for name, value in case.params.items() if name != param}
    return replace(case, params=params, varied=tuple(name for name in case.varied if name != param))


def _figures(curve: Curve, place: float, row: Row) -> dict[str, Estimate]:
    group = f"{curve.groups[place]}." if curve.groups else ""
    return {name: one for name in curve.figures if (one := row.figures.get(group + name))}


def _doubled(curve: Curve, rows: Mapping[float, Row]) -> float | None:
    """Between two places as if the figure grew evenly."""
    if not curve.doubles or 0 not in rows:
        return None
    values = [(place, value) for place, row in sorted(rows.items()) if (value := row.value(curve.doubles[0]))]
    twice = 2 * values[0][1] if values and values[0][0] == 0 else None
    for (place, value), (further, more) in pairwise(values):
        if twice and value < twice <= more:
            return place + (further - place) * (twice - value) / (more - value)
    return None
