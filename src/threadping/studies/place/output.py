"""The output of a placement: the CPU of each thread, the lines for each tool, and the gain."""

from collections.abc import Iterator, Sequence
from math import inf
from statistics import fmean

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.model.base import Record
from threadping.model.contract import Cpu, Topology
from threadping.model.quantities import budget, counted, fold, named, ranges, time
from threadping.model.run import Placing
from threadping.model.text import proposed
from threadping.output import names
from threadping.output.findings import of_load, unusable
from threadping.output.heading import next_commands, to_resume, took, where, with_budget
from threadping.output.layout import (
    Block,
    Ends,
    Field,
    Flow,
    Indented,
    Labelled,
    Lead,
    Sheet,
    attribute,
    grid_of,
    together,
)
from threadping.output.listings import announced, reasons
from threadping.studies.compare.output import open_to, percentage, ratio_table, reach, sheet, sides, takes
from threadping.studies.compare.verdict import ComparedPair
from threadping.studies.place.cases import THREAD_SHAPES

UNCHOSEN = "There are no more CPUs than threads, so none was chosen: what is compared is pinning alone."


def verdict(of: Placing, gain: ComparedPair) -> Lead:
    """Say what pinning threads to these CPUs gains over the scheduler's own choice."""
    where, test = named(of.cpus), gain.test
    margin = percentage(of.comparing.margin)
    match test.answer:
        case "faster":
            return Lead(f"{where}: {_times(gain)} as fast as where the scheduler puts them", "bold green")
        case "slower":
            text = f"Leave them to the scheduler: pinned to {where} they are {_times(gain)} as fast"
            return Lead(text, "bold red")
        case "same":
            return Lead(f"No difference here: pinned to {where} or left to the scheduler, same within {margin}")
        case "differs":
            way = f"{test.direction}, by less than {margin}"
            return Lead(f"No difference here that matters: pinned to {where} they are {way}")
    if test.why:
        return Lead(f"{where}: cannot tell what pinning gains: {test.why}", "yellow")
    known = f"pinned they are {test.direction}, whether by more than {margin} is open: " if test.direction else ""
    ends = _ends(gain)
    said = f"{reach(ends)} times as fast" if ends and 0 < ends[0] <= ends[1] < inf else open_to(test)
    return Lead(f"{where}: cannot tell what pinning gains: {known}{said}{takes(test, of.comparing.margin)}", "yellow")


def _times(gain: ComparedPair) -> str:
    """Write the speed-up with the interval that decides: `1.942x (1.911 to 1.973)`."""
    ratio, ends = gain.test.ratio, _ends(gain)
    assert ratio is not None and ends is not None
    return f"{fold(ratio if gain.metric.higher_is_better else 1 / ratio)} ({reach(ends)})"


def _ends(gain: ComparedPair) -> Ends | None:
    """Return the interval of the speed-up of pinned threads; None where nothing is known."""
    if gain.test.decides is None:
        return None
    low, high = gain.test.decides
    return (low, high) if gain.metric.higher_is_better else (1 / high, 1 / low if low else inf)


def say_cost(of: Placing) -> str:
    """Say what the shape costs on these CPUs, and on CPUs drawn at random."""
    shape = THREAD_SHAPES.get(of.shape)
    how = "to the farthest" if shape and shape.by_farthest else "each exchange, in the mean"
    one = len(of.exchanges) == 1
    beside = f"; on CPUs drawn at random {time(of.usual_ns)}" if of.usual_ns is not None else ""
    return f"{time(of.cost_ns)} one way{'' if one else f', {how}'}{beside}"


def say_known(of: Placing) -> str:
    """Say for how many pairs the latency is known, and from where."""
    number = len(of.considered) * (len(of.considered) - 1) // 2
    all_of = counted(number, "pair") if of.known >= number else f"{of.known:,} of {counted(number, 'pair')}"
    like = "" if of.known >= number else ", the others as those that share as much"
    return f"{all_of} by {of.matrix}{like}"


