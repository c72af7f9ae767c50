"""Runs for programs: the run, its rows, trials and states as sheets; Bencher's metrics, HdrHistogram's files.

What is of several experiments is a sheet for each, all of one name.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import log, sqrt
from statistics import median
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.analyse import row_of_trial
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.checks import Facts, Finding, Level
from threadping.analysis.declaration import (
    LATE_HEADLINE,
    OF_DISTRIBUTIONS,
    Declaration,
    Percentiles,
    Row,
    by_experiment,
)
from threadping.analysis.percentiles import Estimate
from threadping.analysis.runs import CaseAcrossRuns, CaseInState
from threadping.analysis.validity import is_usable, validity_of
from threadping.model.base import Record, gathered
from threadping.model.cases import DIMENSIONS, Case, Pair, Runtime, Skipped
from threadping.model.contract import FIRST_VERSION, Distribution, Params, Pin
from threadping.model.errors import RunDamaged, UsageError, require_extra
from threadping.model.quantities import ABSENT, counted, duration, fold, letters, span, time
from threadping.model.run import Failure, Resumed, Run, RunStatus, State
from threadping.model.text import plain
from threadping.output.bundle import carry_run, embed_runs, nameless_run
from threadping.output.heading import coverage_entry
from threadping.output.layout import Ends, Field, Grid, Line, Sheet, attribute, figure, grid_of, headline, sure
from threadping.output.records import sheet_of


class RunEntry(Record, frozen=True):
    """A run. Times are ISO 8601, UTC; `arguments` are those of the command line.

    `rounds` is how often every case was to be measured at least, and `until` how well each figure was to be known, as a
    share of it; null where that was not asked for. `took_s` is how long it measured, interruptions left out; null while
    it runs, or where that is not known. `versions` are those of its mechanisms, in the language in which each was
    measured: `lock mutex rust`; none is there of a run from before they had one. `loops` are digests of their timed
    loops as they were compiled, in each runtime: `lock mutex cpp`; of what is not there nothing is known.
    """

    id: int
    started: str
    ended: str | None
    status: RunStatus
    version: str
    seed: int
    budget_s: float
    until: float | None
    rounds: int
    arguments: tuple[str, ...]
    runtimes: tuple[Runtime, ...]
    cases: int
    skipped: tuple[Skipped, ...]
    note: str | None
    took_s: float | None
    resumed: tuple[Resumed, ...]
    versions: dict[str, str]
    loops: dict[str, str]


class ListedRun(RunEntry, frozen=True):
    """A run in a list of them, with its host, and how many of its trials have ended."""

    hostname: str
    ended_trials: int


class DamagedRun(Record, frozen=True):
    """A run that cannot be read, and why."""

    id: int
    problem: str


class CaseEntry(Record, frozen=True):
    """A case; `measures` says of what its latency is, `home` is null for the usual one."""

    experiment: str
    runtime: str
    mechanism: str
    params: Params
    varied: tuple[str, ...]
    placement: str
    cpus: tuple[int | None, ...]
    pin: Pin
    home: str | None
    warmup: str
    threads: int
    busy: int
    busy_nice: int
    measures: str


def run_entry(run: Run) -> RunEntry:
    fields = msgspec.structs.asdict(nameless_run(replace(run, cases=())))
    return msgspec.convert({**fields, "cases": run.number_of_cases}, RunEntry)


def run_sheets(runs: Sequence[tuple[Run, int]], damaged: Sequence[RunDamaged] = ()) -> tuple[Sheet[Any], Sheet[Any]]:
    """The runs of a list, each with how many of its trials have ended; and those that cannot be read."""
    listed = [
        ListedRun(**msgspec.structs.asdict(run_entry(run)), hostname=run.machine.hostname, ended_trials=ended)
        for run, ended in runs
    ]
    unread = [DamagedRun(one.run_id, str(one)) for one in damaged]
    return sheet_of("runs", ListedRun, listed), sheet_of("damaged", DamagedRun, unread)


@lru_cache(maxsize=1)  # the fields of a line ask for its case one after the other
def case_of(case: Case, measures: str | None) -> CaseEntry:
    fields: dict[str, Any] = {"measures": measures or case.timed}
    for one in DIMENSIONS:
        fields |= one.entries(case) if one.entries else {one.name: one.text(case)}
    return CaseEntry(**fields)


def case_fields(case: Callable[[Line], Case], declared: Callable[[Line], Declaration]) -> tuple[Field[Line], ...]:
    """The fields of a `CaseEntry`, of the case of each line and what its experiment declares."""

    def field(name: str, kind: Any) -> Field[Line]:
        return Field(key=name, type=kind, of=lambda line: getattr(case_of(case(line), declared(line).measures), name))

    return tuple(field(one.name, one.type) for one in msgspec.structs.fields(CaseEntry))


def side_by_side_sheet(lines: Sequence[CaseAcrossRuns], heads: Sequence[str]) -> Sheet[CaseAcrossRuns]:
    """The rows of several runs, called by heads, that are of one case in one state, and their ratios to the first."""
    of_runs = (field for place in range(len(heads)) for field in _fields_of_run(place, heads))
    of_cases = fields_of_cases(lines, lambda line: line.key, lambda line: next(filter(None, line.rows)).declared)
    return Sheet("cases", [*of_cases, *of_runs], lines)


def fields_of_cases(
    lines: Sequence[Line], key: Callable[[Line], CaseInState], declared: Callable[[Line], Declaration]
) -> Iterator[Field[Line]]:
    """Yield the fields that tell lines apart: each is of a case in a state."""
    several = len({key(line).case.experiment for line in lines}) > 1

    def title(line: Line) -> str:
        case = key(line).case
        return plain(f"{case.experiment} {case.title}" if several else case.title)

    yield Field(head="case", names=True, of=title)
    yield from case_fields(lambda line: key(line).case, declared)
    means = "How far its CPUs are from each other in its state, over all runs; null where it has none."
    yield Field(
        head="core to core",
        key="core_to_core_ns",
        unit="ns",
        of=lambda line: key(line).core_to_core_ns,
        means=means,
        rank=2,
        if_known=True,
    )
    yield Field(key="unit", of=lambda line: declared(line).leading.unit, means="Of the headlines.")


def _fields_of_run(place: int, heads: Sequence[str]) -> Iterator[Field[CaseAcrossRuns]]:
    key, means = letters(place).lower(), f"The headline of run {place + 1}; null where it has no such case."

    def found(line: CaseAcrossRuns) -> Estimate | None:
        return row.headline if (row := line.rows[place]) else None

    def written(line: CaseAcrossRuns) -> Text:
        return headline(row, row.declared.leading) if (row := line.rows[place]) else Text(ABSENT, "dim")

    def reach(line: CaseAcrossRuns) -> Text:
        row = line.rows[place]
        return sure(row.leading.unit, row.headline, len(row.trials)) if row and row.headline else Text()

    yield Field(head=heads[place], key=key, type=Estimate, of=found, write=written, means=means)
    yield Field(head="\N{PLUS-MINUS SIGN}", of=found, write=reach, rank=1)
    if place:
        head, means = f"{heads[place]} / {heads[0]}", "The ratio of the headlines; null where they are other figures."
        fold_of, ratio = lambda line: fold(line.ratio(place)), lambda line: line.ratio(place)
        yield Field(head=head, key=f"{key}_to_a", type=float | None, of=ratio, write=fold_of, means=means)


def _dwell(of: Callable[[Sequence[float]], float]) -> Callable[[State], Text]:
    def written(state: State) -> Text:
        seconds = of(state.dwell_s or (0.0,))
        return Text(duration(seconds)) if seconds else Text(ABSENT, "dim")

    return written


STATE_FIELDS: Sequence[Field[State]] = (
    attribute("cpus", type=Pair, head="CPUs", show=lambda cpus: ",".join(map(str, cpus)), names=True),
    Field(
        of=lambda state: Estimate(state.core_to_core_ns, *state.range, "range"),
        head="one way",
        key="core_to_core_ns",
        type=Estimate,
        means="The name of a state: the median of its pings, in ns. The range is from the least to the most of them.",
        write=lambda state: figure("ns", state.core_to_core_ns, "bold"),
    ),
    attribute("range", key="", head="range", show=span, rank=2),
    attribute("share", "Of the time in which the pair was watched.", float, head="of the time", unit="share"),
    attribute("pings", type=int, head="pings", unit="count", rank=1),
    Field(of=lambda state: len(state.dwell_s), head="times held", unit="count", rank=3),
    Field(of=lambda state: state.dwell_s, head="dwell median", write=_dwell(median), rank=3),
    Field(of=lambda state: state.dwell_s, head="longest", write=_dwell(max), rank=3),
    attribute(
        "dwell_s",
        "How long it held each time, in order; the first and the last time it may have held for longer.",
        tuple[float, ...],
    ),
)


def state_sheet(states: Sequence[State]) -> Sheet[State]:
    return Sheet("states", STATE_FIELDS, states)


def state_table(states: Sequence[State], *, with_cpus: bool = False) -> Grid:
    """A line for each state, at least one; `with_cpus` where they are of several pairs."""
    return grid_of(Sheet("states", STATE_FIELDS if with_cpus else STATE_FIELDS[1:], states))


class FindingEntry(Record, frozen=True):
    """A finding, without which a figure is misread. `threadping explain CODE` has the rest."""

    code: str
    level: Level
    message: str
    facts: Facts


class TrialState(Record, frozen=True):
    """The reference pings before and after a trial; `changed` if the state changed during the trial."""

    before_ns: float | None
    after_ns: float | None
    changed: bool


class OneTrial(Struct, frozen=True):
    """A trial, and the row that would be of it alone: its figures are that row's."""

    seen: Observed
    row: Row


