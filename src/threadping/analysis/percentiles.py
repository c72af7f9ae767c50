"""Percentiles, means and ratios over several trials, each weighing the same, and how sure they are.

Samples of one window depend on each other, and a burst is one event however many samples it has. So what a percentile
is worth shows in the trials: how many hold samples beyond it, and how it moves when trials are drawn anew.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import accumulate, chain, compress, count, repeat
from math import ceil, comb, floor, fsum, sqrt
from operator import mul, not_, sub, truediv
from pathlib import Path
from statistics import NormalDist, fmean, harmonic_mean, median
from typing import Any, Literal, NamedTuple

from threadping.model.cases import Case
from threadping.model.contract import Distribution

DRAWS, SEED = 1000, 20130815
"""The number of draws of trials, with replacement, and their seed: the same trials have the same interval for ever."""

NORMAL = NormalDist()


def drawn_anew(trials: int) -> Any:
    """An array with a line for each draw: how often it has each trial."""
    import numpy as np  # which takes 90 ms to import

    return np.random.default_rng([SEED, trials]).multinomial(trials, [1 / trials] * trials, size=DRAWS)


class Drawn(NamedTuple):
    """Draws of trials: how often each of them has each trial."""

    lines: Any  # an array; of few trials plain lists, since numpy is slow to import, and these soon worked out
    times: Sequence[int]  # how often each line was drawn

    def split(self, shares: Sequence[float], wanted: float) -> "list[Drawn]":
        """Return those whose trials' shares come to what is wanted, and the others."""
        if isinstance(self.lines, list):
            has_it = [sum(map(mul, line, shares)) >= wanted for line in self.lines]
            sides = (has_it, [*map(not_, has_it)])
            return [Drawn([*compress(self.lines, side)], [*compress(self.times, side)]) for side in sides]
        found: Any = self.lines @ shares >= wanted
        return [Drawn(self.lines[side], [1] * int(side.sum())) for side in (found, ~found)]


@cache
def draws(trials: int) -> Drawn:
    """The draws; those of the usual numbers of trials are in a file. Of fewer, for their range, each trial alone."""
    if trials < FEWEST_FOR_AN_INTERVAL:
        return Drawn([[trials * (one == other) for other in range(trials)] for one in range(trials)], [1] * trials)
    lines = Path(__file__).with_name("draws.txt").read_text().splitlines()
    if trials < FEWEST_FOR_AN_INTERVAL + len(lines):
        times = Counter(lines[trials - FEWEST_FOR_AN_INTERVAL].split())
        return Drawn([[*map(int, drawn)] for drawn in times], [*times.values()])
    return Drawn(drawn_anew(trials), [1] * DRAWS)


def beyond(trials: int, confidence: float) -> float:
    """The share of draws that an interval of this confidence leaves out at each end: less than (1 - confidence) / 2.

    A sample of n scatters less about its own mean than about the truth, by sqrt((n - 1) / n), and how much it scatters
    is itself an estimate, as Student's t makes up for. Of six normal trials 2.5% at each end cover 87%, this share 94%;
    a test simulates it (Hesterberg, What teachers should know about the bootstrap, The American Statistician 69, 2015).
    """
    return NORMAL.cdf(-sqrt(trials / (trials - 1)) * student((1 + confidence) / 2, trials - 1))


def student(share: float, degrees: float) -> float:
    """The quantile of Student's t, by the expansion in 1 / degrees: 2.568 of 5, in place of 2.571."""
    z = NORMAL.inv_cdf(share)
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + float(sum(term / degrees**power for power, term in enumerate(terms, start=1)))


def interval_of_mean(values: Sequence[float], confidence: float) -> tuple[float, float]:
    """The confidence interval of the mean of several trials."""
    drawn, out = draws(len(values)), beyond(len(values), confidence)
    parts = [value / len(values) for value in values]
    if isinstance(drawn.lines, list):
        each = [sum(map(mul, line, parts)) for line in drawn.lines]
    else:
        each = (drawn.lines @ parts).tolist()
    means = sorted(chain.from_iterable(map(repeat, each, drawn.times)))
    places = (divmod(share * (len(means) - 1), 1) for share in (out, 1 - out))  # linear between neighbours
    low, high = (means[int(at)] + part * (means[int(at) + 1] - means[int(at)]) for at, part in places)
    return low, high


CONFIDENCE = 0.95
Summary = Literal["median", "mean", "harmonic", "total", "least", "most"]  # how values of trials become one

