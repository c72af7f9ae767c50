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
    if measures == "one-way":
        what, share = "One-way latency is half a round trip.", "half of it is in every one-way percentile"
    else:
        what, share = f"Latency is {words.plain(measures)}.", "all of it is in every percentile"
    how = (
        "Mean and interval (95%, bootstrap) are from whole blocks, undisturbed by the clock; percentiles and max are "
        "from single round trips, each with one reading of the clock in it."
    )
    costs = clock_costs(rows)
    return f"{what} {how} A reading costs {costs}: {share}; nothing is subtracted." if costs else f"{what} {how}"
