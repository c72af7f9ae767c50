"""What is shown of published figures: a sheet of them beside ours, one of what was concluded, and a chart."""

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import fields, replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.figures import Unit
from threadping.analysis.percentiles import Estimate
from threadping.model.bounds import Record
from threadping.model.grouping import gathered
from threadping.model.quantities import counted
from threadping.output.cells import Field, Sheet
from threadping.output.charts import style
from threadping.output.charts.answer import dots, scale_of
from threadping.output.entries import RunEntry
from threadping.output.findings import mark, unusable
from threadping.output.grid import Block, Indented, grid_of
from threadping.output.heading import next_commands, to_resume, where
from threadping.output.names import plain
from threadping.output.records import records_of, type_of
from threadping.studies.published.articles import ClaimVerdict, JudgedClaim, Published, RepeatedFigure
from threadping.studies.repeating import OUR_CASE, OUR_FIGURE, ends, if_repeated, times

CLAIM_MARKS: dict[ClaimVerdict, tuple[str, str]] = {
    "holds here": ("\N{CHECK MARK}", "green"),
    "not here": ("\N{MULTIPLICATION SIGN}", "red"),
    "cannot tell": ("?", "yellow"),
}


class PublishedEntry(Record, frozen=True):
    """What JSON says beside the figures and the claims."""

    run: RunEntry


# ---- the sheets ----


def _unit_of(published: str) -> Unit:
    return "ns" if published == "ns" else "per_s"


RATIO = attrgetter("ratio")
OF_OURS = Sheet("figures", (*OUR_CASE, *OUR_FIGURE), ())
CLAIM_FIGURES: Any = list[type_of("ClaimFigure", OF_OURS.fields)]  # type: ignore[misc]


def figures_sheet(found: Sequence[RepeatedFigure]) -> Sheet[RepeatedFigure]:
    """A line for each published figure and each of our states, beside the case that repeats it, which is named once."""
    by_case = gathered(((one.published.experiment, _case(one)), one) for one in found)
    first = {id(of_case[0]) for of_case in by_case.values()}
    articles, metrics = ({getattr(one.published, name) for one in found} for name in ("experiment", "metric"))

    def place(one: RepeatedFigure) -> str:
        of = one.published
        return plain(_listed(of.metric if len(metrics) > 1 else "", of.machine, of.os, str(of.year)))

    published = [
        Field[RepeatedFigure](key=f"published.{one.name}", type=one.type, of=attrgetter(f"published.{one.name}"))
        for one in fields(Published)
        if one.name not in ("case", "figure", "why")
    ]
    table: tuple[Field[RepeatedFigure], ...] = (
        Field(head="experiment" if len(articles) > 1 else "", of=attrgetter("published.experiment"), names=True),
        Field(head="repeated by", of=lambda one: _case(one) if id(one) in first else "", style="bold", names=True),
        Field(head="published on", of=place, names=True, least=24),
        Field(head="published", of=attrgetter("published.value"), unit=lambda one: _unit_of(one.published.unit)),
        *map(if_repeated, OUR_FIGURE),
        Field(head="ratio", key="ratio", type=Estimate, of=RATIO, write=_ratio_or_mark),
        Field(head="95% interval", of=RATIO, write=lambda one: ends(one.ratio), rank=2, if_known=True),
        Field(key="reason", type=str | None, of=attrgetter("reason")),
    )
    lines = [one for of_case in by_case.values() for one in of_case]
    return Sheet("figures", (*map(if_repeated, OUR_CASE), *published, *table), lines)


def claims_sheet(found: Sequence[JudgedClaim]) -> Sheet[JudgedClaim]:
    """A line for each claim, with our figures for or against it."""
    words = [f"claim.{name}" for name in ("claim", "experiment", "source", "url", "rule")]
    judged: tuple[Field[JudgedClaim], ...] = (
        *(Field(key=name.removeprefix("claim."), of=attrgetter(name)) for name in [*words, "why"]),
        Field(key="verdict", type=ClaimVerdict, of=attrgetter("verdict")),
        Field(key="figures", type=CLAIM_FIGURES, of=lambda one: records_of(replace(OF_OURS, lines=one.figures))),
    )
    return Sheet("claims", judged, found)


