"""The latency between every two CPUs: measured in passes, those that share no CPU at once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.answer import Answer
from threadping.analysis.figures import Figure
from threadping.analysis.observe import observe
from threadping.analysis.reading import line_medians
from threadping.conduct.carrying import analysed_or_raise
from threadping.conduct.conduct import conduct, show
from threadping.conduct.cpus import topology_with
from threadping.conduct.describing import describe_all
from threadping.conduct.output import Output, pop_fields
from threadping.conduct.resume import carry_on
from threadping.conduct.scene import Scene, inventory_of, paces, warm_starts
from threadping.conduct.study import Begun, Study
from threadping.contract import Topology
from threadping.errors import NothingToMeasure, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.matrix.matrix import LATENCY, SPREAD, Matrix, cases_of, matrix, spread_of, surveyed
from threadping.model.cases import Case, Runtime
from threadping.model.events import RunEnded
from threadping.model.run import Premises, Run
from threadping.model.studies import Pairing
from threadping.model.trials import Observation, Trial
from threadping.numbers import named
from threadping.plan.again import starts_of
from threadping.plan.length import Start
from threadping.plan.rounds import random_seed
from threadping.plan.schedule import Schedule
from threadping.plan.tournament import NARROW, Planned, Tournament, make_tournament
from threadping.probes.description import Described
from threadping.probes.runtimes import Found
from threadping.relation import nodes, usable
from threadping.selection.cases import expand
from threadping.selection.places import refuse_unknown_homes
from threadping.selection.selection import Selection
from threadping.sheets.fields import Sheet
from threadping.sheets.grid import Block, figures, grid
from threadping.sheets.grid import named as named_column
from threadping.sheets.names import plain
from threadping.store.database import open_store
from threadping.views.charts import style
from threadping.views.charts.style import Chart
from threadping.views.matrix import FORMATS, announcement, charts, matrix_screen, sentences
from threadping.views.page.sections import Section

HOMES = ("first", "second")
"""Roles of `--home`."""


class Asked(Struct, frozen=True):
    """Between which CPUs what is measured, and for how long: None for what every pair three times takes."""

    selection: Selection
    directions: bool
    longest_s: float | None


class MatrixStudy(Study[Asked, Matrix]):
    """Every two CPUs."""

    formats: ClassVar[Mapping[str, Any]] = {
        name: lambda answer, found, _, write=write: write(answer, found) for name, write in FORMATS.items()
    }

    def ask(self, **options: Any) -> Asked:
        """What is measured between which CPUs."""
        directions, longest_s = options.pop("directions"), options.pop("longest_s")
        return Asked(Selection(experiments=("signal",), **options), directions, longest_s)

    def begin(self, asked: Asked, scene: Scene) -> Begun:
        """Plan passes of every pair of the selected CPUs, or of all."""
        selection = asked.selection
        runtime, homes = _runtime(scene.found, selection.runtimes), selection.homes
        topology = topology_with(scene.cpp, selection.cpus)
        cpus = _cpus(topology, selection.cpus)
        case, described = _case(replace(selection, cpus=cpus[:2], homes=()), topology, runtime)
        refuse_unknown_homes(homes, [*HOMES, *nodes(topology)])
        of = Pairing(case, cpus, tuple(homes) or HOMES[:1], asked.directions)
        starts = warm_starts([described])
        seed = random_seed() if selection.seed is None else selection.seed
        plan = _plan(of, topology, starts, asked.longest_s, seed, selection.until or NARROW)
        return Begun(
            study=of,
            plan=plan.plan,
            budget_s=plan.budget_s,
            starts=starts,
            topology=topology,
            runtimes=[described.runtime],
            skipped=(),
            said=_said(of, plan),
            cases_follow=True,
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Passes of all pairs, as many at once as share no CPU."""
        assert isinstance(run.study, Pairing)
        plan = _plan(run.study, run.machine.topology, starts_of(premises), run.budget_s, run.seed, run.until)
        return Tournament(plan, _value)

    def observe(self, trial: Trial) -> Observation:
        """The few figures that a cell has: a large machine has tens of thousands of pairs."""
        whole = EXPERIMENTS["signal"].figures
        latency = whole.figure(LATENCY)
        spread = Figure(SPREAD, "share", lambda result: spread_of(line_medians(result)))
        return observe(trial, replace(whole, figures=(latency, spread), distributions=()))

    def read(self, answer: Answer, asked: Any) -> Matrix:
        """The cells and their groups."""
        return matrix(answer)

    def blocks(self, answer: Answer, result: Matrix) -> Iterable[Block]:
        """A heat map, its groups, and what must be known to believe them."""
        yield matrix_screen(answer, result)

    def sheets(self, answer: Answer, result: Matrix) -> Sequence[Sheet[Any]]:
        """The cells."""
        return ()

    def charts(self, answer: Answer, result: Matrix) -> Sequence[Chart]:
        """A heat map for each home."""
        return list(charts(answer, result))

    def sections(self, answer: Answer) -> Iterable[Section]:
        """The map, of a matrix or of what a run pinged before its first trial, and of a matrix its groups."""
        of = matrix(answer) if answer.run.matrix else surveyed(answer)
        if of is None:
            return
        columns = [
            named_column("group", (plain(one.named) for one in of.clusters)),
            figures("one way", "ns", (one.latency_ns for one in of.clusters)),
            figures("from", "ns", (one.range[0] for one in of.clusters)),
            figures("to", "ns", (one.range[1] for one in of.clusters)),
            figures("pairs", "count", (one.pairs for one in of.clusters)),
        ]
        blocks: list[Block] = [grid(*columns), *of.misnamed, *sentences(answer, of)] if answer.run.matrix else []
        drawn = list(charts(answer, of, style.WIDTH))
        yield Section("matrix", "Every two CPUs", drawn, blocks, place=1, digest=bool(blocks))


