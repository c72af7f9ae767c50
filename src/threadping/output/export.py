"""An answer in formats that only runs have: Bencher's, HdrHistogram's, and threadping's own for `threadping import`.

hgrm is for HdrHistogram's plotter, hlog for its readers of interval logs. Histograms are made by HdrHistogram's Python
port. Its writer of logs is not used: it knows no tags, and rounds the maximum of an interval down to milliseconds.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from math import log, sqrt
from typing import TYPE_CHECKING

import msgspec

from threadping.analysis.analyse import row_of_trial
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Percentiles, Row, Unit
from threadping.analysis.percentiles import Estimate
from threadping.analysis.validity import is_usable, validity_of
from threadping.model.base import Record, gathered
from threadping.model.contract import FIRST_VERSION, Distribution
from threadping.model.errors import UsageError, require_extra
from threadping.model.quantities import counted, time
from threadping.model.run import Observation
from threadping.model.text import plain
from threadping.output.bundle import carry_run, embed_runs

if TYPE_CHECKING:
    from hdrh.histogram import HdrHistogram


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
        """The case, its CPUs where they tell it apart, and its state."""
        return " ".join(filter(None, (self.case, self.cpus and f"on {self.cpus}", self.state)))

    @property
    def unit(self) -> Unit:
        """The unit of the headline."""
        return self.row.leading.unit

    @property
    def higher_is_better(self) -> bool:
        """Return whether more of it is faster."""
        return self.row.leading.better == "more"


def points_of(answer: Answer) -> Iterator[Point]:
    """The rows that have a headline, each as a point."""
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
    """The points that may be compared with those of another run."""
    return [one for one in points_of(answer) if is_usable(one.row, "export")]


def left_out(answer: Answer, form: str) -> str:
    """Say what a format leaves out of an answer, being no point to be compared; empty where that is nothing."""
    without = len({row.case for row in answer.rows if not row.headline})
    disturbed = [of for row in answer.rows if row.headline and not (of := validity_of(row, "export")).is_usable]
    codes = dict.fromkeys(code for one in disturbed for code in one.codes)
    parts = [f"{counted(without, 'case')} without a figure"] * bool(without)
    parts += [f"{counted(len(disturbed), 'row')} that must not be compared ({', '.join(codes)})"] * bool(disturbed)
    return f"The format {form} leaves out {', and '.join(parts)}." if parts else ""


BENCHER_MEASURES = {"ns": "latency", "per_s": "throughput"}  # Bencher has these two built in, and takes all others


def bencher(answer: Answer, trials: bool) -> str:
    """Write Bencher Metric Format: the headline of each row, and each p99 that its samples carry."""
    written = {one.name: _measures(one) for one in comparable_points(answer)}
    return msgspec.json.format(msgspec.json.encode(written), indent=1).decode() + "\n"


def _measures(one: Point) -> dict[str, dict[str, float]]:
    row, measure = one.row, BENCHER_MEASURES.get(one.unit, one.row.leading.name)
    tails = {f"{of.name.removesuffix('_ns')}-p99": row.figures.get(f"{of.name}.p99") for of in row.declared.timed}
    known = {measure: one.value, **{name.replace("_", "-"): found for name, found in tails.items() if found}}
    return {name: _metric(found) for name, found in known.items()}


def _metric(found: Estimate) -> dict[str, float]:
    ends = {"lower_value": found.low, "upper_value": found.high}
    return {"value": found.value, **{name: end for name, end in ends.items() if end is not None}}


def bundle(answer: Answer, trials: bool) -> str:
    """Write all that is kept of a run, on one line: `threadping import` stores it elsewhere."""
    return embed_runs([carry_run(answer.stored)]) + "\n"


LONGEST_NS, DIGITS = 3_600_000_000_000, 3  # As the probes' recorders; exact up to two microseconds, and to 0.1% above

LOG = (
    "#[Histogram log format version 1.3]",
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
)
"""The head that HistogramLogWriter.java of HdrHistogram 2.2 writes."""

Series = tuple[str, Percentiles, Sequence[Observation]]
"""The title of a row or a trial, one of its distributions, and the trials that have it."""


def hgrm(answer: Answer, trials: bool) -> str:
    """Write percentile distributions, one below the other. Raises UsageError where nothing has one."""
    return "\n".join([f"{_about(answer)}\n", *(text for _, text in _distributions(answer, trials))])


def hgrm_files(answer: Answer, trials: bool) -> dict[str, str]:
    """Each percentile distribution as a file of its own, as HdrHistogram's plotter reads it, by its name."""
    found: dict[str, str] = {}
    for title, text in _distributions(answer, trials):
        name = re.sub(r"[^\w.=+-]+", "-", title).strip("-.")[:LONGEST_NAME]
        again = sum(other.partition("~")[0] == name for other in found)
        found[f"{name}~{again + 1}" if again else name] = f"{_about(answer)}\n{text}"
    return {f"{name}.hgrm": text for name, text in found.items()}


LONGEST_NAME = 200  # of a file, in characters, without its ending: systems take 255 bytes


def _distributions(answer: Answer, trials: bool) -> Iterator[tuple[str, str]]:
    for title, of, seen in _series(answer, trials):
        found = [one.distributions[of.name] for one in seen]
        added = f"{counted(len(found), 'trial')} added up, {sum(one.censored for one in found):,} censored"
        head = f"#[{plain(title)}: {of.noun}, nanoseconds, {added}]\n"
        yield f"{plain(title)} {of.name}", head + percentile_distribution(found)


