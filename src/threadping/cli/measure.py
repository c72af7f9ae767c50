"""Measure: what is asked becomes cases, a plan, trials, rows, and an answer on stdout."""

import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any

from msgspec.structs import replace

from threadping.analysis.observe import observe
from threadping.analysis.states import States, states_of
from threadping.analysis.wanted import Wanted, parse_state
from threadping.cli import asking
from threadping.cli.answer import Output, print_answer
from threadping.cli.describing import describe_all, prepared
from threadping.cli.options import parse_outliers, parse_seconds, split_runtimes, word
from threadping.cli.signals import sigterm_as_interrupt
from threadping.contract import OutliersRequest, Topology
from threadping.errors import BudgetTooSmall, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.machine.identity import describe_machine
from threadping.model import Event, Run, RunEnded, Runtime, Skipped, Trial
from threadping.plan import HIGHEST_SEED, OUTLIERS, Plan, Start, fitting, make_plan
from threadping.probes.description import Described, read_topology
from threadping.probes.languages import LANGUAGES
from threadping.probes.lscpu import read_lscpu
from threadping.probes.reference_ping import reference_ping
from threadping.probes.runtimes import Found, find_runtimes, with_jvm_flags
from threadping.runner import Watch, run_plan
from threadping.selection.cases import Cases
from threadping.store import Store, open_store
from threadping.store.owner import owner_of_this_process
from threadping.views.terminal.announcement import announcement
from threadping.views.terminal.console import stderr
from threadping.views.terminal.progress import Progress

HOUSEKEEPING_S, LOADING_S = 0.025, 0.06
"""What a trial takes besides warm-up, measuring and a start as long as that of `describe`: a request and a result
written and read, a commit; and in a virtual machine the classes that only a trial needs."""


def measure(experiments: Sequence[str], words: Mapping[str, Any]) -> None:
    """Carry out what is asked and print its answer; everything that can be refused is refused before measuring."""
    asked, budget_s = asking.read(experiments, words), parse_seconds(words["budget"])
    state, outliers = parse_state(words["state"]), parse_outliers(words["outliers"])
    output = Output(words["output_format"], words["output_file"], words["chart"])
    output.check()
    found = find_runtimes(os.environ)
    named = split_runtimes(words["runtime"])
    wanted = _runtimes(found, named, experiments, words)
    cpp = found.cpp()
    topology = read_topology(cpp)
    wanted = prepared(wanted)
    described, unusable = describe_all(wanted)
    missing = (*(() if named else found.missing), *unusable)
    cases = asking.with_missing(asking.cases(asked, topology, described, named_runtimes=bool(named)), missing)
    if state:
        cases = asking.with_a_state(cases, state)
    seed = chosen_seed(words["seed"])
    with open_store(words["store"]) as store:
        ended, states = carry_out(store, cases, described, topology, cpp, budget_s, seed, state, outliers)
    print_answer(ended.run, ended.observations, states, output)
    if ended.problem:
        raise ended.problem


def carry_out(
    store: Store,
    cases: Cases,
    described: Sequence[Described],
    topology: Topology,
    cpp: Runtime,
    budget_s: float,
    seed: int,
    state: Wanted | None = None,
    outliers: OutliersRequest | None = OUTLIERS,
    trial_s: float | None = None,
) -> tuple[RunEnded, States]:
    """Plan as many of the cases as the budget carries, measure them under the eyes of a person, and store them."""
    starts = _starts(described)
    if not _carries_all(cases, starts, budget_s, seed, trial_s):
        # The first start reads cold files; only a second one shows what every trial will pay.
        again = _starts(describe_all([one.runtime for one in described])[0])
        starts = {label: min(one, again.get(label, one), key=lambda of: of.seconds) for label, one in starts.items()}
    plan, left_out = _laid_out(cases, starts, budget_s, seed, trial_s)
    plan = replace(plan, outliers=outliers)
    skipped = (*cases.skipped, *left_out)
    run = store.begin(_run(plan, budget_s, skipped, topology, [one.runtime for one in described]))
    known = states_of(*store.pings_of_machine(run.machine).values()).found
    watch = Watch(partial(reference_ping, cpp), state, known)
    stderr().print(announcement(plan.cases, plan.rounds, plan.mean_trial_s, plan.seconds, skipped))
    with sigterm_as_interrupt(), Progress() as progress:
        ended = _listened(run_plan(run, plan, store, _observe, watch), progress)
    return ended, states_of(ended.pings, known=known)


def chosen_seed(given: int | None) -> int:
    """The seed that was given, or one at random."""
    return random.SystemRandom().randrange(HIGHEST_SEED) if given is None else given


def _listened(events: Iterator[Event], progress: Progress) -> RunEnded:
    """Show every event until the last; Ctrl-C that meets us and not the conductor is passed on to it."""
    while True:
        try:
            event = next(events)
            progress.saw(event)
        except KeyboardInterrupt as stop:
            event = events.throw(stop)  # type: ignore[attr-defined]
        if isinstance(event, RunEnded):
            return event


def _observe(trial: Trial) -> Any:
    return observe(trial, EXPERIMENTS[trial.case.experiment].figures)


def _runtimes(
    found: Found, named: Sequence[str], experiments: Sequence[str], words: Mapping[str, Any]
) -> Sequence[Runtime]:
    flags = {
        option: given
        for one in experiments
        for option, (given, _) in EXPERIMENTS[one].jvm_options.items()
        if words[word(option)]
    }
    wanted = with_jvm_flags(
        found.select(named) or found.defaults(), tuple(flag for given in flags.values() for flag in given)
    )
    if flags and not any(runtime.probe == "java" for runtime in wanted):
        raise UsageError(
            f"--{next(iter(flags))} is for Java virtual machines, but none was selected. Leave it out, or add one: "
            "--runtime java."
        )
    return wanted


def _laid_out(
    cases: Cases, starts: Mapping[str, Start], budget_s: float, seed: int, trial_s: float | None
) -> tuple[Plan, tuple[Skipped, ...]]:
    paces = {name: experiment.pace for name, experiment in EXPERIMENTS.items()}
    fit = fitting(cases.layers, starts, budget_s, paces, trial_s)
    return make_plan(fit.cases, starts, budget_s, seed, paces, trial_s), fit.left_out


def _carries_all(cases: Cases, starts: Mapping[str, Start], budget_s: float, seed: int, trial_s: float | None) -> bool:
    try:
        return not _laid_out(cases, starts, budget_s, seed, trial_s)[1]
    except BudgetTooSmall:
        return False


def _starts(described: Sequence[Described]) -> dict[str, Start]:
    """What a trial of each runtime takes besides warm-up and measuring."""
    found = {}
    for one in described:
        compiles = LANGUAGES[one.runtime.probe].compiles
        seconds = one.seconds + HOUSEKEEPING_S + (LOADING_S if compiles else 0)
        found[one.runtime.label] = Start(seconds, compiles)
    return found


def _run(
    plan: Plan, budget_s: float, skipped: tuple[Skipped, ...], topology: Topology, runtimes: Sequence[Runtime]
) -> Run:
    return Run(
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=describe_machine(topology, read_lscpu()),
        runtimes=tuple(runtimes),
        cases=plan.cases,
        skipped=skipped,
        rounds=plan.rounds,
        budget_s=budget_s,
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
