"""A check-up of this machine: can it be trusted with latency? Its cases, its rounds, and the command."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.health import FEWEST_TO_TELL, PAUSES_US, STALLS_OF, WAKES_OF, effects_of
from threadping.conduct import conduct, presenting, study
from threadping.conduct.environment import PACES, Environment, budget_of, prepared_run, starts_of
from threadping.conduct.stored import answered
from threadping.model import contract, errors, quantities
from threadping.model.cases import NOBODY_BUSY, Busy, Case, Placement, Skipped, WarmupPolicy
from threadping.model.run import Checkup, Premises, Run
from threadping.output.layout import Block, Section, Sheet
from threadping.planning.defaults import Length, Paces, in_long_periods
from threadping.planning.plan import Budget, Plan, budget_for, plan_of
from threadping.planning.schedule import Batch, Levels, Rounds, Schedule
from threadping.planning.selection import Inventory
from threadping.probes.machine import describe_machine, read_signs, watch_at_rest
from threadping.probes.placements import around, of_one_kind, one_core_each, relation, usable
from threadping.probes.runtimes import find_cpp, read_lscpu, read_topology
from threadping.store.store import open_store
from threadping.studies.doctor import output as views

CLOCK, CONDITION = "clock-monotonic", "condition"

MOST_ALONE = 8  # CPUs examined alone, spread evenly over all: more would take more than 15 seconds
COLD = WarmupPolicy(1, 1)  # no warm-up: the cold response is what is measured

CALIBRATING_S = 0.02
AT_ONCE_S, OF_FEW_S, ALONE_S = 0.15, 0.7, 0.15  # of all CPUs in a trial, of few together; of those alone, together
WOKEN_S: Mapping[str, float] = {"10us": 0.04, "1ms": 0.08, "30ms": 0.2}  # of each trial: 100 wake-ups, 50, 5

LEAST_NS = 10_000  # stalls from this length on have their causes read
SOUNDING = 0.6  # the share of a wake-up's trial in which wake-ups are timed; the rest counts calls


def in_one_visit(measure_ns: int, warmup_ns: int, crowding: int, blocking: bool) -> contract.Policy:
    """Return the windows of wake-ups far apart: one of each kind, so that each holds some."""
    usual = in_long_periods(measure_ns, warmup_ns, crowding, blocking)
    sampling = int(SOUNDING * measure_ns)
    return replace(usual, windows=replace(usual.windows, throughput=measure_ns - sampling, sampling=sampling))


# Paces of the experiments, but for wake-ups, which are far apart
FAR_APART: Paces = PACES | {WAKES_OF: replace(PACES[WAKES_OF], policy=in_one_visit)}
LOOKED_INTO = replace(contract.OUTLIERS, factor=1.0, least_ns=LEAST_NS)


def cases_of(here: Inventory, named: Sequence[int] | None) -> tuple[list[tuple[Case, Length]], list[Skipped]]:
    """Return cases with the length of their trials, and what is left out; ProbeUnusable if the probe has none."""
    topology = here.topology
    cpus = tuple(named or usable(topology))
    stalls, wakes = (_params(here, *one) for one in ((STALLS_OF, CLOCK), (WAKES_OF, CONDITION)))
    if stalls is None or wakes is None:
        raise errors.ProbeUnusable(
            "This build of the C++ probe cannot measure stalls. Run `make setup`, or reinstall threadping."
        )
    runtime = here.runtimes[0].label
    found: list[tuple[Case, Length]] = []
    skipped: list[Skipped] = []

    def reading(*those: int) -> Case:
        return Case(STALLS_OF, CLOCK, stalls, runtime, around(topology, those, len(those)), False, 1, (), COLD, "gap")

    found.append((reading(*cpus), Length(CALIBRATING_S, max(AT_ONCE_S, OF_FEW_S / len(cpus)))))
    if len(cpus) > 1:
        some = cpus[:: -(-len(cpus) // MOST_ALONE)]
        found += [(reading(cpu), Length(CALIBRATING_S, ALONE_S / len(some))) for cpu in some]
        if len(some) < len(cpus):
            skipped.append(Skipped(f"{len(cpus) - len(some)} CPUs alone", f"{len(some)} of {len(cpus)} are enough"))
    place = waking_pair(topology, cpus)
    # Each pause, without and with a thread on each CPU of the pair that keeps it awake and gives way to all others.
    awake = Busy(len({*place.cpus}), nice=19, there=True)
    for name, busy in product(PAUSES_US, (NOBODY_BUSY, awake)):
        params = {**wakes, "pause": PAUSES_US[name]}
        varied = ("pause",) if wakes.get("pause") != PAUSES_US[name] else ()
        case = Case(
            WAKES_OF, CONDITION, params, runtime, place, True, 1, varied, COLD, "call", None, group=2, busy=busy
        )
        found.append((case, Length(CALIBRATING_S, WOKEN_S[name])))
    return found, skipped


def _params(here: Inventory, experiment: str, mechanism: str) -> dict[str, int | str] | None:
    """Return the defaults of a mechanism's parameters that have an effect; None where no probe has it."""
    for one in here.mechanisms(experiment):
        if one.name == mechanism:
            return {param.name: param.default for param in one.params if param.only_with is None}
    return None


