"""Other tools' numbers, read from `tools.toml`: how each is made, the case that repeats it, and ours by its rules."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from statistics import median

import msgspec
from msgspec import Struct

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, Unit, metric_of
from threadping.analysis.percentiles import Estimate, estimate
from threadping.model.base import Record
from threadping.model.contract import Result
from threadping.model.errors import UnknownName
from threadping.model.reading import counted
from threadping.studies.reproduce.wanted import TOO_FEW_SAMPLES, OurFigure, Source, WantedCase, disturbance

SECOND_NS = 1e9


class Rule(Struct, frozen=True):
    """A reading: it makes the number of a tool of the time that one operation takes.

    Attributes:
        operations: the number of operations, one after the other, that the tool counts as one.
        per_second: whether the number says how often these fit into a second, and not how long they take.
    """

    operations: float
    per_second: bool = False

    @property
    def unit(self) -> Unit:
        """The unit of the number."""
        return "per_s" if self.per_second else "ns"

    def number_of(self, ns: float) -> float:
        """Return the number, where an operation takes so long."""
        took = self.operations * ns
        return SECOND_NS / took if self.per_second else took


RULES: Mapping[str, Rule] = {
    "one-way": Rule(1),
    "round-trip": Rule(2),
    "round-trips-per-second": Rule(2, per_second=True),
    "operations-per-second": Rule(1, per_second=True),
    "time-of-400k": Rule(400_000),
    "time-of-1M": Rule(1_000_000),
    "time-of-5M": Rule(5_000_000),
}
"""Every reading that a tool in tools.toml names."""


class Number(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number that a tool prints.

    Attributes:
        name: the tool's name of it.
        times: what it times.
        divides: what it divides that by.
        creation: whether threads or processes are created while it times.
        placement: on which CPUs they are.
        over: how its samples become one.
        unit: as it is printed.
        contains: a sentence: what the number has in it.
        case: of ours, which repeats it.
        rule: the reading by which ours becomes the like of it.
        figure: what that is read from.
        differs: in what the case differs from the tool; empty where in nothing.
        nearest: whether it differs so much that both are not held against each other.
    """

    name: str
    times: str
    divides: str
    creation: str
    placement: str
    over: str
    unit: str
    contains: str
    case: WantedCase
    rule: str
    figure: str = "latency_ns.mean"
    differs: str = ""
    nearest: bool = False

    @property
    def reading(self) -> Rule:
        """The reading by which ours becomes the like of it."""
        return RULES[self.rule]


