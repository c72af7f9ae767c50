"""What every record says of its run and of its case."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from threadping.analysis.declaration import Declaration
from threadping.contract import Params, Pin
from threadping.errors import RunDamaged
from threadping.model.bounds import Record
from threadping.model.cases import DIMENSIONS, Case, Runtime, Skipped
from threadping.model.run import Resumed, Run, RunStatus
from threadping.sheets.anonymous import nameless_run
from threadping.sheets.fields import Field, Line, Sheet
from threadping.sheets.records import sheet_of


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
