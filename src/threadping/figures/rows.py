"""Observations become rows."""

from collections.abc import Sequence

from msgspec.structs import replace

from threadping.figures.declaration import Check, Declaration, Declared, Evidence
from threadping.figures.estimate import interval, summed_up
from threadping.figures.percentiles import percentiles
from threadping.model import Case, Interval, Observation, Row, Run, Verdict


def rows_of(run: Run, observations: Sequence[Observation], declared: Declared) -> list[Row]:
    """A row for each case of a run, judged; in the order of the experiments and, within, of the run's cases."""
    by_case: dict[Case, list[Observation]] = {case: [] for case in run.cases}
    for one in observations:
        by_case.setdefault(one.case, []).append(one)
    return [
        row_of(case, ended, run, declaration)
        for name, declaration in declared.items()
        for case, ended in by_case.items()
        if case.experiment == name
    ]


def row_of(case: Case, ended: Sequence[Observation], run: Run, declared: Declaration) -> Row:
    """The row of a case from its trials; of one without a single trial that can be counted a row that says so."""
    counted = [one for one in ended if one.figures]
    values = {
        figure: told
        for figure in declared.figures
        if (told := [one.figures[figure.name] for one in counted if figure.name in one.figures])
    }
    row = Row(
        case=case,
        trials=len(counted),
        failed_trials=len(ended) - len(counted),
        figures={figure.name: summed_up(told, figure.over) for figure, told in values.items()}
        | _of_distributions(counted, declared),
        intervals={figure.name: interval(told) for figure, told in values.items() if figure.interval},
    )
    evidence = Evidence(case, row, ended, counted, run, declared)
    return replace(row, verdicts=tuple(_verdicts(declared.checks, evidence)))


def ends(row: Row, figure: str) -> tuple[float, float]:
    """The interval of a figure where it has one, its range otherwise."""
    alone = row.figures[figure]
    return row.intervals.get(figure, Interval((alone, alone))).ends


def _of_distributions(counted: Sequence[Observation], declared: Declaration) -> dict[str, float]:
    """The percentiles of each distribution, how many samples they are from, and how many were censored."""
    found: dict[str, float] = {}
    for one in declared.distributions:
        told = [trial.distributions[one.name] for trial in counted if one.name in trial.distributions]
        found |= {f"{one.name}.{name}": value for name, value in percentiles(told, one.parts).items()}
        if told:
            found[f"{one.name}.samples"] = sum(sum(trial.counts) for trial in told)
            found[f"{one.name}.censored"] = sum(trial.censored for trial in told)
    return found


def _verdicts(checks: Sequence[Check], evidence: Evidence) -> list[Verdict]:
    found: list[Verdict] = []
    for check in checks:
        facts = check.find(evidence) if evidence.counted or check.always or check.whole_machine else None
        if facts is not None:
            told = dict(facts)
            severity = told.pop("severity", check.severity)
            found.append(Verdict(check.code, severity, told))  # type: ignore[arg-type]
    return found
