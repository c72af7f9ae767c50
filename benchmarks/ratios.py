"""Medians over processes, and whether their ratio keeps to a limit. Numbers in, numbers out."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from threadping.analysis.estimate import Estimate

Met = Literal["yes", "no", "cannot tell"]


class Spread(Struct, frozen=True):
    """The median and the quartiles over so many processes."""

    median: float
    low: float
    high: float
    processes: int


class Limit(Struct, frozen=True):
    """The least and the most that a ratio may be."""

    words: str
    least: float
    most: float


def within(percent: float) -> Limit:
    """Neither more nor less than the other by more than `percent`."""
    return Limit(f"within {percent:g}%", 1 - percent / 100, 1 + percent / 100)


def at_most_above(percent: float) -> Limit:
    """No more than `percent` above the other; below is welcome."""
    return Limit(f"at most {percent:g}% above", 0.0, 1 + percent / 100)


def spread(values: Sequence[float]) -> Spread:
    """Summarise the figures of at least one process."""
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75))
    return Spread(float(middle), float(low), float(high), len(values))


def judge(ratio: Estimate | None, limit: Limit) -> Met:
    """Yes or no only if the whole 95% interval lies on one side of the limit; without one nobody can tell."""
    if ratio is None or ratio.kind != "ci95":
        return "cannot tell"
    low, high = ratio.ends
    if limit.least <= low and high <= limit.most:
        return "yes"
    return "no" if high < limit.least or limit.most < low else "cannot tell"
