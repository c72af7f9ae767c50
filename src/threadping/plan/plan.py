"""A plan: which cases are measured, how often, how long their trials are, and the request of each."""

import random
from collections.abc import Collection, Sequence
from statistics import fmean

from msgspec import Struct

from threadping.contract import HOUR_NS, SCHEMA, OutliersRequest, Request, ThreadRequest, WarmupRequest
from threadping.model.cases import DEFAULT_WARMUP, Case, Pair
from threadping.plan.length import Length
from threadping.plan.windows import OUTLIERS, Paces, Policy, crowding, outliers_of

STEADY = 0.02
"""By how much the pace of two stretches that follow each other may differ at the end of the warm-up."""

LONGEST_SHORT_ROUND = 100_000
"""Operations of a warm-up's round: a longer one is meant as one loop. The published experiment sets one of 500 million
against ten of 100,000 ("Biased Locking, OSR, and Benchmarking Fun", 2011)."""

HIGHEST_SEED = 2**53 - 1


def random_seed() -> int:
    """A seed that nobody chose."""
    return random.SystemRandom().randrange(HIGHEST_SEED)


class Plan(Struct, frozen=True):
    """Rounds of all cases, each round in an order of its own, and time for further trials.

    Attributes:
        cases: what is measured.
        start_s: for each case what a trial takes besides warm-up and measuring, its ping included.
        lengths: for each case how long its trials are.
        longest: for each case the warm-up that it may have where others leave it time, in seconds.
        rounds: how often each is measured at least.
        seed: of every random choice.
        paces: of each experiment.
        outliers: what is looked into, and how many of a trial are kept.
        survey: pairs of CPUs that are pinged before the first trial.
        survey_s: what that takes.
        spare_s: what the budget has besides: it goes to further trials of those whose figures are least certain.
        until: a case whose figure is known this well, as a share of it, is measured no more; None where all go on.
    """

    cases: tuple[Case, ...]
    start_s: tuple[float, ...]
    lengths: tuple[Length, ...]
    longest: tuple[float, ...]
    rounds: int
    seed: int
    paces: Paces
    outliers: OutliersRequest | None = OUTLIERS
    survey: tuple[Pair, ...] = ()
    survey_s: float = 0.0
    spare_s: float = 0.0
    until: float | None = None

    @property
    def round_s(self) -> float:
        """What one round takes."""
        return sum(self.start_s) + sum(length.seconds for length in self.lengths)

    @property
    def seconds(self) -> float:
        """What the whole plan takes."""
        return self.survey_s + self.rounds * self.round_s + self.spare_s

    @property
    def mean_trial_s(self) -> float:
        """How long a trial is in the mean."""
        return fmean(length.seconds for length in self.lengths)

    def next_case(
        self,
        finished: Sequence[int],
        here: Sequence[int],
        closed: Collection[int],
        within: Sequence[tuple[int, int]] = (),
    ) -> int | None:
        """The index of the case to measure next; None where none is left.

        Each is measured in every round, in random order; but while several states take turns, those first that have
        had fewest rounds in the one that holds, or one case might have all its trials in one of them.

        Args:
            finished: how many rounds each case has finished.
            here: how many of them in the state in which it would be measured now.
            closed: the indices of those that are not to be measured any more.
            within: how many trials each has had in the round that it is in, and of how many; of one if not given.
        """
        due = [i for i, rounds in enumerate(finished) if rounds < self.rounds and i not in closed]
        if not due:
            return None
        least = min(finished[i] for i in due)
        chance = random.Random(f"{self.seed}/{least}")
        rank = [chance.random() for _ in finished]

        def place(i: int) -> float:
            """Several trials of a case are spread over the round."""
            had, of = within[i] if within else (0, 1)
            return (had + rank[i]) / of

        return min((i for i in due if finished[i] == least), key=lambda i: (here[i], place(i)))

    def request(self, case: Case, length: Length, earlier: int, usable: int) -> Request:
        """A trial of this length after `earlier` ones; threads that are not pinned may use `usable` CPUs."""
        placement = case.placement
        warmup_ns, measure_ns = int(length.warmup_s * 1e9), int(length.measure_s * 1e9)
        pace = self.paces[case.experiment]
        crowd = crowding(placement.cpus, usable, case.busy.threads)
        policy = pace.policy(measure_ns, warmup_ns, crowd, case.blocking)
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
            bound_ns=min(
                MOST_BOUND_NS,
                _bound_ns(case, warmup_ns + measure_ns, policy) + int(pace.thread_s * case.threads * 1e9),
            ),
            patience_ns=policy.patience_ns,
            seed=random.Random(f"{self.seed}/{earlier}/{case.identity}").randrange(HIGHEST_SEED),
        )


def _bound_ns(case: Case, trial_ns: int, policy: Policy) -> int:
    """When a trial is stopped wherever it is.

    Threads that spin on one CPU, or beside busy ones, do not reach the end of so many operations in time. Everything
    they did until the bound is counted, so it is where their trial is meant to end; for all others it is far beyond.
    What it takes to start hundreds of threads comes on top.
    """
    spins_on_one_cpu = len(set(case.placement.cpus)) == 1 and None not in case.placement.cpus and not case.blocking
    late = (spins_on_one_cpu or (case.busy.threads and not case.blocking)) and policy.windows.unit == "ops"
    return trial_ns + trial_ns // 10 if late else 2 * trial_ns + 1_000_000_000


MOST_BOUND_NS = 2 * HOUR_NS
"""What the contract takes."""
