"""Measure: the question becomes cases, a plan, trials, rows, and an answer on stdout."""

import os
import random
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from threadping.cli.answer import print_answer
from threadping.cli.conduct import conduct
from threadping.cli.describing import describe_all, with_class_archives
from threadping.cli.options import Format
from threadping.cli.question import Question, refuse_contradictions, select
from threadping.contract import Topology
from threadping.errors import BudgetTooSmall, ProbeUnusable, UsageError
from threadping.experiments import paces
from threadping.experiments.wishes import Selection
from threadping.machine.identity import describe_machine
from threadping.model import Run, Runtime, Skipped
from threadping.plan import HIGHEST_SEED, Choice, Plan, make_plan, widest
from threadping.probes.description import Described, read_topology
from threadping.probes.runtimes import Found, find_runtimes, with_jvm_flags
from threadping.report.announcement import announcement
from threadping.report.console import stderr
from threadping.store import open_store
from threadping.store.owner import owner_of_this_process

HOUSEKEEPING_S = {"cpp": 0.02, "java": 0.16}
"""What a trial takes besides warm-up, measuring and a start as long as that of `describe`: a request and a result
written and read, a commit; in Java also the native library, and classes that only a trial needs."""


def measure(question: Question, location: str | None, output: Format, chart: Path | None) -> None:
    """Carry out the question and print its answer; everything that can be refused is refused before measuring."""
    refuse_contradictions(question, chart=chart is not None)
    if chart is not None:
        from threadping.report.chart import check_chart

        check_chart(chart)
    found = find_runtimes(os.environ)
    wanted: Sequence[Runtime] = with_jvm_flags(found.select(question.runtimes) or found.defaults(), question.jvm_flags)
    if question.jvm_flags and not any(runtime.probe == "java" for runtime in wanted):
        raise UsageError(
            f"--no-coarsening ({' '.join(question.jvm_flags)}) is for Java virtual machines, but none was selected. "
            "Leave it out, or add one: --runtime java."
        )
    topology = read_topology(_cpp(found))
    wanted = with_class_archives(wanted)
    described, unusable = describe_all(wanted)
    missing = found.missing if not question.runtimes else ()
    selection = select(question, topology, described, (*missing, *unusable))
    seed = random.SystemRandom().randrange(HIGHEST_SEED) if question.seed is None else question.seed
    with open_store(location) as store:
        starts = _start_seconds(described)
        if not _carries_all(selection, starts, question.budget_s, seed):
            # The first start reads cold files; only a second one tells what every trial will pay.
            again = _start_seconds(describe_all(wanted)[0])
            starts = {label: min(seconds, again.get(label, seconds)) for label, seconds in starts.items()}
        choice, plan = _plan(selection, starts, question.budget_s, seed)
        skipped = (*selection.skipped, *choice.left_out)
        run = _run(question, plan, skipped, topology, [one.runtime for one in described])
        stderr().print(announcement(plan.cases, plan.rounds, plan.trial_s, plan.seconds, skipped))
        conducted = conduct(run, plan, starts, store)
    print_answer(conducted.run, conducted.trials, output, chart)
    if conducted.problem:
        raise conducted.problem


def _plan(selection: Selection, starts: Mapping[str, float], budget_s: float, seed: int) -> tuple[Choice, Plan]:
    choice = widest(selection.layers, starts, budget_s, paces())
    return choice, make_plan(choice.cases, starts, budget_s, seed, paces())


def _carries_all(selection: Selection, starts: Mapping[str, float], budget_s: float, seed: int) -> bool:
    try:
        choice, _ = _plan(selection, starts, budget_s, seed)
    except BudgetTooSmall:
        return False
    return not choice.left_out


def _start_seconds(described: Sequence[Described]) -> dict[str, float]:
    return {one.runtime.label: one.seconds + HOUSEKEEPING_S[one.runtime.probe] for one in described}


def _cpp(found: Found) -> Runtime:
    for runtime in found.runtimes:
        if runtime.probe == "cpp":
            return runtime
    raise ProbeUnusable("The C++ probe, which also reads the machine's topology, is not built. Run `make setup`.")


def _run(
    question: Question,
    plan: Plan,
    skipped: tuple[Skipped, ...],
    topology: Topology,
    runtimes: Sequence[Runtime],
) -> Run:
    return Run(
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=describe_machine(topology),
        runtimes=tuple(runtimes),
        cases=plan.cases,
        skipped=skipped,
        rounds=plan.rounds,
        budget_s=question.budget_s,
        seed=plan.seed,
        version=version("threadping"),
        arguments=_without_the_store(sys.argv[1:]),
        owner=owner_of_this_process(),
    )


def _without_the_store(arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments as they are kept with the run: a store's URL may hold a password, and says nothing about it."""
    kept: list[str] = []
    store_follows = False
    for argument in arguments:
        if not store_follows and not argument.startswith("--store="):
            kept.append(argument)
        store_follows = argument == "--store"
    return tuple(argument for argument in kept if argument != "--store")
