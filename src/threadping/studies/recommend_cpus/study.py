"""The CPUs for threads that talk to each other: the study that measures what they gain, and its output."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from operator import itemgetter
from statistics import fmean
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace
from rich.text import Text

from threadping.analysis.answer import Answer
from threadping.conduct import conduct, pings, presenting, study
from threadping.conduct.environment import Environment, budget_of, prepared_run, warm_starts
from threadping.model.contract import Cpu, Topology
from threadping.model.errors import UsageError
from threadping.model.quantities import budget, counted, fold, named, ranges, time
from threadping.model.run import Comparing, CpuChoice, Premises, Run
from threadping.model.text import proposed
from threadping.output import findings, layout, listings, names
from threadping.output.heading import next_commands, to_resume, took, where, with_budget
from threadping.planning.plan import seed_of
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.probes.machine import describe_machine, device_interrupts_per_s
from threadping.probes.runtimes import read_lscpu
from threadping.studies.compare.blocks import make_blocks
from threadping.studies.compare.output import open_to, percentage, ratio_table, reach, sheet, sides, takes
from threadping.studies.compare.study import DEFAULT_MARGIN, schedule_blocks
from threadping.studies.compare.verdict import ComparedPair, compared, inverse
from threadping.studies.recommend_cpus import cases

UNCHOSEN = "There are as many threads as CPUs, so there is no choice: only pinning is compared."


def verdict(of: CpuChoice, gain: ComparedPair) -> layout.Lead:
    """Say what pinning threads to these CPUs gains over the scheduler's own choice."""
    where, test, margin, ends = named(of.cpus), gain.test, percentage(of.comparing.margin), gain.test.decides
    ratio = test.ratio or 1.0
    if not gain.metric.higher_is_better:  # how many times as fast
        ratio, ends = 1 / ratio, ends and inverse(ends)
    times = f"{fold(ratio)} ({reach(ends)})" if ends else ""  # `1.942x (1.911 to 1.973)`
    match test.answer:
        case "faster":
            return layout.Lead(f"{where}: {times} as fast as where the scheduler puts them", "bold green")
        case "slower":
            text = f"Leave them to the scheduler: pinned to {where} they are {times} as fast"
            return layout.Lead(text, "bold red")
        case "same":
            return layout.Lead(f"No difference here: pinned to {where} or left to the scheduler, same within {margin}")
        case "differs":
            way = f"{test.direction}, by less than {margin}"
            return layout.Lead(f"No difference here that matters: pinned to {where} they are {way}")
    known = f"pinned they are {test.direction}, whether by more than {margin} is open: " if test.direction else ""
    said = f"{reach(ends)} times as fast" if ends and 0 < ends[0] <= ends[1] < inf else open_to(test)
    text = f"{where}: cannot tell what pinning gains: {known}{test.why or said}{takes(test, of.comparing.margin)}"
    return layout.Lead(text, "yellow")


def say_cost(of: CpuChoice) -> str:
    """Say what the shape costs on these CPUs, and on randomly chosen CPUs."""
    shape = cases.THREAD_SHAPES.get(of.shape)
    how = "to the farthest" if shape and shape.by_farthest else "the mean over exchanges"
    one = len(of.exchanges) == 1
    at_random = f"; on randomly chosen CPUs {time(of.usual_ns)}" if of.usual_ns is not None else ""
    return f"{time(of.cost_ns)} one way{'' if one else f', {how}'}{at_random}"


def say_known(of: CpuChoice) -> str:
    """Say for how many pairs the latency is known, and from where."""
    number = len(of.considered) * (len(of.considered) - 1) // 2
    all_of = counted(number, "pair") if of.known >= number else f"{of.known:,} of {counted(number, 'pair')}"
    like = "" if of.known >= number else ", the others estimated from pairs that share as much"
    return f"{all_of} by {of.matrix}{like}"


