"""The ratio of two figures, and whether it is more than a limit. One rule for all."""

from collections.abc import Sequence
from functools import cache
from math import comb, sqrt
from statistics import median

from threadping.analysis.percentiles import CONFIDENCE, FEWEST_FOR_AN_INTERVAL, Estimate, fewest_for, interval
from threadping.model.cases import Case


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """The median of ours over the median of theirs, with the 95% interval of that ratio.

    The interval is the one that belongs to the Mann-Whitney test: of the quotients of every one of ours with every one
    of theirs it leaves out equally many at both ends (Hodges and Lehmann, Estimates of location based on rank tests,
    Annals of Mathematical Statistics 34, 1963; on logarithms, since a factor is asked for), interpolated between the
    two quotients of which one covers a little more than 95% and the other less. It assumes independent trials that are
    alike on both sides but for the factor. Where one side scatters more than the other that alone would err too often:
    in 10% of cases on each side with 6 trials against 20. So it is widened to the ratios of both medians' own lower
    ends, and of both upper ends. How often it errs is simulated in the tests.

    Args:
        ours: the figure of each trial, at least one.
        theirs: the same; the median is not 0.

    Returns:
        Without an interval where one side has fewer than six trials, or values that are not positive.
    """
    value = median(ours) / median(theirs)
    if min(len(ours), len(theirs)) < FEWEST_FOR_AN_INTERVAL or min(*ours, *theirs) <= 0:
        return Estimate(value)
    quotients = sorted(one / other for one in ours for other in theirs)
    left_out, share = _left_out(len(ours), len(theirs), (1 - CONFIDENCE) / 2)
    (low, inside), (also_inside, high) = quotients[left_out - 1 : left_out + 1], quotients[-left_out - 1 :][:2]
    low, high = low * (inside / low) ** share, high * (also_inside / high) ** share
    ends = [one / other for one, other in zip(interval(ours), interval(theirs), strict=True)]
    return Estimate(value, min(low, *ends), max(high, *ends), "ci95")


def at_least(ours: Sequence[float], theirs: Sequence[float], error: float) -> float | None:
    """Return how many times theirs ours is at least: the lower end of the same interval, where it may err so often.

    So few trials as do not carry a confidence for the ends of their own median are widened by their range.

    Args:
        ours: the figure of each trial, above 0.
        theirs: the same.
        error: how often the ratio may be less where it is at this end: a share, as 0.05 over the number of claims.

    Returns:
        None where there are too few trials for it: all of ours above all of theirs would come by chance as often.
    """
    left_out, share = _left_out(len(ours), len(theirs), error)
    if not left_out:
        return None
    quotients = sorted(one / other for one in ours for other in theirs)
    low, inside = quotients[left_out - 1 : left_out + 1]
    (low_ours, high_ours), (low_theirs, high_theirs) = (_ends(values, 1 - 2 * error) for values in (ours, theirs))
    lowest: float = min(low * (inside / low) ** share, low_ours / low_theirs, high_ours / high_theirs)
    return lowest


def _ends(values: Sequence[float], confidence: float) -> tuple[float, float]:
    enough = len(values) >= fewest_for(confidence)
    return interval(values, confidence) if enough else (min(values), max(values))


def is_more(found: Estimate, times: float) -> bool | None:
    """Return whether a ratio is more than so many times: by its whole 95% interval; None where that does not tell."""
    return is_beyond(found.ends, times) if found.kind == "ci95" else None


def is_beyond(interval: tuple[float, float], limit: float) -> bool | None:
    """Return whether what an interval is of lies above a limit; None where the interval reaches to both sides of it."""
    low, high = interval
    return True if low > limit else False if high <= limit else None


@cache
def _left_out(ours: int, theirs: int, tail: float) -> tuple[int, float]:
    """Return at which quotient from either end, from 1 on, the interval ends, and how far it reaches to the next one.

    Beyond either end the ratio is as often as `tail`; where the interval would have no end the place is 0.

    The Mann-Whitney statistic is how many of the quotients are below 1: the number of ways in which it comes to each
    value is a coefficient of the Gaussian binomial.
    """
    ways = [1] + [0] * (ours * theirs)
    for part in range(1, ours + 1):
        ways = [count - fewer for count, fewer in zip(ways, [0] * (theirs + part) + ways, strict=False)]
        for place in range(part, len(ways)):
            ways[place] += ways[place - part]
    beyond, allowed = 0, tail * comb(ours + theirs, ours)
    place = 0
    while beyond + ways[place] <= allowed:
        beyond, place = beyond + ways[place], place + 1
    return place, (allowed - beyond) / ways[place]


BY_CHANCE = 3  # Standard deviations of a count
HELD_SHARE, AT_EDGES = 0.99, 2
"""The share of the offered rate that is received where it is sustained; messages, or bursts, that may fall across the
edges of a trial."""


def sustains_rate(case: Case, held: Estimate, offered: float, measured_ns: float, trials: int) -> bool:
    """Return whether an offered rate may be held, by what so many trials received a second, in so much time.

    Messages that are under way at the ends of a trial are no loss, nor are those that chance did not draw.
    """
    messages = held.value * measured_ns / 1e9
    missing = missing_by_chance(case, messages, trials)
    return held.ends[1] / offered >= HELD_SHARE * (1 - (missing / messages if messages else 0.0))


def missing_by_chance(case: Case, messages: float, trials: int) -> float:
    """Return the number of messages that may be missing in these trials though the rate is held."""
    missing = AT_EDGES * trials * float(case.params.get("burst", 1))
    if case.params.get("arrivals") == "poisson":
        missing += BY_CHANCE * sqrt(messages)
    return missing
