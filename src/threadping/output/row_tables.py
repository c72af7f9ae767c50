"""The tables of a run's rows: by dimension, by curve, by frontier, row by row, and of their distributions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer, Observed
from threadping.analysis.causes import CAUSES, UNKNOWN, UNSEEN, share_of_outliers
from threadping.analysis.declaration import (
    LATE_HEADLINE,
    Curve,
    Declaration,
    Figure,
    Percentiles,
    Row,
    Tradeoff,
    metric,
)
from threadping.analysis.percentiles import FEWEST_FOR_A_RANGE, PERCENTILE_NAMES, Estimate
from threadping.analysis.questions import CurveLine, curve_lines, frontiers
from threadping.analysis.states import TrialStates
from threadping.analysis.validity import is_usable
from threadping.model import quantities
from threadping.model.base import gathered
from threadping.model.cases import GROUPS, Case, read_all
from threadping.model.errors import UsageError
from threadping.model.quantities import compact, counted
from threadping.model.run import Observation
from threadping.output import findings, layout, names
from threadping.output.heading import moment
from threadping.output.layout import Block, Blocks, Field, Grid, Line, attribute, column, grid, named

MARK_OF_FEW = "*"
OF_FEW = f"{MARK_OF_FEW} of one or two trials"


class PivotLine(Struct, frozen=True):
    """Rows that differ in one dimension only, by their place in it; `words` are their names, by head."""

    state: float
    words: Mapping[str, str]
    rows: Mapping[int, Row]

    @property
    def case(self) -> Case:
        return next(iter(self.rows.values())).case

    @property
    def leads(self) -> bool:
        """Return whether all of its rows may be ranked."""
        return all(is_usable(row, "rank") for row in self.rows.values())


def pivots(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Set the headline side by side along every dimension that is declared and varied; then other declared figures."""
    for param in declared.dimensions:
        lines = [one for one in pivot_lines(rows, param) if not param or len(one.rows) > 1]
        for figure in ("", *declared.pivoted):
            yield from _pivot(lines, param, figure, declared)


def pivot_lines(rows: Sequence[Row], param: str) -> list[PivotLine]:
    """Gather rows along a parameter, or along the number of threads or pairs where it is empty.

    More threads are on more CPUs, so that their placement may change its name: it makes lines differ only
    where one number of them was measured at several. A row of one CPU depends on no state: it is next to those of
    the state that CPUs were in for longest, and to no others.
    """
    families = gathered((_alike(row.case, param), row) for row in rows if not param or param in row.case.params)
    same = names.shared_params([row.case for row in rows], rows[0].declared) if rows else []
    return [line for family in families.values() for line in _of_family(family, param, *same)]


def _alike(case: Case, param: str) -> tuple[object, ...]:
    place = case.placement if param else set(case.placement.cpus) == {None}
    return names.mechanism(case, param), place, *read_all(case, "mechanism", "threads", "placement")


def _of_family(family: Sequence[Row], param: str, *same: str) -> Iterator[PivotLine]:
    singles = [row for row in family if not param and row.case.threads == 1]
    others = [row for row in family if row not in singles] or singles[:1]
    several = len({row.core_to_core_ns for row in others if row.state}) > 1
    longest = next((row.core_to_core_ns for row in others if row.state and row.leads), None)
    for state in sorted({row.core_to_core_ns or 0.0 for row in others if row.state}) if several else [longest]:
        mine = [row for row in others if not several or (row.core_to_core_ns or longest) == state]
        points = {_point(row.case, param) for row in mine}
        places = dict.fromkeys(row.case.placement.name for row in mine) if len(points) < len(mine) else [None]
        for place in places:
            of_it = [row for row in mine if place in (None, row.case.placement.name)]
            cpus = {cpu for row in of_it for cpu in row.case.placement.cpus}
            near = [row for row in singles if cpus.issuperset(row.case.placement.cpus)] or singles
            alone = near[:1] if state == longest else []
            by_point = {_point(row.case, param): row for row in [*alone, *of_it]}
            case = of_it[0].case
            where = names.placement_label(case) if param else names.placement_label_of_all(row.case for row in of_it)
            distance = quantities.time(state) if several and state else ""
            words = {"mechanism": names.mechanism(case, param, *same), "runtime": names.plain(case.runtime)}
            words |= {"placement": where, "core to core": distance}
            words |= {one.head: one.text(case) for one in names.FURTHER}
            yield PivotLine(state or inf, words, dict(sorted(by_point.items())))


