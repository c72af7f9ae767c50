"""A matrix: a heat map as large as fits, its groups, what must be known to believe it; its exports, and a chart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from msgspec import structs
from rich.text import Text

from threadping import numbers
from threadping.analysis.answer import Answer
from threadping.analysis.declaration import RowState
from threadping.analysis.estimate import Estimate
from threadping.analysis.states import NO_STATES
from threadping.contract import Topology
from threadping.grouping import gathered
from threadping.matrix.clusters import Cluster
from threadping.matrix.matrix import Matrix
from threadping.matrix.parallel import MOST, AreAlike, Parallel
from threadping.matrix.published import PastedMatrix, c2clat, core_to_core_latency
from threadping.model.bounds import Record
from threadping.model.cases import Case, Pair
from threadping.model.studies import Pairing
from threadping.model.trials import State
from threadping.quantities import counted, duration, percent, time
from threadping.rows.findings import unusable
from threadping.rows.heading import next_commands, status, to_resume, took, where
from threadping.rows.lists import announced
from threadping.sheets import names, records
from threadping.sheets.cells import sure
from threadping.sheets.entries import RunEntry, described
from threadping.sheets.grid import Block, Flow, together
from threadping.sheets.records import indented
from threadping.views.charts import style
from threadping.views.heat import Drawn, HeatMap, Scale, drawn, legend, on, written

MOST_NAMED = 4

HOMES = {"first": "lines made at the first CPU of a pair", "second": "lines made at the second CPU of a pair"}


@together
def matrix_screen(answer: Answer, of: Matrix) -> Iterator[Block]:
    """Show the matrix of a run."""
    run, pairing = answer.run, answer.run.matrix
    assert pairing is not None
    yield from unusable(answer)
    yield where(run)
    yield Flow([*_what(pairing, of), *_how_much(answer, of)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    yield from maps(of, run.machine.topology)
    parts = [Text(sentence) for sentence in sentences(answer, of)]
    yield from [Text(), *parts] if parts else []
    if run.id:
        shows = {f"threadping report {run.id}": "the same as a page"}
        if of.missing and run.status == "complete":
            shows = {f"threadping matrix --resume {run.id}": "go on with it", **shows}
        shows = {**to_resume(run), **shows}
        if any(not cell.leads for cell in of.cells):
            shows[f"threadping states {run.id}"] = "how its states changed over time"
        yield from next_commands(shows)


def maps(of: Matrix, topology: Topology | None) -> Iterator[Block]:
    """The heat map for each home, and the groups."""
    for home in of.homes:
        yield Text()
        if len(of.homes) > 1:
            yield Text(HOMES.get(home, f"lines made on node {home}").capitalize(), "bold")
        yield HeatMap(of, topology, home).block
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
    known = [cell for cell in of.cells if cell.leads and cell.latency.half is not None]
    if known:
        known.sort(key=lambda cell: cell.latency.half or 0.0)
        usual, widest = (sure("ns", cell.latency, cell.trials).plain for cell in (known[len(known) // 2], known[-1]))
        yield Text(f"interval {usual}" + (f", the widest {widest}" if len(known) > 1 else ""))
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
        yield f"A figure is over all lines of a pair, of which the slowest tenth is {slower} slower than the fastest."
    others = gathered(((min(cell.cpus), max(cell.cpus)), cell) for cell in of.cells if not cell.leads)
    for pair, cells in [*others.items()][:MOST_NAMED]:
        parts = [f"{time(cell.latency.value)} ({percent(cell.state.share)})" for cell in cells if cell.state]
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
    return f"{said}{VERDICTS[of.alike]}."


VERDICTS: Mapping[AreAlike, str] = {
    "yes": "",
    "no": f". That is more than {100 * (MOST - 1):.0f}%: only those measured alone count",
    "cannot tell": f". Whether that is within {100 * (MOST - 1):.0f}% cannot be told: those measured alone count, "
    "where there are any",
}


def announcement(pairing: Pairing, at_once: int, pass_s: float, passes: float, budget_s: float) -> Block:
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


@together
def imported(name: str, found: Sequence[PastedMatrix], ours: tuple[Answer, Matrix] | None) -> Iterator[Block]:
    """Show what other tools have measured, and beside it the newest matrix of one's own."""
    for one in found:
        title = f" {names.plain(one.title)}," if one.title and len(found) > 1 else ""
        what = f": {one.form},{title} {counted(len(one.matrix.cpus), 'CPU')}. One line, state unknown."
        yield Text.assemble((names.plain(name), "bold"), what)
        if one.note:
            yield Text(one.note)
        yield from maps(one.matrix, None)
        if zeros := sum(not cell.latency.value for cell in one.matrix.cells):
            yield Text(f"{counted(zeros, 'figure')} of 0: the tool's clock was too coarse. They are in no group.")
        yield Text()
    if ours:
        answer, of = ours
        yield where(answer.run)
        yield from maps(of, answer.run.machine.topology)
    else:
        yield Text("`threadping matrix` measures your own, to be shown beside it.", "dim")


