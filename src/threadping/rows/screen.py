"""The first screen: what a newcomer asks, answered by a run in one terminal of 80 columns and 30 lines."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from threadping import quantities
from threadping.analysis.answer import Answer, Row
from threadping.analysis.declaration import Figure
from threadping.analysis.estimate import FEWEST_FOR_A_RANGE, Estimate
from threadping.analysis.questions import MORE, Line, lines
from threadping.analysis.warnings import checks_of
from threadping.analysis.warnings.words import brief
from threadping.matrix.matrix import surveyed
from threadping.model import State
from threadping.relation import usable
from threadping.rows import findings
from threadping.rows.heading import heading, next_commands, to_resume, with_room
from threadping.rows.pivot import FEW, OF_FEW
from threadping.rows.tables import Detail, rows_of
from threadping.sheets import cells
from threadping.sheets.grid import AsWide, Block, Blocks, Column, Flow, Grid, as_wide, grid
from threadping.sheets.names import mechanism, plain
from threadping.sheets.printing import rendered
from threadping.views.heat import small_map

MOST_PAIRS, MOST_MARKS, MOST_NAMES = 2, 2, 3
"""So many pairs of CPUs, codes, and things not measured are named; of more it says how many they are."""

HEIGHT, PROMPTS = 30, 2
"""Of a terminal, in lines, unless it is higher; and what the shell writes before and after."""

MAP = 6
"""So many lines a map has before questions that may go are shown."""

LEAST = 26
"""Questions are not wrapped to less before a runtime goes."""

LONGEST_BAR, SHADES = 40, "\N{FULL BLOCK}\N{MEDIUM SHADE}\N{LIGHT SHADE}"
"""In characters, a bar for all of the time; and its parts, one for each state that is named."""


def screen(answer: Answer) -> Block:
    """What a run answers: its questions; of a run of one experiment the tables of that."""
    asked, of = asks(answer), surveyed(answer)

    def fitting(console: Console, options: ConsoleOptions) -> Iterator[Block]:
        """As many questions as the terminal has room for; what is left is the map's, if every two CPUs were pinged."""
        height = max(HEIGHT, console.height - PROMPTS if console.is_terminal else 0)
        for rank in range(max((line.rank for line in asked), default=0), -1, -1):
            above, below = _around_the_map(answer, [line for line in asked if line.rank <= rank])
            room = height - sum(
                len(console.render_lines(rendered(part), options, pad=False)) for part in (above, below)
            )
            if room >= (MAP if of else 0):
                break
        yield above
        if of:
            yield small_map(of, answer.run.machine.topology, room)
        yield below

    return AsWide(fitting)


def _around_the_map(answer: Answer, asked: Sequence[Line]) -> tuple[Blocks, Blocks]:
    rows = _marks(answer, asked) if asked else rows_of(answer, Detail())
    above = Blocks.of(*findings.unusable(answer), *heading(answer), *_core_to_core(answer, asked))
    return above, Blocks.of(*_questions(answer, asked), *rows, *_not_measured(answer), *_next(answer))


def top(answer: Answer) -> Iterator[Block]:
    """The heading, how far the CPUs were from each other, and the questions of a run of several experiments."""
    asked = asks(answer)
    yield from (*findings.unusable(answer), *heading(answer), *_core_to_core(answer, asked), *_questions(answer, asked))


def _core_to_core(answer: Answer, asked: Sequence[Line]) -> Iterator[Block]:
    if answer.states.found:
        yield Text()
        yield core_to_core(answer, any(row.of_several for line in asked for rows in line.rows.values() for row in rows))


def _questions(answer: Answer, asked: Sequence[Line]) -> Iterator[Block]:
    if asked:
        yield Text()
        yield questions(answer, asked)


def _is_few(rows: Sequence[Row]) -> bool:
    return any(len(row.trials) < FEWEST_FOR_A_RANGE for row in rows)


def asks(answer: Answer) -> list[Line]:
    """The newcomer's questions that a run of several experiments answers."""
    return lines(answer) if len({row.case.experiment for row in answer.rows}) > 1 else []


@as_wide
def core_to_core(_console: Console, options: ConsoleOptions, answer: Answer, below: bool = False) -> RenderResult:
    """A line for each pair of CPUs: its states, the one that was held longest first, and a bar of their shares.

    Where figures stand `below`, it says of which state they are.
    """
    states = answer.states
    pairs = [pair for pair in states.pairs if states.of_pair(pair)]
    for place, pair in enumerate(pairs[:MOST_PAIRS]):
        held = sorted(states.of_pair(pair), key=lambda state: -state.share)
        times = [quantities.time(one.core_to_core_ns) for one in held]
        shares = [quantities.percent(one.share) for one in held]
        others = [" ".join(one) for one in zip(times, shares, strict=True)][1:]
        others = others if len(held) <= len(SHADES) else [others[0], f"{len(held) - 2} more"]
        changed = f"; {quantities.counted(states.changes.get(pair, 0), 'change')}"
        after = f" {', '.join([shares[0], *others])}{changed}" if others else f" {alone(held[0])}"
        cpus = " \N{RIGHTWARDS ARROW OVER LEFTWARDS ARROW} ".join(map(str, pair))
        line = Text.assemble((f"{'' if place else 'CORE TO CORE':15}{cpus}   {times[0]:>7} ", "bold"))
        room = max(len(SHADES), min(LONGEST_BAR, options.max_width - line.cell_len - len(after)))
        bars = (shade * max(1, round(room * one.share)) for shade, one in zip(SHADES, held, strict=False))
        yield line.append("".join(bars)[:room], "cyan").append(after)
    notes = [f"and {quantities.counted(len(pairs) - MOST_PAIRS, 'more pair')}"] if len(pairs) > MOST_PAIRS else []
    if below and len(pairs) == 1:
        notes += [f"figures that depend on it are of the time at {quantities.time(held[0].core_to_core_ns)}"]
    elif below:
        notes += ["figures that depend on it: of each pair's longest state"]
    if notes:
        yield Text(f"{'; '.join(notes).capitalize()}.", "dim")


