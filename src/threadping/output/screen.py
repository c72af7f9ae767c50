"""The output of `show`: the first screen with its questions, and every wanted row below it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import LATE_HEADLINE, Declaration, Row, by_experiment
from threadping.analysis.percentiles import Estimate
from threadping.analysis.questions import QuestionLine, question_lines
from threadping.analysis.ranking import answers_of, figure_of, metric_of
from threadping.analysis.states import StateFilter, alike
from threadping.model import quantities
from threadping.model.errors import UnknownName
from threadping.model.run import State, Survey
from threadping.model.text import made_literal, plain
from threadping.output import findings, layout, names, row_tables
from threadping.output.heading import about, heading, moment, not_measured, with_coverage
from threadping.output.layout import Block, Blocks, Grid, GridColumn, Labelled, WidthDependent

MOST_SENTENCES = 3  # maximum number that answer what was asked
MOST_PAIRS_NAMED, MOST_STATES_NAMED = 2, 3  # maximum; of more it says how many they are
NARROWEST_QUESTION = 26  # minimum width of the labels: before they are narrower a runtime is left out
WIDEST_LABEL, NARROW_LABEL = 40, 34  # maximum length of an operation and its only mechanism on one line
THERE_AND_BACK = "\N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW}"
TAILS = {"p99": 3, "p99.9": 6}  # the percentiles next to a figure, and how early their columns go where not all fit
WIDE = 100  # minimum number of columns of a wide terminal


def above_questions(answer: Answer, asked: Sequence[QuestionLine], shown: Answer | None = None) -> Iterator[Block]:
    """Print what may be wrong, what the `shown` part answers, the heading, and the distances of the CPUs."""
    yield from findings.unusable(answer)
    if (covered := with_coverage(answer)) and not answer.run.study.compared:  # which its verdict says
        yield Text(f"{covered}.", "bold")
    yield from leading_sentences(shown or answer, asked if shown else ())
    yield from heading(answer)
    if answer.states.found:
        yield from [] if asked else [Text()]
        of = (row for line in asked for rows in line.rows.values() for row in rows)
        yield from core_to_core(answer, below=any(row.of_several for row in of))


def leading_sentences(answer: Answer, asked: Sequence[QuestionLine] = ()) -> Iterator[Block]:
    """Say what a run answers that asks no question of its own; of several experiments the first of all it is asked."""
    if isinstance(answer.run.study, Survey):
        experiments = {row.case.experiment for row in answer.rows}
        said = overview(asked or question_lines(answer)) if len(experiments) > 1 else _sentences(answer.rows)
        yield from (Text(sentence, "bold") for sentence in said)


def _sentences(rows: Sequence[Row]) -> Iterator[str]:
    """Say what the rows of one experiment answer, in three sentences at most."""
    if rows:
        yield from islice((*answers_of(rows), *rows[0].declared.answers(rows)), MOST_SENTENCES)


def overview(asked: Sequence[QuestionLine]) -> Iterator[str]:
    """Say in a sentence what the operations of the first experiment take; nothing if it has no latency."""
    lines = {line.operation: line for line in reversed(asked) if line.ratio and line.experiment == asked[0].experiment}
    rows = [next(iter(line.rows.values()))[-1] for line in reversed(lines.values())]
    parts = [f"{figure_of(row)} {'blocked' if row.case.blocking else 'spinning'}" for row in rows if row.headline]
    if parts:
        metric = metric_of(rows[0])
        yield plain(f"{metric[:1].upper()}{metric[1:]}: {', '.join(parts)}.")


def answered(answer: Answer, asked: Sequence[QuestionLine]) -> WidthDependent:
    """Return the answers to at least one question."""
    runtimes = [one.label for one in answer.run.runtimes]
    return WidthDependent(
        lambda _, options: [questions(asked, runtimes, wide=options.max_width >= WIDE)],
        instead=lambda: questions(asked, runtimes),
    )


def asks(answer: Answer) -> list[QuestionLine]:
    """The newcomer's questions that a run of several experiments answers."""
    return question_lines(answer) if len({row.case.experiment for row in answer.rows}) > 1 else []


