"""B against A: the answer first, then a line for each case with its ratio and interval; its exports, and a chart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, isinf, log
from typing import Any

import msgspec
from msgspec import Struct, structs
from rich.console import Console, ConsoleOptions
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.figures import Unit
from threadping.comparing.compare import Answer as Word
from threadping.comparing.compare import Comparison, Direction, Ends
from threadping.comparing.compared import Compared
from threadping.comparing.power import Itself, Power, share_of
from threadping.comparing.words import (
    DAY_S,
    REASONS,
    blocks_of_all,
    fold,
    open_to,
    percentage,
    reach,
    short,
    surely,
    takes,
    verdict,
    verdict_of_all,
)
from threadping.model.bounds import Record
from threadping.model.cases import DIMENSIONS, Case, Skipped
from threadping.model.run import Run
from threadping.model.studies import Comparing
from threadping.quantities import ABSENT, TO, counted, duration, percent
from threadping.rows.findings import of_load, unusable
from threadping.rows.heading import next_commands, to_resume, took, where, with_budget
from threadping.rows.lists import announced, reasons
from threadping.sheets import cells, names, records
from threadping.sheets.entries import CaseEntry, RunEntry, case_of, described
from threadping.sheets.grid import Block, Column, Flow, as_wide, column, figures, grid, known, named, together
from threadping.sheets.printing import ROOMY
from threadping.sheets.records import indented
from threadping.views.charts import style
from threadping.views.charts.ladder import dots

STYLES: dict[Word, str] = {"slower": "bold red", "faster": "bold green", "cannot-tell": "yellow"}
NARROW, WIDE = 13, 31
"""The cells of a drawing, on a narrow terminal and on a roomy one."""
LEAST_REACH, MOST_REACH = 1.6, 4.0
"""A drawing reaches so many margins to each side; what lies beyond is an arrow."""

SPARE = 1.1
"""A budget that would decide is larger by this factor than what its blocks take: the first one is thrown away."""

DOT, LINE, ONE, MARGIN = "\N{BLACK CIRCLE}", "\N{BOX DRAWINGS LIGHT HORIZONTAL}", "\N{BOX DRAWINGS LIGHT VERTICAL}", ":"
CROSSED = "\N{BOX DRAWINGS LIGHT VERTICAL AND HORIZONTAL}"
BELOW, ABOVE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"


def comparing(of: Comparing, cases: Sequence[Case], seconds: float, skipped: Sequence[Skipped]) -> Block:
    """Say what a comparison will do, before it begins."""
    sides = f"A is {of.a}, B is {of.b}" if of.what else "each with itself"
    of_a = [names.parts(cases[a], of.what) for a, _ in of.pairs]
    parts = {one.plural: [named.get(one.name, "") for named in of_a] for one in DIMENSIONS if one.plural}
    how = f": {names.plain(sides)}, in blocks of two trials of each in random order, at most "
    return announced(f"Comparing {counted(len(of.pairs), 'case')}", how, seconds, parts, skipped)


@together
def comparison(answer: Answer, of: Comparing, found: Sequence[Compared]) -> Iterator[Block]:
    """Show what a run says of B against A."""
    run = answer.run
    yield from unusable(answer)
    yield where(run)
    shared = shared_parts([one.a for one in found], of.what)
    sides = [Text(f"A {names.plain(of.a)}"), Text(f"B {names.plain(of.b)}")] if of.what else []
    of_all = [*shared.values(), blocks_of_all([one.comparison for one in found]), took(run)]
    yield Flow([*sides, *(Text(text, "dim") for text in of_all if text)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    named = [names.parts(one.a, of.what) for one in found]
    titles = [" ".join(text for name, text in one.items() if name not in shared) for one in named]
    yield from compared(
        [
            Line(title or one.a.experiment, one.metric.unit, one.values, one.comparison)
            for title, one in zip(titles, found, strict=True)
        ],
        of.margin,
    )
    if any(one.comparison.answer == "cannot-tell" for one in found):
        yield from of_load(answer, "case")
    yield from reasons("\nNot compared", run.skipped)
    yield from next_commands({**to_resume(run), **_deciding(run, of, found)})


def _deciding(run: Run, of: Comparing, found: Sequence[Compared]) -> Mapping[str, str]:
    """What to type where it cannot tell: a word that explains it, and a budget that decides every case.

    All cases take turns, those too for which there was no time before.
    """
    still_open = [one.comparison for one in found if one.comparison.answer == "cannot-tell"]
    codes = [code for one in still_open for code in one.reasons]
    shows = {f"threadping explain {codes[0]}": "what that means"} if codes else {}
    cases = len(found) + sum(one.cases for one in run.skipped)
    needs_s = SPARE * cases * max((one.needs_s or 0.0 for one in still_open), default=0.0)
    if run.arguments and 0 < needs_s <= DAY_S:
        every = f" in all {cases} cases" if cases > 1 else ""
        shows[with_budget(run, quantities.budget(needs_s))] = f"to decide {percentage(of.margin)}{every}"
    return shows


def shared_parts(cases: Sequence[Case], what: str) -> dict[str, str]:
    """What all cases have in common, by the names of `names.parts`, but for their mechanism."""
    named = [names.parts(case, what) for case in cases]
    return {
        name: text
        for name, text in named[0].items()
        if name != "mechanism" and all(one.get(name) == text for one in named)
    }


class Line(Struct, frozen=True):
    """What is compared, with the figures of A and B, and what is said of them; `more` is of the figures."""

    title: str
    unit: Unit
    values: tuple[float | None, float | None]
    comparison: Comparison
    more: str = ""


def compared(lines: Sequence[Line], margin: float) -> Iterator[Block]:
    """The answer, and a table of what it is made of."""
    comparisons = [one.comparison for one in lines]
    style = next((STYLES[word] for word in STYLES for one in comparisons if one.answer == word), "bold")
    yield Text()
    yield Text(verdict_of_all(comparisons, margin), style)
    yield Text()
    yield _drawn(lines, margin)
    yield Text(f"{ONE} is no difference, {MARGIN} the margin of {percentage(margin)}, {DOT} B/A.", "dim")


@as_wide
def _drawn(_console: Console, options: ConsoleOptions, lines: Sequence[Line], margin: float) -> Iterator[Block]:
    """The table, whose drawings are as wide as the console lets them be."""
    width = WIDE if options.max_width >= ROOMY else NARROW
    results = [one.comparison for one in lines]
    reach = _reach([one.decides for one in results], margin)
    drawings = [drawing(one.ratio, one.decides, margin, reach, width) for one in results]
    units = [one.unit for one in lines]
    answers = [Text(one.answer.replace("-", " "), STYLES.get(one.answer, ""), justify="left") for one in results]
    yield grid(
        named("case", (one.title for one in lines)),
        figures("A", units, (one.values[0] for one in lines), 2),
        figures("B", units, (one.values[1] for one in lines), 2),
        *known(column("", (one.more for one in lines), "dim", 2)),
        column("B/A", (fold(one.ratio) for one in results)),
        column("interval", (_ends(one.decides) for one in results)),
        Column(_scale(reach, width), drawings),
        column("would see", (_seen(one.visible) for one in results), "dim", 3),
        Column("B is", answers),
        below={place: text for place, one in enumerate(results) if (text := _below(one, len(lines) == 1, margin))},
        silent=True,
    )


def _below(one: Comparison, alone: bool, margin: float) -> Text | None:
    said, parts = open_to(one), []
    if one.answer == "cannot-tell" and not alone:  # of one the heading says it
        known = f"{surely(one, margin)}: " if one.direction else ""
        parts.append(known + said + takes(one, margin))
    parts += [f"{text} ({code})" for code in one.reasons if (text := REASONS.get(code, code)) != said]
    return Text("; ".join(parts), "dim") if parts else None


def _reach(intervals: Sequence[Ends | None], margin: float) -> float:
    """How far the drawing reaches to each side, as a logarithm."""
    ends = [abs(log(end)) for one in intervals if one for end in one if end > 0 and not isinf(end)]
    unit = log(1 + margin)
    return min(max([*ends, LEAST_REACH * unit]), MOST_REACH * unit)


def drawing(ratio: float | None, ends: Ends | None, margin: float, reach: float, width: int) -> Text:
    """Draw an interval as a line with a dot at the ratio, between marks at 1 and at the margins."""

    def place(value: float) -> int:
        at = -reach if value <= 0 else reach if isinf(value) else min(max(log(value), -reach), reach)
        return round((at + reach) / (2 * reach) * (width - 1))

    drawn = [" "] * width
    drawn[place(1 / (1 + margin))] = drawn[place(1 + margin)] = MARGIN
    drawn[place(1.0)] = ONE
    if ratio is not None and ends is not None:
        low, high = ends
        for at in range(place(low), place(high) + 1):
            drawn[at] = CROSSED if drawn[at] == ONE else LINE
        if low <= 0 or log(low) < -reach:
            drawn[0] = BELOW
        if isinf(high) or log(high) > reach:
            drawn[-1] = ABOVE
        if abs(log(ratio)) <= reach:
            drawn[place(ratio)] = DOT
    return Text("".join(drawn), justify="left")


def _scale(reach: float, width: int) -> str:
    """The head of the drawings: the ends of their scale."""
    low, high = (f"{100 * (exp(end) - 1):+.0f}%" for end in (-reach, reach))
    return low + " " * (width - len(low) - len(high)) + high


def _seen(visible: float | None) -> str:
    if visible is None:
        return ABSENT
    return f"{100 * (visible - 1):.1f}%" if visible < 2 else fold(visible)


def _ends(ends: Ends | None) -> str:
    if ends is None or ends[0] <= 0 or isinf(ends[1]):
        return ABSENT
    low, high = (fold(end).removesuffix("x") for end in ends)
    return f"{low}{TO}{high}"


@together
def itself_table(answer: Answer, results: Sequence[Itself]) -> Iterator[Block]:
    """Show how often each case was said to differ from itself, and which planted shifts were seen."""
    yield from (where(answer.run), Text())
    if not results:
        yield Text("cannot tell: the budget had no room for a comparison", "yellow")
        yield from next_commands(to_resume(answer.run))
        return
    powers = [one.power for one in results]
    of_margin = answer.run.comparison.margin if answer.run.comparison else 0.0
    made = counted(sum(one.comparisons for one in powers), "comparison")
    alarms = sum(one.false_alarms for one in powers)
    most = share_of(alarms, sum(one.comparisons for one in powers))[1]
    yield Text(f"{alarms} of {made} said that a thing differs from itself; 1 in 100 may", "bold")
    yield Text(f"So many comparisons exclude no more than {percent(most)} of false alarms.", "dim")
    yield Text()
    shifts = dict.fromkeys(shift for one in powers for shift in one.seen)
    yield grid(
        named("case", (names.plain(one.case.title) for one in results)),
        column("comparisons", (str(one.comparisons) for one in powers)),
        column("blocks", (str(one.blocks[1]) for one in powers), rank=2),
        column("each", (duration(one.seconds) for one in results)),
        column("false alarms", (str(one.false_alarms) for one in powers)),
        *(column(f"+{100 * shift:g}%", (_seen_share(one, shift) for one in powers)) for shift in shifts),
    )
    if shifts:
        yield Text(
            "+1% and so on: how often a B that is slower by so much would have been told from A in one of them; in "
            f"parentheses between what that lies, of all such comparisons. A gate at {percentage(of_margin)} fails a B "
            f"that is slower by {percentage(of_margin)} and so much as often.",
            "dim",
        )
    yield from next_commands(to_resume(answer.run))


def _seen_share(one: Power, shift: float) -> str:
    low, high = one.seen_from_to[shift]
    return f"{one.seen[shift]:.0%} ({100 * low:.0f}{TO}{100 * high:.0f})"


MARKS: Mapping[Word, str] = {"slower": "🔴", "faster": "🟢", "same": "⚪", "differs": "⚪", "cannot-tell": "🟡"}


class ComparisonEntry(Record, frozen=True):
    """B against A of one case, which is given as it is of A: `what` says in what B differs.

    Attributes:
        case: A's.
        metric: the figure that is compared; `unit` is its unit.
        unit: `ns` or `per_s`.
        a: its median over A's trials; null where none has it.
        b: the same of B.
        ratio: B's over A's.
        ci95: the 95% interval of that, were this the only look at it; an open end is null.
        decides: the interval that decides: it covers the ratio in 99 runs of 100, whenever they stop.
        answer: of B.
        direction: which way B surely differs, by however little; null where it may be like A.
        visible: the smallest ratio above 1 that would have been told from 1 in 9 runs of 10.
        blocks: from how many blocks of four trials.
        masked: how many of their trials are left out.
        reasons: codes; `threadping explain CODE` has the rest.
        needs_s: what measuring takes in all until the margin is decided, in seconds; null unless it cannot tell.
    """

    case: CaseEntry
    metric: str
    unit: str
    a: float | None
    b: float | None
    ratio: float | None
    ci95: tuple[float | None, float | None] | None
    decides: tuple[float | None, float | None] | None
    answer: Word
    direction: Direction | None
    visible: float | None
    blocks: int
    masked: int
    reasons: tuple[str, ...]
    needs_s: float | None


class ComparedEntry(Record, frozen=True):
    """What `threadping compare --format json` writes. `what` is the option in which A and B differ."""

    run: RunEntry
    what: str
    a: str
    b: str
    margin: float
    comparisons: tuple[ComparisonEntry, ...]


def comparison_json(answer: Answer, of: Comparing, found: Sequence[Compared]) -> str:
    """Write a `ComparedEntry`."""
    entries = tuple(_entry(one, answer) for one in found)
    return indented(ComparedEntry(described(answer.run), of.what, of.a, of.b, of.margin, entries))


def comparison_csv(answer: Answer, of: Comparing, found: Sequence[Compared]) -> str:
    """Write a line for each comparison."""
    lines = [_line(answer, of, _entry(one, answer)) for one in found]
    return records.table(lines or [{"run": answer.run.id}])


def comparison_markdown(answer: Answer, of: Comparing, found: Sequence[Compared]) -> str:
    """Write a comment: the answer first, then a table, then how it was measured."""
    comparisons = [one.comparison for one in found]
    lines = [
        f"### threadping: {verdict_of_all(comparisons, of.margin)}",
        "",
        f"A is `{_safe(of.a)}`, B is `{_safe(of.b)}`.",
        "",
        "| case | A | B | B / A | interval | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for one in found:
        results, unit = one.comparison, one.metric.unit
        a, b = (ABSENT if value is None else cells.written(unit, value) for value in one.values)
        ratio = ABSENT if results.ratio is None else fold(results.ratio)
        ends = ABSENT if results.decides is None else reach(results.decides)
        said = f"{MARKS[results.answer]} {short(results, of.margin)}"
        if results.answer == "cannot-tell":
            said = f"{MARKS[results.answer]} {verdict(results, of.margin)}"
        doubts = [REASONS.get(code, code) for code in results.reasons if results.answer != "cannot-tell"]
        cell = "; ".join((said, *doubts))
        lines.append(
            f"| {_safe(' '.join(names.parts(one.a, of.what).values()))} | {a} | {b} | {ratio} | {ends} | {cell} |"
        )
    lines += [
        "",
        f"{_safe(answer.run.machine.cpu_model or 'unknown CPU')}; {blocks_of_all(comparisons)} of two trials of "
        "A and two of B in random order. The interval covers the ratio in 99 runs of 100; the margin is "
        f"{percentage(of.margin)}.",
    ]
    return "\n".join(lines) + "\n"


def _entry(one: Compared, answer: Answer) -> ComparisonEntry:
    case = case_of(one.a, answer.declared[one.a.experiment])
    said = structs.asdict(one.comparison)
    del said["slower"]
    return ComparisonEntry(case, one.metric.figure, one.metric.unit, *one.values, **said)


def _line(answer: Answer, of: Comparing, entry: ComparisonEntry) -> dict[str, Any]:
    case = dict.fromkeys(CaseEntry.__struct_fields__) | dict(records.flat(msgspec.to_builtins(entry.case)))
    sides = {"what": of.what, "a": of.a, "b": of.b, "metric": entry.metric, "unit": entry.unit}
    line = {"run": answer.run.id, **case, **sides, "a_value": entry.a, "b_value": entry.b, "ratio": entry.ratio}
    line |= records.ends("ci95", entry.ci95) | records.ends("decides", entry.decides)
    last = {name: getattr(entry, name) for name in ("answer", "direction", "visible", "blocks", "masked", "needs_s")}
    return {**line, **last, "reasons": ";".join(entry.reasons)}


def _safe(foreign: str) -> str:
    """No cell of a foreign name ends a table's cell, or begins markup."""
    return names.plain(foreign).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")


