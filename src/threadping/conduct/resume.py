"""Resume a run: what it had not measured when it stopped is measured now, as it would have been then."""

import os
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.states import parse_state
from threadping.conduct.conduct import execute_run, show_ended
from threadping.conduct.environment import describe_all
from threadping.conduct.runner import StoredProgress
from threadping.conduct.showing import check_format
from threadping.conduct.study import Output, pop_fields, study_of
from threadping.model.bounds import read_clock
from threadping.model.cases import Runtime
from threadping.model.contract import Topology
from threadping.model.errors import ProbeUnusable, UsageError
from threadping.model.numbers import named
from threadping.model.quantities import counted, duration
from threadping.model.run import Premises, Resumed, Run, RunEnded
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
    """Measure what a run has not measured yet; for `more_s` seconds, where its own budget is not to end it.

    Raises UsageError: it has ended, or did not begin here: another machine, another build, another store.
    """
    premises = _premises(run, more=more_s is not None)
    seen = store.observations(run)  # a trial that ends meanwhile is in the trials alone
    past = StoredProgress(store.trials(run)[: len(seen)], seen, store.pings(run))
    if len(past.trials) != len(seen):
        raise _refused(
            run, "it was imported, and its trials stayed where they were measured. Resume it there.", advice=""
        )
    ends = [one.spent.ended for one in past.trials if one.spent]
    if len(ends) != len(past.trials):
        raise _refused(run, "some of its trials do not say what they cost.")
    spent_s = ends[-1] if ends else 0.0
    found = find_runtimes(os.environ)
    cpp = found.cpp()
    with machine_lock(anyway=anyway) as beside:
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
            f"Run {run.id} is complete: nothing of it is left to measure. `threadping show {run.id}` shows it{longer}."
        )
    if run.premises is None:
        raise _refused(run, "it does not say how its trials were planned.")
    here = version("threadping")
    if run.version != here:
        raise _refused(run, f"threadping {run.version} began it, and this is {here}.")
    return run.premises


def _check_machine(run: Run, topology: Topology) -> None:
    """See that it is the machine on which the run began, with the same CPUs; it may have been restarted meanwhile."""
    here, there = describe_machine(topology, read_lscpu()), run.machine
    facts = (
        ("name was", there.hostname, here.hostname),
        ("CPUs were", there.cpu_model, here.cpu_model),
        ("kernel was", there.kernel, here.kernel),
    )
    differing = [(what, then or "unknown", now or "unknown") for what, then, now in facts if then != now]
    others = [f"its {what} {then}, and here it is {now}" for what, then, now in differing]
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
        raise _refused(
            run,
            f"it was measured with {named(sorted(before))} alone, and this process may use {named(sorted(after))}.",
            f" Start it with `taskset -c {','.join(map(str, sorted(before)))}`, or measure again.",
        )


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
