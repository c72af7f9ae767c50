"""The output of `show`: the first screen with its questions, and every wanted row below it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.percentiles import FEWEST_FOR_A_RANGE, Estimate
from threadping.analysis.questions import MORE, QuestionLine, question_lines
from threadping.analysis.runs import scatter_of_rows
from threadping.analysis.states import StateFilter
from threadping.model import quantities
from threadping.model.errors import UnknownName
from threadping.model.text import made_literal, plain
from threadping.output import findings, layout, names, row_tables
from threadping.output.heading import about, coverage_sentence, heading, not_measured
from threadping.output.layout import Block, Blocks, Field, Grid, Labelled, column, grid, named

MOST_PAIRS_NAMED, MOST_STATES_NAMED = 2, 3  # maximum; of more it says how many they are
NARROWEST_QUESTION = 26  # Questions are not wrapped to less before a runtime goes


def top(answer: Answer) -> Iterator[Block]:
    asked = asks(answer)
    yield from (*above_questions(answer, asked), *answered(answer, asked))


def above_questions(answer: Answer, asked: Sequence[QuestionLine]) -> Iterator[Block]:
    """Print what may be wrong with the whole run, the heading, and how far the CPUs were from each other."""
    yield from findings.unusable(answer)
    if (covered := coverage_sentence(answer)) and not answer.run.study.compared:  # which its verdict says
        yield Text(f"M{covered[1:]}.", "bold")
    yield from heading(answer)
    if answer.states.found:
        yield Text()
        shown = (row for line in asked for rows in line.rows.values() for row in rows)
        yield from core_to_core(answer, below=any(row.of_several for row in shown))


def answered(answer: Answer, asked: Sequence[QuestionLine]) -> Iterator[Block]:
    if asked:
        yield Text()
        yield questions(answer, asked)


def is_few(rows: Sequence[Row]) -> bool:
    """Return whether a row has too few trials for a range of its figure."""
    return any(len(row.trials) < FEWEST_FOR_A_RANGE for row in rows)


def asks(answer: Answer) -> list[QuestionLine]:
    """The newcomer's questions that a run of several experiments answers."""
    return question_lines(answer) if len({row.case.experiment for row in answer.rows}) > 1 else []


def core_to_core(answer: Answer, *, below: bool = False, most: int | None = MOST_PAIRS_NAMED) -> Iterator[Block]:
    """Print how the time of each pair of CPUs divides among its states, the longest first."""
    states = answer.states
    held = {pair: sorted(of, key=lambda one: -one.share) for pair in states.pairs if (of := states.of_pair(pair))}
    each: list[tuple[str, ...]] = []
    for pair, found in held.items():
        shares = [f"{quantities.time(one.core_to_core_ns)} {quantities.percent(one.share)}" for one in found]
        shares = shares if len(shares) <= MOST_STATES_NAMED else [*shares[:2], f"{len(shares) - 2} more"]
        said = f"{', '.join(shares)}; {quantities.counted(states.changes.get(pair, 0), 'change')}"
        if not found[1:]:  # that no ping was unlike is known, and not that none would have been
            all_pings = f"in all of {quantities.counted(found[0].pings, 'ping')}"
            said = f"{quantities.time(found[0].core_to_core_ns)} {all_pings}" if found[0].share == 1 else shares[0]
        each.append(
            ("" if each else "CORE TO CORE", " \N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW} ".join(map(str, pair)), said)
        )
    yield Labelled(each[:most], style="bold", between=3)
    more = len(each[len(each) if most is None else most :])
    notes = [f"and {quantities.counted(more, 'more pair')}"] if more else []
    if below and len(each) == 1:
        longest = quantities.time(next(iter(held.values()))[0].core_to_core_ns)
        notes += [f"figures that depend on it are of the time at {longest}"]
    elif below:
        notes += ["figures that depend on it: of each pair's longest state"]
    if notes:
        yield Text(f"{'; '.join(notes).capitalize()}.", "dim")


def questions(answer: Answer, asked: Sequence[QuestionLine]) -> Grid:
    """A line for each question, with a column for each runtime."""
    measured = {runtime for line in asked for runtime in line.rows}
    runtimes = [one.label for one in answer.run.runtimes if one.label in measured]
    times = Counter(line.experiment for line in asked if line.ratio is not None)

    def ask(line: QuestionLine) -> str:
        return "  " * line.ask.startswith(MORE) + plain(line.ask)

    def ratio(line: QuestionLine) -> str:
        return "" if line.ratio is None or times[line.experiment] < 2 else f"{_two_digits(line.ratio)}x"

    return grid(
        asked,
        named("What does it cost to \N{HORIZONTAL ELLIPSIS}", ask, least=NARROWEST_QUESTION),
        *(_runtime(label, place, asked) for place, label in enumerate(runtimes)),
        column("vs top", ratio, if_known=True),
        rule=False,
    )


