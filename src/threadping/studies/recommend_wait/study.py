"""A search for the wait strategy that meets a latency at a rate at the least cost."""

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import inf
from statistics import fmean
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct.environment import PACES, Environment, budget_of, prepared_run, warm_starts
from threadping.conduct.presenting import Output
from threadping.conduct.study import PreparedRun, Study, StudyRequest, question_of
from threadping.model.cases import Case, Skipped
from threadping.model.errors import NothingToMeasure, UnknownName, UsageError
from threadping.model.run import Observation, Premises, Requirement, Run
from threadping.output.layout import Block, Chart, Section, Sheet, grid_of
from threadping.output.listings import announced
from threadping.planning.cases import expand
from threadping.planning.defaults import Length, Lengths
from threadping.planning.plan import PLANNED, Budget, Plan, plan_of, starts_of, too_much
from threadping.planning.schedule import Batch, Ended, Levels, Schedule, Turn
from threadping.planning.selection import Inventory, Selection, closest
from threadping.studies.recommend_wait import judging
from threadping.studies.recommend_wait import output as views

WAIT, SPINS, POLICY = "wait", "spins", "policy"

CHEAPEST_SPINNING = ("release-one-line", "spin-all")
"""The cheapest spinning mechanism of each experiment represents all of them: the choice is how to wait."""

HOW_LONG = ("0", "100", "1k", "10k", "100k")  # number of polls before sleeping: a poll takes about 5 to 50 ns

FINELY = ("0", "30", "100", "300", "1k", "3k", "10k", "30k", "100k")


def ways_of(
    selection: Selection, required: Requirement, here: Inventory
) -> tuple[tuple[Case, ...], tuple[Skipped, ...]]:
    """Return the cases, the most wanted first, each on the closest CPUs unless a placement was named; and the skipped.

    Without a selected mechanism they are all that sleep, and one that spins. Raises UsageError where a name is unknown
    or the schedule is impossible, NothingToMeasure where no case is left.
    """
    if not (offered := here.mechanisms(required.experiment)):
        what = "barriers" if required.workers else "load messages"
        raise NothingToMeasure(f"No probe here measures {what}, which advice is made from. Run `make setup`.")
    usual = dict.fromkeys(
        one.name for one in offered if (one.blocking or one.name in CHEAPEST_SPINNING) and not one.needs
    )
    names = selection.mechanisms or tuple(usual)
    params = [param for one in offered if one.name in names for param in one.params]
    waits = dict.fromkeys(choice for param in params if param.name == WAIT for choice in param.choices or ())
    varied = {WAIT: tuple(waits), SPINS: FINELY if len(names) == 1 else HOW_LONG, POLICY: ("active", "passive")}
    due = {name: (value,) for name, value in required.schedule.items()}
    passes = [{}, *({name: varied[name]} for name in varied if any(param.name == name for param in params))]
    cases: dict[Case, None] = {}
    skipped: list[Skipped] = []
    for further in passes:
        asked = replace(selection, experiments=(required.experiment,), mechanisms=names, params={**due, **further})
        found = expand(asked, here)
        placed = selection.placements or selection.cpus
        chosen = found.every if placed else closest(found.every, lambda one: (one.mechanism, one.runtime))
        cases |= dict.fromkeys(chosen)
        skipped = skipped or list(found.skipped)
    return tuple(cases), tuple(skipped)


MOST_TRIALS = 240  # of one wait strategy: a verdict that they leave open is too close to call

SCREENING, ROUNDING_S = 0.35, 1e-6
"""Share of a budget for the first trials of all, and the tolerance of their sum: they are shortened until they take
just that, and a rounded-up sum would leave out the last one."""

SEARCH_PATIENCE = 1 / 3
"""Share of a budget after which a search ends if other programs, or a late sender, prevent a decision: whatever uses
the CPUs may end before."""

LEAST_MEASURE_S, LEAST_MESSAGES, LEAST_BURSTS = 0.1, 20, 2
"""Minima of a first trial: its seconds; messages that carry a median, since a median above the limit misses a p99 too;
and bursts, since it may miss a single one."""

RESERVE, COARSE = 1.15, 2.0
CHEAPER, CHEAPER_BY = 1.1, 0.5
"""A wait strategy that takes less CPU by a smaller factor, or by less than 0.5% of a core, does not count as
cheaper."""


