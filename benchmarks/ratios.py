"""Medians over processes, and whether their ratio keeps to a limit. Numbers in, numbers out."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from threadping.analysis.percentiles import Estimate, is_more

Met = Literal["yes", "no", "cannot tell"]


class Spread(Struct, frozen=True):
    """The median and the quartiles over processes, and their number."""

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
    if ratio is None:
        return "cannot tell"
    too_little, too_much = is_more(ratio, limit.least) is False, is_more(ratio, limit.most)
    if too_little or too_much:
        return "no"
    return "yes" if is_more(ratio, limit.least) and too_much is False else "cannot tell"
