"""JSON: an answer as one object; docs/json.md and docs/answer.schema.json describe it.

Every row has the keys of `RowEntry`, and a key for each figure, or group of figures, that its experiment declares: null
if nothing is known of it. Inside a group, what is not known is absent. A figure's interval stands beside it.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import asdict

from threadping.analysis.analyse import row_of_trial
from threadping.analysis.answer import Answer, Observed
from threadping.analysis.checks import Check, Facts, Finding, Level
from threadping.analysis.declaration import BetweenRuns, Declaration, Row, RowState
from threadping.analysis.estimate import Estimate
from threadping.analysis.percentiles import NAMES
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import message
from threadping.model.bounds import Record
from threadping.model.run import Machine
from threadping.model.trials import Failure
from threadping.sheets.entries import CaseEntry, case_of, described
from threadping.sheets.records import indented, spelt


class FindingEntry(Record, frozen=True):
    """What must be known to believe a figure. `threadping explain CODE` has the rest."""

    code: str
    level: Level
    message: str
    facts: Facts


class RowEntry(CaseEntry, frozen=True):
    """A case in one state. `comparable` is false if a warning or a note forbids to compare it.

    `last_third` is the headline of the last thirds of its trials, where that is surely off the headline by more than a
    tenth (`not-steady`); else null.
    `between_runs` is null where the store has fewer than three runs like this one.
    """

    trials: int
    failed_trials: int
    crossed_trials: int
    state: RowState | None
    comparable: bool
    last_third: Estimate | None
    between_runs: BetweenRuns | None
    warnings: list[FindingEntry]
    notes: list[FindingEntry]


class TrialState(Record, frozen=True):
    """The reference pings before and after a trial; `crossed` if the state changed meanwhile."""

    before_ns: float | None
    after_ns: float | None
    crossed: bool


class TrialEntry(CaseEntry, frozen=True):
    """A trial. `state` is null if its threads share no pair of CPUs, `failure` if it did not fail."""

    round: int
    started: str
    wall_ns: int
    failure: Failure | None
    state: TrialState | None


def write(answer: Answer, trials: bool) -> str:
    """Write `{"run", "machine", "states", "warnings", "notes", "rows"}`; `trials` in place of rows."""
    return indented(
        run=described(answer.run),
        machine=answer.run.machine,
        states=answer.states.found,
        **_findings(answer.findings, checks_of(answer.declared)),
        **{"trials" if trials else "rows": lines(answer, trials)},
    )


def lines(answer: Answer, trials: bool) -> list[dict[str, Any]]:
    """Each row, or each trial, as it is written."""
    if trials:
        return [_trial(one, declared, answer.run.machine) for one, declared in answer.known]
    checks = checks_of(answer.declared)
    return [_row(row, checks, answer.run.machine) for row in answer.rows]


def _row(row: Row, checks: Mapping[str, Check[Any]], machine: Machine) -> dict[str, Any]:
    entry = RowEntry(
        **asdict(case_of(row.case, row.declared)),
        trials=len(row.trials),
        failed_trials=row.failed,
        crossed_trials=row.crossed,
        state=row.state,
        comparable=row.comparable,
        last_third=row.late,
        between_runs=row.between_runs,
        **_findings(row.findings, checks),
    )
    return {**msgspec.to_builtins(entry), **_figures(row, machine)}


def _trial(one: Observed, declared: Declaration, machine: Machine) -> dict[str, Any]:
    """Its figures are those of a row of one trial."""
    seen, stood = one.observation, one.standing
    entry = TrialEntry(
        **asdict(case_of(seen.case, declared)),
        round=seen.round,
        started=seen.started,
        wall_ns=seen.wall_ns,
        failure=seen.failure,
        state=TrialState(stood.before, stood.after, stood.crossed) if seen.case.placement.pairs else None,
    )
    return {**msgspec.to_builtins(entry), **_figures(row_of_trial(one, declared), machine)}


def _findings(found: tuple[Finding, ...], checks: Mapping[str, Check[Any]]) -> dict[str, Any]:
    """Errors are among the warnings."""
    entries = [FindingEntry(one.code, one.level, message(checks[one.code], one), one.facts) for one in found]
    return {
        "warnings": [one for one in entries if one.level != "note"],
        "notes": [one for one in entries if one.level == "note"],
    }


def _figures(row: Row, machine: Machine) -> dict[str, Any]:
    """Every declared figure in its group, in the order of the declaration."""
    tree: dict[str, Any] = {}
    declared = row.declared
    for figure in declared.figures:
        *path, leaf = figure.name.split(".")
        tree.setdefault([*path, leaf][0], None)
        if found := row.figures.get(figure.name):
            _group(tree, path).update(_figure(leaf, found, whole=figure.unit == "count"))
    for one in declared.distributions:
        tree.setdefault(one.name.partition(".")[0], None)
        if f"{one.name}.samples" in row.figures:
            group = _group(tree, [one.name])
            group["percentiles_of"] = one.noun
            for part in (*NAMES, "samples", "censored", "negative"):
                if found := row.figures.get(f"{one.name}.{part}"):
                    group |= _figure(part, found, whole=one.unit == "count" or part not in NAMES)
    for of_names in declared.shares:
        *path, leaf = of_names.name.split(".")
        if shares := of_names.over(row.trials, machine):
            _group(tree, path)[leaf] = shares
    return tree


def _group(tree: dict[str, Any], path: list[str]) -> dict[str, Any]:
    for step in path:
        tree[step] = tree.get(step) or {}
        tree = tree[step]
    return tree


def _figure(leaf: str, found: Estimate, *, whole: bool) -> dict[str, Any]:
    """A figure with its interval; one that is counted is a whole number."""
    written = spelt(leaf, found)
    return {**written, leaf: int(found.value)} if whole and found.value % 1 == 0 else written
