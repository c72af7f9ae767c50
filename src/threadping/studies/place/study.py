"""On which CPUs to put threads that talk to each other: chosen by their latencies, and compared with the scheduler."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct.conduct import conduct
from threadping.conduct.environment import (
    Environment,
    budget_of,
    describe_all,
    inventory_of,
    topology_with,
    warm_starts,
)
from threadping.conduct.pings import reference_pings
from threadping.conduct.presenting import Output, pop_fields
from threadping.conduct.study import PreparedRun, Study
from threadping.model.contract import Topology
from threadping.model.errors import UsageError
from threadping.model.quantities import ranges
from threadping.model.run import Comparing, Placing, Premises, Run
from threadping.output.layout import Block, Chart, Section, Sheet, grid_of
from threadping.planning.plan import random_seed
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.probes.machine import describe_machine, device_interrupts_per_s
from threadping.probes.runtimes import read_lscpu
from threadping.studies.compare.blocks import make_blocks
from threadping.studies.compare.output import ratio_chart, sheet
from threadping.studies.compare.study import DEFAULT_MARGIN, schedule_blocks
from threadping.studies.compare.verdict import compared
from threadping.studies.place import output as views
from threadping.studies.place import search
from threadping.studies.place.cases import THREAD_SHAPES, Shape, cases_of, considered


class PlaceQuestion(Struct, frozen=True, kw_only=True):
    """The threads to place, and how."""

    selection: Selection  # the CPUs, and the mechanism that measures the gain
    shape: Shape
    threads: int
    given: search.GivenMatrix | None = None  # a matrix that was measured before; None where the CPUs are pinged now
    siblings: bool = False  # two may share a core though there is one for each
    avoid_interrupts: bool = False  # leave CPUs out that take many interrupts
    margin: float | None = None  # a gain that does not matter, as a share; None for compare's


class Choice(Struct, frozen=True):
    """The CPUs of the threads in their order, what the shape costs there, and on CPUs drawn at random."""

    cpus: tuple[int, ...]
    exchanges: tuple[tuple[int, int, float], ...]
    cost_ns: float
    usual_ns: float | None


def choose_cpus(
    shape: Shape, threads: int, among: Sequence[int], known: search.KnownLatencies, topology: Topology, seed: int
) -> Choice:
    """Return the CPUs among these on which a shape of threads costs least."""
    ns = search.as_array(known, topology, among)
    how: dict[str, bool] = {"by_farthest": shape.by_farthest}
    found = search.choose(search.with_ties_broken(ns, topology, among), threads, shape.exchange, **how)
    place = {cpu: at for at, cpu in enumerate(among)}
    cpus = shape.in_order([among[at] for at in found])
    exchanges = tuple((one, other, float(ns[place[one], place[other]])) for one, other in shape.pairs(cpus))
    usual = search.usual_cost(ns, threads, shape.exchange, seed, **how) if threads < len(among) else None
    return Choice(cpus, exchanges, search.cost(ns, found, shape.exchange, **how), usual)


class PlaceStudy(Study[PlaceQuestion, views.Placed]):
    """Threads on CPUs of their own, and what that gains."""

    def ask(self, **options: Any) -> PlaceQuestion:
        return PlaceQuestion(**options)

    def prepare(self, asked: PlaceQuestion, environment: Environment) -> PreparedRun:
        selection = asked.selection
        runtimes = environment.runtimes_of(replace(selection, runtimes=selection.runtimes or ("cpp",)))
        if len(runtimes) != 1:
            labels = ", ".join(one.label for one in runtimes)
            raise UsageError(f"place takes one runtime, but {len(runtimes)} are named: {labels}.")
        topology = topology_with(environment.cpp, selection.cpus)
        per_s = device_interrupts_per_s() if asked.avoid_interrupts else None
        among = considered(topology, asked.threads, selection.cpus, siblings=asked.siblings, interrupts_per_s=per_s)
        described, _ = describe_all(runtimes, prepare=True)
        here = inventory_of(topology, described)
        seed = random_seed() if selection.seed is None else selection.seed
        if asked.given is None:
            ping = partial(reference_pings, environment.cpp, trials=0)
            known = search.ping_now(ping, topology, among.cpus, selection.budget_s)
        else:
            asked.given.check(describe_machine(topology, read_lscpu()), among.cpus)
            known = asked.given.known
        chosen = choose_cpus(asked.shape, asked.threads, among.cpus, known, topology, seed)
        *hop, _ = max(chosen.exchanges, key=lambda one: one[2])
        pair = cases_of(asked.shape, selection, here, chosen.cpus, hop)
        budget = replace(budget_of(selection, warm_starts(described)), seed=seed)
        plan = make_blocks([pair], budget)
        pinned = pair[1].placement.used if asked.shape.exchange == "along" else chosen.cpus
        b = f"pinned to {','.join(ranges(pinned))}"
        comparing = Comparing("placement", "unpinned", b, plan.pairs, "headline", asked.margin or DEFAULT_MARGIN)
        of = Placing(
            shape=asked.shape.name,
            cpus=chosen.cpus,
            considered=tuple(sorted(among.cpus)),
            exchanges=chosen.exchanges,
            cost_ns=chosen.cost_ns,
            usual_ns=chosen.usual_ns,
            known=known.number_among(among.cpus),
            matrix=known.source,
            notes=among.notes,
            comparing=comparing,
        )
        return PreparedRun(
            study=of,
            plan=plan.plan,
            budget_s=selection.budget_s,
            starts=budget.starts,
            topology=topology,
            runtimes=here.runtimes,
            skipped=(),
            said=views.announce(of, selection.budget_s),
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        assert isinstance(run.study, Placing)
        return schedule_blocks(run, premises, run.study.comparing)

    def read(self, answer: Answer, asked: Any) -> views.Placed:
        of = answer.run.study
        assert isinstance(of, Placing)
        return views.Placed(of, compared(answer, of.comparing))

    def blocks(self, answer: Answer, result: views.Placed) -> Iterable[Block]:
        yield views.blocks(answer, result)

    def lead(self, answer: Answer) -> Iterable[Block]:
        placed = self.read(answer, None)
        yield views.verdict(placed.of, placed.gain)
        yield Text(f"{placed.of.shape} on CPUs {','.join(ranges(placed.of.cpus))}: {views.say_cost(placed.of)}")

    def sheets(self, answer: Answer, result: views.Placed) -> Sequence[Sheet[Any]]:
        return [
            views.threads_sheet(answer, result.of),
            views.lines_sheet(answer, result.of),
            sheet(answer, result.of.comparing, result.gains),
        ]

    def facts(self, answer: Answer, result: views.Placed) -> Mapping[str, Any]:
        of = result.of
        facts = {
            "verdict": views.verdict(of, result.gain).text,
            "shape": of.shape,
            "cpus": ",".join(ranges(sorted(of.cpus))),
        }
        known = {name: getattr(of, name) for name in ("cost_ns", "usual_ns", "known", "matrix", "notes")}
        return {**facts, **known, "margin": of.comparing.margin}

    def charts(self, answer: Answer, result: views.Placed) -> Sequence[Chart]:
        return [ratio_chart(answer, result.of.comparing, result.gains)]

    def sections(self, answer: Answer) -> Iterable[Section]:
        if isinstance(answer.run.study, Placing):
            placed = self.read(answer, None)
            made: list[Block] = [
                grid_of(views.threads_sheet(answer, placed.of)),
                Text(),
                *views.lines_block(answer, placed.of),
            ]
            made += [Text(), *views.gain_blocks(answer, placed), *views.notes_of(placed.of)]
            yield Section("place", "Where to put them", blocks=made, place=0, digest=True)


STUDY = PlaceStudy()


OF_QUESTION = ("siblings", "avoid_interrupts", "margin")


def place(threads: int, shape: str, matrix: str | None, **options: Any) -> int:
    """Choose CPUs for threads of a shape, measure what that gains, and print both; the exit code."""
    output = pop_fields(Output, options)
    if threads < 2:
        raise UsageError("A thread alone exchanges nothing with another: -n takes 2 threads or more.")
    how = {name: options.pop(name) for name in OF_QUESTION}
    selection = Selection(**options)
    given = search.read_given(matrix, output.location) if matrix else None
    asked = STUDY.ask(selection=selection, shape=THREAD_SHAPES[shape], threads=threads, given=given, **how)
    return conduct(STUDY, asked, output, anyway=selection.anyway)
