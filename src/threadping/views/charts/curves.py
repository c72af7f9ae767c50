"""Percentile curves: how long all take but the slowest tenth, hundredth, thousandth, as far as the samples carry."""

from collections.abc import Iterator, Sequence
from math import floor, log10

import altair as alt
import numpy as np

from threadping.analysis.declaration import Declaration, Percentiles
from threadping.analysis.percentiles import CARRYING_SAMPLES, QUANTILES, SLACK, mixture, worth
from threadping.contract import Distribution
from threadping.model import Observation, Row
from threadping.views.charts import style
from threadping.views.charts.lines import Line, lines_panel

SIZE = (520, 360)

MOST = 12
"""More lines than these nobody tells apart."""

STEPS = 64
"""Points of a curve from one percentile to that with another nine."""

MARKED = {-log10(1 - q) for q in QUANTILES.values()}


def curves(
    rows: Sequence[Row], looks: Sequence[style.Json], observations: Sequence[Observation], declared: Declaration
) -> Iterator[style.Json]:
    """Draw what was timed one by one, of the first of these rows; nothing where no sample carries a curve."""
    for one in declared.distributions[:1]:
        found = [
            (row, look, curve(_timed([observations[place] for place in row.counted], one), one.parts))
            for row, look in zip(rows, looks, strict=True)
        ]
        lines = [_line(row, look, path, declared) for row, look, path in found if path]
        if lines:
            few = f", of the {MOST} best of {len(lines)} cases" if len(lines) > MOST else ""
            ticks = style.ticks(point["y"] for line in lines[:MOST] for point in line.points)
            y = alt.Y("y:Q", title=None, **style.logarithmic(ticks, "ns"))
            panel = lines_panel(lines[:MOST], _x(lines[:MOST]), y, ticks, SIZE)
            yield {**panel, "title": style.title(f"Percentiles of {one.noun}{few}", [one.means])}


def _timed(trials: Sequence[Observation], of: Percentiles) -> list[Distribution]:
    """What was timed in those trials in which anything was."""
    told = (one.distributions[of.name] for one in trials if of.name in one.distributions)
    return [one for one in told if one.counts]


def curve(trials: Sequence[Distribution], parts: int) -> list[tuple[float, float]]:
    """How long all but the slowest take: -log10 of the share of the slowest, as far as it is carried, and nanoseconds.

    Args:
        trials: each with at least one sample; together they may be too few for a single point.
        parts: by what each time is divided.
    """
    reach = log10(worth(trials) / CARRYING_SAMPLES) if trials else 0.0
    if reach <= 0:
        return []
    at = np.array(sorted({*np.arange(0, reach, 1 / STEPS), *(x for x in MARKED if x < reach), reach}))
    values, shares = mixture(trials)
    places = shares.searchsorted(1 - 10.0**-at - SLACK).clip(max=len(values) - 1)
    return [(float(x), float(ns) / parts) for x, ns in zip(at, values[places], strict=True) if ns > 0]


def _line(row: Row, look: style.Json, path: Sequence[tuple[float, float]], declared: Declaration) -> Line:
    """The percentiles that have a name are marked."""
    told = style.told(row, declared)
    points = [{"x": x, "y": y, **({"low": y, "high": y, "told": told} if x in MARKED else {})} for x, y in path]
    return Line(f"{told['mechanism']} {told['runtime']} {told['placement']}", look, points)


def _x(lines: Sequence[Line]) -> alt.X:
    furthest = max(line.points[-1]["x"] for line in lines)
    nines = {float(n): f"{100 - 100 * 10.0**-n:.{max(0, n - 2)}f}%" for n in range(1, floor(furthest) + 1)}
    labels = style.axis({0.0: "0%", log10(2): "50%", **nines})
    scale = alt.Scale(domain=[0, furthest], nice=False)
    return alt.X("x:Q", title="percentile, as far as the samples carry it", scale=scale, axis=labels)
