"""Every pair of CPUs: which cases they are, and a tournament that measures at once as many pairs as share no CPU."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, count
from math import ceil, isqrt
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis import answer, percentiles, states
from threadping.conduct.environment import Environment, describe_all, inventory_of
from threadping.model import contract, quantities, run
from threadping.model.base import MOST_PAIRED_CASES
from threadping.model.cases import Case, Home, Placement
from threadping.model.errors import NothingToMeasure, UsageError
from threadping.planning.cases import expand
from threadping.planning.defaults import Length, Pace, Paces, Start, in_cells, lengths
from threadping.planning.plan import LOOKS, PING_S, SPAWN_S, Plan, StoppingRule, budget_for, pairings
from threadping.planning.schedule import Batch, Ended, Levels, Schedule, Turn
from threadping.planning.selection import Selection, refuse_unknown_homes
from threadping.probes.placements import nodes, relation, usable
from threadping.probes.runtimes import Described

CELL_LATENCY = "latency_ns.typical"

CELL = Length(0.01, 0.025)  # of spinning, compiled code: 256 lines thrice take 15 ms at 30 ns one way

NARROW = 0.01  # share within which a settled pair is known, by default

SETTLED, MOST = LOOKS[0], 60  # trials of a pair before the first look, and at most

LEAST_BUDGET_S = 10.0
PASSES = 3  # by default: a figure of three trials has a range

RECENT = 8  # batches, by which the next one is estimated

ALONE = 0  # in place of the number of a pass, for pairs that are measured alone to be compared


class Planned(Struct, frozen=True):
    """The plan of a matrix."""

    plan: Plan  # a case for each pair, direction and home
    at_once: int  # the maximum number of pairs that are measured at the same time
    pass_s: float  # the duration of one trial of each case
    passes: float  # the number that fit into the budget, besides measuring some of them alone
    budget_s: float  # for the whole


def make_tournament(
    of: run.Pairing,
    cases: Sequence[Case],
    starts: Mapping[str, Start],
    budget_s: float | None,
    seed: int,
    paces: Paces,
    until: float | None = None,
) -> Planned:
    """Plan it; without a budget, plan the passes that give each figure a range, and at least ten seconds.

    A pair is no longer measured once its interval is within `until`, as a share of its value; None for NARROW.
    """
    start = starts[of.case.runtime]
    pace = paces[of.case.experiment]
    if not of.case.blocking:
        pace = Pace(in_cells, promised=pace.promised)
    settled = lengths(of.case, pace, compiles=start.compiles).settled
    length = settled if start.compiles or of.case.blocking else CELL
    trial_s = start.seconds + length.seconds
    at_once = len(of.cpus) // 2
    batches = of.variants * (len(of.cpus) - 1 + len(of.cpus) % 2)
    alone_s = trial_s + 2 * PING_S
    pass_s = batches * (alone_s + SPAWN_S * 2 * (at_once - 1))
    some = ceil((answer.SHARE + answer.SLOW_SHARE) * len(cases)) + answer.FEWEST + answer.FEWEST_SLOW
    alone = min(len(cases), some) if at_once > 1 else 0
    check_s = answer.times(alone) * alone * alone_s
    budget = budget_s or max(LEAST_BUDGET_S, budget_for(PASSES * pass_s + check_s))
    plan = Plan(
        cases=tuple(cases),
        start_s=(start.seconds,) * len(cases),
        lengths=(length,) * len(cases),
        longest=(length.warmup_s,) * len(cases),
        rounds=max(1, min(MOST, int(budget / pass_s))),
        seed=seed,
        paces={**paces, of.case.experiment: pace},
        outliers=None,
        until=until or NARROW,
    )
    return Planned(plan, at_once, pass_s, max(0.0, budget - check_s) / pass_s, budget)


class Tournament(Schedule):
    """The schedule: a pass of all pairs; some alone; a second pass, which says whether to measure at once.

    Then passes until every case has enough trials, and after that whatever is least certain. A batch is finished once
    it has begun, and none begins that would end after the budget, but the first.
    """

    tries_all = False

    def __init__(self, planned: Planned) -> None:
        super().__init__(planned.plan, planned.budget_s)
        self._planned = planned
        self._place = {
            (case.placement.used, case.home.name if case.home else ""): place
            for place, case in enumerate(self.plan.cases)
        }
        self._trials: list[list[answer.PairTrial]] = [[] for _ in self.plan.cases]
        self._tried: list[set[int]] = [set() for _ in self.plan.cases]
        self._half: list[float | None] = [None] * len(self.plan.cases)
        self._looking = [StoppingRule(self.plan.until or NARROW) for _ in self.plan.cases]
        self._took: dict[bool, list[float]] = {True: [], False: []}
        self._at_once = planned.at_once > 1
        self._left_s = planned.budget_s
        self._due: set[int] = set()
        self._batch: Batch = ()
        self._batches = self._in_order()

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        while not self._due:
            batch = next(self._batches, None)
            if batch is None:
                return ()
            number, places = batch
            places = [place for place in places if place not in self.given_up]
            needs_s = self._batch_s(len(places)) if any(self._took.values()) else 0.0
            self._due = set(places)
            self._batch = tuple(Turn(place, number, max(number, self.plan.rounds), needs_s) for place in places)
        return self._batch

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        self._due.discard(turn.case)
        self._left_s = left_s
        if not self._due:  # each trial cost its share of the batch
            of = self._took[len(self._batch) > 1]
            of.append(trial.wall_s * len(self._batch))
            del of[:-RECENT]
        self._learn(turn.case, trial)

    def left(self) -> tuple[int, float]:
        size = self._planned.at_once if self._at_once else 1
        missing = sum(max(0, MOST - len(trials)) for trials in self._trials)
        most = int(self._left_s / self._batch_s(size) * size)
        trials = min(missing, max(most, len(self._batch)))
        return trials, trials / size * self._batch_s(size)

    def cut_short(self) -> str | None:
        without = sum(not trials for trials in self._trials)
        if not without:
            return None
        return f"Ended with its budget: {without:,} of {quantities.counted(len(self._trials), 'pair')} not measured."

    def _in_order(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield batches of places of cases, each with the number of its pass; nothing is repeated."""
        yield from self._pass(1)
        if self._at_once:
            for check in range(1, answer.MOST_CHECKS + 1):
                yield from self._alone(check)
                yield from self._pass(1 + check)
                found = answer.parallel(self._trials)
                if found is None or found.alike != "cannot tell":
                    break
            self._at_once = found is None or found.is_used
        for number in count(2):
            last = number
            if all(len(self._counting(place)) >= SETTLED for place in self._open()):
                break
            yield from self._pass(number)
        while chosen := self._widest():
            yield last, chosen

    def _pass(self, number: int) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield each case once, in rounds of a tournament that is drawn anew each time."""
        cpus = sorted({cpu for case in self.plan.cases for cpu in case.placement.used})
        chance = random.Random(f"{self.plan.seed}/{number}")
        names = dict(enumerate(chance.sample(cpus, len(cpus))))
        variants = dict.fromkeys(home for _, home in self._place)
        drawn = [
            [self._place.get((tuple(sorted((names[a], names[b]), reverse=other_way)), home)) for a, b in of_round]
            for of_round in pairings(range(len(cpus)))
            for home in variants
            for other_way in (False, True)
        ]
        chance.shuffle(drawn)
        for of_round in drawn:
            left = [place for place in of_round if place is not None and number not in self._tried[place]]
            compares = number <= 1 + answer.MOST_CHECKS
            places = [place for place in left if compares or not self._is_settled(place)]
            yield from ([(number, places)] if self._at_once and places else [(number, [one]) for one in places])

    def _alone(self, check: int) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield pairs alone, as often as comparing them needs; in each check as often again."""
        known = [place for place, trials in enumerate(self._trials) if trials and trials[0].is_first]
        slowest = sorted(known, key=lambda place: -self._trials[place][0].ns)
        chance = random.Random(f"{self.plan.seed}/alone")
        chosen = answer.checked(slowest, chance.sample(known, len(known)))
        wanted = check * answer.times(len(chosen))
        for _ in range(wanted):
            for place in chance.sample(chosen, len(chosen)):
                if sum(not one.concurrent for one in self._trials[place]) < wanted:
                    yield ALONE, [place]

    def _widest(self) -> list[int]:
        """Return the least certain of what is not settled, and what can be measured next to it."""
        wanted = sorted(
            (place for place in self._open() if not self._is_settled(place)),
            key=lambda place: -(1.0 if (half := self._half[place]) is None else half),
        )
        chosen: list[int] = []
        cpus: set[int] = set()
        for place in wanted if self._at_once else wanted[:1]:
            if not cpus.intersection(used := self.plan.cases[place].placement.used):
                chosen.append(place)
                cpus.update(used)
        return chosen

    def _open(self) -> Iterator[int]:
        return (place for place in range(len(self._trials)) if place not in self.given_up)

    def _is_settled(self, place: int) -> bool:
        return self._looking[place].is_narrow or len(self._counting(place)) >= MOST

    def _learn(self, place: int, ended: Ended) -> None:
        seen = ended.observation
        self._tried[place].add(seen.round)
        ns = None if seen.failure else seen.figures.get(CELL_LATENCY)
        if ns is not None:
            both = (*ended.before, *ended.after)
            stayed = bool(ended.before and ended.after) and states.alike(min(both), max(both))
            if stayed or not both:  # else its state changed meanwhile
                level = fmean(both) if both else None
                self._trials[place].append(answer.PairTrial(ns, level, seen.concurrent > 0, seen.round == 1))
                trials = self._counting(place)
                usual = [one.ns for one in answer.near_level(trials, answer.usual_level(trials))]  # in its usual state
                self._half[place] = percentiles.estimate(usual).half if usual else None
                self._looking[place].look(usual)

    def _counting(self, place: int) -> list[answer.PairTrial]:
        if self._at_once or self._planned.at_once < 2:
            return self._trials[place]
        return [one for one in self._trials[place] if not one.concurrent]

    def _batch_s(self, size: int) -> float:
        took = self._took[size > 1] or self._took[size <= 1]
        return fmean(took) if took else self._planned.pass_s / len(self.plan.cases)