def core_to_core(answer: Answer, *, below: bool = False, most: int | None = MOST_PAIRS_NAMED) -> Iterator[Block]:
    """Print the core-to-core latency of each pair of CPUs in its placement states, the longest state first."""
    states = answer.states
    held = {pair: sorted(of, key=lambda one: -one.share) for pair in states.pairs if (of := states.of_pair(pair))}
    each: list[tuple[str, ...]] = []
    for pair, found in held.items():
        shares = [f"{_with_range(one)} {quantities.percent(one.share)}" for one in found]
        shares = shares if len(shares) <= MOST_STATES_NAMED else [*shares[:2], f"{len(shares) - 2} more"]
        written = f"{', '.join(shares)}; {quantities.counted(states.changes.get(pair, 0), 'change')}"
        if not found[1:]:
            pings = quantities.counted(found[0].pings, "ping")
            written = shares[0] if found[0].share < 1 else f"{_with_range(found[0])}, one state, {pings}"
        pair_of_cpus = f" {THERE_AND_BACK} ".join(map(str, pair))
        each.append(("" if each else "CORE TO CORE", pair_of_cpus, written))
    yield Labelled(each[:most], style="bold", between=3)
    more = len(each[len(each) if most is None else most :])
    notes = [f"and {quantities.counted(more, 'more pair')}"] if more else []
    if below and len(each) == 1:
        longest = quantities.time(next(iter(held.values()))[0].core_to_core_ns)
        notes += [f"results that depend on it were measured in the {longest} state"]
    elif below:
        notes += ["results that depend on it: in each pair's longest state"]
    if notes:
        yield Text(f"{'; '.join(notes).capitalize()}.", "dim")


def _with_range(state: State) -> str:
    """Write the latency of a state and the range of its pings, with their ratio where unlike pings are one state."""
    middle, ends = quantities.time(state.core_to_core_ns), quantities.span(state.range)
    spread = "" if alike(*state.range) else f", spread by {state.range[1] / state.range[0]:.1f}x"
    return middle if ends == middle else f"{middle} ({ends}{spread})"


def questions(asked: Sequence[QuestionLine], runtimes: Sequence[str], *, wide: bool = True) -> Block:
    """Return the answers, a line for each question below its operation, with two columns for each runtime.

    An operation of one line is in the same line if the two fit there. `wide` has p99.9 too, and ratios to the first.
    """
    measured = {runtime for line in asked for runtime in line.rows}
    times = Counter(line.experiment for line in asked if line.ratio is not None)
    several = Counter(line.operation for line in asked)
    places: list[QuestionLine | None] = []
    names: list[Text] = []
    headings: dict[int, Text] = {}
    for line in asked:
        alone = f"{line.operation} ({line.label})"
        if several[line.operation] == 1 and len(alone) <= (WIDEST_LABEL if wide else NARROW_LABEL):
            places, names = [*places, line], [*names, Text(plain(alone))]
            continue
        if line.operation not in {one.operation for one in places if one}:
            headings[len(places)] = Text(plain(line.operation), "bold")
            places, names = [*places, None], [*names, Text()]
        places, names = [*places, line], [*names, Text(f"  {plain(line.label)}")]

    def ratio(line: QuestionLine) -> str:
        return "" if line.ratio is None or times[line.experiment] < 2 else f"{_two_digits(line.ratio)}x"

    def every(cells: Mapping[int, Text]) -> list[Text]:
        return [cells.get(place, Text()) for place in range(len(places))]

    columns = [GridColumn("", names, names=True, least=NARROWEST_QUESTION)]
    for rank, label in enumerate(one for one in runtimes if one in measured):
        answers = {place: line.rows.get(label, ()) for place, line in enumerate(places) if line}
        each = {place: (line, answers[place]) for place, line in enumerate(places) if line}
        whole, short = (every(_figures(each, whole=whole)) for whole in (True, False))
        columns.append(GridColumn(plain(label), short, min(rank, 2), with_intervals=partial(list, whole)))
        for part, order in (TAILS if wide else {"p99": TAILS["p99"]}).items():
            tails = {place: tail for place, rows in answers.items() if (tail := _tail(places[place], rows, part))}
            if tails:
                columns.append(GridColumn(part, every(tails), order + rank, title=f"{part} of {plain(label)}"))
    shown = {place: Text(ratio(line)) for place, line in enumerate(places) if line}
    if wide and any(text.plain for text in shown.values()):
        columns.append(GridColumn("vs top", every(shown), rank=3 + len(columns)))
    rates = " For rates (/s) higher is better." if any(line.figure.unit == "per_s" for line in asked) else ""
    trips = any(line.timed not in ("", line.figure.name.partition(".")[0]) for line in asked)
    how_to_read = f"Lower is better.{rates}" + f" {THERE_AND_BACK}: of round trips." * trips
    return Blocks.of(Grid(columns, headings=headings, rule=False), Text(how_to_read, "dim"))


