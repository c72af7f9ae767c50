"""What a run says of its queues: for each situation a sentence and a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import log
from statistics import fmean
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, RowState, metric_of
from threadping.analysis.percentiles import Estimate
from threadping.analysis.validity import validity_of
from threadping.model.bounds import Record
from threadping.model.cases import Case, Skipped
from threadping.model.characters import plain
from threadping.model.grouping import gathered
from threadping.model.proposals import proposed
from threadping.model.quantities import counted, time
from threadping.output import layout
from threadping.output.findings import of_load, of_loops, unusable
from threadping.output.heading import next_commands, to_resume, where, with_room
from threadping.output.layout import Block, Field, Flow, Sheet, grid_of
from threadping.output.listings import reasons
from threadping.output.names import placement_label
from threadping.studies.which.cases import (
    ONE_BY_ONE,
    REGIMES,
    USAGES,
    Measured,
    QueueFigure,
    QueueVerdict,
    Situation,
    Usage,
    judge,
    situation_of,
    usage_of,
)

SPENT = ("producer_cpu_ns_per_op", "consumer_cpu_ns_per_op")

QueueName = tuple[str, str]  # its mechanism and runtime


class JudgedQueue(Record, frozen=True):
    """A queue in a situation.

    Attributes:
        case: of it, in one usage.
        figures: by usage; without those that were not measured, or carry no figure.
        sent: the CPU time of a message one by one, of its producer (ns), its work included; None where not known.
        taken: the same of the consumer.
    """

    case: Case
    figures: Mapping[str, QueueFigure]
    sent: Estimate | None
    taken: Estimate | None

    @property
    def behind(self) -> float:
        """The sort key: how many times as slow as the best it is, the mean over its usages (log)."""
        return fmean(log(one.fold) for one in self.figures.values())

    @property
    def name(self) -> QueueName:
        return self.case.mechanism, self.case.runtime


class JudgedSituation(Record, frozen=True):
    """The judged queues of a situation, the best first.

    Attributes:
        regime: its name.
        producers: how many.
        title: both for a person.
        state: of the machine, by which the figures are; None where there is none.
        queues: those that have a figure.
    """

    regime: str
    producers: int
    title: str
    state: RowState | None
    queues: tuple[JudgedQueue, ...]


def situations_judged(answer: Answer) -> list[JudgedSituation]:
    """Judge every situation of a run that has figures: regime by regime, with one producer and with several."""
    of = gathered(
        (situation, row) for row in answer.rows if (situation := situation_of(row.case)) and usage_of(row.case)
    )
    return [judged for situation in sorted(of) if (judged := _judged(situation, of[situation])).queues]


def _judged(situation: Situation, rows: Sequence[Row]) -> JudgedSituation:
    state = _state_of_most(rows)
    here = {(row.case.mechanism, row.case.runtime, _usage(row)): row for row in rows if row.state == state}
    names = list(dict.fromkeys((mechanism, runtime) for mechanism, runtime, _ in here))
    judged: dict[str, Mapping[QueueName, QueueFigure]] = {}
    for usage in USAGES:
        found = {name: one for name in names if (one := _measured(here.get((*name, usage.name))))}
        judged[usage.name] = judge(found)
    queues = [queue for name in names if (queue := _queue(name, here, judged)).figures]
    regime = REGIMES[situation.regime].name
    return JudgedSituation(
        regime, situation.producers, situation.title, state, tuple(sorted(queues, key=lambda one: one.behind))
    )


def _state_of_most(rows: Sequence[Row]) -> RowState | None:
    """Return the state in which most trials were measured: queues are compared within one."""
    trials = gathered((row.state, len(row.trials)) for row in rows)
    return max(trials, key=lambda state: sum(trials[state]))


def _usage(row: Row) -> str:
    usage = usage_of(row.case)
    return usage.name if usage else ""


def _measured(row: Row | None) -> Measured | None:
    usage = usage_of(row.case) if row else None
    if row is None or usage is None:
        return None
    rate, rates = row.headline, metric_of(row.declared.headline_of(row.case), row.declared).of_row(row)
    if rate is None or not rates or min(rates) <= 0:
        return None
    why = validity_of(row, "recommend").why
    return Measured(_time_of(rate) if usage.unit == "ns" else rate, [1e9 / each for each in rates], why)


def _time_of(rate: Estimate) -> Estimate:
    """Return the time of one of these per second (ns)."""
    low, high = (1e9 / end for end in reversed(rate.ends))
    return Estimate(1e9 / rate.value, low, high, rate.kind) if rate.kind else Estimate(1e9 / rate.value)


def _queue(
    name: QueueName, here: Mapping[tuple[str, str, str], Row], judged: Mapping[str, Mapping[QueueName, QueueFigure]]
) -> JudgedQueue:
    rows = [here[*name, usage.name] for usage in USAGES if (*name, usage.name) in here]
    one_by_one = here.get((*name, ONE_BY_ONE.name))
    sent, taken = (one_by_one.figures.get(spent) if one_by_one else None for spent in SPENT)
    figures = {usage: of_it[name] for usage, of_it in judged.items() if name in of_it}
    return JudgedQueue(rows[0].case, figures, sent, taken)


def without_figures(answer: Answer) -> Iterator[Row]:
    """Yield the rows of cases that were tried and have no figure in any state."""
    known = {row.case for row in answer.rows if row.trials}
    yield from (row for row in answer.rows if row.case not in known and row.ended)


MOST_BEST, MOST_FALLEN = 4, 6  # so many are named in a sentence; the table has all


def say_situation(one: JudgedSituation) -> str:
    """Say of a situation which queues are best in it, which fall apart, and what is open."""
    return f"{plain(one.title)}. {' '.join(_sentences(one))}"


def say_state(state: RowState | None) -> str:
    """Say how far its CPUs are apart; empty where they have no state."""
    return f"{time(state.core_to_core_ns)} core to core" if state else ""


def _sentences(one: JudgedSituation) -> Iterator[str]:
    figures = [figure for queue in one.queues for figure in queue.figures.values()]
    if all(figure.why for figure in figures):
        yield f"Cannot tell: {figures[0].why}."
        return
    yield f"Best {'; '.join(_best(one))}."
    fallen, at_times, untold, barred = (
        [f"{name_queue(queue, one)} ({', '.join(said)})" for queue in one.queues if (said := [*of(queue)])]
        for of in (_fallen, _at_times, partial(_untold, one), _barred)
    )
    if fallen:
        yield f"Fall apart: {_listed(fallen, MOST_FALLEN)}."
    if at_times:
        yield f"In some trials: {_listed(at_times, MOST_FALLEN)}."
    if untold:
        yield f"Too few trials to tell: {_listed(untold, MOST_BEST)}."
    if barred:
        yield f"Not judged: {_listed(barred, MOST_BEST)}."
    if not fallen and not at_times and not any(_is_open(queue) for queue in one.queues):
        yield "None falls apart."


def _best(one: JudgedSituation) -> Iterator[str]:
    for usage in USAGES:
        asked = [queue for queue in one.queues if usage.name in queue.figures]
        best = [name_queue(queue, one) for queue in asked if queue.figures[usage.name].verdict in ("best", None)]
        if asked:
            alone = " alone" if len(asked) == 1 else ""
            yield f"{usage.noun}: {_listed(best, MOST_BEST) + alone if best else 'cannot tell, too few trials'}"


def name_queue(queue: JudgedQueue, among: JudgedSituation) -> str:
    """Name a queue by its mechanism, and by its runtime where the others are of other ones."""
    several = len({one.case.runtime for one in among.queues}) > 1
    return plain(f"{queue.case.mechanism} {queue.case.runtime}" if several else queue.case.mechanism)


def _fallen(queue: JudgedQueue) -> Iterator[str]:
    """Yield the usages in which it falls apart: `one in flight at least 210x`."""
    for noun, figure in _figures(queue):
        if figure.verdict == "falls apart":
            yield f"{noun} at least {figure.slower:,.0f}x"


def _at_times(queue: JudgedQueue) -> Iterator[str]:
    """Yield the usages in which it falls apart in some trials only: `one in flight 3 of 6`."""
    yield from (f"{noun} {one.apart} of {one.trials}" for noun, one in _figures(queue) if one.at_times)


def _is_open(queue: JudgedQueue) -> bool:
    return any(figure.verdict == "open" for _, figure in _figures(queue))


def _untold(one: JudgedSituation, queue: JudgedQueue) -> Iterator[str]:
    """Yield the usages in which it has too few trials, and others have enough."""
    told = {noun for other in one.queues for noun, figure in _figures(other) if figure.verdict != "open"}
    open_ones = (noun for noun, figure in _figures(queue) if figure.verdict == "open" and not figure.why)
    yield from (noun for noun in open_ones if noun in told)


def _barred(queue: JudgedQueue) -> Iterator[str]:
    yield from dict.fromkeys(figure.why for _, figure in _figures(queue) if figure.why)


def _figures(queue: JudgedQueue) -> list[tuple[str, QueueFigure]]:
    return [(usage.noun, figure) for usage in USAGES if (figure := queue.figures.get(usage.name))]


def _listed(names: Sequence[str], most: int) -> str:
    """Name some: `a`, `a and b`, `a, b, c and 4 more`."""
    shown = list(names) if len(names) <= most else [*names[: most - 1], counted(len(names) - most + 1, "other")]
    *but, last = shown
    return f"{', '.join(but)} and {last}" if but else last


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


def queues_sheet(answer: Answer, judged: Sequence[JudgedSituation]) -> Sheet[QueueLine]:
    """Return a line for each queue in each situation, the best first."""
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
    """Yield its figure with its mark, and its verdict."""

    def figure(line: QueueLine) -> QueueFigure | None:
        return line[1].figures.get(usage.name)

    def value(line: QueueLine) -> Estimate | None:
        found = figure(line)
        return found.value if found else None

    def written(line: QueueLine) -> Text:
        if (found := figure(line)) is None:
            return layout.figure("ns", None)
        mark, style = AT_TIMES if found.at_times else VERDICT_MARKS[found.verdict]
        return Text.assemble(layout.figure(usage.unit, found.value, style), " ", (mark, style))

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
        write=lambda line: layout.figure("ns", value(line)),
        rank=rank,
        means=means,
    )


def situations_sheet(judged: Sequence[JudgedSituation]) -> Sheet[JudgedSituation]:
    """Return a line for each situation, with its sentence."""
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
    """Show for each situation its sentence, its placement, and all queues in it."""
    for one in judged:
        yield Text(say_situation(one), "bold")
        parts = [placement_label(one.queues[0].case), say_state(one.state)]
        yield Flow([Text(part, "dim") for part in parts if part])
        yield grid_of(replace(queues_sheet(answer, [one])))
    yield Text(LEGEND, "dim")


def show_queues(answer: Answer, judged: Sequence[JudgedSituation]) -> Iterator[Block]:
    """Show the situations, each behind an empty line; then what has no figure, and what was skipped."""
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
    """Return the first failure, or else the warnings."""
    failures = (one.failure.message for one in row.ended if one.failure)
    return next(failures, ", ".join(row.warned))
