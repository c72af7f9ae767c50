"""What the loop around a mechanism of the user's own costs, said with its row."""

from collections.abc import Mapping

from threadping.analysis.checks import Facts
from threadping.analysis.declaration import Row, RowCheck
from threadping.analysis.estimate import Estimate
from threadping.analysis.harness import LoopVerdict, cost_of

SAID: Mapping[LoopVerdict, str] = {
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
        "how": f"{_written(cost.ns)} beside a bare loop's {cost.bare_ns:.3g} ns",
        "said": SAID[cost.verdict],
        "cpus": " and ".join(map(str, row.loop.cpus)),
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
    low, high = ns.ends
    decimals = 1 if max(abs(low), abs(high)) < 100 else 0
    value, low_text, high_text = (f"{one + 0.0:.{decimals}f}" for one in (ns.value, low, high))
    return f"{value} ns ({low_text} to {high_text})" if ns.kind else f"{value} ns"


CHECKS = (RowCheck("harness", "note", _loop),)
