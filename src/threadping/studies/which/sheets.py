"""What is shown of queues: for each situation a sentence and a table of all queues; and the sheets of both."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row
from threadping.analysis.estimate import Estimate
from threadping.model.bounds import Record
from threadping.model.cases import Skipped
from threadping.proposals import proposed
from threadping.quantities import counted
from threadping.rows.findings import of_load, of_loops, unusable
from threadping.rows.heading import next_commands, to_resume, where, with_room
from threadping.rows.lists import reasons
from threadping.sheets import cells
from threadping.sheets.entries import RunEntry
from threadping.sheets.fields import Field, Sheet
from threadping.sheets.grid import Block, Flow, grid_of
from threadping.sheets.names import plain, standing
from threadping.studies.which.cases import USAGES, Usage
from threadping.studies.which.judging import QueueFigure, QueueVerdict
from threadping.studies.which.reading import JudgedQueue, JudgedSituation, without_figures
from threadping.studies.which.words import say_situation, say_state

VERDICT_MARKS: Mapping[QueueVerdict | None, tuple[str, str]] = {
    "best": ("\N{CHECK MARK}", "bold green"),
    "behind": (" ", ""),
    "falls apart": ("\N{MULTIPLICATION SIGN}", "bold red"),
    "open": ("?", "yellow"),
    None: (" ", ""),
}
AT_TIMES = ("~", "red")
LEGEND = (
    "\N{CHECK MARK} does not differ from the best; \N{MULTIPLICATION SIGN} falls apart, surely ten times as slow or "
    "slower; ~ in some trials; ? too few trials. One in flight is a message with its acknowledgement; CPU is of a "
    "message one by one."
)

QueueLine = tuple[JudgedSituation, JudgedQueue]


class WhichEntry(Record, frozen=True):
    """What JSON says beside the queues and the situations."""

    run: RunEntry


def queues_sheet(answer: Answer, judged: Sequence[JudgedSituation]) -> Sheet[QueueLine]:
    """A line for each queue in each situation, the best first."""
    lines = [(situation, queue) for situation in judged for queue in situation.queues]
    fields: tuple[Field[QueueLine], ...] = (
        Field(key="regime", of=lambda line: line[0].regime),
        Field(key="producers", type=int, of=lambda line: line[0].producers),
        Field(head="queue", key="mechanism", of=lambda line: plain(line[1].case.mechanism), style="bold", names=True),
        Field(head="runtime", key="runtime", of=lambda line: plain(line[1].case.runtime), names=True),
        Field(key="placement", of=lambda line: line[1].case.placement.name),
        Field(key="cpus", type=tuple[int | None, ...], of=lambda line: line[1].case.placement.cpus),
        Field(key="busy", type=int, of=lambda line: line[1].case.busy.threads),
        *(field for usage in USAGES for field in _of_usage(usage)),
        _spent("CPU sent", "producer_cpu_ns", "sent", 2),
        _spent("CPU taken", "consumer_cpu_ns", "taken", 1),
    )
    return Sheet("queues", fields, lines)


def _of_usage(usage: Usage) -> Iterator[Field[QueueLine]]:
    """Its figure with its mark, and what is judged of it."""

    def figure(line: QueueLine) -> QueueFigure | None:
        return line[1].figures.get(usage.name)

    def value(line: QueueLine) -> Estimate | None:
        found = figure(line)
        return found.value if found else None

    def written(line: QueueLine) -> Text:
        if (found := figure(line)) is None:
            return cells.figure("ns", None)
        mark, style = AT_TIMES if found.at_times else VERDICT_MARKS[found.verdict]
        return Text.assemble(cells.figure(usage.unit, found.value, style), " ", (mark, style))

    yield Field(head=usage.noun, key=f"{usage.name}.{usage.unit}", type=Estimate, of=value, write=written)
    apart = "In how many of its trials it was ten times as slow as the best's median, or slower."
    for name, of, type, means in (
        ("fold", "fold", float | None, "How many times as slow as the best, by the medians of trials."),
        ("verdict", "verdict", QueueVerdict | None, ""),
        (
            "slower_at_least",
            "slower",
            float | None,
            "How many times as slow as the best, by the lower end of an interval.",
        ),
        ("fell_apart", "apart", int, apart),
        ("trials", "trials", int, ""),
    ):
        yield Field(key=f"{usage.name}.{name}", type=type, of=_part(usage, of, 0 if type is int else None), means=means)


def _part(usage: Usage, of: str, otherwise: int | None) -> Callable[[QueueLine], Any]:
    return lambda line: getattr(line[1].figures.get(usage.name), of, otherwise)


def _spent(head: str, key: str, of: str, rank: int) -> Field[QueueLine]:
    def value(line: QueueLine) -> Estimate | None:
        found: Estimate | None = getattr(line[1], of)
        return found

    means = "CPU time of a message one by one, its sixteen steps of work included."
    return Field(
        head=head,
        key=key,
        type=Estimate,
        of=value,
        write=lambda line: cells.figure("ns", value(line)),
        rank=rank,
        means=means,
    )


def situations_sheet(judged: Sequence[JudgedSituation]) -> Sheet[JudgedSituation]:
    """A line for each situation, with its sentence."""
    return Sheet(
        "regimes",
        (
            Field(key="regime", of=lambda one: one.regime),
            Field(key="producers", type=int, of=lambda one: one.producers),
            Field(key="core_to_core_ns", unit="ns", of=lambda one: one.state.core_to_core_ns if one.state else None),
            Field(key="sentence", of=say_situation),
        ),
        judged,
    )


def tables_of(answer: Answer, judged: Sequence[JudgedSituation]) -> Iterator[Block]:
    """For each situation its sentence, where it is, and all queues in it."""
    for one in judged:
        yield Text(say_situation(one), "bold")
        parts = [standing(one.queues[0].case), say_state(one.state)]
        yield Flow([Text(part, "dim") for part in parts if part])
        yield grid_of(replace(queues_sheet(answer, [one])))
    yield Text(LEGEND, "dim")


def show_queues(answer: Answer, judged: Sequence[JudgedSituation]) -> Iterator[Block]:
    """The situations, each with an empty line before it; what has no figure, and what was left out."""
    run = answer.run
    yield from unusable(answer)
    yield where(run)
    yield Flow([Text(counted(run.number_of_cases, "case"), "dim"), Text(counted(len(answer.trials), "trial"), "dim")])
    for block in tables_of(answer, judged):
        if isinstance(block, Text):
            yield Text()
        yield block
    yield from of_load(answer, "row")
    yield from of_loops(answer)
    yield from reasons("\nWithout figures", [Skipped(row.case.title, _why(row)) for row in without_figures(answer)])
    yield from reasons("\nNot measured", run.skipped)
    shows = {proposed("show", str(run.id), "--trials", "--format", "json"): "every trial"} if run.id else {}
    yield from next_commands({**to_resume(run), **shows, **with_room(run)})


def _why(row: Row) -> str:
    """What went wrong first, or was found."""
    failures = (one.failure.message for one in row.ended if one.failure)
    return next(failures, ", ".join(row.warned))
