"""The tools as they are run: their arguments, and the number in what each prints.

An output is foreign: whatever it is, a reader ends with a number above 0, or with what it is not, in a clause.
"""

import re
from collections.abc import Callable, Mapping
from math import isfinite
from statistics import fmean

from msgspec import Struct

from threadping.studies.matrix.pasted import Broken, excerpt, lines_of, tables

SECOND_NS = 1e9
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
    """Return the mean over the pairs of the one matrix of CPUs in the output: CSV, or the table of c2clat."""
    for table in tables(lines_of(output)):
        cells = [cell for row in table.rows for cell in row.cells]
        values = [float(cell) for cell in cells if re.fullmatch(DECIMAL, cell) and float(cell) > 0]
        if table.form != "list of pairs" and values:
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


class ToolRun(Struct, frozen=True):
    """Arguments that make a tool print a number, and the name of the reader of its output."""

    arguments: tuple[str, ...]
    prints: str


BENCH, PERF, STRESS = "core-to-core-latency", ("bench", "sched"), ("--timeout", "1", "--metrics-brief")
RUNS: Mapping[tuple[str, str], ToolRun] = {
    ("core-to-core-latency", "bench-1"): ToolRun(("--bench", "1", "--csv"), BENCH),
    ("core-to-core-latency", "bench-2"): ToolRun(("--bench", "2", "--csv"), BENCH),
    ("c2clat", "latency"): ToolRun((), "c2clat"),
    ("multichase", "pingpong-l"): ToolRun(("-l",), "pingpong"),
    ("multichase", "pingpong-u"): ToolRun(("-u",), "pingpong"),
    ("microbenchmarks", "locked"): ToolRun((), "coherency"),
    ("lmbench", "lat_pipe"): ToolRun((), "lat-pipe"),
    ("perf-bench-pipe", "usecs-per-op"): ToolRun((*PERF, "pipe", "-l", "20000"), "perf-pipe"),
    ("perf-bench-pipe", "threaded"): ToolRun((*PERF, "pipe", "-T", "-l", "20000"), "perf-pipe"),
    ("perf-bench-messaging", "total-time"): ToolRun((*PERF, "messaging"), "perf-messaging"),
    ("unixbench-context1", "lps"): ToolRun(("1",), "context1"),
    ("stress-ng", "pipe"): ToolRun(("--pipe", "1", *STRESS), "stress-ng"),
    ("stress-ng", "futex"): ToolRun(("--futex", "1", *STRESS), "stress-ng"),
    ("crossbeam", "unbounded_spsc"): ToolRun((), "crossbeam"),
}
"""Runs by tool and number; threadping's tools.toml describes each number."""
