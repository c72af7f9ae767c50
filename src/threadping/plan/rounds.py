"""Cases and a budget in, rounds of trials out."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from threadping import quantities
from threadping.contract import HOUR_NS, SCHEMA, OutliersRequest, Request, ThreadRequest, WarmupRequest
from threadping.errors import BudgetTooSmall
from threadping.model.cases import DEFAULT_WARMUP, Case, Pair, Skipped
from threadping.plan.length import Length, Lengths, Start, lengths
from threadping.plan.narrow import LOOKS
from threadping.plan.windows import OUTLIERS, Paces, Policy, crowding, outliers_of

FEWEST_ROUNDS, USUAL_ROUNDS, MOST_ROUNDS = 3, 6, 60
"""From six trials on there is an interval. Fewer are planned only where the budget is too small for six of the cases
that were named, or of the one that is measured in any case; fewer than three only where a layer says so. What the
budget has besides goes to further trials of those cases that need it, up to so many of each."""

PLANNED = 0.98
"""The share of a budget that is planned. Where processes start more slowly than the first ones did, warm-ups that end
at their limit make up for it first."""

STEADY = 0.02
"""By how much the pace of two stretches that follow each other may differ at the end of the warm-up."""

LONGEST_SHORT_ROUND = 100_000
"""Operations of a warm-up's round: a longer one is meant as one loop. The published experiment sets one of 500 million
against ten of 100,000 ("Biased Locking, OSR, and Benchmarking Fun", 2011)."""

HEADROOM = 1.1
"""A budget that is recommended is larger than needed by this factor: processes do not start equally fast each time."""

PING_S = 0.012
"""What a reference ping takes with its process; 9 to 14 ms were seen."""

HIGHEST_SEED = 2**53 - 1


def random_seed() -> int:
    """A seed that nobody chose."""
    return random.SystemRandom().randrange(HIGHEST_SEED)


ROUNDING = 1e-9
"""Seconds: a budget that was named as enough is enough, however its parts are added up."""


class Layer(Struct, frozen=True):
    """Cases that are asked for together, and what they are of, for a sentence.

    Those of one that is not `whole` stand in the order in which they are wanted, and as many are measured as fit in so
    many `rounds`. An `unhurried` one is measured only if every trial can be as long as it likes.
    """

    what: str
    cases: tuple[Case, ...]
    whole: bool = True
    unhurried: bool = False
    rounds: int = USUAL_ROUNDS


class Fitting(Struct, frozen=True):
    """The cases that a budget carries, in how few rounds, and a line for those of each layer that it does not."""

    cases: tuple[Case, ...]
    left_out: tuple[Skipped, ...]
    fewest: int = FEWEST_ROUNDS


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


class Cost(Struct, frozen=True):
    """What a trial of a case costs: its start with the ping of each pair, and how long it must and may be."""

    start_s: float
    lengths: Lengths

    @property
    def hurried(self) -> float:
        """The seconds that it takes where there is no time for six of every case."""
        return self.start_s + self.lengths.hurried.seconds

    @property
    def least(self) -> float:
        """The seconds that it takes at least."""
        return self.start_s + self.lengths.least.seconds

    @property
    def settled(self) -> float:
        """The seconds that it takes where nothing hurries."""
        return self.start_s + self.lengths.settled.seconds


class Budget(Struct, frozen=True):
    """What a plan may take, and what its trials cost.

    Attributes:
        seconds: what the whole may take.
        starts: of each runtime, by its label.
        paces: of each experiment.
        seed: of every random choice.
        trial_s: how long a trial is to be, where that was asked for; half of it is the warm-up.
        outliers: what is looked into.
        until: how well each figure is to be known, as a share of it, where that was asked for.
    """

    seconds: float
    starts: Mapping[str, Start]
    paces: Paces
    seed: int
    trial_s: float | None = None
    outliers: OutliersRequest | None = OUTLIERS
    until: float | None = None

    def cost(self, case: Case) -> Cost:
        """What a trial of a case costs."""
        start, pace = self.starts[case.runtime], self.paces[case.experiment]
        start_s = start.seconds + pace.thread_s * case.threads + PING_S * len(case.placement.pairs)
        return Cost(start_s, lengths(case, pace, compiles=start.compiles, trial_s=self.trial_s))

    def plan(self, costs: Mapping[Case, Cost], lengths: Iterable[Length], rounds: int) -> Plan:
        """Plan cases with trials of these lengths; their warm-ups may be as long as where nothing hurries."""
        each = tuple(lengths)
        longest = (
            max(one.lengths.settled.warmup_s, now.warmup_s) for one, now in zip(costs.values(), each, strict=True)
        )
        start_s = tuple(one.start_s for one in costs.values())
        return Plan(tuple(costs), start_s, each, tuple(longest), rounds, self.seed, self.paces, self.outliers)


def too_much(what: str, cases: int, needed_s: float) -> Skipped:
    """So many cases that a budget does not carry, with the one that does: `needed_s` and some headroom."""
    budget = quantities.budget(needed_s * HEADROOM)
    return Skipped(what, f"too much for this budget; --budget {budget} has room for them", budget, cases)


def fitting(layers: Sequence[Layer], budget: Budget) -> Fitting:
    """Take cases in the order in which they are wanted, as long as the budget carries their layer's rounds of them all.

    To see another mechanism is worth more than longer trials: those of the first layer are hurried, and all as short as
    may be until an unhurried one comes. None is taken after one that was left out; of a layer that is whole all or
    none. Of the first layer, the most wanted, at least one case is taken, and all of it where it is whole.
    """
    taken: list[Case] = []
    left_out: list[Skipped] = []
    hurried = least = settled = 0.0
    unhurried = False
    for layer in layers:
        unhurried = unhurried or layer.unhurried
        missing = 0
        for group in [layer.cases] if layer.whole else [(case,) for case in layer.cases]:
            costs = [budget.cost(case) for case in group]
            hurried += sum(one.hurried for one in costs)
            least += sum(one.least for one in costs)
            settled += sum(one.settled for one in costs)
            round_s = settled if unhurried else hurried if layer is layers[0] else least
            needed = layer.rounds * round_s / PLANNED
            if taken and needed > budget.seconds + ROUNDING:  # and so is every further one
                missing += len(group)
            else:
                taken += group
        if missing:
            left_out.append(too_much(f"{quantities.counted(missing, 'case')} of {layer.what}", missing, needed))
    return Fitting(tuple(taken), tuple(left_out), min(FEWEST_ROUNDS, *(layer.rounds for layer in layers)))


def make_plan(cases: Sequence[Case], budget: Budget, fewest: int = FEWEST_ROUNDS) -> Plan:
    """Plan six rounds; what the budget has besides goes to trials until nothing hurries, and then is spare.

    That goes to further trials of the cases that need them; where all can have as many as there may be, to longer ones.
    A case that is to be known well enough is looked at after twelve trials first, so there are as many rounds.

    Where six rounds of hurried trials do not fit, rounds are left out, down to the `fewest` that are worth it.

    Raises:
        BudgetTooSmall: so few rounds of hurried trials do not fit; it names the smallest budget that will do.
    """
    found = {case: budget.cost(case) for case in cases}
    costs = found.values()
    hurried, least, settled = (sum(getattr(one, name) for one in costs) for name in ("hurried", "least", "settled"))
    planned_s = PLANNED * budget.seconds + ROUNDING
    usual = min(USUAL_ROUNDS, MOST_ROUNDS) if budget.until is None else LOOKS[0]
    rounds = min(int(planned_s / hurried), usual)
    if rounds < fewest:
        smallest = quantities.budget(fewest * hurried / PLANNED)
        raise BudgetTooSmall(
            f"A budget of {budget.seconds:g} s is too small: {quantities.counted(fewest, 'round')} of "
            f"{quantities.counted(len(cases), 'case')} take at least that of --budget {smallest}. Give it, or choose "
            "fewer cases with --runtime, --mechanism or --placement."
        )
    a_round_s = PLANNED * budget.seconds / rounds
    most_s = settled * (MOST_ROUNDS if budget.until is None else LOOKS[-1])
    if budget.trial_s is not None:
        lengths = [one.lengths.least for one in costs]
    elif a_round_s < least:
        share = (a_round_s - hurried) / (least - hurried)
        lengths = [one.lengths.hurried.towards(one.lengths.least, share) for one in costs]
    elif a_round_s < settled:
        share = (a_round_s - least) / (settled - least)
        lengths = [one.lengths.least.towards(one.lengths.settled, share) for one in costs]
    elif planned_s < most_s or budget.until is not None:
        lengths = [one.lengths.settled for one in costs]
    else:
        start_s = sum(one.start_s for one in costs)
        factor = (PLANNED * budget.seconds / MOST_ROUNDS - start_s) / (settled - start_s)
        lengths = [one.lengths.settled.times(factor) for one in costs]
    plan = budget.plan(found, lengths, rounds)
    spare_s = min(PLANNED * budget.seconds, most_s if budget.trial_s is not None else inf) - plan.seconds
    return replace(plan, spare_s=max(0.0, spare_s), until=budget.until)


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
