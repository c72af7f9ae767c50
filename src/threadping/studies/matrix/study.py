"""The latency between every two CPUs: measured in passes, those that share no CPU at once."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.analyse import observe
from threadping.analysis.answer import Answer
from threadping.analysis.latency_map import surveyed_map
from threadping.conduct.environment import Environment, paces, topology_with, warm_starts
from threadping.conduct.study import PreparedRun, Study
from threadping.experiments import EXPERIMENTS
from threadping.model.contract import Topology
from threadping.model.quantities import counted, time
from threadping.model.run import Observation, Pairing, Premises, Run, Trial
from threadping.output import names
from threadping.output.charts import WIDTH, some
from threadping.output.heat import SIDE, heat_charts
from threadping.output.layout import Block, Chart, Flow, Section, Sheet, grid_of
from threadping.output.records import records_of
from threadping.output.run_records import state_sheet
from threadping.planning.defaults import Start
from threadping.planning.plan import random_seed, starts_of
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.studies.matrix import output as views
from threadping.studies.matrix import tournament
from threadping.studies.matrix.pasted import c2clat, core_to_core_latency

KEPT = (tournament.CELL_LATENCY, "lines_spread", "counters.cpus", "counters.moved")
"""The figures of a trial that are kept: a large machine has tens of thousands of pairs."""


class MatrixQuestion(Struct, frozen=True):
    """The CPUs and mechanism to measure, and for how long; None is the time of three passes."""

    selection: Selection
    directions: bool
    longest_s: float | None


class MatrixStudy(Study[MatrixQuestion, views.Matrix]):
    """The latency between every two CPUs."""

    shows_rows = False
    go_on = "runs resume {} --budget 60s"
    formats: ClassVar[Mapping[str, Any]] = {
        "core-to-core-latency": lambda _answer, found, _output: core_to_core_latency(found.map),
        "c2clat": lambda _answer, found, _output: c2clat(found.map),
    }

    def ask(self, **options: Any) -> MatrixQuestion:
        directions, longest_s = options.pop("directions"), options.pop("longest_s")
        return MatrixQuestion(Selection(experiments=("signal",), **options), directions, longest_s)

    def prepare(self, asked: MatrixQuestion, environment: Environment) -> PreparedRun:
        selection = asked.selection
        topology = topology_with(environment.cpp, selection.cpus)
        of, described = tournament.pairing_of(selection, topology, environment, directions=asked.directions)
        starts = warm_starts([described])
        seed = random_seed() if selection.seed is None else selection.seed
        planned = tournament_of(of, topology, starts, asked.longest_s, seed, selection.until)
        return PreparedRun(
            study=of,
            plan=planned.plan,
            budget_s=planned.budget_s,
            starts=starts,
            topology=topology,
            runtimes=[described.runtime],
            skipped=(),
            said=views.announcement(of, planned),
            cases_follow=True,
        )

    def further_s(self, run: Run, asked_s: float | None) -> float | None:
        """Return how long it is measured on; a complete one only with a time."""
        return asked_s

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        assert isinstance(run.study, Pairing)
        starts, topology = starts_of(premises), run.machine.topology
        return tournament.Tournament(tournament_of(run.study, topology, starts, run.budget_s, run.seed, run.until))

    def observe(self, trial: Trial) -> Observation:
        whole = EXPERIMENTS[trial.case.experiment].figures
        return observe(trial, replace(whole, figures=tuple(map(whole.figure, KEPT)), distributions=()))

    def read(self, answer: Answer, asked: Any) -> views.Matrix:
        return views.matrix_of(answer)

    def lead(self, answer: Answer) -> Iterable[Block]:
        of = views.matrix_of(answer).map
        groups = (
            f"{names.plain(one.named) or 'group'} {time(one.latency_ns)} ({counted(one.pairs, 'pair')})"
            for one in of.groups
        )
        yield Flow([Text("every two CPUs", "bold"), *map(Text, groups)])
        yield from (Text(f"! {sentence}", "yellow") for sentence in of.misnamed)

    def blocks(self, answer: Answer, result: views.Matrix) -> Iterable[Block]:
        return views.matrix_screen(answer, result)

    def sheets(self, answer: Answer, result: views.Matrix) -> Sequence[Sheet[Any]]:
        return (
            Sheet("cells", views.CELL_FIELDS, result.cells),
            views.groups_of(result.map),
            state_sheet(answer.states.found),
        )

    def facts(self, answer: Answer, result: views.Matrix) -> Mapping[str, Any]:
        at_once = answer.at_once
        parallel = records_of(Sheet("parallel", views.PARALLEL_FIELDS, [at_once]))[0] if at_once else None
        facts = {"cpus": result.map.cpus, "misnamed": result.map.misnamed}
        return {**facts, "parallel": parallel, "missing": result.missing}

    def charts(self, answer: Answer, result: views.Matrix) -> Sequence[Chart]:
        return some(_charts(answer, result, SIDE), "no pair has a figure")

    def sections(self, answer: Answer) -> Iterable[Section]:
        if not isinstance(answer.run.study, Pairing):
            if found := surveyed_map(answer):
                topology, what = answer.run.machine.topology, "a reference ping each"
                drawn = list(heat_charts({"": found}, topology, what, WIDTH))
                yield Section("matrix", "Every two CPUs", drawn, place=1)
            return
        of = views.matrix_of(answer)
        blocks: list[Block] = [grid_of(views.groups_of(of.map)), *of.map.misnamed, *views.sentences(answer, of)]
        yield Section("matrix", "Every two CPUs", _charts(answer, of, WIDTH), blocks, place=0, digest=True)


STUDY = MatrixStudy()


def tournament_of(
    of: Pairing,
    topology: Topology,
    starts: Mapping[str, Start],
    budget_s: float | None,
    seed: int,
    until: float | None = None,
) -> tournament.Planned:
    """Plan a matrix; without a budget for three passes."""
    return tournament.make_tournament(
        of, tournament.cases_of(of, topology), starts, budget_s, seed, paces(), until or tournament.NARROW
    )


def _charts(answer: Answer, found: views.Matrix, width: int) -> list[Chart]:
    return list(heat_charts(found.maps, answer.run.machine.topology, views.what_of(answer), width))
