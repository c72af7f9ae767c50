"""Entries for programs, sheets beside each other, and states in words."""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import msgspec
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.percentiles import Estimate
from threadping.analysis.runs import Beside, CaseInState
from threadping.model.bounds import Record
from threadping.model.cases import DIMENSIONS, Case, Pair, Runtime, Skipped
from threadping.model.characters import plain
from threadping.model.contract import Params, Pin
from threadping.model.errors import RunDamaged
from threadping.model.numbers import letters
from threadping.model.quantities import ABSENT, duration, fold, span
from threadping.model.run import Resumed, Run, RunStatus, State
from threadping.output.anonymous import nameless_run
from threadping.output.cells import Field, Line, Sheet, figure, headline, sure
from threadping.output.grid import Grid, grid_of
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
    """What was measured.

    `measures` says of what its latency is; `home` is null for the usual one; `busy` threads compete for the CPUs.
    """

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


def described(run: Run) -> RunEntry:
    """A run, without its machine."""
    fields = msgspec.structs.asdict(nameless_run(replace(run, cases=())))
    return msgspec.convert({**fields, "cases": run.number_of_cases}, RunEntry)


def run_sheets(runs: Sequence[tuple[Run, int]], damaged: Sequence[RunDamaged] = ()) -> tuple[Sheet[Any], Sheet[Any]]:
    """The runs of a list, each with how many of its trials have ended; and those that cannot be read."""
    listed = [
        ListedRun(**msgspec.structs.asdict(described(run)), hostname=run.machine.hostname, ended_trials=ended)
        for run, ended in runs
    ]
    unread = [DamagedRun(one.run_id, str(one)) for one in damaged]
    return sheet_of("runs", ListedRun, listed), sheet_of("damaged", DamagedRun, unread)


def case_of(case: Case, declared: Declaration) -> CaseEntry:
    """A case as it is written."""
    fields: dict[str, Any] = {"measures": declared.measures or case.timed}
    for one in DIMENSIONS:
        fields |= one.entries(case) if one.entries else {one.name: one.text(case)}
    return CaseEntry(**fields)


def case_fields(case: Callable[[Line], Case], declared: Callable[[Line], Declaration]) -> tuple[Field[Line], ...]:
    """The fields of a `CaseEntry`, of the case of each line and what its experiment declares."""
    asked: list[Any] = [None, None]  # the fields of a line ask for its case one after the other

    def entry(line: Line) -> CaseEntry:
        if asked[0] is not line:
            asked[:] = line, case_of(case(line), declared(line))
        made: CaseEntry = asked[1]
        return made

    def field(name: str, kind: Any) -> Field[Line]:
        return Field(key=name, type=kind, of=lambda line: getattr(entry(line), name))

    return tuple(field(one.name, one.type) for one in msgspec.structs.fields(CaseEntry))


def side_by_side_sheet(lines: Sequence[Beside], heads: Sequence[str]) -> Sheet[Beside]:
    """The rows of several runs that are of one case in one state, and their ratios to the first run.

    Args:
        lines: as `beside_each_other` makes them.
        heads: what each run is called.
    """
    of_runs = (field for place in range(len(heads)) for field in _fields_of_run(place, heads))
    return Sheet("cases", [*fields_of_cases(lines, lambda line: line.key, _declared), *of_runs], lines)


def fields_of_cases(
    lines: Sequence[Line], key: Callable[[Line], CaseInState], declared: Callable[[Line], Declaration]
) -> Iterator[Field[Line]]:
    """What tells lines apart: each is of a case in a state."""
    several = len({key(line).case.experiment for line in lines}) > 1

    def title(line: Line) -> str:
        case = key(line).case
        return plain(f"{case.experiment} {case.title}" if several else case.title)

    def apart(line: Line) -> float | None:
        return key(line).core_to_core_ns

    yield Field(head="case", names=True, of=title)
    yield from case_fields(lambda line: key(line).case, declared)
    means = "How far its CPUs are from each other in its state, over all runs; null where it has none."
    yield Field(head="core to core", key="core_to_core_ns", unit="ns", of=apart, means=means, rank=2, if_known=True)
    yield Field(key="unit", of=lambda line: declared(line).leading.unit, means="Of the headlines.")


