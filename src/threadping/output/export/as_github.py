"""The custom JSON of github-action-benchmark: a list of values, of which all less, or all more, is better.

The action takes what a value is for better or worse from its option `tool`, for a file as a whole. So latencies and
throughputs are two files.
"""

import msgspec

from threadping.analysis.answer import Answer
from threadping.model.errors import UsageError
from threadping.model.quantities import counted
from threadping.output.points import Point, comparable_points

UNITS_OF_ACTION = {"ns": "ns", "per_s": "ops/s"}

TOOLS = {False: "customSmallerIsBetter", True: "customBiggerIsBetter"}
"""The action's `tool`, by whether more is better."""


def either(answer: Answer, trials: bool) -> str:
    """Write all rows, of which all less or all more is better; raises UsageError where there are both."""
    points = comparable_points(answer)
    if len({one.higher_is_better for one in points}) > 1:
        show, tools = f"threadping show {answer.run.id} --format", TOOLS
        raise UsageError(
            f"Run {answer.run.id} has latencies and throughputs, and github-action-benchmark reads each from a file of "
            f"its own: `{show} github-smaller` (tool {tools[False]}) and `{show} github-bigger` (tool {tools[True]})."
        )
    return _written(points)


def smaller(answer: Answer, trials: bool) -> str:
    """Write the rows of which less is better."""
    return _written([one for one in comparable_points(answer) if not one.higher_is_better])


def bigger(answer: Answer, trials: bool) -> str:
    """Write the rows of which more is better."""
    return _written([one for one in comparable_points(answer) if one.higher_is_better])


def _written(points: list[Point]) -> str:
    return msgspec.json.format(msgspec.json.encode([*map(_entry, points)]), indent=1).decode() + "\n"


def _entry(one: Point) -> dict[str, str | float]:
    unit, (low, high) = UNITS_OF_ACTION.get(one.unit, one.unit), one.value.ends
    known = {"range": f"\N{PLUS-MINUS SIGN} {_number((high - low) / 2)}"} if one.value.kind else {}
    return {"name": one.name, "unit": unit, "value": one.value.value, **known, "extra": "\n".join(_extra(one))}


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1_000 else f"{value:.4g}"


def _extra(one: Point) -> list[str]:
    """What the action shows beside a value: the interval with both ends, the trials, and what disturbed them."""
    row, value = one.row, one.value
    said = [f"{row.leading.name} of {counted(len(row.trials), 'trial')}"]
    if value.kind:
        kind = "95% interval" if value.kind == "ci95" else "range"
        said.append(f"{kind}: {_number(value.ends[0])} to {_number(value.ends[1])}")
    if row.core_to_core_ns is not None:
        said.append(f"core to core: {row.core_to_core_ns:.3g} ns")
    return [*said, *([f"warnings: {', '.join(row.warned)}"] if row.warned else [])]