def _tail(line: QuestionLine | None, rows: Sequence[Row], part: str) -> Text | None:
    """Write the p99 or p99.9 of the last row; None if its samples do not carry one, or the figure is a rate."""
    value = rows[-1].value(f"{line.timed}.{part}") if line and rows and line.timed else None
    if value is None or line is None:
        return None
    is_of_figure = line.timed == line.figure.name.partition(".")[0]
    return Text(("" if is_of_figure else THERE_AND_BACK) + quantities.time(value))


def _figures(answers: Mapping[int, tuple[QuestionLine, Sequence[Row]]], *, whole: bool) -> dict[int, Text]:
    """Return the cells of a runtime, with figures, intervals and marks aligned; not `whole` without intervals."""
    every = {place: _cell(line, rows) for place, (line, rows) in answers.items()}
    parts = {place: (figure, reach if whole else Text(), mark) for place, (figure, reach, mark) in every.items()}
    interval = max(reach.cell_len for _, reach, _ in parts.values())
    marked = max(mark.cell_len for *_, mark in parts.values())
    width = max(figure.cell_len + (1 + interval if reach else 0) for figure, reach, _ in parts.values())
    made = {}
    for place, (figure, reach, mark) in parts.items():
        if reach:
            reach.pad_right(interval - reach.cell_len)
            figure = Text(" ").join((figure, reach))
        figure.pad_left(width - figure.cell_len)
        mark.pad_right(marked - mark.cell_len)
        made[place] = Text(" ").join((figure, mark)) if marked else figure
    return made


def _cell(line: QuestionLine, rows: Sequence[Row]) -> tuple[Text, Text, Text]:
    """A figure, half of its interval, its mark; or the figures of the fewest and most threads: `86.1 → 21.0 M`."""
    grave = [level for row in rows if (level := findings.grave(row))]
    mark = findings.mark(grave[0] if grave else None)
    found = {row.case.groups: one for row in rows if (one := row.figures.get(line.figure.name))}
    if not found:
        return layout.figure(line.figure.unit, None), Text(), mark
    unit = line.figure.unit
    if len(line.counts) == 1:
        (one,) = found.values()
        return layout.figure(unit, one.value), _interval(line, rows[-1], one), mark
    each = (found.get(count) for count in line.counts)
    fewest, most = (layout.written(unit, one.value) if one else quantities.ABSENT for one in each)
    written = most.partition(" ")[2]
    shown = fewest.removesuffix(f" {written}") if written else fewest
    few = row_tables.MARK_OF_FEW if any(map(row_tables.is_of_few, rows)) else ""
    return Text(f"{shown} {quantities.BECAME} {most}{few}"), Text(), mark


def _interval(line: QuestionLine, row: Row, found: Estimate) -> Text:
    if line.with_regime:
        value = row.value(line.with_regime.name)
        return Text(" ".join(filter(None, (row.regime, "" if value is None else _two_digits(value)))), "dim")
    late = row.value(LATE_HEADLINE)
    if late is not None and line.figure == row.leading:
        return Text(f"last third {layout.written(line.figure.unit, late)}", "red")
    return layout.sure(line.figure.unit, found, len(row.trials))


