"""A run, its trials and its reference pings become an `Answer`. Pure."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from math import isclose
from operator import attrgetter, mul
from statistics import fmean
from typing import TypeGuard

from msgspec.structs import replace

from threadping.analysis import causes
from threadping.analysis.answer import Answer, Observed, compared, counting
from threadping.analysis.checks import Finding, gravest_first, wording
from threadping.analysis.declaration import LATE_HEADLINE, Declaration, Row, RowState
from threadping.analysis.percentiles import Estimate, estimate, estimates
from threadping.analysis.row_warnings import EVENTS, MOVED
from threadping.analysis.states import States, standings, states_of, watching
from threadping.analysis.validity import OF_RUNS, USES, effect_of, narrowed
from threadping.model import reading
from threadping.model.base import gathered
from threadping.model.cases import Case
from threadping.model.contract import Result, Topology
from threadping.model.run import Observation, ReferencePing, Run, State, Trial

FORM = 11
"""The version of the readings. Count it up after a change of what a figure is read from: observations that were stored
are then made anew from their results. A test with exact figures is the reminder."""

CLOSE = 1e-6  # maximum error of a rate, as a share of it


def observe(trial: Trial, declared: Declaration) -> Observation:
    """Read every declared figure of a trial; none where it failed, or where a kind of window has no operation in it."""
    shared = (name for name in Trial.__struct_fields__ if name in Observation.__struct_fields__)
    seen = Observation(**{name: getattr(trial, name) for name in shared}, form=FORM)
    result = trial.result
    if result is None or not reading.counted(result, "throughput").total_ops:
        return seen
    read: dict[str, float | None] = {}
    for figure in declared.figures:
        if figure.name not in read:
            read |= declared.read(figure, result, trial.request)
    headline = declared.figure(declared.headline_of(trial.case))
    if not is_known(read[headline.name]):
        return seen
    caused = {}
    for one in (of for of in declared.timed if of.outliers):
        found, figures = causes.read_outliers(one, trial.case, result, trial.request.outliers)
        caused[one.name] = {
            cause: known for cause, sample in found.items() if (known := tuple(each for each in sample if each[0]))
        }
        read |= figures
    of_part = partial(declared.read, headline, request=trial.request)
    every = [*read.items(), *_of_parts(result, lambda part: of_part(part)[headline.name])]
    return replace(
        seen,
        figures={name: float(value) for name, value in every if is_known(value)},
        distributions={
            one.name: made for one in declared.distributions if (made := one.read(result)).counts or not one.optional
        },
        lacking=result.evidence.lacking if result.evidence else (),
        caused=caused,
    )


def is_known(value: float | None) -> TypeGuard[float]:
    """Return whether there is a number: a figure that could not be computed is absent, never NaN or infinite."""
    return value is not None and math.isfinite(value)


def _of_parts(result: Result, headline: reading.ResultReader) -> Iterator[tuple[str, float | None]]:
    if late := reading.last_third(result):
        yield LATE_HEADLINE, headline(late)
    for event in EVENTS:
        marked = reading.marked(result, event)
        if not any(marked) or all(marked):
            continue
        excess, variance = _rank_sum(reading.paces(result), marked, reading.counted(result, "throughput").ns)
        yield f"disturbed.{event}.windows", sum(marked)
        yield f"disturbed.{event}.excess", excess
        yield f"disturbed.{event}.variance", variance
        yield f"disturbed.{event}.without", headline(reading.without(result, marked))


def _rank_sum(values: Sequence[float], marked: Sequence[bool], lasted: Sequence[int]) -> tuple[float, float]:
    """Return by how much the rank sum of the marked exceeds what chance expects, and its variance.

    Chance marks as many, the longer ones more often: events that come at a constant rate in time fall into a window
    that lasts w with the probability 1 - exp(-rate w). For the variance among all draws of as many see J. Hajek,
    Asymptotic theory of rejective sampling with varying probabilities (Annals of Mathematical Statistics 35, 1964).
    Where all last as long it is the rank sum test of Wilcoxon.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(order)
    for rank, place in enumerate(order, start=1):
        ranks[place] = rank
    chances = _chances(lasted, sum(marked))
    weights = [chance * (1 - chance) for chance in chances]
    middle = fmean(ranks, weights)
    excess = sum(rank * (mark - chance) for rank, mark, chance in zip(ranks, marked, chances, strict=True))
    spread = sum(weight * (rank - middle) ** 2 for rank, weight in zip(ranks, weights, strict=True))
    return excess, spread * len(ranks) / (len(ranks) - 1)


