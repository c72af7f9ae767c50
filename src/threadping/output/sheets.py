"""The rows of a run as sheets: a line for each row, or a table of two axes.

What is of several experiments is a sheet for each, all of one name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from rich.text import Text

from threadping.analysis.analyse import row_of_trial
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.checks import Check, Facts, Finding, Level
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.percentiles import FEWEST_FOR_A_RANGE, PERCENTILE_NAMES, Estimate
from threadping.analysis.validity import is_usable
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.model import quantities
from threadping.model.bounds import Record
from threadping.model.cases import GROUPS, Case, read_all
from threadping.model.grouping import gathered
from threadping.model.numbers import compact
from threadping.model.run import Failure, Machine
from threadping.output import cells, names
from threadping.output.cells import Ends, Field, Line, Sheet
from threadping.output.entries import RunEntry, case_fields, state_sheet
from threadping.output.grid import Block, GridColumn, grid, named
from threadping.output.heading import CoverageEntry, coverage_entry

MARK_OF_FEW = "*"
OF_FEW = f"{MARK_OF_FEW} of one or two trials"


class PivotLine(Struct, frozen=True):
    """Rows that differ in one dimension only, by where they stand in it; by their heads the words that name them."""

    state: float
    words: Mapping[str, str]
    rows: Mapping[int, Row]

    @property
    def case(self) -> Case:
        """Of one of its rows."""
        return next(iter(self.rows.values())).case

    @property
    def leads(self) -> bool:
        """Whether all of its rows may be ranked."""
        return all(is_usable(row, "rank") for row in self.rows.values())


def pivots(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Set the headline side by side along every dimension that is declared and varied; then other declared figures."""
    for param in declared.dimensions:
        lines = [one for one in pivot_lines(rows, param) if not param or len(one.rows) > 1]
        for figure in ("", *declared.pivoted):
            yield from _pivot(lines, param, figure, declared)


def pivot_lines(rows: Sequence[Row], param: str) -> list[PivotLine]:
    """Gather rows along a parameter, or along the number of threads or pairs where it is empty.

    Threads that become more stand on more CPUs, so that their placement may change its name: it makes lines differ only
    where one number of them was measured at several. A row of one CPU depends on no state: it stands beside those of
    the state that CPUs were in for longest, and beside no others.
    """
    families = gathered((_alike(row.case, param), row) for row in rows if not param or param in row.case.params)
    return [line for family in families.values() for line in _of_family(family, param)]


def _alike(case: Case, param: str) -> tuple[object, ...]:
    place = case.placement if param else set(case.placement.cpus) == {None}
    return names.mechanism(case, param), place, *read_all(case, "mechanism", "threads", "placement")


def _of_family(family: Sequence[Row], param: str) -> Iterator[PivotLine]:
    singles = [row for row in family if not param and row.case.threads == 1]
    others = [row for row in family if row not in singles] or singles[:1]
    several = len({row.core_to_core_ns for row in others if row.state}) > 1
    longest = next((row.core_to_core_ns for row in others if row.state and row.leads), None)
    for state in sorted({row.core_to_core_ns or 0.0 for row in others if row.state}) if several else [longest]:
        mine = [row for row in others if not several or (row.core_to_core_ns or longest) == state]
        points = {_point(row.case, param) for row in mine}
        places = dict.fromkeys(row.case.placement.name for row in mine) if len(points) < len(mine) else [None]
        for place in places:
            of_it = [row for row in mine if place in (None, row.case.placement.name)]
            cpus = {cpu for row in of_it for cpu in row.case.placement.cpus}
            near = [row for row in singles if cpus.issuperset(row.case.placement.cpus)] or singles
            alone = near[:1] if state == longest else []
            by_point = {_point(row.case, param): row for row in [*alone, *of_it]}
            case = of_it[0].case
            where = names.standing(case) if param else names.standing_of_all(row.case for row in of_it)
            distance = quantities.time(state) if several and state else ""
            words = {"mechanism": names.mechanism(case, param), "runtime": names.plain(case.runtime)}
            words |= {"placement": where, "core to core": distance}
            words |= {one.head: one.text(case) for one in names.FURTHER}
            yield PivotLine(state or inf, words, dict(sorted(by_point.items())))


def _point(case: Case, param: str) -> int:
    return int(case.params[param]) if param else case.groups


def merit(row: Row | None, figure: str = "") -> tuple[float, ...]:
    """A row's headline, or another figure, for sorting.

    The less, the better; what may not be ranked is behind, what has none last.
    """
    found = _estimate(row, figure)
    if row is None or found is None:
        return (2, 0)
    better = row.declared.figure(figure).better if figure else row.leading.better
    return (not is_usable(row, "rank"), -found.value if better == "more" else found.value)


