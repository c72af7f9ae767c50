"""One trial becomes one observation."""

import math
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from msgspec.structs import replace

from threadping.analysis import outliers, reading
from threadping.analysis.declaration import Declaration
from threadping.analysis.warnings.figure import EVENTS, LATE
from threadping.contract import Result
from threadping.model import Observation, Trial

FORM = 6
"""The version of the readings. Count it up after a change of what a figure is read from: observations that were stored
are then made anew from their results. A test with exact figures is the reminder."""


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
        distributions={one.name: one.read(result) for one in declared.distributions}
        | {one.name: one.read(result) for one in declared.shares},
        lacking=result.evidence.lacking if result.evidence else (),
        caused=caused,
    )


def is_known(value: float | None) -> TypeGuard[float]:
    """Whether there is a number: a figure that could not be computed is absent, never NaN or infinite."""
    return value is not None and math.isfinite(value)


def _of_parts(result: Result, headline: reading.Read) -> Iterator[tuple[str, float | None]]:
    """What checks need of parts of a trial: the headline of its last third, how windows with an event differ."""
    if late := reading.last_third(result):
        yield LATE, headline(late)
    for event in EVENTS:
        marked = reading.marked(result, event)
        if not any(marked) or all(marked):
            continue
        excess, variance = _rank_sum(reading.paces(result), marked)
        yield f"disturbed.{event}.windows", sum(marked)
        yield f"disturbed.{event}.excess", excess
        yield f"disturbed.{event}.variance", variance
        yield f"disturbed.{event}.without", headline(reading.without(result, marked))


def _rank_sum(values: Sequence[float], marked: Sequence[bool]) -> tuple[float, float]:
    """By how much the rank sum of the marked exceeds what chance expects, and its variance over all permutations."""
    order = sorted(range(len(values)), key=values.__getitem__)
    total, of_them = len(values), sum(marked)
    ranks = sum(rank for rank, place in enumerate(order, start=1) if marked[place])
    return ranks - of_them * (total + 1) / 2, of_them * (total - of_them) * (total + 1) / 12