def _chances(lasted: Sequence[int], number: int) -> list[float]:
    """Return how likely each window has an event, by how long it lasted, where this number, not all, have one."""
    mean = fmean(lasted)
    weights = [ns / mean for ns in lasted]
    rate = missing = number / len(weights)
    while missing > CLOSE * rate:  # Newton's way comes from below, since the number is concave in the rate
        none = [math.exp(-rate * weight) for weight in weights]
        missing = (number / len(none) - 1 + fmean(none)) / fmean(map(mul, weights, none))
        rate += missing
    return [1 - math.exp(-rate * weight) for weight in weights]


def analyse(
    run: Run, observations: Sequence[Observation], pings: Sequence[ReferencePing], declared: Mapping[str, Declaration]
) -> Answer:
    """Judge a run by nothing but what was measured in it, so that it says the same for ever; both in their order."""
    survey, watched = watching(pings, run.resumed)
    states = states_of(*watched)
    trials = tuple(map(Observed, observations, standings(observations, states)))
    by_case: dict[Case, list[Observed]] = {case: [] for case in run.cases}
    for one in trials:
        by_case.setdefault(one.observation.case, []).append(one)
    if run.study.compared:  # in which a case that nobody measured waited for time: that is said, and no error
        by_case = {case: ended for case, ended in by_case.items() if ended or not trials}
    at_once = compared(by_case, declared) if any(one.concurrent for one in observations) else None
    ordered = by_case if run.cases else sorted(by_case, key=lambda case: case.placement.used)
    rows = tuple(
        row
        for name, declaration in declared.items()
        for case in ordered
        if case.experiment == name
        for row in _rows(
            Row(case, declaration, (), (), isolated=unbalanced(run.machine.topology, case)),
            counting(by_case[case], at_once) if at_once else by_case[case],
            states,
        )
    )
    answer = Answer(run, trials, rows, declared, states, survey=survey, at_once=at_once)
    found = gravest_first([one for check in OF_RUNS for one in check.find(answer)])
    matters = tuple(one for one in found if any(effect_of(one.code, one.level, use) != "usable" for use in USES))
    rows = tuple(replace(row, of_run=matters) for row in rows) if matters else rows
    return replace(answer, rows=rows, findings=found)


def unbalanced(topology: Topology, case: Case) -> tuple[int, ...]:
    """Return the isolated CPUs among those from which the scheduler may choose for threads of a case."""
    placement = case.placement
    chosen = {*placement.used} if placement.pin == "process" else set()
    if None in placement.cpus or case.busy.threads:
        chosen |= {*topology.allowed}
    return tuple(sorted(chosen & {*topology.isolated})) if len(chosen) > 1 else ()


def analyse_headlines(
    run: Run, observations: Sequence[Observation], pings: Sequence[ReferencePing], declared: Mapping[str, Declaration]
) -> Answer:
    """Return the rows with their headlines alone: a thousand runs take little time and memory."""
    answer = analyse_rates(run, observations, pings, declared)
    figures = ({row.leading.name: row.headline} if row.headline else {} for row in answer.rows)
    rows = (replace(row, trials=(), ended=(), figures=of) for row, of in zip(answer.rows, figures, strict=True))
    return replace(answer, trials=(), rows=tuple(rows))


def analyse_rates(
    run: Run, observations: Sequence[Observation], pings: Sequence[ReferencePing], declared: Mapping[str, Declaration]
) -> Answer:
    """Return the rows with their headlines and trials, without what was timed one by one: in little time."""
    seen = [replace(one, distributions={}, caused={}) for one in observations]
    few = {}
    for name, one in declared.items():  # the checks that decide whether there is a headline, and a history may use it
        checks = narrowed(one.checks, "history", "unusable", hiding=True)
        hides, read = any(check.hides for check in checks), (one.headline, one.mixed, MOVED)
        few[name] = replace(
            one, checks=checks, figures=tuple(each for each in one.figures if hides or each.name in read)
        )
    return analyse(run, seen, pings, few)


