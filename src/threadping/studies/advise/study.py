"""Which wait strategy meets a latency at a rate, and what it costs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct.environment import Environment, budget_of, paces, warm_starts
from threadping.conduct.study import Output, PreparedRun, Study, pop_fields
from threadping.model.cases import Case, Skipped
from threadping.model.errors import UnknownName, UsageError
from threadping.model.run import Premises, Requirement, Run, RunEnded
from threadping.output.charts.style import Chart
from threadping.output.layout import Block, Sheet, grid_of
from threadping.output.page.sections import Section
from threadping.planning.plan import Budget, plan_of, starts_of
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Inventory, Selection
from threadping.studies.advise.advice import NOT_ASKED, Advice, advise
from threadping.studies.advise.output import announce_search, facts_of, say, show_advice, ways_chart, ways_sheet
from threadping.studies.advise.search import Search, plan_search, ways_of
from threadping.studies.advise.systems import mechanisms_of, systems


class Sought(Struct, frozen=True):
    """What is required, and of which wait strategies."""

    required: Requirement
    selection: Selection


class AdviseStudy(Study[Sought, Advice]):
    """A search for the cheapest wait strategy that meets a requirement."""

    def ask(self, **options: Any) -> Sought:
        """The requirement, and what is searched."""
        burst, cpu_share, system = (options.pop(name) for name in ("burst", "cpu_share", "system"))
        options |= _what_is_asked(options.pop("done_ns"), **{name: options.pop(name) for name in ASKED})
        required = pop_fields(Requirement, options)
        selection = Selection(**options)
        if len(selection.busy) > 1:
            raise UsageError("Advice is for one number of busy threads: give --busy only one.")
        bursts = required.arrivals == "bursts"
        if burst and not bursts:
            raise UsageError(f"--burst goes only with --arrivals bursts, not with {required.arrivals}.")
        required = replace(required, burst=(burst or 10) if bursts else 1, system=system or "")
        required = replace(required, cpu_percent=cpu_share and 100 * cpu_share)
        if required.system and not selection.mechanisms:
            selection = replace(selection, mechanisms=mechanisms_of(required))
        if required.workers:
            selection = replace(selection, threads=(required.workers + 1,))
        return Sought(required, selection)

    def prepare(self, asked: Sought, environment: Environment) -> PreparedRun:
        """Plan a search among the wait strategies that fit into the budget."""
        required, selection = asked.required, asked.selection
        system = systems()[required.system] if required.system else None
        wanted, further = environment.one_of_each(selection, system.runtime if system else "")
        here = environment.inventory(wanted, cpus=selection.cpus)
        cases, skipped = _ways_or_raise(selection, required, here)
        here = here.only(cases)
        budget = replace(budget_of(selection, warm_starts(here.described)), outliers=None)
        plan, left_out = plan_search(cases, budget, required)
        return PreparedRun(
            study=required,
            plan=plan,
            budget_s=selection.budget_s,
            starts=budget.starts,
            topology=here.topology,
            runtimes=here.runtimes,
            skipped=(*skipped, *left_out, *(Skipped(one.label, NOT_ASKED) for one in further)),
            said=announce_search(required, plan.cases, selection.budget_s),
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """A search for what meets the requirement."""
        assert isinstance(run.study, Requirement)
        budget = Budget(run.budget_s, starts_of(premises), paces(), run.seed, outliers=premises.outliers)
        return Search(plan_of(run, premises, budget.paces), budget, run.study)

    def settle(self, ended: RunEnded) -> RunEnded:
        """The run; what was not measured is no problem."""
        return replace(ended, problem=None) if ended.run.status == "complete" and ended.observations else ended

    def read(self, answer: Answer, asked: Any) -> Advice:
        """Judge all that were measured, and choose the cheapest that meets the requirement."""
        return advise(answer.run, answer.observations)

    def blocks(self, answer: Answer, result: Advice) -> Iterable[Block]:
        """The advice, then all that were measured."""
        return show_advice(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        """The sentence of advice, without its table."""
        return (*say(self.read(answer, None)), Text())

    def sheets(self, answer: Answer, result: Advice) -> Sequence[Sheet[Any]]:
        """A line for each wait strategy, with its verdict."""
        return [ways_sheet(answer, result)]

    def facts(self, answer: Answer, result: Advice) -> Mapping[str, Any]:
        """What is required and advised."""
        return facts_of(result)

    def charts(self, answer: Answer, result: Advice) -> Sequence[Chart]:
        """The latency of each against its CPU, and the limits."""
        return [ways_chart(result)]

    def sections(self, answer: Answer) -> Iterable[Section]:
        """All of them, of a run that was to advise."""
        if isinstance(answer.run.study, Requirement) and (advice := self.read(answer, None)).ways:
            drawn = [ways_chart(advice)] if any(one.p99 and one.cpu for one in advice.ways) else ()
            table = grid_of(ways_sheet(answer, advice))
            yield Section("advise", "Wait strategies", drawn, [table], place=0, digest=True)

    def exit_code(self, result: Advice, output: Output) -> int:
        """3 where surely nothing meets the requirement, 4 where the output is strict and what does is not sure."""
        return 3 if result.outcome == "none" else 4 if output.strict and not result.is_sure else 0


STUDY = AdviseStudy()

ASKED = ("rate", "p99_ns", "workers", "jobs", "arrivals")
ROUNDS_A_SECOND, LEAST_ROUNDS, MOST_ROUNDS = 1_000, 10, 100_000
"""How often a crowd is let go unless --rate says so, and the bounds of that: its pause is in whole microseconds."""


def _what_is_asked(
    done_ns: float | None,
    *,
    rate: int | None,
    p99_ns: float | None,
    workers: int | None,
    jobs: int | None,
    arrivals: str,
) -> dict[str, Any]:
    """What is required of messages, or of rounds of a crowd; raises UsageError for a part of each."""
    if workers is None:
        if done_ns is not None or jobs is not None:
            raise UsageError(f"--{'jobs' if done_ns is None else 'done'} goes only with --workers.")
        missing = [option for option, given in (("--rate", rate), ("--p99", p99_ns)) if given is None]
        if missing:
            raise UsageError(
                f"Missing option '{missing[0]}': of messages --rate and --p99, of a crowd --workers and --done."
            )
        return {"rate": rate, "p99_ns": p99_ns, "workers": 0, "jobs": 0, "arrivals": arrivals}
    if p99_ns is not None or arrivals != "constant":
        raise UsageError(f"--{'arrivals' if p99_ns is None else 'p99'} is of messages: it does not go with --workers.")
    if done_ns is None:
        raise UsageError("Missing option '--done': how late all --workers may be done.")
    rate = ROUNDS_A_SECOND if rate is None else rate
    if not LEAST_ROUNDS <= rate <= MOST_ROUNDS:
        raise UsageError(f"--rate of a crowd is from {LEAST_ROUNDS} to {MOST_ROUNDS:,} rounds a second, not {rate:,}.")
    return {"rate": rate, "p99_ns": done_ns, "workers": workers, "jobs": jobs or 0, "arrivals": "ticks"}


def _ways_or_raise(
    selection: Selection, required: Requirement, here: Inventory
) -> tuple[tuple[Case, ...], tuple[Skipped, ...]]:
    """The wait strategies; raises UsageError where no runtime that was asked for has those of the system."""
    try:
        return ways_of(selection, required, here)
    except UnknownName as error:
        if not (required.system and error.name in mechanisms_of(required)):
            raise
        named = ", ".join(one.runtime.label for one in here.described)
        raise UsageError(
            f"--for {required.system} is of the mechanism {error.name}, which {named} does not have. Leave out "
            "--runtime, or name one that `threadping mechanisms` lists it for."
        ) from error
