"""The ladder's rungs: a row of figures each, and the columns they stand in."""

from collections.abc import Callable, Sequence

from msgspec import UNSET, Struct, UnsetType
from rich.text import Text

from threadping.model import Latency, Row
from threadping.report import figures, words
from threadping.report.bar import Axis
from threadping.report.columns import Column, Line
from threadping.report.grid import Grid
from threadping.report.marks import mark, worst_of_its_own

BAR_WIDTHS = (12, 36)


class Rung(Struct, frozen=True):
    """A row with its number in the output."""

    number: int
    row: Row


def rungs(rows: Sequence[Row]) -> list[Rung]:
    """Number the rows, experiment by experiment, fastest first, those without a latency last."""
    experiments = list(dict.fromkeys(row.experiment for row in rows))
    ordered = sorted(rows, key=lambda row: (experiments.index(row.experiment), _speed(row)))
    return [Rung(number, row) for number, row in enumerate(ordered, start=1)]


def ladder_grid(all_rungs: Sequence[Rung], experiment: str) -> Grid:
    """Lay out the rungs of one experiment."""
    shown = [rung for rung in all_rungs if rung.row.experiment == experiment]
    latencies = [rung.row.latency_ns for rung in shown if rung.row.latency_ns is not None]
    axis = Axis.over(value for one in latencies for value in (one.mean, _number(one.p99_9) or one.mean))
    of = shown[0].row.measures
    warmups = words.tells_warmups(rung.row.warmup for rung in shown)
    columns = (
        Column(name="number", head="#", naming=True, right=False),
        Column(name="mechanism", head="mechanism", naming=True, wraps=True, right=False),
        Column(name="runtime", head="runtime", naming=True, wraps=True, right=False),
        Column(name="placement", head="placement", naming=True, right=False),
        *([Column(name="warm-up", head="warm-up", naming=True, right=False)] if warmups else []),
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
    return Grid(
        columns,
        tuple(_line(rung, all_rungs, axis, warmups=warmups) for rung in shown),
        "A wider terminal, or --format json, shows",
    )


def _line(rung: Rung, all_rungs: Sequence[Rung], axis: Axis, *, warmups: bool) -> Line:
    row, latency = rung.row, rung.row.latency_ns
    names = (
        _numbered(rung, all_rungs),
        Text(words.mechanism(row), "bold"),
        Text(words.plain(row.runtime)),
        Text(words.placement(row.placement, row.cpus, row.pin)),
        *([Text(row.warmup)] if warmups else []),
    )
    if latency is None:
        return Line(names, Text(f"no figure: {_why(row)}", "red"))
    interval = figures.interval(latency.mean, *latency.ci95)
    percentiles = (
        figures.styled_time(_number(value)) for value in (latency.p50, latency.p99, latency.p99_9, latency.max)
    )
    return Line(
        (
            *names,
            figures.styled_time(latency.mean, "bold"),
            Text(interval),
            *percentiles,
            figures.styled_time(row.cpu_ns_per_op),
            Text(figures.ABSENT, "dim") if row.ops_per_s is None else Text(figures.count(row.ops_per_s)),
            _bar(axis, latency),
        )
    )


def _numbered(rung: Rung, all_rungs: Sequence[Rung]) -> Text:
    """The number, with the mark of the worst verdict that is not said of all."""
    digits = len(str(len(all_rungs)))
    severity = worst_of_its_own(rung.row, [other.row for other in all_rungs])
    number = Text().append(f"{rung.number:>{digits}}", "dim")
    return number.append(" ").append_text(mark(severity)) if severity else number


def _bar(axis: Axis, latency: Latency) -> Callable[[int], Text]:
    return lambda width: axis.bar(latency.mean, _number(latency.p99_9), width)


def _why(row: Row) -> str:
    codes = [verdict.code for verdict in row.verdicts if verdict.severity == "error"]
    if codes:
        return f"{words.plain(codes[0])}, see below"
    return f"{words.counted(row.failed_trials, 'trial')} failed" if row.failed_trials else "nothing was measured"


def _speed(row: Row) -> float:
    return float("inf") if row.latency_ns is None else row.latency_ns.mean


def _number(value: float | UnsetType) -> float | None:
    return None if value is UNSET else value
