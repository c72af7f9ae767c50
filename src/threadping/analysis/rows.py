"""Observations become rows: one for each case and state."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from threadping.analysis.declaration import Check, Declaration, Declared, Evidence, Percentiles
from threadping.analysis.estimate import interval, summed_up
from threadping.analysis.percentiles import of_each_trial, percentiles
from threadping.analysis.split import Seen, split, with_ping
from threadping.analysis.standing import standings
from threadping.analysis.states import NO_STATES, States
from threadping.model import Case, Interval, Observation, Row, Run, Verdict


def rows_of(run: Run, observations: Sequence[Observation], declared: Declared, states: States = NO_STATES) -> list[Row]:
    """A row for each case of a run in each of its states, judged; in the order of the experiments and the run's cases.

    Args:
        run: what was measured.
        observations: of its trials, in the order in which they ended.
        declared: the figures of each experiment.
        states: those that the run's pings fall into.
    """
    by_case: dict[Case, list[Seen]] = {case: [] for case in run.cases}
    for number, (one, standing) in enumerate(zip(observations, standings(observations, states), strict=True)):
        by_case.setdefault(one.case, []).append(Seen(number, one, standing))
    return [
        row
        for name, declaration in declared.items()
        for case, ended in by_case.items()
        if case.experiment == name
        for row in _rows(case, ended, run, declaration, states)
    ]


def row_of(case: Case, ended: Sequence[Observation], run: Run, declared: Declaration) -> Row:
    """The row of a case from its trials, in whatever state; without one that can be counted it says so."""
    counted = [one for one in ended if one.figures]
    row = Row(case, len(counted), len(ended) - len(counted), {}, {})
    return _judged(row, Evidence(case, row, ended, counted, run, declared))


def _rows(case: Case, ended: Sequence[Seen], run: Run, declared: Declaration, states: States) -> Iterator[Row]:
    """The nearest state first; trials that failed or crossed are in none."""
    told = [one for one in ended if one.observation.figures]
    stayed = [one for one in told if not one.standing.crossed]
    for places, of_it in split(stayed, declared.headline, states) or [((), [])]:
        row = Row(
            case=case,
            trials=len(of_it),
            failed_trials=len(ended) - len(told),
            figures={},
            intervals={},
            states=tuple(states.found[place] for place in places),
            crossed_trials=len(told) - len(stayed),
            counted=tuple(one.number for one in of_it),
        )
        # Over several states there is no ping: their mean would lie between them.
        counted = [with_ping(one, declared.headline) if places else one.observation for one in of_it]
        yield _judged(row, Evidence(case, row, [one.observation for one in ended], counted, run, declared, states))


def _judged(row: Row, seen: Evidence) -> Row:
    """The row with its figures, and what the evidence says of them."""
    values = {figure: told for figure in seen.declared.figures if (told := seen.over_trials(figure.name))}
    row = replace(
        row,
        figures={figure.name: summed_up(told, figure.over) for figure, told in values.items()}
        | _of_distributions(seen.counted, seen.declared),
        intervals={figure.name: interval(told) for figure, told in values.items() if figure.interval}
        | _of_percentiles(seen.counted, seen.declared),
    )
    return replace(row, verdicts=tuple(_verdicts(seen.declared.checks, replace(seen, row=row))))


def ends(row: Row, figure: str) -> tuple[float, float]:
    """The interval of a figure where it has one, its range otherwise."""
    alone = row.figures[figure]
    return row.intervals.get(figure, Interval((alone, alone))).ends


def _of_distributions(counted: Sequence[Observation], declared: Declaration) -> dict[str, float]:
    """The percentiles of each distribution, how many samples they are from, and how many were censored."""
    found: dict[str, float] = {}
    for one in declared.distributions:
        told = [trial.distributions[one.name] for trial in counted if one.name in trial.distributions]
        step = _step(counted, one)
        found |= {f"{one.name}.{name}": value for name, value in percentiles(told, one.parts, step).items()}
        if told:
            found[f"{one.name}.samples"] = sum(sum(trial.counts) for trial in told)
            found[f"{one.name}.censored"] = sum(trial.censored for trial in told)
            if one.across:
                found[f"{one.name}.negative"] = sum(trial.negative for trial in told)
    return found


def _of_percentiles(counted: Sequence[Observation], declared: Declaration) -> dict[str, Interval]:
    """How far the trials' own percentiles reach."""
    found: dict[str, Interval] = {}
    for one in declared.distributions:
        told = [trial.distributions[one.name] for trial in counted if one.name in trial.distributions]
        each = of_each_trial(told, one.parts, _step(counted, one))
        found |= {f"{one.name}.{name}": interval(values) for name, values in each.items()}
    return found


def _step(counted: Sequence[Observation], of: Percentiles) -> float:
    """In which the values of a distribution come: the clock's steps, those of the coarsest trial."""
    steps = (trial.figures.get("counters.clock_step_ns", 1.0) for trial in counted)
    return max(steps, default=1.0) if of.unit == "ns" else 1.0


def _verdicts(checks: Sequence[Check], evidence: Evidence) -> list[Verdict]:
    found: list[Verdict] = []
    for check in checks:
        facts = check.find(evidence) if evidence.counted or check.always or check.whole_machine else None
        if facts is not None:
            told = dict(facts)
            severity = told.pop("severity", check.severity)
            found.append(Verdict(check.code, severity, told))  # type: ignore[arg-type]
    return found
