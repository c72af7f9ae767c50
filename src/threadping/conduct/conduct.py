"""Conduct a study, from a question on the command line to the exit code; resume one where it stopped."""

import os
import shlex
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace
from rich.text import Text

from threadping import VERSION
from threadping.analysis.analyse import analyse
from threadping.analysis.states import parse_state, states_of
from threadping.conduct.environment import Environment, describe_all
from threadping.conduct.pings import Watch, reference_pings
from threadping.conduct.presenting import Output, pop_fields
from threadping.conduct.progress import Progress
from threadping.conduct.runner import INTERRUPTED, Runner, StoredProgress, joined
from threadping.conduct.stored import beside_like_runs, keep_series
from threadping.conduct.study import Study, check_format, show, study_named, study_of
from threadping.experiments import declared
from threadping.model import contract, files
from threadping.model.base import read_clock, read_clock_if_set
from threadping.model.cases import Runtime
from threadping.model.errors import BudgetTooSmall, Interrupted, ProbeUnusable, StoreError, ThreadpingError, UsageError
from threadping.model.quantities import budget, counted, duration, named
from threadping.model.run import Premises, Resumed, Run, RunEnded, Trial
from threadping.model.text import plain, visible
from threadping.output.layout import Block, Blocks
from threadping.output.printing import stderr, stdout
from threadping.planning.plan import Plan
from threadping.planning.selection import Selection
from threadping.probes.builds import build_of
from threadping.probes.interrupts import as_interrupt, held_back
from threadping.probes.machine import describe_machine
from threadping.probes.owner import machine_lock, owner_of_this_process
from threadping.probes.placements import ask_kernel, permit, usable
from threadping.probes.runtimes import Found, find_runtimes, read_lscpu, read_topology
from threadping.store.store import Store, open_store


def conduct_asked(study: str, **options: Any) -> int:
    """Conduct the study of this name, as the options of its command say; the exit code."""
    output, of = pop_fields(Output, options), study_named(study)
    return conduct(of, of.ask(**options), output)


def conduct(study: Study[Any, Any], asked: Any, output: Output) -> int:
    """Measure what answers a question, store it, print the answer; the exit code. Refuse before measuring."""
    check_format(study, output)
    selection: Selection = asked.selection
    found = find_runtimes(os.environ, asked=selection.runtimes)
    environment = Environment(found, found.cpp())
    with ExitStack() as opened:
        refuse = partial(environment.refuse_unknown, selection)
        with machine_lock(anyway=selection.anyway, before_refusing=refuse) as note:
            try:
                begun = study.prepare(asked, environment)
            except BudgetTooSmall as error:
                if environment.built:  # 2 is for what is refused before anything is done
                    raise ThreadpingError(str(error)) from error
                raise
            if output.plan:
                cases = (Text(f"{one.experiment} {plain(one.title)}") for one in begun.cases)
                stdout().print(Blocks.of(begun.said, *cases))
                return 0
            note, run = joined(begun.run.note, note), begun.run
            run = replace(run, note=note, premises=run.premises and replace(run.premises, note=note))
            store = opened.enter_context(open_store(output.location))
            ended = execute_run(store, study, run, environment.cpp, begun.said)
        return show_ended(store, study, ended, asked, output)


def show_ended(store: Store, study: Study[Any, Any], ended: RunEnded, asked: Any, output: Output) -> int:
    """Show a run that has just ended, then raise what went wrong in it; the exit code."""
    if study.any_is_enough and ended.run.status == "complete" and any(one.figures for one in ended.observations):
        ended = ended if isinstance(ended.problem, StoreError) else replace(ended, problem=None)
    # Until now probes were started by the bytes of their paths; from here on commands are printable.
    runtimes = tuple(replace(one, command=tuple(map(visible, one.command))) for one in ended.run.runtimes)
    try:
        answer = analyse(replace(ended.run, runtimes=runtimes), ended.observations, ended.pings, declared())
        with suppress(StoreError):
            answer = beside_like_runs(store, answer)
        problem, rows = ended.problem, answer.rows if study.is_of_rows else ()
        if not problem and rows and not any(row.figures for row in rows):
            codes = ", ".join(dict.fromkeys(one.code for row in rows for one in row.findings if one.level == "error"))
            problem = ThreadpingError(
                f"No case has a figure ({codes}): `threadping explain {codes.partition(',')[0]}` says why. Give it "
                f"more time, such as --budget {budget(ceil(LONGER * answer.run.budget_s))}."
            )
        try:
            return show(study, answer, asked, output, problem)
        finally:
            keep_series(store, answer)
    except UsageError as error:  # what was asked for was measured: it is not wrong, but cannot be answered
        raise (ended.problem or ThreadpingError(str(error))) from error
    except KeyboardInterrupt as stop:
        raise Interrupted(interruption(ended.run)) from stop


# Times the budget of a run without a figure: a state that nine trials of ten change leaves ten times as many
LONGER = 10


