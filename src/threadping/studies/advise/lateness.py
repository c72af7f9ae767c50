"""How many messages are late, by trials: the share over all trials, its 99% bounds, and the p99 that follows from it.

Messages of one trial depend on each other: a burst that makes fifty of them late is one event. So trials are weighed,
never messages: each draw weighs all trials anew, by chance (D. B. Rubin, The Bayesian Bootstrap, Annals of Statistics
9, 1981), and says which share was late then. A bound adds a trial that nobody has seen, the worst that may come for
an upper one, one without a late message for a lower one (N. Gaffke, Three test statistics for a nonparametric one-sided
hypothesis on the mean of a nonnegative variable, Mathematical Methods of Statistics 14, 2005). Where trials are of two
kinds alone, late by so much or not at all, that is Clopper and Pearson's exact bound; so 44 trials without a late
message are needed to exclude that one in ten was of the worst kind.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from threadping.analysis.estimate import Estimate, fewest_for
from threadping.analysis.percentiles import QUANTILES, SLACK
from threadping.analysis.rates import missing_by_chance
from threadping.contract import Distribution
from threadping.model.studies import Requirement
from threadping.model.trials import Observation

REQUIRED_PERCENTILE = "p99"
ALLOWED = 1 - QUANTILES[REQUIRED_PERCENTILE]
"""The share of messages that may be late."""

BOUND_CONFIDENCE, Z = 0.99, 2.33
"""The confidence of a bound, to one side, and how many standard errors that is."""

FEW, FEWEST_SURE = 3, fewest_for(BOUND_CONFIDENCE)
"""Trials below which nothing misses, but by `FAR`; and below which there is no interval, and nothing meets."""

HALF, FAR, FULL = 0.5, 20.0, 0.1
"""Half of its messages show what a trial is like. A limit that they exceed so many times decides at once. A queue is
full from which so large a share of the messages is missing."""

WORST = 0.1
"""The share of its messages that may be late in the worst trial that nobody has seen, unless a worse one was. Of trials
of 250 messages at 1k/s, a quarter of a second each, that is a CPU that is taken away for 25 ms. With a rarer and worse
kind of trial, say 60% late in every fiftieth, no number of trials that fits into a minute has a chance: simulated,
37 and 23 of 40 answers were sure and wrong there (`docs/choosing.md`)."""

FEWEST_TO_MEET = ceil(log(1 - BOUND_CONFIDENCE) / log(1 - ALLOWED / WORST))
"""Trials without a late message that exclude one in so many of the worst kind: 44."""

AT_ONCE_NS, AMPLE_NS, BURST_SEND_NS = 1_000, 200_000, 100
"""A sender's own lateness is the machine's where a message costs it nothing: where the receiver spins, where messages
are so far apart that one has long been sent when the next is due, or where it typically sends at once. A message of a
burst may wait so long for each before it. A turn of the loop takes 20 to 60 ns, a wake-up that leaves a virtual machine
5 to 50 us."""

DRAWS, MOST_WEIGHTS, SEED, BLOCK = 4_000, 2_000_000, 41, 64
"""So many draws put the bound of 44 trials without a late message within 2% of the exact one (1,000: 7%). Of a run of
more trials than a search has, fewer, so that their weights fit into 16 MB. Weights are made for so many trials at a
time, since a search asks after every trial."""

HELD, OFFERED, MEASURED = "held_per_s", "offered_per_s", "counters.measured_ns"
NO_MESSAGES = Distribution("ns", (), (), 0, 0)

LATENCIES = {"paced": ("latency_ns", "sent_to_received_ns"), "crowd": ("done_ns", "done_ns")}
"""The distributions of each experiment: what a user sees, and what the wait strategy adds. A round is timed from when
its coordinator begins it."""

SENDER = "due_to_sent_ns"


class LateCounts(NamedTuple):
    """How many messages, or rounds, of a trial were due, and how many exceeded the limit.

    Attributes:
        due: those that came, and those that never did.
        lost: those that never did.
        late: received later than the limit after they were due, or never.
        added: the wait strategy alone took longer than the limit.
        far: it took `FAR` times the limit.
        sender: sent later than the limit after they were due; of rounds those that the coordinator did not begin in
            their turn, though the round before was done.
        alone: whether sending costs the sender nothing, so that its lateness is the machine's.
    """

    due: float
    lost: float
    late: float
    added: float
    far: float
    sender: float
    alone: bool


def count_late(trial: Observation, required: Requirement) -> LateCounts | None:
    """Count what exceeded the limit; None where nothing was timed."""
    case, figures, limit = trial.case, trial.figures, required.p99_ns
    names = (*LATENCIES[case.experiment], SENDER)
    timed, own, sent = (trial.distributions.get(name, NO_MESSAGES) for name in names)
    if not timed.counts:
        return None
    seconds = figures.get(MEASURED, 0.0) / 1e9
    came = figures.get(HELD, 0.0) * seconds or float(sum(timed.counts))
    due = figures.get(OFFERED, 0.0) * seconds
    # Those under way at both ends, or that chance did not draw, are not lost.
    lost = max(0.0, due - came - missing_by_chance(case, due, 1)) if due and HELD in figures else 0.0
    late, added, far = (came * _later(of, ns) for of, ns in ((timed, limit), (own, limit), (own, FAR * limit)))
    gap_ns, burst = 1e9 / required.rate, required.burst
    if case.experiment == "crowd":  # a round that lasts longer than a turn leaves turns out
        over = sum(number * max(0.0, ns / gap_ns - 1) for ns, number in zip(own.values, own.counts, strict=True))
        mine = min(lost, came * over / sum(own.counts))
        return LateCounts(came + lost, lost, late + lost, added + mine, far, lost - mine, alone=True)
    costless = not case.blocking or (gap_ns >= AMPLE_NS and burst == 1) or _later(sent, AT_ONCE_NS) <= HALF
    alone = costless and bool(sent.counts) and lost <= FULL * due
    sender = came * _later(sent, limit + BURST_SEND_NS * (burst - 1))
    return LateCounts(came + lost, lost, late + lost, added, far, sender, alone)


def _later(timed: Distribution, limit_ns: float) -> float:
    """The share that took longer than this."""
    beyond = sum(timed.counts[bisect_right(timed.values, limit_ns) :])
    return beyond / sum(timed.counts) if beyond else 0.0


def share(late: Sequence[float], due: Sequence[float]) -> float:
    """The share of all that were late."""
    return float(sum(late)) / float(sum(due))


def highest_share(late: Sequence[float], due: Sequence[float]) -> float:
    """The upper 99% bound of the share that is late in many more trials; exact where none was late."""
    if not any(late):
        return WORST * float(1 - (1 - BOUND_CONFIDENCE) ** (1 / len(late)))
    return _bound(late, due, max(WORST * sum(due) / len(due), *late), BOUND_CONFIDENCE)


def lowest_share(late: Sequence[float], due: Sequence[float]) -> float:
    """The lower 99% bound of the same."""
    return _bound(late, due, 0.0, 1 - BOUND_CONFIDENCE) if any(late) else 0.0


class LateSpread(NamedTuple):
    """The share of messages that is late, its variance between trials, and that of the worst of so many trials."""

    mean: float = 0.0
    variance: float = 0.0
    worst: float = 0.0
    trials: int = 0


def spread(counts: Sequence[LateCounts]) -> LateSpread:
    """Return how late trials are, each weighted by its messages."""
    if not counts:
        return LateSpread()
    late, due = [one.late for one in counts], [one.due for one in counts]
    mean, each, number = share(late, due), sum(due) / len(due), len(due)
    squares = sum((one - mean * of) ** 2 for one, of in zip(late, due, strict=True)) / each**2
    return LateSpread(mean, squares / max(1, number - 1), max(late) / each, number)


BORROWED = 6
"""What few trials of one wait strategy do not tell is expected to be as in those of others, which count so much."""


def more_to_meet(counts: Sequence[LateCounts], others: LateSpread) -> float:
    """About how many further trials would show that it meets the limit; infinite if none would.

    The upper bound is about the share, `Z` standard errors with an unseen trial among them, and `Z` times its part.
    """
    own = spread(counts)
    part = own.trials / (own.trials + BORROWED)
    mean, variance = (part * one + (1 - part) * other for one, other in zip(own[:2], others[:2], strict=True))
    if mean >= ALLOWED:
        return inf
    factor = Z / (ALLOWED - mean)
    return max(1.0, factor * (factor * variance + 2 * max(WORST, own.worst)) - own.trials)


def pooled_p99(
    trials: Sequence[Observation], counts: Sequence[LateCounts], *, of: str = "", bounded: bool = False
) -> Estimate:
    """The 99th percentile of all messages, what never came being later than all others.

    Where it is `bounded`, from `FEWEST_SURE` trials on its 99% interval: the p99 by all draws but the lowest and the
    highest half percent. Of fewer the range of the trials, from `FEW` on; of one or two none.
    """
    timed = [one.distributions[of or LATENCIES[one.case.experiment][0]] for one in trials]
    values = np.unique(np.concatenate([np.asarray(one.values, dtype=np.int64) for one in timed]))
    due = np.array([one.due for one in counts])
    later = np.zeros((len(trials), len(values)))  # for each trial how many were later than each value
    for row, one, of_it in zip(later, timed, counts, strict=True):
        numbers = np.asarray(one.counts, dtype=np.float64)
        row[values.searchsorted(np.asarray(one.values))] = numbers * (of_it.due - of_it.lost) / numbers.sum()
        row[:] = of_it.due - row.cumsum()

    def first(late: Callable[[NDArray[np.float64]], float]) -> float:
        """The first value beyond which no more than what is allowed is late; the last where there is none."""
        place = bisect_left(range(len(values) - 1), -ALLOWED - SLACK, key=lambda at: -late(later[:, at]))
        return float(values[place])

    value = first(lambda late: float(late.sum() / due.sum()))
    if not bounded or len(trials) < FEW:
        return Estimate(value)
    if len(trials) < FEWEST_SURE:
        each = [pooled_p99([one], [of_it]).value for one, of_it in zip(trials, counts, strict=True)]
        return Estimate(value, min(*each, value), max(*each, value), "range")
    half = (1 - BOUND_CONFIDENCE) / 2
    low, high = (first(lambda late, q=q: _quantile(late, due, q)) for q in (half, 1 - half))  # type: ignore[misc]
    return Estimate(value, min(low, value), max(high, value), "ci99")


def _bound(late: Sequence[float], due: Sequence[float], unseen: float, q: float) -> float:
    return _quantile(np.append(late, unseen), np.append(due, sum(due) / len(due)), q)


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