def _point(case: Case, param: str) -> int:
    return int(case.params[param]) if param else case.groups


def merit(row: Row | None, figure: str = "") -> tuple[float, ...]:
    """Return a row's headline, or another figure, for sorting: the best first, what has none last."""
    if row is None:
        return (2, 0)
    of = row.declared.figure(figure) if figure else row.leading
    if (found := row.figures.get(of.name)) is None:
        return (2, 0)
    return (not is_usable(row, "rank"), -found.value if of.better == "more" else found.value)


def _pivot(lines: Sequence[PivotLine], param: str, figure: str, declared: Declaration) -> Iterator[Block]:
    """Print the lines that are best at the last point first; nothing where there is one point only."""
    points = sorted({point for one in lines for point in one.rows})
    if len(points) < 2:
        return
    lines = sorted(lines, key=lambda one: (one.state, *(merit(one.rows.get(at), figure) for at in points[::-1])))
    if declared.pivoted:
        yield Text(f"{declared.figure(figure or declared.headline).head} by {param or declared.along}", "bold")
    heads = [head for head in lines[0].words if head == "mechanism" or len({one.words[head] for one in lines}) > 1]
    naming = [
        named(head, partial(lambda of, line: line.words[of], head), "bold" if head == "mechanism" else "")
        for head in heads
    ]
    # where not all fit every other one goes, from the second on, and then the rest; both ends stay
    going = [*points[1:-1:2], *points[2:-1:2]]
    columns = []
    for point in points:
        head = f"{param} {compact(point)}" if param else quantities.counted(point, GROUPS[lines[0].case.group])
        rank = len(going) - going.index(point) if point in going else 0
        columns.append(column(head, _at_point(lines, point, figure, declared), rank=rank))
    yield grid(lines, *naming, *columns)
    if any(is_of_few(row) for one in lines for row in one.rows.values()):
        yield Text(OF_FEW, "dim")
    yield Text()


def _at_point(
    lines: Sequence[PivotLine], point: int, figure: str, declared: Declaration
) -> Callable[[PivotLine], Text]:
    """Return what writes a line at a point; the best that may be ranked is highlighted, where all are in one regime."""
    rows = [line.rows.get(point) for line in lines]
    alike = len({row.regime for row in rows if row and row.headline}) < 2
    best = min((merit(line.rows.get(point), figure) for line in lines if alike and line.leads), default=None)
    called = _leading([row for row in rows if row], declared)

    def written(line: PivotLine) -> Text:
        row = line.rows.get(point)
        style = "bold green" if merit(row, figure) == best else ""
        if figure:
            text = layout.figure(declared.figure(figure).unit, row.value(figure) if row else None, style)
        else:
            text = layout.headline(row, called, style)
        return text + Text(MARK_OF_FEW if is_of_few(row) else "", "dim")

    return written


def is_of_few(row: Row | None) -> bool:
    return row is not None and 0 < len(row.trials) < FEWEST_FOR_A_RANGE


def frontier_table(rows: Sequence[Row], declared: Declaration, of: Tradeoff) -> Iterator[Block]:
    """At each place of the dimension those that none beats in both figures, and how many others there are."""
    found = frontiers([row for row in rows if row.leads], declared)
    if not any(one.beaten for one in found):
        return
    both = [declared.figure(name) for name in (of.quick, of.cheap)]
    leading = [row for one in found for row in one.leading]
    beaten = {id(one.leading[-1]): f"{counted(len(one.beaten), 'other')} beaten" for one in found}
    yield Text(f"frontier: what no other beats both in {' and in '.join(one.head for one in both)}", "dim")
    yield grid(
        leading,
        *names.columns([row.case for row in rows], declared, of=attrgetter("case")),
        *map(_figure, both),
        column("", lambda row: beaten.get(id(row), ""), "dim", 1),
        gaps=[place for place, row in enumerate(leading) if place and row in [one.leading[0] for one in found]],
        silent=True,
    )
    yield Text()