def waking_pair(topology: contract.Topology, cpus: Sequence[int]) -> Placement:
    """Return where a thread wakes another: on two cores, near each other and of one kind; on one CPU if need be."""
    known = usable(topology)
    if len(cpus) == 1:
        return around(topology, cpus, 2)
    if {*cpus} == {*known}:
        return one_core_each(topology, 2)
    first = known[cpus[0]]
    order = ("same-l2", "same-l3", "same-node", "cross-node", "smt")  # who waits on a sibling takes half of the core

    def distance(other: contract.Cpu) -> tuple[bool, int]:
        return not of_one_kind([first, other]), order.index(relation(first, other))

    second = min((known[cpu] for cpu in cpus[1:]), key=distance)
    return around(topology, (first.cpu, second.cpu), 2)


# ---- the study ----

AFTER_S = 1.0  # what comes after the last trial, and before the first line of the program


def plan_rounds(
    cases: Sequence[tuple[Case, Length]], budget: Budget, most: int, what: str, enough: int, way_out: str
) -> Plan:
    """Plan as many rounds as there is time for, at most `most`.

    Raises BudgetTooSmall if none fits: `what` takes more, and one in which `enough` rounds fit is named.
    """
    costs = {case: budget.cost(case) for case, _ in cases}
    lengths = tuple(length for _, length in cases)
    round_s = sum(one.start_s for one in costs.values()) + sum(one.seconds for one in lengths)
    rounds = int(budget.planned_s / round_s)
    if rounds < 1:
        needed = quantities.budget(budget_for(enough * round_s) + budget.spent_s)
        raise errors.BudgetTooSmall(
            f"A budget of {budget.seconds:g} s is too small: {what} more. Give at least --budget {needed}{way_out}."
        )
    starts, warmups = tuple(one.start_s for one in costs.values()), tuple(one.warmup_s for one in lengths)
    return Plan(tuple(costs), starts, lengths, warmups, min(most, rounds), budget.seed, budget.paces, budget.outliers)


class CheckupRounds(Rounds):
    """Rounds, enough of them to tell even on a busy machine, where trials take longer than planned."""

    def __init__(self, plan: Plan, budget_s: float) -> None:
        super().__init__(plan)
        self._most_s = 2 * budget_s

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        batch = super().next(waiting, levels)
        fits = batch and self.seconds - self._left_s + batch[0].needs_s <= self._most_s
        return (replace(batch[0], needs_s=0.0),) if fits and batch[0].round <= FEWEST_TO_TELL else batch


