"""What a single trial of `signal` has to tell."""

from rich.text import Text

from threadping.contract import Result
from threadping.report import figures
from threadping.report.columns import Column
from threadping.report.view import TrialColumns

ABOUT = "mean: all that the trial measured; fastest and slowest: whole blocks; max: a single round trip, halved;"
LATENCY = "one-way latency"


def cells(result: Result) -> tuple[Text, ...]:
    """A cell for each column."""
    plain = result.windows.of("plain")
    blocks = [ns / ops for ns, ops in zip(plain.ns, plain.ops_in_each, strict=True) if ops]
    ops, singles = result.measured.ops, result.timed.values_ns
    return (
        figures.styled_time(result.measured.ns / ops if ops else None, "bold"),
        figures.styled_time(min(blocks, default=None)),
        figures.styled_time(max(blocks, default=None)),
        figures.styled_time(singles[-1] / 2 if singles else None),
        figures.styled_time(sum(thread.cpu_ns for thread in result.threads) / ops if ops else None),
    )


TRIALS = TrialColumns(
    (
        Column(name="mean", head="mean", above=LATENCY),
        Column(name="fastest block", head="fastest", above=LATENCY, leave_out=6),
        Column(name="slowest block", head="slowest", above=LATENCY, leave_out=7),
        Column(name="max", head="max", above=LATENCY, leave_out=5),
        Column(name="CPU time per hand-over", above="hand-over", head="CPU time", leave_out=4),
    ),
    cells,
    ABOUT,
)