def plan_search(cases: Sequence[Case], budget: Budget, required: Requirement) -> tuple[Plan, tuple[Skipped, ...]]:
    """Plan the first trials, shortened if the budget is tight; skip what does not fit, the last first.

    The budget has no outliers: to look into them takes time of the receiver. Raises BudgetTooSmall where there is no
    time to be sure of any wait strategy.
    """
    costs = [budget.cost(case) for case in cases]
    sure_s = min(judging.FEWEST_SURE * (one.start_s + _balanced(one).seconds) for one in costs)
    budget.require_fit(sure_s, f"{judging.FEWEST_SURE} trials of one wait strategy at this rate")
    measured = sum(one.least.measure_s for one in costs)
    available_s = SCREENING * budget.seconds - sum(one.start_s + one.least.warmup_s for one in costs)
    least_s = max(LEAST_MEASURE_S, LEAST_MESSAGES / required.rate, LEAST_BURSTS * required.burst / required.rate)
    share, shortest = available_s / measured, [one.least for one in costs]  # of its own measured time
    screens = [replace(one, measure_s=min(one.measure_s, max(least_s, share * one.measure_s))) for one in shortest]
    takes = [one.start_s + screen.seconds for one, screen in zip(costs, screens, strict=True)]
    most_s = SCREENING * budget.seconds + ROUNDING_S
    kept = max(1, sum(sum(takes[: place + 1]) <= most_s for place in range(len(cases))))
    plan = budget.plan(dict(zip(cases[:kept], costs, strict=False)), screens[:kept], MOST_TRIALS)
    if kept == len(cases):
        return plan, ()
    left = len(cases) - kept
    return plan, (too_much(views.strategies(left), left, PLANNED * sum(takes) / SCREENING),)


