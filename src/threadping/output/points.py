"""Rows as points and curves, and how many times each is the best of its kind.

What is kept of every run, for those who look for changes: services, dashboards, the view of a store.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.figures import Curve, Figure, Unit
from threadping.analysis.percentiles import FEWEST_FOR_A_RANGE, Estimate
from threadping.analysis.questions import MORE, CurveLine, QuestionLine, curve_lines, frontiers, question_lines
from threadping.analysis.validity import is_usable, validity_of
from threadping.model import quantities
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.characters import plain
from threadping.model.contract import FIRST_VERSION
from threadping.model.grouping import gathered
from threadping.model.numbers import compact
from threadping.model.quantities import counted
from threadping.model.run import State
from threadping.output import cells, findings, names
from threadping.output.grid import Block, Divided, Grid, GridColumn, ShareBars, column, figures, grid
from threadping.output.heading import coverage_sentence, heading
from threadping.output.sheets import MARK_OF_FEW

TWO = ("near", "far")  # Two states of a case, the nearer first


class Point(Record, frozen=True):
    """A row that has a headline."""

    case: str  # experiment, mechanism with parameters, runtime, placement: all that is not usual
    cpus: str  # of the case, where another differs in nothing else; else empty
    state: str  # of several in which the case was measured: near, far, or which of how many; else empty
    row: Row  # the row
    value: Estimate  # its headline

    @property
    def name(self) -> str:
        """The case, its CPUs where they tell it apart, and its state."""
        return " ".join(filter(None, (self.case, self.cpus and f"on {self.cpus}", self.state)))

    @property
    def unit(self) -> Unit:
        """Of the headline."""
        return self.row.leading.unit

    @property
    def higher_is_better(self) -> bool:
        """Whether more of it is faster."""
        return self.row.leading.better == "more"


def points_of(answer: Answer) -> Iterator[Point]:
    """The rows that have a headline, each as a point."""
    names = {row.case: plain(f"{row.case.experiment} {row.case.title}{_major(answer, row)}") for row in answer.rows}
    times = Counter(names.values())
    for case, rows in gathered((row.case, row) for row in answer.rows).items():
        cpus = _cpus(case) if times[names[case]] > 1 else ""
        for place, row in enumerate(rows):
            if row.headline:
                yield Point(names[case], cpus, _state(place, len(rows)), row, row.headline)


def _major(answer: Answer, row: Row) -> str:
    """From the second on the first number of its mechanism's version: its figures mean something else than before."""
    number = answer.run.version_of(row.case).partition(".")[0]
    return "" if number == FIRST_VERSION.partition(".")[0] else f" v{number}"


def _state(place: int, of: int) -> str:
    return "" if of == 1 else TWO[place] if of == 2 else f"state {place + 1} of {of}"


def _cpus(case: Case) -> str:
    return ",".join("any" if cpu is None else str(cpu) for cpu in case.placement.cpus)


def comparable_points(answer: Answer) -> list[Point]:
    """The points that may be compared with those of another run."""
    return [one for one in points_of(answer) if is_usable(one.row, "export")]


def left_out(answer: Answer, form: str) -> str:
    """What of an answer is no point to be compared, as a format leaves it out; empty where all is."""
    without = len({row.case for row in answer.rows if not row.headline})
    disturbed = [of for row in answer.rows if row.headline and not (of := validity_of(row, "export")).is_usable]
    codes = dict.fromkeys(code for one in disturbed for code in one.codes)
    parts = [f"{counted(without, 'case')} without a figure"] * bool(without)
    parts += [f"{counted(len(disturbed), 'row')} that must not be compared ({', '.join(codes)})"] * bool(disturbed)
    return f"The format {form} leaves out {', and '.join(parts)}." if parts else ""


def frontier_table(rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """At each place of the dimension those that none beats in both figures, and how many others there are."""
    found = frontiers([row for row in rows if row.leads], declared)
    if not declared.tradeoff or not any(one.beaten for one in found):
        return
    both = [declared.figure(name) for name in (declared.tradeoff.quick, declared.tradeoff.cheap)]
    leading = [row for one in found for row in one.leading]
    beaten = [[""] * (len(one.leading) - 1) + [f"{counted(len(one.beaten), 'other')} beaten"] for one in found]
    yield Text(f"frontier: what no other beats both in {' and in '.join(one.head for one in both)}", "dim")
    columns = [figures(one.head, one.unit, (row.value(one.name) for row in leading)) for one in both]
    yield grid(
        *names.columns([row.case for row in leading], declared),
        *columns,
        column("", chain.from_iterable(beaten), "dim", 1),
        gaps=[place for place, row in enumerate(leading) if place and row in [one.leading[0] for one in found]],
        silent=True,
    )
    yield Text()


def curve_tables(answer: Answer, rows: Sequence[Row], declared: Declaration) -> Iterator[Block]:
    """A table for each declared curve that has several places: a line for each place of a case."""
    for curve in declared.curves:
        found = curve_lines(curve, [row for row in rows if row.leads])
        if not found:
            continue
        shown = [(line, place, place == min(line.points)) for line in found for place in line.points]
        naming = [
            replace(one, cells=[cell if first else Text() for cell, (*_, first) in zip(one.cells, shown, strict=True)])
            for one in names.columns([line.row.case for line, *_ in shown], declared, curve.param)
        ]
        columns = []
        for figure in curve.figures:
            found_there = [line.points[place].get(figure) for line, place, _ in shown]
            if any(found_there):
                values = (one.value if one else None for one in found_there)
                whole = declared.figure(curve.whole(figure))
                columns.append(figures(whole.head, whole.unit, values))
        yield Text(curve.title, "bold")
        yield grid(
            *naming,
            column(curve.name, (at(curve, place) for _, place, _ in shown)),
            *columns,
            gaps=[number for number, (*_, first) in enumerate(shown) if first and number],
            silent=True,
        )
        beneath = [curve.beneath(answer.run.machine), *conclusions(curve, found, declared)]
        yield from (Text(one, "dim") for one in beneath if one)
        yield Text()


def conclusions(curve: Curve, found: Sequence[CurveLine], declared: Declaration) -> Iterator[str]:
    """What follows from each line, and where its figure has doubled, in sentences, and what that means."""
    for line in found:
        who = _who(line, curve, declared)
        yield from (f"{who}: {one}" for one in line.concluded)
        if line.doubled is not None:
            yield f"{who}: break-even at {line.doubled:,.0f} {curve.along}"
    if curve.doubles and any(line.doubled is not None for line in found):
        yield curve.doubles[1]


def _who(line: CurveLine, curve: Curve, declared: Declaration) -> str:
    """Name the line of a curve: `condition java-17 rate 10k`, `false-sharing cpp 2 threads`."""
    case = line.row.case
    threads = f"{case.threads} threads" if declared.along == "threads" else ""
    mechanism = names.mechanism(case, declared.param, curve.param)
    return " ".join(filter(None, (mechanism, names.plain(case.runtime), threads, names.place(case, declared))))


def at(curve: Curve, place: float) -> str:
    """Write a place of a curve: `10 µs`, `5k`."""
    return cells.tick(curve.unit, place) if curve.unit == "ns" else compact(int(place))


MOST_PAIRS_NAMED = 2  # So many pairs of CPUs are named; of more it says how many they are

NARROWEST_QUESTION = 26  # Questions are not wrapped to less before a runtime goes


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
    return question_lines(answer) if len({row.case.experiment for row in answer.rows}) > 1 else []


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
