"""The survey: `run` and each experiment measure what is selected in rounds; `show` shows the rows of any run."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.conduct.output import Output
from threadping.conduct.scene import Scene, paces, starts_of, warm_starts
from threadping.conduct.study import Begun, Study
from threadping.errors import BudgetTooSmall, ThreadpingError, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.model import Observation, Premises, Run, Skipped, Survey
from threadping.plan.again import plan_of
from threadping.plan.rounds import Budget, Plan, fitting, make_plan, random_seed
from threadping.plan.schedule import Rounds, Schedule
from threadping.plan.survey import survey
from threadping.selection.cases import Cases, expand
from threadping.selection.selection import Inventory, Selection
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.views.charts.answer import every
from threadping.views.charts.style import Chart
from threadping.views.export import FORMATS
from threadping.views.terminal.lists import announcement
from threadping.views.terminal.screen import screen
from threadping.views.terminal.tables import Shown, only, tables, trials_table


def _writer(name: str) -> Callable[[Answer, Shown, Output], str]:
    def write(answer: Answer, shown: Shown, _output: Output) -> str:
        if not shown.detail:
            return FORMATS[name](answer, shown.trials)
        if shown.detail.is_part and name == "run":
            raise UsageError("The format run carries a whole run: leave --experiment and --state out.")
        return FORMATS[name](answer, shown.trials, select=partial(only, detail=shown.detail))

    return write


class SurveyStudy(Study[Selection, Shown]):
    """Rows: each case in each state of the machine."""

    formats: ClassVar[Mapping[str, Any]] = {name: _writer(name) for name in FORMATS}

    def ask(self, **options: Any) -> Selection:
        """What is selected."""
        return Selection(**options)

    def begin(self, asked: Selection, scene: Scene) -> Begun:
        """Plan as many of the selected cases as the budget allows."""
        here = scene.inventory(scene.runtimes_of(asked), scene.missing(asked), asked.cpus)
        return rounds_of(expand(asked, here), here, asked, Survey())

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Every case once in each round; then those again that are least certain."""
        return Rounds(plan_of(run, premises, paces()), _headline)

    def read(self, answer: Answer, asked: Any) -> Shown:
        """What of the answer is shown: all of it is there already."""
        return asked if isinstance(asked, Shown) else Shown()

    def blocks(self, answer: Answer, result: Shown) -> Iterable[Block]:
        """The first screen; with a detail every row, or the trials one by one."""
        if result.trials:
            yield trials_table(only(answer, result.detail) if result.detail else answer)
        else:
            yield tables(answer, result.detail) if result.detail else screen(answer)

    def sheets(self, answer: Answer, result: Shown) -> Sequence[Sheet[Any]]:
        """None: rows have the figures that their experiments declare, which their own formats write."""
        return ()

    def charts(self, answer: Answer, result: Shown) -> Sequence[Chart]:
        """Those of the rows that the tables have."""
        return every(only(answer, result.detail) if result.detail else answer)

    def fault(self, answer: Answer, result: Shown) -> ThreadpingError | None:
        """What `--strict` objects to: cases that failed, and warnings."""
        failed = len({row.case for row in answer.rows if row.failed})
        warned = Counter(one.code for row in answer.rows for one in row.findings if one.level != "note")
        codes = [f"{code} ({times})" for code, times in warned.most_common()]
        parts = [f"trials of {failed} of the cases failed"] * bool(failed) + [", ".join(codes)] * bool(codes)
        if not parts:
            return None
        return ThreadpingError(f"--strict: {'; '.join(parts)}. `threadping explain CODE` says what a warning means.")


STUDY = SurveyStudy()


def rounds_of(
    cases: Cases, here: Inventory, selection: Selection, study: Any, premises: Mapping[str, Any] | None = None
) -> Begun:
    """Rounds of as many of these cases as the budget has room for, as a run of the `study`."""
    budget = budget_of(selection, starts_of(here.described))
    if not _carries_all(cases, budget):
        budget = replace(budget, starts=warm_starts(here.described))
    maps = len(selection.experiments) > 1 and not selection.cpus
    pairs, survey_s = survey(here.topology, selection.budget_s) if maps else ((), 0.0)
    plan, left_out = _laid_out(cases, replace(budget, seconds=budget.seconds - survey_s))
    plan = replace(plan, survey=pairs, survey_s=survey_s)
    skipped, more = (*cases.skipped, *left_out), plan.spare_s > plan.mean_trial_s
    return Begun(
        study=study,
        plan=plan,
        budget_s=selection.budget_s,
        starts=budget.starts,
        topology=here.topology,
        runtimes=here.runtimes,
        skipped=skipped,
        said=announcement(plan.cases, plan.rounds, plan.mean_trial_s, plan.seconds, skipped, more=more),
        wanted=selection.state,
        premises=premises or {},
    )


def budget_of(selection: Selection, starts: Mapping[str, Any]) -> Budget:
    """What a plan may take, and what its trials cost."""
    seed = random_seed() if selection.seed is None else selection.seed
    return Budget(selection.budget_s, starts, paces(), seed, selection.trial_s, selection.outliers, selection.until)


def _headline(seen: Observation) -> float | None:
    """The figure of a trial that is to become certain."""
    return seen.figures.get(EXPERIMENTS[seen.case.experiment].figures.headline_of(seen.case))


def _carries_all(cases: Cases, budget: Budget) -> bool:
    try:
        return not _laid_out(cases, budget)[1]
    except BudgetTooSmall:
        return False


def _laid_out(cases: Cases, budget: Budget) -> tuple[Plan, tuple[Skipped, ...]]:
    fit = fitting(cases.layers, budget)
    return make_plan(fit.cases, budget, fit.fewest), fit.left_out
