"""An analysed run, the source of every view; the trials that count; pairs that were measured at once."""

from collections.abc import Mapping, Sequence
from math import ceil, log, sqrt
from statistics import NormalDist, fmean, median, stdev
from typing import Literal

from threadping.analysis.checks import Finding
from threadping.analysis.declaration import Declaration, Row
from threadping.analysis.percentiles import Estimate, estimate
from threadping.analysis.states import NO_STATES, States, TrialStates, alike
from threadping.model.base import Record
from threadping.model.cases import Case
from threadping.model.run import Observation, ReferencePing, Run, Stored

ALIKE_WITHIN = 1.02  # Within this ratio, both ways, pairs measured at once are like pairs alone
MOST_CHECKS = 4
"""Maximum number of times that some pairs are measured alone, and all at once again, before giving up. Simulated
(`benchmarks.simulated.tables crowded`), 28 pairs: at a noise of 1, 3 and 6% of a trial pairs that are alike are
judged alike in 100, 53 and 4%, and judged unlike in 0, 0.5 and 2%; those that are slower by 3% are judged alike in 0%,
by 5% in 0.5% at most. Of 496 pairs those that are alike are judged alike in 100, 100 and 36%."""

AreAlike = Literal["yes", "no", "cannot tell"]
SHARE, FEWEST = 0.05, 6
"""The share of pairs that are measured alone too, and the minimum: from six ratios on there is an interval."""

SLOW_SHARE, FEWEST_SLOW = 0.01, 3
"""The share and minimum for the slowest pairs: with many lines in flight, the longest way congests first."""

TRIALS, MANY = 3, 50
"""Trials of each of these pairs alone, where one may be disturbed; and the number of pairs from which one each will
do."""


class PairTrial(Record, frozen=True):
    """A trial of a pair."""

    ns: float  # its latency
    level: float | None  # how far its CPUs were apart by the pings around it; None where that is not known
    concurrent: bool  # whether other pairs were measured at the same time
    # whether in the first pass, which chose the pairs that are compared: its slowest were slow by chance too, and are
    # compared by what they were later
    is_first: bool = False


class Parallel(Record, frozen=True):
    """Pairs measured at once against the same alone."""

    ratio: Estimate  # at once over alone, the median over pairs
    pairs: int  # of how many
    slowest: Estimate | None  # the same of the slowest of them alone; None where there are too few
    # whether pairs at once are like pairs alone: `yes` where the whole interval of the ratio is within 2%, `no` where
    # it, or the slowest pairs', is beyond that; else nobody can tell
    alike: AreAlike
    is_used: bool  # whether concurrent trials count: only where they are like those alone


def checked(slowest_first: Sequence[int], shuffled: Sequence[int]) -> list[int]:
    slow = slowest_first[: max(FEWEST_SLOW, ceil(SLOW_SHARE * len(slowest_first)))]
    others = [one for one in shuffled if one not in set(slow)]
    return [*slow, *others[: max(FEWEST, ceil(SHARE * len(slowest_first)))]]


def times(pairs: int) -> int:
    return TRIALS if pairs < MANY else 1


def usual_level(trials: Sequence[PairTrial]) -> float | None:
    """Return how far a pair's CPUs were apart in most of its trials; None where that is known of none."""
    levels = [one.level for one in trials if one.level is not None]
    return max(levels, key=lambda level: sum(alike(level, other) for other in levels), default=None)


def near_level(trials: Sequence[PairTrial], level: float | None) -> list[PairTrial]:
    """Return the trials in which a pair's CPUs were so far apart, or that is not known."""
    return [one for one in trials if one.level is None or level is None or alike(one.level, level)]