SUMMARIES: Mapping[Summary, Callable[..., float]] = {
    "median": median,
    "mean": fmean,
    "harmonic": harmonic_mean,
    "total": sum,
    "least": min,
    "most": max,
}

FEWEST_FOR_AN_INTERVAL = 6
"""With fewer trials than six not even the range of all covers their median with 95% confidence: 1 - 2/2^5 is 93.75%."""

FEWEST_FOR_A_RANGE = 3
IntervalKind = Literal["ci95", "ci99", "range"]  # the kind of `low` and `high`; an advice has 99% intervals


class Estimate:
    """A figure over trials.

    `ends` is its 95% confidence interval (`ci95`) from six trials on, the range of the trials (`range`) from three on;
    for fewer trials, totals and extremes, the value alone (None). Both are of the time in which the trials were
    measured. Most are never printed, so that an interval is computed when somebody asks for it.
    """

    def __init__(
        self,
        value: float,
        low: float | None = None,
        high: float | None = None,
        kind: IntervalKind | None = None,
        find: Callable[[], tuple[float, float]] | None = None,
    ) -> None:
        self.value, self.kind, self._find = value, kind, find
        self._known = value if low is None else low, value if high is None else high

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The interval; where there is none, the value alone."""
        return self._find() if self._find else self._known

    @property
    def half(self) -> float | None:
        """Half of the interval as a share of the value; None without an interval, or of 0."""
        return None if not self.kind or not self.value else (self.ends[1] - self.ends[0]) / 2 / abs(self.value)

    def __eq__(self, other: object) -> bool:
        ours = self.value, self.ends, self.kind
        return isinstance(other, Estimate) and ours == (other.value, other.ends, other.kind)

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"Estimate{(self.value, *self.ends, self.kind)}"


def estimate(values: Sequence[float], over: Summary = "median") -> Estimate:
    """One figure for those of several trials; at least one."""
    value = SUMMARIES[over](values)
    if over not in INTERVALS or len(values) < FEWEST_FOR_A_RANGE:
        return Estimate(value)
    if len(values) < FEWEST_FOR_AN_INTERVAL:
        return Estimate(value, min(values), max(values), "range")
    return Estimate(value, kind="ci95", find=partial(INTERVALS[over], values))


@cache
def fewest_for(confidence: float) -> int:
    """Return the minimum number of values for an interval of this confidence: of fewer not even their range has it."""
    return next(n for n in count(2) if 1 - 2 / 2**n >= confidence)


def interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The confidence interval of the median, of `fewest_for` values or more: six for 95%.

    It is the sign test's, interpolated between two pairs of order statistics, the one that covers a little more than
    95% and the one that covers less (Hettmansperger and Sheather, Confidence intervals based on interpolated order
    statistics, Statistics and Probability Letters 4, 1986). It assumes independent trials, and nothing of their
    distribution's shape. Its coverage is simulated in the tests.
    """
    ordered = sorted(values)
    n = len(ordered)
    # `wide` is the probability that the median lies between the order statistics of this depth from both ends.
    depth, wide, narrow = 0, 1.0, 1 - 2 / 2**n
    while narrow >= confidence:
        depth, wide, narrow = depth + 1, narrow, narrow - 2 * comb(n, depth + 1) / 2**n
    share = (wide - confidence) / (wide - narrow)
    inward = (n - depth) * share / (depth + (n - 2 * depth) * share)
    low, high = ordered[depth - 1], ordered[n - depth]
    return low + inward * (ordered[depth] - low), high - inward * (high - ordered[n - depth - 1])


INTERVALS: Mapping[Summary, Callable[[Sequence[float]], tuple[float, float]]] = {
    "median": interval,
    "mean": lambda values: interval_of_mean(values, CONFIDENCE),
    "harmonic": lambda rates: (1 / (ends := INTERVALS["mean"]([1 / one for one in rates]))[1], 1 / ends[0]),
}
"""The interval of each summary, from six trials on."""

CARRYING_SAMPLES = 10
"""A percentile is reported only if at least this many samples are expected beyond it, so that it is not the luck of one
or two: p99.9 needs 10,000 samples. The usual rule of thumb n(1 - q) >= 10 for the normal approximation of an order
statistic's rank (for instance Conover, Practical Nonparametric Statistics, 3rd ed., 3.2)."""