def alone(state: State) -> str:
    """How a pair's only state is told: that no ping was unlike is known, and not that none would have been."""
    every = quantities.counted(state.pings, "ping")
    return f"in all of {every}" if state.share == 1 else f"{quantities.percent(state.share)} of the time"


def questions(answer: Answer, asked: Sequence[Line]) -> Grid:
    """A line for each question, with a column for each runtime."""
    measured = {runtime for line in asked for runtime in line.rows}
    runtimes = [one.label for one in answer.run.runtimes if one.label in measured]
    ratios = [Text("" if line.ratio is None else f"{_two_digits(line.ratio)}x") for line in asked]
    same = [sum(other.experiment == line.experiment and other.ratio is not None for other in asked) for line in asked]
    shown = [ratio if number > 1 else Text() for ratio, number in zip(ratios, same, strict=True)]
    asks = [Text(f"  {plain(line.ask)}" if line.ask.startswith(MORE) else plain(line.ask)) for line in asked]
    return grid(
        Column("What does it cost to \N{HORIZONTAL ELLIPSIS}", asks, names=True, least=LEAST),
        *(_runtime(label, place, asked) for place, label in enumerate(runtimes)),
        *([Column("vs top", shown)] if any(shown) else []),
        rule=False,
    )


def _runtime(label: str, place: int, asked: Sequence[Line]) -> Column:
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
    return Column(plain(label), made, rank=place)


def _cell(line: Line, rows: Sequence[Row]) -> tuple[Text, Text, Text]:
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
    few = FEW if _is_few(rows) else ""
    return Text(f"{shown} {quantities.BECAME} {most}{few}"), Text(), mark


def _how_sure(line: Line, row: Row, found: Estimate) -> Text:
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
    return f"{ratio:,.0f}" if ratio >= 9.95 else f"{ratio:.1f}".removesuffix(".0")


def _marks(answer: Answer, asked: Sequence[Line]) -> Iterator[Block]:
    """What the marks mean: a line for each code with its worst case, then what is found of the machine."""
    checks = checks_of(answer.declared)
    shown = {id(row): row for line in asked for rows in line.rows.values() for row in rows if findings.grave(row)}
    found = [one for one in findings.found(shown.values()) if one.level != "note"]
    codes = [one.code for one in found[MOST_MARKS:]]
    codes += [one.code for one in answer.findings if one.code not in findings.SHOWN_ELSEWHERE]
    few = any(len(rows) > 1 and _is_few(rows) for line in asked for rows in line.rows.values())
    last = [OF_FEW] if few else []
    last += [f"also: {', '.join(_first(list(dict.fromkeys(codes))))}"] if codes else []
    expected = findings.by_chance(answer.rows)
    last += [f"chance: {quantities.at_most(expected)} rows"] if found and expected else []
    last += [findings.explain(answer, "CODE")] if found or codes else []
    if last:
        yield Text()
    for one in found[:MOST_MARKS]:
        row, finding = one.worst
        more = f" and {len(one.of) - 1} more" if len(one.of) > 1 else ""
        facts = plain(brief(checks[one.code], finding))
        who = f" {mechanism(row.case)} {plain(row.case.runtime)}{more}{facts and f': {facts}'}"
        yield Text.assemble(findings.mark(one.level), " ", (one.code, "bold"), f" {who}")
    if last:
        yield Flow([Text(one, "cyan" if one.startswith("threadping") else "") for one in last])


def _first(names: Sequence[str]) -> list[str]:
    """The first few names, and how many more there are."""
    return [*names[:MOST_NAMES], *([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])]


def _not_measured(answer: Answer) -> Iterator[Block]:
    """In one line; those for which time was too short stand in what to type next."""
    run = answer.run
    things = list(dict.fromkeys(plain(one.what) for one in run.skipped if not one.budget))
    if things:
        missing = Text(f"Not measured: {', '.join(_first(things))}", "dim")
        yield Flow([missing, *([Text(f"threadping explain not-measured {run.id}", "cyan")] if run.id else [])])


def _next(answer: Answer) -> Iterator[Block]:
    """What to type next, each with what it shows."""
    run = answer.run
    shows: Mapping[str, str] = {f"threadping show {run.id}": "every case, percentiles, warnings"} if run.id else {}
    if not asks(answer):
        shows = {f"threadping show {run.id} --outliers": "why the slowest were slow"} if run.id else {}
        for name, declared in answer.declared.items():
            shows = {**shows, **declared.follows([row for row in answer.rows if row.case.experiment == name])}
    if len(usable(run.machine.topology)) > 2:
        shows = {**shows, "threadping matrix": "every two CPUs, as a map"}
    yield from next_commands({**to_resume(run), **shows, **with_room(run)})
