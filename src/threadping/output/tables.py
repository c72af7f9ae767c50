"""The tables of a run's rows, and of their distributions."""

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Figure, Percentiles, not_in_result
from threadping.analysis.outliers import CAUSES
from threadping.analysis.percentiles import PERCENTILE_NAMES, Estimate, mixture
from threadping.analysis.runs import scatter_of_rows
from threadping.analysis.states import Standing, Wanted
from threadping.model import quantities
from threadping.model.contract import Distribution
from threadping.model.errors import UnknownName
from threadping.model.proposals import made_literal
from threadping.model.run import Observation
from threadping.output import cells, findings, names
from threadping.output.grid import Block, Blocks, Grid, GridColumn, column, figures, grid, known, named, sure_figures
from threadping.output.heading import about, moment, not_measured
from threadping.output.points import curve_tables, frontier_table, top
from threadping.output.sheets import merit, pivots

BARS = "\N{LOWER ONE EIGHTH BLOCK}▂▃▄▅▆▇█"
FOLD = 3  # A bar is one step higher for so many times the share: the rarest would be invisible beside the most frequent

A_DECADE = 5  # Bars of each power of ten, as many as its label needs

LABELS = ("1n", "10n", "100n", "1µ", "10µ", "100µ", "1m", "10m", "100m", "1s", "10s", "100s", "1000s", "")

RANKS = {"min": 6, "p90": 4, "p95": 5, "p99.9": 2, "max": 1, "samples": 3}
"""Percentiles in the order in which they go where not all fit."""