class DoctorStudy(study.Study[study.StudyRequest, views.DoctorResult]):
    """Rounds of all that is measured, so that conditions alternate."""

    stored, any_is_enough = Checkup, True

    def prepare(self, asked: study.StudyRequest, environment: Environment) -> study.PreparedRun:
        named = asked.selection.cpus
        here = environment.inventory([environment.cpp], cpus=named)
        cpus = tuple(named or usable(here.topology))
        signs, unseen = read_signs(cpus)
        at_rest, not_at_rest = watch_at_rest(cpus)
        cases, skipped = cases_of(here, named)
        budget = budget_of(asked.selection, starts_of(here.described), environment.spent_s + AFTER_S)
        budget = replace(budget, paces=FAR_APART, outliers=LOOKED_INTO)
        what = "six rounds of a check-up take"
        plan = plan_rounds(cases, budget, 10_000, what, FEWEST_TO_TELL, ", or fewer CPUs (--cpus)")
        of_cpus = f"{quantities.compact(len(cpus))} CPU{'s' if len(cpus) != 1 else ''}"
        checkup = replace(asked.stored, signs={**signs, **at_rest}, unseen=(*unseen, *not_at_rest))
        said = Text(f"Examining {of_cpus}: {len(plan.cases)} cases in {plan.seconds:.0f} s.")
        return prepared_run(checkup, plan, budget.starts, here, budget.left_s, said, skipped=tuple(skipped))

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return CheckupRounds(plan_of(run, premises, FAR_APART), run.budget_s)

    def read(self, answer: Answer, asked: Any) -> views.DoctorResult:
        return views.read_checkup(answer)

    def blocks(self, answer: Answer, result: views.DoctorResult) -> Iterable[Block]:
        return views.show_checkup(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        return [views.lead_of(self.read(answer, None)), Text()]

    def sheets(self, answer: Answer, result: views.DoctorResult) -> Sequence[Sheet[Any]]:
        return [
            views.effects_sheet(result),
            views.findings_sheet(result),
            views.cpus_sheet(answer, result),
            Sheet("causes", views.CAUSE_FIELDS, result.health.causes),
        ]

    def facts(self, answer: Answer, result: views.DoctorResult) -> Mapping[str, Any]:
        health = result.health
        return {
            "verdict": views.sentence(result),
            "health": health.whole,
            "deciding_s": result.deciding_s,
            "purpose": health.purpose,
            "limit_ns": health.limit_ns,
            "earlier_run": study.question_of(answer.run, Checkup).before,
            "not_inspected": result.unseen,
            "signs": health.signs,
        }

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, Checkup):
            blocks = [*views.show_checkup(answer, self.read(answer, None))]
            yield Section("doctor", "Can this machine be trusted?", blocks=blocks, place=0, digest=True)

    def exit_code(self, result: views.DoctorResult, output: presenting.Output) -> int:
        """Return 3 if unfit, 1 if lateness could not be measured; in doubt 4 if the output is strict; else 0."""
        if result.health.whole == "unfit":
            return 3
        if "late" not in result.health.effects:
            return 1
        return 4 if output.strict and result.health.whole == "doubt" else 0


STUDY = DoctorStudy()


# ---- the command ----

NONE_EARLIER = "--since needs an earlier doctor run, and the store has none: `threadping doctor` measures one."

CHECKUP_S, SELF_TEST_S = 15.0, 30.0


def doctor(before: str | None, budget_s: float | None, *, self_test: bool, **options: Any) -> int:
    """Examine this machine, or threadping itself; the exit code says whether it is fit, or true."""
    options["budget_s"] = budget_s or (SELF_TEST_S if self_test else CHECKUP_S)
    if self_test:
        if before or options.pop("limit_ns") is not None or options.pop("purpose") != "latency":
            why = "--self-test checks threadping, not the machine"
            raise errors.UsageError(f"{why}: leave --since, --latency and --purpose out.")
        return conduct.conduct_asked("self-test", **options)
    earlier = _earlier(options["location"], before) if before else None
    values = {name: effect.values for name, effect in effects_of(earlier).items()} if earlier else {}
    return conduct.conduct_asked("doctor", **options, before=earlier.run.id if earlier else 0, effects_before=values)


def _earlier(location: str | None, which: str) -> Answer:
    """Return the check-up of this number, or the newest; raises UsageError where there is none of this machine."""
    here = describe_machine(read_topology(find_cpp(os.environ)), read_lscpu()).cpu_model
    try:
        with open_store(location, create=False) as store:
            if which == "last":
                done = (run for run, _ in store.newest() if run.status != "running" and not run.imported)
                ours = (run for run in done if run.machine.cpu_model == here and isinstance(run.study, Checkup))
                if (newest := next(ours, None)) is None:
                    raise errors.UsageError(NONE_EARLIER)
                which = str(newest.id)
            answer = answered(store, which)
    except errors.StoreMissing as error:
        raise errors.UsageError(NONE_EARLIER) from error
    if not isinstance(answer.run.study, Checkup):
        raise errors.UsageError(
            f"Run {answer.run.id} is not a doctor run, and --since takes one: `threadping runs list` lists them."
        )
    if (model := answer.run.machine.cpu_model) != here:
        raise errors.UsageError(
            f"Run {answer.run.id} is of another machine ({model or 'unknown CPU'}), and --since takes one of this one: "
            "`threadping runs list` lists them."
        )
    return answer