ROW_STATE_FIELDS: Sequence[Field[Row]] = (
    Field(
        key="state.core_to_core_ns",
        type=Estimate,
        unit="ns",
        sparse=True,
        means="How far its CPUs were apart in the state in which they were measured, and the range of its pings.",
        of=lambda row: Estimate(row.state.core_to_core_ns, *row.state.range, "range") if row.state else None,
    ),
    attribute("state.share", key="state.share", unit="share", sparse=True),
)
"""Fields of the state in which a row's trials were measured."""


def facts_of(answer: Answer) -> Mapping[str, Any]:
    found = _by_level(answer.findings)
    return {"machine": answer.run.machine, **found, "coverage": coverage_entry(answer)}


def sheets_of(answer: Answer, *, trials: bool = False) -> list[Sheet[Any]]:
    """The rows of each experiment, or its trials one by one, then the states of the machine."""
    if trials:
        known = ((one, answer.declared.get(one.observation.case.experiment)) for one in answer.trials)
        lines = [OneTrial(one, row_of_trial(one, declared)) for one, declared in known if declared]
        of_trials = gathered((one.row.case.experiment, one) for one in lines).values()
        found: list[Sheet[Any]] = [Sheet("trials", trial_fields(of[0].row.declared), of) for of in of_trials]
    else:
        found = [Sheet("rows", row_fields(of[0].declared), of) for of in by_experiment(answer.rows).values()]
    return [*(found or [Sheet("trials" if trials else "rows", (), ())]), state_sheet(answer.states.found)]


