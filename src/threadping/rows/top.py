"""What stands above every answer of a run: its heading, how far its CPUs were apart, and a newcomer's questions."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import FEWEST_FOR_A_RANGE, Estimate
from threadping.analysis.figures import Figure
from threadping.analysis.questions import MORE, QuestionLine, lines
from threadping.model.trials import State
from threadping.rows import findings
from threadping.rows.coverage import coverage_sentence
from threadping.rows.heading import heading
from threadping.rows.pivot import MARK_OF_FEW
from threadping.sheets import cells
from threadping.sheets.grid import Block, Divided, Grid, GridColumn, ShareBars, grid
from threadping.sheets.names import plain

MOST_PAIRS_NAMED = 2
"""So many pairs of CPUs are named; of more it says how many they are."""

NARROWEST_QUESTION = 26
"""Questions are not wrapped to less before a runtime goes."""


def top(answer: Answer) -> Iterator[Block]:
    """The heading, how far the CPUs were from each other, and the questions of a run of several experiments."""
    asked = asks(answer)
    yield from (*above_questions(answer, asked), *answered(answer, asked))


def above_questions(answer: Answer, asked: Sequence[QuestionLine]) -> Iterator[Block]:
    """What may be wrong with the whole run, the heading, and how far the CPUs were from each other."""
    yield from findings.unusable(answer)
    if (covered := coverage_sentence(answer)) and not answer.run.study.compared:  # which its verdict says
        yield Text(f"M{covered[1:]}.", "bold")
    yield from heading(answer)
    if answer.states.found:
        yield Text()
        shown = (row for line in asked for rows in line.rows.values() for row in rows)
        yield from core_to_core(answer, below=any(row.of_several for row in shown))


def answered(answer: Answer, asked: Sequence[QuestionLine]) -> Iterator[Block]:
    """The questions with their figures; nothing where none is asked."""
    if asked:
        yield Text()
        yield questions(answer, asked)


def is_few(rows: Sequence[Row]) -> bool:
    """Whether a row has too few trials for a range of its figure."""
    return any(len(row.trials) < FEWEST_FOR_A_RANGE for row in rows)


def asks(answer: Answer) -> list[QuestionLine]:
    """The newcomer's questions that a run of several experiments answers."""
    return lines(answer) if len({row.case.experiment for row in answer.rows}) > 1 else []


def core_to_core(answer: Answer, *, below: bool = False, most: int | None = MOST_PAIRS_NAMED) -> Iterator[Block]:
    """How the time of each pair of CPUs divides among its states, that first which was held longest.

    Where figures stand `below`, it says of which state they are; at `most` so many pairs are shown.
    """
    states = answer.states
    held = {pair: sorted(of, key=lambda one: -one.share) for pair in states.pairs if (of := states.of_pair(pair))}
    each = []
    for pair, (first, *others) in held.items():
        parts = [(quantities.time(one.core_to_core_ns), one.share) for one in (first, *others)]
        changes = quantities.counted(states.changes.get(pair, 0), "change")
        name = " \N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW} ".join(map(str, pair))
        each.append(Divided(name, parts, changes if others else _alone(first)))
    yield ShareBars("CORE TO CORE", each[:most])
    more = len(each[len(each) if most is None else most :])
    notes = [f"and {quantities.counted(more, 'more pair')}"] if more else []
    if below and len(each) == 1:
        notes += [f"figures that depend on it are of the time at {each[0].parts[0][0]}"]
    elif below:
        notes += ["figures that depend on it: of each pair's longest state"]
    if notes:
        yield Text(f"{'; '.join(notes).capitalize()}.", "dim")


def _alone(state: State) -> str:
    """How a pair's only state is named: that no ping was unlike is known, and not that none would have been."""
    every = quantities.counted(state.pings, "ping")
    return f"in all of {every}" if state.share == 1 else f"{quantities.percent(state.share)} of the time"


