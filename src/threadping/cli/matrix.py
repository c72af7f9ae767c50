"""Every pair of CPUs: measured now, gone on with, or as another tool has measured them."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from rich.console import RenderableType

from threadping.analysis.answer import Answer
from threadping.analysis.figures import Figure
from threadping.analysis.observe import observe
from threadping.analysis.reading import line_medians
from threadping.cli.answer import Output, give, taken
from threadping.cli.cpus import topology_with
from threadping.cli.history import answered
from threadping.cli.measure import concluding, inventory_of, paces_of_all, run_of, seed_of, warm_starts, watched
from threadping.cli.resume import carry_on
from threadping.cli.runtimes import describe_all
from threadping.contract import Topology
from threadping.errors import NothingToMeasure, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.machine.turn import turn
from threadping.matrix.matrix import LATENCY, SPREAD, cases_of, matrix, spread_of
from threadping.matrix.published import read
from threadping.model.cases import Case, Runtime
from threadping.model.events import RunEnded
from threadping.model.run import Premises, Run
from threadping.model.studies import Pairing
from threadping.model.trials import Observation, Trial
from threadping.numbers import named
from threadping.plan.again import premises_of, starts_of
from threadping.plan.length import Start
from threadping.plan.schedule import Schedule
from threadping.plan.tournament import NARROW, Planned, Tournament, make_tournament
from threadping.probes.description import Described
from threadping.probes.runtimes import Found, find_runtimes
from threadping.relation import nodes, usable
from threadping.selection.cases import expand
from threadping.selection.places import refuse_unknown_homes
from threadping.selection.selection import Selection
from threadping.store import open_store
from threadping.views.matrix import FORMATS, announcement, matrix_screen, one_of_several, specification
from threadping.views.matrix import imported as shown

HOMES = ("first", "second")


def measure(
    resume: str | None,
    longest_s: float | None,
    until: float | None,
    homes: Sequence[str],
    directions: bool,
    **given: Any,
) -> None:
    """Measure every pair of the selected CPUs, or of all, and print the matrix; or go on with a stored one."""
    output, selection = taken(Output, given), Selection(**given)
    if resume is None:
        selection = replace(selection, until=until or NARROW)
        ended = _measured(selection, homes, longest_s, output, directions=directions)
    elif selection != Selection(anyway=selection.anyway) or homes or directions or until:
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
        topology = topology_with(cpp, selection.cpus)
        cpus = _cpus(topology, selection.cpus)
        case, described = _case(replace(selection, cpus=cpus[:2]), topology, runtime)
        refuse_unknown_homes(homes, [*HOMES, *nodes(topology)])
        of = Pairing(case, cpus, tuple(homes) or HOMES[:1], directions)
        starts = warm_starts([described])
        plan = _plan(of, topology, starts, budget_s, seed_of(selection), selection.until)
        premises = premises_of(plan.plan, starts)
        begun = run_of(plan.plan, plan.budget_s, (), topology, [described.runtime], premises)
        begun = replace(begun, cases=(), matrix=of, note=beside)
        with open_store(output.location) as store:
            return watched(store, begun, tournament_of, cpp, _said(of, plan), observe=observe_cell)


def tournament_of(run: Run, premises: Premises) -> Schedule:
    """The schedule of a matrix: passes of all pairs, as many at once as share no CPU."""
    assert run.matrix
    plan = _plan(run.matrix, run.machine.topology, starts_of(premises), run.budget_s, run.seed, run.until)
    return Tournament(plan, _value)


def _resumed(which: str, budget_s: float | None, output: Output, *, anyway: bool) -> RunEnded:
    """Go on with a stored matrix, for so long: by default what its budget left, or as long as a new one."""
    with open_store(output.location) as store:
        run = store.run(which)
        if run.matrix is None:
            raise UsageError(f"Run {run.id} is not a matrix. `threadping show {run.id}` shows it.")
        if budget_s is None and run.status == "complete" and run.premises:
            starts = starts_of(run.premises)
            budget_s = _plan(run.matrix, run.machine.topology, starts, None, run.seed).budget_s
        return carry_on(store, run, anyway=anyway, more_s=budget_s)


def given_matrix(answer: Answer, output: Output) -> None:
    """Print the matrix of a run."""
    give(output, FORMATS, matrix_screen, answer, matrix(answer), chart=specification)


def imported(text: str, name: str, output: Output) -> None:
    """Print what other tools have written, beside the newest matrix of this machine; it is not stored."""
    found = read(text, name)

    def beside_ours(*_: object) -> RenderableType:
        with open_store(output.location) as store:
            newest = next((run for run, trials in store.runs() if run.matrix and trials and not run.imported), None)
            answer = answered(store, str(newest.id)) if newest else None
        return shown(name, found, (answer, matrix(answer)) if answer else None)

    if len(found) > 1 and (output.form != "table" or output.chart):
        print(one_of_several(name, found), file=sys.stderr)
    give(output, FORMATS, beside_ours, None, found[0].matrix, chart=specification)


def _plan(
    of: Pairing,
    topology: Topology,
    starts: Mapping[str, Start],
    budget_s: float | None,
    seed: int,
    until: float | None = None,
) -> Planned:
    return make_tournament(of, cases_of(of, topology), starts, budget_s, seed, paces_of_all(), until or NARROW)


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
    cpus = tuple(sorted(asked or usable(topology)))
    if len(cpus) < 2:
        who = "--cpus names" if asked else "this process's mask has"
        way_out = "" if asked else " Name those that the kernel permits: --cpus A,B."
        raise NothingToMeasure(f"A matrix needs two CPUs or more, but {who} {named(cpus)} alone.{way_out}")
    return cpus


def _case(selection: Selection, topology: Topology, runtime: Runtime) -> tuple[Case, Described]:
    """What is measured, between the first two CPUs, and the runtime; raises ProbeUnusable."""
    described = describe_all([runtime], prepare=True)[0][0]
    selection = replace(selection, experiments=("signal",), mechanisms=selection.mechanisms or ("cas-one-line",))
    found = expand(selection, inventory_of(topology, [described])).every
    if len(found) != 1:
        raise UsageError(
            f"A matrix takes one mechanism, but these are {len(found)}: {', '.join(one.title for one in found)}."
        )
    return found[0], described


def observe_cell(trial: Trial) -> Observation:
    """The few figures that a cell has: a large machine has tens of thousands of pairs."""
    whole = EXPERIMENTS["signal"].figures
    latency = whole.figure(LATENCY)
    spread = Figure(SPREAD, "share", lambda result: spread_of(line_medians(result)))
    return observe(trial, replace(whole, figures=(latency, spread), distributions=()))


def _value(seen: Observation) -> float | None:
    return seen.figures.get(LATENCY)