def percentile_distribution(distributions: Sequence[Distribution]) -> str:
    """Write the sum of distributions as `output_percentile_distribution` of HdrHistogram does.

    The port's own looks at every bucket, which are tens of thousands: it took 0.1 s where this takes a millisecond.
    """
    empty = histogram([])
    buckets: Counter[int] = Counter()
    for one in distributions:
        for value, count in zip(one.values, one.counts, strict=True):
            buckets[empty.get_highest_equivalent_value(value)] += count
    mean, deviation = moments(empty, distributions)
    total, most = buckets.total(), max(buckets, default=0)
    foot = (
        f"#[Mean    = {mean:12.{DIGITS}f}, StdDeviation   = {deviation:12.{DIGITS}f}]",
        f"#[Max     = {most:12.{DIGITS}f}, TotalCount     = {total:12.{DIGITS}f}]",
        f"#[Buckets = {empty.bucket_count:12d}, SubBuckets     = {empty.sub_bucket_count:12d}]",
    )
    heads = f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}\n"
    return "\n".join([heads, *_ticks(sorted(buckets.items()), total), *foot]) + "\n"


def _ticks(buckets: Sequence[tuple[int, int]], total: int) -> Iterator[str]:
    """A line for each percentile on the way to 100, in steps that halve with the distance to it."""
    level, seen = 0.0, 0
    for value, count in buckets:
        seen += count
        while 100.0 * seen / total >= level < 100:
            share = level / 100
            yield f"{value:12.{DIGITS}f} {share:2.12f} {seen:10d} {1 / (1 - share):14.2f}"
            if seen == total:
                break
            level += 100.0 / (TICKS_OF_HALF * pow(2, log(100 / (100.0 - level)) / log(2) + 1))
    if total:
        yield f"{buckets[-1][0]:12.{DIGITS}f} {1.0:2.12f} {total:10d}"


TICKS_OF_HALF = 5  # lines in each half of the distance to 100%, the default of HdrHistogram


def hlog(answer: Answer, trials: bool) -> str:
    """Write an interval for each trial, tagged with its case: times in seconds since 1970, the maximum in ms.

    Raises:
        UsageError: nothing was timed one by one.
    """
    lines = [_about(answer), "#[Values are nanoseconds, as they were timed: round trips are not halved]", *LOG]
    for title, of, seen in _series(answer, trials):
        tag = "/".join(plain(f"{title} {of.name}").replace(",", " ").split())
        for one in seen:
            if censored := one.distributions[of.name].censored:
                lines.append(f"#[{counted(censored, 'duration')} censored in the next interval]")
            found, begun = (
                histogram([one.distributions[of.name]]),
                datetime.fromisoformat(one.started or answer.run.started).timestamp(),
            )
            took_s, most_ms = one.wall_ns / 1e9, found.get_max_value() / 1e6
            lines.append(f"Tag={tag},{begun:.3f},{took_s:.3f},{most_ms:.3f},{found.encode().decode()}")
    return "\n".join(lines) + "\n"


def histogram(distributions: Sequence[Distribution]) -> "HdrHistogram":
    """Add distributions up; what was censored is in none of them. Raises ExtraMissing."""
    require_extra("hdrhistogram", "HdrHistogram's formats")
    from hdrh.histogram import HdrHistogram

    made = HdrHistogram(1, LONGEST_NS, DIGITS)
    for one in distributions:
        for value, count in zip(one.values, one.counts, strict=True):
            made.record_value(value, count)
    return made


def moments(made: "HdrHistogram", distributions: Sequence[Distribution]) -> tuple[float, float]:
    """The mean and the standard deviation of their histogram, as HdrHistogram has them: of its buckets' middles."""
    counts: Counter[int] = Counter()
    for one in distributions:
        for value, count in zip(one.values, one.counts, strict=True):
            low, high = made.get_lowest_equivalent_value(value), made.get_highest_equivalent_value(value)
            counts[low + (high - low + 1 >> 1)] += count
    total = counts.total() or 1
    mean = sum(value * count for value, count in counts.items()) / total
    return mean, sqrt(sum((value - mean) ** 2 * count for value, count in counts.items()) / total)


def _about(answer: Answer) -> str:
    run = answer.run
    return plain(f"#[threadping {run.version}, run {run.id} of {run.machine.hostname}, {run.started}]")


def _series(answer: Answer, trials: bool) -> list[Series]:
    found = list(_timed(answer, trials))
    if not found:
        raise UsageError(
            "Nothing of this was timed one by one, and hgrm and hlog have nothing else. Choose json or csv."
        )
    return found


def _timed(answer: Answer, trials: bool) -> Iterator[Series]:
    rows = []
    for row in answer.rows:
        apart = f" core-to-core {time(row.state.core_to_core_ns)}" if row.state and row.of_several else ""
        rows.append((row.case.title + apart, row))
    if trials:
        each = ((one.observation, row_of_trial(one, declared)) for one, declared in answer.known)
        rows = [(f"{seen.case.title} round {seen.round}", row) for seen, row in each]
    for title, row in rows:
        for of in row.declared.timed:
            if row.timed(of.name):
                having = [one for one in row.trials if (timed := one.distributions.get(of.name)) and timed.counts]
                yield f"{row.case.experiment} {title}", of, having


FORMATS: Mapping[str, Callable[[Answer, bool], str]] = {"hgrm": hgrm, "hlog": hlog, "run": bundle, "bencher": bencher}
"""Writers of the rows of an answer, or of its trials one by one."""
