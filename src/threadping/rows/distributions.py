"""What was timed one by one: percentiles, small histograms, and why the longest took so long."""

import math
from collections.abc import Iterator, Sequence

from rich.text import Text

from threadping import quantities
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Percentiles
from threadping.analysis.outliers import CAUSES
from threadping.analysis.percentiles import PERCENTILE_NAMES, mixture
from threadping.contract import Distribution
from threadping.sheets.grid import Block, Grid, GridColumn, column, figures, grid, named, sure_figures

BARS = "\N{LOWER ONE EIGHTH BLOCK}▂▃▄▅▆▇█"
FOLD = 3
"""A bar is one step higher for so many times the share: the rarest would be invisible beside the most frequent."""

A_DECADE = 5
"""Bars of each power of ten, as many as its label needs."""

LABELS = ("1n", "10n", "100n", "1µ", "10µ", "100µ", "1m", "10m", "100m", "1s", "10s", "100s", "1000s", "")

RANKS = {"min": 6, "p90": 4, "p95": 5, "p99.9": 2, "max": 1, "samples": 3}
"""Percentiles in the order in which they go where not all fit."""


def percentiles_tables(naming: Sequence[GridColumn], rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """For each distribution that has samples every percentile that they carry, and how many they are."""
    for of in declared.distributions:
        if any(row.value(f"{of.name}.samples") for row in rows):
            yield Text(f"\n{of.head or of.noun}", "bold")
            each = (
                sure_figures(name, one.unit, [row.figures.get(one.name) for row in rows], RANKS.get(name, 0))
                for name, one in ((name, of.figure(name)) for name in (*PERCENTILE_NAMES, "samples"))
            )
            yield grid(*naming, *each, silent=True)


def histograms(naming: Sequence[GridColumn], rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """A line for each row, with a histogram of each distribution of times, on an axis that all rows share."""
    if not any(row.timed(of.name) for row in rows for of in declared.timed):
        return
    yield Text()
    each = (_histogram(of, [row.timed(of.name) for row in rows], place) for place, of in enumerate(declared.timed))
    yield grid(*naming, *each)
    yield Text(f"A bar is one step higher for {FOLD} times as many; every trial weighs the same.", "dim")


def _histogram(of: Percentiles, timed: Sequence[Sequence[Distribution]], rank: int) -> GridColumn:
    ends = [max(ns, 1) for trials in timed for one in trials for ns in (one.values[0], one.values[-1])]
    first, last = (math.floor(math.log10(max(end(ends, default=1), 1))) for end in (min, max))
    scale = "".join(label.ljust(A_DECADE) for label in LABELS[first : last + 1]).rstrip()
    head = f"{of.head or of.noun} "
    bars = [Text(" " * len(head) + _bars(trials, first, last + 1), "cyan", justify="left") for trials in timed]
    return GridColumn(f"{head}{scale}", bars, rank)


def _bars(trials: Sequence[Distribution], first: int, last: int) -> str:
    """A character for each fifth of a decade from 10^first to 10^last ns."""
    shares = [0.0] * (A_DECADE * (last - first))
    if trials:
        values, reached = mixture(trials)
        before = 0.0
        for ns, share in zip(values, reached, strict=True):
            place = math.floor(A_DECADE * (math.log10(max(float(ns), 1)) - first))
            shares[min(max(place, 0), len(shares) - 1)] += float(share) - before
            before = float(share)
    return "".join(_bar(share) for share in shares)


def _bar(share: float) -> str:
    return BARS[max(0, len(BARS) - 1 - math.floor(math.log(1 / share, FOLD)))] if share > 0 else " "


def outliers_tables(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """For each distribution with outliers a line for each cause: how many, how long in all, and the worst."""
    for of in declared.timed:
        if count := sum(row.value(f"{of.outliers}.count") or 0 for row in rows):
            samples = sum(row.value(f"{of.name}.samples") or 0 for row in rows)
            least = [value for row in rows if (value := row.value(f"{of.outliers}.threshold_ns")) is not None]
            title = f"\noutliers: {count:,.0f} of {samples:,.0f} {of.noun}"
            yield Text.assemble((title, "bold"), (f", from {quantities.span(least)} on", "dim"))
            yield _causes(rows, of, count)


def _causes(rows: Sequence[Row], of: Percentiles, count: float) -> Grid:
    """The most frequent first. How long those took that were not kept one by one is not known."""
    each = {cause: [row.value(f"{of.outliers}.causes.{cause}") or 0 for row in rows] for cause in CAUSES}
    found = sorted((cause for cause in CAUSES if any(each[cause])), key=lambda cause: -sum(each[cause]))
    times = [sum(row.value(f"{of.outliers}.time_ns.{cause}") or 0 for row in rows) for cause in found]
    worst = [max((row.value(f"{of.outliers}.worst_ns.{cause}") or 0, row.place) for row in rows) for cause in found]
    return grid(
        named("cause", found, "bold"),
        figures("outliers", "count", (sum(each[cause]) for cause in found)),
        figures("share", "share", (sum(each[cause]) / count for cause in found)),
        figures("time", "ns", (ns or None for ns in times), 1),
        figures("worst", "ns", (ns or None for ns, _ in worst)),
        column("in", (f"#{number}" if ns else quantities.ABSENT for ns, number in worst), "dim", 2),
    )
