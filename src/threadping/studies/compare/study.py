"""Is B slower than A? Measured in turn, in blocks, until that is decided."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.metric import metric
from threadping.comparing.blocks import Block as OfTrials
from threadping.comparing.blocks import looks
from threadping.comparing.compare import Contest, Rules, gate
from threadping.comparing.compare import compare as compare_blocks
from threadping.comparing.compared import Compared, compared, metrics_of, why_not
from threadping.comparing.power import Itself
from threadping.comparing.power import itself as of_itself
from threadping.comparing.words import REASONS
from threadping.conduct.output import Output
from threadping.conduct.rounds import budget_of
from threadping.conduct.scene import Scene, paces, warm_starts
from threadping.conduct.study import Begun, Study
from threadping.errors import ProbeUnusable, UsageError
from threadping.experiments import EXPERIMENTS, declared
from threadping.model.cases import Skipped
from threadping.model.run import Premises, Run
from threadping.model.studies import Comparing
from threadping.plan.again import plan_of
from threadping.plan.blocks import Blocks, Comparable, make_blocks
from threadping.plan.schedule import Schedule
from threadping.selection.selection import Selection
from threadping.selection.sides import Pairs, Sides, pairs_of
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block
from threadping.views.apart import side_by_side
from threadping.views.charts.style import Chart
from threadping.views.comparison import FORMATS, comparing, comparison, itself_json, itself_table, ratio_chart
from threadping.views.page.sections import Section

ITSELF = Sides("", "", "")
"""Each case against itself, as often as the budget allows; `cas-one-line` in C++ unless others are selected."""

MARGIN = 0.03


class Asked(Struct, frozen=True, kw_only=True):
    """How to compare.

    Attributes:
        selection: what is measured; None of a stored run.
        sides: in what A and B differ.
        metric: the figure that is compared; None for the headline, or a stored run's own.
        margin: a difference that does not matter, as a share; None for MARGIN, or a stored run's own.
        fail_above: B is too slow if it is surely slower by more; None for the margin, or a stored run's own.
        planted: of a thing and itself, whether to say which planted shifts would have been seen.
    """

    selection: Selection | None = None
    sides: Sides = ITSELF
    metric: str | None = None
    margin: float | None = None
    fail_above: float | None = None
    planted: bool = False


class Decided(Struct, frozen=True):
    """What a run says of B against A, or of a thing and itself: then `of.what` is empty."""

    of: Comparing
    found: Sequence[Compared] = ()
    itself: Sequence[Itself] = ()


def _writer(write: Callable[[Answer, Comparing, Sequence[Compared]], str]) -> Callable[[Answer, Decided, Output], str]:
    def written(answer: Answer, one: Decided, output: Output) -> str:
        if not one.of.what:
            raise UsageError(f"--format {output.form} is for A against B. Choose table or json.")
        return write(answer, one.of, one.found)

    return written


class CompareStudy(Study[Asked, Decided]):
    """B against A, in blocks of two trials of each in random order."""

    formats: ClassVar[Mapping[str, Any]] = {
        **{name: _writer(write) for name, write in FORMATS.items()},
        "json": lambda answer, one, _: (
            FORMATS["json"](answer, one.of, one.found) if one.of.what else itself_json(answer, one.itself)
        ),
    }

    def ask(self, **options: Any) -> Asked:
        """What is compared, and how."""
        return Asked(**options)

    def begin(self, asked: Asked, scene: Scene) -> Begun:
        """Plan blocks of the pairs that have the figure, as many as the budget allows."""
        selection, of_sides = asked.selection, asked.sides
        assert selection is not None
        wanted = scene.runtimes_of(selection)
        if of_sides.what == "runtime" and len(wanted) != 2:
            labels = ", ".join(one.label for one in wanted)
            these = f"both are {labels}" if len(wanted) == 1 else f"these are {len(wanted)}: {labels}"
            raise UsageError(f"A and B are two runtimes, but {these}. Name one runtime for each.")
        here = scene.inventory(wanted, scene.missing(selection), selection.cpus)
        if of_sides.what == "runtime" and here.missing:
            raise ProbeUnusable(here.missing[0].reason)
        name = asked.metric or "headline"
        pairs = having(pairs_of(of_sides, selection, here), name)
        here = here.only(case for pair in pairs.found for case in pair)
        budget = budget_of(selection, warm_starts(here.described))
        plan = make_blocks(pairs.found, budget, settling=of_sides != ITSELF)
        a, b = (wanted[0].label, wanted[1].label) if of_sides.what == "runtime" else of_sides.titles
        of = Comparing(of_sides.what, a, b, plan.pairs, name, asked.margin or MARGIN)
        skipped = (*pairs.skipped, *plan.left_out)
        return Begun(
            study=of,
            plan=plan.plan,
            budget_s=selection.budget_s,
            starts=budget.starts,
            topology=here.topology,
            runtimes=here.runtimes,
            skipped=skipped,
            said=comparing(of, plan.plan.cases, selection.budget_s, skipped),
            wanted=selection.state,
            premises={"fail_above": asked.fail_above},
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Blocks, until every case is decided."""
        of, plan = _of(run), plan_of(run, premises, paces())
        wanted = Comparable(plan, of.pairs, looks(plan.rounds), bool(of.what), run.budget_s)
        rules = Rules(of.margin, wanted.looks, premises.fail_above)
        metrics = metrics_of(run, of, declared())

        def settles(pair: int, blocks: Sequence[OfTrials]) -> bool:
            contest = Contest(blocks, metrics[pair].higher_is_better)
            return compare_blocks(contest, rules, len(of.pairs)).is_settled

        return Blocks(wanted, lambda pair, trial: metrics[pair].of_trial(trial), settles)

    def read(self, answer: Answer, asked: Any) -> Decided:
        """What the trials say, by the run's own metric, margin and limit unless others are asked for.

        Raises:
            UsageError: there is a case that has no such figure.
        """
        run, asked = answer.run, asked if isinstance(asked, Asked) else Asked()
        of = _of(run)
        of = replace(of, metric=asked.metric or of.metric, margin=asked.margin or of.margin)
        if not of.what:
            return Decided(of, itself=of_itself(answer, of, planted=asked.planted or asked.selection is None))
        limit = run.premises.fail_above if run.premises and asked.fail_above is None else asked.fail_above
        found = compared(answer, of, limit)
        if asked.metric and not any(value for one in found for value in one.values):
            raise UsageError(f"Run {run.id} has no {of.metric}: {REASONS['metric-absent']}.")
        return Decided(of, found)

    def blocks(self, answer: Answer, result: Decided) -> Iterable[Block]:
        """The verdict, and a line for each case; of a thing and itself how often it was said to differ."""
        if result.of.what:
            yield comparison(answer, result.of, result.found)
        else:
            yield itself_table(answer, result.itself)

    def sheets(self, answer: Answer, result: Decided) -> Sequence[Sheet[Any]]:
        """The cases."""
        return ()

    def beside(self, answers: Sequence[Answer], letters: Sequence[str]) -> Iterable[Section]:
        """The same case of several runs in one line, in the same state of a machine."""
        return side_by_side(answers, letters)

    def charts(self, answer: Answer, result: Decided) -> Sequence[Chart]:
        """The ratio of each case."""
        return [ratio_chart(result.of, result.found)]

    def exit_code(self, result: Decided, output: Output) -> int:
        """3 where B is too slow, 4 where that is open and the output is strict."""
        return gate((one.comparison for one in result.found), strict=output.strict) if result.of.what else 0


STUDY = CompareStudy()


def _of(run: Run) -> Comparing:
    assert isinstance(run.study, Comparing)
    return run.study


def having(pairs: Pairs, asked: str) -> Pairs:
    """The pairs that have the figure which is asked for; the others fall away.

    Raises:
        UsageError: none has.
    """
    found, without = [], []
    for a, b in pairs.found:
        how = metric(asked, EXPERIMENTS[a.experiment].figures, a, b)
        if why := why_not(asked, how, (a, b)):
            without.append(Skipped(f"{a.experiment} {a.title}", why.rstrip(".")))
        else:
            found.append((a, b))
    if not found:
        raise UsageError(f"Nothing here can be compared by --metric {asked}. {without[0].reason}.")
    return Pairs(tuple(found), (*pairs.skipped, *without))