class Search(Schedule):
    """The schedule: the first trials in random order, then those that decide."""

    def __init__(self, plan: Plan, budget: Budget, required: Requirement) -> None:
        super().__init__(plan, budget.seconds)
        self._required, self._left_s = required, budget.seconds
        self._trials: list[list[Observation]] = [[] for _ in plan.cases]
        self._ways = [judging.judge_way(case, (), required) for case in plan.cases]
        self._worst = 0.0  # late messages in the worst trial of any that usually meets the limit
        self._order = random.Random(f"{plan.seed}/search").sample(range(len(plan.cases)), len(plan.cases))
        costs = [budget.cost(case) for case in plan.cases]
        self._settled = [_balanced(one) for one in costs]
        self._took = [[one.start_s + length.seconds] for one, length in zip(costs, self._settled, strict=True)]

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        seen = [one for of_it in self._trials for one in of_it]
        if judging.below_the_clock(seen, self._required) is not None or self._is_hopeless(seen):
            return ()
        first = next((case for case in self._screening() if case not in waiting), None)
        case = self._deciding() if first is None else first
        if case is None or case in waiting:
            return ()
        needs_s = self._short_s(case) if self._is_short(case) else fmean(self._took[case])
        return (Turn(case, len(self._trials[case]) + 1, MOST_TRIALS, needs_s),)

    def length(self, case: int) -> Length:
        return self.plan.lengths[case] if self._is_short(case) else self._settled[case]

    def ended(self, turn: Turn, trial: Ended, left_s: float) -> None:
        case, trials = turn.case, self._trials[turn.case]
        if not self._is_short(case):
            self._took[case] = [*self._took[case], trial.wall_s][-3:]
        trials.append(trial.observation)
        self._judge(case)
        if (worst := judging.worst_trial(self._ways)[0]) > self._worst:
            self._worst = worst
            for other, one in enumerate(self._ways):
                if one.verdict == "meets":
                    self._judge(other)
        self._left_s = left_s

    def _judge(self, case: int) -> None:
        one, trials = self.plan.cases[case], self._trials[case]
        self._ways[case] = judging.judge_way(one, trials, self._required, bounded=False, worst=self._worst)

    def left(self) -> tuple[int, float]:
        screening = self._screening()
        rest_s = max(0.0, self._left_s - sum(map(self._short_s, screening)))
        return len(screening) + int(rest_s / fmean(took for of_it in self._took for took in of_it)), self._left_s

    def _deciding(self) -> int | None:
        """Return what to measure for the advice to be sure; None where it would be the same by more trials.

        That is the cheapest that the budget can still show to meet the requirement, alternating with the one that takes
        the least time for it, for which enough is kept. If there is none, each whose trials so far may mislead, one
        after another; then, if nothing is significant, the one that comes nearest.
        """
        ways, took_s = self._ways, [fmean(of_it) for of_it in self._took]
        limit = min((one.cost[0] for one in ways if one.verdict == "meets"), default=inf)
        limit = min(limit / CHEAPER, limit - CHEAPER_BY)
        left = [case for case, one in enumerate(ways) if one.verdict == "open" and case not in self.given_up]
        open_ = [c for c in left if ways[c].trials < MOST_TRIALS and (limit == inf or ways[c].cost[0] < limit)]
        others = judging.spread_within(ways, self._required)
        within = [case for case in open_ if ways[case].is_within(self._required)]
        meets_s = {case: judging.more_to_meet(ways[case].counts, others, self._worst) * took_s[case] for case in within}
        if plausible := [case for case in within if meets_s[case] <= self._left_s]:
            safe = min(plausible, key=lambda case: meets_s[case])
            spare_s = self._left_s - RESERVE * meets_s[safe]
            tried = [case for case in plausible if case == safe or took_s[case] <= spare_s]
            least = min(ways[case].cost[0] for case in tried)
            cheap = [case for case in tried if ways[case].cost[0] <= COARSE * least + CHEAPER_BY]
            return min((safe, min(cheap, key=lambda case: meets_s[case])), key=lambda case: ways[case].trials)
        best = [c for c in open_ if max(1, judging.FEWEST_TO_MEET - ways[c].trials) * took_s[c] <= self._left_s]
        if best or limit == inf:
            in_turn = min(best or open_, key=lambda case: (ways[case].trials, ways[case].cost), default=None)
            return in_turn if best else min(within, key=lambda case: meets_s[case], default=in_turn)
        return None

    def _is_hopeless(self, seen: Sequence[Observation]) -> bool:
        """Return whether other programs, or the sender by itself, let nothing be decided."""
        if self._left_s > (1 - SEARCH_PATIENCE) * self.seconds:
            return False
        may_meet = any(one.verdict == "meets" or one.is_within(self._required) for one in self._ways)
        return bool(judging.is_busy(seen)) or (not may_meet and judging.floor_of(self._ways) is not None)

    def _is_short(self, case: int) -> bool:
        """Return whether its next trial is as the first: until it is to be shown that it meets the requirement."""
        one = self._ways[case]
        return one.trials < judging.FEW and not one.is_within(self._required)

    def _screening(self) -> list[int]:
        """Return the cases without a trial that decides anything, the least measured first."""
        left = (case for case in self._order if case not in self.given_up)
        due = (case for case in left if not any(map(judging.decides, self._trials[case])))
        return sorted(due, key=lambda case: len(self._trials[case]))

    def _short_s(self, case: int) -> float:
        return self.plan.start_s[case] + self.plan.lengths[case].seconds


def _balanced(cost: Lengths) -> Length:
    """Return the length of a further trial: it measures as long as it takes besides, within its experiment's bounds.

    What decides is the share of late messages over trials, so a trial need not carry a p99 by itself, and bad trials
    are seen the sooner, the more trials there are.
    """
    least, settled = cost.least, cost.settled
    measure_s = min(settled.measure_s, max(least.measure_s, cost.start_s + settled.warmup_s))
    return Length(settled.warmup_s, measure_s)


# ---- the study ----


ROUNDS_A_SECOND, LEAST_ROUNDS, MOST_ROUNDS = 1_000, 10, 100_000
"""Default number of barrier rounds per second, and the bounds of --rate: its pause is in whole microseconds."""