class ToolLine(Record, frozen=True):
    """A line for a tool: what to type, or to write into its file. Words in capitals stand for yours.

    `note` says where the line goes, or what it cannot promise; empty where there is nothing to say.
    """

    tool: str
    line: str
    note: str = ""


def lines_of(cpus: Sequence[int], topology: Topology) -> list[ToolLine]:
    """Return the lines that put threads on these CPUs, in the order of the threads."""
    threads, listed = len(cpus), ",".join(ranges(sorted(cpus)))
    every = {cpu.node for cpu in topology.cpus if cpu.node is not None}
    those = {cpu.node for cpu in topology.cpus if cpu.cpu in cpus}
    node = those.pop() if len(every) > 1 and len(those) == 1 else None  # that all are on, of several
    memory = "--localalloc" if node is None else f"--membind={node}"
    on_node = [
        ToolLine("systemd", "NUMAPolicy=bind", "With its memory, since version 243."),
        ToolLine("systemd", f"NUMAMask={node}"),
    ]
    mems = "" if node is None else f" --cpuset-mems={node}"
    whole = f"{{cpu: {threads}, memory: 1Gi}}"
    java = f"taskset -c {listed} java -XX:ActiveProcessorCount={threads} -jar APP.jar"
    places = ",".join(f"{{{cpu}}}" for cpu in cpus)
    openmp = f"OMP_NUM_THREADS={threads} OMP_PLACES='{places}' OMP_PROC_BIND=close PROGRAM"
    return [
        ToolLine("taskset", f"taskset -c {listed} COMMAND", ONE_EACH),
        ToolLine("numactl", f"numactl --physcpubind={listed} {memory} COMMAND", "With its memory."),
        ToolLine("systemd", f"CPUAffinity={listed}", "In [Service] of its unit."),
        *(() if node is None else on_node),
        ToolLine("docker", f"docker run --cpuset-cpus={listed}{mems} IMAGE", "Others may still run there."),
        ToolLine("kubernetes", f"resources: {{requests: {whole}, limits: {whole}}}", KUBERNETES),
        ToolLine("java", java, "The compiler and the collector run there too."),
        ToolLine("openmp", openmp, "Thread by thread, in this order."),
    ]


ONE_EACH = "Any of them on any of these; `taskset -pc CPU TID` pins each."
KUBERNETES = "By the static CPU manager: so many CPUs of its own, and nobody can ask which (docs/place.md)."

MOST_PROPOSED_S = 3600.0  # A budget that would decide it is proposed up to this


class Placed(Struct, frozen=True):
    """The question with its answer, and the comparisons with the scheduler."""

    of: Placing
    gains: Sequence[ComparedPair]

    @property
    def gain(self) -> ComparedPair:
        return self.gains[0]


class PlacedThread(Struct, frozen=True):
    """A thread with its CPU, and the mean distance of those with which it exchanges something (ns)."""

    number: int
    role: str
    cpu: Cpu
    away_ns: float | None


def threads_sheet(answer: Answer, of: Placing) -> Sheet[PlacedThread]:
    """Return a line for each thread, in their order."""
    shape, listed = THREAD_SHAPES.get(of.shape), {cpu.cpu: cpu for cpu in answer.run.machine.topology.cpus}
    threads = []
    for place, cpu in enumerate(of.cpus):
        away = [ns for one, other, ns in of.exchanges if cpu in (one, other)]
        role = shape.role(place, len(of.cpus)) if shape else "thread"
        known = listed.get(cpu, Cpu(cpu, None, None, None, None, None))
        threads.append(PlacedThread(place + 1, role, known, fmean(away) if away else None))
    away_means = "To those with which it exchanges something, the mean."
    fields: tuple[Field[PlacedThread], ...] = (
        Field(head="thread", key="thread", of=lambda one: one.number, type=int),
        Field(head="role", key="role", of=lambda one: one.role, names=True),
        Field(head="CPU", key="cpu", of=lambda one: one.cpu.cpu, type=int, style="bold"),
        *map(_of_cpu, ("core", "l2", "l3", "node", "package")),
        Field(head="kind", key="kind", of=lambda one: one.cpu.kind, type=str | None, if_known=True),
        Field(head="one way", key="away_ns", unit="ns", of=lambda one: one.away_ns, means=away_means),
    )
    return Sheet("threads", fields, threads)


