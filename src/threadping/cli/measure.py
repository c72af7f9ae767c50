"""Measure: a selection becomes cases, a plan, trials, and an answer on stdout."""

import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from rich.console import RenderableType

from threadping import files
from threadping.analysis.analyse import analyse
from threadping.analysis.answer import Answer
from threadping.analysis.observe import observe
from threadping.analysis.states import Wanted, states_of
from threadping.characters import visible
from threadping.cli.answer import Output, print_answer, taken
from threadping.cli.cpus import topology_with
from threadping.cli.runtimes import describe_all
from threadping.contract import Request, Topology
from threadping.errors import BudgetTooSmall, Interrupted, OutputUnwritable, StoreError, ThreadpingError, UsageError
from threadping.experiments import EXPERIMENTS, askings, declared
from threadping.machine.identity import describe_machine
from threadping.machine.turn import turn
from threadping.model.cases import Runtime, Skipped
from threadping.model.events import Event, RunEnded
from threadping.model.run import Premises, Run
from threadping.model.trials import Observation, Trial
from threadping.plan.again import plan_of, premises_of
from threadping.plan.length import Start
from threadping.plan.rounds import HIGHEST_SEED, Budget, Plan, fitting, make_plan
from threadping.plan.schedule import Rounds, Schedule
from threadping.plan.survey import survey
from threadping.plan.windows import Paces
from threadping.probes.builds import build_of
from threadping.probes.description import Described, read_lscpu
from threadping.probes.interrupts import as_interrupt, held_back
from threadping.probes.reference_ping import reference_pings
from threadping.probes.runtimes import LANGUAGES, Found, find_runtimes, with_jvm_flags
from threadping.probes.words import words
from threadping.relation import usable
from threadping.runner import INTERRUPTED, Heard, Observe, Past, Runner, Watch
from threadping.selection.cases import Cases, expand
from threadping.selection.selection import Inventory, Selection
from threadping.store import Store, open_store
from threadping.store.owner import owner_of_this_process
from threadping.views.terminal.console import stderr
from threadping.views.terminal.lists import announcement
from threadping.views.terminal.progress import Progress

HOUSEKEEPING_S, LOADING_S = 0.021, 0.045
"""What a trial takes besides warm-up, measuring and a start as long as that of `describe`: a request and a result
written and read, a commit; and in a virtual machine the classes that only a trial needs."""


def run(experiments: tuple[str, ...], strict: bool, **given: Any) -> None:
    """Measure as the options of a command say."""
    output = taken(Output, given)
    measure(Selection(experiments=experiments, **given), output, strict=strict)


def measure(selection: Selection, output: Output, *, strict: bool) -> None:
    """Measure what is selected and print the answer; what can be refused is refused before anything is measured.

    Args:
        selection: what to measure, and how.
        output: how to give the answer.
        strict: raise ThreadpingError, after the answer, if a case failed or has a warning.
    """
    found = find_runtimes(os.environ)
    wanted = runtimes_of(found, selection)
    cpp = found.cpp()
    with turn(anyway=selection.anyway) as beside:  # before any probe is started
        here = inventory(cpp, wanted, () if selection.runtimes else found.missing, selection.cpus)
        with open_store(output.location) as store:
            ended = carry_out(store, expand(selection, here), here, cpp, selection, beside)
    with concluding(ended) as answer:
        show_rows(answer, output, strict=strict)


def show_rows(answer: Answer, output: Output, *, strict: bool) -> None:
    """Print the rows of a run; ThreadpingError afterwards if it is `strict` and a case failed or has a warning."""
    try:
        print_answer(answer, output)
    finally:
        if strict and (faults := faults_of(answer)):
            raise ThreadpingError(faults)


def rounds_of(run: Run, premises: Premises) -> Schedule:
    """The schedule of a run that measures its cases in rounds."""
    return Rounds(plan_of(run, premises, paces_of_all()), _headline)


def _headline(seen: Observation) -> float | None:
    """The figure of a trial that is to become certain."""
    return seen.figures.get(EXPERIMENTS[seen.case.experiment].figures.headline_of(seen.case))


def inventory(
    cpp: Runtime, wanted: Sequence[Runtime], missing: Sequence[Skipped] = (), cpus: Sequence[int] | None = None
) -> Inventory:
    """What there is to measure with: each of these runtimes is started once; one that cannot be used is missing.

    Raises:
        UsageError: some of the CPUs that were named cannot be used; before any other runtime is started.
    """
    topology = topology_with(cpp, cpus)
    described, unusable = describe_all(wanted, prepare=True)
    return inventory_of(topology, described, (*missing, *unusable))


def inventory_of(topology: Topology, described: Sequence[Described], missing: Sequence[Skipped] = ()) -> Inventory:
    """What these runtimes offer on a machine."""
    return Inventory(askings=askings(), topology=topology, described=described, timed=words().timed, missing=missing)


