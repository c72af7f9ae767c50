"""How many messages are late, by trials: the share over all trials, its 99% bounds, and the p99 that follows from it.

Messages of one trial depend on each other: a burst that makes fifty of them late is one event. So trials are weighed,
never messages: each draw weighs all trials anew, by chance (D. B. Rubin, The Bayesian Bootstrap, Annals of Statistics
9, 1981), and says which share was late then. A bound adds a trial that nobody has seen, the worst that may come for
an upper one, one without a late message for a lower one (N. Gaffke, Three test statistics for a nonparametric one-sided
hypothesis on the mean of a nonnegative variable, Mathematical Methods of Statistics 14, 2005). Where trials are of two
kinds alone, late by so much or not at all, that is Clopper and Pearson's exact bound; so 44 trials without a late
message are needed to exclude that one in ten was of the worst kind.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from threadping.analysis.percentiles import QUANTILES
from threadping.analysis.rates import missing_by_chance
from threadping.model.trials import Observation

REQUIRED_PERCENTILE = "p99"
ALLOWED = 1 - QUANTILES[REQUIRED_PERCENTILE]
"""The share of messages that may be late."""

BOUND_CONFIDENCE = 0.99
"""The confidence of a bound, to one side."""

WORST = 0.1
"""The share of its messages that may be late in the worst trial that nobody has seen, unless a worse one was. Of trials
of 250 messages at 1k/s, a quarter of a second each, that is a CPU that is taken away for 25 ms. With a rarer and worse
kind of trial, say 60% late in every fiftieth, no number of trials that fits into a minute has a chance: simulated,
37 and 23 of 40 answers were sure and wrong there (`docs/choosing.md`)."""

DRAWS, MOST_WEIGHTS, SEED, BLOCK = 4_000, 2_000_000, 41, 64
"""So many draws put the bound of 44 trials without a late message within 2% of the exact one (1,000: 7%). Of a run of
more trials than a search has, fewer, so that their weights fit into 16 MB. Weights are made for so many trials at a
time, since a search asks after every trial."""

HELD, OFFERED, MEASURED = "held_per_s", "offered_per_s", "counters.measured_ns"


class Lateness:
    """Trials of one way, by how late their messages were from when they were due.

    Args:
        trials: each has timed messages.
        of: the name of what was timed.
        complete: whether messages count as late that were due and did not come.
    """

    def __init__(self, trials: Sequence[Observation], of: str, *, complete: bool = True) -> None:
        """Sort out what was timed."""
        timed = [one.distributions[of] for one in trials]
        lost = [_lost(one) if complete else 0.0 for one in trials]
        received = [_received(one, sum(found.counts)) for one, found in zip(trials, timed, strict=True)]
        self._due = np.array([came + missing for came, missing in zip(received, lost, strict=True)], dtype=np.float64)
        self._values = np.unique(np.concatenate([np.asarray(one.values, dtype=np.int64) for one in timed]))
        # For each trial how many messages came at this value or before: a row each.
        self._by_then = np.zeros((len(trials), len(self._values)))
        for row, one, came in zip(self._by_then, timed, received, strict=True):
            counts = np.asarray(one.counts, dtype=np.float64)
            row[self._values.searchsorted(np.asarray(one.values, dtype=np.int64))] = counts * (came / counts.sum())
            row.cumsum(out=row)

    def late(self, limit_ns: float) -> NDArray[np.float64]:
        """How many messages of each trial were late by more than this, or never came."""
        place = int(self._values.searchsorted(limit_ns, side="right"))
        in_time = self._by_then[:, place - 1] if place else 0.0
        return (self._due - in_time).clip(min=0)

    @property
    def due(self) -> float:
        """How many messages were due in all."""
        return float(self._due.sum())

    def share(self, limit_ns: float) -> float:
        """The share of all that were late."""
        return float(self.late(limit_ns).sum()) / self.due

    def at_most(self, limit_ns: float) -> float:
        """The upper 99% bound of the share that is late in many more trials."""
        late, mean = self.late(limit_ns), self.due / len(self._due)
        return self._bound(late, max(WORST * mean, float(late.max())), BOUND_CONFIDENCE)

    def at_least(self, limit_ns: float) -> float:
        """The lower 99% bound of the same."""
        return self._bound(self.late(limit_ns), 0.0, 1 - BOUND_CONFIDENCE)

    @cached_property
    def p99(self) -> float:
        """The 99th percentile of how late all messages were, in ns."""
        return self._first(self.share)

    @cached_property
    def p99_ends(self) -> tuple[float, float]:
        """Both ends of its 99% interval: the p99 by all but the least and the greatest half percent of the draws."""
        half = (1 - BOUND_CONFIDENCE) / 2
        low, high = (self._first(partial(self._drawn, q)) for q in (half, 1 - half))
        return min(low, self.p99), max(high, self.p99)

    def _drawn(self, q: float, limit_ns: float) -> float:
        return self._quantile(self.late(limit_ns), self._due, q)

    def _first(self, share: Callable[[float], float]) -> float:
        """The first value beyond which no more than what is allowed is late; the last where there is none."""
        low, high = 0, len(self._values) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if share(float(self._values[middle])) <= ALLOWED else (middle + 1, high)
        return float(self._values[low])

    def _bound(self, late: NDArray[np.float64], unseen: float, q: float) -> float:
        return self._quantile(np.append(late, unseen), np.append(self._due, self.due / len(self._due)), q)

    @staticmethod
    def _quantile(late: NDArray[np.float64], due: NDArray[np.float64], q: float) -> float:
        weights = _weights(-(-len(late) // BLOCK) * BLOCK)[:, : len(late)]
        # Not by `@`: threads of a BLAS spin for a while after they are asked, beside the next trial.
        drawn_late, drawn_due = (np.einsum("ij,j->i", weights, numbers) for numbers in (late, due))
        return float(np.quantile(drawn_late / drawn_due, q))


@lru_cache(maxsize=4)
def _weights(trials: int) -> NDArray[np.float64]:
    """How much each draw weighs each trial: exponentially distributed, and evenly over the draws, in random order."""
    draws = min(DRAWS, MOST_WEIGHTS // trials + 1)
    chance, evenly = np.random.default_rng(SEED), -np.log((np.arange(draws) + 0.5) / draws)
    return np.stack([chance.permutation(evenly) for _ in range(trials)], axis=1)


def _received(trial: Observation, timed: int) -> float:
    """How many messages came; where that is not known, how many were timed."""
    figures = trial.figures
    return figures[HELD] * figures[MEASURED] / 1e9 if figures.get(HELD) and figures.get(MEASURED) else float(timed)


def _lost(trial: Observation) -> float:
    """How many messages were due and did not come: but for those under way at the ends, or that chance did not draw."""
    figures = trial.figures
    if not figures.get(OFFERED) or not figures.get(HELD) or not figures.get(MEASURED):
        return 0.0
    due, came = (figures[name] * figures[MEASURED] / 1e9 for name in (OFFERED, HELD))
    return max(0.0, due - came - missing_by_chance(trial.case, due, 1))
