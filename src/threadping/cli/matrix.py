"""Every pair of CPUs: measured now, gone on with, or as another tool has measured them."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace
from rich.console import RenderableType

from threadping.analysis.answer import Answer
from threadping.analysis.declaration import Figure
from threadping.analysis.observe import observe
from threadping.analysis.reading import line_medians
from threadping.cli.answer import Output, give, taken
from threadping.cli.history import answered
from threadping.cli.measure import concluding, inventory_of, paces_of_all, run_of, seed_of, warm_starts, watched
from threadping.cli.runtimes import describe_all, prepared
from threadping.contract import Topology
from threadping.errors import NothingToMeasure, UnknownName, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.machine.identity import describe_machine, is_same
from threadping.machine.placements import name_of
from threadping.machine.turn import turn
from threadping.matrix.matrix import LATENCY, SPREAD, cases_of, matrix, spread_of
from threadping.matrix.published import read
from threadping.model import Case, Observation, Pairing, RunEnded, Runtime, Trial
from threadping.numbers import named
from threadping.plan.schedule import Ended, Levels
from threadping.plan.tournament import Planned, Tournament, make_tournament
from threadping.probes.description import Described, read_lscpu, read_topology
from threadping.probes.runtimes import Found, find_runtimes
from threadping.relation import nodes, usable
from threadping.selection.cases import expand
from threadping.selection.selection import Selection
from threadping.store import open_store
from threadping.store.owner import owner_of_this_process
from threadping.views.matrix import FORMATS, announcement, matrix_screen, specification
from threadping.views.matrix import imported as shown

HOMES = ("first", "second")


def measure(resume: str | None, longest_s: float | None, homes: Sequence[str], directions: bool, **given: Any) -> None:
    """Measure every pair of the selected CPUs, or of all, and print the matrix; or go on with a stored one."""
    output, selection = taken(Output, given), Selection(**given)
    if resume is None:
        ended = _measured(selection, homes, longest_s, output, directions=directions)
    elif selection != Selection(anyway=selection.anyway) or homes or directions:
        raise UsageError("--resume goes on as the run began: give it with --budget, or with options of the output.")
    else:
        ended = _resumed(resume, longest_s, output, anyway=selection.anyway)
    with concluding(ended) as answer:
        given_matrix(answer, output)


def _measured(
    selection: Selection, homes: Sequence[str], budget_s: float | None, output: Output, *, directions: bool
) -> RunEnded:
    found = find_runtimes(os.environ)
    runtime, cpp = _runtime(found, selection.runtimes), found.cpp()
    with turn(anyway=selection.anyway) as beside:
        topology = read_topology(cpp)
        cpus = _cpus(topology, selection.cpus)
        case, described = _case(replace(selection, cpus=cpus[:2]), topology, runtime)
        for home in homes:
            if home not in (*HOMES, *nodes(topology)):
                raise UnknownName("home", home, [*HOMES, *nodes(topology)])
        of = Pairing(case, cpus, tuple(homes) or HOMES[:1], directions)
        plan = _plan(of, topology, described, budget_s, seed_of(selection))
        begun = run_of(plan.plan, plan.budget_s, (), topology, [described.runtime])
        begun = replace(begun, cases=(), matrix=of, note=beside)
        with open_store(output.location) as store:
            return watched(store, begun, Tournament(plan, _value), cpp, _said(of, plan), observe=_observed)


def _resumed(which: str, budget_s: float | None, output: Output, *, anyway: bool) -> RunEnded:
    """Go on with a stored matrix, on the machine that it is of."""
    with open_store(output.location) as store:
        before = answered(store, which)
        of, run = before.run.matrix, before.run
        if of is None:
            raise UsageError(f"Run {run.id} is not a matrix. `threadping show {run.id}` shows it.")
        found = find_runtimes(os.environ)
        cpp = found.cpp()
        with turn(anyway=anyway) as beside:
            topology = read_topology(cpp)
            if not is_same(run.machine, describe_machine(topology, read_lscpu())):
                raise UsageError(f"Run {run.id} was measured on another machine: a run goes on where it began.")
            name_of(topology, of.cpus)  # refuses those that went offline, or may not be used any more
            described = describe_all(prepared([_runtime(found, (of.case.runtime,))]))[0][0]
            plan = _plan(of, topology, described, budget_s, run.seed)
            schedule = Tournament(plan, _value, _replayed(before))
            now = {"owner": owner_of_this_process(), "budget_s": plan.budget_s, "note": beside}
            begun = replace(run, runtimes=(described.runtime,), **now)
            return watched(store, begun, schedule, cpp, _said(of, plan), observe=_observed, before=before.stored)


def given_matrix(answer: Answer, output: Output) -> None:
    """Print the matrix of a run."""
    give(output, FORMATS, matrix_screen, answer, matrix(answer), chart=specification)


def imported(path: Path, output: Output) -> None:
    """Print what another tool has written, beside the newest matrix of this machine; it is not stored."""
    form, theirs = read(path)

    def beside_ours(*_: object) -> RenderableType:
        with open_store(output.location) as store:
            newest = next((run for run, trials in store.runs() if run.matrix and trials and not run.imported), None)
            answer = answered(store, str(newest.id)) if newest else None
        return shown(str(path), form, theirs, (answer, matrix(answer)) if answer else None)

    give(output, FORMATS, beside_ours, None, theirs, chart=specification)


def _plan(of: Pairing, topology: Topology, described: Described, budget_s: float | None, seed: int) -> Planned:
    return make_tournament(of, cases_of(of, topology), warm_starts([described]), budget_s, seed, paces_of_all())


def _said(of: Pairing, plan: Planned) -> RenderableType:
    passes = max(0.0, plan.budget_s - plan.check_s) / plan.pass_s
    return announcement(of, plan.at_once, plan.pass_s, passes, plan.budget_s)


def _runtime(found: Found, labels: Sequence[str]) -> Runtime:
    wanted = found.select(labels or ("cpp",))
    if len(wanted) != 1:
        raise UsageError(
            f"A matrix takes one runtime, but {len(wanted)} are named: {', '.join(one.label for one in wanted)}."
        )
    return wanted[0]


def _cpus(topology: Topology, asked: Sequence[int] | None) -> tuple[int, ...]:
    """Those that were asked for, or all that may be used; by number."""
    if asked:
        name_of(topology, asked)  # refuses what is not there
    cpus = tuple(sorted(asked or usable(topology)))
    if len(cpus) < 2:
        which = f"--cpus names {named(cpus)} alone" if asked else f"this process may use only {named(cpus)}"
        raise NothingToMeasure(f"A matrix needs two CPUs or more, but {which}.")
    return cpus


def _case(selection: Selection, topology: Topology, runtime: Runtime) -> tuple[Case, Described]:
    """What is measured, between the first two CPUs, and the runtime; raises ProbeUnusable."""
    described = describe_all(prepared([runtime]))[0][0]
    selection = replace(selection, experiments=("signal",), mechanisms=selection.mechanisms or ("cas-one-line",))
    found = expand(selection, inventory_of(topology, [described])).every
    if len(found) != 1:
        raise UsageError(
            f"A matrix takes one mechanism, but these are {len(found)}: {', '.join(one.title for one in found)}."
        )
    return found[0], described


def _observed(trial: Trial) -> Observation:
    """The few figures that a cell has: a large machine has tens of thousands of pairs."""
    whole = EXPERIMENTS["signal"].figures
    latency = whole.figure(LATENCY)
    spread = Figure(SPREAD, "share", lambda result: spread_of(line_medians(result)))
    return observe(trial, replace(whole, figures=(latency, spread), distributions=()))


def _value(seen: Observation) -> float | None:
    return seen.figures.get(LATENCY)


def _replayed(before: Answer) -> list[Ended]:
    """The trials of a run that goes on, as its schedule learns from them."""

    def levels(ns: float | None) -> Levels:
        return () if ns is None else (ns,)

    every = ((one.observation, one.standing) for one in before.trials)
    return [Ended(one, None, one.wall_ns / 1e9, levels(at.before), levels(at.after)) for one, at in every]