def questions(answer: Answer, asked: Sequence[QuestionLine]) -> Grid:
    """A line for each question, with a column for each runtime."""
    measured = {runtime for line in asked for runtime in line.rows}
    runtimes = [one.label for one in answer.run.runtimes if one.label in measured]
    ratios = [Text("" if line.ratio is None else f"{_two_digits(line.ratio)}x") for line in asked]
    same = [sum(other.experiment == line.experiment and other.ratio is not None for other in asked) for line in asked]
    shown = [ratio if number > 1 else Text() for ratio, number in zip(ratios, same, strict=True)]
    asks = [Text(f"  {plain(line.ask)}" if line.ask.startswith(MORE) else plain(line.ask)) for line in asked]
    return grid(
        GridColumn("What does it cost to \N{HORIZONTAL ELLIPSIS}", asks, names=True, least=NARROWEST_QUESTION),
        *(_runtime(label, place, asked) for place, label in enumerate(runtimes)),
        *([GridColumn("vs top", shown)] if any(shown) else []),
        rule=False,
    )


def _runtime(label: str, place: int, asked: Sequence[QuestionLine]) -> GridColumn:
    """The figures of a runtime below each other, beside them how sure they are, and their marks."""
    parts = [_cell(line, line.rows.get(label, ())) for line in asked]
    beside = max(sure.cell_len for _, sure, _ in parts)
    marked = max(mark.cell_len for *_, mark in parts)
    width = max(figure.cell_len + (1 + beside if sure else 0) for figure, sure, _ in parts)
    made = []
    for figure, sure, mark in parts:
        if sure:
            sure.pad_right(beside - sure.cell_len)
            figure = Text(" ").join((figure, sure))
        figure.pad_left(width - figure.cell_len)
        mark.pad_right(marked - mark.cell_len)
        made.append(Text(" ").join((figure, mark)) if marked else figure)
    return GridColumn(plain(label), made, rank=place)


def _cell(line: QuestionLine, rows: Sequence[Row]) -> tuple[Text, Text, Text]:
    """A figure, half of its interval, its mark; or the figures of the fewest and most threads: `86.1 → 21.0 M`."""
    grave = [level for row in rows if (level := findings.grave(row))]
    mark = findings.mark(grave[0] if grave else None)
    found = {row.case.groups: one for row in rows if (one := row.figures.get(line.figure.name))}
    if not found:
        return cells.figure(line.figure.unit, None), Text(), mark
    unit = line.figure.unit
    if len(line.counts) == 1:
        (one,) = found.values()
        return cells.figure(unit, one.value), _how_sure(line, rows[-1], one), mark
    each = (found.get(count) for count in line.counts)
    fewest, most = (cells.written(unit, one.value) if one else quantities.ABSENT for one in each)
    written = most.partition(" ")[2]
    shown = fewest.removesuffix(f" {written}") if written else fewest
    few = MARK_OF_FEW if is_few(rows) else ""
    return Text(f"{shown} {quantities.BECAME} {most}{few}"), Text(), mark


def _how_sure(line: QuestionLine, row: Row, found: Estimate) -> Text:
    """What stands behind a figure: another one of the row, the headline of the last thirds, or how sure it is."""
    if line.beside:
        return _beside(line.beside, row)
    if row.late and line.figure == row.leading:
        return cells.late(line.figure.unit, row.late)
    return cells.sure(line.figure.unit, found, len(row.trials))


def _beside(figure: Figure, row: Row) -> Text:
    """Another figure of the row and the regime that it is in: `far 2,400`."""
    value = row.value(figure.name)
    return Text(" ".join(filter(None, (row.regime, "" if value is None else _two_digits(value)))), "dim")


def _two_digits(ratio: float) -> str:
    """More than its trials carry are not shown: of 986 and 973 one is as true as the other."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 9.95 else f"{ratio:.1f}".removesuffix(".0")
