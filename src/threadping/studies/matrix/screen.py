"""What a person is shown of a matrix: a heat map as large as fits, its groups, what must be known to believe it."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.at_once import ALIKE_WITHIN, AreAlike, Parallel
from threadping.analysis.latency_map import LatencyMap
from threadping.contract import Topology
from threadping.grouping import gathered
from threadping.model.cases import Pair
from threadping.model.studies import Pairing
from threadping.proposals import proposed
from threadping.quantities import counted, duration, percent, time
from threadping.rows.findings import unusable
from threadping.rows.heading import next_commands, status, to_resume, took, where
from threadping.rows.lists import announced
from threadping.sheets import names
from threadping.sheets.cells import sure
from threadping.sheets.grid import Block, Flow
from threadping.studies.matrix.cases import HOMES
from threadping.studies.matrix.matrix import Matrix, pair_of
from threadping.studies.matrix.sheets import CELL_LATENCY
from threadping.studies.matrix.tournament import Planned
from threadping.views.heat import HeatMap, Scale, legend

FIRST, *_ = HOMES
WITHIN = f"{100 * (ALIKE_WITHIN - 1):.0f}%"

MOST_NAMED = 4

AT_HOME = {"first": "lines made at the first CPU of a pair", "second": "lines made at the second CPU of a pair"}


def matrix_screen(answer: Answer, of: Matrix) -> Iterator[Block]:
    """Show the matrix of a run."""
    run = answer.run
    yield from unusable(answer)
    yield where(run)
    yield Flow([*_what(answer, of), *_how_much(answer, of)])
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    yield from maps_of(of.maps, run.machine.topology)
    parts = [Text(sentence) for sentence in sentences(answer, of)]
    yield from [Text(), *parts] if parts else []
    if run.id:
        shows = {proposed("report", str(run.id)): "the same as a page"}
        if of.missing and run.status == "complete":
            shows = {proposed("matrix", "--resume", str(run.id)): "go on with it", **shows}
        shows = {**to_resume(run), **shows}
        if any(not cell.leads for cell in of.cells):
            shows[proposed("states", str(run.id))] = "how its states changed over time"
        yield from next_commands(shows)


def maps_of(maps: Mapping[str, LatencyMap], topology: Topology | None) -> Iterator[Block]:
    """The heat map for each home, and the groups of the first."""
    scale, first = Scale.of(*maps.values()), next(iter(maps.values()))
    for home, found in maps.items():
        yield Text()
        if len(maps) > 1:
            yield Text(AT_HOME.get(home, f"lines made on node {home}").capitalize(), "bold")
        yield HeatMap(found, topology, scale).block
    if first.groups:
        yield Text()
        yield from legend(first, scale)
    for sentence in first.misnamed:
        yield Text(f"! {sentence}", "yellow")


def what_of(answer: Answer) -> str:
    """What was measured between every two CPUs, for a title."""
    pairing = answer.run.study
    assert isinstance(pairing, Pairing)
    return f"{names.mechanism(pairing.case)} {names.plain(pairing.case.runtime)}"


def lead_of(of: Matrix) -> Iterator[Block]:
    """The groups, in a line, and where the system says something else."""
    groups = (
        f"{names.plain(one.named) or 'group'} {time(one.latency_ns)} ({counted(one.pairs, 'pair')})"
        for one in of.map.groups
    )
    yield Flow([Text("every two CPUs", "bold"), *map(Text, groups)])
    for sentence in of.map.misnamed:
        yield Text(f"! {sentence}", "yellow")


def _what(answer: Answer, of: Matrix) -> Iterator[Text]:
    pairing = answer.run.study
    assert isinstance(pairing, Pairing)
    case = pairing.case
    yield Text(f"one way, {names.mechanism(case)}", "bold")
    yield Text(counted(case.lines, "line"))
    if [*of.maps] != [FIRST]:
        yield Text("home " + ", ".join(map(names.plain, of.maps)))


def _how_much(answer: Answer, of: Matrix) -> Iterator[Text]:
    leading = [(row, row.headline) for row in of.cells if row.leads]
    trials = sorted(len(row.trials) for row, _ in leading) or [0]
    yield Text(counted(len({frozenset(pair_of(row)) for row, _ in leading}), "pair"))
    each = counted(trials[0], "trial") if trials[0] == trials[-1] else f"{trials[0]} to {trials[-1]} trials"
    yield Text(f"{each} each")
    if lasted := took(answer.run):
        yield Text(lasted)
    known = [(row, found) for row, found in leading if found and found.half is not None]
    if known:
        known.sort(key=lambda one: one[1].half or 0.0)
        ends = (known[len(known) // 2], known[-1])
        usual, widest = (sure("ns", found, len(row.trials)).plain for row, found in ends)
        yield Text(f"interval {usual}" + (f", the widest {widest}" if len(known) > 1 else ""))
    if answer.run.status != "complete":
        yield status(answer.run)


def sentences(answer: Answer, of: Matrix) -> Iterator[str]:
    """What must be known to believe the figures."""
    if answer.at_once:
        yield _compared(answer.at_once)
    elif any(one.observation.beside for one in answer.trials):
        yield "Pairs were measured at once; the budget ended before some were measured alone to compare."
    spreads = [found for row in of.cells if row.leads and (found := row.value("lines_spread")) is not None]
    if spreads:
        slower = percent(median(spreads))
        yield f"A figure is over all lines of a pair, of which the slowest tenth is {slower} slower than the fastest."
    others = gathered((tuple(sorted(pair_of(row))), row) for row in of.cells if not row.leads)
    for pair, rows in [*others.items()][:MOST_NAMED]:
        parts = [f"{time(row.number(CELL_LATENCY))} ({percent(row.state.share)})" for row in rows if row.state]
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
    "no": f". That is more than {WITHIN}: only those measured alone count",
    "cannot tell": f". Whether that is within {WITHIN} cannot be told: those measured alone count, where there are any",
}


def announcement(pairing: Pairing, planned: Planned) -> Block:
    """Say what will be measured between every two CPUs, and how long that takes."""
    at_once, pass_s, passes = planned.at_once, planned.pass_s, planned.passes
    pairs = len(pairing.cpus) * (len(pairing.cpus) - 1) // 2
    together = f", {at_once} at once" if at_once > 1 else ""
    room = f"{int(passes)} passes" if passes >= 2 else "one pass" if passes >= 1 else f"{percent(passes)} of a pass"
    what = f"Measuring {counted(pairs, 'pair')} of {counted(len(pairing.cpus), 'CPU')}"
    case = pairing.case
    of = f"{names.mechanism(case)} {names.plain(case.runtime)}"
    how = f" with {of}{together}: a pass takes {duration(pass_s)}; at most "
    return announced(what, how, planned.budget_s, f", room for {room}")
