"""Runs that were measured apart: the figures of each case in each state of the machine, side by side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from statistics import fmean

from threadping.analysis.answer import Answer, Row
from threadping.analysis.states import states_of
from threadping.comparing.history import History, conformal
from threadping.model import Case, Pair, Record, State


class Key(Record, frozen=True):
    """A case in a state, which is the same one in all runs: how far its CPUs were apart over all; None has no state."""

    case: Case
    core_to_core_ns: float | None


def rows_of(answers: Sequence[Answer]) -> list[dict[Key, Row]]:
    """The rows of each run that have a headline, by their case and state.

    The states are those of the pings of all runs together, so that one that drifted a little is still the same.
    """
    states = states_of(*(answer.states.pings for answer in answers))
    return [dict(_keyed(answer, states.of_pair)) for answer in answers]


def _keyed(answer: Answer, of_pair: Callable[[Pair], Sequence[State]]) -> Iterator[tuple[Key, Row]]:
    for row in answer.rows:
        if answer.headline(row) is None:
            continue
        if row.state is None:
            yield Key(row.case, None), row
        else:
            own = row.state.core_to_core_ns
            nearest = (
                min(of_pair(pair), key=lambda state: abs(log(state.core_to_core_ns / own)))
                for pair in row.case.placement.pairs
                if of_pair(pair)
            )
            yield Key(row.case, fmean(state.core_to_core_ns for state in nearest)), row


def values_of(rows: Mapping[Key, Row], answer: Answer) -> dict[Key, float]:
    """The headline of each row; one that is nothing has no ratio to others."""
    found = {key: answer.headline(row) for key, row in rows.items()}
    return {key: one.value for key, one in found.items() if one is not None and one.value > 0}


class Beside(Record, frozen=True):
    """A case in a state, as two runs have it; `ratio` is the other headline over the one."""

    key: Key
    one: Row
    other: Row
    ratio: float | None


def beside_each_other(one: Answer, other: Answer) -> list[Beside]:
    """The rows of two runs that are of the same case and state, in the order of the first."""
    mine, theirs = rows_of([one, other])
    results, against = values_of(mine, one), values_of(theirs, other)
    return [
        Beside(key, row, theirs[key], against[key] / results[key] if key in results and key in against else None)
        for key, row in mine.items()
        if key in theirs
    ]


def among(tonight: Answer, others: Sequence[Answer]) -> History[Key]:
    """Where the headlines of a run stand among those of others."""
    answers = (tonight, *others)
    now, *before = (values_of(rows, answer) for rows, answer in zip(rows_of(answers), answers, strict=True))
    return conformal(now, before)