def one_of_several(name: str, found: Sequence[PastedMatrix]) -> str:
    """Say which of several matrices is written in a format that has room for one."""
    which = f" ({found[0].title})" if found[0].title else ""
    held = f"{name} holds {len(found)} matrices: this is the first{which}"
    return f"{names.plain(held)}. For another leave out what stands before it; a table shows all."


COLUMNS = (
    *("ping", "pong", "home", "latency_ns", "low_ns", "high_ns"),
    *("lines_spread", "trials", "core_to_core_ns", "leads"),
)
"""Of the CSV."""


class LatencyEntry(Record, frozen=True):
    """One way, in nanoseconds: the median over trials, its 95% interval from six trials on, their range from three."""

    typical: float
    ci95: tuple[float, float] | None
    range: tuple[float, float] | None


class CellEntry(Record, frozen=True):
    """Two CPUs, ping's and pong's, in one state.

    Attributes:
        cpus: the pair.
        home: where its lines are made: at the first of them, the second, or on a node.
        latency_ns: one way.
        lines_spread: by how much the ninth decile of its lines is slower than the first, as a share.
        trials: of how many.
        state: of the two CPUs; null where it is not known.
        leads: whether they were in no other state for longer.
    """

    cpus: tuple[int, int]
    home: str
    latency_ns: LatencyEntry
    lines_spread: float | None
    trials: int
    state: RowState | None
    leads: bool


class MatrixEntry(Record, frozen=True):
    """What `threadping matrix --format json` writes; `run` is null, and `case` too, of what another tool measured."""

    run: RunEntry | None
    case: str | None
    states: Sequence[State]
    cpus: tuple[int, ...]
    cells: tuple[CellEntry, ...]
    clusters: tuple[Cluster, ...]
    misnamed: tuple[str, ...]
    parallel: Parallel | None
    missing: tuple[Pair, ...]


def _entry(answer: Answer | None, of: Matrix) -> MatrixEntry:
    case: Case | None = answer.run.matrix.case if answer and answer.run.matrix else None
    return MatrixEntry(
        run=described(answer.run) if answer else None,
        case=f"{case.mechanism} {case.runtime}" if case else None,
        states=(answer.states if answer else NO_STATES).found,
        cpus=of.cpus,
        cells=tuple(
            CellEntry(one.cpus, one.home, _latency(one.latency), one.lines_spread, one.trials, one.state, one.leads)
            for one in of.cells
        ),
        clusters=of.clusters,
        misnamed=of.misnamed,
        parallel=of.parallel,
        missing=of.missing,
    )


def _latency(of: Estimate) -> LatencyEntry:
    return LatencyEntry(of.value, *(of.ends if of.kind == kind else None for kind in ("ci95", "range")))


def matrix_json(answer: Answer | None, of: Matrix) -> str:
    """Write `{"run", "states", "cells", "clusters", …}`."""
    return indented(_entry(answer, of))