CARRYING_TRIALS = 2.0
"""The minimum for a tail, every percentile above the median: it is reported only if what lies nearly there or beyond is
of this many trials, where there are three or more: by Kish's effective number of the shares that each has there (1 for
one burst). Where 2% of all messages were late in a single trial of 3 to 24, p99 was that trial's in every row, and
now no row tells it; of six trials whose own tails scatter by 40 or 100% (lognormal) all of 100 rows tell p99 (simulated
in the tests)."""

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}
PERCENTILE_NAMES = ("min", *QUANTILES, "max")
SLACK = 1e-9
NEARLY = 0.5  # The share of a percentile from which samples support it: trials whose paces differ by 10% are no bursts
MIDDLE, PARTS = 0.5, 64
"""A tail begins above the middle. And the parts of a clock's step in which the ends of intervals are found."""

MOST_WEIGHT = 10  # maximum: a duration that almost fills a window is seldom seen whole, and must not outvote all others


OfTrial = tuple[Sequence[int], Sequence[float]]  # values, and the share of a trial below each, and at last the whole


class Pooled(NamedTuple):
    """Trials that have samples, at least one; every trial weighs the same."""

    each: Sequence[OfTrial]

    def below(self, value: int) -> float:
        """Return the share of the whole that lies below a value."""
        return sum(below[bisect_left(values, value)] for values, below in self.each) / len(self.each)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most of all values."""
        return float(min(values[0] for values, _ in self.each)), float(max(values[-1] for values, _ in self.each))

    def of_trials(self, q: float) -> list[int]:
        """Return the quantile of each trial: the least value at or below which such a share lies."""
        return [values[bisect_left(below, q - SLACK, 1, len(values)) - 1] for values, below in self.each]

    def at(self, q: float) -> int:
        """Return the quantile of all trials, which is between those of each."""
        least, most = min(own := self.of_trials(q)), max(own)
        return least + bisect_left(range(least, most), q - SLACK, key=lambda value: self.below(value + 1))


def pooled(trials: Sequence[Distribution], windows: Sequence[float] = ()) -> Pooled | None:
    """Mix the trials that have samples; None if none has any.

    Every trial weighs the same, so that a fast one's many samples do not outvote the rest. A duration w that begins
    anywhere in a window W (ns; 0 where none censors) is seen whole with probability (W - w) / W, so it weighs W /
    (W - w).
    """
    each: list[OfTrial] = []
    for one, window in zip(trials, windows or [0.0] * len(trials), strict=True):
        if one.counts:
            weights = [*map(truediv, one.counts, _outside(one.values, window))] if window else one.counts
            whole = fsum(weights) if window else sum(weights)
            each.append((one.values, [*accumulate(map(truediv, weights, repeat(whole)), initial=0.0)]))
    return Pooled(each) if each else None


def _outside(durations: Sequence[int], window: float) -> Iterable[float]:
    """Return in how much of a window each of ascending durations may begin and be seen whole."""
    least = window / MOST_WEIGHT
    usual = durations[: bisect_right(durations, window - least)]
    return chain(map(sub, repeat(window), usual), repeat(least, len(durations) - len(usual)))


def cut_at_edges(trials: Sequence[Distribution], windows: Sequence[float]) -> float:
    """Return how many durations the edges of windows cut, if those cut are as long as those seen whole.

    For each duration w that is seen whole in a window W, w / (W - w) are cut at its begin and as many at its end: those
    are what `pooled` makes up for. What is longer than a window, or what comes in clusters, is cut more often.
    """
    return 2 * fsum(
        number * value / ns
        for one, window in zip(trials, windows, strict=True)
        if window
        for value, number, ns in zip(one.values, one.counts, _outside(one.values, window), strict=True)
    )


def worth(trials: Sequence[Distribution]) -> float:
    """Return how many samples the mixture is worth: Kish's effective sample size, (sum w)^2 / sum w^2.

    It is the sum of all samples where trials have equally many, and less where they do not, since a sample weighs one
    by its trial's samples (Kish, Survey Sampling, 1965, 11.7).
    """
    samples = [sum(one.counts) for one in trials if one.counts]
    return len(samples) ** 2 / sum(1 / number for number in samples) if samples else 0.0


def percentiles(
    trials: Sequence[Distribution],
    step: float = 1,
    windows: Sequence[float] = (),
    mixed: Pooled | None = None,
    wanted: Mapping[str, float] = QUANTILES,
) -> Mapping[str, float]:
    """Return the least, percentiles and most of several trials' values, without what samples or trials cannot carry.

    What lies in one `step` of the clock is taken as spread evenly over it, or a median would be off by up to half a
    step: 2.4 ns of 27 were simulated, and 0.4 with it. The trials are `mixed` by `pooled`, unless they were already.
    """
    if (mixed := mixed or pooled(trials, windows)) is None:
        return {}
    each, samples = mixed.each, worth(trials)
    carried = {name: q for name, q in wanted.items() if samples * (1 - q) >= CARRYING_SAMPLES - SLACK}
    at = {name: mixed.at(q) for name, q in carried.items()}
    if len(each) >= FEWEST_FOR_A_RANGE:
        enough = CARRYING_TRIALS - SLACK
        carried = {name: q for name, q in carried.items() if q <= MIDDLE or trials_beyond(each, at[name]) >= enough}
    found = {
        name: float(at[name]) if step <= 1 else _between_steps(mixed, q, step, round(at[name] / step))
        for name, q in carried.items()
    }
    return {"min": mixed.ends[0], **found, "max": mixed.ends[1]}


def estimates(trials: Sequence[Distribution], step: float = 1, windows: Sequence[float] = ()) -> Mapping[str, Estimate]:
    """Return the same, each percentile with its interval over trials: from six on 95%, of three to five their range.

    The value is of all trials together, and so is the interval: of trials drawn anew, each draw mixed as they are.
    How often it covers is simulated in the tests. The least and the most have none.
    """
    if (mixed := pooled(trials, windows)) is None:
        return {}
    has_interval = QUANTILES if len(mixed.each) >= FEWEST_FOR_A_RANGE else {}
    kind: IntervalKind = "ci95" if len(mixed.each) >= FEWEST_FOR_AN_INTERVAL else "range"
    return {
        name: Estimate(value, kind=kind, find=partial(_ends, mixed, QUANTILES[name], step, value))
        if name in has_interval
        else Estimate(value)
        for name, value in percentiles(trials, step, windows, mixed).items()
    }


def trials_beyond(each: Sequence[OfTrial], at: float) -> float:
    """Return of how many trials it is what lies at, just below or beyond a value: Kish's number.

    Of the shares b of each trial that are there it is (sum b)^2 / sum b^2; NEARLY of a value is as good as there.
    """
    there = [max(0.0, 1 - below[bisect_left(values, NEARLY * at)]) for values, below in each]
    return sum(there) ** 2 / sum(share**2 for share in there)


def _ends(mixed: Pooled, q: float, step: float, value: float) -> tuple[float, float]:
    """Return between which values, and the one of all trials, all but a few of the draws have a quantile.

    A place among which they are found is a part of a step of the clock, over which what lies in the step is spread;
    where the clock has no steps, a value.
    """
    trials, parts, step = len(mixed.each), PARTS if step > 1 else 1, max(step, 1.0)
    alone = mixed.of_trials(q)
    places = range(parts * round(min(alone) / step), parts * round(max(alone) / step) + parts - 1)
    drawn, out = draws(trials), beyond(trials, CONFIDENCE) if trials >= FEWEST_FOR_AN_INTERVAL else 0.0
    # readings are whole: 20 and 21 are the same step of ten
    steps = [
        (values if step <= 1 else [round(value / step) for value in values], below) for values, below in mixed.each
    ]

    def reached(place: int) -> list[float]:
        number, part = divmod(place, parts)
        within = ((below, bisect_left(of, number), bisect_right(of, number)) for of, below in steps)
        return [below[first] + (part + 1) / parts * (below[behind] - below[first]) for below, first, behind in within]

    number = sum(drawn.times)
    found = (
        _place(places, reached, drawn, trials * (q - SLACK), enough * number)
        for enough in (max(out, SLACK), 1 - out - SLACK)
    )
    parted = (divmod(place, parts) for place in found)
    low, high = (of * step + (step * ((part + 1) / parts - 0.5) if parts > 1 else 0.0) for of, part in parted)
    return max(min(low, value), mixed.ends[0]), min(max(high, value), mixed.ends[1])


def _place(places: range, reached: Callable[[int], Sequence[float]], drawn: Drawn, wanted: float, enough: float) -> int:
    """Return the first place at or below which `enough` draws have what is wanted; the end of the places if none is.

    It is found by halving, and with the places those draws go that have it elsewhere.
    """
    first, last = places.start, places.stop
    while first < last:
        middle = (first + last) // 2
        there, elsewhere = drawn.split(reached(middle), wanted)
        number = sum(there.times)
        if number >= enough:
            last, drawn = middle, there
        else:
            first, enough, drawn = middle + 1, enough - number, elsewhere
    return first


def of_each_trial(
    trials: Sequence[Distribution], step: float = 1, windows: Sequence[float] = ()
) -> Mapping[str, list[float]]:
    """Return, by name, what each trial by itself says of the percentiles that all of them carry."""
    each = [percentiles([one], step, windows[place : place + 1]) for place, one in enumerate(trials)]
    return {name: [one[name] for one in each] for name in PERCENTILE_NAMES if each and all(name in one for one in each)}


def _between_steps(mixed: Pooled, q: float, step: float, number: int) -> float:
    inside = range(floor((number - 1) * step), ceil((number + 1) * step) + 1)
    first, behind = (
        inside[cut(inside, number, key=lambda ns: round(ns / step))] for cut in (bisect_left, bisect_right)
    )
    below, until = mixed.below(first), mixed.below(behind)
    found = number * step + step * ((q - below) / (until - below) - 0.5)
    return min(max(found, mixed.ends[0]), mixed.ends[1])


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """Return the median of ours over the median of theirs, with the 95% interval of that ratio.

    The interval is the one that belongs to the Mann-Whitney test: of the quotients of every one of ours with every
    one of theirs it leaves out equally many at both ends (Hodges and Lehmann, Estimates of location based on rank
    tests, Annals of Mathematical Statistics 34, 1963; on logarithms, since a factor is asked for), interpolated
    between two quotients: one covers a little more than 95%, the other less. It assumes independent
    trials that are alike on both sides but for the factor. Where one side scatters more than the other that alone
    would err too often: in 10% of cases on each side with 6 trials against 20. So it is widened to the ratios of
    both medians' own lower ends, and of both upper ends. How often it errs is simulated in the tests. With fewer
    than six trials on a side, or values that are not positive, there is none.
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
    """Return how many times theirs ours is at least: the lower end of that interval, where it may `error` so often.

    So few trials as do not carry a confidence for the ends of their own median are widened by their range. None
    where there are too few: all of ours above all of theirs would come by chance as often.
    """
    left_out, share = _left_out(len(ours), len(theirs), error)
    if not left_out:
        return None
    quotients = sorted(one / other for one in ours for other in theirs)
    low, inside = quotients[left_out - 1 : left_out + 1]
    confidence = 1 - 2 * error
    (low_ours, high_ours), (low_theirs, high_theirs) = (
        interval(values, confidence) if len(values) >= fewest_for(confidence) else (min(values), max(values))
        for values in (ours, theirs)
    )
    lowest: float = min(low * (inside / low) ** share, low_ours / low_theirs, high_ours / high_theirs)
    return lowest


