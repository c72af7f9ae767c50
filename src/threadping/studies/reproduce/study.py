"""Two studies of stated figures: published ones and the claims about them, and the numbers of other tools."""

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import fields, replace
from rich.text import Text

from threadping.analysis.analyse import observe
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Unit
from threadping.analysis.percentiles import Estimate
from threadping.conduct.conduct import conduct
from threadping.conduct.environment import PACES, Environment, inventory_of, prepare_rounds, schedule_rounds
from threadping.conduct.presenting import Output, pop_fields, present_sheets
from threadping.conduct.stored import stored_answer
from threadping.conduct.study import PreparedRun, Reading, Study, StudyRequest, question_of, show
from threadping.experiments import EXPERIMENTS
from threadping.model.base import gathered
from threadping.model.errors import UnknownName, UsageError
from threadping.model.quantities import ABSENT, TO, counted
from threadping.model.run import Observation, OtherTool, Premises, Repeated, Run, Trial
from threadping.output import charts, findings, heading, layout
from threadping.output.charts import dots, scale_of, some
from threadping.output.layout import Block, Chart, Details, Field, Indented, Json, Section, Sheet, attribute, grid_of
from threadping.output.names import plain
from threadping.output.records import records_of
from threadping.output.run_records import case_fields
from threadping.planning.defaults import blocks_of, in_ops
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.probes.runtimes import Described, read_topology
from threadping.studies.reproduce import stated
from threadping.studies.reproduce.stated import ClaimVerdict, JudgedClaim, LikeFigure, Published, RepeatedFigure
from threadping.studies.reproduce.wanted import OurFigure, Source, WantedCase, cases_of, offer_runtime

VALUE, ABOUT = attrgetter("value"), "\N{PLUS-MINUS SIGN}"
OUR_CASE: tuple[Field[OurFigure], ...] = case_fields(lambda one: one.row.case, lambda one: one.row.declared)
OUR_FIGURE: tuple[Field[OurFigure], ...] = (
    Field(key="figure", of=attrgetter("figure")),
    Field(head="core to core", key="core_to_core_ns", unit="ns", of=attrgetter("row.core_to_core_ns"), if_known=True),
    Field(head="here", key="value", type=Estimate, of=VALUE, write=lambda one: layout.figure(one.unit, one.value)),
    Field(head=ABOUT, of=VALUE, write=lambda one: layout.sure(one.unit, one.value, len(one.row.trials))),
    Field(key="trials", type=int, of=lambda one: len(one.row.trials)),
    Field(key="lines", type=int, of=attrgetter("row.case.lines")),
)


def if_repeated(field: Field[Any]) -> Field[Any]:
    """Return a field of ours for a line that has `ours`: not known where that is None, as nothing repeats it."""
    of, written = field.of, field.write
    write = (lambda one: written(one.ours) if one.ours else "") if written else None
    kind = field.type if field.type is Estimate or field.unit else (field.type or str) | None
    return replace(field, of=lambda one: of(one.ours) if one.ours else None, write=write, type=kind)