def _estimate(row: Row | None, figure: str) -> Estimate | None:
    """The figure of this name, or the headline where it is empty."""
    if row is None:
        return None
    return row.figures.get(figure) if figure else row.headline


def _pivot(lines: Sequence[PivotLine], param: str, figure: str, declared: Declaration) -> Iterator[Block]:
    """Those first that are best at the last point; nothing where there is one point only.

    Of several figures each has a title.
    """
    points = sorted({point for one in lines for point in one.rows})
    if len(points) < 2:
        return
    lines = sorted(
        lines,
        key=lambda one: (one.state, *(merit(one.rows.get(at), figure) for at in points[::-1])),
    )
    if declared.pivoted:
        yield Text(f"{declared.figure(figure or declared.headline).head} by {param or declared.along}", "bold")
    naming = [
        named(head, (one.words[head] for one in lines), "bold" if head == "mechanism" else "")
        for head in lines[0].words
        if head in ("mechanism", "runtime") or len({one.words[head] for one in lines}) > 1
    ]
    group = GROUPS[lines[0].case.group]
    heads = [f"{param} {compact(at)}" if param else quantities.counted(at, group) for at in points]
    cells_of = [_cells(lines, at, figure, declared) for at in points]
    yield grid(*naming, *map(GridColumn, heads, cells_of, _ranks(len(points))))
    if any(_is_of_few(row) for one in lines for row in one.rows.values()):
        yield Text(OF_FEW, "dim")
    yield Text()


def _cells(lines: Sequence[PivotLine], point: int, figure: str, declared: Declaration) -> list[Text]:
    """What each line does at this point; the best that may be ranked stands out, where all are in one regime."""
    found = [(one.rows.get(point), merit(one.rows.get(point), figure)) for one in lines]
    alike = len({row.regime for row, _ in found if row and row.headline}) < 2
    best = min((of for one, (_, of) in zip(lines, found, strict=True) if alike and one.leads), default=None)

    def cell(row: Row | None, style: str) -> Text:
        if not figure:
            return cells.headline(row, declared.leading, style)
        known = _estimate(row, figure)
        return cells.figure(declared.figure(figure).unit, known.value if known else None, style)

    return [
        cell(row, "bold green" if of == best else "") + Text(MARK_OF_FEW if _is_of_few(row) else "", "dim")
        for row, of in found
    ]


def _is_of_few(row: Row | None) -> bool:
    return row is not None and 0 < len(row.trials) < FEWEST_FOR_A_RANGE


def _ranks(number: int) -> list[int]:
    """In which order columns go where not all fit: every other one from the second, both ends never."""
    inner = [*range(1, number - 1)]
    going = [*inner[::2], *inner[1::2]]
    return [len(going) - going.index(place) if place in going else 0 for place in range(number)]


class FindingEntry(Record, frozen=True):
    """What must be known to believe a figure. `threadping explain CODE` has the rest."""

    code: str
    level: Level
    message: str
    facts: Facts


class AnswerEntry(Record, frozen=True):
    """What is known of a run as a whole; errors are among the warnings.

    `answer` is what a study answered whose command made the run: all that this writes, but for `run`, and its name.
    """

    run: RunEntry
    machine: Machine
    warnings: list[FindingEntry]
    notes: list[FindingEntry]
    coverage: CoverageEntry
    answer: dict[str, Any] | UnsetType = UNSET


class TrialState(Record, frozen=True):
    """The reference pings before and after a trial; `crossed` if the state changed meanwhile."""

    before_ns: float | None
    after_ns: float | None
    crossed: bool


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
    Field(key="state.share", unit="share", sparse=True, of=lambda row: row.state.share if row.state else None),
)
"""Of the state in which a row's trials were measured."""

BETWEEN_RUNS_FIELDS: Sequence[Field[Row]] = (
    Field(key="between_runs.runs", type=int, sparse=True, of=lambda row: row.between_runs and row.between_runs.runs),
    Field(
        key="between_runs.headline_range",
        type=Ends,
        sparse=True,
        of=lambda row: row.between_runs and (row.between_runs.low, row.between_runs.high),
    ),
    Field(
        key="between_runs.scatter",
        type=float | None,
        sparse=True,
        of=lambda row: row.between_runs and row.between_runs.scatter,
    ),
)
"""How the headline differs among runs like this one; null where the store has fewer than three of them."""


def facts_of(answer: Answer) -> Mapping[str, Any]:
    """What JSON says of the machine and the run as a whole."""
    found = _by_level(answer.findings, checks_of(answer.declared))
    return {"machine": answer.run.machine, **found, "coverage": coverage_entry(answer)}


