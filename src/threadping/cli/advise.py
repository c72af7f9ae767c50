"""Advise: which way of waiting meets a latency at a rate, and what it costs."""

import os
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from threadping.advising.advice import NOT_ASKED, System, systems
from threadping.advising.advice import advise as advice_of
from threadping.analysis.answer import Answer
from threadping.cli.answer import Output, give, taken
from threadping.cli.measure import (
    budget_of,
    concluding,
    inventory,
    paces_of_all,
    run_of,
    runtimes_of,
    warm_starts,
    watched,
)
from threadping.errors import UsageError
from threadping.machine.turn import turn
from threadping.model.cases import Runtime, Skipped
from threadping.model.events import RunEnded
from threadping.model.run import Premises, Run
from threadping.model.studies import Requirement
from threadping.plan.again import plan_of, premises_of, starts_of
from threadping.plan.rounds import Budget
from threadping.plan.schedule import Schedule
from threadping.plan.search import Search, make_search
from threadping.probes.runtimes import Found, find_runtimes
from threadping.selection.selection import Selection
from threadping.selection.ways import ways_of
from threadping.store import open_store
from threadping.views.advice import advice_json, advised, searching


def advise(busy: tuple[int, ...], burst: int | None, cpu_share: float | None, system: str | None, **given: Any) -> int:
    """Search for the cheapest way that meets a requirement; the exit code: 1 where nothing does."""
    output, required = taken(Output, given), taken(Requirement, given)
    if len(busy) > 1:
        raise UsageError("Advice is for one number of busy threads: give --busy only one.")
    bursts = required.arrivals == "bursts"
    if burst and not bursts:
        raise UsageError(f"--burst goes only with --arrivals bursts, not with {required.arrivals}.")
    required = replace(required, burst=(burst or 10) if bursts else 1, system=system or "")
    required = replace(required, cpu_percent=cpu_share and 100 * cpu_share)
    with concluding(searched(_searched(required, Selection(busy=busy, **given), output))) as answer:
        return show_advice(answer, output)


def searched(ended: RunEnded) -> RunEnded:
    """A search as it ended: ways of waiting that were not measured are no problem."""
    return replace(ended, problem=None) if ended.run.status == "complete" and ended.observations else ended


def show_advice(answer: Answer, output: Output) -> int:
    """Print the advice of a run; the exit code."""
    advice = advice_of(answer.run, answer.observations)
    give(output, FORMATS, advised, answer, advice)
    return 1 if advice.chosen is None else 0


FORMATS = {"json": advice_json}


def search_of(run: Run, premises: Premises) -> Schedule:
    """The schedule of an advice: a search for the way that meets what is required."""
    assert run.requirement
    budget = Budget(run.budget_s, starts_of(premises), paces_of_all(), run.seed, outliers=premises.outliers)
    return Search(plan_of(run, premises, budget.paces), budget, run.requirement)


def _searched(required: Requirement, selection: Selection, output: Output) -> RunEnded:
    found = find_runtimes(os.environ)
    system = systems()[required.system] if required.system else None
    if system and not selection.mechanisms:
        selection = replace(selection, mechanisms=system.mechanisms)
    wanted = runtimes_of(found, selection) if selection.runtimes else _usual(found, system)
    others = () if selection.runtimes else _unasked(found, wanted)
    cpp = found.cpp()
    with turn(anyway=selection.anyway) as beside:
        here = inventory(cpp, wanted, cpus=selection.cpus)
        cases, skipped = ways_of(selection, required.schedule, here)
        here = here.only(cases)
        budget = replace(budget_of(selection, warm_starts(here.described)), outliers=None)
        plan, left_out = make_search(cases, budget, required)
        premises = premises_of(plan, budget.starts)
        begun = run_of(plan, selection.budget_s, (*skipped, *left_out, *others), here.topology, here.runtimes, premises)
        with open_store(output.location) as store:
            said = searching(required, plan.cases, selection.budget_s, left_out)
            return watched(store, replace(begun, requirement=required, note=beside), search_of, cpp, said)


def _usual(found: Found, system: System | None) -> list[Runtime]:
    """One runtime of each language, or of that in which a system is written."""
    each = {one.probe: one for one in reversed(found.defaults())}
    return [one for probe, one in reversed(each.items()) if not system or system.runtime in ("", probe)]


def _unasked(found: Found, asked: Sequence[Runtime]) -> tuple[Skipped, ...]:
    """Further JVMs, where one is asked: each takes as long again."""
    probes = {one.probe for one in asked}
    return tuple(Skipped(one.label, NOT_ASKED) for one in found.defaults() if one not in asked and one.probe in probes)