def _case(one: RepeatedFigure) -> str:
    """Our case; over how many lines, where the published figure is not over as many."""
    if one.ours is None:
        return ""
    case, wanted = one.ours.row.case, one.published.case
    as_published = wanted and wanted.lines in (None, case.lines)
    return plain(case.title if as_published else f"{case.title}, over {case.lines} lines")


def _ratio_or_mark(one: RepeatedFigure) -> str | Text:
    return mark("warning") if one.ours and one.reason else times(one.ratio)


def _listed(*words: str) -> str:
    return ", ".join(filter(None, words))


# ---- what a person sees ----


def show_published(answer: Answer, found: Sequence[RepeatedFigure], judged: Sequence[JudgedClaim]) -> Iterator[Block]:
    """A table for each article, why figures are not compared, and what became of claims."""
    run = answer.run
    yield from unusable(answer)
    yield where(run)
    for name, of_it in gathered((one.published.experiment, one) for one in found).items():
        yield Text(f"\n{name}", "bold")
        yield Text(of_it[0].published.source, "dim")
        if repeated := [one for one in of_it if one.ours]:
            yield grid_of(figures_sheet(repeated))
        yield from unlike_listings(repeated)
        yield from not_compared(of_it)
    for number, one in enumerate(judged):
        yield Text() if number else Text("\nWhat was concluded", "bold")
        yield said_of(one)
        yield Indented(Text(f"{plain(one.why)}.", "dim"))
    yield Text()
    yield from articles_of(found)
    yield from next_commands(to_resume(run))


def said_of(one: JudgedClaim) -> Text:
    """What became of a claim, in a line."""
    sign, colour = CLAIM_MARKS[one.verdict]
    return Text.assemble((f"{sign} {one.verdict}", colour), f": {one.claim.claim}")


def unlike_listings(found: Sequence[RepeatedFigure]) -> Iterator[Text]:
    """A line for each mechanism that repeats an article by another loop than it lists."""
    unlike = ((one.published.case.mechanism, one.published.unlike) for one in found if one.published.case)
    for mechanism, said in dict.fromkeys(unlike):
        if said:
            yield Text(plain(f"{mechanism} is {said}."), "dim")


def not_compared(found: Sequence[RepeatedFigure]) -> Iterator[Text]:
    """A line for each reason why figures are not compared; those of ours that were disturbed are marked, by warning."""
    without = (one for one in found if one.reason)
    for disturbed, alike in gathered(((one.disturbed or one.reason, one.disturbed), one) for one in without).items():
        those = dict.fromkeys(_listed(one.published.runtime, one.published.placement) for one in alike)
        reasons = list(dict.fromkeys(one.reason for one in alike))
        example = ", for example" if reasons[1:] else ""
        said = f"{counted(len(alike), 'figure')} not compared{example}: {reasons[0]} ({'; '.join(those)})"
        yield Text.assemble(mark("warning"), f" {plain(said)}") if disturbed[1] else Text(plain(said), "dim")


def articles_of(found: Sequence[RepeatedFigure]) -> Iterator[Text]:
    """A line for each article, with its address."""
    for source, url in dict.fromkeys((one.published.source, one.published.url) for one in found):
        yield Text.assemble((f"{source}: ", "dim"), (url, f"link {url}"))


def charts_of(found: Sequence[RepeatedFigure]) -> list[style.Chart]:
    """A chart for each published experiment and unit of which a figure was repeated."""
    repeated = (((one.published.experiment, one.published.unit), one) for one in found if one.ours)
    return [_chart(f"{name}, {unit}", of_it, unit) for (name, unit), of_it in gathered(repeated).items()]


def _words(of: Published) -> tuple[str, ...]:
    """What tells a published figure from others."""
    return (f"{of.year}", of.runtime, of.placement, f"{of.threads} threads", of.metric, of.machine)


def _chart(title: str, found: Sequence[RepeatedFigure], unit: str) -> style.Chart:
    data: list[style.Json] = []
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
    of_all = [f"All are {plain(_listed(*(one for one in _words(next(iter(by_figure))) if one in shared)))}."]
    return style.Chart(
        f"published-{re.sub('[^a-z0-9]+', '-', title)}",
        title,
        [
            *(of_all if shared else []),
            "At the end of a line: how many times the published figure ours is; ! where other programs ran.",
            style.HOW,
        ],
        [dots(data, scale_of(data, _unit_of(unit)), "who:N", who)],
        who,
    )
