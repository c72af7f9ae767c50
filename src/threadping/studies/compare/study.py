"""Is B slower than A? Measured alternately, in blocks, until that is decided."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import metric
from threadping.analysis.runs import beside_each_other
from threadping.conduct.environment import Environment, budget_of, paces, warm_starts
from threadping.conduct.stored import changes_between, compiled_between
from threadping.conduct.study import Output, PreparedRun, Study
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import Runtime
from threadping.model.errors import ProbeUnusable, UsageError
from threadping.model.run import Premises, Run
from threadping.model.studies import Comparing
from threadping.output.charts.style import Chart
from threadping.output.findings import loops_said, of_loops
from threadping.output.heading import coverage_entry
from threadping.output.layout import Block, Flow, Sheet, grid_of
from threadping.output.page.sections import Section
from threadping.output.records import as_json
from threadping.output.run_records import side_by_side_sheet
from threadping.planning.budget import plan_of
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.probes.runtimes import Found
from threadping.studies.compare import output as sheets
from threadping.studies.compare import power
from threadping.studies.compare.blocks import BlockPlan, BlockSchedule, TrialBlock, looks, make_blocks
from threadping.studies.compare.cases import (
    BOTH_NAMED,
    Sides,
    having,
    making_alike,
    pairs_of,
)
from threadping.studies.compare.history import among, history_blocks, history_sheet
from threadping.studies.compare.output import ratio_chart
from threadping.studies.compare.power import aa_tests
from threadping.studies.compare.verdict import (
    REASONS,
    ComparedPair,
    PairBlocks,
    Rules,
    compare,
    compared,
    gate,
    metrics_of,
)

ITSELF = Sides("", "", "")
"""Each case against itself, as often as the budget allows; `cas-one-line` in C++ unless others are selected."""

DEFAULT_MARGIN = 0.03


class CompareQuestion(Struct, frozen=True, kw_only=True):
    """The question of a comparison; None is a stored run's own, or else the default.

    Attributes:
        selection: the cases to measure; None for a stored run.
        sides: the difference between A and B.
        metric: the compared figure; by default the headline.
        margin: a difference that does not matter, as a share; by default DEFAULT_MARGIN.
        fail_above: B is too slow if it is significantly slower by more; by default the margin.
        planted: whether to say for a thing and itself which planted shifts would have been seen.
    """

    selection: Selection | None = None
    sides: Sides = ITSELF
    metric: str | None = None
    margin: float | None = None
    fail_above: float | None = None
    planted: bool = False


class Decided(Struct, frozen=True):
    """The comparisons of a run; of a thing and itself, where `of.what` is empty, its A/A tests."""

    of: Comparing
    found: Sequence[Any]


class CompareStudy(Study[CompareQuestion, Decided]):
    """B against A, in blocks of two trials of each in random order."""

    def ask(self, **options: Any) -> CompareQuestion:
        return CompareQuestion(**options)

    def prepare(self, asked: CompareQuestion, environment: Environment) -> PreparedRun:
        selection, of_sides = asked.selection, asked.sides
        assert selection is not None
        wanted = environment.runtimes_of(selection)
        by_runtime = of_sides.what in ("runtime", BOTH_NAMED)
        if by_runtime:
            _check_runtimes(of_sides, selection, wanted, environment.found)
        here = environment.inventory(wanted, environment.missing(selection), selection.cpus)
        if by_runtime and here.missing:
            raise ProbeUnusable(here.missing[0].reason)
        name = asked.metric or "headline"
        of_each = (here.described[:1], here.described[-1:]) if by_runtime else (here.described, here.described)
        pairs = having(pairs_of(of_sides, selection, here, of_each), name)
        if alike := making_alike(pairs, here, selection):
            return replace(self.prepare(replace(asked, selection=alike), environment), note=MADE_ALIKE)
        here = here.only(case for pair in pairs.found for case in pair)
        budget = budget_of(selection, warm_starts(here.described), here.spent_s)
        metrics = (metric(name, EXPERIMENTS[a.experiment].figures, a, b) for a, b in pairs.found)
        samples = max(one.samples for one in metrics if one)
        named = selection.named_axes
        plan = make_blocks(pairs.found, budget, named=named, samples=samples, settling=of_sides != ITSELF)
        a, b = of_sides.titles
        if by_runtime:
            mechanisms = (
                (selection.mechanisms[0], selection.mechanisms[-1]) if of_sides.what == BOTH_NAMED else ("", "")
            )
            labels = (of[0].runtime.label for of in of_each)
            a, b = (f"{label} {name}".rstrip() for label, name in zip(labels, mechanisms, strict=True))
        of = Comparing(of_sides.what, a, b, plan.pairs, name, asked.margin or DEFAULT_MARGIN)
        return PreparedRun(
            study=of,
            plan=plan.plan,
            budget_s=plan.budget_s,
            starts=budget.starts,
            topology=here.topology,
            runtimes=here.runtimes,
            skipped=pairs.skipped,
            said=sheets.announce(of, plan.budget_s, plan.room),
            wanted=selection.state,
            premises={"fail_above": asked.fail_above},
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        assert isinstance(run.study, Comparing)
        return schedule_blocks(run, premises, run.study)

    def read(self, answer: Answer, asked: Any) -> Decided:
        run, asked = answer.run, asked if isinstance(asked, CompareQuestion) else CompareQuestion()
        assert isinstance(run.study, Comparing)
        of = run.study
        of = replace(of, metric=asked.metric or of.metric, margin=asked.margin or of.margin)
        if not of.what:
            return Decided(of, aa_tests(answer, of, planted=asked.planted or asked.selection is None))
        limit = run.premises.fail_above if run.premises and asked.fail_above is None else asked.fail_above
        found = _measured(answer, of, compared(answer, of, limit))
        if asked.metric and all("metric-absent" in one.test.reasons for one in found):
            raise UsageError(f"Run {run.id} has no {of.metric}: {REASONS['metric-absent']}.")
        return Decided(of, found)

    def blocks(self, answer: Answer, result: Decided) -> Iterable[Block]:
        yield _words_of(result.of).blocks(answer, result.of, result.found)

    def lead(self, answer: Answer) -> Iterable[Block]:
        of = answer.run.study
        assert isinstance(of, Comparing)
        found = self.read(answer, None).found if of.what else aa_tests(answer, of, planted=False)
        yield _words_of(of).verdict(answer, of, found)
        yield Flow(sheets.sides(of))

    def sheets(self, answer: Answer, result: Decided) -> Sequence[Sheet[Any]]:
        return [_words_of(result.of).sheet(answer, result.of, result.found)]

    def facts(self, answer: Answer, result: Decided) -> Mapping[str, Any]:
        of = result.of
        verdict = _words_of(of).verdict(answer, of, result.found).text
        facts = {"verdict": verdict, "what": of.what, "a": of.a, "b": of.b, "margin": of.margin}
        return {**facts, "coverage": coverage_entry(answer), "harness": loops_said(answer)}

    def beside(self, answers: Sequence[Answer], letters: Sequence[str]) -> Iterable[Section]:
        lines = beside_each_other(*answers)
        for name, figures in answers[0].declared.items():
            if mine := [line for line in lines if line.key.case.experiment == name]:
                shown = grid_of(side_by_side_sheet(mine, letters))
                yield Section(name, f"{name}: {figures.title}", blocks=[shown])
        if changes := changes_between(answers):
            yield Section("changed", "Not compared", blocks=changes)
        if remarks := compiled_between(answers):
            yield Section("compiled", "Compiled differently", blocks=remarks)

    def charts(self, answer: Answer, result: Decided) -> Sequence[Chart]:
        return [ratio_chart(answer, result.of, result.found if result.of.what else ())]

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, Comparing) and answer.run.study.what:
            result = self.read(answer, None)
            charts = self.charts(answer, result) if any(one.test.decides for one in result.found) else ()
            table = sheets.as_wide_table(self.sheets(answer, result)[0], result.of.margin)
            yield Section("compare", "B against A", charts, [table, *of_loops(answer)], place=0, digest=True)

    def readers(self, answer: Answer) -> Iterable[Callable[[], Block]]:
        if beside := beside_each_other(answer, answer):
            history = among(answer, [answer])
            yield lambda: as_json(side_by_side_sheet(beside, "AB"))
            yield lambda: as_json(history_sheet(answer, history))
            yield lambda: history_blocks(answer, [answer], history)

    def exit_code(self, result: Decided, output: Output) -> int:
        return gate((one.test for one in result.found), strict=output.strict) if result.of.what else 0


STUDY = CompareStudy()


def schedule_blocks(run: Run, premises: Premises, of: Comparing) -> BlockSchedule:
    """Return the schedule of a comparison: until each case is decided; without end for a thing and itself."""
    plan = plan_of(run, premises, paces())
    wanted = BlockPlan(plan, of.pairs, looks(plan.rounds), bool(of.what), run.budget_s)
    rules = Rules(of.margin, wanted.looks, premises.fail_above)
    metrics = metrics_of(run, of, declared())

    def settles(pair: int, blocks: Sequence[TrialBlock]) -> bool:
        return compare(PairBlocks(blocks, metrics[pair].higher_is_better), rules, len(of.pairs)).is_settled

    return BlockSchedule(wanted, lambda pair, trial: metrics[pair].of_trial(trial), settles)


MADE_ALIKE = (
    "Every JVM ran with --no-coarsening: without it HotSpot merges neighbouring synchronized blocks, and A and B do "
    "different work."
)


def _check_runtimes(of_sides: Sides, selection: Selection, wanted: Sequence[Runtime], found: Found) -> None:
    """Raise UsageError unless each side is one runtime, so that the first that is wanted is A's, and the last B's."""
    for text in selection.runtimes:
        if len(named := found.select((text,))) != 1:
            labels = ", ".join(one.label for one in named)
            raise UsageError(f"'{text}' is {len(named)} runtimes: {labels}. Name one runtime for each of A and B.")
    if of_sides.what == "runtime" and len(wanted) == 1:
        raise UsageError(f"A and B are two runtimes, but both are {wanted[0].label}. Name one runtime for each.")


def _measured(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> Sequence[ComparedPair]:
    """Return the comparisons with any trial, in the order of the question; all if there is no trial yet."""
    tried = {one.case for one in answer.observations}
    asked = [one for _, one in sorted(zip(of.pairs, found, strict=True), key=lambda both: both[0])]
    return [one for one in asked if not tried.isdisjoint((one.a, one.b))] or asked


def _words_of(of: Comparing) -> ModuleType:
    """Return the module with the verdict, sheet and blocks of what it compares."""
    return sheets if of.what else power
