"""A plan: its cases, the length and the number of their trials, and how they share the time of a run."""

import random
from collections.abc import Iterable, Mapping, Sequence
from math import inf, log, pi, sqrt
from statistics import NormalDist, fmean, stdev
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.latency_map import ordered
from threadping.analysis.questions import covering_order
from threadping.model import contract, errors, quantities
from threadping.model.cases import DEFAULT_WARMUP, Case, Pair, Skipped
from threadping.model.run import Premises, Run
from threadping.planning.defaults import Length, Lengths, Paces, Start, crowding, lengths, outliers_of
from threadping.probes.placements import usable

# Numbers of trials at which a run looks. A run that looks after each one stops where an interval is narrow by chance.
LOOKS: tuple[int, ...] = (12, 16, 24, 36, 60, 90, 135, 200)

# Confidence of the interval that must be narrow. It is computed from the scatter of trials, and the 95% interval by
# their ranks is reported: an interval that decides when it is reported is too narrow. Simulated, by
# `benchmarks.simulated.tables stopped`: figures that scatter by 1 to 10%, until 1% or 60 trials or 3% or 200. The 95%
# interval holds the median in 93.7 to 95.7% (skewed: 92.9 to 94.0), where ranks decide after each trial in 91.0 to
# 94.8%, and with an interval of 99% at these looks in 92.6 to 95.4%.
STOP_CONFIDENCE = 0.99
FIRST_LOOK_S = 20.0  # earliest look: trials within a shorter time are too alike


def half_of(values: Sequence[float]) -> float:
    """Return half the relative width of the interval of their median; of two or more positive values."""
    error = sqrt(pi / 2) * stdev(map(log, values)) / sqrt(len(values))
    return NormalDist().inv_cdf((1 + STOP_CONFIDENCE) / 2) * error


class StoppingRule:
    """The looks at one figure: each is due once, at the first trial that is as many as it asks for."""

    def __init__(self, until: float) -> None:
        self._until, self._looks = until, LOOKS
        self.is_narrow = self.has_ended = False

    def look(self, values: Sequence[float]) -> bool:
        """Look if a look is due; return whether the figure is narrow, or has been."""
        if self._looks and len(values) >= self._looks[0]:
            self._looks = tuple(look for look in self._looks if look > len(values))
            self.is_narrow = self.is_narrow or half_of(values) <= self._until
            self.has_ended = self.is_narrow or not self._looks
        return self.is_narrow


STEADY = 0.02  # maximum difference of the pace of two successive stretches at the end of a warm-up

# Operations of a warm-up's round: a longer one is meant as one loop. The published experiment sets one of 500 million
# against ten of 100,000 ("Biased Locking, OSR, and Benchmarking Fun", 2011).
LONGEST_SHORT_ROUND = 100_000


def seed_of(asked: int | None) -> int:
    """Return the seed that was asked for, or a random one."""
    return random.SystemRandom().randrange(contract.HIGHEST_SEED) if asked is None else asked


