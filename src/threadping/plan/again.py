"""A run's plan, as it is stored with the run, and as it is made again from it when the run is resumed."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from threadping.model.cases import Case
from threadping.model.run import Premises, Run
from threadping.plan.length import Length, Start
from threadping.plan.plan import Plan
from threadping.plan.windows import Paces

_Value = TypeVar("_Value")


def premises_of(plan: Plan, starts: Mapping[str, Start]) -> Premises:
    """What a plan was made of that its run does not say elsewhere."""
    return Premises(
        starts={label: (start.seconds, start.compiles) for label, start in starts.items()},
        start_s=_once(plan.start_s),
        lengths=_once([(one.warmup_s, one.measure_s) for one in plan.lengths]),
        longest=_once(plan.longest),
        outliers=plan.outliers,
        survey=plan.survey,
        survey_s=plan.survey_s,
        spare_s=plan.spare_s,
    )


def plan_of(run: Run, premises: Premises, paces: Paces, cases: Sequence[Case] = ()) -> Plan:
    """The plan of a run, with these cases where the run does not name them: those of a matrix."""
    cases = tuple(cases or run.cases)
    return Plan(
        cases=cases,
        start_s=_each(premises.start_s, cases),
        lengths=tuple(Length(*one) for one in _each(premises.lengths, cases)),
        longest=_each(premises.longest, cases),
        rounds=run.rounds,
        seed=run.seed,
        paces=paces,
        outliers=premises.outliers,
        survey=premises.survey,
        survey_s=premises.survey_s,
        spare_s=premises.spare_s,
        until=run.until,
    )


def starts_of(premises: Premises) -> dict[str, Start]:
    """What a start of each runtime was expected to take."""
    return {label: Start(seconds, compiles) for label, (seconds, compiles) in premises.starts.items()}


def _once(values: Sequence[_Value]) -> tuple[_Value, ...]:
    """A matrix has tens of thousands of cases that are all alike."""
    return tuple(values[:1] if len(set(values)) == 1 else values)


def _each(values: Sequence[_Value], cases: Sequence[Case]) -> tuple[_Value, ...]:
    return tuple(values) * len(cases) if len(values) == 1 else tuple(values)
