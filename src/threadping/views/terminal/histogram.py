"""Small histograms: what was timed in each row, on a logarithmic axis that all rows share."""

import math
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from threadping.analysis.declaration import Declaration, Percentiles
from threadping.analysis.percentiles import mixture
from threadping.contract import Distribution
from threadping.model import Observation
from threadping.views.terminal import columns
from threadping.views.terminal.rungs import Rung
from threadping.views.terminal.table import Column, FittingTable

BARS = "\N{LOWER ONE EIGHTH BLOCK}▂▃▄▅▆▇█"
FOLD = 3
"""A bar is one step higher for so many times the share: the rarest would be invisible beside the most frequent."""

A_DECADE = 5
"""Bars of each power of ten, as many as its label needs."""

LABELS = ("1n", "10n", "100n", "1µ", "10µ", "100µ", "1m", "10m", "100m", "1s", "10s", "100s", "1000s", "")


def histograms(
    rungs: Sequence[Rung], observations: Sequence[Observation], declared: Declaration
) -> Iterator[RenderableType]:
    """A line for each row in which something was timed, with a histogram of each distribution; nothing without any."""
    told = [rung for rung in rungs if any(_timed(rung, observations, of) for of in declared.timed)]
    if not told:
        return
    yield Text()
    yield FittingTable(
        [
            Column("#", [Text(str(rung.number), "dim") for rung in told], names=True),
            *columns.naming([rung.row.case for rung in told]),
            *(
                _column(of, [_timed(rung, observations, of) for rung in told], place)
                for place, of in enumerate(declared.timed)
            ),
        ]
    )
    yield Text(f"A bar is one step higher for {FOLD} times as many; every trial weighs the same.", "dim")


def _timed(rung: Rung, observations: Sequence[Observation], of: Percentiles) -> list[Distribution]:
    trials = (observations[place].distributions.get(of.name) for place in rung.row.counted)
    return [one for one in trials if one and one.counts]


def _column(of: Percentiles, timed: Sequence[Sequence[Distribution]], rank: int) -> Column:
    ends = [ns for trials in timed for one in trials for ns in (one.values[0], one.values[-1])]
    low, high = (max(ns, 1) / of.parts for ns in (min(ends, default=1), max(ends, default=1)))
    first, last = math.floor(math.log10(max(low, 1))), math.floor(math.log10(max(high, 1))) + 1
    scale = "".join(label.ljust(A_DECADE) for label in LABELS[first:last]).rstrip()
    head = f"{of.head or of.noun} "
    bars = [Text(" " * len(head) + _bars(trials, of.parts, first, last), "cyan", justify="left") for trials in timed]
    return Column(f"{head}{scale}", bars, rank)


def _bars(trials: Sequence[Distribution], parts: int, first: int, last: int) -> str:
    """A character for each fifth of a decade from 10^first to 10^last ns."""
    shares = [0.0] * (A_DECADE * (last - first))
    if trials:
        values, reached = mixture(trials)
        before = 0.0
        for ns, share in zip(values, reached, strict=True):
            place = math.floor(A_DECADE * (math.log10(max(float(ns) / parts, 1)) - first))
            shares[min(max(place, 0), len(shares) - 1)] += float(share) - before
            before = float(share)
    return "".join(_bar(share) for share in shares)


def _bar(share: float) -> str:
    return BARS[max(0, len(BARS) - 1 - math.floor(math.log(1 / share, FOLD)))] if share > 0 else " "