def _fields_of_run(place: int, heads: Sequence[str]) -> Iterator[Field[Beside]]:
    """The headline of a run, how sure it is, and its ratio to that of the first run."""
    key, means = letters(place).lower(), f"The headline of run {place + 1}; null where it has no such case."

    def found(line: Beside) -> Estimate | None:
        row = line.rows[place]
        return row.headline if row else None

    def written(line: Beside) -> Text:
        row = line.rows[place]
        return headline(row, row.declared.leading) if row else Text(ABSENT, "dim")

    def reach(line: Beside) -> Text:
        row, one = line.rows[place], found(line)
        return sure(row.leading.unit, one, len(row.trials)) if row and one else Text()

    yield Field(head=heads[place], key=key, type=Estimate, of=found, write=written, means=means)
    yield Field(head="\N{PLUS-MINUS SIGN}", of=found, write=reach, rank=1)
    if place:
        head, means = f"{heads[place]} / {heads[0]}", "The ratio of the headlines; null where they are other figures."
        fold_of, ratio = lambda line: fold(line.ratio(place)), lambda line: line.ratio(place)
        yield Field(head=head, key=f"{key}_to_a", type=float | None, of=ratio, write=fold_of, means=means)


def _declared(line: Beside) -> Declaration:
    row: Row = next(row for row in line.rows if row)
    return row.declared


def _dwell(of: Callable[[Sequence[float]], float]) -> Callable[[State], Text]:
    """How long a state held; nothing is known of one that was seen once."""

    def written(state: State) -> Text:
        seconds = of(state.dwell_s or (0.0,))
        return Text(duration(seconds)) if seconds else Text(ABSENT, "dim")

    return written


STATE_FIELDS: Sequence[Field[State]] = (
    Field(
        of=lambda state: state.cpus,
        head="CPUs",
        key="cpus",
        type=Pair,
        write=lambda state: ",".join(map(str, state.cpus)),
        names=True,
    ),
    Field(
        of=lambda state: Estimate(state.core_to_core_ns, *state.range, "range"),
        head="one way",
        key="core_to_core_ns",
        type=Estimate,
        means="The name of a state: the median of its pings, in ns. The range is from the least to the most of them.",
        write=lambda state: figure("ns", state.core_to_core_ns, "bold"),
    ),
    Field(of=lambda state: state.range, head="range", write=lambda state: span(state.range), rank=2),
    Field(
        of=lambda state: state.share,
        head="of the time",
        key="share",
        unit="share",
        type=float,
        means="Of the time in which the pair was watched.",
    ),
    Field(of=lambda state: state.pings, head="pings", key="pings", unit="count", type=int, rank=1),
    Field(of=lambda state: len(state.dwell_s), head="times held", unit="count", rank=3),
    Field(of=lambda state: state.dwell_s, head="dwell median", write=_dwell(median), rank=3),
    Field(of=lambda state: state.dwell_s, head="longest", write=_dwell(max), rank=3),
    Field(
        of=lambda state: state.dwell_s,
        key="dwell_s",
        type=tuple[float, ...],
        means="How long it held each time, in order; the first and the last time it may have held for longer.",
    ),
)


def state_sheet(states: Sequence[State]) -> Sheet[State]:
    """A line for each state."""
    return Sheet("states", STATE_FIELDS, states)


def state_table(states: Sequence[State], *, with_cpus: bool = False) -> Grid:
    """A line for each state, at least one; `with_cpus` where they are of several pairs."""
    return grid_of(Sheet("states", STATE_FIELDS if with_cpus else STATE_FIELDS[1:], states))
