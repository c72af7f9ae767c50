"""The rungs of `lock`: throughput, what it costs, how long a thread waits, and whether all get their share."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec import UNSET
from rich.text import Text

from threadping.model import Contention, Latency, Row
from threadping.report import figures, words
from threadping.report.bar import Axis
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.lock.lost import lost
from threadping.report.lock.scaled import loses
from threadping.report.rungs import (
    BAR_WIDTHS,
    MECHANISM,
    NUMBER,
    PLACEMENT,
    RUNTIME,
    THREADS,
    WARMUP,
    WIDER,
    Rung,
    count,
    no_figure,
    number,
    numbered,
    placed,
)

OPS, WAIT = "operations/s", "wait to acquire"


def ladder_grid(shown: Sequence[Rung]) -> Grid:
    """Lay out the rungs, those of as many threads together."""
    rows = [rung.row for rung in shown]
    axis = Axis.over((row.ops_per_s for row in rows if row.ops_per_s is not None), figures.count)
    warmups = words.tells_warmups(row.warmup for row in rows)
    lossy = loses(rows)
    columns = (
        NUMBER,
        MECHANISM,
        RUNTIME,
        THREADS,
        PLACEMENT,
        *([WARMUP] if warmups else []),
        Column(name="operations/s", head="median", above=OPS),
        Column(name="95% interval", head="95% CI", above=OPS),
        Column(name="CPU time per operation", head="CPU time", above="operation", leave_out=4),
        Column(name="p50 wait", head="p50", above=WAIT, leave_out=6, matters=True),
        Column(name="p99 wait", head="p99", above=WAIT),
        Column(name="p99.9 wait", head="p99.9", above=WAIT, leave_out=5, matters=True),
        Column(name="max wait", head="max", above=WAIT, leave_out=3),
        Column(name="Jain's index", head="Jain", above="fairness", leave_out=7, matters=True),
        Column(name="least and most share", head="shares", above="fairness", leave_out=2),
        *([Column(name="lost updates", head="lost", leave_out=8, matters=True)] if lossy else []),
        Column(
            name="bar",
            above=f"{figures.BLOCK} median, log",
            head=axis.label(),
            right=False,
            leave_out=1,
            stretches=BAR_WIDTHS,
        ),
    )
    starts = [False, *(before.row.threads != rung.row.threads for before, rung in pairwise(shown))]
    lines = (
        _line(rung, axis, warmups=warmups, lossy=lossy, apart=apart) for rung, apart in zip(shown, starts, strict=True)
    )
    return Grid(columns, tuple(lines), WIDER)


def _line(rung: Rung, axis: Axis, *, warmups: bool, lossy: bool, apart: bool) -> Line:
    row = rung.row
    names = (
        numbered(rung),
        Text(words.mechanism(row), "bold"),
        Text(words.plain(row.runtime)),
        Text(str(row.threads)),
        placed(row),
        *([Text(row.warmup)] if warmups else []),
    )
    if row.ops_per_s is None or row.lock is UNSET:
        return Line(names, no_figure(row), apart=apart)
    return Line(
        (
            *names,
            count(row.ops_per_s, "bold"),
            Text(figures.interval(row.ops_per_s, *row.lock.ops_per_s_ci95, figures.MULTIPLES)),
            figures.styled_time(row.cpu_ns_per_op),
            *_waits(row.latency_ns),
            *_fairness(row, row.lock),
            *([lost(row.lock.updates.made, row.lock.updates.found)] if lossy else []),
            _bar(axis, row.ops_per_s),
        ),
        apart=apart,
    )


def _waits(wait: Latency | None) -> list[Text]:
    if wait is None:
        return [figures.styled_time(None)] * 4
    return [figures.styled_time(number(value)) for value in (wait.p50, wait.p99, wait.p99_9, wait.max)]


def _fairness(row: Row, lock: Contention) -> tuple[Text, Text]:
    """A thread by itself shares with nobody."""
    if row.threads == 1:
        return Text(figures.ABSENT, "dim"), Text(figures.ABSENT, "dim")
    return Text(f"{lock.fairness.jain:.2f}"), Text(figures.shares(*lock.fairness.shares))


def _bar(axis: Axis, ops_per_s: float) -> Callable[[int], Text]:
    return lambda width: axis.bar(ops_per_s, None, width)
