"""A matrix on the terminal: a heat map as large as fits, its groups, and what must be known to believe it."""

from collections.abc import Iterator, Sequence
from statistics import median

from rich.console import RenderableType, group
from rich.text import Text

from threadping import numbers, quantities
from threadping.analysis.answer import Answer
from threadping.contract import Topology
from threadping.grouping import gathered
from threadping.matrix.epochs import epochs
from threadping.matrix.matrix import Matrix
from threadping.matrix.parallel import MOST, Parallel
from threadping.model import Pair, Pairing
from threadping.quantities import counted, duration, percent, spread
from threadping.views.terminal import names
from threadping.views.terminal.heading import Flow, next_commands, status, took, where
from threadping.views.terminal.heat import HeatMap, legend, over_time
from threadping.views.terminal.lists import announced

MOST_NAMED = 4

HOMES = {"first": "lines made at the first CPU of a pair", "second": "lines made at the second CPU of a pair"}


@group()
def matrix_screen(answer: Answer, of: Matrix) -> Iterator[RenderableType]:
    """Show the matrix of a run."""
    run, pairing = answer.run, answer.run.matrix
    assert pairing is not None
    yield where(run)
    yield Flow([*_what(pairing, of), *_how_much(answer, of)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    yield from maps(of, run.machine.topology)
    if found := epochs(answer, of):
        yield from (Text(), over_time(of, run.machine.topology, found))
    parts = [Text(sentence) for sentence in sentences(answer, of)]
    yield from [Text(), *parts] if parts else []
    if run.id:
        shows = {f"threadping report {run.id}": "the same as a page"}
        if of.missing or run.status != "complete":
            shows = {f"threadping matrix --resume {run.id}": "go on with it", **shows}
        if any(not cell.leads for cell in of.cells):
            shows[f"threadping states {run.id}"] = "how its states changed over time"
        yield from next_commands(shows)


def maps(of: Matrix, topology: Topology | None) -> Iterator[RenderableType]:
    """The heat map for each home, and the groups."""
    for home in of.homes:
        yield Text()
        if len(of.homes) > 1:
            yield Text(HOMES.get(home, f"lines made on node {home}").capitalize(), "bold")
        yield HeatMap(of, topology, home)
    if of.clusters:
        yield Text()
        yield from legend(of)
    for sentence in of.misnamed:
        yield Text(f"! {sentence}", "yellow")


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
    if lasted := took(answer.run):
        yield Text(lasted)
    halves = [half for cell in of.cells if cell.leads and (half := cell.latency.half) is not None]
    if halves:
        yield Text(f"{spread(median(halves))}, at most {spread(max(halves))}")
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
    others = gathered(((min(cell.cpus), max(cell.cpus)), cell) for cell in of.cells if not cell.leads)
    for pair, cells in [*others.items()][:MOST_NAMED]:
        parts = [f"{quantities.time(cell.latency.value)} ({percent(cell.state.share)})" for cell in cells if cell.state]
        yield f"CPUs {pair[0]},{pair[1]} were in other states too: {', '.join(parts)}."
    if len(others) > MOST_NAMED:
        yield f"So were {counted(len(others) - MOST_NAMED, 'more pair')}."
    for why, failed in [*of.failures.items()][:MOST_NAMED]:
        yield f"{counted(len(failed), 'pair')} failed, {_named(failed)}: {names.plain(why)}"
    if of.missing:
        yield f"{counted(len(of.missing), 'pair')} without a figure: {_named(of.missing)}."


def _named(pairs: Sequence[Pair]) -> str:
    parts = [f"{a},{b}" for a, b in pairs[:MOST_NAMED]]
    more = len(pairs) - MOST_NAMED
    return "CPUs " + " ".join(parts) + (f" and {counted(more, 'more pair')}" if more > 0 else "")


def _compared(of: Parallel) -> str:
    low, high = of.ratio.ends
    reach = f" ({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f}%)" if of.ratio.kind else ""
    slowest = f", the slowest {100 * (of.slowest.value - 1):+.1f}%" if of.slowest else ""
    said = f"Measured at once pairs are {100 * (of.ratio.value - 1):+.1f}%{reach} from alone, over {of.pairs}{slowest}"
    verdict = "" if of.is_used else f". That is more than {100 * (MOST - 1):.0f}%: only those measured alone count"
    return f"{said}{verdict}."


def announcement(pairing: Pairing, at_once: int, pass_s: float, passes: float, budget_s: float) -> RenderableType:
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
    what = f"Measuring {counted(pairs, 'pair')} of {counted(len(pairing.cpus), 'CPU')}"
    how = f"{together}: a pass takes {duration(pass_s)}; at most "
    case = pairing.case
    of = f"{names.mechanism(case)} {names.plain(case.runtime)}, {counted(case.lines, 'line')}"
    parts = {"cpus": [numbers.named(pairing.cpus)], "what": [of]}
    return announced(what, how, budget_s, parts, (), f", room for {room}")


@group()
def imported(path: str, form: str, theirs: Matrix, ours: tuple[Answer, Matrix] | None) -> Iterator[RenderableType]:
    """Show what another tool has measured, and beside it the newest matrix of one's own."""
    what = f": {form}, {counted(len(theirs.cpus), 'CPU')}. One line, state unknown."
    yield Text.assemble((names.plain(path), "bold"), what)
    yield from (*maps(theirs, None), Text())
    if ours:
        answer, of = ours
        yield where(answer.run)
        yield from maps(of, answer.run.machine.topology)
    else:
        yield Text("`threadping matrix` measures your own, to be shown beside it.", "dim")