@contextmanager
def concluding(ended: RunEnded) -> Iterator[Answer]:
    """The answer of a run, to be shown; what went wrong is raised then, also where nobody reads it to its end."""
    with stored(ended.run):
        try:
            yield analyse(_as_stored(ended.run), ended.observations, ended.pings, declared())
        finally:
            if ended.problem:
                raise ended.problem


def _as_stored(run: Run) -> Run:
    """A run with commands as they are shown; until now probes were started by them, whatever bytes a path has."""
    shown = (replace(one, command=tuple(map(visible, one.command))) for one in run.runtimes)
    return replace(run, runtimes=tuple(shown))


def carry_out(
    store: Store,
    cases: Cases,
    here: Inventory,
    cpp: Runtime,
    selection: Selection,
    note: str | None,
    articles: Sequence[str] | None = None,
) -> RunEnded:
    """Plan as many of the cases as the budget allows, then measure and store them, with progress on stderr.

    The `note` stays with the run, before what is noted of its end; and that it repeats these published `articles`.
    """
    budget = budget_of(selection, _starts(here.described))
    if not _carries_all(cases, budget):
        budget = replace(budget, starts=warm_starts(here.described))
    maps = len(selection.experiments) > 1 and not selection.cpus
    pairs, survey_s = survey(here.topology, selection.budget_s) if maps else ((), 0.0)
    plan, left_out = _laid_out(cases, replace(budget, seconds=budget.seconds - survey_s))
    plan = replace(plan, survey=pairs, survey_s=survey_s)
    skipped = (*cases.skipped, *left_out)
    premises = replace(premises_of(plan, budget.starts), articles=None if articles is None else tuple(articles))
    begun = run_of(plan, selection.budget_s, skipped, here.topology, here.runtimes, premises)
    more = plan.spare_s > plan.mean_trial_s
    said = announcement(plan.cases, plan.rounds, plan.mean_trial_s, plan.seconds, skipped, more=more)
    return watched(store, replace(begun, note=note), rounds_of, cpp, said, selection.state)


ScheduleOf = Callable[[Run, Premises], Schedule]
"""How a kind of run makes its schedule: from what is stored of the run alone, so that it can be made again."""


def watched(
    store: Store,
    begun: Run,
    schedule_of: ScheduleOf,
    cpp: Runtime,
    said: RenderableType,
    wanted: Wanted | None = None,
    observe: Observe | None = None,
    before: Past | None = None,
) -> RunEnded:
    """Carry out a run, with what is `said` before it and its progress on stderr; only in a state, if `wanted`.

    A trial's figures are read by `observe`, or as its experiment declares them. Of a run that is resumed `before` is
    what it holds.
    """
    past, premises = before or Past(), begun.premises
    assert premises
    schedule = schedule_of(begun, premises)
    _check_requests(schedule.plan, begun.machine.topology)
    if before is None:
        premises = replace(premises, note=begun.note, state=wanted and wanted.text)
        with held_back():
            begun = store.begin(replace(begun, premises=premises))
    with _marked_as_interrupted(store, begun), as_interrupt():
        of_machine = store.pings_of_machine(begun.machine) if wanted else {}
        known = states_of(*(taken for run, taken in of_machine.items() if run < begun.id)).found
        last = Heard(past.pings, begun.resumed).last(len(past.trials))
        watch = Watch(partial(reference_pings, cpp), wanted, known, past.pings, last)
        runner = Runner(begun, schedule, store, observe or _observe, watch, cpp, past)
        if before is not None:
            store.resume(begun)
        stderr().print(said)
        with Progress() as progress:
            ended = _listened(runner.run(), progress)
    return _kept_aside(ended) if isinstance(ended.problem, StoreError) else ended


def _kept_aside(ended: RunEnded) -> RunEnded:
    """Write a run that its store does not take into a file that can be imported, which the problem then names."""
    from platformdirs import user_data_path

    from threadping.views.export import FORMATS

    name = f"threadping-run-{ended.run.id}-{datetime.now(UTC):%Y%m%dT%H%M%S}.run"
    answer = analyse(ended.run, ended.observations, ended.pings, declared())
    content = FORMATS["run"](answer, False).encode()
    for folder in (user_data_path("threadping", appauthor=False), Path(tempfile.gettempdir())):
        with suppress(OSError, OutputUnwritable):
            folder.mkdir(parents=True, exist_ok=True)
            files.write(folder / name, content, "the run")
            kept = f"All that it measured is kept in {folder / name}: `threadping import` stores it from there."
            return replace(ended, problem=StoreError(f"{ended.problem} {kept}"))
    return ended


def _check_requests(plan: Plan, topology: Topology) -> None:
    """Refuse what the contract does not take, before anything is measured; of pairs of CPUs one stands for all."""
    each = zip(plan.cases, plan.lengths, strict=True)
    alike = {(case.experiment, case.mechanism, case.threads, case.lines, length): case for case, length in each}
    for (*_, length), case in alike.items():
        try:
            msgspec.convert(msgspec.to_builtins(plan.request(case, length, 0, len(usable(topology)))), Request)
        except msgspec.ValidationError as error:
            raise UsageError(f"{case.title} cannot be measured so: no probe takes that ({error}).") from error


