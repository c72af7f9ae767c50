"""The map over time: parts of a run between which many pairs changed their state at once, as when a CPU is moved."""

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from threadping.analysis.answer import Answer, Observed
from threadping.analysis.estimate import estimate
from threadping.matrix.matrix import LATENCY, Cell, Matrix, home_of
from threadping.model import Pair, Record

MOST = 3
"""So many maps are shown at most."""


class Epoch(Record, frozen=True):
    """A part of a run.

    Attributes:
        begun_s: after how many seconds it began.
        ended_s: and ended.
        matrix: of its trials alone.
    """

    begun_s: float
    ended_s: float
    matrix: Matrix


def epochs(answer: Answer, of: Matrix) -> list[Epoch]:
    """Divide a run where most pairs changed; not at all where fewer did than when a CPU is moved: half of its own."""
    pings = answer.states.pings
    spans = _changes(answer.trials)
    cuts: list[int] = []
    while len(cuts) < MOST - 1 and spans:
        steps = np.zeros(len(answer.trials) + 1)
        for first, last in spans:
            steps[first + 1] += 1
            steps[last + 1] -= 1
        changed = np.cumsum(steps)
        at = int(changed.argmax())
        if 2 * changed[at] < len(of.cpus) - 1:
            break
        cuts.append(at)
        spans = [(first, last) for first, last in spans if not first < at <= last]
    if not cuts:
        return []
    ends = [0, *sorted(cuts), len(answer.trials)]
    seconds = [next((one.at for one in pings if one.trials >= end), pings[-1].at) - pings[0].at for end in ends]
    return [
        Epoch(seconds[part], seconds[part + 1], _matrix(answer.trials[ends[part] : ends[part + 1]], of))
        for part in range(len(ends) - 1)
    ]


def _changes(trials: Sequence[Observed]) -> list[tuple[int, int]]:
    """Each time that a pair was in another state than before: the last trial in the one and the first in the other."""
    last: dict[Pair, tuple[int, tuple[int, ...]]] = {}
    found = []
    for number, one in enumerate(trials):
        first, second = one.observation.case.placement.used
        pair, states = (min(first, second), max(first, second)), one.standing.states
        if states:
            before = last.get(pair, (number, states))
            if before[1] != states:
                found.append((before[0], number))
            last[pair] = number, states
    return found


def _matrix(trials: Sequence[Observed], of: Matrix) -> Matrix:
    values: dict[tuple[int, int], list[float]] = {}
    for one in trials:
        seen = one.observation
        if LATENCY in seen.figures and home_of(seen.case) == of.homes[0]:
            first, second = seen.case.placement.used
            values.setdefault((first, second), []).append(seen.figures[LATENCY])
    cells = tuple(Cell(cpus, of.homes[0], estimate(each), trials=len(each)) for cpus, each in values.items())
    return replace(of, cells=cells, homes=of.homes[:1])