def times(ratio: float | None) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.34x`; a dash where it is not known."""
    return ABSENT if ratio is None else f"{ratio:.2g}x" if ratio < 0.0995 else f"{ratio:,.2f}x"


# ---- published figures and claims ----

CLAIM_MARKS: dict[ClaimVerdict, tuple[str, str]] = {
    "holds here": ("\N{CHECK MARK}", "green"),
    "not here": ("\N{MULTIPLICATION SIGN}", "red"),
    "cannot tell": ("?", "yellow"),
}


RATIO = attrgetter("ratio")
OF_OURS = Sheet("figures", (*OUR_CASE, *OUR_FIGURE), ())
CLAIM_FIGURES = ("ClaimFigure", OF_OURS.fields)  # records in a record


def figures_sheet(found: Sequence[RepeatedFigure]) -> Sheet[RepeatedFigure]:
    """Return a line for each published figure and each of our states; the case that repeats it is named once."""
    by_case = gathered(((one.published.experiment, _repeated_by(one)), one) for one in found)
    first = {id(of_case[0]) for of_case in by_case.values()}
    articles, metrics = ({getattr(one.published, name) for one in found} for name in ("experiment", "metric"))

    def place(one: RepeatedFigure) -> str:
        of = one.published
        return plain(_listed(of.metric if len(metrics) > 1 else "", of.machine, of.os, str(of.year)))

    def ends(one: RepeatedFigure) -> str:
        """Write the 95% interval of a ratio; empty with fewer than six trials."""
        known = one.ratio.ends if one.ratio and one.ratio.kind == "ci95" else ()
        return TO.join(times(end).removesuffix("x") for end in known)

    published = [
        Field[RepeatedFigure](key=f"published.{one.name}", type=one.type, of=attrgetter(f"published.{one.name}"))
        for one in fields(Published)
        if one.name not in ("case", "figure", "why")
    ]
    table: tuple[Field[RepeatedFigure], ...] = (
        Field(head="experiment" if len(articles) > 1 else "", of=attrgetter("published.experiment"), names=True),
        Field(
            head="repeated by", of=lambda one: _repeated_by(one) if id(one) in first else "", style="bold", names=True
        ),
        Field(head="published on", of=place, names=True, least=24),
        Field(head="published", of=attrgetter("published.value"), unit=lambda one: _unit_of(one.published.unit)),
        *map(if_repeated, OUR_FIGURE),
        Field(head="ratio", key="ratio", type=Estimate, of=RATIO, write=_ratio_or_mark),
        Field(head="95% interval", of=RATIO, write=ends, rank=2, if_known=True),
        Field(key="reason", type=str | None, of=attrgetter("reason")),
    )
    lines = [one for of_case in by_case.values() for one in of_case]
    return Sheet("figures", (*map(if_repeated, OUR_CASE), *published, *table), lines)


def _unit_of(published: str) -> Unit:
    return "ns" if published == "ns" else "per_s"


def _repeated_by(one: RepeatedFigure) -> str:
    """Name our case; with its lines, where the published figure is not over as many."""
    if one.ours is None:
        return ""
    case, wanted = one.ours.row.case, one.published.case
    as_published = wanted and wanted.lines in (None, case.lines)
    return plain(case.title if as_published else f"{case.title}, over {case.lines} lines")


def _ratio_or_mark(one: RepeatedFigure) -> str | Text:
    return findings.mark("warning") if one.ours and one.reason else times(one.ratio.value if one.ratio else None)


def _listed(*words: str) -> str:
    return ", ".join(filter(None, words))


def claims_sheet(found: Sequence[JudgedClaim]) -> Sheet[JudgedClaim]:
    """Return a line for each claim, with our figures for or against it."""
    words = [f"claim.{name}" for name in ("claim", "experiment", "source", "url", "rule")]
    judged: tuple[Field[JudgedClaim], ...] = (
        *(Field(key=name.removeprefix("claim."), of=attrgetter(name)) for name in [*words, "why"]),
        Field(key="verdict", type=ClaimVerdict, of=attrgetter("verdict")),
        Field(key="figures", type=CLAIM_FIGURES, of=lambda one: records_of(replace(OF_OURS, lines=one.figures))),
    )
    return Sheet("claims", judged, found)


def said_of(one: JudgedClaim) -> Text:
    sign, colour = CLAIM_MARKS[one.verdict]
    return Text.assemble((f"{sign} {one.verdict}", colour), f": {one.claim.claim}")


def unlike_listings(found: Sequence[RepeatedFigure]) -> Iterator[Text]:
    """Give a line for each mechanism that repeats an article by another loop than it lists."""
    unlike = ((one.published.case.mechanism, one.published.unlike) for one in found if one.published.case)
    for mechanism, said in dict.fromkeys(unlike):
        if said:
            yield Text(plain(f"{mechanism} is {said}."), "dim")


def not_compared(found: Sequence[RepeatedFigure]) -> Iterator[Text]:
    """Give a line for each reason why figures are not compared; disturbed ones are marked, a line for each warning."""
    without = (one for one in found if one.reason)
    for disturbed, alike in gathered(((one.disturbed or one.reason, one.disturbed), one) for one in without).items():
        those = dict.fromkeys(_listed(one.published.runtime, one.published.placement) for one in alike)
        reasons = list(dict.fromkeys(one.reason for one in alike))
        example = ", for example" if reasons[1:] else ""
        said = f"{counted(len(alike), 'figure')} not compared{example}: {reasons[0]} ({'; '.join(those)})"
        yield Text.assemble(findings.mark("warning"), f" {plain(said)}") if disturbed[1] else Text(plain(said), "dim")


def articles_of(found: Sequence[RepeatedFigure]) -> Iterator[Text]:
    """Give a line for each article, with its address."""
    for source, url in dict.fromkeys((one.published.source, one.published.url) for one in found):
        yield Text.assemble((f"{source}: ", "dim"), (url, f"link {url}"))


def charts_of(found: Sequence[RepeatedFigure]) -> list[Chart]:
    """Draw a chart for each published experiment and unit with a repeated figure."""
    repeated = (((one.published.experiment, one.published.unit), one) for one in found if one.ours)
    return [_chart(f"{name}, {unit}", of_it, unit) for (name, unit), of_it in gathered(repeated).items()]


def _words(of: Published) -> tuple[str, ...]:
    return (f"{of.year}", of.runtime, of.placement, f"{of.threads} threads", of.metric, of.machine)


def _chart(title: str, found: Sequence[RepeatedFigure], unit: str) -> Chart:
    data: list[Json] = []
    by_figure = gathered((one.published, one) for one in found)
    shared = set.intersection(*({*_words(one)} for one in by_figure)) if len(by_figure) > 1 else set()
    for place, (theirs, of_it) in enumerate(by_figure.items()):
        words = _words(theirs)
        label = plain(_listed(*(one for one in words if one not in shared)))
        label = label or plain(_listed(*words))
        about = {"place": place, "about": {"figure": plain(_listed(*words[:-1])), "machine": plain(theirs.machine)}}
        line = {**about, "label": label, "written": ", ".join(str(_ratio_or_mark(one)) for one in of_it)}
        data.append({**line, "who": "published", **dict.fromkeys(("value", "low", "high"), theirs.value)})
        for ours in (one.ours.value for one in of_it if one.ours):
            data.append({**about, "who": "here", "value": ours.value, "low": ours.ends[0], "high": ours.ends[1]})
    who = ["published", "here"]
    said = [
        "At the end of a line: how many times the published figure ours is; ! where other programs ran.",
        charts.HOW,
    ]
    if shared:
        said.insert(0, f"All are {plain(_listed(*(one for one in _words(next(iter(by_figure))) if one in shared)))}.")
    name = f"published-{re.sub('[^a-z0-9]+', '-', title)}"
    return Chart(name, title, said, [dots(data, scale_of(data, _unit_of(unit)), "who:N", who)], who)


# ---- the numbers of a tool ----

PROTOCOL_FIELDS = ("times", "divides", "creation", "placement", "over", "unit", "contains", "differs")
MANY = 1_000  # operations in one number from which on hundredths do not matter


def numbers_sheet(found: Sequence[LikeFigure]) -> Sheet[LikeFigure]:
    """Return a line for each number and each of our states."""

    def repeated_by(one: LikeFigure) -> str:
        of = plain(one.ours.row.case.title) if one.ours else plain(one.number.case.title)
        return f"\N{ALMOST EQUAL TO} {of}" if one.number.nearest else of

    def sure(one: LikeFigure) -> Text | str:
        if one.ours is None or one.by_their_rules is None:
            return ""
        return layout.sure(one.number.rule.unit, one.by_their_rules, len(one.ours.row.trials))

    by_rules = attrgetter("by_their_rules")
    fits = (replace(one, rank=2) if one.head == ABOUT else one for one in OUR_FIGURE)
    table: tuple[Field[LikeFigure], ...] = (
        Field(head="number", key="number", of=attrgetter("number.name"), style="bold", names=True),
        attribute("number.rule.name", key="rule", type=str),
        attribute("number.nearest", key="nearest", type=bool),
        *(attribute(f"number.{name}", key=f"protocol.{name}", type=str) for name in PROTOCOL_FIELDS),
        Field(head="repeated by", of=repeated_by, names=True, least=20),
        *map(if_repeated, OUR_CASE),
        Field(head="by its rules", key="by_their_rules", type=Estimate, of=by_rules, write=_by_their_rules),
        Field(head=ABOUT, of=by_rules, write=sure, rank=1),
        *map(if_repeated, fits),
        Field(head="is", key="times", type=float | None, of=attrgetter("times"), write=_times),
        Field(key="reason", type=str | None, of=attrgetter("reason")),
    )
    return Sheet("numbers", table, found)


def _by_their_rules(one: LikeFigure) -> Text:
    return layout.figure(one.number.rule.unit, one.by_their_rules)


def _times(one: LikeFigure) -> str:
    if one.times is None:
        return ""
    return f"{one.times:,.0f}x" if one.times >= MANY else times(one.times)


# ---- the study ----

BUDGET_S, TOOL_BUDGET_S = 180.0, 20.0  # of all published figures, and of a tool's number, by default


class ReproduceStudy(Study[StudyRequest, Reading]):
    """The cases that repeat stated figures, in rounds."""

    is_of_rows = True

    @abstractmethod
    def wanted(self, asked: StudyRequest) -> tuple[Source, Sequence[Sequence[WantedCase]], Sequence[str]]:
        """Return the source of the figures, the cases that repeat them, and why some can be repeated nowhere."""

    def prepare(self, asked: StudyRequest, environment: Environment) -> PreparedRun:
        (source, groups, whys), named = self.wanted(asked), asked.selection.runtimes
        offered = {one.build: offer_runtime(one, environment.found, named) for group in groups for one in group}
        described = {one.runtime.label: one for one in offered.values() if isinstance(one, Described)}
        here = inventory_of(read_topology(environment.cpp), [*described.values()])
        cases = cases_of(groups, offered, here, source.layer, whys)
        return prepare_rounds(cases, here.only(cases.every), asked)


class PublishedResult(Struct, frozen=True):
    """Published figures next to ours, and the verdicts on claims."""

    figures: Sequence[stated.RepeatedFigure]
    claims: Sequence[stated.JudgedClaim]


class ArticlesStudy(ReproduceStudy[PublishedResult]):
    """The cases that repeat published figures."""

    def ask(self, **options: Any) -> StudyRequest:
        named = {name: stated.articles().named(name) for name in options.pop("experiments")}
        if unknown := next((name for name, found in named.items() if found is None), None):
            every: Sequence[Published | stated.Claim] = (*stated.articles().figures, *stated.articles().claims)
            telling = (one.experiment for one in every if unknown.lower().encode() in msgspec.json.encode(one).lower())
            near = list(dict.fromkeys(telling)) or None
            raise UnknownName("published experiment", unknown, stated.articles().experiments, near)
        return StudyRequest(Repeated(tuple(dict.fromkeys(filter(None, named.values())))), Selection(**options))

    def wanted(self, asked: StudyRequest) -> tuple[Source, Sequence[Sequence[WantedCase]], Sequence[str]]:
        wanted = stated.articles().only(asked.stored.articles)
        return stated.OF_ARTICLES, wanted.wanted, [one.why for one in wanted.figures if one.why]

    def read(self, answer: Answer, asked: StudyRequest | None) -> PublishedResult:
        question = asked.stored if asked else answer.run.study
        wanted = stated.articles().only(question.articles if isinstance(question, Repeated) else ())
        claims = [stated.judge_claim(one, answer) for one in wanted.claims]
        return PublishedResult(stated.repeat_figures(wanted.figures, answer), claims)

    def blocks(self, answer: Answer, result: PublishedResult) -> Iterable[Block]:
        run = answer.run
        yield from findings.unusable(answer)
        yield from self._verdicts(answer, result.claims)
        yield from (Text(), heading.where(run))
        for name, of_it in gathered((one.published.experiment, one) for one in result.figures).items():
            yield Text(f"\n{name}", "bold")
            yield Text(of_it[0].published.source, "dim")
            if repeated := [one for one in of_it if one.ours]:
                yield grid_of(figures_sheet(repeated))
            yield from unlike_listings(repeated)
            yield from not_compared(of_it)
        for number, one in enumerate(result.claims):
            yield Text() if number else Text("\nWhat was concluded", "bold")
            yield said_of(one)
            yield Indented(Text(f"{plain(one.why)}.", "dim"))
        yield Text()
        yield from articles_of(result.figures)
        yield from heading.next_commands(heading.to_resume(run))

    def lead(self, answer: Answer) -> Iterable[Block]:
        return self._verdicts(answer, self.read(answer, None).claims)

    def _verdicts(self, answer: Answer, claims: Sequence[stated.JudgedClaim]) -> Iterator[Text]:
        """Count the verdicts on claims of named articles, or on those that this run has figures for, and say each."""
        named = isinstance(answer.run.study, Repeated) and answer.run.study.articles
        if judged := [one for one in claims if named or one.figures]:
            number = Counter(one.verdict for one in judged)
            hold, fail, open_ = (number[verdict] for verdict in get_args(ClaimVerdict))
            counts = f"{hold} hold here, {fail} do not, {open_} cannot be distinguished"
            yield Text(f"Published claims: {counts}.", "bold")
            yield from map(said_of, judged)

    def sheets(self, answer: Answer, result: PublishedResult) -> Sequence[Sheet[Any]]:
        return [figures_sheet(result.figures), claims_sheet(result.claims)]

    def charts(self, answer: Answer, result: PublishedResult) -> Sequence[Chart]:
        return some(charts_of(result.figures), "this run has no figure that repeats a published one")

    def sections(self, answer: Answer) -> Iterable[Section]:
        if repeated := [one for one in stated.repeat_figures(stated.articles().figures, answer) if one.ours]:
            judged = [stated.judge_claim(one, answer) for one in stated.articles().claims]
            claims = [f"{said_of(one).plain} ({one.why})" for one in judged if one.figures]
            place = 0 if isinstance(answer.run.study, Repeated) else 3
            concluded = [Details("What was concluded", claims)] if claims else []
            below = (*unlike_listings(repeated), *not_compared(repeated), *articles_of(repeated))
            blocks: list[Block] = [grid_of(figures_sheet(repeated)), *below]
            yield Section("reproduce-articles", "Published figures, 1:1", charts_of(repeated), blocks, concluded, place)


class ToolStudy(ReproduceStudy[Sequence[stated.LikeFigure]]):
    """The cases that repeat the numbers of a tool."""

    stored = OtherTool

    def wanted(self, asked: StudyRequest) -> tuple[Source, Sequence[Sequence[WantedCase]], Sequence[str]]:
        tool = stated.tool_named(asked.stored.tool)
        return tool.repeated, [[], [one.case for one in tool.numbers]], ()

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Return the usual one; in blocks of as many round trips as the tool's samples have."""
        block = _tool_of(run).block
        own = {"signal": replace(PACES["signal"], policy=in_ops(blocks_of(throughput=block)))} if block else {}
        return schedule_rounds(run, premises, PACES | own)

    def observe(self, trial: Trial) -> Observation:
        seen = observe(trial, EXPERIMENTS[trial.case.experiment].figures)
        if not seen.figures or trial.result is None:
            return seen
        return replace(seen, figures=seen.figures | stated.kept_of(trial.result))

    def read(self, answer: Answer, asked: Any) -> Sequence[stated.LikeFigure]:
        return stated.figures_like(_tool_of(answer.run), answer)

    def blocks(self, answer: Answer, result: Sequence[stated.LikeFigure]) -> Iterable[Block]:
        tool = _tool_of(answer.run)
        yield from findings.unusable(answer)
        yield heading.where(answer.run)
        yield Text(f"\n{tool.name}: {tool.says}", "bold")
        yield grid_of(numbers_sheet(result))
        for number in dict.fromkeys(one.number for one in result):
            yield Text.assemble("\n", (number.name, "bold"), f"  {plain(number.contains)}")
            of_it = f"It times {number.times}, and divides by {number.divides}: {number.over}, in {number.unit}."
            yield Indented(Text(of_it, "dim"))
            yield Indented(Text(f"Creation: {number.creation}. Placement: {number.placement}.", "dim"))
            if number.differs:
                yield Indented(Text(f"{'Nearest' if number.nearest else 'Differs'}: {number.differs}.", "dim"))
            for one in result:
                if one.number == number and one.reason:
                    yield Indented(Text.assemble(findings.mark("warning"), f" {plain(one.reason)}"))
        yield Text()
        yield Text.assemble((f"Read: {tool.source}. ", "dim"), (tool.url, f"link {tool.url}"))
        yield from heading.next_commands(heading.to_resume(answer.run))

    def lead(self, answer: Answer) -> Iterable[Block]:
        for one in self.read(answer, None):  # our number by its rules, and what that is in ours
            if one.by_their_rules is not None and one.ours is not None:
                said = f"{one.number.name}: {_by_their_rules(one).plain} by its rules"
                yield Text(f"{said}, {_times(one)} our {layout.figure(one.ours.unit, one.ours.value).plain}")

    def sheets(self, answer: Answer, result: Sequence[stated.LikeFigure]) -> Sequence[Sheet[Any]]:
        return [numbers_sheet(result)]

    def facts(self, answer: Answer, result: Sequence[stated.LikeFigure]) -> Mapping[str, Any]:
        tool = _tool_of(answer.run)
        return {"tool": tool.name, "url": tool.url, "source": tool.source}


ARTICLES, TOOLS = ArticlesStudy(), ToolStudy()


def reproduce(what: Sequence[str], which: str | None, budget_s: float | None, anyway: bool, **options: Any) -> int:
    """Print figures of articles next to those of the stored run `which`, or measure those or a tool's number now."""
    output, (first, *others) = pop_fields(Output, options), what
    options |= {"anyway": anyway}
    if first == "articles":
        asked = ARTICLES.ask(experiments=others, budget_s=budget_s or BUDGET_S, **options)
        if which is None:
            return conduct(ARTICLES, asked, output)
        if budget_s or asked.selection != Selection(budget_s=BUDGET_S, anyway=anyway):
            raise UsageError("--from uses a stored run: leave out --budget, --runtime and --seed, or leave out --from.")
        return show(ARTICLES, stored_answer(output.location, which), asked, output)
    if stated.articles().named(first):
        raise UsageError(f"'{first}' is an article: `threadping reproduce articles {first}`.")
    if others or which or options["runtimes"]:
        raise UsageError("--runtime, --from and further names go only with `threadping reproduce articles`.")
    stated.tool_named(first)
    return conduct(TOOLS, TOOLS.ask(tool=first, budget_s=budget_s or TOOL_BUDGET_S, **options), output)


def list_tools(**given: Any) -> int:
    table: tuple[Field[Any], ...] = (
        Field(head="tool", key="tool", of=attrgetter("name"), style="bold", names=True),
        Field(head="what it is", key="says", of=attrgetter("says"), names=True),
        Field(head="numbers", key="numbers", of=lambda one: ", ".join(of.name for of in one.numbers), names=True),
        Field(key="url", of=attrgetter("url")),
        Field(key="source", of=attrgetter("source")),
    )
    sheet = Sheet("tools", table, [*stated.tools().values()])
    return present_sheets(pop_fields(Output, given), lambda: grid_of(sheet), lambda: [sheet])


def _tool_of(run: Run) -> stated.Tool:
    return stated.tool_named(question_of(run, OtherTool).tool)
