"""Runs that were measured apart: two laid side by side, and one among those before it; tables, JSON, and a chart."""

from collections.abc import Iterator, Sequence
from math import log

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.comparing.apart import (
    FEWEST_NIGHTS,
    Beside,
    History,
    Key,
    Standing,
    beside_each_other,
    rows_of,
    values_of,
)
from threadping.comparing.words import fold
from threadping.quantities import counted, percent, time
from threadping.rows.heading import where
from threadping.sheets import names
from threadping.sheets.cells import figure, headline, sure, written
from threadping.sheets.entries import case_of, described
from threadping.sheets.grid import Block, Column, column, figures, grid, known, named, together
from threadping.sheets.records import indented
from threadping.views.charts import style
from threadping.views.comparison import DOT
from threadping.views.page.sections import Section

STRIP = 15
OTHERS = "\N{MIDDLE DOT}"
APART = (
    "measured apart: the machine may have changed in between, so nothing is tested. `threadping compare` with both "
    "sides measures them in turn."
)


@together
def beside_table(one: Answer, other: Answer, beside: Sequence[Beside]) -> Iterator[Block]:
    """Show the rows of two runs that are of the same case and state."""
    columns = keyed([line.key for line in beside])
    for place, answer in enumerate((one, other)):
        columns += headlines(f"run {answer.run.id}", [line.rows[place] for line in beside])
    yield from (where(one.run), where(other.run), Text(), Text(APART, "yellow"), Text())
    yield grid(*columns, column("ratio", (fold(line.ratio(1)) for line in beside)))


@together
def history_table(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> Iterator[Block]:
    """Show where a run stands among others: the oddest figure first."""
    ordered = sorted(results.figures.items(), key=lambda one: -one[1].distance)
    units = [tonight.declared[key.case.experiment].leading.unit for key, _ in ordered]
    standings = [standing for _, standing in ordered]
    of_others = zip(units, standings, strict=True)
    yield where(tonight.run)
    yield from (Text(), *_outside(others, results), Text())
    yield grid(
        *keyed([key for key, _ in ordered]),
        figures(f"run {tonight.run.id}", units, (one.tonight for one in standings)),
        column("the others", (f"{written(unit, one.low)} to {written(unit, one.high)}" for unit, one in of_others)),
        column("", map(_strip, standings), rank=1),
        column("below", (f"{one.below} of {one.nights}" for one in standings)),
        silent=True,
    )


def _outside(others: Sequence[Answer], results: History[Key]) -> Iterator[Text]:
    number = counted(results.nights, "run")
    ends = dict.fromkeys((others[0].run.id, others[-1].run.id))
    which = f"{number} before it, {' to '.join(map(str, ends))}"
    if results.outside is None:
        here = "is 1" if results.nights == 1 else f"are {results.nights}"
        yield Text(f"cannot tell: {FEWEST_NIGHTS} runs are needed before it, and there {here}", "yellow")
    elif results.outside:
        yield Text(f"outside what this machine did: odder than each of the {which}", "bold red")
    else:
        yield Text(f"within what this machine did: {results.odder} of the {which}, are as odd or odder", "green")
    if results.outside is not None:
        yield Text(f"Of runs that are alike, {percent(results.false_alarms)} are outside by chance.", "dim")


def keyed(keys: Sequence[Key]) -> list[Column]:
    """The columns that tell cases and states apart."""
    several = len({key.case.experiment for key in keys}) > 1
    titles = [f"{key.case.experiment} {key.case.title}" if several else key.case.title for key in keys]
    states = figures("core to core", "ns", (key.core_to_core_ns for key in keys), 2)
    return [named("case", map(names.plain, titles)), *known(states)]


def headlines(head: str, rows: Sequence[Row | None]) -> list[Column]:
    """The headline of each row, and how sure it is."""
    found = [row.headline if row else None for row in rows]
    reach = [
        sure(row.leading.unit, one, len(row.trials)) if row and one else Text()
        for row, one in zip(rows, found, strict=True)
    ]
    return [
        Column(head, [headline(row, row.declared.leading) if row else figure("ns", None) for row in rows]),
        Column("\N{PLUS-MINUS SIGN}", reach, rank=1),
    ]


def _strip(one: Standing) -> Text:
    """Tonight between the least and the most of the others, on a line that holds all."""
    low, high = min(one.low, one.tonight), max(one.high, one.tonight)
    reach = log(high / low) or 1.0
    drawn = [" "] * STRIP
    first, last, here = (round(log(value / low) / reach * (STRIP - 1)) for value in (one.low, one.high, one.tonight))
    drawn[first : last + 1] = OTHERS * (last + 1 - first)
    drawn[here] = DOT
    return Text("".join(drawn), justify="left")


def beside_json(one: Answer, other: Answer, beside: Sequence[Beside]) -> str:
    """Write `{"runs", "measured_apart", "cases"}`: each with the headlines of both runs and their ratio."""
    entries = []
    for line in beside:
        a, b = (row and row.headline for row in line.rows)
        entries.append(_key(line.key, one) | {"a": a, "b": b, "ratio": line.ratio(1)})
    return indented(runs=[described(one.run), described(other.run)], measured_apart=True, cases=entries)


def history_json(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> str:
    """Write `{"run", "runs", "outside", "odder", "false_alarms", "figures"}`."""
    figures = [_key(key, tonight) | {"standing": standing} for key, standing in results.figures.items()]
    which = {"run": described(tonight.run), "runs": [answer.run.id for answer in others]}
    said = {name: getattr(results, name) for name in ("outside", "odder", "false_alarms")}
    return indented(**which, **said, figures=figures)


def _key(key: Key, answer: Answer) -> dict[str, object]:
    case = case_of(key.case, answer.declared[key.case.experiment])
    return {"case": case, "core_to_core_ns": key.core_to_core_ns}


MOST_PANELS = 12
WIDTH, HEIGHT = 560, 90


def history(tonight: Answer, others: Sequence[Answer], results: History[Key]) -> style.Json:
    """Lay out a panel for each figure, the oddest first: run after run, and between which figures the others were.

    ChartRefused if no figure is known of other nights.
    """
    answers = (*others, tonight)
    values = [*map(values_of, rows_of(answers))]
    charts: list[style.Chart] = []
    for key, standing in sorted(results.figures.items(), key=lambda one: -one[1].distance)[:MOST_PANELS]:
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


def side_by_side(answers: Sequence[Answer], letters: Sequence[str]) -> Iterator[Section]:
    """The same case of several answers in one line, in the same state of a machine: a section for each experiment."""
    lines = beside_each_other(*answers)
    for name, declared in answers[0].declared.items():
        mine = [line for line in lines if line.key.case.experiment == name]
        if not mine:
            continue
        columns = keyed([line.key for line in mine])
        for place, letter in enumerate(letters):
            columns += headlines(letter, [line.rows[place] for line in mine])
            if place:
                ratios = (fold(line.ratio(place)) for line in mine)
                columns.append(column(f"{letter} / {letters[0]}", ratios))
        yield Section(name, f"{name}: {declared.title}", blocks=[grid(*columns)])
