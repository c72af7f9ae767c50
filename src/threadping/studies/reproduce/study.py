"""Two studies of stated figures: published ones and the claims about them, and the numbers of other tools."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.analyse import observe
from threadping.analysis.answer import Answer
from threadping.conduct.conduct import conduct
from threadping.conduct.environment import Environment, headline, inventory_of, paces, prepare_rounds
from threadping.conduct.presenting import Output, pop_fields, present_sheets
from threadping.conduct.stored import stored_answer
from threadping.conduct.study import PreparedRun, Reading, Study, show
from threadping.experiments import EXPERIMENTS
from threadping.model.errors import UnknownName, UsageError
from threadping.model.run import Observation, OtherTool, Premises, Repeated, Run, Trial
from threadping.output.charts import some
from threadping.output.layout import Block, Chart, Details, Section, Sheet, grid_of
from threadping.planning.defaults import Paces, in_blocks_of
from threadping.planning.plan import plan_of
from threadping.planning.schedule import Rounds, Schedule
from threadping.planning.selection import Selection
from threadping.probes.runtimes import Described, read_topology
from threadping.studies.reproduce import output as views
from threadping.studies.reproduce import stated
from threadping.studies.reproduce.wanted import Source, WantedCase, cases_of, offer_runtime

BUDGET_S, TOOL_BUDGET_S = 180.0, 20.0  # of all published figures, and of a tool's number, by default


class ReproduceRequest(Struct, frozen=True):
    """A question: figures to reproduce."""

    question: Repeated | OtherTool  # stored with the run
    source: Source  # of the figures
    groups: Sequence[Sequence[WantedCase]]  # the cases that repeat them, as `cases_of` takes them
    whys: Sequence[str]  # reasons why some figures cannot be repeated anywhere
    selection: Selection  # the runtimes, and how long


class ReproduceStudy(Study[ReproduceRequest, Reading]):
    """The cases that repeat stated figures, in rounds."""

    def prepare(self, asked: ReproduceRequest, environment: Environment) -> PreparedRun:
        named = asked.selection.runtimes
        offered = {one.build: offer_runtime(one, environment.found, named) for group in asked.groups for one in group}
        described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
        here = inventory_of(read_topology(environment.cpp), [*described.values()])
        cases = cases_of(asked.groups, offered, here, asked.source.layer, asked.whys)
        return prepare_rounds(cases, here.only(cases.every), asked.selection, asked.question)

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return Rounds(plan_of(run, premises, self.paces(run)), headline)

    def paces(self, run: Run) -> Paces:
        """Return the lengths of each experiment's windows."""
        return paces()


class PublishedResult(Struct, frozen=True):
    """Published figures next to ours, and the verdicts on claims."""

    figures: Sequence[stated.RepeatedFigure]
    claims: Sequence[stated.JudgedClaim]


class PublishedStudy(ReproduceStudy[PublishedResult]):
    """The cases that repeat published figures."""

    def ask(self, **options: Any) -> ReproduceRequest:
        named = {name: stated.articles().named(name) for name in options.pop("experiments")}
        if unknown := next((name for name, found in named.items() if found is None), None):
            near = stated.articles().telling_of(unknown) or None
            raise UnknownName("published experiment", unknown, stated.articles().experiments, near)
        experiments = tuple(dict.fromkeys(filter(None, named.values())))
        wanted = stated.articles().only(experiments)
        whys = [one.why for one in wanted.figures if one.why]
        return ReproduceRequest(Repeated(experiments), stated.OF_ARTICLES, wanted.wanted, whys, Selection(**options))

    def read(self, answer: Answer, asked: ReproduceRequest | None) -> PublishedResult:
        question = asked.question if asked else answer.run.study
        wanted = stated.articles().only(question.articles if isinstance(question, Repeated) else ())
        claims = [stated.judge_claim(one, answer) for one in wanted.claims]
        return PublishedResult(stated.repeat_figures(wanted.figures, answer), claims)

    def blocks(self, answer: Answer, result: PublishedResult) -> Iterable[Block]:
        return views.show_published(answer, result.figures, result.claims)

    def lead(self, answer: Answer) -> Iterable[Block]:
        named = isinstance(answer.run.study, Repeated) and answer.run.study.articles
        return views.verdicts_of([one for one in self.read(answer, None).claims if named or one.figures])

    def sheets(self, answer: Answer, result: PublishedResult) -> Sequence[Sheet[Any]]:
        return [views.figures_sheet(result.figures), views.claims_sheet(result.claims)]

    def charts(self, answer: Answer, result: PublishedResult) -> Sequence[Chart]:
        return some(views.charts_of(result.figures), "this run has no figure that repeats a published one")

    def sections(self, answer: Answer) -> Iterable[Section]:
        if repeated := [one for one in stated.repeat_figures(stated.articles().figures, answer) if one.ours]:
            judged = [stated.judge_claim(one, answer) for one in stated.articles().claims]
            claims = [f"{views.said_of(one).plain} ({one.why})" for one in judged if one.figures]
            place = 0 if isinstance(answer.run.study, Repeated) else 3
            concluded = [Details("What was concluded", claims)] if claims else []
            below = (*views.unlike_listings(repeated), *views.not_compared(repeated), *views.articles_of(repeated))
            blocks: list[Block] = [grid_of(views.figures_sheet(repeated)), *below]
            yield Section(
                "reproduce-articles", "Published figures, 1:1", views.charts_of(repeated), blocks, concluded, place
            )


