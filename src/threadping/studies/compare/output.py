"""The output of a comparison, its verdict first; and the output of a run among those before it on its machine."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import inf, isinf, log
from operator import attrgetter
from statistics import median
from typing import Any, Generic, TypeVar

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.runs import CaseInState, rows_of, values_of
from threadping.analysis.validity import is_usable, validity_of
from threadping.model import quantities
from threadping.model.base import Record
from threadping.model.cases import Case
from threadping.model.run import Comparing
from threadping.model.text import proposed
from threadping.output import charts, findings, heading, layout, listings, names
from threadping.output.charts import dots
from threadping.output.run_records import case_fields, fields_of_cases
from threadping.studies.compare.blocks import first_looks_s
from threadping.studies.compare.verdict import REASONS, WORDS, ComparedPair, Direction, RatioTest, WordOfB

DAY_S = 86_400.0


def percentage(share: float) -> str:
    """Write a margin in percent: `3%`, `0.5%`."""
    return f"{100 * share:g}%"


def reach(ends: layout.Ends, between: str = " to ") -> str:
    """Write an interval of a ratio: `1.022 to 1.041`; open ends are named."""
    low, high = (quantities.fold(end).removesuffix("x") if 0 < end < inf else "" for end in ends)
    if low and high:
        return f"{low}{between}{high}"
    return f"{low} or more" if low else f"{high} or less" if high else "anything"


def verdict_of_one(one: RatioTest, margin: float) -> str:
    """Say in a sentence how B compares with A, by the deciding interval."""
    word = _words(margin)[one.answer]
    if one.answer == "cannot-tell":
        return f"{word}{whether(one, margin)}: {one.why or open_to(one)}{takes(one, margin)}"
    if one.answer == "same" or one.decides is None:
        return word
    if one.answer in ("slower", "faster"):  # whether its metric is a time or a rate
        ratio = one.ratio or 1.0
        times = max(ratio, 1 / ratio)
        how_much = f"{times:.2g} times" if times >= 2 else f"{100 * (times - 1):.2g}%"
        word = f"B is {how_much} {one.answer}"
    return f"{word}: {quantities.fold(one.ratio)} ({reach(one.decides)})"


def whether(one: RatioTest, margin: float) -> str:
    """Return the open question if B is known to differ: ` whether B is slower by more than 3%`; empty otherwise."""
    return f" whether B is {one.direction} by more than {percentage(margin)}" if one.direction else ""


def open_to(one: RatioTest) -> str:
    """Write the interval as percentages of A, or as multiples if they are large; or why there is none."""
    if one.decides is None or one.decides[1] == inf or one.decides[0] <= 0:
        codes = [code for code in one.reasons if code in REASONS] or ["too-few-blocks"]
        return REASONS[codes[0]]
    if one.decides[1] - 1 >= quantities.FOLDS:
        return " to ".join(map(quantities.fold, one.decides))
    low, high = (100 * (end - 1) for end in one.decides)
    decimals = 1 if max(abs(low), abs(high)) < 99.95 else 0
    return f"{low:+.{decimals}f} to {high:+.{decimals}f}%"


def takes(one: RatioTest, margin: float) -> str:
    """Say after a semicolon how long the margin would take; empty if unknown."""
    if one.needs_s is None:
        return ""
    needed = f"about {quantities.duration(one.needs_s)}" if one.needs_s <= DAY_S else "more than a day"
    return f"; {percentage(margin)} would take {needed}"


def _words(margin: float) -> dict[WordOfB, str]:
    """Return the words of a sentence for each answer, in the order of several."""
    within = percentage(margin)
    return {
        "slower": "B is slower",
        "faster": "B is faster",
        "same": f"same within {within}",
        "differs": f"differs by less than {within}",
        "cannot-tell": "cannot tell",
    }


def verdict_of_all(found: Sequence[RatioTest], margin: float) -> str:
    """Summarise several comparisons: `B is slower in 1 of 5 cases; faster in 2; same within 3% in 2`."""
    if len(found) == 1:
        return verdict_of_one(found[0], margin)
    number = Counter(one.answer for one in found)
    words = _words(margin) | ({"faster": "faster"} if number["slower"] else {})
    parts = [f"{text} in {number[word]}" for word, text in words.items() if number[word]]
    parts[0] += f" of {quantities.counted(len(found), 'case')}"
    return "; ".join(parts)


VERDICT_STYLES: dict[WordOfB, str] = {"slower": "bold red", "faster": "bold green", "cannot-tell": "yellow"}
SPARE = 1.1  # factor of a budget over the time of its blocks: the first one is discarded


OpenEnds = tuple[float | None, float | None] | None  # an interval with open ends, or none


def sheet(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> layout.Sheet[ComparedPair]:
    """Return a line for each case of A, with B against A."""
    shared = shared_parts([one.a for one in found], of.what)

    def title(one: ComparedPair) -> str:
        named = names.parts(one.a, of.what)
        return " ".join(text for name, text in named.items() if name not in shared) or one.a.experiment

    def side(at: int) -> layout.Field[ComparedPair]:
        name, unit = "AB"[at], attrgetter("metric.unit")
        means = f"The median of {name} over the trials in the ratio; null if it has none."
        return layout.Field(
            head=name, key=f"{name.lower()}_value", unit=unit, of=lambda one: one.values[at], means=means, rank=2
        )

    def word(answer: WordOfB) -> Text:
        return Text(answer.replace("-", " "), VERDICT_STYLES.get(answer, ""), justify="left")

    def written(ends: layout.Ends | None) -> str:
        if ends is None or ends[0] <= 0 or isinf(ends[1]):
            return quantities.ABSENT
        return reach(ends, quantities.TO)

    def seen(visible: float | None) -> str:
        if visible is None:
            return quantities.ABSENT
        return f"{100 * (visible - 1):.1f}%" if visible < 2 else quantities.fold(visible)

    fields: tuple[layout.Field[ComparedPair], ...] = (
        layout.Field(head="case", of=title, names=True),
        *case_fields(lambda one: one.a, lambda one: answer.declared[one.a.experiment]),
        layout.attribute("metric.figure", "The metric that is compared.", key="metric"),
        layout.attribute("metric.unit", "The unit of that metric."),
        side(0),
        side(1),
        layout.attribute("test.ratio", "B divided by A.", float | None, head="B/A", show=quantities.fold),
        layout.attribute("test.decides", DECIDES, OpenEnds, key="ratio_ci99", head="interval", show=written),
        layout.attribute("test.ci95", SINGLE, OpenEnds, key="ratio_ci95"),
        layout.attribute("test.visible", VISIBLE, float | None, head="would see", show=seen, style="dim", rank=3),
        layout.attribute("test.answer", "The verdict on B.", WordOfB, head="B is", show=word),
        layout.attribute("test.direction", DIRECTION, Direction | None),
        layout.attribute("test.blocks", "Number of blocks of four trials.", int),
        layout.attribute("test.masked", "Number of their trials that are left out.", int),
        layout.attribute("test.disturbed", "Number of blocks left out because other programs ran.", int),
        layout.attribute("test.reasons", "Codes; `threadping explain CODE` explains one.", tuple[str, ...]),
        layout.attribute("test.why", "Why A and B cannot be compared at all; empty if they can.", str),
        layout.attribute("test.needs_s", NEEDS, float | None),
    )
    return layout.Sheet("comparisons", fields, found)


DECIDES = "The deciding interval: it covers the ratio in 99 of 100 runs, whenever they stop; an open end is null."
SINGLE = "The 95% interval of the ratio, as if it had been computed only once."
VISIBLE = "The smallest ratio above 1 that as many blocks distinguish from 1 in 9 of 10 runs; null if there is none."
DIRECTION = "The direction in which B significantly differs, by however little; null if it may equal A."
NEEDS = "Total time until the margin is decided, in seconds; null if it is decided, or never will be."


@layout.together
def blocks(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> Iterator[layout.Block]:
    """Show how B compares with A in a run, the verdict first."""
    run, made = answer.run, sheet(answer, of, found)
    yield from findings.unusable(answer)
    yield from (verdict(answer, of, found), Text(), heading.where(run))
    of_all = shared_parts([one.a for one in found], of.what).values()
    tests = [one.test for one in found]
    least, most = (end(one.blocks for one in tests) for end in (min, max))
    number = f"{least} to {most} blocks" if least < most else quantities.counted(most, "block")
    out = sum(one.disturbed for one in tests)
    number += f", {out} left out because other programs ran" if out else ""
    said = [*of_all, number, heading.took(run)]
    yield layout.Flow([*sides(of), *(Text(text, "dim") for text in said if text)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    yield from (Text(), ratio_table(made, of.margin))
    yield from heading.not_measured(answer)
    yield from listings.reasons("\nNot compared", run.skipped)
    yield from heading.next_commands({**heading.to_resume(run), **_deciding(answer, of, found)})


def verdict(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> layout.Lead:
    """Say the verdict of all comparisons, and how many of them were measured."""
    tests = [one.test for one in found]
    style = next((VERDICT_STYLES[word] for word in VERDICT_STYLES for one in tests if one.answer == word), "bold")
    return layout.Lead(heading.with_coverage(answer, verdict_of_all(tests, of.margin)), style)


def sides(of: Comparing) -> list[Text]:
    return (
        [Text(f"A {names.plain(of.a)}"), Text(f"B {names.plain(of.b)}")] if of.what else [Text("A and B are identical")]
    )


def _deciding(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> Mapping[str, str]:
    """Return what to type if it cannot tell: a word that explains it, and a budget that decides every case.

    All cases take turns, including those for which there was no time before.
    """
    run = answer.run
    still_open = [one.test for one in found if one.test.answer == "cannot-tell"]
    codes = [code for one in still_open for code in one.reasons]
    shows = {proposed("explain", codes[0]): "what that means"} if codes else {}
    for code, (words, why) in WORDS["decides"].items():
        if code in codes and run.arguments and not {*words} & {*run.arguments}:
            return {names.plain(proposed(*run.arguments, *words)): why, **shows}
    cases = len(of.pairs)
    needs_s = SPARE * cases * max((one.needs_s or 0.0 for one in still_open), default=0.0)
    first_s = SPARE * first_looks_s(answer, of) if len(found) < cases else 0.0
    every = f" all {cases} cases" if cases > 1 else ""
    decides = 0 < needs_s <= DAY_S
    if run.arguments and (decides or first_s):
        what = f"to decide {percentage(of.margin)}{every and f' in{every}'}" if decides else f"to compare{every}"
        shows[heading.with_budget(run, quantities.budget(max(needs_s if decides else 0.0, first_s)))] = what
    return shows


def shared_parts(cases: Sequence[Case], what: str) -> dict[str, str]:
    """Return what all cases share except their mechanism, by the names of `names.parts`."""
    named = [names.parts(case, what) for case in cases]
    return {
        name: text
        for name, text in named[0].items()
        if name != "mechanism" and all(one.get(name) == text for one in named)
    }


OF_BLOCKS = "B/A is the typical ratio within a block, not the ratio of the two medians."
APART = 0.005  # minimum difference at which a reader who divides B by A finds another ratio


def ratio_table(of: layout.Sheet[ComparedPair], margin: float) -> layout.Blocks:
    """Return the table, with an explanation of its intervals, and below a case why it is open or doubtful."""
    tests, alone = [one.test for one in of.lines], len(of.lines) == 1
    below = {place: text for place, one in enumerate(tests) if (text := _below(one, alone, margin))}
    how = "Blocks are two trials of A and two of B in random order. The interval covers the ratio in 99 of 100 runs"
    ratios = ((one.test.ratio, one.values) for one in of.lines)
    disagrees = any(ratio and a and b and abs(b / a / ratio - 1) > APART for ratio, (a, b) in ratios)
    said = f"{how}; the margin is {percentage(margin)}.{f' {OF_BLOCKS}' if disagrees else ''}"
    return layout.Blocks.of(layout.grid_of(of, below=below, silent=True), Text(said, "dim"))


def _below(one: RatioTest, alone: bool, margin: float) -> Text | None:
    said, parts = open_to(one), []
    if one.answer == "cannot-tell" and not alone:  # for one alone the heading says it
        known = f"cannot tell{whether(one, margin)}: " if one.direction else ""
        parts.append(known + (one.why or said) + takes(one, margin))
    parts += [f"{text} ({code})" for code in one.reasons if (text := REASONS.get(code, "")) not in ("", said)]
    return Text("; ".join(parts), "dim") if parts else None


TICKS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0)
"""The scale ends at the first that covers all intervals; an interval that extends beyond the last has an arrow."""

MOST_TICKS = 3


def ratio_chart(answer: Answer, of: Comparing, found: Sequence[ComparedPair]) -> layout.Chart:
    """Draw a line for each case: its ratio between the ends of the interval that decides.

    ChartRefused if none has a ratio.
    """
    margin, tests = of.margin, [one.test for one in found]
    parts = [names.parts(one.a, of.what) for one in found]
    alike = {what: text for what, text in parts[0].items() if all(one.get(what) == text for one in parts[1:])}
    common = alike if parts[1:] else {}  # of one case there is nothing else to call it
    labels = [" ".join(text for what, text in one.items() if what not in common) for one in parts]
    each = zip(labels, tests, strict=True)
    known = [(name, one, *one.decides) for name, one in each if one.ratio and one.decides]
    results = charts.some(known, "no case has a ratio yet")
    ends = [end for _, one, *both in results for end in (*both, one.ratio or 1.0) if end > 0 and not isinf(end)]
    needed = max([1 + 2 * margin, *(max(end, 1 / end) for end in ends)])
    reach = next((tick for tick in TICKS if tick >= needed), TICKS[-1])
    data: list[layout.Json] = []
    for place, (name, one, low, high) in enumerate(results):
        ratio = one.ratio or 1.0
        said, label = one.answer.replace("-", " "), names.plain(name)
        low, value, high = (min(max(end, 0.5 / reach), 2 * reach) for end in (low, ratio, high))  # JSON has no infinity
        about = {"case": label, "B is": said, "B / A": quantities.fold(ratio), "blocks": f"{one.blocks}"}
        written = f"{quantities.fold(ratio)}, {said}"
        line = {"place": place, "answer": one.answer, "label": label, "written": written, "about": about}
        data.append({"low": low, "value": value, "high": high, **line})
    ticks = [tick for tick in TICKS if tick <= reach][-MOST_TICKS:]
    shown = [*(1 / tick for tick in reversed(ticks)), 1.0, *ticks]
    axis = charts.labelled({tick: _tick(tick) for tick in shown})
    scale = {"type": "log", "domain": [1 / reach, reach], "nice": False, "clamp": True}
    x = {"scale": scale, "title": "B / A, log scale", "axis": axis}
    order = list(dict.fromkeys(one["answer"] for one in data))
    drawn = dots(data, x, "answer:N", order, (1.0, 1 + margin, 1 / (1 + margin)))
    said = heading.with_coverage(answer, verdict_of_all(tests, margin))
    called = [f"All are {names.plain(', '.join(common.values()))}."] if common else []
    how = f"Bars cover the ratio in 99 of 100 runs; darker ticks are A, and {percentage(margin)} to each side."
    beyond = [charts.BEYOND] if any(one["low"] < 1 / reach or one["high"] > reach for one in data) else []
    return layout.Chart("comparison", said, [f"A is {of.a}, B is {of.b}.", *called, how, *beyond], [drawn], order)


def _tick(ratio: float) -> str:
    if ratio == 1:
        return "A"
    if ratio >= 2 or ratio <= 1 / 2:
        return f"{ratio:g}x" if ratio > 1 else f"1/{1 / ratio:g}x"
    return f"{100 * (ratio - 1):+.0f}%"


# ---- a run among those before it ----

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


class History(Record, Generic[Known], frozen=True):
    """The rank of a run (tonight) among earlier runs (nights)."""

    outside: bool | None  # whether tonight deviates more than every other night; None for fewer than FEWEST_NIGHTS
    odder: int  # the number of other nights that deviate at least as much as tonight
    nights: int  # the number of other nights
    false_alarms: float  # the probability that a night like the others is `outside`
    figures: Mapping[Known, Rank]  # each that tonight and another night have
    why: str = ""  # why tonight cannot be ranked, as a clause; empty if it can
    left_out: int = 0  # the number of other runs without a usable value


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


Ranked = tuple[CaseInState, Rank]  # a case in a state, and the rank of its headline among those of other nights


def history_sheet(tonight: Answer, history: History[CaseInState]) -> layout.Sheet[Ranked]:
    """Return a line for each figure, the oddest first."""
    lines = sorted(history.figures.items(), key=lambda one: -one[1].distance)

    def unit(line: Ranked) -> Any:
        return tonight.declared[line[0].case.experiment].leading.unit

    def ends(line: Ranked) -> layout.Ends:
        return line[1].low, line[1].high

    def usual(line: Ranked) -> str:
        return " to ".join(layout.written(unit(line), end) for end in ends(line))

    def direction(line: Ranked) -> str:
        rank = line[1]
        above = "all" if rank.tonight > rank.high else f"{rank.below} of"
        return f"below all {rank.nights}" if rank.tonight < rank.low else f"above {above} {rank.nights}"

    head, below = f"run {tonight.run.id}", "Number of runs before it with a lower value."
    fields: tuple[layout.Field[Ranked], ...] = (
        *fields_of_cases(lines, lambda line: line[0], lambda line: tonight.declared[line[0].case.experiment]),
        layout.Field(head=head, key="value", unit=unit, of=lambda line: line[1].tonight, means=TONIGHT),
        layout.Field(head="usually", key="others_range", type=layout.Ends, of=ends, write=usual, means=OTHERS),
        layout.Field(head="is", key="below", type=int, of=lambda line: line[1].below, write=direction, means=below),
        layout.Field(key="nights", type=int, of=lambda line: line[1].nights, means=NIGHTS),
        layout.Field(key="distance", type=float | None, of=lambda line: line[1].distance, means=DISTANCE),
    )
    return layout.Sheet("figures", fields, lines)


TONIGHT = "The headline of this run."
OTHERS = "The minimum and the maximum over the runs before it."
NIGHTS = "Number of runs before it with this metric."
DISTANCE = "Distance from the median of all runs, in median distances from it: the higher, the more unusual."


@layout.together
def history_blocks(tonight: Answer, others: Sequence[Answer], history: History[CaseInState]) -> Iterator[layout.Block]:
    yield from (*_outside(others, history), Text(), heading.where(tonight.run), Text())
    if history.figures:
        yield layout.grid_of(history_sheet(tonight, history), silent=True)


def _outside(others: Sequence[Answer], history: History[CaseInState]) -> Iterator[layout.Block]:
    left = f"; {history.left_out} more cannot be used" if history.left_out else ""
    if history.why:
        yield layout.Lead(f"cannot tell: {history.why}", "yellow")
        return
    number = quantities.counted(history.nights, "run")
    ends = dict.fromkeys((others[0].run.id, others[-1].run.id))
    which = f"{number} before it, {' to '.join(map(str, ends))}"
    if history.outside is None:
        here = "is 1" if history.nights == 1 else f"are {history.nights}"
        yield layout.Lead(f"cannot tell: {FEWEST_NIGHTS} runs are needed before it, and there {here}{left}", "yellow")
    elif history.outside:
        yield layout.Lead(f"outside this machine's history: more unusual than each of the {which}", "bold red")
    else:
        odder = f"{history.odder} of the {which}, are at least as unusual"
        yield layout.Lead(f"within this machine's history: {odder}", "bold green")
    if history.outside is not None:
        yield Text(f"{quantities.percent(history.false_alarms)} of identical runs are outside by chance{left}.", "dim")


MOST_PANELS = 12
WIDTH, HEIGHT = 560, 90


def history_chart(tonight: Answer, others: Sequence[Answer], history: History[CaseInState]) -> layout.Json:
    """Lay out a panel for each figure, the oddest first: run after run, and the range of the others.

    ChartRefused if no other night has one of its figures.
    """
    answers = (*others, tonight)
    values = [*map(values_of, rows_of(answers))]
    panels: list[layout.Chart] = []
    for key, rank in sorted(history.figures.items(), key=lambda one: -one[1].distance)[:MOST_PANELS]:
        unit = tonight.declared[key.case.experiment].leading.unit
        data: list[layout.Json] = [
            {"run": f"{answer.run.id}", "y": of_it[key], "which": "this run" if answer is tonight else "before"}
            for answer, of_it in zip(answers, values, strict=True)
            if key in of_it
        ]
        order = [str(answer.run.id) for answer in answers]
        colours = {"domain": ["before", "this run"], "range": [charts.COLOURS[0], charts.COLOURS[1]]}
        point = {
            "x": charts.field("run:O", sort=order, title=None),
            "y": charts.field("y:Q", **charts.logarithmic(unit, [one["y"] for one in data])),
            "color": charts.field("which:N", scale=colours),
        }
        band = charts.marks("rect", {"y": charts.field("low:Q"), "y2": {"field": "high"}}, color=charts.GRID)
        held = {"values": [{"low": rank.low, "high": rank.high}]}
        state = f", core-to-core {quantities.time(key.core_to_core_ns)}" if key.core_to_core_ns else ""
        name = f"{key.case.experiment} {key.case.title}{state}"
        below = f"{rank.below} of {rank.nights} runs before it have a lower value."
        layers = [{**band, "data": held}, {**charts.marks("point", point, **charts.DOT), "data": {"values": data}}]
        drawn = {"width": WIDTH, "height": HEIGHT, "layer": layers}
        panels.append(layout.Chart("history", name, [below], [drawn]))
    return charts.page_of(tonight.run, charts.some(panels, "no case of this run was measured before"))