HOMES = ("first", "second")  # roles of `--home`: lines are made at the first CPU of a pair, or at the second


@lru_cache(maxsize=1)  # a run is planned, and then its schedule is made: a million cases take seconds
def cases_of(of: run.Pairing, topology: contract.Topology) -> tuple[Case, ...]:
    """Return the case of every two CPUs, with each home, and in both directions where these are wanted."""
    known = {cpu.cpu: cpu for cpu in topology.cpus}
    on_nodes = nodes(topology)
    pairs = list(combinations(of.cpus, 2))
    made = []
    for first, second in [*pairs, *((b, a) for a, b in pairs if of.directions)]:
        placement = Placement(relation(known[first], known[second]), (first, second))
        for home in of.homes:
            cpus = {"second": (second,)}.get(home) or on_nodes.get(home)
            made.append(replace(of.case, placement=placement, home=Home(home, cpus) if cpus else None))
    return tuple(made)


def home_of(case: Case) -> str:
    """Return the home of a case's lines."""
    return case.home.name if case.home else HOMES[0]


def pairing_of(
    selection: Selection, topology: contract.Topology, environment: Environment, *, directions: bool
) -> tuple[run.Pairing, Described]:
    """Return the stored selection, and the runtime that measures it; raise ProbeUnusable.

    The runtime is the named one, or else the first that measures the user's custom mechanism, or C++.
    """
    own = {one.language for one in selection.own}
    usual = [one for one in environment.found.defaults() if one.probe in own][:1]
    wanted = environment.found.select(selection.runtimes) or usual or environment.found.select(("cpp",))
    if len(wanted) != 1:
        labels = ", ".join(one.label for one in wanted)
        raise UsageError(f"A matrix takes one runtime, but {len(wanted)} are named: {labels}.")
    runtime = environment.with_own(wanted, selection)[0]
    cpus = tuple(sorted(selection.cpus or usable(topology)))
    if len(cpus) < 2:
        who = "--cpus names" if selection.cpus else "this process's mask has"
        way_out = " Add another." if selection.cpus else " Name those that the kernel permits: --cpus A,B."
        raise NothingToMeasure(f"A matrix needs two CPUs or more, but {who} only {quantities.named(cpus)}.{way_out}")
    described = describe_all([runtime], prepare=True)[0][0]
    mechanisms = selection.mechanisms or ("cas-one-line",)
    one_pair = replace(selection, experiments=("signal",), mechanisms=mechanisms, cpus=cpus[:2], homes=())
    found = expand(one_pair, inventory_of(topology, [described])).every
    if len(found) != 1:
        titles = ", ".join(one.title for one in found)
        raise UsageError(f"A matrix takes one mechanism, but these are {len(found)}: {titles}.")
    refuse_unknown_homes(selection.homes, [*HOMES, *nodes(topology)])
    of = run.Pairing(found[0], cpus, tuple(selection.homes) or HOMES[:1], directions)
    require_few_cases(of)
    return of, described


def require_few_cases(of: run.Pairing) -> None:
    """Raise UsageError for more cases than a run can have, before they are made."""
    if of.cases <= MOST_PAIRED_CASES:
        return
    most = (1 + isqrt(1 + 8 * (MOST_PAIRED_CASES // of.variants))) // 2  # of CPUs, whose pairs are not more
    raise UsageError(
        f"A matrix of {len(of.cpus):,} CPUs has {of.cases:,} cases, and a run has {MOST_PAIRED_CASES:,} at most. Name "
        f"fewer CPUs: --cpus {','.join(quantities.ranges(of.cpus[:most]))}."
    )