def lines_of(cpus: Sequence[int], topology: Topology) -> list[cases.ToolLine]:
    """Return the lines that put threads on these CPUs, in the order of the threads."""
    every = {cpu.node for cpu in topology.cpus if cpu.node is not None}
    those = {cpu.node for cpu in topology.cpus if cpu.cpu in cpus}
    node = those.pop() if len(every) > 1 and len(those) == 1 else None  # that all are on, of several
    facts = {
        "threads": len(cpus),
        "cpus": ",".join(ranges(sorted(cpus))),
        "places": ",".join(f"{{{cpu}}}" for cpu in cpus),
        "node": node,
        "memory": "--localalloc" if node is None else f"--membind={node}",
        "mems": "" if node is None else f" --cpuset-mems={node}",
    }
    known = [one for one in cases.TOOL_LINES if node is not None or not one.on_node]
    return [replace(one, line=one.line.format(**facts)) for one in known]


MOST_PROPOSED_S = 3600.0  # A budget that would decide it is proposed up to this


SHARED, CPU_HEADS = ("core", "l2", "l3", "node", "package"), {"l2": "L2", "l3": "L3"}  # what CPUs may share


def threads_sheet(answer: Answer, of: CpuChoice) -> layout.Sheet[Mapping[str, Any]]:
    """Return a line for each thread, in their order: its CPU, and the mean distance of those it exchanges with."""
    shape, listed = cases.THREAD_SHAPES.get(of.shape), {cpu.cpu: cpu for cpu in answer.run.machine.topology.cpus}
    threads = []
    for place, number in enumerate(of.cpus):
        away = [ns for one, other, ns in of.exchanges if number in (one, other)]
        cpu = listed.get(number, Cpu(number, None, None, None, None, None))
        of_cpu = {name: getattr(cpu, name) for name in ("cpu", *SHARED, "kind")}
        role = shape.role(place, len(of.cpus)) if shape else "thread"
        threads.append({"thread": place + 1, "role": role, **of_cpu, "away_ns": fmean(away) if away else None})

    def field(key: str, head: str, type: Any = int | None, **how: Any) -> layout.Field[Mapping[str, Any]]:
        return layout.Field(key=key, head=head, of=itemgetter(key), type=type, **how)

    away_means = "Mean latency to the threads with which it exchanges something."
    fields = (
        field("thread", "thread", int),
        field("role", "role", None, names=True),
        field("cpu", "CPU", int, style="bold"),
        *(field(what, CPU_HEADS.get(what, what), rank=2, if_known=True) for what in SHARED),
        field("kind", "kind", str | None, if_known=True),
        field("away_ns", "one way", None, unit="ns", means=away_means),
    )
    return layout.Sheet("threads", fields, threads)


LINE_FIELDS = (
    layout.attribute("tool", "The tool."),
    layout.attribute("line", "The command, or the line of its file; words in capitals are placeholders."),
    layout.attribute("note", "Where the line goes, or what it cannot guarantee."),
)


def choice_blocks(answer: Answer, of: CpuChoice, gain: ComparedPair) -> Iterator[layout.Block]:
    """Show the threads, the lines, what pinning gains, and what else a reader must know of these CPUs."""
    yield from (layout.grid_of(threads_sheet(answer, of)), Text())
    for one in lines_of(of.cpus, answer.run.machine.topology):
        yield layout.Labelled([(f"{one.tool:<10}", Text(one.line, "cyan"))])
        if one.note:
            yield layout.Indented(Text(one.note, "dim"), 12)
    yield Text()
    shape = cases.THREAD_SHAPES.get(of.shape)
    measured = [Text(shape.measured, "dim")] if shape else []
    yield layout.Flow([*sides(of.comparing), *measured, Text(took(answer.run), "dim")])
    yield ratio_table(sheet(answer, of.comparing, [gain]), of.comparing.margin)
    notes = [*of.notes, *([UNCHOSEN] if len(of.considered) == len(of.cpus) else [])]
    if notes:
        yield Text()
        yield layout.Labelled([("-", Text(names.plain(note))) for note in notes])