class Tool(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tool that measures what threads, or processes, cost each other.

    Attributes:
        name: by which it is asked for.
        says: what it is, in a clause.
        url: where it is.
        source: what was read of it, and of which version.
        numbers: those that are known of it.
        block: round trips in a block of ours, where the tool's samples have as many; None for the usual number.
    """

    name: str
    says: str
    url: str
    source: str
    numbers: tuple[Number, ...]
    block: int | None = None

    @property
    def repeated(self) -> Source:
        """The tool as a source of figures."""
        return Source("what repeats the tool's numbers", f"like {self.name}")


def read_tools(text: str) -> dict[str, Tool]:
    """Read tools by their names; ValueError for what is none."""
    content = tomllib.loads(text)["tools"]
    tools = {name: msgspec.convert({"name": name, **given}, Tool) for name, given in content.items()}
    for tool in tools.values():
        for one in tool.numbers:
            if one.rule not in RULES:
                raise ValueError(f"There is no reading {one.rule}.")
            if not one.figure.strip():
                raise ValueError(f"{one.name} has no figure.")
    return tools


@cache
def tools() -> Mapping[str, Tool]:
    """Read the tools from tools.toml, once."""
    return read_tools((files(__package__) / "tools.toml").read_text(encoding="utf-8"))


def tool_named(name: str) -> Tool:
    """Return the tool of this name; raises UnknownName."""
    if name not in tools():
        raise UnknownName("tool", name, [*tools()], lists="threadping like")
    return tools()[name]


# ---- what an operation takes in a trial of ours: the mean over all blocks, or the least of them ----

LEAST_BLOCK, LEAST_STRETCH = "blocks.least_ns", "blocks.least_stretch_ns"

STRETCHES = 5  # samples of multichase in a second and a quarter: it takes the least


def kept_of(result: Result) -> dict[str, float]:
    """Return what tools take of a trial and no experiment declares: the fastest block, and the fastest fifth."""
    windows = counted(result, "throughput")
    blocks = [(ns, sum(ops)) for ns, *ops in zip(windows.ns, *windows.ops, strict=True)]
    done = [(ns, ops) for ns, ops in blocks if ops]
    if not done:
        return {}
    return {LEAST_BLOCK: min(ns / ops for ns, ops in done), LEAST_STRETCH: least_stretch(done, STRETCHES)}


def least_stretch(blocks: list[tuple[int, int]], stretches: int) -> float:
    """Return the time of an operation (ns) in the fastest of these stretches of blocks, alike in length.

    Where there are fewer blocks than stretches, each block is one.
    """
    number = min(stretches, len(blocks))
    ends = [len(blocks) * place // number for place in range(number + 1)]
    parts = [blocks[first:last] for first, last in pairwise(ends)]
    return min(sum(ns for ns, _ in part) / sum(ops for _, ops in part) for part in parts)


def ns_of_trials(row: Row, figure: str) -> list[float]:
    """Return the time of an operation in each trial of a row, by a figure: a time, or a rate turned round."""
    if figure in (LEAST_BLOCK, LEAST_STRETCH):
        return row.over_trials(figure)
    metric = metric_of(figure, row.declared)
    values = [value for value in metric.of_row(row) if value > 0]
    return [SECOND_NS / value for value in values] if metric.unit == "per_s" else values


# ---- what a run says of a number ----


class LikeFigure(Record, frozen=True):
    """A number of a tool, with ours in one state of the machine.

    Attributes:
        number: of the tool.
        ours: our headline; None where there is none.
        by_their_rules: our figure as the tool would print it.
        reason: why there is no figure of ours, or what sets it apart.
        times: how long what the tool counts as one takes, in our operations: 2 of a round trip; the median of trials.
    """

    number: Number
    ours: OurFigure | None = None
    by_their_rules: Estimate | None = None
    reason: str | None = None
    times: float | None = None


def figures_like(tool: Tool, answer: Answer) -> list[LikeFigure]:
    """Pair every number of a tool with ours in each placement state, that of most trials first."""
    found: list[LikeFigure] = []
    for one in tool.numbers:
        ours = tool.repeated.figures(one.case, "", answer)
        found += [_by_their_rules(one, each) for each in ours]
        if not ours:
            found.append(LikeFigure(one, reason=tool.repeated.why_without(one.case, answer)))
    return found


def _by_their_rules(number: Number, ours: OurFigure) -> LikeFigure:
    taken = ns_of_trials(ours.row, number.figure)
    value = estimate([number.reading.number_of(ns) for ns in taken]) if taken else _pooled(number, ours.row)
    if value is None:
        return LikeFigure(number, ours, reason=TOO_FEW_SAMPLES)
    reason, _ = disturbance(ours.row)
    return LikeFigure(number, ours, value, reason, _times(number.reading, ns_of_trials(ours.row, ours.figure), taken))


def _pooled(number: Number, row: Row) -> Estimate | None:
    """Return ours by the tool's rules where single trials do not carry it and all of them together do."""
    known = row.figures.get(number.figure)
    if known is None:
        return None
    low, high = sorted(number.reading.number_of(end) for end in known.ends)
    value = number.reading.number_of(known.value)
    return Estimate(value, low, high, known.kind) if known.kind else Estimate(value)


def _times(reading: Rule, own: Sequence[float], taken: Sequence[float]) -> float | None:
    """Return what the tool counts as one, in our operations; None where single trials do not say it."""
    if not own or len(own) != len(taken):
        return None
    return reading.operations * median(one / other for one, other in zip(taken, own, strict=True))
