"""The published figures beside ours: a table for each experiment, why some are not there, and the conclusions."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.text import Text

from threadping import quantities
from threadping.analysis.declaration import Unit
from threadping.analysis.states import States
from threadping.model import Case, Skipped
from threadping.numbers import ranges
from threadping.published.catalogue import Repetition, repetition
from threadping.published.comparison import Compared, Measured, Ours
from threadping.published.conclusions import Judged, Verdict
from threadping.published.records import Published
from threadping.views.terminal import cells, names
from threadping.views.terminal.console import Trimmed
from threadping.views.terminal.heading import heading
from threadping.views.terminal.lists import labelled, reasons
from threadping.views.terminal.rungs import rungs, said
from threadping.views.terminal.table import Column, FittingTable

UNITS: Mapping[str, Unit] = {"ns": "ns", "ops/s": "per_s", "messages/s": "per_s"}
STYLES: Mapping[Verdict, str] = {"holds here": "green", "not here": "red", "cannot tell": "yellow"}
INTERVAL, RATIO = "95% CI", "here/published"

MOST_TELLING = ("figure", RATIO, "1 thread", "p50", "2 threads", "p99.9", "8 threads", "max", "4 threads", "p99")
"""The columns that stay for longest where not all of them fit."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Line(Struct, frozen=True):
    """A line of a table: its name, and a cell for each column."""

    name: Text
    cells: Sequence[Text]


def published_tables(
    measured: Measured, states: States, compared: Sequence[Compared], judged: Sequence[Judged]
) -> RenderableType:
    """Show what became of published figures, and of what was concluded from them."""
    return Trimmed(Group(*_parts(measured, states, compared, judged)))


def told_here(ours: Ours) -> str:
    """Name our figure by its state: `here, 62.3 ns apart`."""
    apart = ours.row.apart_ns
    return "here" if apart is None else f"here, {quantities.time(apart)} apart"


def name_of(case: Case) -> str:
    """Name the case of ours that repeats something: `seqcst-one-line java-17 same-l3 0,1 process, over 256 lines`."""
    crews = f"{quantities.counted(case.crews, 'pair')} " if case.crew == 2 else ""
    lines = f", over {case.lines} lines" if case.lines > 1 and case.experiment == "signal" else ""
    return f"{names.mechanism(case)} {names.plain(case.runtime)} {crews}{names.standing(case)}{lines}"


def _parts(
    measured: Measured, states: States, compared: Sequence[Compared], judged: Sequence[Judged]
) -> Iterator[RenderableType]:
    run = measured.run
    all_said = said(rungs(measured.rows, measured.declared), measured.declared)
    yield heading(run, measured.rows, [one for one in all_said if one.check.whole_machine], states)
    for name, of_it in _by(compared, lambda one: one.published.experiment).items():
        metrics = list(dict.fromkeys(one.published.metric for one in of_it))
        yield Text()
        yield Text(f"{name}: {metrics[0]}" if len(metrics) == 1 else name, "bold")
        yield from (Text(source, "dim") for source in dict.fromkeys(one.published.source for one in of_it))
        if any(one.ours for one in of_it):
            yield _table(of_it)
            yield from _notes(of_it)
        yield from reasons("Not compared", list(_missing([one for one in of_it if not one.ours])))
    if judged:
        yield Text()
        yield Text("What was concluded", "bold")
        yield labelled([line for one in judged for line in _conclusion(one)])
    if run.id:
        yield Text(f"\n`threadping show {run.id}` has our rows, with all that must be known to believe them.", "dim")


def _table(of_it: Sequence[Compared]) -> FittingTable:
    """What was published of each case, ours, and their ratio; several figures of a case stand side by side."""
    told = [one.published for one in of_it if one.ours]
    if len({one.metric for one in told}) > 1 and _alike_in_metrics(of_it):
        return _side_by_side(of_it, lambda one: one.metric.removeprefix("notify call "), _repeats)
    if len({one.threads for one in told}) > 1:
        return _side_by_side(
            of_it, lambda one: quantities.counted(one.threads, "thread"), lambda one: replace(_repeats(one), threads=1)
        )
    lines: list[Line] = []
    above: dict[int, Text] = {}
    for group in _groups(of_it, _repeats):
        by_metric = _by(group, lambda one: one.published.metric)
        above[len(lines)] = Text(name_of(next(one.ours[0] for one in group if one.ours).row.case), "bold cyan")
        for metric, figures in by_metric.items():
            of_metric = f"{metric}: " if len({one.metric for one in told}) > 1 else ""
            for one in figures:
                name = Text(f"{of_metric}{_machine(one.published)}")
                lines.append(Line(name, [_figure(one.published, one.published.value), Text(), _ratio(one)]))
            for mine in figures[0].ours:
                figure = _figure(figures[0].published, mine.value, "bold")
                lines.append(Line(Text(told_here(mine)), [figure, _interval(figures[0].published, mine), Text()]))
    return _laid_out(lines, ["figure", INTERVAL, RATIO], above)


