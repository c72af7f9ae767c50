"""What reading the clock costs, for a sentence."""

from collections.abc import Sequence

from threadping.model import Row
from threadping.report import figures, words


def clock_costs(rows: Sequence[Row]) -> str:
    """Write `20.4 ns (cpp) and 26.8 ns (java-17)`, one figure where all cost the same; empty if none was measured."""
    by_runtime: dict[str, list[float]] = {}
    for row in rows:
        if row.clock_cost_ns is not None:
            by_runtime.setdefault(row.runtime, []).append(row.clock_cost_ns)
    by_cost: dict[str, list[str]] = {}
    for runtime, costs in sorted(by_runtime.items()):
        by_cost.setdefault(figures.span(costs), []).append(words.plain(runtime))
    if len(by_cost) == 1:
        return next(iter(by_cost))
    return " and ".join(f"{cost} ({', '.join(runtimes)})" for cost, runtimes in by_cost.items())
