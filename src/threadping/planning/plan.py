"""A plan: the cases, their trials, and what is left out where there is no time for all."""

import random
from collections.abc import Collection, Sequence
from math import log, pi, sqrt
from statistics import NormalDist, fmean, stdev

from msgspec import Struct

from threadping.model.cases import DEFAULT_WARMUP, Case, Pair
from threadping.model.contract import (
    HOUR_NS,
    OUTLIERS,
    SCHEMA,
    OutliersRequest,
    Request,
    ThreadRequest,
    WarmupRequest,
)
from threadping.planning.defaults import Length, Paces, crowding, outliers_of

# Numbers of trials at which a run looks. A run that looks after each one stops where an interval is narrow by chance.
LOOKS: tuple[int, ...] = (12, 16, 24, 36, 60, 90, 135, 200)

# Confidence of the interval that must be narrow. It is computed from the scatter of trials, and the 95% interval by
# their ranks is reported: an interval that decides when it is reported is too narrow. Simulated (`python -m
# tests.unit.planning.stopped`), figures that scatter by 1 to 10%, until 1% or 60 trials and until 3% or 200: the 95%
# interval holds the median in 93.7 to 95.7% (skewed: 92.9 to 94.0), where ranks decide after each trial in 91.0 to
# 94.8%, and with an interval of 99% at these looks in 92.6 to 95.4%.
STOP_CONFIDENCE = 0.99
FIRST_LOOK_S = 20.0  # earliest look: trials within a shorter time are too alike
NOT_NARROW = "are not known within"  # of figures in a run's note


def half_of(values: Sequence[float]) -> float:
    """Return half the relative width of the interval of their median; of two or more positive values."""
    error = sqrt(pi / 2) * stdev(map(log, values)) / sqrt(len(values))
    return NormalDist().inv_cdf((1 + STOP_CONFIDENCE) / 2) * error


class StoppingRule:
    """The looks at one figure: each is due once, at the first trial that is as many as it asks for."""

    def __init__(self, until: float | None) -> None:
        self._until, self._looks, self.is_narrow = until, LOOKS, False

    def look(self, values: Sequence[float]) -> bool:
        """Look if a look is due; return whether the figure is narrow, or has been."""
        if self._until is not None and self._looks and len(values) >= self._looks[0]:
            self._looks = tuple(look for look in self._looks if look > len(values))
            self.is_narrow = self.is_narrow or half_of(values) <= self._until
        return self.is_narrow

    @property
    def has_ended(self) -> bool:
        return self.is_narrow or not self._looks


STEADY = 0.02  # maximum difference of the pace of two successive stretches at the end of a warm-up

# Operations of a warm-up's round: a longer one is meant as one loop. The published experiment sets one of 500 million
# against ten of 100,000 ("Biased Locking, OSR, and Benchmarking Fun", 2011).
LONGEST_SHORT_ROUND = 100_000

HIGHEST_SEED = 2**53 - 1


def random_seed() -> int:
    return random.SystemRandom().randrange(HIGHEST_SEED)


class Plan(Struct, frozen=True):
    """Rounds of all cases, each round in an order of its own, and time for further trials."""

    cases: tuple[Case, ...]  # what is measured
    start_s: tuple[float, ...]  # for each case what a trial takes besides warm-up and measuring, its ping included
    lengths: tuple[Length, ...]  # for each case how long its trials are
    longest: tuple[float, ...]  # for each case the warm-up that it may have where others leave it time, in seconds
    rounds: int  # how often each is measured at least
    seed: int  # of every random choice
    paces: Paces  # of each experiment
    outliers: OutliersRequest | None = OUTLIERS  # what is looked into, and how many of a trial are kept
    survey: tuple[Pair, ...] = ()  # pairs of CPUs that are pinged before the first trial
    survey_s: float = 0.0  # what that takes
    # what the budget has besides: it goes to further trials of those whose figures are least certain
    spare_s: float = 0.0
    # a case whose figure is known this well, as a share of it, is measured no more; None where all go on
    until: float | None = None

    @property
    def round_s(self) -> float:
        return sum(self.start_s) + sum(length.seconds for length in self.lengths)

    @property
    def seconds(self) -> float:
        return self.survey_s + self.rounds * self.round_s + self.spare_s

    @property
    def mean_trial_s(self) -> float:
        return fmean(length.seconds for length in self.lengths)

    def next_case(
        self,
        finished: Sequence[int],
        here: Sequence[int],
        closed: Collection[int],
        within: Sequence[tuple[int, int]] = (),
    ) -> int | None:
        """Return the index of the case to measure next; None if none is left.

        Each is measured in every round, in random order; but while several states take turns, those first that have
        had fewest rounds in the one that holds, or one case might have all its trials in one of them.
        """
        due = [i for i, rounds in enumerate(finished) if rounds < self.rounds and i not in closed]
        if not due:
            return None
        least = min(finished[i] for i in due)
        chance = random.Random(f"{self.seed}/{least}")
        rank = [chance.random() for _ in finished]

        def place(i: int) -> float:
            """Return the place in the round: several trials of a case are spread over it."""
            had, of = within[i] if within else (0, 1)
            return (had + rank[i]) / of

        return min((i for i in due if finished[i] == least), key=lambda i: (here[i], place(i)))

    def request(self, case: Case, length: Length, earlier: int, usable: int) -> Request:
        """Return the request of a trial after `earlier` ones; unpinned threads may use `usable` CPUs."""
        placement = case.placement
        warmup_ns, measure_ns = int(length.warmup_s * 1e9), int(length.measure_s * 1e9)
        pace = self.paces[case.experiment]
        crowd = crowding(placement.cpus, usable, case.busy.threads)
        policy = pace.policy(measure_ns, warmup_ns, crowd, case.blocking)
        # Threads that spin on one CPU, or compete with busy ones, do not complete their operations in time. Everything
        # they did until the bound is counted, so it is where their trial is meant to end; for all others it is far
        # beyond. What it takes to start hundreds of threads comes on top.
        is_on_one_cpu = len(set(placement.cpus)) == 1 and None not in placement.cpus
        late = (is_on_one_cpu or case.busy.threads) and not case.blocking and policy.windows.unit == "ops"
        trial_ns = warmup_ns + measure_ns
        bound_ns = trial_ns + trial_ns // 10 if late else 2 * trial_ns + 1_000_000_000
        return Request(
            schema=SCHEMA,
            experiment=case.experiment,
            mechanism=case.mechanism,
            params=case.params,
            threads=tuple(ThreadRequest(cpu) for cpu in placement.cpus),
            pin=placement.pin,
            lines=case.lines,
            home=case.home.cpus if case.home else placement.usual_home,
            warmup=WarmupRequest(
                case.warmup.rounds,
                case.warmup.ops,
                STEADY if case.warmup == DEFAULT_WARMUP else None,
                warmup_ns,
                policy.look_ns,
                uninterrupted=case.warmup.ops > LONGEST_SHORT_ROUND,
            ),
            windows=policy.windows,
            outliers=outliers_of(self.outliers, case.threads) if pace.looks(case) else None,
            measure_ns=measure_ns,
            bound_ns=min(MOST_BOUND_NS, bound_ns + int(pace.thread_s * case.threads * 1e9)),
            patience_ns=policy.patience_ns,
            seed=random.Random(f"{self.seed}/{earlier}/{case.identity}").randrange(HIGHEST_SEED),
        )


MOST_BOUND_NS = 2 * HOUR_NS  # the contract's limit
