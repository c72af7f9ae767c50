"""What is shown of a placement: the CPU of each thread, the lines for each tool, and what it gains."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.contract import Cpu
from threadping.model.bounds import Record
from threadping.model.studies import Placing
from threadping.numbers import ranges
from threadping.proposals import proposed
from threadping.quantities import budget
from threadping.rows.findings import of_load, unusable
from threadping.rows.heading import next_commands, to_resume, took, where, with_budget
from threadping.rows.lists import announced, reasons
from threadping.sheets import names
from threadping.sheets.entries import RunEntry
from threadping.sheets.fields import Field, Sheet, attribute
from threadping.sheets.grid import Block, Flow, Indented, Labelled, grid_of, together
from threadping.studies.compare.reading import ComparedPair
from threadping.studies.compare.sheets import as_wide_table, sheet, sides
from threadping.studies.place.lines import ToolLine, lines_of
from threadping.studies.place.shapes import THREAD_SHAPES
from threadping.studies.place.words import UNCHOSEN, say_cost, say_known, verdict

MOST_PROPOSED_S = 3600.0
"""A budget that would decide it is proposed up to this."""


class PlaceFacts(Record, frozen=True):
    """What JSON says of the whole.

    `cost_ns` is what the shape costs on these CPUs, `usual_ns` on CPUs drawn at random; `known` of how many pairs the
    latency is known.
    """

    verdict: str
    shape: str
    cpus: str
    cost_ns: float
    usual_ns: float | None
    known: int
    matrix: str
    notes: tuple[str, ...]
    margin: float


class PlaceEntry(PlaceFacts, frozen=True, kw_only=True):
    """The same with the run."""

    run: RunEntry


class Placed(Struct, frozen=True):
    """What a run says: the question with its answer, and what it gains; None where nothing was compared yet."""

    of: Placing
    gains: Sequence[ComparedPair]

    @property
    def gain(self) -> ComparedPair:
        """The only one."""
        return self.gains[0]


class PlacedThread(Struct, frozen=True):
    """A thread with its CPU, and how far those are with which it exchanges something, in the mean (ns)."""

    number: int
    role: str
    cpu: Cpu
    away_ns: float | None


def threads_of(answer: Answer, of: Placing) -> list[PlacedThread]:
    """The threads in their order."""
    shape, listed = THREAD_SHAPES.get(of.shape), {cpu.cpu: cpu for cpu in answer.run.machine.topology.cpus}
    found = []
    for place, cpu in enumerate(of.cpus):
        away = [ns for one, other, ns in of.exchanges if cpu in (one, other)]
        role = shape.role(place, len(of.cpus)) if shape else "thread"
        known = listed.get(cpu, Cpu(cpu, None, None, None, None, None))
        found.append(PlacedThread(place + 1, role, known, fmean(away) if away else None))
    return found


def threads_sheet(answer: Answer, of: Placing) -> Sheet[PlacedThread]:
    """A line for each thread."""
    fields: tuple[Field[PlacedThread], ...] = (
        Field(head="thread", key="thread", of=lambda one: one.number, type=int),
        Field(head="role", key="role", of=lambda one: one.role, names=True),
        Field(head="CPU", key="cpu", of=lambda one: one.cpu.cpu, type=int, style="bold"),
        *(_of_cpu(what) for what in ("core", "l2", "l3", "node", "package")),
        Field(head="kind", key="kind", of=lambda one: one.cpu.kind, type=str | None, if_known=True),
        Field(
            head="one way",
            key="away_ns",
            unit="ns",
            of=lambda one: one.away_ns,
            means="To those with which it exchanges something, the mean.",
        ),
    )
    return Sheet("threads", fields, threads_of(answer, of))


def _of_cpu(what: str) -> Field[PlacedThread]:
    head = {"l2": "L2", "l3": "L3"}.get(what, what)
    return Field(head=head, key=what, type=int | None, of=lambda one: getattr(one.cpu, what), rank=2, if_known=True)


def lines_sheet(answer: Answer, of: Placing) -> Sheet[ToolLine]:
    """A line for each tool."""
    fields = (
        attribute("tool", "Whose line it is."),
        attribute("line", "What to type, or to write into its file; words in capitals stand for yours."),
        attribute("note", "Where it goes, or what it cannot promise."),
    )
    return Sheet("lines", fields, lines_of(of.cpus, answer.run.machine.topology))


def gains_sheet(answer: Answer, placed: Placed) -> Sheet[ComparedPair]:
    """Pinned, which is B, against unpinned, which is A."""
    return sheet(answer, placed.of.comparing, placed.gains)


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
    """The lines, each with its tool before it and its note below."""
    for one in lines_of(of.cpus, answer.run.machine.topology):
        yield Labelled([(f"{one.tool:<10}", Text(one.line, "cyan"))])
        if one.note:
            yield Indented(Text(one.note, "dim"), 12)


def gain_blocks(answer: Answer, placed: Placed) -> Iterator[Block]:
    """What pinning gains: both sides, and the table of the comparison."""
    of = placed.of
    shape = THREAD_SHAPES.get(of.shape)
    yield Flow([*sides(of.comparing), *([Text(shape.measured, "dim")] if shape else []), Text(took(answer.run), "dim")])
    yield as_wide_table(gains_sheet(answer, placed), of.comparing.margin)


def notes_of(of: Placing) -> Iterator[Block]:
    """What else is to be known of these CPUs."""
    notes = [*of.notes, *([UNCHOSEN] if of.is_only_choice else [])]
    if notes:
        yield Text()
        yield Labelled([("-", Text(names.plain(note))) for note in notes])


def _next(answer: Answer, placed: Placed) -> dict[str, str]:
    """What to type next: the gain decided, the whole matrix, the page."""
    run, test = answer.run, placed.gain.test
    shows = {}
    if run.arguments and test.answer == "cannot-tell" and 0 < (test.needs_s or 0.0) <= MOST_PROPOSED_S:
        shows[with_budget(run, budget(1.1 * (test.needs_s or 0.0)))] = "to decide it"
    number = len(placed.of.considered) * (len(placed.of.considered) - 1) // 2
    if placed.of.known < number:
        shows[proposed("matrix")] = f"all {number:,} pairs, for `--matrix last`"
    return shows | ({proposed("report", str(run.id)): "the same as a page"} if run.id else {})
