"""A matrix on the terminal: a heat map as large as fits, its groups, and what must be known to believe it."""

from collections.abc import Iterator, Sequence
from statistics import median
from string import ascii_lowercase

from msgspec import Struct
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from threadping import numbers, quantities
from threadping.analysis.answer import Answer
from threadping.contract import Topology
from threadping.matrix.matrix import Cell, Matrix
from threadping.matrix.parallel import MOST, Parallel
from threadping.model import Pair, Pairing
from threadping.quantities import counted, duration, percent
from threadping.views.heat import Drawn, Scale, drawn, on, written
from threadping.views.terminal import names
from threadping.views.terminal.console import Trimmed
from threadping.views.terminal.heading import Flow, seconds, status, where
from threadping.views.terminal.table import labelled

MOST_ROWS = 64
"""Of more CPUs groups are drawn."""

HALF, WHOLE = "\N{UPPER HALF BLOCK}", "\N{FULL BLOCK}" * 2
UNKNOWN, UNIT = "\N{MIDDLE DOT}", "ns"
EVERY = 8
"""Where figures have no room, so many columns share a label."""

MOST_NAMED = 4

HOMES = {"first": "lines made at the first CPU of a pair", "second": "lines made at the second CPU of a pair"}


class HeatMap(Struct, frozen=True):
    """The latency of every two CPUs, in the order of their locality: figures where they fit, else colours alone.

    Without colour and room for figures each pair is the letter of its group.
    """

    matrix: Matrix
    topology: Topology | None
    home: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print it line by line."""
        width = options.max_width
        coloured = console.color_system is not None and not console.no_color
        of = drawn(self.matrix, self.topology, self.home, min(MOST_ROWS, width - len(str(max(self.matrix.cpus))) - 2))
        if not of.known:
            return
        labels = [str(group[0]) for group in of.groups]
        margin = max(map(len, [*labels, UNIT])) + 1
        scale = Scale.of(self.matrix)
        for decimals in (1, 0):
            room = max(*map(len, labels), len(f"{max(of.known):.{decimals}f}")) + 1
            if margin + room * len(labels) <= width:
                yield from _figures(of, labels, margin, room, decimals, scale if coloured else None)
                break
        else:
            if not coloured:
                yield from _letters(of, labels, margin, self.matrix)
            elif margin + 2 * len(labels) <= width:
                yield from _whole(of, labels, margin, scale)
            else:
                yield from _halves(of, labels, margin, scale)
        if len(of.groups) < len(self.matrix.cpus):
            sizes = sorted({len(group) for group in of.groups})
            size = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
            yield Text(f"Each row is {size} neighbouring CPUs, named by the first: medians of their pairs.", "dim")


def _figures(
    of: Drawn, labels: Sequence[str], margin: int, room: int, decimals: int, scale: Scale | None
) -> Iterator[Text]:
    yield Text(f"{UNIT:>{margin - 1}} " + "".join(f"{label:>{room}}" for label in labels), "bold")
    for label, group, row in zip(labels, of.groups, of.values, strict=True):
        line = Text(f"{label:>{margin - 1}} ", "bold")
        for other, ns in zip(of.groups, row, strict=True):
            if ns is None:
                line.append(f"{'' if other == group else UNKNOWN:>{room}}", "dim")
            elif scale:
                colour = scale.colour(ns)
                line.append(f"{ns:>{room}.{decimals}f}", f"not bold {on(colour)} on {written(colour)}")
            else:
                line.append(f"{ns:>{room}.{decimals}f}", "not bold")
        yield line


def _ticks(labels: Sequence[str], margin: int, room: int) -> Text:
    """Labels above the first of every few columns."""
    line = " " * margin
    for place in range(0, len(labels), EVERY):
        line = f"{line:<{margin + room * place}}{labels[place]}"
    return Text(line, "bold")


def _whole(of: Drawn, labels: Sequence[str], margin: int, scale: Scale) -> Iterator[Text]:
    yield _ticks(labels, margin, 2)
    for label, row in zip(labels, of.values, strict=True):
        line = Text(f"{label:>{margin - 1}} ", "bold")
        for ns in row:
            line.append("  " if ns is None else WHOLE, "" if ns is None else written(scale.colour(ns)))
        yield line


def _halves(of: Drawn, labels: Sequence[str], margin: int, scale: Scale) -> Iterator[Text]:
    """Two rows in a line, so that it is as high as it is wide."""
    yield _ticks(labels, margin, 1)
    for place in range(0, len(labels), 2):
        line = Text(f"{labels[place]:>{margin - 1}} ", "bold")
        upper = of.values[place]
        lower = of.values[place + 1] if place + 1 < len(labels) else [None] * len(upper)
        for above, below in zip(upper, lower, strict=True):
            if above is None and below is None:
                line.append(" ")
            elif above is None:
                line.append("\N{LOWER HALF BLOCK}", written(scale.colour(below or 1)))
            else:
                under = "" if below is None else f" on {written(scale.colour(below))}"
                line.append(HALF, f"not bold {written(scale.colour(above))}{under}")
        yield line


def _letters(of: Drawn, labels: Sequence[str], margin: int, matrix: Matrix) -> Iterator[Text]:
    yield _ticks(labels, margin, 1)
    ends = [cluster.range[1] for cluster in matrix.clusters]
    for label, row in zip(labels, of.values, strict=True):
        letters = [" " if ns is None else _letter(sum(ns > end for end in ends[:-1])) for ns in row]
        yield Text.assemble((f"{label:>{margin - 1}} ", "bold"), "".join(letters))


def _letter(place: int) -> str:
    return ascii_lowercase[min(place, len(ascii_lowercase) - 1)]


def matrix_screen(answer: Answer, of: Matrix) -> RenderableType:
    """Show the matrix of a run."""
    return Trimmed(Group(*_parts(answer, of)))


def _parts(answer: Answer, of: Matrix) -> Iterator[RenderableType]:
    run, pairing = answer.run, answer.run.matrix
    assert pairing is not None
    yield where(run, {pairing.case.runtime})
    yield Flow([*_what(pairing, of), *_how_much(answer, of)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    yield from maps(of, run.machine.topology)
    told = [Text(sentence) for sentence in sentences(answer, of)]
    yield from [Text(), *told] if told else []
    if run.id:
        yield Text()
        shows = {f"threadping report {run.id}": "the same as a page"}
        if of.missing or run.status != "complete":
            shows = {f"threadping matrix --resume {run.id}": "go on with it", **shows}
        if any(not cell.leads for cell in of.cells):
            shows[f"threadping states {run.id}"] = "how its states changed over time"
        longest = max(map(len, shows))
        lines = [Text.assemble((f"{command:<{longest}}", "cyan"), f"  {what}") for command, what in shows.items()]
        yield labelled([("" if place else "Next:", line) for place, line in enumerate(lines)])


def maps(of: Matrix, topology: Topology | None) -> Iterator[RenderableType]:
    """The heat map for each home, and the groups."""
    for home in of.homes:
        yield Text()
        if len(of.homes) > 1:
            yield Text(HOMES.get(home, f"lines made on node {home}").capitalize(), "bold")
        yield HeatMap(of, topology, home)
    if of.clusters:
        yield Text()
        yield from _groups(of)
    for sentence in of.misnamed:
        yield Text(f"! {sentence}", "yellow")


def _groups(of: Matrix) -> Iterator[Text]:
    scale = Scale.of(of)
    named = [names.plain(one.named) or "group" for one in of.clusters]
    times = [quantities.time(one.latency_ns) for one in of.clusters]
    for place, one in enumerate(of.clusters):
        spread = f"{one.range[0]:.3g}{quantities.TO}{one.range[1]:.3g}" if one.pairs > 1 else ""
        yield Text.assemble(
            (f"{WHOLE} ", written(scale.colour(one.latency_ns))),
            f"{_letter(place)} " if len(of.clusters) > 1 else "",
            f"{named[place]:<{max(map(len, named))}}  ",
            (f"{times[place]:>{max(map(len, times))}}", "bold"),
            f"  {counted(one.pairs, 'pair')}",
            (f"  {spread}", "dim"),
        )


def _what(pairing: Pairing, of: Matrix) -> Iterator[Text]:
    case = pairing.case
    yield Text(f"one way, {names.mechanism(case)}", "bold")
    yield Text(counted(case.lines, "line"))
    if of.homes != ("first",):
        yield Text("home " + ", ".join(names.plain(home) for home in of.homes))


def _how_much(answer: Answer, of: Matrix) -> Iterator[Text]:
    trials = sorted(cell.trials for cell in of.cells if cell.leads) or [0]
    leading = {tuple(sorted(cell.cpus)) for cell in of.cells if cell.leads}
    yield Text(counted(len(leading), "pair"))
    each = counted(trials[0], "trial") if trials[0] == trials[-1] else f"{trials[0]} to {trials[-1]} trials"
    yield Text(f"{each} each")
    took = seconds(answer.run)
    if took is not None:
        yield Text(duration(took))
    halves = [half for cell in of.cells if cell.leads and (half := cell.latency.half) is not None]
    if halves:
        yield Text(f"\N{PLUS-MINUS SIGN}{percent(median(halves))}, at most \N{PLUS-MINUS SIGN}{percent(max(halves))}")
    if answer.run.status != "complete":
        yield status(answer.run)


def sentences(answer: Answer, of: Matrix) -> Iterator[str]:
    """What must be known to believe the figures."""
    if of.parallel:
        yield _compared(of.parallel)
    elif any(one.observation.beside for one in answer.trials):
        yield "Pairs were measured at once; the budget ended before some were measured alone to compare."
    spreads = [cell.lines_spread for cell in of.cells if cell.leads and cell.lines_spread is not None]
    if spreads:
        slower = percent(median(spreads))
        yield f"Of a pair's lines the slowest tenth is {slower} slower than the fastest: one line's home is luck."
    others: dict[Pair, list[Cell]] = {}
    for cell in of.cells:
        if not cell.leads:
            others.setdefault((min(cell.cpus), max(cell.cpus)), []).append(cell)
    for pair, cells in [*others.items()][:MOST_NAMED]:
        told = [f"{quantities.time(cell.latency.value)} ({percent(cell.state.share)})" for cell in cells if cell.state]
        yield f"CPUs {pair[0]},{pair[1]} were in other states too: {', '.join(told)}."
    if len(others) > MOST_NAMED:
        yield f"So were {counted(len(others) - MOST_NAMED, 'more pair')}."
    for why, failed in [*of.failures.items()][:MOST_NAMED]:
        yield f"{counted(len(failed), 'pair')} failed, {_named(failed)}: {names.plain(why)}"
    if of.missing:
        yield f"{counted(len(of.missing), 'pair')} without a figure: {_named(of.missing)}."


def _named(pairs: Sequence[Pair]) -> str:
    told = [f"{a},{b}" for a, b in pairs[:MOST_NAMED]]
    more = len(pairs) - MOST_NAMED
    return "CPUs " + " ".join(told) + (f" and {counted(more, 'more pair')}" if more > 0 else "")


def _compared(of: Parallel) -> str:
    low, high = of.ratio.ends
    reach = f" ({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f}%)" if of.ratio.kind else ""
    slowest = f", the slowest {100 * (of.slowest.value - 1):+.1f}%" if of.slowest else ""
    said = f"Measured at once pairs are {100 * (of.ratio.value - 1):+.1f}%{reach} from alone, over {of.pairs}{slowest}"
    verdict = "" if of.is_used else f". That is more than {100 * (MOST - 1):.0f}%: only those measured alone count"
    return f"{said}{verdict}."


def announced(pairing: Pairing, at_once: int, pass_s: float, passes: float, budget_s: float) -> RenderableType:
    """Say what will be measured, and how long that takes.

    Args:
        pairing: what is measured between every two CPUs.
        at_once: how many pairs at the same time.
        pass_s: how long it takes to measure each of them once.
        passes: for how many of these the budget has room.
        budget_s: what the whole takes at most.
    """
    pairs = len(pairing.cpus) * (len(pairing.cpus) - 1) // 2
    together = f", {at_once} at once" if at_once > 1 else ""
    room = f"{int(passes)} passes" if passes >= 2 else "one pass" if passes >= 1 else f"{percent(passes)} of a pass"
    line = Text.assemble(
        (f"Measuring {counted(pairs, 'pair')} of {counted(len(pairing.cpus), 'CPU')}", "bold"),
        f"{together}: a pass takes {duration(pass_s)}; at most ",
        (duration(budget_s), "bold"),
        f", room for {room}. Ctrl-C ends it early and keeps what was measured.",
    )
    case = pairing.case
    what = f"{names.mechanism(case)} {names.plain(case.runtime)}, {counted(case.lines, 'line')}"
    return Trimmed(Group(line, labelled([("cpus", Text(numbers.named(pairing.cpus))), ("what", Text(what))])))


def imported(path: str, form: str, theirs: Matrix, ours: tuple[Answer, Matrix] | None) -> RenderableType:
    """Show what another tool has measured, and beside it the newest matrix of one's own."""
    parts: list[RenderableType] = [
        Text.assemble(
            (names.plain(path), "bold"), f": {form}, {counted(len(theirs.cpus), 'CPU')}. One line, state unknown."
        ),
        *maps(theirs, None),
    ]
    if ours:
        answer, of = ours
        parts += [Text(), where(answer.run, {answer.run.matrix.case.runtime} if answer.run.matrix else ())]
        parts += maps(of, answer.run.machine.topology)
    else:
        parts += [Text(), Text("`threadping matrix` measures your own, to be shown beside it.", "dim")]
    return Trimmed(Group(*parts))
