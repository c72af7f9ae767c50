"""Rows, trials and states as sheets: a row has the fields that its experiment declares; docs/json.md describes them.

What is of several experiments is a sheet for each, all of one name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from threadping.analysis.analyse import row_of_trial
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.checks import Check, Facts, Finding, Level
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.estimate import Estimate
from threadping.analysis.percentiles import PERCENTILE_NAMES
from threadping.analysis.validity import is_usable
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.run import Machine
from threadping.model.trials import Failure
from threadping.rows.coverage import CoverageEntry, coverage_entry
from threadping.sheets.entries import RunEntry, case_fields
from threadping.sheets.fields import Ends, Field, Line, Sheet
from threadping.sheets.states import state_sheet


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