def _next(answer: Answer, of: CpuChoice, gain: ComparedPair) -> dict[str, str]:
    """Return what to type next: the gain decided, the whole matrix, the report."""
    run, test = answer.run, gain.test
    shows = {}
    if run.arguments and test.answer == "cannot-tell" and 0 < (test.needs_s or 0.0) <= MOST_PROPOSED_S:
        shows[with_budget(run, budget(1.1 * (test.needs_s or 0.0)))] = "to decide it"
    number = len(of.considered) * (len(of.considered) - 1) // 2
    if of.known < number:
        shows[proposed("matrix")] = f"all {number:,} pairs, for `--from last`"
    return shows | ({proposed("report", str(run.id)): "the same as a page"} if run.id else {})


# ---- the study ----


class CpusQuestion(Struct, frozen=True, kw_only=True):
    """The threads to place, and how."""

    selection: Selection  # the CPUs, and the mechanism that measures the gain
    shape: cases.Shape
    threads: int
    given: cases.KnownLatencies | None = None  # a matrix that was measured before; None where the CPUs are pinged now
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
    shape: cases.Shape, threads: int, among: Sequence[int], known: cases.KnownLatencies, topology: Topology, seed: int
) -> Choice:
    """Return the CPUs among these on which a shape of threads costs least."""
    ns = cases.as_array(known, topology, among)
    how: dict[str, bool] = {"by_farthest": shape.by_farthest}
    found = cases.choose(cases.with_ties_broken(ns, topology, among), threads, shape.exchange, **how)
    place = {cpu: at for at, cpu in enumerate(among)}
    cpus = shape.in_order([among[at] for at in found])
    exchanges = tuple((one, other, float(ns[place[one], place[other]])) for one, other in shape.pairs(cpus))
    usual = cases.usual_cost(ns, threads, shape.exchange, seed, **how) if threads < len(among) else None
    return Choice(cpus, exchanges, cases.costs_of(ns, [found], shape.exchange, **how)[0], usual)


