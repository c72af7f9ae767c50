"""What a latency is, and what the clock does to it."""

from collections.abc import Iterator, Sequence

from threadping.model import Row
from threadping.report import words
from threadping.report.clock import clock_costs


def meaning(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """A paragraph for each thing that is measured."""
    for measures in dict.fromkeys(row.measures for row in rows):
        yield "figures", _meaning(measures, [row for row in rows if row.measures == measures])


def _meaning(measures: str, rows: Sequence[Row]) -> str:
    """What was measured of the readings stands in docs/signal.md: the other side is at work while they pass."""
    if measures == "one-way":
        what = "One-way latency is half a round trip."
        share = "half of it is in the percentiles of cas-one-line, which waits by swapping, next to none in all others"
    else:
        what, share = f"Latency is {words.plain(measures)}.", "all of it is in every percentile"
    how = (
        "Mean and interval (95%, bootstrap) are from whole blocks, undisturbed by the clock; percentiles and max are "
        "from single round trips, between which the clock is read."
    )
    costs = clock_costs(rows)
    return f"{what} {how} A reading costs {costs}: {share}; nothing is subtracted." if costs else f"{what} {how}"