FORMATS: Mapping[str, Callable[[Answer, Comparing, Sequence[Compared]], str]] = {
    "json": comparison_json,
    "csv": comparison_csv,
    "markdown": comparison_markdown,
}


def itself_json(answer: Answer, results: Sequence[Itself]) -> str:
    """Write `{"run", "itself"}`: for each case how often it was said to differ, and what of a shift was seen."""
    entries = [
        {
            "case": case_of(one.case, answer.declared[one.case.experiment]),
            "comparisons": one.power.comparisons,
            "false_alarms": one.power.false_alarms,
            "false_alarms_up_to": one.power.alarms_up_to,
            "blocks": one.power.blocks[1],
            "seconds": one.seconds,
            "seen": [
                {"shift": shift, "share": share, "from_to": one.power.seen_from_to[shift]}
                for shift, share in one.power.seen.items()
            ],
        }
        for one in results
    ]
    return indented(run=described(answer.run), itself=entries)


FARTHEST = 2.0
"""What is more than so many times as slow, or as fast, ends at the border of the drawing."""

TICKS = (1.01, 1.02, 1.05, 1.1, 1.2, 1.5, FARTHEST)
MOST_TICKS = 3


def ratio_chart(of: Comparing, found: Sequence[Compared]) -> style.Chart:
    """The ratio of each case. ChartRefused if none has one."""
    labels = [" ".join(names.parts(one.a, of.what).values()) for one in found]
    results = [one.comparison for one in found]
    return ratios(list(zip(labels, results, strict=True)), of.margin, f"A is {of.a}, B is {of.b}.")