STUDY = MatrixStudy()


def measure(resume: str | None, anyway: bool, **options: Any) -> int:
    """Measure every pair and print the matrix, or go on with the stored run `resume`; the exit code."""
    output = pop_fields(Output, options)
    asked = STUDY.ask(**options, anyway=anyway)
    if resume is None:
        return conduct(STUDY, asked, output, anyway=anyway)
    unmeasured = Selection(experiments=("signal",), anyway=anyway)
    if asked.selection != unmeasured or asked.directions:
        raise UsageError("--resume goes on as the run began: give it with --budget, or with options of the output.")
    with analysed_or_raise(_resumed(resume, asked.longest_s, output, anyway=anyway)) as answer:
        return show(STUDY, answer, None, output)


def _resumed(which: str, budget_s: float | None, output: Output, *, anyway: bool) -> RunEnded:
    """Go on with a stored matrix, for so long: by default what its budget left, or as long as a new one."""
    with open_store(output.location) as store:
        run = store.run(which)
        if not isinstance(run.study, Pairing):
            raise UsageError(f"Run {run.id} is not a matrix. `threadping show {run.id}` shows it.")
        if budget_s is None and run.status == "complete" and run.premises:
            starts = starts_of(run.premises)
            budget_s = _plan(run.study, run.machine.topology, starts, None, run.seed).budget_s
        return carry_on(store, run, anyway=anyway, more_s=budget_s)


def _plan(
    of: Pairing,
    topology: Topology,
    starts: Mapping[str, Start],
    budget_s: float | None,
    seed: int,
    until: float | None = None,
) -> Planned:
    return make_tournament(of, cases_of(of, topology), starts, budget_s, seed, paces(), until or NARROW)


def _said(of: Pairing, plan: Planned) -> Block:
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


def _value(seen: Observation) -> float | None:
    return seen.figures.get(LATENCY)