def row_fields(declared: Declaration) -> tuple[Field[Row], ...]:
    """Return the fields of a row: a case in one state."""
    return (
        *case_fields(lambda row: row.case, lambda row: row.declared),
        Field(key="trials", type=int, of=lambda row: len(row.trials)),
        attribute("failed", type=int, key="failed_trials"),
        attribute("state_changed", type=int, key="state_changed_trials"),
        *ROW_STATE_FIELDS,
        Field(
            key="comparable",
            type=bool,
            means="False if a finding forbids to compare it.",
            of=lambda row: is_usable(row, "export"),
        ),
        Field(
            key="last_third",
            type=Estimate,
            means="The headline of the last thirds of its trials, where it differs significantly (not-steady).",
            of=lambda row: row.figures.get(LATE_HEADLINE),
        ),
        # how the headline differs among runs like this one; null where the store has fewer than three
        attribute("between_runs.runs", key="between_runs.runs", type=int, sparse=True),
        attribute("between_runs.ends", key="between_runs.headline_range", type=Ends, sparse=True),
        attribute("between_runs.ci95", key="between_runs.ci95", type=Ends, sparse=True),
        Field(key="warnings", type=list[FindingEntry], of=lambda row: _by_level(row.findings)["warnings"]),
        Field(key="notes", type=list[FindingEntry], of=lambda row: _by_level(row.findings)["notes"]),
        *_figures(declared, lambda row: row),
    )


def trial_fields(declared: Declaration) -> tuple[Field[OneTrial], ...]:
    """Return the fields of a trial; its `state` is null if its threads share no pair of CPUs."""
    return (
        *case_fields(lambda one: one.row.case, lambda one: one.row.declared),
        attribute("seen.observation.round", type=int),
        attribute("seen.observation.started"),
        attribute("seen.observation.wall_ns", type=int),
        attribute("seen.observation.failure", type=Failure | None),
        Field(
            key="state",
            type=TrialState | None,
            of=lambda one: (
                TrialState(one.seen.standing.before, one.seen.standing.after, one.seen.standing.changed)
                if one.row.case.placement.pairs
                else None
            ),
        ),
        *_figures(declared, lambda one: one.row),
    )