def ratios(found: Sequence[tuple[str, Comparison]], margin: float, sides: str) -> style.Chart:
    """A line for each comparison: its ratio between the ends of the interval that decides.

    ChartRefused if none has a ratio.
    """
    known = [(name, one, *one.decides) for name, one in found if one.ratio and one.decides]
    results = style.some(known, "no case has a ratio yet")
    ends = [end for *_, low, high in results for end in (low, high) if end > 0 and not isinf(end)]
    needed = max([1 + 2 * margin, *(max(end, 1 / end) for end in ends)])
    reach = next((tick for tick in TICKS if tick >= needed), FARTHEST)
    data: list[style.Json] = []
    for place, (name, one, low, high) in enumerate(results):
        ratio = one.ratio or 1.0
        said, label = short(one, margin), names.plain(name)
        within = {of: min(max(end, 1 / reach), reach) for of, end in zip(ENDS, (low, ratio, high), strict=True)}
        about = {"case": label, "B is": said, "B / A": fold(ratio), "blocks": f"{one.blocks}"}
        written = f"{fold(ratio)}, {said}"
        line = {"place": place, "answer": one.answer, "label": label, "written": written, "about": about}
        data.append({**within, **line})
    ticks = [tick for tick in TICKS if tick <= reach][-MOST_TICKS:]
    shown = [*(1 / tick for tick in reversed(ticks)), 1.0, *ticks]
    axis = style.labelled({tick: f"{100 * (tick - 1):+.0f}%" if tick != 1 else "A" for tick in shown})
    x = {"scale": {"type": "log", "domain": [1 / reach, reach], "nice": False}, "title": None, "axis": axis}
    lines = [{"at": at, "what": what} for at, what in ((1.0, "A"), (1 + margin, "m"), (1 / (1 + margin), "m"))]
    dashes = style.field("what:N", legend=None, scale={"range": [[1, 0], [3, 3]]})
    rules = style.marks("rule", {"x": style.field("at:Q", **x), "strokeDash": dashes}, color=style.FAINT)
    order = list(dict.fromkeys(one["answer"] for one in data))
    drawn = dots(data, x, "answer:N", order)
    drawn = {**drawn, "layer": [{**rules, "data": {"values": lines}}, *drawn["layer"]]}
    said = verdict_of_all([one for _, one in found], margin)
    how = f"Bars hold the ratio in 99 runs of 100; broken lines are {percentage(margin)} to each side."
    return style.Chart("comparison", said, [sides, how], [drawn], order)


ENDS = ("low", "value", "high")
