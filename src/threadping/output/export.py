"""An answer in formats that only runs have: Bencher's, HdrHistogram's log, threadping's own for `threadping import`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

import msgspec

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.percentiles import Estimate
from threadping.analysis.validity import is_usable, validity_of
from threadping.model.base import Record, gathered
from threadping.model.contract import FIRST_VERSION, Distribution
from threadping.model.errors import UsageError, require_extra
from threadping.model.quantities import counted, time
from threadping.model.text import plain
from threadping.output.bundle import carry_run, embed_runs

TWO = ("near", "far")  # Two states of a case, the nearer first


class Point(Record, frozen=True):
    """A row that has a headline."""

    case: str  # experiment, mechanism with parameters, runtime, placement: all that is not usual
    cpus: str  # of the case, where another differs in nothing else; else empty
    state: str  # of several in which the case was measured: near, far, or which of how many; else empty
    row: Row  # the row
    value: Estimate  # its headline

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.case, self.cpus and f"on {self.cpus}", self.state)))


def points_of(answer: Answer) -> Iterator[Point]:
    names = {row.case: plain(f"{row.case.experiment} {row.case.title}{_major(answer, row)}") for row in answer.rows}
    times = Counter(names.values())
    for case, rows in gathered((row.case, row) for row in answer.rows).items():
        of_case = ",".join("any" if cpu is None else str(cpu) for cpu in case.placement.cpus)
        cpus = of_case if times[names[case]] > 1 else ""
        for place, row in enumerate(rows):
            if row.headline:
                of = len(rows)
                state = "" if of == 1 else TWO[place] if of == 2 else f"state {place + 1} of {of}"
                yield Point(names[case], cpus, state, row, row.headline)


def _major(answer: Answer, row: Row) -> str:
    """Return the major version of its mechanism, from the second on: its figures mean something else than before."""
    number = answer.run.version_of(row.case).partition(".")[0]
    return "" if number == FIRST_VERSION.partition(".")[0] else f" v{number}"


def comparable_points(answer: Answer) -> list[Point]:
    return [one for one in points_of(answer) if is_usable(one.row, "export")]


def left_out(answer: Answer, form: str) -> str:
    without = len({row.case for row in answer.rows if not row.headline})
    disturbed = [of for row in answer.rows if row.headline and not (of := validity_of(row, "export")).is_usable]
    codes = dict.fromkeys(code for one in disturbed for code in one.codes)
    parts = [f"{counted(without, 'case')} without a figure"] * bool(without)
    parts += [f"{counted(len(disturbed), 'row')} that must not be compared ({', '.join(codes)})"] * bool(disturbed)
    return f"The format {form} leaves out {', and '.join(parts)}." if parts else ""


BENCHER_MEASURES = {"ns": "latency", "per_s": "throughput"}  # Bencher has these two built in, and takes all others


def bencher(answer: Answer, trials: bool) -> str:
    written = {}
    for one in comparable_points(answer):
        row, leading = one.row, one.row.leading
        known = {BENCHER_MEASURES.get(leading.unit, leading.name): one.value}
        for of in row.declared.timed:
            if tail := row.figures.get(f"{of.name}.p99"):
                known[f"{of.name.removesuffix('_ns')}-p99".replace("_", "-")] = tail
        written[one.name] = {
            name: {"value": found.value}
            | ({} if found.low is None or found.high is None else {"lower_value": found.low, "upper_value": found.high})
            for name, found in known.items()
        }
    return msgspec.json.format(msgspec.json.encode(written), indent=1).decode() + "\n"


def bundle(answer: Answer, trials: bool) -> str:
    return embed_runs([carry_run(answer.stored)]) + "\n"


LONGEST_NS, DIGITS = 3_600_000_000_000, 3  # As the probes' recorders; exact up to two microseconds, and to 0.1% above

LOG = (
    "#[Values are nanoseconds, as they were timed: round trips are not halved]",
    "#[Histogram log format version 1.3]",
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
)
"""The head that HistogramLogWriter.java of HdrHistogram 2.2 writes: the Python port's writer knows no tags."""


def hlog(answer: Answer, trials: bool) -> str:
    """Write an interval for each trial, tagged with its row: times in seconds since 1970, the maximum in ms.

    Raises ExtraMissing, and UsageError where nothing was timed one by one.
    """
    run, lines = answer.run, []
    for row in (row for row in answer.rows if row.case.experiment in answer.declared):
        apart = f" core-to-core {time(row.state.core_to_core_ns)}" if row.state and row.of_several else ""
        for of in (of for of in row.declared.timed if row.timed(of.name)):
            said = plain(f"{row.case.experiment} {row.case.title}{apart} {of.name}")
            tag = "/".join(said.replace(",", " ").split())
            for one in row.trials:
                if (timed := one.distributions.get(of.name)) and timed.counts:
                    if timed.censored:
                        lines.append(f"#[{counted(timed.censored, 'duration')} censored in the next interval]")
                    begun = datetime.fromisoformat(one.started or run.started).timestamp()
                    lines.append(f"Tag={tag},{begun:.3f},{one.wall_ns / 1e9:.3f},{_interval(timed)}")
    if not lines:
        raise UsageError("Nothing of this was timed one by one, and hlog has nothing else. Choose json or csv.")
    about = plain(f"#[threadping {run.version}, run {run.id} of {run.machine.hostname}, {run.started}]")
    return "\n".join([about, *LOG, *lines]) + "\n"


def _interval(timed: Distribution) -> str:
    require_extra("hdrhistogram", "HdrHistogram's formats")
    from hdrh.histogram import HdrHistogram

    made = HdrHistogram(1, LONGEST_NS, DIGITS)
    for value, count in zip(timed.values, timed.counts, strict=True):
        made.record_value(value, count)
    return f"{made.get_max_value() / 1e6:.3f},{made.encode().decode()}"


FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {"hlog": hlog, "run": bundle, "bencher": bencher}
"""Writers of the rows of an answer."""
