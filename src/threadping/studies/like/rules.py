"""How a tool makes its number of what an operation takes: named readings, each with its way back.

What an operation takes is read from our trials in the same words: a mean over all blocks, or the least of them.
"""

from collections.abc import Mapping
from itertools import pairwise

from msgspec import Struct

from threadping.analysis.declaration import Row
from threadping.analysis.figures import Unit
from threadping.analysis.metric import metric_of
from threadping.analysis.reading import counted
from threadping.contract import Result

SECOND_NS = 1e9

STRETCHES = 5
"""Into so many samples multichase divides a second and a quarter, of which it takes the least."""


class Rule(Struct, frozen=True):
    """A number of a tool, of what one operation takes (ns).

    Attributes:
        operations: of how many one after the other the number is.
        per_second: whether it says how often so many fit into a second, and not how long they take.
        says: the reading, in words.
    """

    operations: float
    per_second: bool
    says: str

    @property
    def unit(self) -> Unit:
        """Of the number."""
        return "per_s" if self.per_second else "ns"

    def number_of(self, ns: float) -> float:
        """The number, where an operation takes so long."""
        took = self.operations * ns
        return SECOND_NS / took if self.per_second else took

    def ns_of(self, number: float) -> float:
        """How long an operation takes where this is the number."""
        took = SECOND_NS / number if self.per_second else number
        return took / self.operations


RULES: Mapping[str, Rule] = {
    "one-way": Rule(1, False, "time of one hand-over, half a round trip"),
    "round-trip": Rule(2, False, "time of a round trip"),
    "round-trips-per-second": Rule(2, True, "round trips a second"),
    "operations-per-second": Rule(1, True, "operations a second"),
    "time-of-400k": Rule(400_000, False, "time of 400,000 messages"),
    "time-of-1M": Rule(1_000_000, False, "time of 1,000,000 messages"),
    "time-of-5M": Rule(5_000_000, False, "time of 5,000,000 messages"),
}
"""Every reading that a tool in like.toml names."""


# ---- what an operation takes in a trial of ours ----

LEAST_BLOCK, LEAST_STRETCH = "blocks.least_ns", "blocks.least_stretch_ns"


def kept_of(result: Result) -> dict[str, float]:
    """What tools take of a trial and no experiment declares: the quickest block, and the quickest fifth."""
    windows = counted(result, "throughput")
    blocks = [(ns, sum(ops)) for ns, *ops in zip(windows.ns, *windows.ops, strict=True)]
    done = [(ns, ops) for ns, ops in blocks if ops]
    if not done:
        return {}
    return {LEAST_BLOCK: min(ns / ops for ns, ops in done), LEAST_STRETCH: least_stretch(done, STRETCHES)}


def least_stretch(blocks: list[tuple[int, int]], stretches: int) -> float:
    """The quickest of so many stretches of blocks (ns, operations), alike in number: of fewer blocks each is one."""
    number = min(stretches, len(blocks))
    ends = [len(blocks) * place // number for place in range(number + 1)]
    parts = [blocks[first:last] for first, last in pairwise(ends)]
    return min(sum(ns for ns, _ in part) / sum(ops for _, ops in part) for part in parts)


def ns_of_trials(row: Row, figure: str) -> list[float]:
    """What an operation takes in each trial of a row that knows it, by a figure: a time, or a rate turned round."""
    if figure in (LEAST_BLOCK, LEAST_STRETCH):
        return row.over_trials(figure)
    metric = metric_of(figure, row.declared)
    values = [value for value in metric.of_row(row) if value > 0]
    return [SECOND_NS / value for value in values] if metric.unit == "per_s" else values