def execute_run(
    store: Store, study: Study[Any, Any], run: Run, cpp: Runtime, said: Block, past: StoredProgress | None = None
) -> RunEnded:
    """Measure and store the trials of a run, with what is `said` before them."""
    assert run.premises
    schedule, wanted = study.schedule(run, run.premises), parse_state(run.premises.state)
    check_requests(schedule.plan, run.machine.topology)
    before = past or StoredProgress()
    if past is None:
        with held_back():
            run = store.begin(run)
    try:
        with as_interrupt():
            of_machine = store.pings_of_machine(run.machine)[0] if wanted else {}
            known = states_of(*(taken for of_run, taken in of_machine.items() if of_run < run.id)).found
            watch = Watch(partial(reference_pings, cpp), wanted, known, before.pings, run.resumed)
            runner = Runner(run, schedule, store, study.observe, watch, cpp, before)
            if past is not None:
                store.resume(run)
            stderr().print(said)
            with Progress() as progress:
                ended = runner.run(progress.saw)
    except KeyboardInterrupt as stop:
        # Before the first trial, or after the last, it leaves no run that seems to be measured still
        with held_back(dropped=True), suppress(StoreError):
            if (stored := store.run(str(run.id))).status == "running":
                store.finish(replace(stored, status="interrupted", note=INTERRUPTED, ended=read_clock_if_set() or None))
        raise Interrupted(interruption(run)) from stop
    return _save_to_fallback_store(store, ended) if isinstance(ended.problem, StoreError) else ended


def _save_to_fallback_store(store: Store, ended: RunEnded) -> RunEnded:
    """Write a run that its store does not take into a store of its own, which the problem then names.

    It can be resumed there, unless its trials are in a store that cannot even be read.
    """
    trials: list[Trial] = []
    with suppress(StoreError):
        trials = [*store.trials(ended.run), *ended.unstored]
    whole = len(trials) == len(ended.observations)
    name = f"threadping-run-{ended.run.id}-{datetime.now(UTC):%Y%m%dT%H%M%S}.sqlite3"
    for folder in (files.user_folder("DATA"), Path(tempfile.gettempdir())):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open_store(str(folder / name)) as aside:
                run = aside.take(ended, trials if whole else ())
        except (OSError, StoreError):
            (folder / name).unlink(missing_ok=True)
            continue
        does, verb = ("runs resume", "resumes it") if whole else ("show", "shows it")
        command = f"`threadping {does} {run.id} --store {shlex.quote(str(folder / name))}` {verb}"
        kept = f"Everything that it measured is in the store {folder / name}: {command}."
        return replace(ended, problem=StoreError(f"{ended.problem} {kept}"))
    return ended


def check_requests(plan: Plan, topology: contract.Topology) -> None:
    """Refuse requests outside of the contract before anything is measured; one pair of CPUs represents all."""
    each = zip(plan.cases, plan.lengths, strict=True)
    alike = {(case.experiment, case.mechanism, case.threads, case.lines, length): case for case, length in each}
    for (*_, length), case in alike.items():
        try:
            msgspec.convert(msgspec.to_builtins(plan.request(case, length, 0, len(usable(topology)))), contract.Request)
        except msgspec.ValidationError as error:
            raise UsageError(f"{case.title} cannot be measured so: no probe takes that ({error}).") from error


def interruption(run: Run) -> str:
    """Say which run is stored, and how to go on with it."""
    goes_on = "" if run.status == "complete" else f"; `threadping runs resume {run.id}` resumes it"
    return f"Interrupted. Run {run.id} is stored: `threadping show {run.id}`{goes_on}."


def resume(which: str, budget_s: float | None, anyway: bool, **options: Any) -> int:
    """Measure what a run has not measured yet, in the rest of its budget or for `budget_s`, and show it."""
    output = pop_fields(Output, options)
    with open_store(output.location) as store:
        run = store.run(which)
        study = study_of(run)
        check_format(study, output)
        if budget_s is not None and not study.go_on:
            raise UsageError(
                f"--budget applies only to a matrix: run {run.id} resumes with the rest of its own budget."
            )
        ended = continue_run(store, run, anyway=anyway, more_s=budget_s)
        return show_ended(store, study, ended, None, output)


