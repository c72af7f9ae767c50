"""Cases and a budget in, rounds out. Pure: no clock, no process, no file."""

import math
import random
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping import quantities
from threadping.contract import SCHEMA, OutliersRequest, Request, ThreadRequest, WarmupRequest
from threadping.errors import BudgetTooSmall
from threadping.model import DEFAULT_WARMUP, Case, Skipped
from threadping.pace import OUTLIERS, Paces, Policy, crowding

FEWEST_ROUNDS, USUAL_ROUNDS, MOST_ROUNDS = 3, 6, 20
"""From six trials on there is an interval. Fewer are laid out only where the budget is too small for six of the cases
that were named, or of the one that is measured in any case."""

SHORTEST_TRIAL = 0.15
"""Seconds: below it 256 lines are not visited five times, and a Java probe is not compiled before it measures."""

PREFERRED_TRIAL = 0.25
"""A trial is at least so many seconds long, and longer than the start of its process as its pace says: many rounds tell
more than long trials, because it is from trial to trial that a machine changes."""

WARMUP_SHARE = 0.5
"""The share of a trial that the warm-up may take at most. It ends as soon as the pace is steady."""

STEADY = 0.02
"""By how much the pace of two stretches that follow each other may differ at the end of the warm-up."""

LONGEST_SHORT_ROUND = 100_000
"""Operations of a warm-up's round: a longer one is meant as one loop. The published experiment sets one of 500 million
against ten of 100,000 ("Biased Locking, OSR, and Benchmarking Fun", 2011)."""

HEADROOM = 1.1
"""A budget that is recommended is larger than needed by this factor: processes do not start equally fast each time."""

LEAD = 1
"""By so many rounds a case may be ahead of another: comparisons are made within a round."""

HIGHEST_SEED = 2**53 - 1

ROUNDING = 1e-9
"""Seconds: a budget that was named as enough is enough, however its parts are added up."""


class Layer(Struct, frozen=True):
    """Cases that are measured together, and what they are of, for a sentence.

    Those of one that is not `whole` stand in the order in which they are wanted, and as many are measured as fit.
    """

    what: str
    cases: tuple[Case, ...]
    whole: bool = True


class Fitting(Struct, frozen=True):
    """The cases that a budget carries, and a line for those of each layer that it does not."""

    cases: tuple[Case, ...]
    left_out: tuple[Skipped, ...]