class RecommendWaitStudy(Study[StudyRequest, judging.Advice]):
    """A search for the cheapest wait strategy that meets a requirement."""

    any_is_enough = True

    def ask(self, **options: Any) -> StudyRequest:
        """Read a requirement on messages, or with threads on rounds of a barrier; UsageError for a part of each."""
        threads, rate, jobs = (options.pop(name) for name in ("threads", "rate", "jobs"))
        arrivals, burst, cpu_share = (options.pop(name) for name in ("arrivals", "burst", "cpu_share"))
        latency_ns, system = options.pop("latency_ns"), options.pop("system") or ""
        selection, bursts = Selection(**options), arrivals == "bursts"
        if threads is None and jobs is not None:
            raise UsageError("--jobs requires --threads N, a barrier of N threads.")
        if threads is None and rate is None:
            raise UsageError(
                "Missing option '--rate': messages per second, such as --rate 20k. A barrier has --threads."
            )
        if threads and arrivals != "constant":
            raise UsageError(f"--arrivals {arrivals} is for messages: leave out --threads.")
        rate = ROUNDS_A_SECOND if rate is None else rate
        if threads and not LEAST_ROUNDS <= rate <= MOST_ROUNDS:
            raise UsageError(
                f"--rate of a barrier must be from {LEAST_ROUNDS} to {MOST_ROUNDS:,} rounds per second, not {rate:,}."
            )
        if len(selection.busy) > 1:
            raise UsageError("--busy takes one number of busy threads here, such as --busy 2.")
        if burst and not bursts:
            of_messages = f"requires --arrivals bursts, not {arrivals}."
            raise UsageError(f"--burst {'is for messages: leave out --threads.' if threads else of_messages}")
        required = Requirement(
            rate=rate,
            p99_ns=latency_ns,
            cpu_percent=cpu_share and 100 * cpu_share,
            system=system,
            arrivals="period" if threads else arrivals,
            burst=(burst or 10) if bursts else 1,
            workers=threads - 1 if threads else 0,
            jobs=jobs or 0,
        )
        if system and not selection.mechanisms:
            selection = replace(selection, mechanisms=views.mechanisms_of(required))
        if threads:
            selection = replace(selection, threads=(threads,))
        return StudyRequest(required, selection)

    def prepare(self, asked: StudyRequest, environment: Environment) -> PreparedRun:
        required: Requirement = asked.stored
        selection = asked.selection
        system = views.systems()[required.system] if required.system else None
        wanted, further = environment.one_of_each(selection, system.runtime if system else "")
        here = environment.inventory(wanted, cpus=selection.cpus)
        try:
            cases, skipped = ways_of(selection, required, here)
        except UnknownName as error:
            if not (required.system and error.name in views.mechanisms_of(required)):
                raise
            named = ", ".join(one.runtime.label for one in here.described)
            raise UsageError(
                f"--for {required.system} needs the mechanism {error.name}, which {named} does not have. Leave out "
                "--runtime; `threadping info mechanisms` lists the runtimes that have it."
            ) from error
        here = here.only(cases)
        budget = replace(budget_of(selection, warm_starts(here.described)), outliers=None)
        plan, left_out = plan_search(cases, budget, required)
        skipped = (*skipped, *left_out, *(Skipped(one.label, judging.NOT_ASKED) for one in further))
        what = f"Searching among {views.strategies(len(plan.cases))}"
        said = announced(what, f" for {required.text}, at most ", selection.budget_s)
        return prepared_run(required, plan, budget.starts, here, selection.budget_s, said, skipped=skipped)

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        budget = Budget(run.budget_s, starts_of(premises), PACES, run.seed, outliers=premises.outliers)
        return Search(plan_of(run, premises, PACES), budget, question_of(run, Requirement))

    def read(self, answer: Answer, asked: Any) -> judging.Advice:
        return judging.advise(answer.run, answer.observations)

    def blocks(self, answer: Answer, result: judging.Advice) -> Iterable[Block]:
        return views.show_advice(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        return (*views.say(self.read(answer, None)), Text())

    def sheets(self, answer: Answer, result: judging.Advice) -> Sequence[Sheet[Any]]:
        return [views.ways_sheet(answer, result)]

    def facts(self, answer: Answer, result: judging.Advice) -> Mapping[str, Any]:
        return {
            "required": result.required,
            "outcome": result.outcome,
            "sure": result.is_sure,
            "sentence": views.say_advice(result),
            "clock_ns": result.clock_ns,
            "others": result.busy,
            "floor": result.floor,
            "configuration": views.configure(result) if result.required.system else None,
        }

    def charts(self, answer: Answer, result: judging.Advice) -> Sequence[Chart]:
        return [views.ways_chart(result)]

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, Requirement) and (advice := self.read(answer, None)).ways:
            drawn = [views.ways_chart(advice)] if any(one.p99 and one.cpu for one in advice.ways) else ()
            table = grid_of(views.ways_sheet(answer, advice))
            yield Section("recommend-wait", "Wait strategies", drawn, [table], place=0, digest=True)

    def exit_code(self, result: judging.Advice, output: Output) -> int:
        """3 if everything significantly misses, 4 if the output is strict and nothing significantly meets."""
        return 3 if result.outcome == "none" else 4 if output.strict and not result.is_sure else 0


STUDY = RecommendWaitStudy()
