"""Whether a way of waiting meets a requirement, by the intervals over its trials."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import ceil, inf
from statistics import median
from typing import Literal

from threadping.analysis.chance import may_hold
from threadping.analysis.estimate import Estimate, fewest_for, interval
from threadping.analysis.percentiles import QUANTILES, percentiles
from threadping.analysis.ratio import is_beyond
from threadping.contract import Distribution
from threadping.model import Case, Observation, Record, Requirement

LATENCY, CPU, HELD, OFFERED = "latency_ns", "cpu_percent", "held_per_s", "offered_per_s"
SPENT, SLEPT = "cpu_ns_per_op", "switches_per_op"
PERCENTILE = "p99"

SURE = 0.99
"""The confidence of an interval that decides: it is looked at after every trial, so that its ends err more often than
those of one that is looked at once."""

FEWEST = fewest_for(SURE)
"""Trials without which nothing meets a requirement."""

FEW, DOUBT = 3, 2.0
"""With fewer trials, what they say may be off by this factor: they rule out only what misses by more."""

Verdict = Literal["meets", "misses", "open"]
Miss = Literal["latency", "cpu", "rate", "failed"]


class Judged(Record, frozen=True):
    """A way of waiting, as far as its trials tell: figures with the ends of their intervals.

    Attributes:
        case: what was measured.
        trials: how many have figures.
        p99: its latency in ns, from when a message is due; None where no message was timed.
        cpu: of the waiting thread, in per cent of a core; None where nothing is known.
        held: the share of the rate that was received.
        cpu_ns: the CPU time of each message, the median over trials; None where it is not known.
        sleeps: how often the waiting thread slept for each message.
        verdict: whether it meets the requirement.
        misses: in what it surely does not.
    """

    case: Case
    trials: int
    p99: Estimate | None
    cpu: Estimate | None
    held: Estimate | None
    verdict: Verdict
    misses: tuple[Miss, ...] = ()
    cpu_ns: float | None = None
    sleeps: float = 0.0

    def is_within(self, required: Requirement) -> bool:
        """Whether it would meet the requirement if its figures were exact."""
        most = ((self.p99, required.p99_ns), (self.cpu, required.cpu_percent or inf))
        return not self.misses and all(one is not None and one.value <= allowed for one, allowed in most)

    @property
    def cost(self) -> tuple[float, ...]:
        """By which ways are ordered: the CPU time, then the latency; what is not known is behind."""
        return tuple(one.value if one else inf for one in (self.cpu, self.p99))


def judge(case: Case, trials: Sequence[Observation], required: Requirement) -> Judged:
    """Judge a case by all its trials that have figures, in whatever state the machine was: it must meet it in each."""
    seen = [one for one in trials if one.figures]
    timed = [one for one in seen if one.distributions.get(LATENCY, NOTHING).counts]
    if not timed:
        failed = bool(trials)
        return Judged(case, len(seen), None, None, None, "misses" if failed else "open", ("failed",) if failed else ())
    lows, highs = zip(*map(p99_of, timed), strict=True)
    p99 = _bounds(lows, highs, _of_all_messages(timed))
    cpu = _over([one.figures.get(CPU) for one in seen])
    rated = [one.figures for one in seen if one.figures.get(OFFERED) and HELD in one.figures]
    held = _over([of_it[HELD] / of_it[OFFERED] for of_it in rated])
    messages = sum(of_it[HELD] * of_it["counters.measured_ns"] for of_it in rated) / 1e9
    most_cpu = required.cpu_percent or inf
    above: dict[Miss, bool | None] = {
        "latency": is_beyond(p99.ends, required.p99_ns),
        "cpu": is_beyond(cpu.ends, most_cpu) if cpu else None if required.cpu_percent else False,
        # What is not surely missed is held.
        "rate": held is not None and not may_hold(held.ends[1], case, messages, len(rated)),
    }
    misses = tuple(what for what, missed in above.items() if missed)
    sure = len(timed) >= FEWEST and set(above.values()) == {False}
    verdict: Verdict = "misses" if misses else "meets" if sure else "open"
    spent, slept = ([one.figures[name] for one in seen if name in one.figures] for name in (SPENT, SLEPT))
    return Judged(
        case=case,
        trials=len(timed),
        p99=p99,
        cpu=cpu,
        held=held,
        verdict=verdict,
        misses=misses,
        cpu_ns=median(spent) if spent else None,
        sleeps=median(slept) if slept else 0.0,
    )


def p99_of(trial: Observation) -> tuple[float, float]:
    """Between which ends a trial's p99 is: alike where its messages carry it, or else as far as they tell.

    That is from the highest percentile that they carry, or the least, to the longest.
    """
    found = percentiles([trial.distributions[LATENCY]], step=trial.figures.get("counters.clock_step_ns", 1.0))
    if PERCENTILE in found:
        return found[PERCENTILE], found[PERCENTILE]
    carried = [found[name] for name, q in QUANTILES.items() if name in found and q < QUANTILES[PERCENTILE]]
    return max(carried, default=found["min"]), found["max"]


def _of_all_messages(trials: Sequence[Observation]) -> float:
    """The p99 of all messages, carried or not: the best guess, by which it is chosen what is worth more trials.

    Each message weighs alike: one late one of a first, short trial must not outvote the long trials after it.
    """
    counts: Counter[int] = Counter()
    for one in trials:
        latency = one.distributions[LATENCY]
        counts.update(dict(zip(latency.values, latency.counts, strict=True)))
    rank = ceil(QUANTILES[PERCENTILE] * counts.total())
    values = sorted(counts)
    at_or_below = list(accumulate(counts[value] for value in values))
    return float(values[bisect_left(at_or_below, rank)])


def next_of(ways: Sequence[Judged], required: Requirement, most: int) -> int | None:
    """Which of several ways to measure next, by its place; None where the advice would be the same by more trials.

    That is the cheapest that would meet the requirement by what is known, until it surely does; then any that is
    cheaper and not ruled out. Where all are ruled out it is the quickest: an answer says how quick that is.

    Args:
        ways: as judged so far, each measured at least once.
        required: what they are to meet.
        most: so many trials of one way at most: what they leave open is too close to the requirement to decide.
    """
    if all(one.verdict == "misses" for one in ways):
        found = quickest(ways)
        return ways.index(found) if found and found.trials < FEWEST else None
    limit = min((one.cost[0] for one in ways if one.verdict == "meets"), default=inf) / CHEAPER
    standing = [
        place for place, one in enumerate(ways) if one.verdict == "open" and one.trials < most and one.cost[0] < limit
    ]

    within = [place for place in standing if ways[place].is_within(required)]
    as_cheap = CHEAPER * min((ways[place].cost[0] for place in within), default=0.0)

    def order(place: int) -> tuple[float, ...]:
        """Of what is as cheap the quickest, of which it takes the fewest trials to be sure.

        Of what would miss it by what is known each in turn: nobody knows which of them will come nearest.
        """
        one = ways[place]
        if not one.is_within(required):
            return (2, one.trials, *one.cost)
        return (0, *reversed(one.cost)) if one.cost[0] <= as_cheap else (1, *one.cost)

    return min(standing, key=order, default=None)


CHEAPER = 1.1
"""A way that takes less CPU by a smaller factor is no cheaper: it is not looked for."""


def quickest(ways: Sequence[Judged]) -> Judged | None:
    """The quickest of all that hold the rate; None where none does."""
    holding = (one for one in ways if one.p99 and "rate" not in one.misses)
    return min(holding, key=lambda one: one.cost[1], default=None)


NOTHING = Distribution("ns", (), (), 0, 0)


def _over(of_trials: Sequence[float | None]) -> Estimate | None:
    known = [value for value in of_trials if value is not None]
    return _bounds(known, known, median(known)) if known else None


def _bounds(lows: Sequence[float], highs: Sequence[float], value: float) -> Estimate:
    """The interval of the median, of trials that know it between two ends; of fewer than FEWEST their range.

    It reaches to the value over all trials, which a single bad one may have moved.
    """
    if len(lows) >= FEWEST:
        low, high = interval(lows, SURE)[0], interval(highs, SURE)[1]
    else:
        doubt = DOUBT if len(lows) < FEW else 1.0
        low, high = min(lows) / doubt, max(highs) * doubt
    return Estimate(value, min(low, value), max(high, value))