def _figures(declared: Declaration, row: Callable[[Line], Row]) -> Iterator[Field[Line]]:
    def of(name: str) -> Callable[[Line], Estimate | None]:
        return lambda line: row(line).figures.get(name)

    for each in declared.figures:
        yield Field(
            key=each.name, type=Estimate, unit=each.unit, means=each.means, sparse="." in each.name, of=of(each.name)
        )
    for one in declared.distributions:
        for part in OF_DISTRIBUTIONS:
            key, unit = f"{one.name}.{part}", one.figure(part).unit
            yield Field(key=key, type=Estimate, unit=unit, sparse=True, of=of(key))


def _by_level(found: Iterable[Finding]) -> dict[str, list[FindingEntry]]:
    entries = [FindingEntry(one.code, one.level, one.text("message"), one.facts) for one in found]
    return {
        "warnings": [one for one in entries if one.level != "note"],
        "notes": [one for one in entries if one.level == "note"],
    }


TWO_STATES = ("low-latency", "high-latency")


class Point(Record, frozen=True):
    """A row that has a headline."""

    case: str  # experiment, mechanism with parameters, runtime, placement: all that is not usual
    cpus: str  # of the case, where another differs in nothing else; else empty
    state: str  # one of several: low-latency, high-latency, or `state 2 of 3`; else empty
    row: Row  # the row
    value: Estimate  # its headline

    @property
    def name(self) -> str:
        """The case, its CPUs where they distinguish it, and its state."""
        return " ".join(filter(None, (self.case, self.cpus and f"on {self.cpus}", self.state)))


def points_of(answer: Answer) -> Iterator[Point]:
    """The rows that have a headline, each as a point."""
    first, names = FIRST_VERSION.partition(".")[0], {}
    for case in {row.case: None for row in answer.rows}:
        major = answer.run.version_of(case).partition(".")[0]  # from the second on its figures mean something else
        names[case] = plain(f"{case.experiment} {case.title}{'' if major == first else f' v{major}'}")
    times = Counter(names.values())
    for case, rows in gathered((row.case, row) for row in answer.rows).items():
        of_case = ",".join("any" if cpu is None else str(cpu) for cpu in case.placement.cpus)
        cpus = of_case if times[names[case]] > 1 else ""
        for place, row in enumerate(rows):
            if row.headline:
                of = len(rows)
                state = "" if of == 1 else TWO_STATES[place] if of == 2 else f"state {place + 1} of {of}"
                yield Point(names[case], cpus, state, row, row.headline)


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


def bencher(answer: Answer) -> str:
    """Write Bencher Metric Format: the headline of each row, and each p99 that its samples carry."""
    written = {}
    for one in comparable_points(answer):
        row, leading = one.row, one.row.leading
        known = {BENCHER_MEASURES.get(leading.unit, leading.name): one.value}
        for of in row.declared.timed:
            if tail := row.figures.get(f"{of.name}.p99"):
                known[f"{of.name.removesuffix('_ns')}-p99".replace("_", "-")] = tail
        written[one.name] = {
            name: {"value": found.value}
            | (dict(zip(("lower_value", "upper_value"), found.ends, strict=True)) if found.kind else {})
            for name, found in known.items()
        }
    return msgspec.json.format(msgspec.json.encode(written), indent=1).decode() + "\n"


def bundle(answer: Answer) -> str:
    """Write all that is kept of a run, on one line: `threadping runs import` stores it elsewhere."""
    return embed_runs([carry_run(answer.stored)]) + "\n"


LONGEST_NS, DIGITS = 3_600_000_000_000, 3  # As the probes' recorders; exact up to two microseconds, and to 0.1% above

LOG = (
    "#[Values are nanoseconds, as they were timed: round trips are not halved]",
    "#[Histogram log format version 1.3]",
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
)
"""The head that HistogramLogWriter.java of HdrHistogram 2.2 writes: the Python port's writer knows no tags."""