def _runtime(label: str, place: int, asked: Sequence[QuestionLine]) -> Field[QuestionLine]:
    parts = [_cell(line, line.rows.get(label, ())) for line in asked]
    beside = max(sure.cell_len for _, sure, _ in parts)
    marked = max(mark.cell_len for *_, mark in parts)
    width = max(figure.cell_len + (1 + beside if sure else 0) for figure, sure, _ in parts)
    made = {}
    for line, (figure, sure, mark) in zip(asked, parts, strict=True):
        if sure:
            sure.pad_right(beside - sure.cell_len)
            figure = Text(" ").join((figure, sure))
        figure.pad_left(width - figure.cell_len)
        mark.pad_right(marked - mark.cell_len)
        made[id(line)] = Text(" ").join((figure, mark)) if marked else figure
    return column(plain(label), lambda line: made[id(line)], rank=place)


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
        return layout.figure(unit, one.value), _how_sure(line, rows[-1], one), mark
    each = (found.get(count) for count in line.counts)
    fewest, most = (layout.written(unit, one.value) if one else quantities.ABSENT for one in each)
    written = most.partition(" ")[2]
    shown = fewest.removesuffix(f" {written}") if written else fewest
    few = row_tables.MARK_OF_FEW if is_few(rows) else ""
    return Text(f"{shown} {quantities.BECAME} {most}{few}"), Text(), mark


def _how_sure(line: QuestionLine, row: Row, found: Estimate) -> Text:
    if line.beside:
        value = row.value(line.beside.name)
        return Text(" ".join(filter(None, (row.regime, "" if value is None else _two_digits(value)))), "dim")
    if row.late and line.figure == row.leading:
        return layout.late(line.figure.unit, row.late)
    return layout.sure(line.figure.unit, found, len(row.trials))


def _two_digits(ratio: float) -> str:
    """More than its trials carry are not shown: of 986 and 973 one is as true as the other."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 9.95 else f"{ratio:.1f}".removesuffix(".0")


class TableOptions(Struct, frozen=True):
    """The part of an answer that is shown."""

    experiment: str | None = None  # only this one's rows
    state: StateFilter | None = None  # only rows of this state, and those of no state
    percentiles: bool = False  # every percentile and the histograms too
    outliers: bool = False  # the causes of outliers too

    @property
    def is_part(self) -> bool:
        return self.experiment is not None or self.state is not None


class RowView(Struct, frozen=True, kw_only=True):
    """The extent to which a run is shown."""

    detail: TableOptions | None = None  # which rows, and how much of each; None for the first screen
    trials: bool = False  # whether trials are shown one by one


def only(answer: Answer, detail: TableOptions) -> Answer:
    """Return the answer with nothing but the wanted rows, each in its place, and their trials; raise UnknownName."""
    experiments = list(dict.fromkeys(row.case.experiment for row in answer.rows))
    if detail.experiment is not None and detail.experiment not in experiments:
        raise UnknownName("experiment of this run", detail.experiment, experiments)
    if not detail.is_part:
        return answer
    placed = {(row.case, row.state): row for row in row_tables.numbered(answer)}
    rows = tuple(placed[row.case, row.state] for row in answer.rows if _is_wanted(answer, row, detail))
    kept = {id(one) for row in rows for one in (row.trials if row.state else row.ended)}
    return replace(answer, rows=rows, trials=tuple(one for one in answer.trials if id(one.observation) in kept))


def tables_of(answer: Answer, detail: TableOptions | None = None) -> Block:
    """Return the first screen, and below it every wanted row, experiment by experiment, with what is found of each."""
    detail = detail or TableOptions()
    shown = rows_of(only(answer, detail), detail)
    return Blocks.of(*top(answer), *_between_runs(answer), *shown, *not_measured(answer), Text(), about(answer))


def _between_runs(answer: Answer) -> Iterator[Block]:
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


def rows_of(answer: Answer, detail: TableOptions) -> Iterator[Block]:
    shown = row_tables.numbered(answer)
    for name, declared in answer.declared.items():
        if mine := [row for row in shown if row.case.experiment == name]:
            yield Text(f"\n{name}: {declared.title}", "bold")
            yield from leading_tables(answer, mine, declared)
            if detail.percentiles:
                yield from row_tables.percentiles_tables(mine, declared)
            if detail.outliers:
                yield from row_tables.outliers_tables(mine, declared)
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


def _is_wanted(answer: Answer, row: Row, detail: TableOptions) -> bool:
    if detail.experiment not in (None, row.case.experiment):
        return False
    if detail.state is None or row.state is None:
        return True
    seen = [state.core_to_core_ns for pair in row.case.placement.pairs for state in answer.states.of_pair(pair)]
    return detail.state.holds(row.state.core_to_core_ns, seen)


def leading_tables(answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """Print what leads, what is varied, rows side by side, and every row of an experiment."""
    yield from row_tables.frontier_table(rows, declared)
    yield from row_tables.curve_tables(answer, rows, declared)
    yield from row_tables.pivots(rows, declared)
    yield row_tables.cases_table(rows, declared)