def percentiles_tables(naming: Sequence[GridColumn], rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """For each distribution that has samples every percentile that they carry, and how many they are."""
    for of in declared.distributions:
        if any(row.value(f"{of.name}.samples") for row in rows):
            yield Text(f"\n{of.head or of.noun}", "bold")
            each = (
                sure_figures(name, one.unit, [row.figures.get(one.name) for row in rows], RANKS.get(name, 0))
                for name, one in ((name, of.figure(name)) for name in (*PERCENTILE_NAMES, "samples"))
            )
            yield grid(*naming, *each, silent=True)


def histograms(naming: Sequence[GridColumn], rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """A line for each row, with a histogram of each distribution of times, on an axis that all rows share."""
    if not any(row.timed(of.name) for row in rows for of in declared.timed):
        return
    yield Text()
    each = (_histogram(of, [row.timed(of.name) for row in rows], place) for place, of in enumerate(declared.timed))
    yield grid(*naming, *each)
    yield Text(f"A bar is one step higher for {FOLD} times as many; every trial weighs the same.", "dim")


def _histogram(of: Percentiles, timed: Sequence[Sequence[Distribution]], rank: int) -> GridColumn:
    ends = [max(ns, 1) for trials in timed for one in trials for ns in (one.values[0], one.values[-1])]
    first, last = (math.floor(math.log10(max(end(ends, default=1), 1))) for end in (min, max))
    scale = "".join(label.ljust(A_DECADE) for label in LABELS[first : last + 1]).rstrip()
    head = f"{of.head or of.noun} "
    bars = [Text(" " * len(head) + _bars(trials, first, last + 1), "cyan", justify="left") for trials in timed]
    return GridColumn(f"{head}{scale}", bars, rank)


def _bars(trials: Sequence[Distribution], first: int, last: int) -> str:
    """A character for each fifth of a decade from 10^first to 10^last ns."""
    shares = [0.0] * (A_DECADE * (last - first))
    if trials:
        values, reached = mixture(trials)
        before = 0.0
        for ns, share in zip(values, reached, strict=True):
            place = math.floor(A_DECADE * (math.log10(max(float(ns), 1)) - first))
            shares[min(max(place, 0), len(shares) - 1)] += float(share) - before
            before = float(share)
    return "".join(_bar(share) for share in shares)


def _bar(share: float) -> str:
    return BARS[max(0, len(BARS) - 1 - math.floor(math.log(1 / share, FOLD)))] if share > 0 else " "


def outliers_tables(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """For each distribution with outliers a line for each cause: how many, how long in all, and the worst."""
    for of in declared.timed:
        if count := sum(row.value(f"{of.outliers}.count") or 0 for row in rows):
            samples = sum(row.value(f"{of.name}.samples") or 0 for row in rows)
            least = [value for row in rows if (value := row.value(f"{of.outliers}.threshold_ns")) is not None]
            title = f"\noutliers: {count:,.0f} of {samples:,.0f} {of.noun}"
            yield Text.assemble((title, "bold"), (f", from {quantities.span(least)} on", "dim"))
            yield _causes(rows, of, count)


def _causes(rows: Sequence[Row], of: Percentiles, count: float) -> Grid:
    """The most frequent first. How long those took that were not kept one by one is not known."""
    each = {cause: [row.value(f"{of.outliers}.causes.{cause}") or 0 for row in rows] for cause in CAUSES}
    found = sorted((cause for cause in CAUSES if any(each[cause])), key=lambda cause: -sum(each[cause]))
    times = [sum(row.value(f"{of.outliers}.time_ns.{cause}") or 0 for row in rows) for cause in found]
    worst = [max((row.value(f"{of.outliers}.worst_ns.{cause}") or 0, row.place) for row in rows) for cause in found]
    return grid(
        named("cause", found, "bold"),
        figures("outliers", "count", (sum(each[cause]) for cause in found)),
        figures("share", "share", (sum(each[cause]) / count for cause in found)),
        figures("time", "ns", (ns or None for ns in times), 1),
        figures("worst", "ns", (ns or None for ns, _ in worst)),
        column("in", (f"#{number}" if ns else quantities.ABSENT for ns, number in worst), "dim", 2),
    )


PERCENTILES = {"p50": 4, "p99": 1, "p99.9": 3, "max": 5}
"""Those of the first distribution that stand beside the headline, with the ranks of their columns."""

OF_FURTHER = {"p50": 2, "p99": 2}  # And those of a further one


class Detail(Struct, frozen=True):
    """What of an answer is shown."""

    experiment: str | None = None  # only this one's rows
    state: Wanted | None = None  # only rows of this state, and those of no state
    percentiles: bool = False  # every percentile and the histograms too
    outliers: bool = False  # the causes of outliers too

    @property
    def is_part(self) -> bool:
        """Whether rows and trials are left out."""
        return self.experiment is not None or self.state is not None


class Shown(Struct, frozen=True, kw_only=True):
    """How much of a run is shown."""

    detail: Detail | None = None  # which rows, and how much of each; None for the first screen
    trials: bool = False  # whether trials are shown one by one


def only(answer: Answer, detail: Detail) -> Answer:
    """The answer with nothing but the wanted rows, each in its place, and their trials: for every format alike.

    Raises:
        UnknownName: the run has no rows of that experiment.
    """
    experiments = list(dict.fromkeys(row.case.experiment for row in answer.rows))
    if detail.experiment is not None and detail.experiment not in experiments:
        raise UnknownName("experiment of this run", detail.experiment, experiments)
    if not detail.is_part:
        return answer
    placed = {(row.case, row.state): row for row in numbered(answer)}
    rows = tuple(placed[row.case, row.state] for row in answer.rows if _is_wanted(answer, row, detail))
    kept = {id(one) for row in rows for one in (row.trials if row.state else row.ended)}
    return replace(answer, rows=rows, trials=tuple(one for one in answer.trials if id(one.observation) in kept))


def tables_of(answer: Answer, detail: Detail | None = None) -> Block:
    """The first screen, and below it every wanted row, experiment by experiment, with what is found of each.

    Raises:
        UnknownName: the run has no rows of that experiment.
    """
    detail = detail or Detail()
    shown = only(answer, detail)
    shows = (
        *top(answer),
        *_between_runs(answer),
        *rows_of(shown, detail),
        *not_measured(answer),
        Text(),
        about(answer),
    )
    return Blocks.of(*shows)


def _between_runs(answer: Answer) -> Iterator[Block]:
    """How runs like this one differ, in a line; nothing where the store has too few."""
    known = [row for row in answer.rows if row.between_runs]
    scatter = scatter_of_rows(known)
    if scatter is None:
        return
    runs = sorted({row.between_runs.runs for row in known if row.between_runs})
    number = f"{runs[0]}" if runs[0] == runs[-1] else f"{runs[0]} to {runs[-1]}"
    of = "its row" if len(known) == 1 else f"{len(known)} rows"
    yield Text(
        f"Like runs: of {of}, the figures of {number} runs of this machine scatter {scatter:.1f} times as much as "
        "their trials explain (1 if runs were alike).",
        "dim",
    )


def rows_of(answer: Answer, detail: Detail) -> Iterator[Block]:
    """The tables of each experiment, and what is found of their rows."""
    shown = numbered(answer)
    for name, declared in answer.declared.items():
        if mine := [row for row in shown if row.case.experiment == name]:
            yield Text(f"\n{name}: {declared.title}", "bold")
            yield from _experiment(answer, mine, declared, detail)
            yield from (Text(sentence, "bold") for sentence in declared.answers(mine))
    if foreign := {
        names.plain(one.experiment): None for one in answer.run.cases if one.experiment not in answer.declared
    }:
        yield Text(f"\nNot shown: cases of {', '.join(foreign)}, which this threadping does not know.", "yellow")
    yield from (
        Text(),
        *findings.of_rows(answer, shown),
        *findings.of_chance(shown),
        *findings.of_machine(answer),
        *_notes(answer, shown),
    )


def _notes(answer: Answer, shown: Sequence[Row]) -> Iterator[Block]:
    yield Text()
    for name in dict.fromkeys(row.case.experiment for row in shown):
        yield from (Text(f"{name}: {made_literal(note)}", "dim") for note in answer.declared[name].notes)
    command = findings.explain(answer, findings.gravest(answer) or "median")
    yield Text(f"{command} says what that means, as of any word; a wider terminal shows more columns.", "dim")


def numbered(answer: Answer) -> list[Row]:
    """The rows in their places: by experiment, by state, the nearest first, by number of threads, the best first.

    Those that are left of more rows keep theirs.
    """
    if any(row.place for row in answer.rows):
        return sorted(answer.rows, key=lambda row: row.place)
    ordered = [
        row
        for name, declared in answer.declared.items()
        for row in sorted(
            (row for row in answer.rows if row.case.experiment == name),
            key=lambda row: (_state(row), declared.place(row.case) if declared.along else 0, merit(row)),
        )
    ]
    return [replace(row, place=place) for place, row in enumerate(ordered, start=1)]


def _state(row: Row) -> tuple[bool, float]:
    """A row's state for sorting, where its CPUs were in several; a single thread first, others of no state last."""
    if row.state and row.of_several:
        return (False, row.state.core_to_core_ns)
    return (row.case.threads > 1, 0.0)


def _is_wanted(answer: Answer, row: Row, detail: Detail) -> bool:
    """Whether a row is among those that are shown."""
    if detail.experiment not in (None, row.case.experiment):
        return False
    if detail.state is None or row.state is None:
        return True
    seen = [state.core_to_core_ns for pair in row.case.placement.pairs for state in answer.states.of_pair(pair)]
    return detail.state.holds(row.state.core_to_core_ns, seen)


def leading_tables(answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """What leads, what is varied, rows side by side, and every row of an experiment."""
    yield from frontier_table(rows, declared)
    yield from curve_tables(answer, rows, declared)
    yield from pivots(rows, declared)
    yield cases_table(rows, declared)


def _experiment(answer: Answer, rows: Sequence[Row], declared: Declaration, detail: Detail) -> Iterator[Block]:
    yield from leading_tables(answer, rows, declared)
    if detail.percentiles:
        yield from percentiles_tables(naming(rows), rows, declared)
        if declared.histograms:
            yield from histograms(naming(rows), rows, declared)
    if detail.outliers:
        yield from outliers_tables(rows, declared)


def cases_table(rows: Sequence[Row], declared: Declaration) -> Grid:
    """A line for each row of an experiment, with its headline and the figures that have a column."""
    return grid(
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
        silent=True,
    )


def naming(rows: Sequence[Row]) -> list[GridColumn]:
    """The columns that tell rows apart: number, case and state."""
    return [_numbers(rows), *names.columns([row.case for row in rows], rows[0].declared), *_states(rows)]


def _numbers(rows: Sequence[Row]) -> GridColumn:
    width = len(str(rows[-1].place))
    return named("#", (Text(f"{row.place:{width}} ", "dim") + findings.mark(findings.grave(row)) for row in rows))


def _states(rows: Sequence[Row]) -> list[GridColumn]:
    """Only where rows are of several states, or of another one than leads."""
    if len({row.state.core_to_core_ns for row in rows if row.state}) < 2 and all(row.leads for row in rows):
        return []
    return [figures("core to core", "ns", (row.core_to_core_ns for row in rows))]


def _headline(rows: Sequence[Row], declared: Declaration) -> Iterator[GridColumn]:
    called = {row.leading.head for row in rows}
    one = rows[0].leading if len(called) == 1 else declared.leading
    found = [row.headline for row in rows]
    yield GridColumn(one.head, [cells.headline(row, one, "bold") for row in rows])
    reach = [cells.interval(one.unit, estimate, len(row.trials)) for estimate, row in zip(found, rows, strict=True)]
    ci95 = not any(found) or any(estimate and estimate.kind == "ci95" for estimate in found)
    yield GridColumn("95% interval" if ci95 else "range", reach, rank=1)
    yield from known(figures("last third", one.unit, (row.late.value if row.late else None for row in rows)))
    between = [row.between_runs for row in rows]
    if any(between):
        ends = [Estimate(of.low, of.low, of.high, "ci95") if of else None for of in between]
        yield GridColumn("like runs", [cells.interval(one.unit, each, 0) for each in ends], rank=4)


def _figures(rows: Sequence[Row], declared: Declaration) -> Iterator[GridColumn]:
    """The tail of the first distribution, something of the others, and the other figures that have a column."""
    stay = (*declared.stays, *((declared.tradeoff.quick, declared.tradeoff.cheap) if declared.tradeoff else ()))
    shown = [
        (of.figure(name), rank)
        for of in declared.distributions
        if of.column
        for name, rank in (PERCENTILES if of == declared.distributions[0] else OF_FURTHER).items()
    ]
    headlines = {declared.headline, *(name for name in {row.leading.name for row in rows} if _leads_all(name, rows))}
    others = (one for one in declared.figures if one.name not in headlines)
    shown += [(one, one.column.rank) for one in others if one.column and one.column.of_rows]
    for one, rank in shown:
        yield from _figure(one, 0 if one.name in stay else rank, [row.figures.get(one.name) for row in rows])


def _leads_all(name: str, rows: Sequence[Row]) -> bool:
    return all(row.leading.name == name for row in rows)


def _figure(one: Figure, rank: int, found: Sequence[Estimate | None], style: str = "") -> Iterator[GridColumn]:
    """One column of figures; none where nobody has one, or all have nothing of what they could have a share of.

    A percentile has its interval beside it: it is never known as well as the headline.
    """
    if not any(each and (each.value or one.unit != "share") for each in found):
        return
    if one.read is not_in_result and not one.name.endswith(".samples"):
        yield sure_figures(one.head, one.unit, found, rank, style)
    else:
        yield figures(one.head, one.unit, (each.value if each else None for each in found), rank, style)


def trials_table(answer: Answer) -> Block:
    """List the trials of a run that ended, in the order in which they did, with the reference pings around each."""
    run = answer.run
    missing = run.planned and len(answer.trials) < run.planned
    of_planned = f" of {quantities.counted(run.planned, 'trial')}" if run.planned and missing else " trials"
    ended = f": {len(answer.trials):,}{of_planned} ended"
    parts: list[Block] = [Text.assemble(("run ", "bold"), moment(run), ended)]
    for name, declared in answer.declared.items():
        seen = [one for one in answer.trials if one.observation.case.experiment == name]
        if trials := [one.observation for one in seen]:
            columns = [
                named("round", (str(one.round) for one in trials), "dim"),
                *names.columns([one.case for one in trials], declared),
                *_of_trials(trials, declared),
                *known(GridColumn("core to core", [_ping(one.standing) for one in seen], rank=2)),
                column("took", (quantities.duration(one.wall_ns / 1e9) for one in trials), rank=1),
            ]
            across = {place: _failure(one) for place, one in enumerate(trials) if not one.figures}
            parts += [Text(f"\n{name}: {declared.title}", "bold"), grid(*columns, across=across)]
    return Blocks.of(*parts)


def _of_trials(trials: Sequence[Observation], declared: Declaration) -> Iterator[GridColumn]:
    for one in declared.figures:
        if one.column and one.column.of_trials:
            values = [
                Estimate(trial.figures[one.name])
                if one.name in trial.figures and declared.tells(one.name, trial.case)
                else None
                for trial in trials
            ]
            yield from _figure(one, one.column.rank, values, "bold" if one.name == declared.headline else "")


def _ping(one: Standing) -> Text:
    """How far the CPUs were from each other: one figure where they stayed, both where they did not."""
    if not one.crossed:
        return cells.figure("ns", one.core_to_core_ns)
    sides = (cells.figure("ns", ns).plain for ns in (one.before, one.after))
    return Text(f" {quantities.BECAME} ".join(sides), "yellow")


def _failure(one: Observation) -> Text:
    if one.failure is None:
        return Text("nothing was measured", "red")
    return Text(f"{names.plain(one.failure.code)}: {names.plain(one.failure.message)}", "red")
