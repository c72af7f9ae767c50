"""The tools, read from `like.toml`: their numbers, how each makes them, and how what it prints is read back.

What an operation takes is read from our trials in the same words: a mean over all blocks, or the least of them.

An output is foreign: whatever it is, a reader ends with a number above 0, or with what it is not, in a clause.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import isfinite
from statistics import fmean

import msgspec
from msgspec import Struct

from threadping.analysis.declaration import Row, metric_of
from threadping.analysis.figures import Unit
from threadping.model.contract import Result
from threadping.model.reading import counted
from threadping.studies.matrix.pasted import Broken, excerpt, lines_of, tables
from threadping.studies.repeating import WantedCase

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


MOST_READ = 64 * 1024
"""Characters of an output: no tool prints as many of two CPUs."""

DECIMAL = r"(\d{1,15}(?:\.\d{1,15})?)"
MICROSECOND_NS = 1e3


class NotPrinted(Exception):
    """An output is not what the tool prints: why, in a clause."""


Reader = Callable[[str], float]


def number_in(output: str, prints: str) -> float:
    """The number in an output, by the reader of this name; raises NotPrinted."""
    try:
        number = OUTPUT_READERS[prints](output[:MOST_READ])
    except Broken as error:
        raise NotPrinted(str(error)) from error
    if not isfinite(number) or number <= 0:
        raise NotPrinted(f"it printed {number:g}, which nothing takes")
    return number


def _only(pattern: str, output: str) -> str:
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise _unlike(output)
    return found[1]


def _unlike(output: str) -> NotPrinted:
    first = next((line for line in lines_of(output) if line.strip()), "")
    return NotPrinted(f"it printed '{excerpt(first)}'" if first else "it printed nothing")


def _of_matrix(output: str) -> float:
    """The mean over the pairs of a matrix of CPUs, of which there is one: as CSV, or the table of c2clat."""
    for table in tables(lines_of(output)):
        cells = [cell for row in table.rows for cell in row.cells]
        values = [float(cell) for cell in cells if re.fullmatch(DECIMAL, cell) and float(cell) > 0]
        if (table.by_columns or table.form == "c2clat") and values:
            return fmean(values)
    raise _unlike(output)


def _perf_pipe(output: str) -> float:
    """`6.930950 usecs/op`."""
    return MICROSECOND_NS * float(_only(rf"^\s*{DECIMAL} usecs/op\s*$", output))


def _perf_messaging(output: str) -> float:
    """`     Total time: 0.975 [sec]`."""
    return SECOND_NS * float(_only(rf"^\s*Total time: {DECIMAL} \[sec\]\s*$", output))


def _stress_ng(output: str) -> float:
    """The rate by real time of the one stressor: the fifth figure behind its name."""
    return float(_only(rf"\] (?:pipe|futex)\s+\d+\s+{DECIMAL.replace('(', '(?:', 1)}\s+\S+\s+\S+\s+{DECIMAL}", output))


def _lat_pipe(output: str) -> float:
    """`Pipe latency: 5.0123 microseconds`."""
    return MICROSECOND_NS * float(_only(rf"^Pipe latency: {DECIMAL} microseconds\s*$", output))


def _lat_ctx(output: str) -> float:
    """`2 1.23`, below a line with the size and the overhead."""
    return MICROSECOND_NS * float(_only(rf"^2 {DECIMAL}\s*$", output))


def _pingpong(output: str) -> float:
    """The one cell of the first CPU's row: ` 0:    61.2`."""
    return float(_only(rf"^\s*\d+:\s+{DECIMAL}\s*$", output))


def _context1(output: str) -> float:
    """`COUNT|123456|1|lps`, of one second: the greatest, since the child that reads the end of its pipe says 0 too."""
    found = re.findall(r"^COUNT\|(\d{1,15})\|", output, re.MULTILINE)
    if not found:
        raise _unlike(output)
    return max(map(float, found))


def _coherency(output: str) -> float:
    """The two cells of a matrix of two CPUs, each with a cross in its row: `x,57.3` above `57.1,x`."""
    found = re.findall(rf"^(?:x,{DECIMAL}|{DECIMAL},x)$", output, re.MULTILINE)
    if len(found) == 2:
        return fmean(float(one or other) for one, other in found)
    if re.search(rf"^x,{DECIMAL},", output, re.MULTILINE):
        raise NotPrinted("it printed the matrix of more than two CPUs, among which ours are not known")
    raise _unlike(output)


def _crossbeam(output: str) -> float:
    """`unbounded_spsc            Rust crossbeam-channel   0.412 sec`."""
    return SECOND_NS * float(_only(rf"^unbounded_spsc\s+Rust crossbeam-channel\s+{DECIMAL} sec\s*$", output))


OUTPUT_READERS: Mapping[str, Reader] = {
    "core-to-core-latency": _of_matrix,
    "c2clat": _of_matrix,
    "perf-pipe": _perf_pipe,
    "perf-messaging": _perf_messaging,
    "stress-ng": _stress_ng,
    "lat-pipe": _lat_pipe,
    "lat-ctx": _lat_ctx,
    "pingpong": _pingpong,
    "context1": _context1,
    "coherency": _coherency,
    "crossbeam": _crossbeam,
}
"""By the names that like.toml has of them."""


class ToolRun(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a tool is made to print a number.

    Attributes:
        arguments: behind its path.
        prints: the name of what reads its output.
        operations: of how many operations the number is read, for what a trial stores: where the tool runs for a fixed
            time, fewer than a slow machine performs in it, since no trial measures for longer than its process lives.
        seconds: what it takes, about.
        sleeps: whether its threads sleep while they wait.
    """

    arguments: tuple[str, ...]
    prints: str
    operations: int
    seconds: float
    sleeps: bool = False


class Number(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A number that a tool prints.

    Attributes:
        name: what the tool calls it.
        times: what it times.
        divides: what it divides that by.
        creation: whether threads or processes are created while it times.
        placement: where they stand.
        over: how its samples become one.
        unit: as it is printed.
        contains: a sentence: what the number has in it.
        case: of ours, which repeats it.
        rule: the reading by which ours becomes the like of it.
        figure: what that is read from.
        differs: in what the case differs from the tool; empty where in nothing.
        nearest: whether it differs so much that both are not held against each other.
        run: how it is had from the tool; None where threadping does not run that.
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
    run: ToolRun | None = None

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
        numbers: those that are told of it.
        block: round trips in a block of ours, where the tool's samples are of so many; None for the usual ones.
    """

    name: str
    says: str
    url: str
    source: str
    numbers: tuple[Number, ...]
    block: int | None = None

    @property
    def runs(self) -> list[Number]:
        """The numbers for which it can be run."""
        return [one for one in self.numbers if one.run]

    def theirs(self, number: Number) -> WantedCase:
        """The case that is the tool itself: a probe of its name."""
        ours = number.case
        return WantedCase("signal", number.name, self.name, place=ours.place, pin=ours.pin, lines=1)


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
    """Read the tools from like.toml, once."""
    return read_tools((files(__package__) / "like.toml").read_text(encoding="utf-8"))
