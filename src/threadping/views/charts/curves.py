"""Percentile curves on HdrHistogram's axis: from which duration on are the slowest tenth, hundredth, thousandth."""

from collections.abc import Iterator, Sequence
from math import log10

import numpy as np

from threadping.analysis.answer import Row
from threadping.analysis.declaration import Declaration
from threadping.analysis.percentiles import CARRYING_SAMPLES, SLACK, mixture, worth
from threadping.contract import Distribution
from threadping.views.charts import style

MOST = len(style.COLOURS)
"""No two lines of a panel have the same colour."""

STEPS = 32
"""Points of a curve from one percentile to that with another nine."""


def curves(name: str, rows: Sequence[Row], declared: Declaration) -> Iterator[style.Chart]:
    """Draw what was timed of the best rows, a panel for each runtime; nothing if no samples carry a curve."""
    for of in (one for one in declared.timed if one.column):
        found: dict[str, list[style.Json]] = {}
        for row in style.best_first(rows, declared):
            if points := curve(row.timed(of.name), of.parts):
                drawn = style.of_row(row, declared)
                of_it = {"line": drawn["case"], "runtime": drawn["runtime"]}
                found.setdefault(drawn["case"], []).extend({**of_it, "x": x, "y": y} for x, y in points)
        if not found:
            continue
        data = [point for line in [*found.values()][:MOST] for point in line]
        nines = {10.0**n: f"{100 - 100 * 10.0**-n:.{max(0, n - 2)}f}%" for n in range(1, 9)}
        reach = {"type": "log", "nice": False, "domain": [1, max(point["x"] for point in data)]}
        axis = style.labelled({1.0: "0%", 2.0: "50%", **nines})
        x = style.field("x:Q", title="percentile, as far as the samples carry it", scale=reach, axis=axis)
        y = style.field("y:Q", **style.logarithmic("ns", (point["y"] for point in data)))
        legend = list(found)[:MOST]
        line = {"x": x, "y": y, "color": style.coloured("line:N", legend)["color"]}
        lines = style.marks("line", line, strokeWidth=1.8, interpolate="step-before")
        few = f", of the {MOST} best of {len(found)}" if len(found) > MOST else ""
        title = f"Percentiles of {style.timed(of)}{few}"
        yield style.Chart(f"{name}-{of.of or 'percentiles'}", title, [of.means], style.by_runtime(lines, data), legend)


def curve(trials: Sequence[Distribution], parts: int) -> list[tuple[float, float]]:
    """How long all but the slowest take: one over the share of the slowest, as far as it is carried, and nanoseconds.

    Args:
        trials: each with at least one sample; together they may be too few for a single point.
        parts: by what each time is divided.
    """
    reach = worth(trials) / CARRYING_SAMPLES if trials else 0.0
    if reach <= 1:
        return []
    at = np.unique([*10 ** np.arange(0, log10(reach), 1 / STEPS), *(x for x in (2.0, 20.0) if x < reach), reach])
    values, shares = mixture(trials)
    places = shares.searchsorted(1 - 1 / at - SLACK).clip(max=len(values) - 1)
    return [(float(x), float(ns) / parts) for x, ns in zip(at, values[places], strict=True) if ns > 0]
