"""Cases and a budget in, rounds out. Pure: no clock, no process, no file."""

import random
from collections.abc import Mapping, Sequence

from msgspec import Struct

from threadping.contract import SCHEMA, Request, ThreadRequest, WarmupRequest
from threadping.errors import BudgetTooSmall
from threadping.model import DEFAULT_WARMUP, Case, Layer, Skipped
from threadping.pace import Paces, Policy, crowding

FEWEST_ROUNDS, MOST_ROUNDS = 3, 20
"""Beyond twenty rounds a larger budget makes trials longer instead: more samples for the tail, a longer warm-up."""

SHORTEST_TRIAL = 0.15
"""Seconds: below it 256 lines are not visited five times, and a Java probe is not compiled before it measures."""

PREFERRED_TRIAL, PREFERRED_STARTS = 0.25, 1.25
"""A trial is at least so many seconds long, and so many times longer than what starting its process costs: many rounds
tell more than long trials, because it is from trial to trial that a machine changes."""

WARMUP_SHARE = 0.25
"""The share of a trial that the default warm-up may take at most."""

CHOSEN_WARMUP_SHARE = 0.5
"""The same where another warm-up was asked for: it is part of the question then."""

LONGEST_SHORT_ROUND = 100_000
"""Operations of a warm-up's round: a longer one is meant as one loop. The published experiment sets one of 500 million
against ten of 100,000 ("Biased Locking, OSR, and Benchmarking Fun", 2011)."""

HEADROOM = 1.1
"""A budget that is recommended is larger than needed by this factor: processes do not start equally fast each time."""

HIGHEST_SEED = 2**53 - 1

ROUNDING = 1e-9
"""Seconds: a budget that was named as enough is enough, however its parts are added up."""


class Choice(Struct, frozen=True):
    """The cases of as many layers as a budget carries, and a line for each layer that it does not."""

    cases: tuple[Case, ...]
    left_out: tuple[Skipped, ...]


class Plan(Struct, frozen=True):
    """Rounds of all cases, each round in an order of its own.

    `trial_s` is what a trial spends on warm-up and measuring, `seconds` what the whole takes, process starts included.
    """

    cases: tuple[Case, ...]
    start_s: tuple[float, ...]
    rounds: int
    trial_s: float
    seed: int
    paces: Paces

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

    def request(self, case: Case, round_number: int, usable: int) -> Request:
        """The trial of this case in this round; `usable` is how many CPUs threads may use that are not pinned."""
        placement = case.placement
        trial_ns = int(self.trial_s * 1e9)
        warmup_ns = int(trial_ns * (WARMUP_SHARE if case.warmup == DEFAULT_WARMUP else CHOSEN_WARMUP_SHARE))
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
                warmup_ns,
                policy.look_ns,
                uninterrupted=case.warmup.ops > LONGEST_SHORT_ROUND,
            ),
            windows=policy.windows,
            measure_ns=measure_ns,
            bound_ns=_bound_ns(case, trial_ns, policy),
            patience_ns=policy.patience_ns,
            seed=random.Random(f"{self.seed}/{round_number}/{case.title}").randrange(HIGHEST_SEED),
        )


def widest(layers: Sequence[Layer], start_s: Mapping[str, float], budget_s: float, paces: Paces) -> Choice:
    """Take the first layer, and each further one as long as the budget carries all of them in comfort.

    Comfort is the fewest rounds of trials that are as long as their experiment needs: to see another mechanism is worth
    more than trials that outlast a JVM's start, which a larger budget buys next. A layer is taken whole or not at all;
    none is taken after one that was left out, because each needs all that came before it too.

    Args:
        layers: at least one, the most wanted first.
        start_s: for each runtime label, the seconds that its process takes besides warm-up and measuring.
        budget_s: the seconds that the whole may take.
        paces: how long the trials of each experiment must be.
    """
    taken: tuple[Case, ...] = layers[0].cases
    left_out: list[Skipped] = []
    so_far = taken
    for layer in layers[1:]:
        so_far += layer.cases
        needed = _comfort_s(so_far, start_s, paces)
        if needed <= budget_s + ROUNDING:
            taken = so_far
        else:
            cases = "1 case" if len(layer.cases) == 1 else f"{len(layer.cases)} cases"
            budget = _rounded_up(needed * HEADROOM)
            reason = f"too much for this budget; --budget {budget}s has room for them"
            left_out.append(Skipped(f"{cases} of {layer.what}", reason))
    return Choice(taken, tuple(left_out))


def make_plan(cases: Sequence[Case], start_s: Mapping[str, float], budget_s: float, seed: int, paces: Paces) -> Plan:
    """Lay out as many rounds of trials of the preferred length as the budget holds, three to twenty.

    Where three do not fit, their trials are shortened; BudgetTooSmall, naming the smallest budget that will do, where
    even the shortest do not fit.

    Args:
        cases: what to measure; at least one.
        start_s: for each runtime label, the seconds that its process takes besides warm-up and measuring.
        budget_s: the seconds that the whole may take.
        seed: of every random choice of the run.
        paces: what is to be known of each experiment's trials.
    """
    starts = tuple(start_s[case.runtime] for case in cases)
    for_starts, trials = sum(starts), len(cases)
    preferred = max(PREFERRED_TRIAL, PREFERRED_STARTS * max(starts))
    rounds = min(MOST_ROUNDS, max(FEWEST_ROUNDS, int(budget_s / (for_starts + trials * preferred))))
    trial_s = (budget_s / rounds - for_starts) / trials
    if trial_s < SHORTEST_TRIAL - ROUNDING:
        least = FEWEST_ROUNDS * (for_starts + trials * SHORTEST_TRIAL)
        raise BudgetTooSmall(
            f"A budget of {budget_s:g} s is too small: {FEWEST_ROUNDS} rounds of {trials} cases take at least "
            f"{_rounded_up(least)} s. Give --budget {_rounded_up(least)}s, or choose fewer cases with --runtime, "
            "--mechanism, --placement or, for lock, --threads."
        )
    return Plan(tuple(cases), starts, rounds, trial_s, seed, paces)


def _comfort_s(cases: Sequence[Case], start_s: Mapping[str, float], paces: Paces) -> float:
    return FEWEST_ROUNDS * sum(start_s[case.runtime] + paces[case.experiment].comfort_s for case in cases)


def _bound_ns(case: Case, trial_ns: int, policy: Policy) -> int:
    """When a trial is stopped wherever it is.

    Threads that spin on one CPU do not reach the end of so many operations in time. Everything they did until the bound
    is counted, so it is where their trial is meant to end; for all others it is far beyond.
    """
    spins_on_one_cpu = len(set(case.placement.cpus)) == 1 and None not in case.placement.cpus and not case.blocking
    late = spins_on_one_cpu and policy.windows.unit == "ops"
    return trial_ns + trial_ns // 10 if late else 2 * trial_ns + 1_000_000_000


def _rounded_up(seconds: float) -> str:
    """Round up to tenths of a second below ten, to whole seconds above."""
    digits = 1 if seconds < 10 else 0
    step = 10**-digits
    return f"{int(seconds / step + 1) * step:.{digits}f}"