class RecommendCpusStudy(study.Study[CpusQuestion, ComparedPair]):
    """Threads on CPUs of their own, and what that gains."""

    def prepare(self, asked: CpusQuestion, environment: Environment) -> study.PreparedRun:
        selection = asked.selection
        runtimes = environment.runtimes_of(replace(selection, runtimes=selection.runtimes or ("cpp",)))
        if len(runtimes) != 1:
            labels = ", ".join(one.label for one in runtimes)
            raise UsageError(f"`recommend cpus` takes one runtime, but {len(runtimes)} are named: {labels}.")
        here = environment.inventory(runtimes, cpus=selection.cpus)
        topology = here.topology
        per_s = device_interrupts_per_s() if asked.avoid_interrupts else None
        among = cases.considered(
            topology, asked.threads, selection.cpus, siblings=asked.siblings, interrupts_per_s=per_s
        )
        seed = seed_of(selection.seed)
        if asked.given is None:
            ping = partial(pings.reference_pings, environment.cpp, trials=0)
            known = cases.ping_now(ping, topology, among.cpus, selection.budget_s)
        else:
            asked.given.check(describe_machine(topology, read_lscpu()), among.cpus)
            known = asked.given
        chosen = choose_cpus(asked.shape, asked.threads, among.cpus, known, topology, seed)
        *hop, _ = max(chosen.exchanges, key=lambda one: one[2])
        pair = cases.cases_of(asked.shape, selection, here, chosen.cpus, hop)
        budget = replace(budget_of(selection, warm_starts(here.described)), seed=seed)
        plan = make_blocks([pair], budget)
        pinned = pair[1].placement.used if asked.shape.exchange == "along" else chosen.cpus
        b = f"pinned to {','.join(ranges(pinned))}"
        comparing = Comparing("placement", "unpinned", b, plan.pairs, "headline", asked.margin or DEFAULT_MARGIN)
        of = CpuChoice(
            **asdict(chosen),
            shape=asked.shape.name,
            considered=tuple(sorted(among.cpus)),
            known=known.number_among(among.cpus),
            matrix=known.source,
            notes=among.notes,
            comparing=comparing,
        )
        how = (
            f" ({of.shape}: {say_cost(of)}). Comparing with where the scheduler puts them: {asked.shape.measured}, in "
            "blocks of two trials of each in random order, at most "
        )
        where = f"{len(of.cpus)} threads on CPUs {','.join(ranges(of.cpus))}"
        said = listings.announced(where, how, selection.budget_s)
        return prepared_run(of, plan.plan, budget.starts, here, selection.budget_s, said)

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return schedule_blocks(run, premises, study.question_of(run, CpuChoice).comparing)

    def read(self, answer: Answer, asked: Any) -> ComparedPair:
        (gain,) = compared(answer, study.question_of(answer.run, CpuChoice).comparing)
        return gain

    def blocks(self, answer: Answer, result: ComparedPair) -> Iterable[layout.Block]:
        """Show where to put threads and what that gains, the gain first."""
        run, of = answer.run, study.question_of(answer.run, CpuChoice)
        yield from findings.unusable(answer)
        yield from (verdict(of, result), Text(), where(run))
        yield layout.Flow([Text(text) for text in (of.shape, say_cost(of))])
        yield Text(say_known(of), "dim")
        if run.note:
            yield Text(names.plain(run.note), "yellow")
        yield from (Text(), *choice_blocks(answer, of, result))
        yield from findings.of_load(answer, "case")
        yield from listings.reasons("\nNot measured", run.skipped)
        yield from next_commands({**to_resume(run), **_next(answer, of, result)})

    def lead(self, answer: Answer) -> Iterable[layout.Block]:
        of = study.question_of(answer.run, CpuChoice)
        yield verdict(of, self.read(answer, None))
        yield Text(f"{of.shape} on CPUs {','.join(ranges(of.cpus))}: {say_cost(of)}")

    def sheets(self, answer: Answer, result: ComparedPair) -> Sequence[layout.Sheet[Any]]:
        of = study.question_of(answer.run, CpuChoice)
        return [
            threads_sheet(answer, of),
            layout.Sheet("lines", LINE_FIELDS, lines_of(of.cpus, answer.run.machine.topology)),
            sheet(answer, of.comparing, [result]),
        ]

    def facts(self, answer: Answer, result: ComparedPair) -> Mapping[str, Any]:
        of = study.question_of(answer.run, CpuChoice)
        facts = {"verdict": verdict(of, result).text, "shape": of.shape, "cpus": ",".join(ranges(sorted(of.cpus)))}
        known = {name: getattr(of, name) for name in ("cost_ns", "usual_ns", "known", "matrix", "notes")}
        return {**facts, **known, "margin": of.comparing.margin}

    def sections(self, answer: Answer) -> Iterable[layout.Section]:
        if isinstance(answer.run.study, CpuChoice):
            made = [*choice_blocks(answer, answer.run.study, self.read(answer, None))]
            yield layout.Section("recommend-cpus", "Where to put them", blocks=made, place=0, digest=True)


STUDY = RecommendCpusStudy()


def recommend_cpus(threads: int, shape: str, matrix: str | None, **options: Any) -> int:
    """Choose CPUs for threads of a shape, measure what that gains, and print both; the exit code."""
    output = presenting.pop_fields(presenting.Output, options)
    if threads < 2:
        raise UsageError("--threads must be 2 or more: a single thread exchanges nothing.")
    how = {name: options.pop(name) for name in ("siblings", "avoid_interrupts", "margin")}
    selection = Selection(**options)
    given = cases.read_given(matrix, output.location) if matrix else None
    asked = CpusQuestion(selection=selection, shape=cases.THREAD_SHAPES[shape], threads=threads, given=given, **how)
    return conduct.conduct(STUDY, asked, output)
