"""Measure: the question becomes cases, a plan, trials, rows, and an answer on stdout."""

import os
import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from msgspec import Struct

from threadping.cli.answer import print_answer
from threadping.cli.conduct import conduct
from threadping.cli.options import Format
from threadping.contract import Topology
from threadping.errors import BudgetTooSmall, ProbeUnusable, ThreadpingError, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.experiments.selection import Offer, Selection, Wish, select_cases
from threadping.machine.cpu_numbers import parse_cpus
from threadping.machine.identity import describe_machine
from threadping.machine.placements import PLACEMENT_NAMES, placement_for_cpus, placements
from threadping.model import Case, Placement, Run, Runtime, Skipped
from threadping.plan import HIGHEST_SEED, Plan, make_plan
from threadping.probes.description import Described, describe, read_topology
from threadping.probes.runtimes import Found, find_runtimes
from threadping.report.announcement import announcement
from threadping.report.console import stderr
from threadping.store import open_store
from threadping.store.owner import owner_of_this_process

HOUSEKEEPING_S = {"cpp": 0.02, "java": 0.27}
"""What a trial takes besides warm-up, measuring and a start as long as that of `describe`: a request and a result
written and read, a commit; in Java also the native library, and classes that only a trial needs."""


class Question(Struct, frozen=True):
    """What the command line asks; empty or None where it leaves the choice to us. No experiment means all."""

    experiment: str | None
    budget_s: float
    runtimes: tuple[str, ...]
    mechanisms: tuple[str, ...]
    placements: tuple[str, ...]
    cpus: str | None
    seed: int | None


def measure(question: Question, location: str | None, output: Format) -> None:
    """Carry out the question and print its answer; everything that can be refused is refused before measuring."""
    found = find_runtimes(os.environ)
    wanted = found.select(question.runtimes) or found.defaults()
    topology = read_topology(_cpp(found))
    described, unusable = _describe(wanted)
    missing = found.missing if not question.runtimes else ()
    selection = _select(question, topology, described, (*missing, *unusable))
    seed = random.SystemRandom().randrange(HIGHEST_SEED) if question.seed is None else question.seed
    with open_store(location) as store:
        starts = _start_seconds(described)
        try:
            plan = make_plan(selection.cases, starts, question.budget_s, seed)
        except BudgetTooSmall:  # the first start reads cold files; only a second one tells what every trial will pay
            starts = _start_seconds(_describe(wanted)[0])
            plan = make_plan(selection.cases, starts, question.budget_s, seed)
        run = _run(question, plan, selection, topology, [one.runtime for one in described])
        stderr().print(announcement(plan.cases, plan.rounds, plan.trial_s, plan.seconds, selection.skipped))
        conducted = conduct(run, plan, starts, store)
    print_answer(conducted.run, conducted.trials, output)
    if conducted.problem:
        raise ThreadpingError(conducted.problem)


def _start_seconds(described: Sequence[Described]) -> dict[str, float]:
    return {one.runtime.label: one.seconds + HOUSEKEEPING_S[one.runtime.probe] for one in described}


def _cpp(found: Found) -> Runtime:
    for runtime in found.runtimes:
        if runtime.probe == "cpp":
            return runtime
    raise ProbeUnusable("The C++ probe, which also reads the machine's topology, is not built. Run `make setup`.")


def _describe(wanted: Sequence[Runtime]) -> tuple[list[Described], list[Skipped]]:
    """Ask every runtime what it can do. One that cannot answer is left out, unless none can."""
    described: list[Described] = []
    unusable: list[Skipped] = []
    for runtime in wanted:
        try:
            described.append(describe(runtime))
        except ProbeUnusable as error:
            unusable.append(Skipped(runtime.label, str(error)))
    if not described:
        raise ProbeUnusable(" ".join(item.reason for item in unusable) or "No runtime was found.")
    return described, unusable


def _select(
    question: Question, topology: Topology, described: Sequence[Described], missing: Sequence[Skipped]
) -> Selection:
    experiments = [question.experiment] if question.experiment else list(EXPERIMENTS)
    places, absent = _places(question, topology)
    wish = Wish(question.mechanisms, question.placements)
    cases: list[Case] = []
    skipped = [*missing]
    for experiment in experiments:
        offers = [
            Offer(one.runtime, next((e for e in one.description.experiments if e.name == experiment), None))
            for one in described
        ]
        selection = select_cases(experiment, wish, offers, places, absent, PLACEMENT_NAMES)
        cases += selection.cases
        skipped += selection.skipped
    return Selection(tuple(cases), tuple(skipped))


def _places(question: Question, topology: Topology) -> tuple[list[Placement], list[Skipped]]:
    if question.cpus is None:
        return placements(topology)
    if question.placements:
        raise UsageError("--cpus says where the threads stand, and so does --placement: give one of them.")
    return [placement_for_cpus(topology, parse_cpus(question.cpus))], []


def _run(question: Question, plan: Plan, selection: Selection, topology: Topology, runtimes: Sequence[Runtime]) -> Run:
    return Run(
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=describe_machine(topology),
        runtimes=tuple(runtimes),
        cases=selection.cases,
        skipped=selection.skipped,
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
