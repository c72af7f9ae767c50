"""What a run says of its queues: in each situation a figure of every queue in every usage, judged among its like."""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from statistics import fmean

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Row, RowState
from threadping.analysis.estimate import Estimate
from threadping.analysis.metric import metric_of
from threadping.analysis.validity import validity_of
from threadping.grouping import gathered
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.studies.which.cases import ONE_BY_ONE, REGIMES, USAGES, Situation, situation_of, usage_of
from threadping.studies.which.judging import Measured, QueueFigure, judge

SPENT = ("producer_cpu_ns_per_op", "consumer_cpu_ns_per_op")

QueueName = tuple[str, str]
"""Its mechanism and runtime."""


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
        """By which queues are ordered: how many times as slow as the best it is, the mean over its usages (log)."""
        return fmean(log(one.fold) for one in self.figures.values())

    @property
    def name(self) -> QueueName:
        """Its mechanism and runtime."""
        return self.case.mechanism, self.case.runtime


class JudgedSituation(Record, frozen=True):
    """What is known of queues in a situation, the best first.

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
    """Every situation of a run of which something is known: regime by regime, with one producer and with several."""
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
    """The state in which most trials were measured: queues are compared within one."""
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
    """How long each of so many a second takes (ns)."""
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
    """The rows of cases that were tried and have no figure in any state."""
    known = {row.case for row in answer.rows if row.trials}
    yield from (row for row in answer.rows if row.case not in known and row.ended)