def _of_cpu(what: str) -> Field[PlacedThread]:
    head = {"l2": "L2", "l3": "L3"}.get(what, what)
    return Field(head=head, key=what, type=int | None, of=lambda one: getattr(one.cpu, what), rank=2, if_known=True)


def lines_sheet(answer: Answer, of: Placing) -> Sheet[ToolLine]:
    """Return a line for each tool."""
    fields = (
        attribute("tool", "Whose line it is."),
        attribute("line", "What to type, or to write into its file; words in capitals stand for yours."),
        attribute("note", "Where it goes, or what it cannot promise."),
    )
    return Sheet("lines", fields, lines_of(of.cpus, answer.run.machine.topology))


def announce(of: Placing, seconds: float) -> Block:
    """Say where the threads are put, and what is measured of that."""
    shape = THREAD_SHAPES[of.shape]
    how = (
        f" ({shape.name}: {say_cost(of)}). Comparing with where the scheduler puts them: {shape.measured}, in blocks "
        "of two trials of each in random order, at most "
    )
    return announced(f"{len(of.cpus)} threads on CPUs {','.join(ranges(of.cpus))}", how, seconds)


@together
def blocks(answer: Answer, placed: Placed) -> Iterator[Block]:
    """Show where to put threads and what that gains, the gain first."""
    run, of = answer.run, placed.of
    yield from unusable(answer)
    yield from (verdict(of, placed.gain), Text(), where(run))
    yield Flow([Text(text) for text in (of.shape, say_cost(of))])
    yield Text(say_known(of), "dim")
    if run.note:
        yield Text(names.plain(run.note), "yellow")
    yield from (Text(), grid_of(threads_sheet(answer, of)), Text())
    yield from lines_block(answer, of)
    yield Text()
    yield from gain_blocks(answer, placed)
    yield from notes_of(of)
    yield from of_load(answer, "case")
    yield from reasons("\nNot measured", run.skipped)
    yield from next_commands({**to_resume(run), **_next(answer, placed)})


def lines_block(answer: Answer, of: Placing) -> Iterator[Block]:
    """Show the lines, each with its tool before it and its note below."""
    for one in lines_of(of.cpus, answer.run.machine.topology):
        yield Labelled([(f"{one.tool:<10}", Text(one.line, "cyan"))])
        if one.note:
            yield Indented(Text(one.note, "dim"), 12)


def gain_blocks(answer: Answer, placed: Placed) -> Iterator[Block]:
    """Show what pinning gains: both sides, and the table of the comparison."""
    of = placed.of
    shape = THREAD_SHAPES.get(of.shape)
    yield Flow([*sides(of.comparing), *([Text(shape.measured, "dim")] if shape else []), Text(took(answer.run), "dim")])
    yield ratio_table(sheet(answer, of.comparing, placed.gains), of.comparing.margin)


def notes_of(of: Placing) -> Iterator[Block]:
    """Show what else a reader must know of these CPUs."""
    notes = [*of.notes, *([UNCHOSEN] if of.is_only_choice else [])]
    if notes:
        yield Text()
        yield Labelled([("-", Text(names.plain(note))) for note in notes])


def _next(answer: Answer, placed: Placed) -> dict[str, str]:
    """Return what to type next: the gain decided, the whole matrix, the report."""
    run, test = answer.run, placed.gain.test
    shows = {}
    if run.arguments and test.answer == "cannot-tell" and 0 < (test.needs_s or 0.0) <= MOST_PROPOSED_S:
        shows[with_budget(run, budget(1.1 * (test.needs_s or 0.0)))] = "to decide it"
    number = len(placed.of.considered) * (len(placed.of.considered) - 1) // 2
    if placed.of.known < number:
        shows[proposed("matrix")] = f"all {number:,} pairs, for `--matrix last`"
    return shows | ({proposed("report", str(run.id)): "the same as a page"} if run.id else {})