class LikeStudy(ReproduceStudy[Sequence[stated.LikeFigure]]):
    """The cases that repeat the numbers of a tool."""

    def ask(self, **options: Any) -> ReproduceRequest:
        tool = stated.tool_named(options.pop("tool"))
        cases = [one.case for one in tool.numbers]
        return ReproduceRequest(OtherTool(tool.name), tool.repeated, [[], cases], (), Selection(**options))

    def paces(self, run: Run) -> Paces:
        """Return the usual ones; in blocks of as many round trips as the tool's samples have."""
        block, usual = _tool_of(run).block, paces()
        return {**usual, "signal": replace(usual["signal"], policy=in_blocks_of(block))} if block else usual

    def observe(self, trial: Trial) -> Observation:
        seen = observe(trial, EXPERIMENTS[trial.case.experiment].figures)
        if not seen.figures or trial.result is None:
            return seen
        return replace(seen, figures=seen.figures | stated.kept_of(trial.result))

    def read(self, answer: Answer, asked: Any) -> Sequence[stated.LikeFigure]:
        return stated.figures_like(_tool_of(answer.run), answer)

    def blocks(self, answer: Answer, result: Sequence[stated.LikeFigure]) -> Iterable[Block]:
        return views.show_like(_tool_of(answer.run), answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        return views.like_lines(self.read(answer, None))

    def sheets(self, answer: Answer, result: Sequence[stated.LikeFigure]) -> Sequence[Sheet[Any]]:
        return [views.numbers_sheet(result)]

    def facts(self, answer: Answer, result: Sequence[stated.LikeFigure]) -> Mapping[str, Any]:
        tool = _tool_of(answer.run)
        return {"tool": tool.name, "url": tool.url, "source": tool.source}


ARTICLES, TOOLS = PublishedStudy(), LikeStudy()


def reproduce(what: Sequence[str], which: str | None, budget_s: float | None, anyway: bool, **options: Any) -> int:
    """Print figures of articles next to those of the stored run `which`, or measure those or a tool's number now."""
    output, (first, *others) = pop_fields(Output, options), what
    options |= {"anyway": anyway}
    if first == "articles":
        asked = ARTICLES.ask(experiments=others, budget_s=budget_s or BUDGET_S, **options)
        if which is None:
            return conduct(ARTICLES, asked, output, anyway=anyway)
        if budget_s or asked.selection != Selection(budget_s=BUDGET_S, anyway=anyway):
            raise UsageError("--from uses a stored run: leave out --budget, --runtime and --seed, or leave out --from.")
        return show(ARTICLES, stored_answer(output.location, which), asked, output)
    if stated.articles().named(first):
        raise UsageError(f"'{first}' is an article: `threadping reproduce articles {first}`.")
    if others or which or options["runtimes"]:
        raise UsageError("--runtime, --from and further names go only with `threadping reproduce articles`.")
    asked = TOOLS.ask(tool=first, budget_s=budget_s or TOOL_BUDGET_S, **options)
    return conduct(TOOLS, asked, output, anyway=anyway)


def list_tools(**given: Any) -> int:
    """Print the tools whose numbers can be repeated."""
    sheet = views.tools_sheet([*stated.tools().values()])
    return present_sheets(pop_fields(Output, given), lambda: grid_of(sheet), sheet)


def _tool_of(run: Run) -> stated.Tool:
    assert isinstance(run.study, OtherTool)
    return stated.tool_named(run.study.tool)