def _two_digits(ratio: float) -> str:
    """More than its trials carry are not shown: of 986 and 973 one is as true as the other."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 9.95 else f"{ratio:.1f}".removesuffix(".0")


class RowView(Struct, frozen=True):
    """The part of an answer that is shown below the first screen."""

    experiment: str | None = None  # only this one's rows
    state: StateFilter | None = None  # only rows of this state, and those of no state
    mechanisms: Sequence[str] = ()  # only rows of these mechanisms, runtimes and placements; empty for any
    runtimes: Sequence[str] = ()
    placements: Sequence[str] = ()
    metric: str | None = None  # the figure that leads and orders rows; None for the headline
    percentiles: bool = False  # every percentile and the histograms alone
    outliers: bool = False  # the causes of outliers alone
    trials: bool = False  # trials one by one, in place of rows

    @property
    def is_part(self) -> bool:
        return replace(self, percentiles=False, outliers=False, trials=False) != EVERY_ROW

    @property
    def stands_alone(self) -> bool:
        """Return whether it is shown without what leads a run."""
        return self.percentiles or self.outliers or self.trials


EVERY_ROW = RowView()


def only(answer: Answer, detail: RowView | None) -> Answer:
    """Return the answer with the wanted rows alone, each in its place, and their trials; raise UnknownName."""
    if not detail or not detail.is_part:
        return answer
    rows = row_tables.numbered(answer)
    for kind, asked, path in (
        ("experiment", [detail.experiment] if detail.experiment else [], "experiment"),
        ("mechanism", detail.mechanisms, "mechanism"),
        ("runtime", detail.runtimes, "runtime"),
        ("placement", detail.placements, "placement.name"),
    ):
        read = attrgetter(f"case.{path}")
        known = list(dict.fromkeys(read(row) for row in rows))
        wanted = {name for one in asked for name in _meant(kind, one, known)}
        rows = [row for row in rows if not asked or read(row) in wanted]
    rows = [row for row in rows if _is_of_state(answer, row, detail.state)]
    kept = {id(one) for row in rows for one in (row.trials if row.state else row.ended)}
    trials = tuple(one for one in answer.trials if id(one.observation) in kept)
    return row_tables.led_by(detail.metric, replace(answer, rows=tuple(rows), trials=trials))


def _meant(kind: str, asked: str, known: list[str]) -> list[str]:
    """Return the names that are meant: the one that is spelled so, else those that contain it; raise UnknownName."""
    plainly = asked.lower().replace("_", "-").removeprefix("std::")
    meant = [name for name in known if name == asked] or [name for name in known if plainly in name]
    if not meant:
        raise UnknownName(f"{kind} of this run", asked, known)
    return meant


def tables_of(answer: Answer, detail: RowView = EVERY_ROW) -> Block:
    """Return the first screen, and below it every wanted row, experiment by experiment, with what is found of each.

    Trials are alone, percentiles and causes of outliers alone below the name of the run.
    """
    of = only(answer, detail)
    if detail.trials:
        return row_tables.trials_table(of, is_part=detail.is_part)
    if detail.stands_alone:
        return Blocks.of(
            *findings.unusable(answer), Text.assemble(("run ", "bold"), moment(answer.run)), *_alone(of, detail)
        )
    asked = [] if detail.is_part else asks(answer)
    answers = [answered(answer, asked)] if asked else []
    top = above_questions(answer, asked, of)
    return Blocks.of(*top, *answers, *rows_of(of), *not_measured(answer), Text(), about(answer))


def _alone(answer: Answer, detail: RowView) -> Iterator[Block]:
    """Print the percentiles, or the causes of outliers, of each experiment; or that it has none."""
    for name, rows in by_experiment(row_tables.numbered(answer)).items():
        declared = answer.declared[name]
        yield row_tables.title_of(name, [row.case for row in rows], declared)
        if detail.percentiles:
            yield from [*row_tables.percentiles_tables(rows, declared)] or ["No operation was timed by itself."]
        if detail.outliers:
            yield from [*row_tables.outliers_tables(rows, declared)] or ["No outliers."]


def rows_of(answer: Answer) -> Iterator[Block]:
    shown = row_tables.numbered(answer)
    of_each = by_experiment(shown)
    for name, rows in of_each.items():
        declared = answer.declared[name]
        yield row_tables.title_of(name, [row.case for row in rows], declared)
        if len(of_each) > 1 or not isinstance(answer.run.study, Survey):
            yield from (Text(sentence, "bold") for sentence in _sentences(rows))
        yield from leading_tables(answer, rows, declared)
    if foreign := {
        names.plain(one.experiment): None for one in answer.run.cases if one.experiment not in answer.declared
    }:
        yield Text(f"\nNot shown: cases of {', '.join(foreign)}, which this threadping does not know.", "yellow")
    yield from (Text(), *findings.of_rows(shown), *findings.of_chance(shown), *findings.of_machine(answer), Text())
    for name in of_each:
        yield from (Text(f"{name}: {made_literal(note)}", "dim") for note in answer.declared[name].notes)
    codes = [*(one.code for one in findings.found(answer.rows)), *(one.code for one in answer.findings)]
    command = findings.explain(answer, next((one for one in codes if one not in findings.SHOWN_ELSEWHERE), "median"))
    yield Text(f"{command} says what that means, as of any word.", "dim")


def _is_of_state(answer: Answer, row: Row, wanted: StateFilter | None) -> bool:
    if wanted is None or row.state is None:
        return True
    seen = [state.core_to_core_ns for pair in row.case.placement.pairs for state in answer.states.of_pair(pair)]
    return wanted.holds(row.state.core_to_core_ns, seen)


def leading_tables(answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Print what leads, what is varied, rows side by side, and every row of an experiment."""
    if declared.tradeoff:
        yield from row_tables.frontier_table(rows, declared, declared.tradeoff)
    if declared.curves:
        yield from row_tables.curve_tables(answer, rows, declared)
    if declared.dimensions:
        yield from row_tables.pivots(rows, declared)
    yield row_tables.cases_table(rows, declared)
