"""Trials and headlines of a killed and resumed run, and of an uninterrupted run with the same seed."""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from statistics import fmean

import numpy as np
from msgspec import Struct

from threadping.analysis.answer import Answer
from threadping.model.base import gathered
from threadping.model.run import Trial

Interval = tuple[float, float, float]
"""A headline with the ends of its interval, or of its range."""

FLIPS = 10_000


class Killed(Struct, frozen=True):
    """A run that was killed, as often as it says, and resumed.

    Attributes:
        at_s: when, in seconds after it or its resumption was started.
        stored: how many trials it held at each kill.
        trials: how many it held at its end.
        lost: how many of those that were stored at a kill were not there, or not the same, at the end.
        twice: how many were measured a second time: the same case in the same round.
        missing: how many places between the first trial and the last were empty.
        status: of the run at its end.
        same_order: whether its cases came in the order of the run that nobody killed, as far as both go.
        whole: the headlines of that run, by case and state.
        resumed: those of this one.
    """

    at_s: tuple[float, ...]
    stored: tuple[int, ...]
    trials: int
    lost: int
    twice: int
    missing: int
    status: str
    same_order: bool
    whole: dict[str, Interval]
    resumed: dict[str, Interval]


def lost(before: Sequence[Trial], after: Sequence[Trial]) -> int:
    """Return the number of trials that are missing or changed afterwards."""
    there = {(one.position, one.started): one for one in after}
    return sum(there.get((one.position, one.started)) != one for one in before)


def measured_twice(trials: Sequence[Trial]) -> int:
    """Return the number of trials that repeat a case, round and side; a block has two of each side."""
    each = [(one.case.identity, one.round, one.side) for one in trials]
    most = {one: 2 if one[2] else 1 for one in each}
    return sum(max(0, each.count(one) - number) for one, number in most.items())


def missing(trials: Sequence[Trial]) -> int:
    """Return the number of positions before the last trial's that have no trial."""
    return max((one.position for one in trials), default=-1) + 1 - len({one.position for one in trials})


def in_same_order(one: Sequence[Trial], other: Sequence[Trial]) -> bool:
    """Return whether two runs measured the same in the same order, up to the end of the shorter one."""
    kept = [[(each.case, each.round, each.side) for each in trials] for trials in (one, other)]
    return all(a == b for a, b in zip(*kept, strict=False))


def headlines(answer: Answer) -> dict[str, Interval]:
    """The headline of each case in the state that held longest."""
    leading = [(row.case.title, row.headline) for row in answer.rows if row.leads and row.headline]
    return {title: (found.value, *found.ends) for title, found in leading}


def overlaps(runs: Iterable[tuple[Mapping[str, Interval], Mapping[str, Interval]]]) -> tuple[int, int]:
    """Return the number of headlines whose intervals overlap, and of those with an interval in both runs."""
    both = [(one[name], other[name]) for one, other in runs for name in one.keys() & other.keys()]
    known = [(a, b) for a, b in both if a[1] < a[2] and b[1] < b[2]]
    return sum(a[1] <= b[2] and b[1] <= a[2] for a, b in known), len(known)


def log_ratios(done: Sequence[Killed]) -> Mapping[str, list[float]]:
    """Return the logarithms of resumed / uninterrupted by case, for cases that both have."""
    pairs = ((one.whole, one.resumed) for one in done)
    return gathered(
        (name, log(resumed[name][0] / whole[name][0])) for whole, resumed in pairs for name in whole if name in resumed
    )


def chance(logs: Sequence[float], seed: int = 1) -> float:
    """Return how often chance alone moves the mean as far from zero: between equals each sign is as likely."""
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(FLIPS, len(logs)))
    means = np.abs((signs * np.asarray(logs)).mean(axis=1))
    return float((1 + (means >= abs(fmean(logs)) - 1e-12).sum()) / (1 + FLIPS))
