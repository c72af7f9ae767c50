"""One trial becomes one observation."""

import math
from collections.abc import Iterator, Sequence
from operator import mul
from statistics import fmean
from typing import TypeGuard

from msgspec.structs import replace

from threadping.analysis import outliers, reading
from threadping.analysis.declaration import LATE_HEADLINE, Declaration
from threadping.analysis.warnings.figure import EVENTS
from threadping.contract import Result
from threadping.model.trials import Observation, Trial

FORM = 9
"""The version of the readings. Count it up after a change of what a figure is read from: observations that were stored
are then made anew from their results. A test with exact figures is the reminder."""


CLOSE = 1e-6
"""How near a rate must be, as a share of it."""


def observe(trial: Trial, declared: Declaration) -> Observation:
    """Read every declared figure of a trial; none where it failed, or where a kind of window has no operation in it."""
    shared = (name for name in Trial.__struct_fields__ if name in Observation.__struct_fields__)
    seen = Observation(**{name: getattr(trial, name) for name in shared}, form=FORM)
    result = trial.result
    if result is None or not reading.counted(result, "throughput").total_ops:
        return seen
    read = {one.name: one.asked(trial.request) if one.asked else one.read(result) for one in declared.figures}
    if not is_known(read[declared.headline_of(trial.case)]):
        return seen
    caused = {}
    for one in (of for of in declared.timed if of.outliers):
        found, figures = outliers.read(one, trial.case, result, trial.request.outliers)
        caused[one.name] = {
            cause: tuple(kept) for cause, ns in found.items() if (kept := [each for each in ns if each])
        }
        read |= figures
    every = [*read.items(), *_of_parts(result, declared.figure(declared.headline_of(trial.case)).read)]
    return replace(
        seen,
        figures={name: float(value) for name, value in every if is_known(value)},
        distributions={
            one.name: made for one in declared.distributions if (made := one.read(result)).counts or not one.optional
        }
        | {one.name: one.read(result) for one in declared.shares},
        lacking=result.evidence.lacking if result.evidence else (),
        caused=caused,
    )


def is_known(value: float | None) -> TypeGuard[float]:
    """Whether there is a number: a figure that could not be computed is absent, never NaN or infinite."""
    return value is not None and math.isfinite(value)


def _of_parts(result: Result, headline: reading.ResultReader) -> Iterator[tuple[str, float | None]]:
    """What checks need of parts of a trial: the headline of its last third, how windows with an event differ."""
    if late := reading.last_third(result):
        yield LATE_HEADLINE, headline(late)
    for event in EVENTS:
        marked = reading.marked(result, event)
        if not any(marked) or all(marked):
            continue
        excess, variance = _rank_sum(reading.paces(result), marked, reading.counted(result, "throughput").ns)
        yield f"disturbed.{event}.windows", sum(marked)
        yield f"disturbed.{event}.excess", excess
        yield f"disturbed.{event}.variance", variance
        yield f"disturbed.{event}.without", headline(reading.without(result, marked))


def _rank_sum(values: Sequence[float], marked: Sequence[bool], lasted: Sequence[int]) -> tuple[float, float]:
    """By how much the rank sum of the marked exceeds what chance expects, and its variance.

    Chance marks as many, the longer ones more often: events that come at a constant rate in time fall into a window
    that lasts w with the probability 1 - exp(-rate w). For the variance among all draws of as many see J. Hajek,
    Asymptotic theory of rejective sampling with varying probabilities (Annals of Mathematical Statistics 35, 1964).
    Where all last as long it is the rank sum test of Wilcoxon.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0] * len(order)
    for rank, place in enumerate(order, start=1):
        ranks[place] = rank
    chances = _chances(lasted, sum(marked))
    weights = [chance * (1 - chance) for chance in chances]
    middle = fmean(ranks, weights)
    excess = sum(rank * (mark - chance) for rank, mark, chance in zip(ranks, marked, chances, strict=True))
    spread = sum(weight * (rank - middle) ** 2 for rank, weight in zip(ranks, weights, strict=True))
    return excess, spread * len(ranks) / (len(ranks) - 1)


def _chances(lasted: Sequence[int], number: int) -> list[float]:
    """How likely each window has an event, where so many of all have one, by how long it lasted; not all of them."""
    mean = fmean(lasted)
    weights = [ns / mean for ns in lasted]
    rate = missing = number / len(weights)
    while missing > CLOSE * rate:  # Newton's way comes from below, since the number is concave in the rate
        none = [math.exp(-rate * weight) for weight in weights]
        missing = (number / len(none) - 1 + fmean(none)) / fmean(map(mul, weights, none))
        rate += missing
    return [1 - math.exp(-rate * weight) for weight in weights]
