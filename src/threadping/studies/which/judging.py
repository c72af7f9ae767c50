"""Which of several queues are best in a figure, and which fall apart: by intervals of ratios, which hold together.

Each is compared with the one that is best by its figure. That one is chosen by chance too, so that the intervals are as
wide as if each queue had been compared with every other: what is said of a queue is wrong in at most 5%.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import count
from math import comb
from typing import Literal, TypeVar

from threadping.analysis.estimate import CONFIDENCE, FEWEST_FOR_A_RANGE, Estimate
from threadping.analysis.figures import Unit
from threadping.analysis.ratio import at_least
from threadping.model.bounds import Record

FALLS_APART = 10.0
"""What is surely so many times as slow as the best falls apart."""

Name = TypeVar("Name", bound=Hashable)

QueueVerdict = Literal["best", "behind", "falls apart", "open"]


class QueueFigure(Record, frozen=True):
    """A figure of a queue among others.

    Attributes:
        value: its value.
        unit: of that.
        trials: of which it is known.
        verdict: `best` where it does not differ from the best; `open` with too few trials; None of one alone.
        slower: how many times as slow as the best it is at least; None where that is not known, or it is the best.
    """

    value: Estimate
    unit: Unit
    trials: int
    verdict: QueueVerdict | None
    slower: float | None = None


class Measured(Record, frozen=True):
    """What was measured of a queue: its figure, and that of each trial, all above 0."""

    value: Estimate
    unit: Unit
    trials: Sequence[float]

    @property
    def time(self) -> float:
        """How slow it is: its time, or that of each of so many a second."""
        return 1 / self.value.value if self.unit == "per_s" else self.value.value

    @property
    def times(self) -> Sequence[float]:
        """The same of each trial."""
        return [1 / one for one in self.trials] if self.unit == "per_s" else self.trials


def judge(measured: Mapping[Name, Measured]) -> dict[Name, QueueFigure]:
    """Compare each queue with the one that is best by its figure; one alone is not judged."""
    enough = [name for name, one in measured.items() if len(one.trials) >= FEWEST_FOR_A_RANGE]
    best = min(enough, key=lambda name: measured[name].time, default=None)
    slower = {
        name: at_least(measured[name].times, measured[best].times, _error(len(measured)))
        for name in enough
        if best is not None and name != best
    }
    is_told = any(one is not None for one in slower.values())

    def verdict(name: Name) -> QueueVerdict | None:
        if len(measured) == 1:
            return None
        if name == best:
            return "best" if is_told else "open"
        times = slower.get(name)
        if times is None:
            return "open"
        return "falls apart" if times >= FALLS_APART else "behind" if times > 1 else "best"

    return {
        name: QueueFigure(one.value, one.unit, len(one.trials), verdict(name), slower.get(name))
        for name, one in measured.items()
    }


def fewest_trials(queues: int) -> int:
    """How many trials of each it takes so that one of so many can be told from the best."""
    return next(n for n in count(FEWEST_FOR_A_RANGE) if _error(queues) * comb(2 * n, n) >= 1)


def _error(queues: int) -> float:
    """How often one comparison may err, so that of so many queues all comparisons of one hold together in 95%."""
    return (1 - CONFIDENCE) / max(1, queues - 1)