def parallel(of_pairs: Sequence[Sequence[PairTrial]]) -> Parallel | None:
    """Compare the trials of each pair, those in one state; None where no pair was measured both ways."""
    both = [(trials, ratio) for trials in of_pairs if (ratio := _ratio(trials)) is not None]
    if not both:
        return None
    first = [min((one.ns for one in trials if one.concurrent and one.is_first), default=0.0) for trials, _ in both]
    ratios = [ratio for _, (_, ratio) in sorted(zip(first, both, strict=True), key=lambda one: one[0])]
    number = max(FEWEST_SLOW, ceil(SLOW_SHARE * len(of_pairs)))
    slow = ratios[-number:] if len(ratios) > number else []
    whole = estimate(ratios)
    slowest = estimate(slow) if slow else None
    is_within = whole.kind == "ci95" and whole.ends[0] >= 1 / ALIKE_WITHIN and whole.ends[1] <= ALIKE_WITHIN
    is_beyond = bool(whole.kind) and (whole.ends[0] > ALIKE_WITHIN or whole.ends[1] < 1 / ALIKE_WITHIN)
    others = ratios[: len(ratios) - len(slow)]
    if slow and len(others) > 1:
        # Test at 99.9% whether the slowest are unlike alone: of few the others tell the scatter
        apart = abs(fmean(map(log, slow))) - Z_ONE_SIDED * stdev(map(log, others)) / sqrt(len(slow))
        is_beyond = is_beyond or apart > log(ALIKE_WITHIN)
    alike: AreAlike = "no" if is_beyond else "yes" if is_within else "cannot tell"
    return Parallel(whole, len(ratios), slowest, alike, is_used=alike == "yes")


Z_ONE_SIDED = NormalDist().inv_cdf(0.9995)


def _ratio(trials: Sequence[PairTrial]) -> float | None:
    near = near_level(trials, usual_level([one for one in trials if not one.concurrent]))
    alone = [one.ns for one in near if not one.concurrent]
    concurrent = [one.ns for one in near if one.concurrent and not one.is_first]
    return median(concurrent) / median(alone) if concurrent and alone else None


class Observed(Record, frozen=True):
    """A trial of the run: what it says, and how its CPUs stood meanwhile."""

    observation: Observation
    standing: TrialStates = TrialStates()


class Answer(Record, frozen=True):
    """A run, analysed."""

    run: Run  # what was carried out
    trials: tuple[Observed, ...]  # every trial that ended, in that order
    rows: tuple[Row, ...]  # in the order of the experiments and of the run's cases
    declared: Mapping[str, Declaration]  # what each experiment declares of its figures, by its name
    states: States = NO_STATES  # those of the run's own reference pings
    findings: tuple[Finding, ...] = ()  # of the machine and of the run as a whole
    # pings of pairs that no trial used: they show how the machine is built, and no states
    survey: Sequence[ReferencePing] = ()
    # how trials that were measured at once compare with those alone; None where none were
    at_once: Parallel | None = None

    @property
    def observations(self) -> tuple[Observation, ...]:
        return tuple(one.observation for one in self.trials)

    @property
    def stored(self) -> Stored:
        return Stored(self.run, self.observations, (*self.survey, *self.states.pings))


def share_of_others(trials: Sequence[Observation]) -> float:
    """Return the share of the CPU time that other programs took, as far as trials know."""
    shares = [max(0.0, one.others) for one in trials if one.others is not None]
    return fmean(shares) if shares else 0.0


def compared(by_case: Mapping[Case, Sequence[Observed]], declared: Mapping[str, Declaration]) -> Parallel | None:
    """Compare trials that were measured at once with those alone; None where no pair was measured both ways."""
    headlines = {case: of.headline_of(case) for case in by_case if (of := declared.get(case.experiment))}
    return parallel(
        [
            [
                PairTrial(seen.figures[headline], one.standing.core_to_core_ns, seen.concurrent > 0, seen.round == 1)
                for one in by_case[case]
                if headline in (seen := one.observation).figures and not one.standing.changed
            ]
            for case, headline in headlines.items()
        ]
    )


def counting(trials: Sequence[Observed], found: Parallel) -> Sequence[Observed]:
    """Return the trials that count: concurrent ones if that changes nothing, or if there are no others."""
    if found.is_used:
        return trials
    alone = [one for one in trials if not one.observation.concurrent or not one.observation.figures]
    is_known = any(one.observation.figures for one in alone)
    return alone if is_known or found.alike == "no" else trials