def sheets_of(answer: Answer, *, trials: bool = False) -> list[Sheet[Any]]:
    """The rows of each experiment, or its trials one by one, then the states of the machine."""
    checks, machine = checks_of(answer.declared), answer.run.machine
    if trials:
        lines = [OneTrial(one, row_of_trial(one, declared)) for one, declared in answer.known]
        of_trials = gathered((one.row.case.experiment, one) for one in lines).values()
        found: list[Sheet[Any]] = [Sheet("trials", _trial_fields(of[0].row.declared, machine), of) for of in of_trials]
    else:
        of_rows = gathered((row.case.experiment, row) for row in answer.rows).values()
        found = [Sheet("rows", _row_fields(of[0].declared, checks, machine), of) for of in of_rows]
    return [
        *(found or [Sheet("trials" if trials else "rows", (), ())]),
        state_sheet(answer.states.found),
    ]


def _row_fields(declared: Declaration, checks: Mapping[str, Check[Any]], machine: Machine) -> tuple[Field[Row], ...]:
    """What is written of a case in one state."""

    def found(level: str) -> Callable[[Row], list[FindingEntry]]:
        return lambda row: _by_level(row.findings, checks)[level]

    return (
        *case_fields(lambda row: row.case, lambda row: row.declared),
        Field(key="trials", type=int, of=lambda row: len(row.trials)),
        Field(key="failed_trials", type=int, of=lambda row: row.failed),
        Field(key="crossed_trials", type=int, of=lambda row: row.crossed),
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
            means="The headline of the last thirds of its trials, where that is surely another one (not-steady).",
            of=lambda row: row.late,
        ),
        *BETWEEN_RUNS_FIELDS,
        Field(key="warnings", type=list[FindingEntry], of=found("warnings")),
        Field(key="notes", type=list[FindingEntry], of=found("notes")),
        *_figures(declared, machine, lambda row: row),
    )


def _trial_fields(declared: Declaration, machine: Machine) -> tuple[Field[OneTrial], ...]:
    """What is written of a trial; its `state` is null if its threads share no pair of CPUs."""
    return (
        *case_fields(lambda one: one.row.case, lambda one: one.row.declared),
        Field(key="round", type=int, of=lambda one: one.seen.observation.round),
        Field(key="started", of=lambda one: one.seen.observation.started),
        Field(key="wall_ns", type=int, of=lambda one: one.seen.observation.wall_ns),
        Field(key="failure", type=Failure | None, of=lambda one: one.seen.observation.failure),
        Field(key="state", type=TrialState | None, of=_state_of),
        *_figures(declared, machine, lambda one: one.row),
    )


def _state_of(one: OneTrial) -> TrialState | None:
    stood = one.seen.standing
    return TrialState(stood.before, stood.after, stood.crossed) if one.row.case.placement.pairs else None


def _figures(declared: Declaration, machine: Machine, row: Callable[[Line], Row]) -> Iterator[Field[Line]]:
    """Every declared figure, percentile and share; inside a group only what is known."""
    for figure in declared.figures:
        yield Field(
            key=figure.name,
            type=Estimate,
            unit=figure.unit,
            means=figure.means,
            sparse="." in figure.name,
            of=lambda line, name=figure.name: row(line).figures.get(name),  # type: ignore[misc]
        )
    for one in declared.distributions:
        timed, noun = f"{one.name}.samples", one.noun
        yield Field(
            key=f"{one.name}.percentiles_of",
            sparse=True,
            of=lambda line, timed=timed, noun=noun: noun if timed in row(line).figures else None,  # type: ignore[misc]
        )
        for part in (*PERCENTILE_NAMES, "samples", "censored", "negative"):
            yield Field(
                key=f"{one.name}.{part}",
                type=Estimate,
                unit=one.unit if part in PERCENTILE_NAMES else "count",
                sparse=True,
                of=lambda line, name=f"{one.name}.{part}": row(line).figures.get(name),  # type: ignore[misc]
            )
    for shares in declared.shares:
        yield Field(
            key=shares.name,
            type=dict[str, float],
            means=shares.means,
            sparse=True,
            of=lambda line, of=shares: of.over(row(line).trials, machine) or None,  # type: ignore[misc]
        )


def _by_level(found: Iterable[Finding], checks: Mapping[str, Check[Any]]) -> dict[str, list[FindingEntry]]:
    """What was found, errors among the warnings."""
    entries = [FindingEntry(one.code, one.level, message(checks[one.code], one), one.facts) for one in found]
    return {
        "warnings": [one for one in entries if one.level != "note"],
        "notes": [one for one in entries if one.level == "note"],
    }


def schema_sheets(declared: Sequence[Declaration], machine: Machine) -> list[Sheet[Any]]:
    """Sheets without lines, of every field that rows and trials of these experiments can have: for the schema."""
    rows = [Sheet("rows", _row_fields(one, {}, machine), ()) for one in declared]
    trials = [Sheet("trials", _trial_fields(one, machine), ()) for one in declared]
    return [*rows, *trials, state_sheet(())]