@contextmanager
def _marked_as_interrupted(store: Store, run: Run) -> Iterator[None]:
    """Ctrl-C before the first trial, or after the last, leaves no run that seems to be measured still."""
    try:
        yield
    except KeyboardInterrupt as stop:
        with held_back(dropped=True), suppress(StoreError):
            if store.run(str(run.id)).status == "running":
                store.finish(run.id, "interrupted", INTERRUPTED, run.took_s)
        raise Interrupted(_stored(run)) from stop


def faults_of(answer: Answer) -> str:
    """What `--strict` objects to, in a sentence: cases that failed, and warnings; empty where there is none."""
    failed = len({row.case for row in answer.rows if row.failed})
    warned = Counter(one.code for row in answer.rows for one in row.findings if one.level != "note")
    codes = [f"{code} ({times})" for code, times in warned.most_common()]
    parts = [*([f"trials of {failed} of the cases failed"] if failed else []), *([", ".join(codes)] if codes else [])]
    return f"--strict: {'; '.join(parts)}. `threadping explain CODE` says what a warning means." if parts else ""


@contextmanager
def stored(run: Run) -> Iterator[None]:
    """Ctrl-C from here on tells which run is stored."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise Interrupted(_stored(run)) from stop


def _stored(run: Run) -> str:
    goes_on = "" if run.status == "complete" else f"; `threadping resume {run.id}` goes on with it"
    return f"Interrupted. Run {run.id} is stored: `threadping show {run.id}`{goes_on}."


def _listened(events: Iterator[Event], progress: Progress) -> RunEnded:
    """Show every event until the last; Ctrl-C that meets us and not the runner is passed on to it."""
    while True:
        try:
            event = next(events)
            progress.saw(event)
        except KeyboardInterrupt as stop:
            event = events.throw(stop)  # type: ignore[attr-defined]
        if isinstance(event, RunEnded):
            return event


def _observe(trial: Trial) -> Observation:
    return observe(trial, EXPERIMENTS[trial.case.experiment].figures)


def runtimes_of(found: Found, selection: Selection) -> Sequence[Runtime]:
    """The runtimes that were selected, or else the usual ones, with the flags that every JVM is to have."""
    flags = tuple(flag for of_one in selection.jvm_flags.values() for flag in of_one)
    wanted = with_jvm_flags(found.select(selection.runtimes) or found.defaults(), flags)
    if flags and not any(runtime.probe == "java" for runtime in wanted):
        raise UsageError(
            f"--{next(iter(selection.jvm_flags))} is for Java virtual machines, but none was selected. Leave it out, "
            "or add one: --runtime java."
        )
    return wanted


def _laid_out(cases: Cases, budget: Budget) -> tuple[Plan, tuple[Skipped, ...]]:
    fit = fitting(cases.layers, budget)
    return make_plan(fit.cases, budget, fit.fewest), fit.left_out


def budget_of(selection: Selection, starts: Mapping[str, Start]) -> Budget:
    """What a plan may take, and what its trials cost."""
    seed = seed_of(selection)
    length, until = selection.trial_s, selection.until
    return Budget(selection.budget_s, starts, paces_of_all(), seed, length, selection.outliers, until)


def seed_of(selection: Selection) -> int:
    """The seed that was given, or any."""
    return random.SystemRandom().randrange(HIGHEST_SEED) if selection.seed is None else selection.seed


def paces_of_all() -> Paces:
    """The pace of each experiment."""
    return {name: experiment.pace for name, experiment in EXPERIMENTS.items()}


def warm_starts(described: Sequence[Described]) -> dict[str, Start]:
    """What a trial takes of runtimes that are started once more: the first start reads cold files."""
    first, again = _starts(described), _starts(describe_all([one.runtime for one in described])[0])
    return {label: min(one, again.get(label, one), key=lambda of: of.seconds) for label, one in first.items()}


def _carries_all(cases: Cases, budget: Budget) -> bool:
    try:
        return not _laid_out(cases, budget)[1]
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


def run_of(
    plan: Plan,
    budget_s: float,
    skipped: tuple[Skipped, ...],
    topology: Topology,
    runtimes: Sequence[Runtime],
    premises: Premises,
) -> Run:
    """The record of a run that begins now."""
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
        arguments=_without_the_store([*map(visible, sys.argv[1:])]),
        owner=owner_of_this_process(),
        until=plan.until,
        premises=replace(premises, builds={one.label: build_of(one) for one in runtimes}),
    )


def _without_the_store(arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments as the run keeps them: the URL of a store may hold a password."""
    pairs = zip(("", *arguments), arguments, strict=False)
    return tuple(one for before, one in pairs if "--store" not in (before, one.partition("=")[0]))
