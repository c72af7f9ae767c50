"""The newcomer's questions, answered by a run: which rows lead, and under which conditions."""

from collections.abc import Iterator, Mapping, Sequence
from math import log

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer, Row
from threadping.analysis.declaration import Figure, Question
from threadping.analysis.warnings import checks_of
from threadping.model import DEFAULT_WARMUP, GROUPS, Case
from threadping.quantities import BECAME
from threadping.relation import CPUS_APART

UNPINNED = "unpinned"
MORE = "\N{HORIZONTAL ELLIPSIS}"
"""Begins a question that goes on from the one before it."""


class Line(Struct, frozen=True):
    """A question with its answers.

    Attributes:
        experiment: whose question it is.
        ask: the question, with the conditions that decide its figures.
        figure: what answers it.
        rows: by the runtime's label: one, or that of the fewest threads and that of the most.
        ratio: how many times the first line of the experiment it is; None where they are not of one kind.
    """

    experiment: str
    ask: str
    figure: Figure
    rows: Mapping[str, tuple[Row, ...]]
    ratio: float | None = None


def lines(answer: Answer) -> list[Line]:
    """The questions that a run answers, in the order in which the experiments declare them."""
    return [line for name in answer.declared for line in _of_experiment(answer, name)]


def _of_experiment(answer: Answer, name: str) -> Iterator[Line]:
    declared = answer.declared[name]
    column = {one.label: place for place, one in enumerate(answer.run.runtimes)}
    mine = [row for row in answer.rows if row.case.experiment == name]
    leading = [row for row in mine if row.leads and not _is_other(row)]
    leading.sort(key=lambda row: column.get(row.case.runtime, 0))  # mechanisms are named in this order
    first: Line | None = None
    asked: list[tuple[str, Mapping[str, tuple[Row, ...]]]] = []
    begun, shown = "", ""
    for question in declared.questions:
        begun = begun if question.ask.startswith(MORE) else question.ask
        rows = _answers([row for row in leading if _is_asked(question, row.case)], question)
        if not rows:
            continue
        figure = declared.figure(_figure(question, next(iter(rows.values()))[0]))
        if (figure.name, rows) in asked:
            continue
        asked.append((figure.name, rows))
        ask = question.ask if begun == shown or begun == question.ask else _whole(begun, question.ask)
        shown = begun
        line = Line(name, _worded(ask, question, rows), figure, rows)
        first = first or (line if figure.unit == "ns" else None)
        yield replace(line, ratio=_ratio(line, first))


def _is_other(row: Row) -> bool:
    """Whether its figure is of something else than those of other rows; one that was disturbed has a mark instead."""
    checks = checks_of({row.case.experiment: row.declared})
    return any(one.level == "note" and not checks[one.code].comparable for one in row.findings)


def _is_asked(question: Question, case: Case) -> bool:
    given = {name: str(case.params[name]) for name in case.varied}
    pinned_or_not = case.placement.name == UNPINNED or not question.unpinned
    return case.mechanism in question.mechanisms and given == question.params and pinned_or_not


def _figure(question: Question, row: Row) -> str:
    """The name of what answers a question in a row."""
    return question.figure or row.leading.name


def _answers(rows: Sequence[Row], question: Question) -> dict[str, tuple[Row, ...]]:
    """For each runtime its rows under the condition that is nearest to the question's, the same for all runtimes."""
    if question.scales:
        rows = [row for row in rows if row.case.threads <= len(set(row.case.placement.cpus) - {None})]
    known = [row for row in rows if row.value(_figure(question, row)) is not None] or rows
    if not known:
        return {}
    if question.scales:
        counts = sorted({row.case.groups for row in known})
        wanted = list(dict.fromkeys((counts[0], counts[-1])))
    else:
        wanted = [min((_condition(row.case, question), row.case.groups) for row in known)[1]]
    runtimes = dict.fromkeys(row.case.runtime for row in rows)
    found = {runtime: _row_each(runtime, wanted, rows, question) for runtime in runtimes}
    return {runtime: of_it for runtime, of_it in found.items() if of_it}


def _row_each(runtime: str, counts: Sequence[int], rows: Sequence[Row], question: Question) -> tuple[Row, ...]:
    """Of the first mechanism that was measured with all of these numbers of threads, else with the most of them."""
    of_mechanisms = []
    for mechanism in question.mechanisms:
        mine = [row for row in rows if (row.case.runtime, row.case.mechanism) == (runtime, mechanism)]
        of_counts = [[row for row in mine if row.case.groups == groups] for groups in counts]
        of_mechanisms.append(
            tuple(
                min(of_it, key=lambda row: (row.value(_figure(question, row)) is None, _condition(row.case, question)))
                for of_it in of_counts
                if of_it
            )
        )
    return max(of_mechanisms, key=len)


def _condition(case: Case, question: Question) -> tuple[float, ...]:
    """The less, the nearer to what is asked: on the closest CPUs, as is usual, with so many threads."""
    name = case.placement.name
    place = CPUS_APART.index(name) if name in CPUS_APART else len(CPUS_APART) + (name == UNPINNED)
    unusual = (case.placement.pin != "thread") + (case.home is not None) + (case.warmup != DEFAULT_WARMUP)
    unusual += case.busy.threads
    return (place, unusual, abs(log(case.groups / question.groups)) if question.groups else 0.0)


def _whole(begun: str, more: str) -> str:
    """A question that goes on where another one began, if that was not measured."""
    return f"{begun.partition(' (')[0]} {more.removeprefix(MORE).strip()}"


def _worded(ask: str, question: Question, rows: Mapping[str, tuple[Row, ...]]) -> str:
    cases = [row.case for of_runtime in rows.values() for row in of_runtime]
    counts = sorted({case.groups for case in cases})
    number = f" {BECAME} ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    mechanisms = ", ".join(dict.fromkeys(case.mechanism for case in cases))
    of_groups = f"{number} {GROUPS[cases[0].group]}{'' if counts[-1] == 1 else 's'}"
    ask = ask.format(number=number, groups=of_groups, mechanisms=mechanisms)
    several = [case.placement.name for case in cases if case.threads > 1]
    if not question.unpinned and several and not set(several) & set(CPUS_APART):
        ask += ", unpinned" if UNPINNED in several else ", on one CPU"
    called = dict.fromkeys(row.called for of_it in rows.values() for row in of_it if row.called and not question.figure)
    return ", ".join([ask, *called])


def _ratio(line: Line, first: Line | None) -> float | None:
    """By the first runtime that has both."""
    if first is None:
        return None
    one, other = (next(iter(of.rows.values()))[0] for of in (line, first))
    if line.figure.name != first.figure.name and (line.figure, first.figure) != (one.leading, other.leading):
        return None
    values = ((line.rows[runtime][-1], first.rows[runtime][-1]) for runtime in line.rows if runtime in first.rows)
    known = ((one.value(line.figure.name), other.value(first.figure.name)) for one, other in values)
    return next((one / other for one, other in known if one and other), None)