class Plan(Struct, frozen=True):
    """Rounds of all cases, each round in an order of its own.

    `trial_s` is what a trial spends on warm-up and measuring, `seconds` what the whole takes, process starts included;
    `outliers` says what is looked into, and how many of a trial are kept.
    """

    cases: tuple[Case, ...]
    start_s: tuple[float, ...]
    rounds: int
    trial_s: float
    seed: int
    paces: Paces
    outliers: OutliersRequest | None = OUTLIERS

    @property
    def round_s(self) -> float:
        """What one round takes."""
        return sum(self.start_s) + len(self.cases) * self.trial_s

    @property
    def seconds(self) -> float:
        """What the whole plan takes."""
        return self.rounds * self.round_s

    def order(self, round_number: int) -> list[int]:
        """The indices of the cases in the random order of this round."""
        indices = list(range(len(self.cases)))
        random.Random(f"{self.seed}/{round_number}").shuffle(indices)
        return indices

    def next_case(self, measured: Sequence[int], here: Sequence[int], closed: Collection[int]) -> int | None:
        """The index of the case to measure next: of those that have had fewest trials in the state that just holds.

        As long as one state holds this is round after round. Where several take turns it keeps cases from having all
        their trials in one: none is more than LEAD rounds before another, and none is measured more often than planned.

        Args:
            measured: how many trials each case has had.
            here: how many of them in the state in which it would be measured now.
            closed: the indices of those that are not to be measured any more.
        """
        due = [i for i, trials in enumerate(measured) if trials < self.rounds and i not in closed]
        if not due:
            return None
        least = min(measured[i] for i in due)
        rank = {i: place for place, i in enumerate(self.order(least + 1))}
        return min((i for i in due if measured[i] <= least + LEAD), key=lambda i: (here[i], measured[i], rank[i]))

    def request(self, case: Case, round_number: int, usable: int) -> Request:
        """The trial of this case in this round; `usable` is how many CPUs threads may use that are not pinned."""
        placement = case.placement
        trial_ns = int(self.trial_s * 1e9)
        warmup_ns = int(trial_ns * WARMUP_SHARE)
        measure_ns = trial_ns - warmup_ns
        policy = self.paces[case.experiment].policy(measure_ns, warmup_ns, crowding(placement.cpus, usable))
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
            outliers=self.outliers and replace(self.outliers, most=max(1, self.outliers.most // case.threads)),
            measure_ns=measure_ns,
            bound_ns=_bound_ns(case, trial_ns, policy),
            patience_ns=policy.patience_ns,
            seed=random.Random(f"{self.seed}/{round_number}/{case.identity}").randrange(HIGHEST_SEED),
        )


def fitting(layers: Sequence[Layer], start_s: Mapping[str, float], budget_s: float, paces: Paces) -> Fitting:
    """Take the first layer, and each further one as long as the budget carries all of them in comfort.

    Comfort is six rounds of trials that are as long as their experiment and their runtime need: to see another
    mechanism is worth more than longer trials, which a larger budget buys next. A layer is taken whole or not at all;
    none is taken after one that was left out, because each needs all that came before it too. Of a first layer that is
    not whole the most wanted cases are taken, at least one.

    Args:
        layers: at least one, the most wanted first.
        start_s: for each runtime label, the seconds that its process takes besides warm-up and measuring.
        budget_s: the seconds that the whole may take.
        paces: how long the trials of each experiment must be.
    """
    first = layers[0].cases
    taken = first if layers[0].whole else first[:1]
    while len(taken) < len(first) and _comfort_s(first[: len(taken) + 1], start_s, paces) <= budget_s + ROUNDING:
        taken = first[: len(taken) + 1]
    so_far = taken
    left_out: list[Skipped] = []
    for what, cases in ((layers[0].what, first[len(taken) :]), *((layer.what, layer.cases) for layer in layers[1:])):
        if not cases:
            continue
        so_far += cases
        needed = _comfort_s(so_far, start_s, paces)
        if needed <= budget_s + ROUNDING:
            taken = so_far
        else:
            reason = f"too much for this budget; --budget {quantities.budget(needed * HEADROOM)} has room for them"
            left_out.append(Skipped(f"{quantities.counted(len(cases), 'case')} of {what}", reason))
    return Fitting(taken, tuple(left_out))


def make_plan(cases: Sequence[Case], start_s: Mapping[str, float], budget_s: float, seed: int, paces: Paces) -> Plan:
    """Lay out six to twenty rounds; what a larger budget adds goes to more rounds and to longer trials alike.

    Where six rounds of trials of the preferred length do not fit, trials are shortened, then rounds left out, down to
    three: so is paid what crowds of threads take to start, of which nobody asks when layers are taken. BudgetTooSmall,
    naming the smallest budget that will do, where three of the shortest do not fit.

    Args:
        cases: what to measure; at least one.
        start_s: for each runtime label, the seconds that its process takes besides warm-up and measuring.
        budget_s: the seconds that the whole may take.
        seed: of every random choice of the run.
        paces: what is to be known of each experiment's trials.
    """
    starts = tuple(start_s[case.runtime] + paces[case.experiment].thread_s * case.threads for case in cases)
    for_starts, trials = sum(starts), len(cases)
    preferred = max(PREFERRED_TRIAL, *(paces[case.experiment].starts * start_s[case.runtime] for case in cases))
    affordable = budget_s / (for_starts + trials * preferred)
    # With k times six rounds of preferred trials affordable: sqrt(k) times the rounds, of trials sqrt(k) times as long.
    rounds = min(MOST_ROUNDS, max(USUAL_ROUNDS, int(math.sqrt(USUAL_ROUNDS * affordable))))
    shortest = for_starts + trials * SHORTEST_TRIAL
    rounds = min(rounds, int((budget_s + ROUNDING) / shortest))
    if rounds < FEWEST_ROUNDS:
        least = quantities.budget(FEWEST_ROUNDS * shortest)
        raise BudgetTooSmall(
            f"A budget of {budget_s:g} s is too small: {FEWEST_ROUNDS} rounds of {quantities.counted(trials, 'case')} "
            f"take at least that of --budget {least}. Give it, or choose fewer cases with --runtime, --mechanism or "
            "--placement."
        )
    return Plan(tuple(cases), starts, rounds, (budget_s / rounds - for_starts) / trials, seed, paces)


def _comfort_s(cases: Sequence[Case], start_s: Mapping[str, float], paces: Paces) -> float:
    """What six rounds take in which every trial is as long as the most demanding of them needs.

    A virtual machine needs a trial that is long beside its start: it compiles in the warm-up, a share of the trial.
    """
    asked = [(paces[case.experiment], start_s[case.runtime]) for case in cases]
    longest = max(max(pace.comfort_s, pace.starts * start) for pace, start in asked)
    return USUAL_ROUNDS * sum(start_s[case.runtime] + longest for case in cases)


def _bound_ns(case: Case, trial_ns: int, policy: Policy) -> int:
    """When a trial is stopped wherever it is.

    Threads that spin on one CPU do not reach the end of so many operations in time. Everything they did until the bound
    is counted, so it is where their trial is meant to end; for all others it is far beyond.
    """
    spins_on_one_cpu = len(set(case.placement.cpus)) == 1 and None not in case.placement.cpus and not case.blocking
    late = spins_on_one_cpu and policy.windows.unit == "ops"
    return trial_ns + trial_ns // 10 if late else 2 * trial_ns + 1_000_000_000
