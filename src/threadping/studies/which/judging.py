"""Which of several queues are best in a figure, and which fall apart: by intervals of ratios, which hold together.

Each is compared with the one whose median trial is the quickest. That one is chosen by chance too, so the intervals are
as wide as if each queue had been compared with every other: what is said of a queue is wrong in at most 5%.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import count
from math import comb
from statistics import median
from typing import Literal, TypeVar

from threadping.analysis.estimate import CONFIDENCE, FEWEST_FOR_AN_INTERVAL, Estimate
from threadping.analysis.ratio import at_least
from threadping.model.bounds import Record

FALLS_APART = 10.0
"""What is surely so many times as slow as the best falls apart."""

Called = TypeVar("Called", bound=Hashable)

QueueVerdict = Literal["best", "behind", "falls apart", "open"]


class QueueFigure(Record, frozen=True):
    """A figure of a queue among others.

    Attributes:
        value: its value.
        trials: of which it is known.
        fold: how many times as slow as the best it is, by the medians of trials.
        verdict: `best` where it does not differ from the best; `open` with too few trials, or where these leave open
            whether it is as quick as the best or falls apart; None of one alone.
        slower: how many times as slow as the best it is at least; None where that is not known, or it is the best.
        apart: how many of its trials took so many times as long as the best's median that such a queue falls apart.
        why: why its trials decide nothing, as a clause; empty where they may.
    """

    value: Estimate
    trials: int
    fold: float
    verdict: QueueVerdict | None
    slower: float | None = None
    apart: int = 0
    why: str = ""

    @property
    def at_times(self) -> bool:
        """Whether it falls apart in some of its trials, and not surely as a whole."""
        return bool(self.apart) and self.verdict != "falls apart" and not self.why


class Measured(Record, frozen=True):
    """What was measured of a queue: its figure as it is shown, and what a message took in each trial, above 0.

    `why` says why its trials decide nothing; empty where they may.
    """

    value: Estimate
    times: Sequence[float]
    why: str = ""


def judge(measured: Mapping[Called, Measured]) -> dict[Called, QueueFigure]:
    """Compare each queue with the one whose median trial is the quickest; one alone is not judged."""
    valid = [one for one in measured.values() if not one.why] or [*measured.values()]
    quickest = min((median(one.times) for one in valid), default=0.0)
    enough = [name for name, one in measured.items() if len(one.times) >= FEWEST_FOR_AN_INTERVAL and not one.why]
    best = min(enough, key=lambda name: median(measured[name].times), default=None)
    slower = {
        name: at_least(measured[name].times, measured[best].times, _error(len(measured)))
        for name in enough
        if best is not None and name != best
    }
    folds = {name: median(one.times) / quickest for name, one in measured.items()}
    verdicts: dict[Called, QueueVerdict | None] = {name: _verdict(slower.get(name), folds[name]) for name in measured}
    if len(measured) == 1:
        verdicts = {name: "open" if one.why else None for name, one in measured.items()}
    elif best is not None and {*verdicts.values()} != {"open"}:
        verdicts[best] = "best"
    return {
        name: QueueFigure(
            value=one.value,
            trials=len(one.times),
            fold=folds[name],
            verdict=verdicts[name],
            slower=slower.get(name),
            apart=sum(took >= FALLS_APART * quickest for took in one.times),
            why=one.why,
        )
        for name, one in measured.items()
    }


def _verdict(slower: float | None, fold: float) -> QueueVerdict:
    """What the lower end of an interval says: where the figure says the opposite, nothing."""
    if slower is None or (slower <= 1 and fold >= FALLS_APART):
        return "open"
    return "falls apart" if slower >= FALLS_APART else "behind" if slower > 1 else "best"


def fewest_trials(queues: int) -> int:
    """How many trials of each it takes so that one of so many can be told from the best: six of up to 47 queues.

    Four would suffice for three queues that scatter alike. Where one scatters by 2% and the others by 40%, four of each
    leave it out wrongly in 11%, six in 5 (of 30 queues in 9).
    """
    return next(n for n in count(FEWEST_FOR_AN_INTERVAL) if _error(queues) * comb(2 * n, n) >= 1)


def _error(queues: int) -> float:
    """How often one comparison may err, so that of so many queues all comparisons of one hold together in 95%."""
    return (1 - CONFIDENCE) / max(1, queues - 1)
