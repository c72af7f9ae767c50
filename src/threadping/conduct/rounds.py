"""Rounds: as many cases as there is time for, each once in a round; surveys and published figures are measured so."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from threadping.conduct.scene import paces, starts_of, warm_starts
from threadping.conduct.study import Begun
from threadping.experiments import EXPERIMENTS
from threadping.model.cases import Skipped
from threadping.model.errors import BudgetTooSmall
from threadping.model.run import Premises, Run
from threadping.model.trials import Observation
from threadping.output.findings import announcement
from threadping.planning.budget import Budget, plan_of, survey
from threadping.planning.cases import Cases
from threadping.planning.plan import Plan, random_seed
from threadping.planning.rounds import Fitting, fitting, make_plan
from threadping.planning.schedule import Rounds, Schedule
from threadping.planning.selection import Inventory, Selection


def schedule_rounds(run: Run, premises: Premises) -> Schedule:
    """Every case once in each round; then those again that are least certain."""
    return Rounds(plan_of(run, premises, paces()), headline)


def rounds_of(
    cases: Cases, here: Inventory, selection: Selection, study: Any, premises: Mapping[str, Any] | None = None
) -> Begun:
    """Rounds of as many of these cases as the budget has room for, as a run of the `study`."""
    budget = budget_of(selection, starts_of(here.described), here.spent_s)
    if not _carries_all(cases, budget):
        budget = replace(budget, starts=warm_starts(here.described))
    maps = len(selection.experiments) > 1 and not selection.cpus
    pairs, survey_s = survey(here.topology, selection.budget_s) if maps else ((), 0.0)
    plan, fit = _laid_out(cases, replace(budget, seconds=budget.seconds - survey_s))
    plan = replace(plan, survey=pairs, survey_s=survey_s)
    trials, missing = plan.rounds * len(plan.cases), _asked_for(cases, here, selection)
    return Begun(
        study=study,
        plan=plan,
        budget_s=budget.left_s,
        starts=budget.starts,
        topology=here.topology,
        runtimes=here.runtimes,
        skipped=(*cases.skipped, *fit.left_out),
        left_out=fit.missing,
        said=announcement(plan.cases, trials, plan.mean_trial_s, plan.seconds, missing, len(fit.missing)),
        wanted=selection.state,
        premises=premises or {},
    )


def _asked_for(cases: Cases, here: Inventory, selection: Selection) -> list[Skipped]:
    """What was named on the command line and does not come: nobody is to wait an hour for it.

    A mechanism that some runtime has comes; that others lack it matters only to somebody who named them.
    """
    come = set() if selection.runtimes else {case.mechanism for case in cases.every}
    named = {*selection.mechanisms, *selection.placements} - come
    runtimes = here.missing if selection.runtimes else ()
    return [one for one in cases.skipped if one in runtimes or named & {*one.what.split()}]


def budget_of(selection: Selection, starts: Mapping[str, Any], spent_s: float = 0.0) -> Budget:
    """What a plan may take, of which so many seconds are spent, and what its trials cost."""
    seed, trial_s, outliers = selection.seed, selection.trial_s, selection.outliers
    seed = random_seed() if seed is None else seed
    return Budget(selection.budget_s, starts, paces(), seed, trial_s, outliers, selection.until, spent_s)


def headline(seen: Observation) -> float | None:
    """The figure of a trial that is to become certain."""
    return seen.figures.get(EXPERIMENTS[seen.case.experiment].figures.headline_of(seen.case))


def _carries_all(cases: Cases, budget: Budget) -> bool:
    try:
        return not _laid_out(cases, budget)[1].left_out
    except BudgetTooSmall:
        return False


def _laid_out(cases: Cases, budget: Budget) -> tuple[Plan, Fitting]:
    fit = fitting(cases.layers, budget)
    return make_plan(fit.cases, budget, fit.fewest), fit
