"""What became here of published figures: measured now, or looked for in a stored run."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from threadping.analysis.answer import Answer
from threadping.conduct.conduct import conduct
from threadping.conduct.environment import Environment, inventory_of, prepare_rounds, schedule_rounds
from threadping.conduct.showing import show
from threadping.conduct.stored import stored_answer
from threadping.conduct.study import Output, PreparedRun, Study, pop_fields
from threadping.model.errors import UnknownName, UsageError
from threadping.model.run import Premises, Run
from threadping.model.studies import Repeated
from threadping.output.cells import Sheet
from threadping.output.charts.style import Chart, some
from threadping.output.grid import Block, grid_of
from threadping.output.page.sections import Details, Section
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.probes.description import Described, read_topology
from threadping.studies.published.articles import (
    JudgedClaim,
    RepeatedFigure,
    articles,
    cases_of,
    judge_claims,
    repeat_figures,
    runtimes_of,
)
from threadping.studies.published.sheets import (
    articles_of,
    charts_of,
    claims_sheet,
    figures_sheet,
    not_compared,
    said_of,
    show_published,
    unlike_listings,
)

BUDGET_S = 180.0
"""How long it takes by default."""


class Repeats(Struct, frozen=True):
    """Whose figures are looked for, none named for all, and with what they are repeated."""

    experiments: tuple[str, ...]
    selection: Selection


class Repetition(Struct, frozen=True):
    """What became of published figures, and of what was concluded of them."""

    figures: Sequence[RepeatedFigure]
    claims: Sequence[JudgedClaim]


class PublishedStudy(Study[Repeats, Repetition]):
    """The cases that repeat published figures, in rounds."""

    def ask(self, **options: Any) -> Repeats:
        """Whose figures, and with what; raises UnknownName."""
        named = {name: articles().named(name) for name in options.pop("experiments")}
        if unknown := next((name for name, found in named.items() if found is None), None):
            near = articles().telling_of(unknown) or None
            raise UnknownName("published experiment", unknown, articles().experiments, near)
        return Repeats(tuple(dict.fromkeys(filter(None, named.values()))), Selection(**options))

    def prepare(self, asked: Repeats, environment: Environment) -> PreparedRun:
        """Plan as many of the cases that repeat these experiments' figures as the budget allows."""
        wanted, topology = articles().only(asked.experiments), read_topology(environment.cpp)
        offered = runtimes_of(wanted, environment.found, asked.selection.runtimes)
        described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
        here = inventory_of(topology, [*described.values()])
        cases = cases_of(wanted, offered, here)
        return prepare_rounds(cases, here.only(cases.every), asked.selection, Repeated(asked.experiments))

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Rounds, as of a survey."""
        return schedule_rounds(run, premises)

    def read(self, answer: Answer, asked: Any) -> Repetition:
        """The figures of the articles that were asked for, or that the run repeats, beside ours."""
        of_run = answer.run.study.articles if isinstance(answer.run.study, Repeated) else ()
        wanted = articles().only(asked.experiments if isinstance(asked, Repeats) else of_run)
        return Repetition(repeat_figures(wanted.figures, answer), judge_claims(wanted.claims, answer))

    def blocks(self, answer: Answer, result: Repetition) -> Iterable[Block]:
        """A table for each article, and what became of its claims."""
        return show_published(answer, result.figures, result.claims)

    def lead(self, answer: Answer) -> Iterable[Block]:
        """What became of each claim of the articles that were named, or of each of which a figure was repeated."""
        named = isinstance(answer.run.study, Repeated) and answer.run.study.articles
        return [said_of(one) for one in self.read(answer, None).claims if named or one.figures]

    def sheets(self, answer: Answer, result: Repetition) -> Sequence[Sheet[Any]]:
        """The figures and the claims."""
        return [figures_sheet(result.figures), claims_sheet(result.claims)]

    def charts(self, answer: Answer, result: Repetition) -> Sequence[Chart]:
        """Each figure beside ours; raises ChartRefused where none was repeated."""
        return some(charts_of(result.figures), "this run has no figure that repeats a published one")

    def sections(self, answer: Answer) -> Iterable[Section]:
        """The published figures that any run repeats, and what was concluded of them."""
        if repeated := [one for one in repeat_figures(articles().figures, answer) if one.ours]:
            judged = judge_claims(articles().claims, answer)
            claims = [f"{said_of(one).plain} ({one.why})" for one in judged if one.figures]
            place = 0 if isinstance(answer.run.study, Repeated) else 3
            concluded = [Details("What was concluded", claims)] if claims else []
            below = (*unlike_listings(repeated), *not_compared(repeated), *articles_of(repeated))
            blocks: list[Block] = [grid_of(figures_sheet(repeated)), *below]
            yield Section("published", "Published figures, 1:1", charts_of(repeated), blocks, concluded, place)


STUDY = PublishedStudy()


def published(which: str | None, anyway: bool, **options: Any) -> int:
    """Print published figures beside those of the stored run `which`, or of one that is measured now."""
    output = pop_fields(Output, options)
    asked = STUDY.ask(**options, anyway=anyway)
    if which is None:
        return conduct(STUDY, asked, output, anyway=anyway)
    if asked.selection != Selection(budget_s=BUDGET_S, anyway=anyway):
        raise UsageError("--run measures nothing: leave out --budget, --runtime and --seed, or leave out --run.")
    return show(STUDY, stored_answer(output.location, which), asked, output)