def matrix_csv(_answer: Answer | None, of: Matrix) -> str:
    """Write a line for each cell."""
    states = (cell.state.core_to_core_ns if cell.state else None for cell in of.cells)
    lines = (
        (*cell.cpus, cell.home, *structs.astuple(cell.latency)[:3], cell.lines_spread, cell.trials, ns, int(cell.leads))
        for cell, ns in zip(of.cells, states, strict=True)
    )
    return records.table([dict(zip(COLUMNS, line, strict=True)) for line in lines])


FORMATS: Mapping[str, Callable[[Answer | None, Matrix], str]] = {
    "json": matrix_json,
    "csv": matrix_csv,
    "core-to-core-latency": lambda _, of: core_to_core_latency(of),
    "c2clat": lambda _, of: c2clat(of),
}


MOST_ROWS = 128
"""Of more CPUs groups are drawn."""

SIDE, CELL = 900, 34
"""Of the whole and of a cell at most, in pixels."""

FIGURES_FROM = 20
"""A cell so wide has room for its figure."""

LABEL = 22
"""So many pixels are between labels at least; a power of two of rows, as caches and cores are."""


def specification(answer: Answer | None, of: Matrix) -> style.Json:
    """Lay out a matrix, of another tool without its machine; ChartRefused if it has no figure."""
    made = style.some([*charts(answer, of)], "no pair has a figure")
    return style.page_of(answer.run, made) if answer else style.top(style.whole(made[0]))


def charts(answer: Answer | None, of: Matrix, whole: int = SIDE) -> Iterator[style.Chart]:
    """A heat map for each home of which there is a figure, so many pixels wide at most."""
    topology = answer.run.machine.topology if answer else None
    pairing = answer.run.matrix if answer else None
    scale = Scale.of(of)
    for home in of.homes:
        found = drawn(of, topology, home, MOST_ROWS)
        if not found.known:
            continue
        said = [
            f"{names.plain(one.named) or 'group'}: {time(one.latency_ns)}, {counted(one.pairs, 'pair')}"
            for one in of.clusters
        ]
        what = "a reference ping each" if answer else "by another tool: one line, state unknown"
        what = f"{names.mechanism(pairing.case)} {names.plain(pairing.case.runtime)}" if pairing else what
        where = f", home {names.plain(home)}" if len(of.homes) > 1 else ""
        title = f"One-way latency between every two CPUs, {what}{where}"
        said = ["; ".join([*said, *filter(None, [found.shared])]), *of.misnamed]
        yield style.Chart("matrix", title, said, [_panel(found, scale, whole)])


def _panel(found: Drawn, scale: Scale, whole: int) -> style.Json:
    labels = [str(group[0]) for group in found.groups]
    side = max(1, min(CELL, whole // len(labels)))
    data: list[style.Json] = [
        {"x": a, "y": b, "colour": written(colour), "ink": on(colour), "written": f"{ns:.0f}"}
        | {"about": {"CPUs": f"{b}, {a}", "one way": time(ns)}}
        for b, row in zip(labels, found.values, strict=True)
        for a, ns in zip(labels, row, strict=True)
        if ns is not None
        for colour in [scale.colour(ns)]
    ]
    every = 1 << ((LABEL - 1) // side).bit_length()
    shown = {"values": labels[::every], "title": None, "ticks": False, "domain": False}
    x = style.field("x:N", sort=labels, axis={**shown, "orient": "top", "labelAngle": 0})
    y = style.field("y:N", sort=labels, axis=shown)
    fill = style.field("colour:N", scale=None, legend=None)
    layers = [style.marks("rect", {"x": x, "y": y, "fill": fill, "tooltip": style.TOOLTIP})]
    if side >= FIGURES_FROM:
        ink = style.field("ink:N", scale=None, legend=None)
        figures = {"x": x, "y": y, "fill": ink, "text": style.field("written:N")}
        layers.append(style.marks("text", figures, fontSize=11 if side >= CELL else 10, dy=3))
    length = side * len(labels)
    return {**style.panel({"layer": layers}, data, height=length), "width": length}
