"""How many times one figure is another, and whether that is more than so many times. One rule for all."""

from collections.abc import Sequence
from functools import cache
from math import comb
from statistics import median

from threadping.analysis.answer import Row
from threadping.analysis.estimate import CONFIDENCE, FEWEST_FOR_AN_INTERVAL, Estimate, interval
from threadping.analysis.percentiles import QUANTILES, of_each_trial


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
    left_out, share = _left_out(len(ours), len(theirs))
    (low, inside), (also_inside, high) = quotients[left_out - 1 : left_out + 1], quotients[-left_out - 1 :][:2]
    low, high = low * (inside / low) ** share, high * (also_inside / high) ** share
    ends = [one / other for one, other in zip(interval(ours), interval(theirs), strict=True)]
    return Estimate(value, min(low, *ends), max(high, *ends), "ci95")


def is_more(found: Estimate, times: float) -> bool | None:
    """Whether a ratio is more than so many times: by its whole 95% interval; None where that does not tell."""
    return is_beyond(found.ends, times) if found.kind == "ci95" else None


def is_beyond(interval: tuple[float, float], limit: float) -> bool | None:
    """Whether what an interval is of lies above a limit; None where the interval reaches to both sides of it."""
    low, high = interval
    return True if low > limit else False if high <= limit else None


def values_of(row: Row, figure: str) -> Sequence[float]:
    """A figure of each trial of a row that knows it; of a percentile none, unless every trial carries it by itself."""
    for one in row.declared.distributions:
        part = figure.removeprefix(f"{one.name}.")
        if part != figure and part in QUANTILES:
            timed, step, windows = one.of_trials(row.trials)
            return of_each_trial(timed, one.parts, step, windows).get(part, ())
    return row.over_trials(figure)


@cache
def _left_out(ours: int, theirs: int) -> tuple[int, float]:
    """Which quotient from either end the interval ends at, counted from 1, and how far on to the next one it reaches.

    The Mann-Whitney statistic is how many of the quotients are below 1: the number of ways in which it comes to each
    value is a coefficient of the Gaussian binomial.
    """
    ways = [1] + [0] * (ours * theirs)
    for part in range(1, ours + 1):
        ways = [count - fewer for count, fewer in zip(ways, [0] * (theirs + part) + ways, strict=False)]
        for place in range(part, len(ways)):
            ways[place] += ways[place - part]
    beyond, allowed = 0, (1 - CONFIDENCE) / 2 * comb(ours + theirs, ours)
    place = 0
    while beyond + ways[place] <= allowed:
        beyond, place = beyond + ways[place], place + 1
    return place, (allowed - beyond) / ways[place]
