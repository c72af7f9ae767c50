"""Runs for programs: one module for each format, and their registry."""

from collections.abc import Callable, Mapping, Sequence

from threadping.analysis.declaration import Declared
from threadping.analysis.split import Seen
from threadping.analysis.standing import standings
from threadping.analysis.states import NO_STATES, States
from threadping.errors import UnknownName
from threadping.model import Observation, Row, Run
from threadping.views.export import as_csv, as_hgrm, as_hlog, as_json
from threadping.views.export.flat import NO_ROW, NO_TRIAL, Flat, flat_row, flat_trial
from threadping.views.export.timed import Timed, timed_of_rows, timed_of_trials
from threadping.views.export.told import Told

FORMATS: Mapping[str, Callable[[Told], str]] = {
    "json": as_json.write,
    "csv": as_csv.write,
    "hgrm": as_hgrm.write,
    "hlog": as_hlog.write,
}
"""Every format that a program reads: a new one is a module and a line here."""


def export(
    format_name: str,
    run: Run,
    rows: Sequence[Row],
    observations: Sequence[Observation],
    declared: Declared,
    states: States = NO_STATES,
) -> str:
    """Write a run and its rows in a format; UnknownName where there is no such format."""
    lines = [flat_row(row, declared[row.case.experiment]) for row in rows]
    empty = [flat_row(NO_ROW, one) for one in declared.values()]
    return _write(format_name, run, states, "rows", lines, empty, timed_of_rows(rows, observations, declared))


def trials(
    format_name: str, run: Run, observations: Sequence[Observation], declared: Declared, states: States = NO_STATES
) -> str:
    """Write a run and its trials one by one in a format; UnknownName where there is no such format."""
    lines = [
        flat_trial(run, Seen(number, one, standing), declared[one.case.experiment])
        for number, (one, standing) in enumerate(zip(observations, standings(observations, states), strict=True))
        if one.case.experiment in declared
    ]
    empty = [flat_trial(run, NO_TRIAL, one) for one in declared.values()]
    return _write(format_name, run, states, "trials", lines, empty, timed_of_trials(observations, declared))


def _write(
    format_name: str,
    run: Run,
    states: States,
    what: str,
    lines: Sequence[Flat],
    empty: Sequence[Flat],
    timed: Sequence[Timed],
) -> str:
    if format_name not in FORMATS:
        raise UnknownName("format", format_name, list(FORMATS))
    names = list(dict.fromkeys(name for line in empty for name in line))
    return FORMATS[format_name](Told(run, states.found, what, lines, names, timed))
