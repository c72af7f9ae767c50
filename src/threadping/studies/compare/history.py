"""A run among those before it on its machine: is this host as it was?"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import inf, log
from statistics import median
from typing import Any, Generic, TypeVar

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.runs import CaseInState, rows_of, values_of
from threadping.analysis.validity import is_usable, validity_of
from threadping.model.base import Record
from threadping.model.quantities import counted, percent, time
from threadping.output.charts import style
from threadping.output.heading import where
from threadping.output.layout import Block, Ends, Field, Lead, Sheet, grid_of, together, written
from threadping.output.run_records import fields_of_cases, run_entry

Known = TypeVar("Known", bound=Hashable)  # of a figure on several nights, such as a case in a state

FEWEST_NIGHTS = 9  # with fewer, one night in ten or more is the oddest by chance


class Rank(Record, frozen=True):
    """A figure of tonight among those of other nights, whose minimum and maximum are `low` and `high`.

    `below` of the `nights` lie below tonight's. `distance` is from the median of all nights, in their usual distances
    from it: the higher the odder.
    """

    tonight: float
    low: float
    high: float
    below: int
    nights: int
    distance: float

    @property
    def ends(self) -> Ends:
        return self.low, self.high


class History(Record, Generic[Known], frozen=True):
    """Tonight among other nights."""

    outside: bool | None  # tonight is odder than every other night; None for fewer than FEWEST_NIGHTS
    odder: int  # the number of other nights that are as odd as tonight, or odder
    nights: int  # the number of other nights
    false_alarms: float  # the share of nights like the others that are `outside`
    figures: Mapping[Known, Rank]  # each that tonight and another night have
    why: str = ""  # why tonight may be no night of a history, as a clause; empty where it may
    left_out: int = 0  # the number of other runs without a figure that may be used


def conformal(tonight: Mapping[Known, float], nights: Sequence[Mapping[Known, float]]) -> History[Known]:
    """Rank tonight among other nights by how odd each is: by the figure that is farthest from its median.

    Every night's oddity is computed in the same way, from medians and distances over all nights, tonight among them. If
    tonight is exchangeable with the others, each of the n + 1 nights is as likely to be the oddest, so that a false
    alarm has probability 1 / (n + 1), however many figures there are, whatever their distribution, and however they
    depend on each other (Vovk, Gammerman and Shafer, Algorithmic learning in a random world, 2005).

    Each figure is above 0; a night need not have all.
    """
    everything = (tonight, *nights)
    names = dict.fromkeys(name for night in everything for name in night)
    distances = {name: _distances([night.get(name) for night in everything]) for name in names}
    odd = [max((of[night] for of in distances.values()), default=0.0) for night in range(len(everything))]
    odder = sum(one >= odd[0] for one in odd[1:])
    figures = {}
    for name, figure in tonight.items():
        others = [night[name] for night in nights if name in night]
        if others:
            below = sum(one < figure for one in others)
            figures[name] = Rank(figure, min(others), max(others), below, len(others), distances[name][0])
    outside = None if len(nights) < FEWEST_NIGHTS else not odder
    return History(outside, odder, len(nights), 1 / len(everything), figures)


def _distances(values: Sequence[float | None]) -> list[float]:
    """Return the distance of each log from their median, in median distances; 0 where a night has no value."""
    logs = [None if value is None else log(value) for value in values]
    known = [one for one in logs if one is not None]
    middle = median(known)
    usual = median(abs(one - middle) for one in known)
    apart = [0.0 if one is None else abs(one - middle) for one in logs]
    # Rounded, so that figures as far above as below are as odd.
    return [round(one / usual, 9) if usual else inf if one else 0.0 for one in apart]


def among(tonight: Answer, others: Sequence[Answer]) -> History[CaseInState]:
    """Rank the headlines of a run among those of others."""
    rows, *of_others = rows_of((tonight, *others))
    now, *before = ({key: row for key, row in of.items() if is_usable(row, "history")} for of in (rows, *of_others))
    nights = [values for of in before if (values := values_of(of))]
    found = conformal(values_of(now), nights)
    barred = dict.fromkeys(why for row in rows.values() if (why := validity_of(row, "history").why))
    if now or not barred:
        return replace(found, left_out=len(before) - len(nights))
    return replace(found, outside=None, why=next(iter(barred)), left_out=len(before) - len(nights))


Ranked = tuple[CaseInState, Rank]  # A case in a state, and where its headline stands among those of other nights


def history_sheet(tonight: Answer, history: History[CaseInState]) -> Sheet[Ranked]:
    """Return a line for each figure, the oddest first."""
    lines = sorted(history.figures.items(), key=lambda one: -one[1].distance)

    def unit(line: Ranked) -> Any:
        return tonight.declared[line[0].case.experiment].leading.unit

    def ends(line: Ranked) -> str:
        return " to ".join(written(unit(line), end) for end in line[1].ends)

    def share(line: Ranked) -> str:
        return f"{line[1].below} of {line[1].nights}"

    head, below = f"run {tonight.run.id}", "How many of them lie below this run's."
    fields: tuple[Field[Ranked], ...] = (
        *fields_of_cases(lines, lambda line: line[0], lambda line: tonight.declared[line[0].case.experiment]),
        Field(head=head, key="value", unit=unit, of=lambda line: line[1].tonight, means="The headline of this run."),
        Field(head="the others", key="others_range", type=Ends, of=lambda line: line[1].ends, write=ends, means=OTHERS),
        Field(head="below", key="below", type=int, of=lambda line: line[1].below, write=share, means=below),
        Field(key="nights", type=int, of=lambda line: line[1].nights, means="How many of them have this figure."),
        Field(key="distance", type=float | None, of=lambda line: line[1].distance, means=DISTANCE),
    )
    return Sheet("figures", fields, lines)


OTHERS = "The least and the most of the runs before it."
DISTANCE = "From the median of all runs, in their usual distances from it: the higher the odder."


def history_facts(tonight: Answer, others: Sequence[Answer], history: History[CaseInState]) -> dict[str, Any]:
    """Return the values about the whole for JSON."""
    said = {name: getattr(history, name) for name in ("outside", "odder", "nights", "false_alarms", "why", "left_out")}
    return {**said, "run": run_entry(tonight.run), "runs": [answer.run.id for answer in others]}


@together
def history_blocks(tonight: Answer, others: Sequence[Answer], history: History[CaseInState]) -> Iterator[Block]:
    """Show where a run stands among others."""
    yield from (*_outside(others, history), Text(), where(tonight.run), Text())
    if history.figures:
        yield grid_of(history_sheet(tonight, history), silent=True)


def _outside(others: Sequence[Answer], history: History[CaseInState]) -> Iterator[Block]:
    left = f"; {history.left_out} more may not be used" if history.left_out else ""
    if history.why:
        yield Lead(f"cannot tell: {history.why}", "yellow")
        return
    number = counted(history.nights, "run")
    ends = dict.fromkeys((others[0].run.id, others[-1].run.id))
    which = f"{number} before it, {' to '.join(map(str, ends))}"
    if history.outside is None:
        here = "is 1" if history.nights == 1 else f"are {history.nights}"
        yield Lead(f"cannot tell: {FEWEST_NIGHTS} runs are needed before it, and there {here}{left}", "yellow")
    elif history.outside:
        yield Lead(f"outside what this machine did: odder than each of the {which}", "bold red")
    else:
        yield Lead(f"within what this machine did: {history.odder} of the {which}, are as odd or odder", "bold green")
    if history.outside is not None:
        yield Text(f"Of runs that are alike, {percent(history.false_alarms)} are outside by chance{left}.", "dim")


MOST_PANELS = 12
WIDTH, HEIGHT = 560, 90


def history_chart(tonight: Answer, others: Sequence[Answer], history: History[CaseInState]) -> style.Json:
    """Lay out a panel for each figure, the oddest first: run after run, and the range of the others.

    ChartRefused if no figure is known of other nights.
    """
    answers = (*others, tonight)
    values = [*map(values_of, rows_of(answers))]
    charts: list[style.Chart] = []
    for key, standing in sorted(history.figures.items(), key=lambda one: -one[1].distance)[:MOST_PANELS]:
        unit = tonight.declared[key.case.experiment].leading.unit
        data: list[style.Json] = [
            {"run": f"{answer.run.id}", "y": of_it[key], "which": "this run" if answer is tonight else "before"}
            for answer, of_it in zip(answers, values, strict=True)
            if key in of_it
        ]
        order = [str(answer.run.id) for answer in answers]
        colours = {"domain": ["before", "this run"], "range": [style.COLOURS[0], style.COLOURS[1]]}
        point = {
            "x": style.field("run:O", sort=order, title=None),
            "y": style.field("y:Q", **style.logarithmic(unit, [one["y"] for one in data])),
            "color": style.field("which:N", scale=colours),
        }
        band = style.marks("rect", {"y": style.field("low:Q"), "y2": {"field": "high"}}, color=style.GRID)
        held = {"values": [{"low": standing.low, "high": standing.high}]}
        state = f", core-to-core {time(key.core_to_core_ns)}" if key.core_to_core_ns else ""
        name = f"{key.case.experiment} {key.case.title}{state}"
        below = f"{standing.below} of {standing.nights} runs before lie below it."
        layers = [{**band, "data": held}, {**style.marks("point", point, **style.DOT), "data": {"values": data}}]
        drawn = {"width": WIDTH, "height": HEIGHT, "layer": layers}
        charts.append(style.Chart("history", name, [below], [drawn]))
    return style.page_of(tonight.run, style.some(charts, "no case of this run was measured before"))
