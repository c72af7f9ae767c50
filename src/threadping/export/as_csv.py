"""CSV: a line a row, every figure in a column of its own; what is absent is empty."""

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from threadping.model import Row, Run

Value = str | int | float | None
PERCENTILES = {"min": "min", "p50": "p50", "p90": "p90", "p99": "p99", "p99.9": "p99_9", "max": "max"}


def export(run: Run, rows: Sequence[Row]) -> str:
    """Write a heading and a line for each row, in the order given."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_shown(value(run, row)) for value in COLUMNS.values()] for row in rows)
    return text.getvalue()


def _shown(value: Value) -> Value:
    return "" if value is None else value


def _field(name: str) -> Callable[[Run, Row], Value]:
    def value(_run: Run, row: Row) -> Value:
        found: Value = getattr(row, name)
        return found

    return value


def _latency(name: str) -> Callable[[Run, Row], Value]:
    def value(_run: Run, row: Row) -> Value:
        found = UNSET if row.latency_ns is None else getattr(row.latency_ns, name)
        return None if found is UNSET else found

    return value


def _end(name: str, position: int) -> Callable[[Run, Row], Value]:
    """One end of an interval of the row or of its latency."""

    def value(_run: Run, row: Row) -> Value:
        ends = row.line_ns if name == "line_ns" else row.latency_ns and row.latency_ns.ci95
        return ends[position] if ends else None

    return value


def _cpus(_run: Run, row: Row) -> Value:
    """The CPUs with commas; empty where no thread is pinned."""
    numbers = ["" if cpu is None else str(cpu) for cpu in row.cpus]
    return ",".join(numbers) if any(numbers) else None


def _lock(path: str, position: int | None = None) -> Callable[[Run, Row], Value]:
    """A figure that only `lock` has, by the names that lead to it; one end of it where it is a pair."""

    def value(_run: Run, row: Row) -> Value:
        found: Any = row.lock
        if found is UNSET:
            return None
        for name in path.split("."):
            found = getattr(found, name)
        figure: Value = found if position is None else found[position]
        return figure

    return value


COLUMNS: dict[str, Callable[[Run, Row], Value]] = {
    "run": lambda run, _row: run.id,
    "hostname": lambda run, _row: run.machine.hostname,
    "experiment": _field("experiment"),
    "runtime": _field("runtime"),
    "mechanism": _field("mechanism"),
    "params": lambda _run, row: msgspec.json.encode(row.params).decode(),
    "varied": lambda _run, row: ";".join(row.varied),
    "placement": _field("placement"),
    "cpus": _cpus,
    "pin": _field("pin"),
    "warmup": _field("warmup"),
    "threads": _field("threads"),
    "trials": _field("trials"),
    "failed_trials": _field("failed_trials"),
    "measures": _field("measures"),
    "latency_ns.mean": _latency("mean"),
    "latency_ns.ci95.lo": _end("ci95", 0),
    "latency_ns.ci95.hi": _end("ci95", 1),
    **{f"latency_ns.{name}": _latency(attribute) for name, attribute in PERCENTILES.items()},
    "ops_per_s": _field("ops_per_s"),
    "cpu_ns_per_op": _field("cpu_ns_per_op"),
    "clock_cost_ns": _field("clock_cost_ns"),
    "samples": _field("samples"),
    "lines": _field("lines"),
    "line_ns.min": _end("line_ns", 0),
    "line_ns.max": _end("line_ns", 1),
    "verdicts": lambda _run, row: ";".join(verdict.code for verdict in row.verdicts),
    # New columns come last: whoever reads by position keeps what was there.
    "lock.ops_per_s_ci95.lo": _lock("ops_per_s_ci95", 0),
    "lock.ops_per_s_ci95.hi": _lock("ops_per_s_ci95", 1),
    "lock.fairness.jain": _lock("fairness.jain"),
    "lock.fairness.shares.min": _lock("fairness.shares", 0),
    "lock.fairness.shares.max": _lock("fairness.shares", 1),
    "lock.fairness.window_ns": _lock("fairness.window_ns"),
    "lock.sampling.every": _lock("sampling.every"),
    "lock.sampling.cost": _lock("sampling.cost"),
    "lock.updates.made": _lock("updates.made"),
    "lock.updates.found": _lock("updates.found"),
    "censored": _field("censored"),
    "home": _field("home"),
}
