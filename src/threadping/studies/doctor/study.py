"""A check-up of this machine: can it be trusted with latency?"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from time import monotonic
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.health import WAKES_OF
from threadping.conduct.environment import Environment, paces, starts_of
from threadping.conduct.study import Asked, Output, PreparedRun, Reading, Study
from threadping.model import quantities
from threadping.model.cases import Case
from threadping.model.errors import BudgetTooSmall
from threadping.model.quantities import compact
from threadping.model.run import Checkup, Premises, Purpose, Run, RunEnded
from threadping.output.export import bundle
from threadping.output.layout import Block, Sheet
from threadping.output.page.sections import Section
from threadping.planning.defaults import Length, Paces
from threadping.planning.plan import Budget, Plan, budget_for, plan_of, random_seed
from threadping.planning.schedule import Batch, Levels, Rounds, Schedule
from threadping.probes.machine import read_signs, watch_at_rest
from threadping.probes.placements import usable
from threadping.studies.doctor.cases import LOOKED_INTO, cases_of, in_one_visit
from threadping.studies.doctor.output import (
    causes_sheet,
    cpus_sheet,
    effects_sheet,
    facts_of,
    findings_sheet,
    lead_of,
    show_checkup,
)
from threadping.studies.doctor.reading import DoctorResult, read_checkup

MOST_ROUNDS, FEWEST_ROUNDS = 6, 3  # from six trials on there is an interval; of fewer than three nothing is reported

AFTER_S = 1.0  # what comes after the last trial, and before the first line of the program


class CheckStudy(Study[Asked, Reading]):
    """Rounds of given cases: of the machine, or of threadping itself."""

    def settle(self, ended: RunEnded) -> RunEnded:
        """Let what could not be measured decide the exit code, and be no failure, if something else was measured."""
        measured = any(one.figures for one in ended.observations)
        complete = ended.run.status == "complete"
        return RunEnded(ended.run, ended.observations, ended.pings, None) if measured and complete else ended


def plan_rounds(
    cases: Sequence[tuple[Case, Length]], budget: Budget, most: int, too_small: Callable[[float], str]
) -> Plan:
    """Plan as many rounds as there is time for, at most `most`.

    Raises:
        BudgetTooSmall: not one fits; `too_small` says it, of what a round takes.
    """
    costs = {case: budget.cost(case) for case, _ in cases}
    lengths = tuple(length for _, length in cases)
    round_s = sum(one.start_s for one in costs.values()) + sum(one.seconds for one in lengths)
    rounds = int(budget.planned_s / round_s)
    if rounds < 1:
        raise BudgetTooSmall(too_small(round_s))
    starts, warmups = tuple(one.start_s for one in costs.values()), tuple(one.warmup_s for one in lengths)
    return Plan(tuple(costs), starts, lengths, warmups, min(most, rounds), budget.seed, budget.paces, budget.outliers)


class DoctorRequest(Struct, frozen=True, kw_only=True):
    """A question to a machine.

    Attributes:
        purpose: by which limits.
        limit_ns: how late a thread may be; None where the purpose says it.
        cpus: those that are examined; None for all that may be used.
        budget_s: how long the whole may take.
        seed: of the order of trials.
        begun_s: when it was asked, by a clock that nobody sets: what was done since is in the budget.
        before: the run that it is held against; 0 for none.
        effects_before: what its trials say of each effect.
    """

    purpose: Purpose = "latency"
    limit_ns: float | None = None
    cpus: tuple[int, ...] | None = None
    budget_s: float = 10.0
    seed: int | None = None
    begun_s: float = 0.0
    before: int = 0
    effects_before: Mapping[str, tuple[float, ...]] = {}


class CheckupRounds(Rounds):
    """Rounds of which three are measured on a busy machine too, where trials take longer than planned."""

    def __init__(self, plan: Plan, budget_s: float) -> None:
        super().__init__(plan)
        self._most_s = 2 * budget_s

    def next(self, waiting: Collection[int], levels: Callable[[int], Levels]) -> Batch:
        """Return the next trial of the round; one of the first three may begin although the budget is spent."""
        batch = super().next(waiting, levels)
        fits = batch and self.seconds - self._left_s + batch[0].needs_s <= self._most_s
        return (replace(batch[0], needs_s=0.0),) if fits and batch[0].round <= FEWEST_ROUNDS else batch


class DoctorStudy(CheckStudy[DoctorRequest, DoctorResult]):
    """Rounds of all that is measured, so that conditions alternate."""

    formats: ClassVar[Mapping[str, Callable[[Answer, Any, Output], str]]] = {
        "run": lambda answer, _found, _output: bundle(answer, False)
    }

    def ask(self, **options: Any) -> DoctorRequest:
        del options["anyway"]
        return DoctorRequest(**options, begun_s=monotonic())

    def prepare(self, asked: DoctorRequest, environment: Environment) -> PreparedRun:
        """Read the files, watch the machine at rest for a moment, and plan as many rounds as there is time for."""
        here = environment.inventory([environment.cpp], cpus=asked.cpus)
        cpus = tuple(asked.cpus or usable(here.topology))
        signs, unseen = read_signs(cpus)
        at_rest, not_at_rest = watch_at_rest(cpus)
        cases, skipped = cases_of(here, asked.cpus)
        left_s = asked.budget_s - (monotonic() - asked.begun_s) - AFTER_S
        seed = random_seed() if asked.seed is None else asked.seed
        budget = Budget(left_s, starts_of(here.described), _paces(), seed, outliers=LOOKED_INTO)

        def too_small(round_s: float) -> str:
            needed = quantities.budget(budget_for(FEWEST_ROUNDS * round_s) + asked.budget_s - budget.seconds)
            return (
                f"A budget of {asked.budget_s:g} s is too small: three rounds of a check-up take more. Give at least "
                f"--budget {needed}, or fewer CPUs (--cpus)."
            )

        plan = plan_rounds(cases, budget, MOST_ROUNDS, too_small)
        plan = replace(plan, rounds=max(FEWEST_ROUNDS, plan.rounds))
        of_cpus = f"{compact(len(cpus))} CPU{'s' if len(cpus) != 1 else ''}"
        question = Checkup(
            asked.purpose,
            asked.limit_ns,
            {**signs, **at_rest},
            (*unseen, *not_at_rest),
            asked.before,
            dict(asked.effects_before),
        )
        return PreparedRun(
            study=question,
            plan=plan,
            budget_s=max(left_s, 0.0),
            starts=budget.starts,
            topology=here.topology,
            runtimes=here.runtimes,
            skipped=tuple(skipped),
            said=Text(f"Examining {of_cpus}: {len(plan.cases)} cases in {plan.seconds:.0f} s."),
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return CheckupRounds(plan_of(run, premises, _paces()), run.budget_s)

    def read(self, answer: Answer, asked: Any) -> DoctorResult:
        return read_checkup(answer)

    def blocks(self, answer: Answer, result: DoctorResult) -> Iterable[Block]:
        return show_checkup(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        return [lead_of(self.read(answer, None)), Text()]

    def sheets(self, answer: Answer, result: DoctorResult) -> Sequence[Sheet[Any]]:
        return [effects_sheet(result), findings_sheet(result), cpus_sheet(answer, result), causes_sheet(result)]

    def facts(self, answer: Answer, result: DoctorResult) -> Mapping[str, Any]:
        return facts_of(result)

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, Checkup):
            blocks = [*show_checkup(answer, self.read(answer, None))]
            yield Section("doctor", "Can this machine be trusted?", blocks=blocks, place=0, digest=True)

    def exit_code(self, result: DoctorResult, output: Output) -> int:
        """Return 3 if unfit, 1 if lateness could not be measured; in doubt 4 if the output is strict; else 0."""
        if result.health.whole == "unfit":
            return 3
        if "late" not in result.health.effects:
            return 1
        return 4 if output.strict and result.health.whole == "doubt" else 0


STUDY = DoctorStudy()


def _paces() -> Paces:
    """Return those of the experiments, but for wake-ups, which are far apart."""
    usual = paces()
    return usual | {WAKES_OF: replace(usual[WAKES_OF], policy=in_one_visit)}