def is_more(found: Estimate, times: float) -> bool | None:
    """Return whether a ratio exceeds `times` by its whole 95% interval; None if the interval does not decide it."""
    return is_beyond(found.ends, times) if found.kind == "ci95" else None


def interval_of_rate(trials: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """Return the low end, the rate and the high end of rare events, by the rate and the time of each trial.

    It is the wider of two 95% intervals: Poisson's for all events together (Garwood, Biometrika 28, 1936, by Byar's
    approximation), and that of the trials' own rates, since events that come in bursts are fewer than they seem.
    """
    rates, time, z = [rate for rate, _ in trials], sum(time for _, time in trials), NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    events = sum(rate * time for rate, time in trials)
    low, high = (
        (1 - 1 / (9 * n) - side * z / (3 * sqrt(n))) ** 3 * n / time if n else 0.0
        for side, n in ((1, events), (-1, events + 1))
    )
    ends = interval(rates) if len(rates) >= FEWEST_FOR_AN_INTERVAL else (min(rates), max(rates))
    return max(0.0, min(low, ends[0])), events / time, max(high, ends[1])


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
    """Return whether an offered rate may be held; what is under way at the ends is no loss."""
    messages = held.value * measured_ns / 1e9
    missing = missing_by_chance(case, messages, trials)
    return held.ends[1] / offered >= HELD_SHARE * (1 - (missing / messages if messages else 0.0))


def missing_by_chance(case: Case, messages: float, trials: int) -> float:
    """Return the number of messages that may be missing in these trials though the rate is held."""
    missing = AT_EDGES * trials * float(case.params.get("burst", 1))
    if case.params.get("arrivals") == "poisson":
        missing += BY_CHANCE * sqrt(messages)
    return missing