def _alike_in_metrics(of_it: Sequence[Compared]) -> bool:
    """Whether every case repeats the same metrics, so that these can stand side by side."""
    metrics = [{one.published.metric for one in group} for group in _groups(of_it, _repeats)]
    return all(one == metrics[0] for one in metrics)


def _side_by_side(
    of_it: Sequence[Compared], point: Callable[[Published], str], alike: Callable[[Published], Repetition]
) -> FittingTable:
    """A column for each point; the lines of a case are ours, its interval, and each machine with the ratio."""
    points = list(dict.fromkeys(point(one.published) for one in of_it if _can_be(one)))
    lines: list[Line] = []
    above: dict[int, Text] = {}
    for group in _groups(of_it, alike):
        first = next(one.ours[0].row.case for one in group if one.ours)
        above[len(lines)] = Text(name_of(first), "bold cyan")
        mine = {point(one.published): one for one in group if one.ours}
        here = {at: _figure(one.published, one.ours[0].value, "bold") for at, one in mine.items()}
        reach = {at: _interval(one.published, one.ours[0]) for at, one in mine.items()}
        lines += [_line("here", points, here), _line(INTERVAL, points, reach)]
        for machine, figures in _by(group, lambda one: _machine(one.published)).items():
            theirs = {point(one.published): _figure(one.published, one.published.value) for one in figures}
            ratios = {point(one.published): _ratio(one) for one in figures}
            lines += [_line(machine, points, theirs), _line(f"  {RATIO}", points, ratios)]
    return _laid_out(lines, points, above)


def _line(name: str, points: Sequence[str], found: Mapping[str, Text]) -> Line:
    return Line(Text(name), [found.get(point, Text(quantities.ABSENT, "dim")) for point in points])


def _laid_out(lines: Sequence[Line], heads: Sequence[str], above: Mapping[int, Text]) -> FittingTable:
    return FittingTable(
        [
            Column("", [line.name for line in lines], names=True),
            *(
                Column(head, [line.cells[place] for line in lines], _rank(head, place))
                for place, head in enumerate(heads)
            ),
        ],
        apart=[place for place in above if place],
        above=above,
    )


def _rank(head: str, place: int) -> int:
    return MOST_TELLING.index(head) if head in MOST_TELLING else len(MOST_TELLING) + place


def _groups(of_it: Sequence[Compared], alike: Callable[[Published], Repetition]) -> list[list[Compared]]:
    """The figures that one case repeats, of which at least one has ours."""
    groups = _by([one for one in of_it if _can_be(one)], lambda one: alike(one.published)).values()
    return [group for group in groups if any(one.ours for one in group)]


def _repeats(one: Published) -> Repetition:
    found = repetition(one)
    assert isinstance(found, Repetition)
    return found


def _can_be(one: Compared) -> bool:
    return isinstance(repetition(one.published), Repetition)


def _machine(one: Published) -> str:
    return names.plain(f"{one.where}, {one.year}")


def _figure(of: Published, value: float, style: str = "") -> Text:
    return cells.figure(UNITS[of.unit], value, style)


def _interval(of: Published, ours: Ours) -> Text:
    return cells.interval(UNITS[of.unit], ours.value, ours.interval, mixed=True)


def _ratio(one: Compared) -> Text:
    """Of the state in which most trials were measured."""
    ratio = one.ratio(one.ours[0]) if one.ours else None
    return Text(quantities.ABSENT if ratio is None else fold(ratio), "dim")


def fold(ratio: float) -> str:
    """Write how many times: `0.0021x`, `0.87x`, `12.3x`, `1,234x`."""
    if ratio < 0.0995:
        return f"{ratio:.2g}x"
    return f"{ratio:.2f}x" if ratio < 9.995 else f"{ratio:.1f}x" if ratio < 99.95 else f"{ratio:,.0f}x"


def _missing(compared: Sequence[Compared]) -> Iterator[Skipped]:
    """For each reason what has no figure of ours: those that differ in machine, figure or number of threads once."""
    for reason, without in _by(compared, lambda one: one.reason or "").items():
        things = []
        for what, of_it in _by(without, lambda one: one.published.what).items():
            threads = ranges(sorted({one.published.threads for one in of_it}))
            counts = f" with {','.join(threads)} threads" if len({one.published.threads for one in of_it}) > 1 else ""
            things.append(f"{what}{counts}")
        yield Skipped(f"{'; '.join(things)} ({quantities.counted(len(without), 'figure')})", reason)


def _notes(of_it: Sequence[Compared]) -> Iterator[Text]:
    reaches = [ours.interval for one in of_it for ours in one.ours if ours.interval]
    if any(reach.ci95 is None for reach in reaches):
        yield Text("In brackets is the range of the trials, each by itself.", "dim")


def _conclusion(one: Judged) -> Iterator[tuple[str, Text]]:
    yield "-", Text.assemble((one.verdict, STYLES[one.verdict]), f": {one.conclusion.claim}")
    yield "", Text(f"{names.plain(one.why)}.", "dim")


def _by(of_it: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    found: dict[K, list[V]] = {}
    for one in of_it:
        found.setdefault(key(one), []).append(one)
    return found
