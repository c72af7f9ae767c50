"""Bencher Metric Format: of each benchmark its measures, with the ends of their intervals (bencher.dev).

Bencher has two measures of its own, latency in nanoseconds and throughput in operations a second, and makes all others
as they come.
"""

import msgspec

from threadping.analysis.answer import Answer
from threadping.analysis.percentiles import Estimate
from threadping.output.points import Point, comparable_points

MEASURES = {"ns": "latency", "per_s": "throughput"}
"""By the unit of a headline."""


def metrics(answer: Answer, trials: bool) -> str:
    """Write the headline of each row, and the p99 of what was timed one by one where its samples carry that."""
    written = {one.name: _measures(one) for one in comparable_points(answer)}
    return msgspec.json.format(msgspec.json.encode(written), indent=1).decode() + "\n"


def _measures(one: Point) -> dict[str, dict[str, float]]:
    row, measure = one.row, MEASURES.get(one.unit, one.row.leading.name)
    tails = {f"{of.name.removesuffix('_ns')}-p99": row.figures.get(f"{of.name}.p99") for of in row.declared.timed}
    known = {measure: one.value, **{name.replace("_", "-"): found for name, found in tails.items() if found}}
    return {name: _metric(found) for name, found in known.items()}


def _metric(found: Estimate) -> dict[str, float]:
    ends = {"lower_value": found.low, "upper_value": found.high}
    return {"value": found.value, **{name: end for name, end in ends.items() if end is not None}}
