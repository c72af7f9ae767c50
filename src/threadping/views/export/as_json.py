"""JSON: one object with the run, the machine and its lines; what is not known is an absent key, never a guess."""

import re
from typing import Any

import msgspec

from threadping.model import Run
from threadping.views.export.flat import Flat
from threadping.views.export.told import Told

RUN_KEYS = ("id", "started", "ended", "status", "version", "seed", "budget_s", "rounds", "arguments", "runtimes")

NULL = ("home", "state", "failure", "latency_ns", "ops_per_s", "cpu_ns_per_op", "clock_cost_ns")
"""Keys that every line has whose experiment declares them: null where nothing is known."""

INTO = re.compile(r"\.(?!\d)")
"""A dot leads into an object, but not that of `p99.9`."""


def write(told: Told) -> str:
    """Write `{"run", "machine", "states", "rows"}`, or `trials` in place of rows."""
    answer = {"run": described(told.run), "machine": told.run.machine, "states": told.states}
    return indented({**answer, told.what: [_nested(line) for line in told.lines]})


def described(run: Run) -> dict[str, Any]:
    """What is told of a run beside its machine and its lines."""
    return {name: getattr(run, name) for name in RUN_KEYS} | {
        "cases": len(run.cases),
        "skipped": run.skipped,
        "note": run.note,
    }


def indented(answer: Any) -> str:
    """JSON that a person can read too."""
    return msgspec.json.format(msgspec.json.encode(answer), indent=2).decode() + "\n"


def _nested(line: Flat) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for name, value in line.items():
        *path, last = steps = INTO.split(name)
        if steps[0] in NULL:
            whole.setdefault(steps[0], None)
        if value is None:
            continue
        inside = whole
        for step in path:
            inside[step] = inside.get(step) or {}
            inside = inside[step]
        inside[last] = value
    return whole
