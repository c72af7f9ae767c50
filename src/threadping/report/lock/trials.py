"""What a single trial of `lock` has to tell."""

from collections.abc import Sequence
from statistics import fmean

from rich.text import Text

from threadping.contract import Result
from threadping.report import figures
from threadping.report.columns import Column
from threadping.report.lock.lost import lost
from threadping.report.rungs import count
from threadping.report.view import TrialColumns

ABOUT = (
    "operations/s: all threads together, while none reads the clock; time: from one operation of any thread to the "
    "next; max wait: the longest of the timed ones; Jain: 1 where all threads did as much; lost: the share of "
    "increments that the counters did not hold in the end;"
)


def cells(result: Result) -> tuple[Text, ...]:
    """A cell for each column."""
    plain = result.windows.of("plain")
    ops, ns = plain.total_ops, plain.total_ns
    waits, counts = result.timed.values_ns, result.counts.values()
    cpu_ns = sum(thread.cpu_ns for thread in result.threads)
    indices = [_jain(of_each) for of_each in zip(*plain.ops, strict=True) if any(of_each)]
    return (
        count(ops * 1e9 / ns if ns else None, "bold"),
        figures.styled_time(ns / ops if ops else None),
        figures.styled_time(cpu_ns / result.measured.ops if result.measured.ops else None),
        figures.styled_time(waits[-1] if waits else None),
        Text(f"{fmean(indices):.2f}") if indices else Text(figures.ABSENT, "dim"),
        lost(sum(count.made for count in counts), sum(count.found for count in counts)),
    )


def _jain(of_each: Sequence[int]) -> float:
    return sum(of_each) ** 2 / (len(of_each) * sum(ops**2 for ops in of_each))


TRIALS = TrialColumns(
    (
        Column(name="operations/s", head="per s", above="operations"),
        Column(name="time per operation", head="time", above="operations", leave_out=4),
        Column(name="CPU time per operation", head="CPU time", above="operations", leave_out=6),
        Column(name="max wait", head="max wait", leave_out=5),
        Column(name="Jain's index", head="Jain", leave_out=7),
        Column(name="lost updates", head="lost"),
    ),
    cells,
    ABOUT,
)
