"""Resume a run: what it had not measured when it stopped is measured now, as it would have been then."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.analysis.states import parse_state
from threadping.cli.answer import taken
from threadping.cli.compare import Asked
from threadping.cli.measure import ScheduleOf, concluding, watched
from threadping.cli.runtimes import describe_all
from threadping.contract import Topology
from threadping.errors import ProbeUnusable, UsageError
from threadping.machine.identity import describe_machine
from threadping.machine.permission import ask_kernel, permit
from threadping.machine.turn import turn
from threadping.model.cases import Runtime
from threadping.model.events import RunEnded
from threadping.model.run import Machine, Premises, Resumed, Run
from threadping.numbers import named
from threadping.probes.builds import build_of
from threadping.probes.description import read_lscpu, read_topology
from threadping.probes.runtimes import Found, find_runtimes
from threadping.quantities import counted, duration
from threadping.relation import usable
from threadping.runner import Observe, Past
from threadping.store import Store, open_store
from threadping.store.owner import owner_of_this_process


class Resumable(Struct, frozen=True):
    """A kind of run.

    Attributes:
        schedule_of: what is measured, and in which order.
        show: prints its answer; the exit code.
        formats: those that it has besides a table.
        observe: reads a trial's figures, where its experiment's declaration does not.
        settled: the run as it ended, without what is no problem of this kind.
    """

    schedule_of: ScheduleOf
    show: Callable[[Answer, Asked], int | None]
    formats: Collection[str]
    observe: Observe | None = None
    settled: Callable[[RunEnded], RunEnded] = lambda ended: ended


def kind_of(run: Run) -> Resumable:
    """The kind of a run: each lives where it is measured, and is imported when it is asked for."""
    if run.comparison:
        from threadping.cli import compare
        from threadping.views.comparison import FORMATS, itself_json

        formats = FORMATS if run.comparison.what else {"json": itself_json}
        return Resumable(compare.blocks_of, compare.show_comparisons, formats)
    if run.matrix:
        from threadping.cli import matrix
        from threadping.views.matrix import FORMATS as OF_MATRICES

        return Resumable(matrix.tournament_of, matrix.given_matrix, OF_MATRICES, matrix.observe_cell)
    if run.requirement:
        from threadping.cli import advise

        return Resumable(advise.search_of, advise.show_advice, advise.FORMATS, settled=advise.searched)
    from threadping.cli.measure import rounds_of, show_rows

    if run.premises and (articles := run.premises.articles) is not None:
        from threadping.cli import published

        return Resumable(
            rounds_of, lambda answer, asked: published.show_published(articles, answer, asked), published.FORMATS
        )
    from threadping.views.export import FORMATS as OF_ROWS

    return Resumable(rounds_of, lambda answer, asked: show_rows(answer, asked, strict=asked.strict), OF_ROWS)


def resume(which: str, anyway: bool, **given: Any) -> int | None:
    """Go on with a run that was interrupted, killed, or failed, and print what it would have; the exit code."""
    asked = taken(Asked, given)
    with open_store(asked.location) as store:
        run = store.run(which)
        kind = kind_of(run)
        if asked.form not in ("table", *kind.formats):
            raise UsageError(
                f"--format {asked.form} is not possible for run {run.id}. Choose table or {' or '.join(kind.formats)}."
            )
        ended = kind.settled(carry_on(store, run, anyway=anyway))
    with concluding(ended) as answer:
        return kind.show(answer, asked)


def carry_on(store: Store, run: Run, *, anyway: bool, more_s: float | None = None) -> RunEnded:
    """Measure what a run has not measured yet; for so many seconds more, where its own budget is not to end it.

    Raises:
        UsageError: it has ended, or did not begin here: another machine, another build, another store.
        StoreError: it is still being measured.
    """
    premises = _premises(run, more=more_s is not None)
    past = Past(store.trials(run), store.observations(run), store.pings(run))
    spent_s = _spent_s(run, past)
    found = find_runtimes(os.environ)
    cpp, kind = found.cpp(), kind_of(run)
    with turn(anyway=anyway) as beside:
        topology = _topology(cpp, run)
        _check_machine(run, topology)
        runtimes = _runtimes(run, premises, found)
        begun = replace(
            run,
            runtimes=tuple(runtimes),
            budget_s=run.budget_s if more_s is None else spent_s + more_s,
            owner=owner_of_this_process(),
            note=" ".join(filter(None, (premises.note, beside))) or None,
            resumed=(*run.resumed, _now(run, past)),
            ended=None,
            took_s=None,
        )
        said = Text(
            f"Run {run.id} goes on after {counted(len(past.trials), 'trial')}: "
            f"{duration(max(0.0, begun.budget_s - spent_s))} of its budget are left. "
            "Ctrl-C ends it early and keeps what was measured."
        )
        wanted = parse_state(premises.state)
        return watched(store, begun, kind.schedule_of, cpp, said, wanted, kind.observe, past)


def _premises(run: Run, *, more: bool) -> Premises:
    """What the plan was made of; refuses a run that has ended, or that did not begin here."""
    if run.status == "running":
        where = f"process {run.owner.pid} of {run.owner.hostname}"
        raise UsageError(f"Run {run.id} is still being measured, by {where}. Wait until it has ended, or end that.")
    if run.status == "complete" and not more:
        longer = f"; `threadping matrix --resume {run.id} --budget 60s` measures on" if run.matrix else ""
        raise UsageError(
            f"Run {run.id} is complete: nothing of it is left to measure. `threadping show {run.id}` shows it{longer}."
        )
    if run.premises is None:
        raise UsageError(
            f"Run {run.id} cannot be resumed: it was stored by an older threadping, which did not keep how its trials "
            "were planned. Measure again."
        )
    here = version("threadping")
    if run.version != here:
        raise UsageError(
            f"Run {run.id} cannot be resumed: threadping {run.version} began it, and this is {here}. Measure again."
        )
    return run.premises


def _spent_s(run: Run, past: Past) -> float:
    """How much of its budget a run has spent; refuses one whose trials are elsewhere, or were stored without that."""
    if len(past.trials) != len(past.observations):
        raise UsageError(
            f"Run {run.id} cannot be resumed: it was imported, and its trials stayed where they were measured. Resume "
            "it there."
        )
    ends = [one.spent.ended for one in past.trials if one.spent]
    if len(ends) != len(past.trials):
        raise UsageError(
            f"Run {run.id} cannot be resumed: some of its trials were stored by an older threadping, which did not "
            "keep what they cost. Measure again."
        )
    return ends[-1] if ends else 0.0


def _topology(cpp: Runtime, run: Run) -> Topology:
    """The machine's CPUs; those of the run that are outside of the mask too, where only pinned threads are to use them.

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
    """The runtimes of a run as they can be started now; refuses one that is gone, or is another build."""
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
    """As it is found now; else by its command, where it was named by its path."""
    known = {runtime.label for runtime in found.runtimes}
    if one.label in known or one.label.split()[0] in known:
        return found.select((one.label,))[0]
    return one


@contextmanager
def _naming(run: Run) -> Iterator[None]:
    try:
        yield
    except (UsageError, ProbeUnusable) as error:
        raise UsageError(f"Run {run.id} cannot be resumed: {error}") from error


def _now(run: Run, past: Past) -> Resumed:
    restarted = run.owner.boot_id != owner_of_this_process().boot_id
    return Resumed(datetime.now(UTC).isoformat(timespec="seconds"), len(past.trials), len(past.pings), restarted)
