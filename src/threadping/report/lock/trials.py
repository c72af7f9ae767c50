"""What a single trial of `lock` has to tell."""

from statistics import fmean

from rich.text import Text

from threadping.contract import LockResult, Window
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


def cells(result: LockResult) -> tuple[Text, ...]:
    """A cell for each column."""
    plain = [window for window in result.windows if not window.sampled]
    ops, ns = sum(sum(window.ops) for window in plain), sum(window.ns for window in plain)
    cpu_ns = sum(thread.cpu_ns for thread in result.threads)
    indices = [_jain(window) for window in plain if any(window.ops)]
    return (
        count(ops * 1e9 / ns if ns else None, "bold"),
        figures.styled_time(ns / ops if ops else None),
        figures.styled_time(cpu_ns / result.measured.ops if result.measured.ops else None),
        figures.styled_time(result.waits.values_ns[-1] if result.waits.values_ns else None),
        Text(f"{fmean(indices):.2f}") if indices else Text(figures.ABSENT, "dim"),
        lost(result.counter.made, result.counter.found),
    )


def _jain(window: Window) -> float:
    return sum(window.ops) ** 2 / (len(window.ops) * sum(ops**2 for ops in window.ops))


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
