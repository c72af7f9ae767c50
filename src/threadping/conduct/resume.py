"""Resume a run: what it had not measured when it stopped is measured now, as it would have been then."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.states import parse_state
from threadping.conduct.conduct import show_ended
from threadping.conduct.environment import describe_all
from threadping.conduct.execution import execute_run
from threadping.conduct.runner import StoredProgress
from threadping.conduct.showing import check_format
from threadping.conduct.study import Output, pop_fields, study_of
from threadping.model.bounds import read_clock
from threadping.model.cases import Runtime
from threadping.model.contract import Topology
from threadping.model.errors import ProbeUnusable, UsageError
from threadping.model.numbers import named
from threadping.model.quantities import counted, duration
from threadping.model.run import Machine, Premises, Resumed, Run, RunEnded
from threadping.model.topology import usable
from threadping.probes.builds import build_of
from threadping.probes.description import read_lscpu, read_topology
from threadping.probes.identity import describe_machine
from threadping.probes.machine_lock import machine_lock
from threadping.probes.owner import owner_of_this_process
from threadping.probes.placements import ask_kernel, permit
from threadping.probes.runtimes import Found, find_runtimes
from threadping.store.database import open_store
from threadping.store.store import Store


def resume(which: str, anyway: bool, **options: Any) -> int:
    """Go on with a run that was interrupted, killed, or failed, and print what it would have; the exit code."""
    output = pop_fields(Output, options)
    with open_store(output.location) as store:
        run = store.run(which)
        study = study_of(run)
        check_format(study, output)
        ended = continue_run(store, run, anyway=anyway)
    return show_ended(study, ended, None, output)


def continue_run(store: Store, run: Run, *, anyway: bool, more_s: float | None = None) -> RunEnded:
    """Measure what a run has not measured yet; for so many seconds more, where its own budget is not to end it.

    Raises:
        UsageError: it has ended, or did not begin here: another machine, another build, another store.
        StoreError: it is still being measured.
    """
    premises = _premises(run, more=more_s is not None)
    seen = store.observations(run)  # a trial that ends meanwhile is in the trials alone
    past = StoredProgress(store.trials(run)[: len(seen)], seen, store.pings(run))
    spent_s = _spent_s(run, past)
    found = find_runtimes(os.environ)
    cpp = found.cpp()
    with machine_lock(anyway=anyway) as beside:
        topology = _topology(cpp, run)
        _check_machine(run, topology)
        runtimes = _runtimes(run, premises, found)
        restarted = run.owner.boot_id != owner_of_this_process().boot_id
        begun = replace(
            run,
            runtimes=tuple(runtimes),
            budget_s=run.budget_s if more_s is None else spent_s + more_s,
            owner=owner_of_this_process(),
            note=" ".join(filter(None, (premises.note, beside))) or None,
            resumed=(*run.resumed, Resumed(read_clock(), len(past.trials), len(past.pings), restarted)),
            ended=None,
            took_s=None,
        )
        said = Text(
            f"Run {run.id} goes on after {counted(len(past.trials), 'trial')}: "
            f"{duration(max(0.0, begun.budget_s - spent_s))} of its budget are left. "
            "Ctrl-C ends it early and keeps what was measured."
        )
        wanted = parse_state(premises.state)
        return execute_run(store, study_of(run), begun, cpp, said, wanted, past)


def _premises(run: Run, *, more: bool) -> Premises:
    """Return the premises of the plan; refuse a run that has ended, or that began elsewhere."""
    if run.status == "running":
        where = f"process {run.owner.pid} of {run.owner.hostname}"
        raise UsageError(f"Run {run.id} is still being measured, by {where}. Wait until it has ended, or end that.")
    if run.status == "complete" and not more:
        go_on = study_of(run).go_on.format(run.id)
        longer = f"; `threadping {go_on}` measures on" if go_on else ""
        raise UsageError(
            f"Run {run.id} is complete: nothing of it is left to measure. `threadping show {run.id}` shows it{longer}."
        )
    if run.premises is None:
        raise UsageError(f"Run {run.id} cannot be resumed: it does not say how its trials were planned. Measure again.")
    here = version("threadping")
    if run.version != here:
        raise UsageError(
            f"Run {run.id} cannot be resumed: threadping {run.version} began it, and this is {here}. Measure again."
        )
    return run.premises


def _spent_s(run: Run, past: StoredProgress) -> float:
    """Return the seconds of its budget that a run has spent; refuse one whose trials are elsewhere or incomplete."""
    if len(past.trials) != len(past.observations):
        raise UsageError(
            f"Run {run.id} cannot be resumed: it was imported, and its trials stayed where they were measured. Resume "
            "it there."
        )
    ends = [one.spent.ended for one in past.trials if one.spent]
    if len(ends) != len(past.trials):
        raise UsageError(
            f"Run {run.id} cannot be resumed: some of its trials do not say what they cost. Measure again."
        )
    return ends[-1] if ends else 0.0


def _topology(cpp: Runtime, run: Run) -> Topology:
    """Return the machine's CPUs, and those of the run outside of the mask, if only pinned threads use them.

    Threads that are not pinned stay within the mask, which has to be the run's.
    """
    here = read_topology(cpp)
    if any(None in case.placement.cpus for case in run.cases):
        return here
    outside = {*usable(run.machine.topology)} - {*usable(here)}
    return permit(here, [cpu for cpu, why in ask_kernel(outside).items() if not why])


def _check_machine(run: Run, topology: Topology) -> None:
    """See that it is the machine on which the run began, with the same CPUs; it may have been restarted meanwhile."""
    here, there = describe_machine(topology, read_lscpu()), run.machine
    if other := next(_differing(there, here), None):
        raise UsageError(
            f"Run {run.id} was measured on another machine: {other}. A run is resumed where it began; measure again."
        )
    then, now = ({*usable(one.topology)} for one in (there, here))
    if gone := then - now:
        raise UsageError(
            f"Run {run.id} cannot be resumed: {named(sorted(gone))} cannot be used any more, being offline or outside "
            "this process's CPUs. Give them back, or measure again."
        )
    if now != then:
        only = f"Start it with `taskset -c {','.join(map(str, sorted(then)))}`, or measure again."
        raise UsageError(
            f"Run {run.id} cannot be resumed: it was measured with {named(sorted(then))} alone, and this process may "
            f"use {named(sorted(now))}. {only}"
        )


def _differing(there: Machine, here: Machine) -> Iterator[str]:
    facts = {
        "hostname": "its name was",
        "cpu_model": "its CPUs were",
        "kernel": "its kernel was",
    }
    for name, what in facts.items():
        then, now = getattr(there, name), getattr(here, name)
        if then != now:
            yield f"{what} {then or 'unknown'}, and here it is {now or 'unknown'}"
    if there.topology.cpus != here.topology.cpus:
        yield f"it had {counted(len(there.topology.cpus), 'CPU')} in another arrangement"


def _runtimes(run: Run, premises: Premises, found: Found) -> Sequence[Runtime]:
    """Return the runtimes of a run as they start now; refuse one that is gone, or is another build."""
    with _naming(run):
        described, missing = describe_all([_runtime(one, found) for one in run.runtimes], prepare=True)
    if missing:
        raise UsageError(f"Run {run.id} cannot be resumed: {missing[0].reason}")
    for before, now in zip(run.runtimes, (one.runtime for one in described), strict=True):
        if before.version != now.version or premises.builds.get(before.label) != build_of(now):
            raise UsageError(
                f"Run {run.id} cannot be resumed: {before.label} is another build now ({now.version}; it was "
                f"{before.version}). Measure again."
            )
    return [one.runtime for one in described]


def _runtime(one: Runtime, found: Found) -> Runtime:
    """Return the runtime as it is found now; else by its command, if it was named by its path."""
    known = {runtime.label for runtime in found.runtimes}
    if one.label in known or one.label.split()[0] in known:
        return replace(found.select((one.label,))[0], own=one.own)
    return one


@contextmanager
def _naming(run: Run) -> Iterator[None]:
    try:
        yield
    except (UsageError, ProbeUnusable) as error:
        raise UsageError(f"Run {run.id} cannot be resumed: {error}") from error