class Plan(Struct, frozen=True):
    """Rounds of all cases, each round in an order of its own, and time for further trials."""

    cases: tuple[Case, ...]  # what is measured
    # for each case what a trial takes besides warm-up and measuring, its ping and rests for a JIT included
    start_s: tuple[float, ...]
    lengths: tuple[Length, ...]  # for each case how long its trials are
    longest: tuple[float, ...]  # for each case the warm-up that it may have where others leave it time, in seconds
    rounds: int  # how often each is measured at least
    seed: int  # of every random choice
    paces: Paces  # of each experiment
    outliers: contract.OutliersRequest | None = contract.OUTLIERS  # what is looked into, and how many are kept
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

    def next_case(
        self,
        finished: Sequence[int],
        here: Mapping[int, int],
        within: Sequence[tuple[int, int]],
    ) -> int | None:
        """Return the index of the case to measure next among those that are `here`; None if none is left.

        Each is measured in every round, in random order; but while several states take turns, those first that have
        had fewest rounds in the one that holds, or one case might have all its trials in one of them.
        """
        due = [i for i in here if finished[i] < self.rounds]
        if not due:
            return None
        least = min(finished[i] for i in due)
        chance = random.Random(f"{self.seed}/{least}")
        # Several trials of a case are spread over the round
        place = [(had + chance.random()) / of for had, of in within]
        return min((i for i in due if finished[i] == least), key=lambda i: (here[i], place[i]))

    def request(self, case: Case, length: Length, earlier: int, usable: int) -> contract.Request:
        """Return the request of a trial after `earlier` ones; unpinned threads may use `usable` CPUs."""
        placement = case.placement
        warmup_ns, measure_ns = int(length.warmup_s * 1e9), int(length.measure_s * 1e9)
        pace = self.paces[case.experiment]
        barrier = crowding(placement.cpus, usable, case.busy.threads)
        policy = pace.policy(measure_ns, warmup_ns, barrier, case.blocking)
        # Threads that spin on one CPU, or compete with busy ones, do not complete their operations in time. Everything
        # they did until the bound is counted, so it is where their trial is meant to end; for all others it is far
        # beyond. What it takes to start hundreds of threads comes on top.
        is_on_one_cpu = len(set(placement.cpus)) == 1 and None not in placement.cpus
        late = (is_on_one_cpu or case.busy.threads) and not case.blocking and policy.windows.unit == "ops"
        trial_ns = warmup_ns + measure_ns
        bound_ns = trial_ns + trial_ns // 10 if late else 2 * trial_ns + 1_000_000_000
        return contract.Request(
            schema=contract.SCHEMA,
            experiment=case.experiment,
            mechanism=case.mechanism,
            params=case.params,
            threads=tuple(contract.ThreadRequest(cpu) for cpu in placement.cpus),
            pin=placement.pin,
            lines=case.lines,
            home=case.home.cpus if case.home else placement.usual_home,
            warmup=contract.WarmupRequest(
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
            seed=random.Random(f"{self.seed}/{earlier}/{case.identity}").randrange(contract.HIGHEST_SEED),
            pings=placement.pairs if pings_within(case) else (),
        )


def pings_within(case: Case) -> bool:
    """Return whether a trial's own process pings its CPUs: after that pause blocked threads are woken faster.

    Busy threads would keep its pings from these CPUs until the trial's time is over.
    """
    return not case.blocking and not case.busy.threads


MOST_BOUND_NS = 2 * contract.HOUR_NS  # the contract's limit
_Value = TypeVar("_Value")


def premises_of(plan: Plan, starts: Mapping[str, Start]) -> Premises:
    """Return the premises of a plan that its run has in no other field."""
    return Premises(
        starts={label: (start.seconds, start.compiles) for label, start in starts.items()},
        start_s=_once(plan.start_s),
        lengths=_once([(one.warmup_s, one.measure_s) for one in plan.lengths]),
        longest=_once(plan.longest),
        outliers=plan.outliers,
        survey=plan.survey,
        survey_s=plan.survey_s,
        spare_s=plan.spare_s,
    )


def plan_of(run: Run, premises: Premises, paces: Paces) -> Plan:
    """Return the plan of a run that names its cases."""
    return Plan(
        cases=run.cases,
        start_s=_each(premises.start_s, run.cases),
        lengths=tuple(Length(*one) for one in _each(premises.lengths, run.cases)),
        longest=_each(premises.longest, run.cases),
        rounds=run.rounds,
        seed=run.seed,
        paces=paces,
        outliers=premises.outliers,
        survey=premises.survey,
        survey_s=premises.survey_s,
        spare_s=premises.spare_s,
        until=run.until,
    )


def starts_of(premises: Premises) -> dict[str, Start]:
    return {label: Start(seconds, compiles) for label, (seconds, compiles) in premises.starts.items()}


def _once(values: Sequence[_Value]) -> tuple[_Value, ...]:
    """Return one value for tens of thousands of cases that are all alike, as of a matrix."""
    return tuple(values[:1] if len(set(values)) == 1 else values)


def _each(values: Sequence[_Value], cases: Sequence[Case]) -> tuple[_Value, ...]:
    return tuple(values) * len(cases) if len(values) == 1 else tuple(values)


def pairings(players: Sequence[int]) -> list[list[Pair]]:
    """Return rounds in which every two players meet once; if their number is odd one rests in each.

    The circle method: one stays, all others move on by a place each round.
    """
    circle: list[int | None] = [*players, *([None] if len(players) % 2 else [])]
    half = len(circle) // 2
    made = []
    for _ in range(len(circle) - 1):
        opposite = zip(circle[:half], reversed(circle[half:]), strict=True)
        made.append([(min(a, b), max(a, b)) for a, b in opposite if a is not None and b is not None])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return made if len(players) > 1 else []


# Share of a budget that is planned. Where processes start more slowly than the first ones did, warm-ups that end at
# their limit make up for it first.
PLANNED = 0.98
HEADROOM = 1.1  # factor of a recommended budget: processes do not start equally fast each time
PING_S = 0.012  # a reference ping with its process; 9 to 14 ms were measured
PING_WITHIN_S = 0.003  # two in the process of a trial, planned tightly: 5 to 7 ms were measured
ROUNDING = 1e-9  # seconds: a budget named as sufficient is, however its parts are added up
SPAWN_S = 0.0015  # each further process of several at once, its request, result and their storing included


class Budget(Struct, frozen=True):
    """The time of a plan, and the costs of its trials."""

    seconds: float  # what the whole may take
    starts: Mapping[str, Start]  # of each runtime, by its label
    paces: Paces  # of each experiment
    seed: int  # of every random choice
    trial_s: float | None = None  # how long a trial is to be, where that was asked for; half of it is the warm-up
    outliers: contract.OutliersRequest | None = contract.OUTLIERS  # what is looked into
    until: float | None = None  # how well each figure is to be known, as a share of it, where that was asked for
    spent_s: float = 0.0  # what was spent of it before anything is measured; more than half of it does not count

    @property
    def left_s(self) -> float:
        return max(self.seconds - self.spent_s, self.seconds / 2)

    @property
    def planned_s(self) -> float:
        return PLANNED * self.left_s

    def carries(self, planned_s: float) -> bool:
        return planned_s <= self.planned_s + ROUNDING

    def require_fit(self, planned_s: float, what: str, way_out: str = "") -> None:
        """Raise BudgetTooSmall if `what` does not fit into an unspent budget; name the smallest that it fits into."""
        if planned_s > PLANNED * self.seconds + ROUNDING:
            raise errors.BudgetTooSmall(
                f"A budget of {self.seconds:g} s is too small: {what} take more. Give at least --budget "
                f"{quantities.budget(budget_for(planned_s))}{way_out}."
            )

    def cost(self, case: Case) -> Lengths:
        start, pace = self.starts[case.runtime], self.paces[case.experiment]
        ping_s = PING_WITHIN_S if pings_within(case) else PING_S
        start_s = start.seconds + pace.thread_s * case.threads + ping_s * len(case.placement.pairs)
        start_s += pace.compiling_rest_s if start.compiles else 0
        return replace(lengths(case, pace, compiles=start.compiles, trial_s=self.trial_s), start_s=start_s)

    def plan(self, costs: Mapping[Case, Lengths], lengths: Iterable[Length], rounds: int) -> Plan:
        """Plan cases with trials of these lengths; their warm-ups may be as long as where nothing hurries."""
        each = tuple(lengths)
        longest = (max(one.settled.warmup_s, now.warmup_s) for one, now in zip(costs.values(), each, strict=True))
        start_s = tuple(one.start_s for one in costs.values())
        return Plan(tuple(costs), start_s, each, tuple(longest), rounds, self.seed, self.paces, self.outliers)


def budget_for(planned_s: float) -> float:
    return planned_s / PLANNED


def too_much(what: str, cases: int, planned_s: float, spent_s: float = 0.0) -> Skipped:
    """Return the cases that do not fit into a budget, with one into which they fit, and some headroom."""
    budget = quantities.budget(budget_for(planned_s) * HEADROOM + spent_s)
    return Skipped(what, f"too much for this budget; they fit into --budget {budget}", budget, cases)


SHARE = 0.05  # maximum share of the budget
MOST, FEWEST = 32, 3  # CPUs that are pinged at most; two have nothing to compare
OF_PART = 4  # neighbours pinged in each part of many CPUs: close pairs as well as distant ones


def survey(topology: contract.Topology, budget_s: float) -> tuple[tuple[Pair, ...], float]:
    """Every two of the CPUs that may be used, of many some, in rounds in which none is twice; and what that takes."""
    cpus, most = ordered(topology, usable(topology)), MOST
    while len(cpus) >= FEWEST and most > FEWEST:
        step = -(-len(cpus) // (most // OF_PART))
        few = tuple(cpu for at, cpu in enumerate(cpus) if at % step < OF_PART)
        made = pairings(cpus if len(cpus) <= most else few)
        seconds = sum(PING_S + SPAWN_S * (len(of_round) - 1) for of_round in made)
        if seconds <= SHARE * budget_s:
            return tuple(pair for of_round in made for pair in of_round), seconds
        most //= 2
    return (), 0.0


SHORTEST = 0.5  # minimum share of a warm-up that makes up for trials longer than planned
RECENT_TRIALS = 3  # trials that predict the next one: earlier ones had other limits of their warm-up


class _TimedTrial(Struct, frozen=True):
    """A trial that ended: the seconds that it took without its warm-up, those of that, and whether that was steady."""

    fixed_s: float
    warmup_s: float
    steady: bool


class Pacing:
    """The length of the next trial of each case: as planned in the first round, and then by what its trials showed.

    What a trial measures stays as planned, so that all trials of a case are alike. Warm-ups share the time that is
    left: those that ended at their limit get what others do not need, and get less where trials took longer.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.lengths = list(plan.lengths)
        self._seen: list[list[_TimedTrial]] = [[] for _ in plan.cases]

    def ended(self, index: int, wall_s: float, result: contract.Result | None) -> None:
        """Learn the seconds of a case's trial, its start and pings included."""
        warmup_s = result.warmup.ns / 1e9 if result else 0.0
        seen = _TimedTrial(wall_s - warmup_s, warmup_s, steady=result is None or result.warmup.ended != "limit")
        self._seen[index] = [*self._seen[index], seen][-RECENT_TRIALS:]

    def expected_s(self, index: int) -> float:
        limit_s, as_planned = self.lengths[index].warmup_s, self._plan.lengths[index]
        planned = _TimedTrial(self._plan.start_s[index] + as_planned.measure_s, as_planned.warmup_s, steady=False)
        seen = self._seen[index] or [planned]
        # Halfway to the limit, if the last one was too low
        each = ((one, one.warmup_s if one.steady else (one.warmup_s + limit_s) / 2) for one in seen)
        return fmean(one.fixed_s + min(limit_s, warmup_s) for one, warmup_s in each)

    def left_s(self, trials_left: Sequence[int], seconds: float) -> float:
        """Return the seconds of these trials of each case; longer warm-ups may take the rest."""
        needed_s, at_limit = self._expected(trials_left)
        room_s = sum(trials_left[i] * (self._plan.longest[i] - self.lengths[i].warmup_s) for i in at_limit)
        return max(needed_s, min(seconds, needed_s + room_s))

    def share_out(self, trials_left: Sequence[int], seconds: float) -> None:
        """Fit the warm-ups to the time that is left for these trials of each case."""
        needed_s, at_limit = self._expected(trials_left)
        if (spare_s := seconds - needed_s) < 0:
            warming_s = sum(trials_left[i] * self.lengths[i].warmup_s for i in at_limit)
            for i in at_limit:
                least = SHORTEST * self._plan.lengths[i].warmup_s
                warmup_s = max(least, self.lengths[i].warmup_s * (1 + spare_s / warming_s))
                self.lengths[i] = replace(self.lengths[i], warmup_s=warmup_s)
            return
        growing = [i for i in at_limit if self.lengths[i].warmup_s < self._plan.longest[i]]
        trials = sum(trials_left[i] for i in growing)
        for i in growing:
            warmup_s = min(self._plan.longest[i], self.lengths[i].warmup_s + spare_s / trials)
            self.lengths[i] = replace(self.lengths[i], warmup_s=warmup_s)

    def _expected(self, trials_left: Sequence[int]) -> tuple[float, list[int]]:
        """Return the seconds that these trials need, and the cases whose warm-ups ended at their limit."""
        left = [(i, number) for i, number in enumerate(trials_left) if number]
        at_limit = [i for i, _ in left if not self._seen[i] or not self._seen[i][-1].steady]
        return sum(number * self.expected_s(i) for i, number in left), at_limit


# From six trials on there is an interval. Fewer are planned only where the budget is too small for six of the named
# cases, or of the one that is measured in any case; fewer than three only where a layer says so. The rest of the budget
# goes to further trials of those cases that need it, up to 60 of each.
FEWEST_ROUNDS, USUAL_ROUNDS, MOST_ROUNDS = 3, 6, 60


class Layer(Struct, frozen=True):
    """Cases that are asked for together, and what they are of, for a sentence.

    The cases of one that is not `whole` are in order of priority, and as many are measured as fit with `rounds`
    rounds. An `unhurried` one is measured only if every trial can be as long as it likes. Fewer rounds than the
    `fewest` of the first one are worth nothing. Where values of axes were `named`, its cases were asked for by name:
    those are taken first that cover these axes.
    """

    what: str
    cases: tuple[Case, ...]
    whole: bool = True
    unhurried: bool = False
    rounds: int = USUAL_ROUNDS
    fewest: int = FEWEST_ROUNDS
    named: tuple[str, ...] = ()


class SelectedCases(Struct, frozen=True):
    """The cases that a budget carries, the rounds, a line for what it leaves out; named ones that are `missing`."""

    cases: tuple[Case, ...]
    left_out: tuple[Skipped, ...]
    fewest: int = FEWEST_ROUNDS
    missing: tuple[Case, ...] = ()


def select_cases(layers: Sequence[Layer], budget: Budget) -> SelectedCases:
    """Take cases in the order in which they are wanted, as long as the budget carries their layer's rounds of them all.

    To see another mechanism is worth more than longer trials: those of the first layer are hurried, and all as short as
    may be until an unhurried one comes. None is taken after one that was left out; of a layer that is whole all or
    none. Of the first layer, the most wanted, at least one case is taken, and all of it where it is whole. Cases that
    are taken keep the order in which they were given.
    """
    taken: dict[Case, None] = {}
    left_out: list[Skipped] = []
    asked: list[Case] = []
    hurried = least = settled = 0.0
    unhurried = False
    for layer in layers:
        unhurried = unhurried or layer.unhurried
        missing = 0
        asked += layer.cases if layer.named else ()
        ordered = [layer.cases[at] for at in covering_order(layer.cases, layer.named)]
        for group in [layer.cases] if layer.whole else [(case,) for case in ordered]:
            costs = [budget.cost(case) for case in group]
            hurried += sum(one.start_s + one.hurried.seconds for one in costs)
            least += sum(one.start_s + one.least.seconds for one in costs)
            settled += sum(one.start_s + one.settled.seconds for one in costs)
            round_s = settled if unhurried else hurried if layer is layers[0] else least
            needed_s = layer.rounds * round_s
            if taken and not budget.carries(needed_s):  # and so is every further one
                missing += len(group)
            else:
                taken |= dict.fromkeys(group)
        if missing:
            what = f"{quantities.counted(missing, 'case')} of {layer.what}"
            left_out.append(too_much(what, missing, needed_s, budget.spent_s))
    cases = tuple(case for layer in layers for case in layer.cases if case in taken)
    fewest = min(layers[0].fewest, *(layer.rounds for layer in layers))
    return SelectedCases(cases, tuple(left_out), fewest, tuple(case for case in asked if case not in taken))


def make_plan(cases: Sequence[Case], budget: Budget, fewest: int = FEWEST_ROUNDS) -> Plan:
    """Plan six rounds; what the budget has besides goes to trials until nothing hurries, and then is spare.

    That goes to further trials of the cases that need them; where all can have as many as there may be, to longer ones.
    A case that is to be known well enough is looked at after twelve trials first, so there are as many rounds.

    Where six rounds of hurried trials do not fit, rounds are left out, down to the `fewest` that are worth it.

    Raises BudgetTooSmall: so few rounds of hurried trials do not fit; it names the smallest budget that will do.
    """
    found = {case: budget.cost(case) for case in cases}
    costs = found.values()
    each_s = ([one.start_s + of.seconds for of in (one.hurried, one.least, one.settled)] for one in costs)
    hurried, least, settled = map(sum, zip(*each_s, strict=True))
    what = f"{quantities.counted(fewest, 'round')} of {quantities.counted(len(cases), 'case')}"
    fewer = ", or choose fewer cases with --runtime, --mechanism or --placement"
    budget.require_fit(fewest * hurried, what, fewer)
    usual = min(USUAL_ROUNDS, MOST_ROUNDS) if budget.until is None else LOOKS[0]
    able = (rounds for rounds in range(max(usual, fewest), fewest, -1) if budget.carries(rounds * hurried))
    rounds = next(able, fewest)
    a_round_s = budget.planned_s / rounds
    most_s = settled * (MOST_ROUNDS if budget.until is None else LOOKS[-1])
    if budget.trial_s is not None:
        lengths = [one.least for one in costs]
    elif a_round_s < least:
        share = max(0.0, a_round_s - hurried) / (least - hurried) if least > hurried else 0.0
        lengths = [one.hurried.towards(one.least, share) for one in costs]
    elif a_round_s < settled:
        share = (a_round_s - least) / (settled - least)
        lengths = [one.least.towards(one.settled, share) for one in costs]
    elif not budget.carries(most_s) or budget.until is not None:
        lengths = [one.settled for one in costs]
    else:
        start_s = sum(one.start_s for one in costs)
        factor = (budget.planned_s / MOST_ROUNDS - start_s) / (settled - start_s)
        lengths = [one.settled.times(factor) for one in costs]
    plan = budget.plan(found, lengths, rounds)
    spare_s = min(budget.planned_s, most_s if budget.trial_s is not None else inf) - plan.seconds
    return replace(plan, spare_s=max(0.0, spare_s), until=budget.until)
