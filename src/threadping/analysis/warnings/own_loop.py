"""What the loop around a mechanism of the user's own costs, said with its row."""

from collections.abc import Mapping

from threadping import quantities
from threadping.analysis.checks import Facts
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.estimate import Estimate
from threadping.analysis.harness import LoopVerdict, cost_of
from threadping.numbers import named

WHOLE_NS = 100
"""From here on nanoseconds are written without decimals."""

LOOP_SAID: Mapping[LoopVerdict, str] = {
    "within": "within 2% or 5 ns",
    "more": "more than 2% and 5 ns",
    "less": "a bare loop is slower, by more than 2% and 5 ns",
    "unknown": "whether that is within 2% or 5 ns cannot be told",
}


def _loop(row: Row) -> Facts | None:
    if row.loop is None:
        return None
    cost = cost_of(row.loop)
    low, high = cost.ns.ends
    return {
        "how": f"{_written(cost.ns)} beside a bare loop's {quantities.time(cost.bare_ns)}",
        "said": LOOP_SAID[cost.verdict],
        "where": f"{quantities.counted(len(row.loop.cpus), 'thread')} on {named(row.loop.cpus)}",
        "pairs": len(row.loop.bare_ns),
        "bare": cost.bare_ns,
        "ns": cost.ns.value,
        "low": low,
        "high": high,
        "fold": cost.ratio.value,
        "level": "warning" if cost.verdict in ("more", "less") else "note",
    }


def _written(ns: Estimate) -> str:
    """Nanoseconds that may be below 0, with the interval: `0.4 ns (-0.2 to 1.1)`."""
    decimals = 1 if max(map(abs, ns.ends)) < WHOLE_NS else 0
    value, low, high = (f"{round(one, decimals) + 0.0:,.{decimals}f}" for one in (ns.value, *ns.ends))
    return f"{value} ns ({low} to {high})" if ns.kind else f"{value} ns"


CHECKS = (RowCheck("harness", "note", _loop),)
