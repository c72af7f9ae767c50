"""One flat view of a row, and of a trial, from which every format is made: each declared name and its value."""

from collections.abc import Mapping
from typing import Any

from threadping.analysis.declaration import Declaration, Figure, Unit
from threadping.analysis.percentiles import NAMES, QUANTILES
from threadping.analysis.rows import row_of
from threadping.analysis.split import Seen, with_ping
from threadping.analysis.standing import Standing
from threadping.analysis.words import message
from threadping.model import CREWS, Case, Interval, Observation, Placement, Row, Run

Flat = Mapping[str, Any]
"""Every name that a line of its experiment can have, in order, a dot before what stands in a group; None is absent."""

PARTS: dict[str, Unit] = {**dict.fromkeys(NAMES, "ns"), "samples": "count", "censored": "count"}
ACROSS: dict[str, Unit] = {"negative": "count"}
"""What is told of a distribution; and of one besides whose durations begin by one clock and end by another."""

NOTHING = Case("", "", {}, "", Placement("", ()), blocking=False, lines=0)
NO_ROW, NO_TRIAL = Row(NOTHING, 0, 0, {}, {}), Seen(0, Observation(0, 0, NOTHING, None, 0), Standing())
"""Their flat views have every name and no figure."""


def flat_row(row: Row, declared: Declaration) -> Flat:
    """What a case is, its trials, its figures with their intervals, and its verdicts."""
    checks = {check.code: check for check in declared.checks}
    return {
        **_case(row.case),
        "trials": row.trials,
        "failed_trials": row.failed_trials,
        "crossed_trials": row.crossed_trials,
        "state.core_to_core_ns": row.apart_ns,
        "state.share": min((state.share for state in row.states), default=None),
        "measures": declared.measures or row.case.timed,
        **_figures(row, declared, intervals=True),
        "verdicts": [
            {"code": one.code, "severity": one.severity, "message": message(checks[one.code], one), "facts": one.facts}
            for one in row.verdicts
        ],
    }


def flat_trial(run: Run, seen: Seen, declared: Declaration) -> Flat:
    """When it was measured, what its case is, how it failed or what its figures are: those of a row of one trial.

    Of its state it tells the pings before and after it, and whether it crossed.
    """
    one, told = seen.observation, with_ping(seen, declared.headline)
    return {
        "round": one.round,
        **_case(one.case),
        "measures": declared.measures or one.case.timed,
        "failure.code": one.failure and one.failure.code,
        "failure.message": one.failure and one.failure.message,
        "wall_ns": one.wall_ns,
        "state.before_ns": seen.standing.before,
        "state.after_ns": seen.standing.after,
        "state.crossed": seen.standing.crossed if one.case.placement.pairs else None,
        **_figures(row_of(one.case, [told], run, declared), declared, intervals=False),
    }


def _case(case: Case) -> Flat:
    return {
        "experiment": case.experiment,
        "runtime": case.runtime,
        "mechanism": case.mechanism,
        "params": {**case.params, **({f"{CREWS[case.crew]}s": case.crews} if case.crew > 1 else {})},
        "varied": case.varied,
        "placement": case.placement.name,
        "cpus": case.placement.cpus,
        "pin": case.placement.pin,
        "home": case.home and case.home.name,
        "warmup": case.warmup.text,
        "threads": case.threads,
    }


def _figures(row: Row, declared: Declaration, *, intervals: bool) -> Flat:
    told: dict[str, Any] = {}
    for figure in declared.figures:
        told[figure.name] = _number(row, figure.name, figure.unit)
        if figure.interval and intervals:
            told |= _interval(figure, row.intervals.get(figure.name))
    for one in declared.distributions:
        told |= {
            (name := f"{one.name}.{part}"): _number(row, name, one.unit if unit == "ns" else unit)
            for part, unit in (PARTS | ACROSS if one.across else PARTS).items()
        }
        if intervals:
            for part in QUANTILES:
                name = f"{one.name}.{part}"
                told |= _ends(f"{name}_", row.intervals.get(name))
    return told


def _number(row: Row, name: str, unit: Unit) -> float | None:
    value = row.figures.get(name)
    return int(value) if value is not None and unit == "count" and value == int(value) else value


def _interval(figure: Figure, found: Interval | None) -> Flat:
    """The interval of `latency_ns.typical` is `latency_ns.ci95`, that of `lock.in_a_row` is `lock.in_a_row_ci95`."""
    group, _, last = figure.name.rpartition(".")
    return _ends(f"{group}." if last == "typical" else f"{figure.name}_", found)


def _ends(start: str, found: Interval | None) -> Flat:
    return {f"{start}ci95": found and found.ci95, f"{start}range": found and found.range}