def _rows(empty: Row, ended: Sequence[Observed], states: States) -> Iterator[Row]:
    """Yield the rows of the case of an `empty` one, the nearest state first; a trial whose state changed is in none."""
    case, declared = empty.case, empty.declared
    every = tuple(one.observation for one in ended)
    counted = [one for one in ended if one.observation.figures]
    if not declared.by_state(case):
        yield with_figures(replace(empty, trials=tuple(one.observation for one in counted), ended=every))
        return
    by_state = gathered((one.standing.states, one) for one in counted if not one.standing.changed)
    rows = []
    for places, trials in by_state.items():
        found = [states.found[place] for place in places]
        if not all(is_confirmed(one, states) for one in found):
            continue
        state = None
        if found:  # of several pairs of CPUs the mean
            reach = (min(one.range[0] for one in found), max(one.range[1] for one in found))
            state = RowState(fmean(one.core_to_core_ns for one in found), reach, min(one.share for one in found))
        pinged = tuple(one.standing.core_to_core_ns for one in trials)
        rows.append(replace(empty, trials=tuple(one.observation for one in trials), pinged=pinged, state=state))
    state_changed = len(counted) - sum(len(row.trials) for row in rows)
    of_pairs = [of for pair in case.placement.pairs if (of := states.of_pair(pair))]
    several = any(len(of) > 1 for of in of_pairs)
    longest = fmean(max(of, key=BY_SHARE).core_to_core_ns for of in of_pairs) if of_pairs else 0.0
    for row in sorted(rows or [empty], key=lambda row: row.state.core_to_core_ns if row.state else 0.0):
        leads = not several or row.state is None or isclose(row.state.core_to_core_ns, longest)
        whole = with_figures(replace(row, ended=every))
        yield replace(whole, of_several=several, state_changed=state_changed, leads=leads)


BY_SHARE = attrgetter("share")


def is_confirmed(state: State, states: States) -> bool:
    """Return whether a state is more than a moment; the one that held longest always is."""
    return state.lasted or state is max(states.of_pair(state.cpus), key=BY_SHARE)


def with_figures(row: Row) -> Row:
    """The row with the figures of its trials, and what is found of them."""
    declared = row.declared
    known = {name for trial in row.trials for name in trial.figures}
    over = declared.summaries(row.case).items()
    figures = {name: estimate(row.over_trials(name), how) for name, how in over if name in known}
    for one in declared.distributions if any(trial.distributions for trial in row.trials) else ():
        timed, step, windows = one.of_trials(row.trials)
        if timed:
            figures |= {f"{one.name}.{name}": found for name, found in estimates(timed, step, windows).items()}
            counts = {"samples": sum(sum(of.counts) for of in timed), "censored": sum(of.censored for of in timed)}
            counts |= {"negative": sum(of.negative for of in timed)} if one.across else {}
            figures |= {f"{one.name}.{name}": Estimate(number) for name, number in counts.items()}
        figures = figures if one.applies(row.case) else _without(figures, (one.name, one.outliers))
    row = replace(row, figures=figures)
    every: list[Finding] = []
    for check in declared.checks:
        if found := [one for one in check.find(row) if one.code in check.codes]:
            row = replace(row, figures=_without(row.figures, check.hides)) if check.hides else row
            every += found
    if not every:
        return row
    words = {one.code: wording(one.code) for one in every}
    late = row.over_trials(LATE_HEADLINE)
    if late and any((one.code, one.level) == ("not-steady", "error") for one in every):
        row = replace(row, figures={**row.figures, LATE_HEADLINE: estimate(late)})
    explained = [pair for of in words.values() for pair in of.explains.items()]
    left = [
        one
        for one in every
        if not any(one.code == code and facts.items() <= one.facts.items() for code, facts in explained)
    ]
    regime = next((of.regime for of in words.values() if of.regime), "")
    return replace(row, findings=gravest_first(left), regime=regime)


def row_of_trial(one: Observed, declared: Declaration) -> Row:
    """The row of a single trial: what it may not tell is left out, and nothing else is found of it."""
    hiding = tuple(check for check in declared.checks if check.hides)
    alone = (one.observation,)
    return with_figures(Row(one.observation.case, replace(declared, checks=hiding), alone, alone))


def _without(figures: Mapping[str, Estimate], hidden: Collection[str]) -> dict[str, Estimate]:
    return {name: one for name, one in figures.items() if not {name, name.partition(".")[0]} & {*hidden}}