def hgrm(answer: Answer) -> str:
    """Write a percentile distribution for each that was timed, one below the other, each under a line with its name."""
    texts = []
    for title, of, row in _timed_rows(answer):
        found = row.timed(of.name)
        head = f"#[{title}: {of.noun}, nanoseconds, {counted(len(found), 'trial')} added up]"
        texts.append(f"{head}\n{percentile_distribution(found)}")
    return "\n".join([_head(answer, bool(texts)), *texts])


def hlog(answer: Answer) -> str:
    """Write an interval for each trial, tagged with its row: times in seconds since 1970, the maximum in ms."""
    lines = []
    for title, of, row in _timed_rows(answer):
        tag = "/".join(title.replace(",", " ").split())
        for one in row.trials:
            if (timed := one.distributions.get(of.name)) and timed.counts:
                if timed.censored:
                    lines.append(f"#[{counted(timed.censored, 'duration')} censored in the next interval]")
                begun = datetime.fromisoformat(one.started or answer.run.started).timestamp()
                made = _histogram([timed])
                interval = f"{made.get_max_value() / 1e6:.3f},{made.encode().decode()}"
                lines.append(f"Tag={tag},{begun:.3f},{one.wall_ns / 1e9:.3f},{interval}")
    return "\n".join([_head(answer, bool(lines)), *LOG, *lines]) + "\n"


def _timed_rows(answer: Answer) -> Iterator[tuple[str, Percentiles, Row]]:
    """Yield what was timed one by one: its title, its declaration and its row."""
    for row in (row for row in answer.rows if row.case.experiment in answer.declared):
        apart = f" core-to-core {time(row.state.core_to_core_ns)}" if row.state and row.of_several else ""
        for of in (of for of in row.declared.timed if row.timed(of.name)):
            yield plain(f"{row.case.experiment} {row.case.title}{apart} {of.name}"), of, row


def _head(answer: Answer, found: bool) -> str:
    if not found:
        raise UsageError(
            "Nothing of this was timed one by one, and hgrm and hlog have nothing else. Choose json or csv."
        )
    run = answer.run
    return plain(f"#[threadping {run.version}, run {run.id} of {run.machine.hostname}, {run.started}]")


def _histogram(distributions: Iterable[Distribution]) -> Any:
    require_extra("hdrhistogram", "HdrHistogram's formats")
    from hdrh.histogram import HdrHistogram

    made = HdrHistogram(1, LONGEST_NS, DIGITS)
    for one in distributions:
        for value, count in zip(one.values, one.counts, strict=True):
            made.record_value(value, count)
    return made


def percentile_distribution(distributions: Sequence[Distribution]) -> str:
    """Write the sum of distributions as `output_percentile_distribution` of HdrHistogram does.

    The port's own visits every bucket, tens of thousands of them: 0.1 s where this takes a millisecond, and whatever
    is imported is written once to see that it can be.
    """
    empty = _histogram([])
    highest: Counter[int] = Counter()
    middles: Counter[int] = Counter()  # mean and deviation are of the buckets' middles
    for one in distributions:
        for value, count in zip(one.values, one.counts, strict=True):
            low, high = empty.get_lowest_equivalent_value(value), empty.get_highest_equivalent_value(value)
            highest[high] += count
            middles[low + (high - low + 1 >> 1)] += count
    total = highest.total()
    mean = sum(value * count for value, count in middles.items()) / (total or 1)
    deviation = sqrt(sum((value - mean) ** 2 * count for value, count in middles.items()) / (total or 1))
    foot = (
        f"#[Mean    = {mean:12.{DIGITS}f}, StdDeviation   = {deviation:12.{DIGITS}f}]",
        f"#[Max     = {max(highest, default=0):12.{DIGITS}f}, TotalCount     = {total:12.{DIGITS}f}]",
        f"#[Buckets = {empty.bucket_count:12d}, SubBuckets     = {empty.sub_bucket_count:12d}]",
    )
    heads = f"{'Value':>12} {'Percentile':>14} {'TotalCount':>10} {'1/(1-Percentile)':>14}\n"
    return "\n".join([heads, *_ticks(sorted(highest.items()), total), *foot]) + "\n"


TICKS_OF_HALF = 5  # lines in each half of the distance to 100%, the default of HdrHistogram


def _ticks(buckets: Sequence[tuple[int, int]], total: int) -> Iterator[str]:
    """Write a line for each percentile on the way to 100, in steps that halve with the distance to it."""
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


FORMATS: Mapping[str, Callable[[Answer], str]] = {"hgrm": hgrm, "hlog": hlog, "run": bundle, "bencher": bencher}
"""Writers of the rows of an answer."""
