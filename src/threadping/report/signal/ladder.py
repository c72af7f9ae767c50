"""The rungs of latencies: the fastest first, those without a latency last."""

from collections.abc import Callable, Iterator, Sequence

from rich.text import Text

from threadping.model import Latency, Row
from threadping.report import figures, words
from threadping.report.bar import Axis
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.rungs import (
    BAR_WIDTHS,
    MECHANISM,
    NUMBER,
    PLACEMENT,
    RUNTIME,
    WARMUP,
    WIDER,
    Rung,
    count,
    no_figure,
    number,
    numbered,
    placed,
)


def order(row: Row) -> tuple[float, ...]:
    """The fastest first."""
    return (float("inf") if row.latency_ns is None else row.latency_ns.mean,)


def tables(shown: Sequence[Rung]) -> Iterator[Grid]:
    """Lay out the rungs of one experiment."""
    latencies = [rung.row.latency_ns for rung in shown if rung.row.latency_ns is not None]
    axis = Axis.over(value for one in latencies for value in (one.mean, number(one.p99_9) or one.mean))
    of = shown[0].row.measures
    warmups = words.tells_warmups(rung.row.warmup for rung in shown)
    columns = (
        NUMBER,
        MECHANISM,
        RUNTIME,
        PLACEMENT,
        *([WARMUP] if warmups else []),
        Column(name="mean", head="mean", above=f"{of} latency"),
        Column(name="95% interval", head="95% CI", above=f"{of} latency"),
        Column(name="p50", head="p50", above=f"{of} latency", leave_out=6, matters=True),
        Column(name="p99", head="p99", above=f"{of} latency"),
        Column(name="p99.9", head="p99.9", above=f"{of} latency", leave_out=5, matters=True),
        Column(name="max", head="max", above=f"{of} latency", leave_out=4),
        Column(name="CPU time per hand-over", above="hand-over", head="CPU time", leave_out=3),
        Column(name="hand-overs/s", above="hand-over", head="per s", leave_out=2),
        Column(
            name="bar",
            above=f"{figures.BLOCK} mean {figures.LINE} p99.9, log",
            head=axis.label(),
            right=False,
            leave_out=1,
            stretches=BAR_WIDTHS,
        ),
    )
    yield Grid(columns, tuple(_line(rung, axis, warmups=warmups) for rung in shown), WIDER)


def _line(rung: Rung, axis: Axis, *, warmups: bool) -> Line:
    row, latency = rung.row, rung.row.latency_ns
    names = (
        numbered(rung),
        Text(words.mechanism(row), "bold"),
        Text(words.plain(row.runtime)),
        placed(row),
        *([Text(row.warmup)] if warmups else []),
    )
    if latency is None:
        return Line(names, no_figure(row))
    percentiles = (
        figures.styled_time(number(value)) for value in (latency.p50, latency.p99, latency.p99_9, latency.max)
    )
    return Line(
        (
            *names,
            figures.styled_time(latency.mean, "bold"),
            Text(figures.interval(latency.mean, *latency.ci95)),
            *percentiles,
            figures.styled_time(row.cpu_ns_per_op),
            count(row.ops_per_s),
            _bar(axis, latency),
        )
    )


def _bar(axis: Axis, latency: Latency) -> Callable[[int], Text]:
    return lambda width: axis.bar(latency.mean, number(latency.p99_9), width)