def _figure(of: Figure, rank: int = 0, *, head: str = "", sure: bool = False) -> Field[Row]:
    """Declare the column of a figure; with `sure` its interval is next to it."""
    read: Callable[[Row], Any] = (lambda row: row.figures.get(of.name)) if sure else (lambda row: row.value(of.name))
    return Field(head=head or of.head, unit=of.unit, of=read, rank=rank, aligned=sure)


def curve_tables(answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """A table for each declared curve that has several places: a line for each place of a case."""
    for curve in declared.curves:
        if found := curve_lines(curve, [row for row in rows if row.leads]):
            yield Text(curve.title, "bold")
            yield _curve_table(curve, found, [row.case for row in rows], declared)
            beneath = [curve.beneath(answer.run.machine), *conclusions(curve, found, declared)]
            yield from (Text(one, "dim") for one in beneath if one)
            yield Text()


def _curve_table(curve: Curve, found: Sequence[CurveLine], cases: Sequence[Case], declared: Declaration) -> Grid:
    shown = [(line, place) for line in found for place in line.points]
    firsts = [place == min(line.points) for line, place in shown]

    def once(one: Field[Any]) -> Field[Any]:
        return replace(one, of=lambda of: one.of(of) if of[1] == min(of[0].points) else "")

    def figure(name: str) -> Field[Any]:
        whole = declared.figure(curve.whole(name))

        def value(of: tuple[CurveLine, float]) -> float | None:
            found = of[0].points[of[1]].get(name)
            return found.value if found else None

        return Field(head=whole.head, unit=whole.unit, of=value, if_known=True)

    return grid(
        shown,
        *map(once, names.columns(cases, declared, curve.param, of=lambda of: of[0].row.case)),
        column(curve.name, lambda of: at(curve, of[1])),
        *map(figure, curve.figures),
        gaps=[number for number, is_first in enumerate(firsts) if is_first and number],
        silent=True,
    )


def conclusions(curve: Curve, found: Sequence[CurveLine], declared: Declaration) -> Iterator[str]:
    """Say what follows from each line, and where its figure has doubled, and what that means.

    A line is named as `condition java-17 rate 10k`, or `false-sharing cpp 2 threads`.
    """
    for line in found:
        case = line.row.case
        mechanism, runtime = names.mechanism(case, declared.param, curve.param), names.plain(case.runtime)
        threads = f"{case.threads} threads" if declared.along == "threads" else ""
        who = " ".join(filter(None, (mechanism, runtime, threads, names.place(case, declared))))
        yield from (f"{who}: {one}" for one in line.concluded)
        if line.doubled is not None:
            yield f"{who}: break-even at {line.doubled:,.0f} {curve.along}"
    if curve.doubles and any(line.doubled is not None for line in found):
        yield curve.doubles[1]


def at(curve: Curve, place: float) -> str:
    """Write a place of a curve: `10 µs`, `5k`."""
    return layout.tick(curve.unit, place) if curve.unit == "ns" else compact(int(place))


RANKS = {"min": 6, "p90": 4, "p95": 5, "p99.9": 1, "max": 2, "samples": 3}
"""Percentiles in the order in which they go where not all fit."""


def percentiles_tables(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Print every percentile that the samples of each distribution carry, and the number of samples."""
    for of in declared.distributions:
        if timed := [row for row in rows if row.value(f"{of.name}.samples")]:
            of_all, of_it = (names.shared([row.case for row in one], declared) for one in (rows, timed))
            yield Text.assemble((f"\n{of.head or of.noun}", "bold"), (f" ({of_it})" * (of_it != of_all), "dim"))
            parts = (*PERCENTILE_NAMES, "samples")
            each = (_figure(of.figure(name), RANKS.get(name, 0), head=name, sure=True) for name in parts)
            yield grid(timed, *naming(timed), *each)


def outliers_tables(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Print a line for each cause of outliers of each distribution: how many, how long in all, and the worst."""
    for of in declared.timed:
        if count := sum(row.value(f"{of.outliers}.count") or 0 for row in rows):
            samples = sum(row.value(f"{of.name}.samples") or 0 for row in rows)
            least = [value for row in rows if (value := row.value(f"{of.outliers}.threshold_ns")) is not None]
            causes = {one: sum(row.number(f"{of.outliers}.causes.{one}") for row in rows) for one in CAUSES}
            squares, inspected = (sum(row.number(f"{of.outliers}.{name}") for row in rows) for name in OF_SAMPLE)
            shares = {one: share_of_outliers(number / count, count, squares) for one, number in causes.items()}
            known = share_of_outliers(1 - shares[UNKNOWN].value - shares[UNSEEN].value, count, squares)
            title = f"\noutliers: {count:,.0f} of {samples:,.0f} {of.noun}, {layout.written('share', known.value)}"
            said = f" ({quantities.shares(*known.ends)}) with a cause"
            how = f"; {inspected:,.0f} inspected, drawn at random; from {quantities.span(least)} on"
            yield Text.assemble((title + said, "bold"), (how, "dim"))
            yield _causes(rows, of, shares, count)


def _share(found: Estimate) -> Text:
    return Text(f"{quantities.percent(found.value)} {quantities.shares(*found.ends)}")


OF_SAMPLE = ("squares", "inspected")


def _causes(rows: Sequence[Row], of: Percentiles, shares: Mapping[str, Estimate], count: float) -> Grid:
    """The most frequent first. Where nothing was drawn nobody knows how long they took."""
    found = sorted((cause for cause in CAUSES if shares[cause].value), key=lambda cause: -shares[cause].value)

    def worst(cause: str) -> tuple[float, int]:
        return max((row.value(f"{of.outliers}.worst_ns.{cause}") or 0, row.place) for row in rows)

    def time(cause: str) -> float | None:
        return sum(row.value(f"{of.outliers}.time_ns.{cause}") or 0 for row in rows) or None

    columns: list[Field[str]] = [
        named("cause", str, "bold"),
        Field(head="share", of=lambda cause: _share(shares[cause])),
        Field(head="outliers", unit="count", of=lambda cause: shares[cause].value * count, rank=2),
        Field(head="time", unit="ns", of=time, rank=1),
        Field(head="worst", unit="ns", of=lambda cause: worst(cause)[0] or None),
        column("in", lambda cause: "#{1}".format(*worst(cause)) if worst(cause)[0] else quantities.ABSENT, "dim", 2),
    ]
    return grid(found, *columns)


PERCENTILES = {"p50": 4, "p99": 1, "p99.9": 2, "max": 5}
"""Percentiles of the first distribution next to the headline, with the ranks of their columns."""

OF_FURTHER = {"p50": 2, "p99": 2}  # and those of a further distribution
GOES_FIRST = 14  # rank of the usual headline where another figure leads


def numbered(answer: Answer) -> list[Row]:
    """Return the rows in their places: by experiment, state, number of threads, the best first."""
    if any(row.place for row in answer.rows):
        return [*answer.rows]
    return [replace(row, place=place) for place, row in enumerate(_ordered(answer), start=1)]


def _ordered(answer: Answer) -> list[Row]:
    return [
        row
        for name, declared in answer.declared.items()
        for row in sorted(
            (row for row in answer.rows if row.case.experiment == name),
            key=lambda row: (_state(row), declared.place(row.case) if declared.along else 0, merit(row)),
        )
    ]


def led_by(asked: str | None, answer: Answer) -> Answer:
    """Return the answer with another figure as the headline of each experiment that has it, by which rows are ordered.

    Raises:
        UsageError: no row has it.
    """
    if asked in (None, "headline"):
        return answer
    of_experiments, rows = dict(answer.declared), list(answer.rows)
    for name, declared in answer.declared.items():
        mine = [place for place, row in enumerate(rows) if row.case.experiment == name]
        known = metric(asked, declared, *(rows[place].case for place in mine))
        if known and any(known.figure in rows[place].figures for place in mine):
            head = declared.figure(known.figure).head
            of_experiments[name] = led = replace(declared, headline=known.figure, metric=head, mixed="", other=None)
            for place in mine:  # the last third is one of the other headline
                figures = {key: one for key, one in rows[place].figures.items() if key != LATE_HEADLINE}
                rows[place] = replace(rows[place], declared=led, figures=figures, between_runs=None)
    if of_experiments == answer.declared:
        raise UsageError(f"No row of this run has the metric {asked}.")
    led_rows = replace(answer, declared=of_experiments, rows=tuple(rows))
    return replace(led_rows, rows=tuple(_ordered(led_rows)))


def _state(row: Row) -> tuple[bool, float]:
    """A row's state for sorting, where its CPUs were in several; a single thread first, others of no state last."""
    if row.state and row.of_several:
        return (False, row.state.core_to_core_ns)
    return (row.case.threads > 1, 0.0)


def cases_table(rows: Sequence[Row], declared: Declaration) -> Grid:
    """A line for each row of an experiment, with its headline and the figures that have a column."""
    return grid(
        rows,
        *naming(rows),
        *_headline(rows, declared),
        *_figures(rows, declared),
        across={
            place: Text(": ".join(["no figure", *(one.code for one in row.findings[:1])]), "red")
            for place, row in enumerate(rows)
            if not row.figures
        },
        gaps=[
            place
            for place in range(1, len(rows))
            if _state(rows[place - 1]) != _state(rows[place])
            or (declared.along and declared.place(rows[place - 1].case) != declared.place(rows[place].case))
        ],
    )


def naming(rows: Sequence[Row]) -> list[Field[Row]]:
    """The columns that tell rows apart: number, case, and state where rows are of several, or of one that leads not."""
    width = len(str(rows[-1].place))
    number: Field[Row] = named(
        "#", lambda row: Text(f"{row.place:{width}} ", "dim") + findings.mark(findings.grave(row))
    )
    of_cases = names.columns([row.case for row in rows], rows[0].declared, of=attrgetter("case"))
    if len({row.state.core_to_core_ns for row in rows if row.state}) < 2 and all(row.leads for row in rows):
        return [number, *of_cases]
    return [number, *of_cases, attribute("core_to_core_ns", head="core to core", unit="ns")]


def _leading(rows: Sequence[Row], declared: Declaration) -> Figure:
    """Return the headline by which a column is called: the usual one, if a row leads with it."""
    leads = dict.fromkeys(row.leading.name for row in rows)
    usual = (declared.headline, declared.other.figure if declared.other else "")
    return declared.figure([*(name for name in usual if name in leads), *leads, declared.headline][0])


def _headline(rows: Sequence[Row], declared: Declaration) -> Iterator[Field[Row]]:
    one = _leading(rows, declared)
    found = [row.headline for row in rows]
    ci95 = not any(found) or any(estimate and estimate.kind == "ci95" for estimate in found)

    def over_runs(row: Row) -> Text:
        of = row.between_runs
        found = Estimate(row.number(row.leading.name), *of.ci95, "ci95") if of else None
        return layout.sure(row.leading.unit, found, ends=True)

    yield column(one.head, lambda row: layout.headline(row, one, "bold"))
    several = any(row.between_runs for row in rows)
    if several:
        yield column("95% over runs", over_runs, rank=1)
    yield column(
        ("95% in this run" if several else "95% interval") if ci95 else "range",
        lambda row: layout.sure(row.leading.unit, row.headline, len(row.trials), ends=True),
        rank=4 if several else 1,
    )
    yield Field(head="last third", unit=one.unit, of=lambda row: row.value(LATE_HEADLINE), if_known=True)


def _figures(rows: Sequence[Row], declared: Declaration) -> Iterator[Field[Row]]:
    stay = (*declared.stays, *((declared.tradeoff.quick, declared.tradeoff.cheap) if declared.tradeoff else ()))
    shown = [
        (of.figure(name), rank)
        for of in declared.distributions
        if of.column
        for name, rank in (PERCENTILES if of == declared.distributions[0] else OF_FURTHER).items()
    ]
    leading = _leading(rows, declared).name
    others = (one for one in declared.figures if one.name != leading)
    shown += [
        (one, GOES_FIRST if one.name == declared.headline else one.column.rank + 2)
        for one in others
        if one.column and one.column.of_rows
    ]
    for one, rank in ((one, rank) for one, rank in shown if one.name != leading):
        is_part = not one.read and not one.name.endswith(".samples")
        # a percentile has its interval next to it: it is never known as well as the headline
        field = _figure(one, 0 if one.name in stay else rank, sure=is_part)
        if _is_known(field, rows):
            yield field


def _is_known(field: Field[Line], lines: Sequence[Line]) -> bool:
    """Return whether somebody has a figure, and not all have nothing of what they could have a share of."""
    found = [value.value if isinstance(value, Estimate) else value for value in map(field.of, lines)]
    return any(value is not None and (value or field.unit != "share") for value in found)


def title_of(name: str, cases: Sequence[Case], declared: Declaration) -> Text:
    """Return the heading of an experiment's rows, with what their cases have in common."""
    common = names.shared(cases, declared)
    return Text.assemble((f"\n{name}: {declared.title_of(cases)}", "bold"), (common and f" ({common})", "dim"))


def trials_table(answer: Answer, *, is_part: bool = False) -> Block:
    """List the trials of a run, or of a part of its rows, that ended, in that order, with the pings around each."""
    run, number = answer.run, len(answer.trials)
    of_planned = f"{number:,} of " if run.planned and number < run.planned and not is_part else ""
    ended = f": {of_planned}{counted(run.planned if run.planned and of_planned else number, 'trial')} ended"
    parts: list[Block] = [Text.assemble(("run ", "bold"), moment(run), ended)]
    for name, declared in answer.declared.items():
        seen = [one for one in answer.trials if one.observation.case.experiment == name]
        if seen:
            cases = [one.observation.case for one in seen]
            shown = [one for one in declared.figures if one.column and one.column.of_trials]
            figures = [_of_trial(one, declared) for one in shown]
            fields = [
                named("round", lambda one: str(one.observation.round), "dim"),
                *names.columns(cases, declared, of=lambda one: one.observation.case),
                *(one for one in figures if _is_known(one, seen)),
                column("core to core", lambda one: _ping(one.standing), rank=2, if_known=True),
                column("took", lambda one: quantities.duration(one.observation.wall_ns / 1e9), rank=1),
            ]
            trials = (one.observation for one in seen)
            across = {place: _failure(one) for place, one in enumerate(trials) if not one.figures}
            parts += [title_of(name, cases, declared), grid(seen, *fields, across=across)]
    return Blocks.of(*parts)


def _of_trial(one: Figure, declared: Declaration) -> Field[Observed]:
    def read(seen: Observed) -> float | None:
        trial = seen.observation
        return trial.figures.get(one.name) if one.name in declared.summaries(trial.case) else None

    style = "bold" if one.name == declared.headline else ""
    return Field(head=one.head, unit=one.unit, of=read, rank=one.column.rank if one.column else 0, style=style)


def _ping(one: TrialStates) -> Text:
    if not one.changed:
        return layout.figure("ns", one.core_to_core_ns)
    sides = (layout.figure("ns", ns).plain for ns in (one.before, one.after))
    return Text(f" {quantities.BECAME} ".join(sides), "yellow")


def _failure(one: Observation) -> Text:
    if one.failure is None:
        return Text("nothing was measured", "red")
    return Text(f"{names.plain(one.failure.code)}: {names.plain(one.failure.message)}", "red")