def continue_run(store: Store, run: Run, *, anyway: bool, more_s: float | None = None) -> RunEnded:
    """Measure what a run has not measured yet, in the rest of its budget or for `more_s`; UsageError elsewhere."""
    premises = _premises(run, more=more_s is not None)
    seen = store.observations(run)  # a trial that ends meanwhile is in the trials alone
    past = StoredProgress(store.trials(run)[: len(seen)], seen, store.pings(run))
    if len(past.trials) != len(seen):
        raise _refused(run, "it was imported without its trials. Resume it where it was measured.", advice="")
    ends = [one.spent.ended for one in past.trials if one.spent]
    if len(ends) != len(past.trials):
        raise _refused(run, "some of its trials do not say what they cost.")
    spent_s = ends[-1] if ends else 0.0
    found = find_runtimes(os.environ)
    cpp = found.cpp()
    with machine_lock(anyway=anyway) as concurrent:
        topology = read_topology(cpp)
        # Pinned threads may use the run's CPUs outside of the mask; others stay within it, which has to be the run's
        if not any(None in case.placement.cpus for case in run.cases):
            outside = {*usable(run.machine.topology)} - {*usable(topology)}
            topology = permit(topology, [cpu for cpu, why in ask_kernel(outside).items() if not why])
        _check_machine(run, topology)
        runtimes = _runtimes(run, premises, found)
        restarted = run.owner.boot_id != owner_of_this_process().boot_id
        begun = replace(
            run,
            runtimes=tuple(runtimes),
            budget_s=run.budget_s if more_s is None else spent_s + more_s,
            owner=owner_of_this_process(),
            note=joined(premises.note, concurrent),
            resumed=(*run.resumed, Resumed(read_clock(), len(past.trials), len(past.pings), restarted)),
            ended=None,
            took_s=None,
        )
        said = Text(
            f"Run {run.id} goes on after {counted(len(past.trials), 'trial')}: "
            f"{duration(max(0.0, begun.budget_s - spent_s))} of its budget are left. "
            "Ctrl-C ends it early and keeps what was measured."
        )
        return execute_run(store, study_of(run), begun, cpp, said, past)


def _refused(run: Run, why: object, advice: str = " Measure again.") -> UsageError:
    return UsageError(f"Run {run.id} cannot be resumed: {why}{advice}")


def _premises(run: Run, *, more: bool) -> Premises:
    """Return the premises of the plan; refuse a run that has ended, or that began elsewhere."""
    if run.status == "running":
        where = f"process {run.owner.pid} of {run.owner.hostname}"
        raise UsageError(f"Run {run.id} is still being measured, by {where}. Wait until it has ended, or end that.")
    if run.status == "complete" and not more:
        go_on = study_of(run).go_on.format(run.id)
        longer = f"; `threadping {go_on}` measures on" if go_on else ""
        raise UsageError(
            f"Run {run.id} is complete: nothing is left to measure. `threadping show {run.id}` shows it{longer}."
        )
    if run.premises is None:
        raise _refused(run, "it does not say how its trials were planned.")
    if run.version != VERSION:
        raise _refused(run, f"threadping {run.version} began it, and this is {VERSION}.")
    return run.premises


def _check_machine(run: Run, topology: contract.Topology) -> None:
    """See that it is the machine on which the run began, with the same CPUs; it may have been restarted meanwhile."""
    here, there = describe_machine(topology, read_lscpu()), run.machine
    facts = {"name was": "hostname", "CPUs were": "cpu_model", "kernel was": "kernel"}
    both = ((what, getattr(there, of), getattr(here, of)) for what, of in facts.items())
    others = [f"its {what} {a or 'unknown'}, and here it is {b or 'unknown'}" for what, a, b in both if a != b]
    if there.topology.cpus != here.topology.cpus:
        others.append(f"it had {counted(len(there.topology.cpus), 'CPU')} in another arrangement")
    if others:
        moved = f"Run {run.id} was measured on another machine: {others[0]}."
        raise UsageError(f"{moved} A run is resumed where it began; measure again.")
    before, after = ({*usable(one.topology)} for one in (there, here))
    if gone := before - after:
        why = "cannot be used any more, being offline or outside this process's CPUs."
        raise _refused(run, f"{named(sorted(gone))} {why}", " Give them back, or measure again.")
    if after != before:
        why = f"it was measured with {named(sorted(before))} alone, and this process may use {named(sorted(after))}."
        start = f" Start it with `taskset -c {','.join(map(str, sorted(before)))}`, or measure again."
        raise _refused(run, why, start)


def _runtimes(run: Run, premises: Premises, found: Found) -> Sequence[Runtime]:
    """Return the runtimes of a run as they start now; refuse one that is gone, or is another build."""
    labels = {runtime.label for runtime in found.runtimes}
    wanted = []
    try:
        for one in run.runtimes:
            known = one.label in labels or one.label.split()[0] in labels  # else it was named by its path
            wanted.append(replace(found.select((one.label,))[0], own=one.own) if known else one)
        described, missing = describe_all(wanted, prepare=True)
    except (UsageError, ProbeUnusable) as error:
        raise _refused(run, error, advice="") from error
    if missing:
        raise _refused(run, missing[0].reason, advice="")
    for before, now in zip(run.runtimes, (one.runtime for one in described), strict=True):
        if before.version != now.version or premises.builds.get(before.label) != build_of(now):
            raise _refused(run, f"{before.label} is another build now ({now.version}; it was {before.version}).")
    return [one.runtime for one in described]
