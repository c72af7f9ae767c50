"""The latency between every two CPUs: measured in passes, those that share no CPU at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from operator import itemgetter
from statistics import median
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis import analyse, declaration, latency_map
from threadping.analysis.answer import ALIKE_WITHIN, Answer, AreAlike, Parallel
from threadping.analysis.percentiles import Estimate
from threadping.conduct.environment import PACES, Environment, inventory_of, prepared_run, topology_with, warm_starts
from threadping.conduct.study import PreparedRun, Study, question_of
from threadping.experiments import EXPERIMENTS
from threadping.model import base, contract, text
from threadping.model.cases import Pair
from threadping.model.quantities import counted, duration, percent, span, time
from threadping.model.run import Observation, Pairing, Premises, Run, Trial
from threadping.output import charts, findings, heading, heat, listings, names, records, run_records
from threadping.output.layout import Block, Chart, Field, Flow, Section, Sheet, attribute, figure, grid_of, sure
from threadping.planning.plan import seed_of, starts_of
from threadping.planning.schedule import Schedule
from threadping.planning.selection import Selection
from threadping.studies.matrix import tournament

HALF_IN_ERRORS = 1.96  # standard errors in half of a 95% interval


class Matrix(base.Record, frozen=True):
    """Every pair of CPUs."""

    # the rows with a figure, pair by pair; of each case the state first that was held longest, which leads
    cells: tuple[declaration.Row, ...]
    maps: Mapping[str, latency_map.LatencyMap]  # of the leading rows, by the home of the lines; never empty
    missing: tuple[Pair, ...]  # pairs without a figure of the first home
    failures: Mapping[str, tuple[Pair, ...]]  # why trials failed, each reason once, with the pairs

    @property
    def map(self) -> latency_map.LatencyMap:
        """The map of the first home."""
        return next(iter(self.maps.values()))


def matrix_of(answer: Answer) -> Matrix:
    """Return the matrix of a run that measured one."""
    of, topology = question_of(answer.run, Pairing), answer.run.machine.topology
    by_case = base.gathered((row.case, row) for row in answer.rows if row.headline)
    cells: list[declaration.Row] = []
    for case in sorted(by_case, key=lambda case: (case.placement.used, of.homes.index(tournament.home_of(case)))):
        longest_first = sorted(by_case[case], key=lambda row: -row.state.share if row.state else 0.0)
        cells += [replace(row, leads=not place) for place, row in enumerate(longest_first)]
    maps = {}
    for home in of.homes:
        leading = [(row, row.headline) for row in cells if row.leads and tournament.home_of(row.case) == home]
        ns = {pair_of(row): found.value for row, found in leading if found}
        halves = [half for _, one in leading if one and one.kind == "ci95" and (half := one.half) is not None]
        noise = median(halves) / HALF_IN_ERRORS if halves else 0.0
        maps[home] = latency_map.map_of(latency_map.ordered(topology, of.cpus), ns, topology, noise)
    first = maps[of.homes[0]]
    missing = tuple(pair for pair in combinations(first.cpus, 2) if first.between(*pair) is None)
    failed = base.gathered((one.failure.message, one.case.placement.used) for one in answer.observations if one.failure)
    failures = {why: tuple(sorted({(one, other) for one, other in pairs})) for why, pairs in failed.items()}
    return Matrix(tuple(cells), maps, missing, failures)


def pair_of(row: declaration.Row) -> Pair:
    """Return the CPUs of ping and of pong."""
    first, second = row.case.placement.used
    return first, second


ONE_WAY = "One way: the median over trials, its 95% interval from six trials on, their range from three."
SLOWER = "By how much the ninth decile of its lines is slower than the first, as a share."

CELL_FIELDS: Sequence[Field[declaration.Row]] = (  # two CPUs, ping's and pong's, in one state
    *run_records.case_fields(lambda row: row.case, lambda row: row.declared),
    attribute("headline", ONE_WAY, Estimate, key=tournament.CELL_LATENCY, unit="ns"),
    Field(
        key="lines_spread", of=lambda row: row.figures.get("lines_spread"), unit="share", type=Estimate, means=SLOWER
    ),
    Field(key="trials", of=lambda row: len(row.trials), type=int),
    *run_records.ROW_STATE_FIELDS,
    attribute("leads", "Whether they were in no other state for longer.", bool),
)

PASTED_FIELDS: Sequence[Field[tuple[Pair, float]]] = (  # two CPUs as another tool measured them, in an unknown state
    Field(key="cpus", of=itemgetter(0), type=Pair),
    Field(key=tournament.CELL_LATENCY, of=itemgetter(1), unit="ns", type=float),
)

GROUP_FIELDS: Sequence[Field[latency_map.Cluster]] = (  # pairs that are as far from each other, the nearest first
    attribute("named", head="group", show=text.plain, names=True),
    Field(
        head="one way",
        key="latency_ns",
        of=lambda one: Estimate(one.latency_ns, *one.range, "range"),
        write=lambda one: figure("ns", one.latency_ns),
        unit="ns",
        type=Estimate,
        means="Their median, one way, with the minimum and the maximum.",
    ),
    Field(head="from", of=lambda one: one.range[0], unit="ns"),
    Field(head="to", of=lambda one: one.range[1], unit="ns"),
    attribute("pairs", head="pairs", unit="count", type=int),
)

PARALLEL_FIELDS: Sequence[Field[Parallel]] = (  # pairs measured at once against the same alone
    attribute("ratio", "Measured at once divided by alone, the median over pairs.", Estimate),
    attribute("pairs", type=int),
    attribute("slowest", "The same of the slowest pairs; null if they are too few.", Estimate),
    attribute("alike", type=AreAlike),
    attribute("is_used", "Whether trials measured at once with others count.", bool),
)


def groups_of(found: latency_map.LatencyMap) -> Sheet[latency_map.Cluster]:
    """Return the groups of a map."""
    return Sheet("groups", GROUP_FIELDS, found.groups)


def pasted_sheets(found: latency_map.LatencyMap) -> Sequence[Sheet[Any]]:
    """Return the pairs of another tool's matrix, and their groups."""
    return (Sheet("cells", PASTED_FIELDS, [*found.ns.items()]), groups_of(found))


WITHIN = f"{100 * (ALIKE_WITHIN - 1):.0f}%"

MOST_NAMED = 4

AT_HOME = {"first": "lines made at the first CPU of a pair", "second": "lines made at the second CPU of a pair"}


def nearest_and_farthest(found: latency_map.LatencyMap) -> Iterator[Text]:
    """Say how far the CPUs of the nearest and of the farthest pairs are apart; nothing without a latency."""
    if not found.groups:
        return
    near, far = found.groups[0], found.groups[-1]
    first, last = (f"{time(one.latency_ns)} ({span(one.range)}, {counted(one.pairs, 'pair')})" for one in (near, far))
    ratio = f"{far.latency_ns / near.latency_ns:.1f} times as far"
    apart = f"{first} apart, one way"
    said = (
        f"All pairs of CPUs are {apart}."
        if near is far
        else f"The nearest CPUs are {apart}; the farthest {last}, {ratio}."
    )
    yield Text(f"{said}\n", "bold")


def maps_of(maps: Mapping[str, latency_map.LatencyMap], topology: contract.Topology | None) -> Iterator[Block]:
    """Show the heat map for each home, and the groups of the first."""
    scale, first = heat.Scale.of(*maps.values()), next(iter(maps.values()))
    for home, found in maps.items():
        yield Text()
        if len(maps) > 1:
            yield Text(AT_HOME.get(home, f"lines made on node {home}").capitalize(), "bold")
        yield heat.HeatMap(found, topology, scale).block
    if first.groups:
        yield Text()
        yield from heat.legend(first, scale)
    for sentence in first.misnamed:
        yield Text(f"! {sentence}", "yellow")


def what_of(pairing: Pairing) -> str:
    return f"{names.mechanism(pairing.case)} {names.plain(pairing.case.runtime)}"


def _how_much(answer: Answer, of: Matrix) -> Iterator[Text]:
    leading = [(row, row.headline) for row in of.cells if row.leads]
    trials = sorted(len(row.trials) for row, _ in leading) or [0]
    yield Text(counted(len({frozenset(pair_of(row)) for row, _ in leading}), "pair"))
    each = counted(trials[0], "trial") if trials[0] == trials[-1] else f"{trials[0]} to {trials[-1]} trials"
    yield Text(f"{each} each")
    if lasted := heading.took(answer.run):
        yield Text(lasted)
    known = [(row, found) for row, found in leading if found and found.half is not None]
    if known:
        known.sort(key=lambda one: one[1].half or 0.0)
        ends = (known[len(known) // 2], known[-1])
        usual, widest = (sure("ns", found, len(row.trials)).plain for row, found in ends)
        yield Text(f"interval {usual}" + (f", the widest {widest}" if len(known) > 1 else ""))
    if answer.run.status != "complete":
        yield heading.status(answer.run)


VERDICTS: Mapping[AreAlike, str] = {
    "yes": "",
    "no": f". That is more than {WITHIN}: only those measured alone count",
    "cannot tell": f". Too few to tell whether that is within {WITHIN}: those measured alone count, if there are any",
}


def sentences(answer: Answer, of: Matrix) -> Iterator[str]:
    """Say what a reader must know to believe the figures."""
    if answer.at_once:
        at_once = answer.at_once
        low, high = at_once.ratio.ends
        reach = f" ({100 * (low - 1):+.1f} to {100 * (high - 1):+.1f}%)" if at_once.ratio.kind else ""
        slowest = f", the slowest {100 * (at_once.slowest.value - 1):+.1f}%" if at_once.slowest else ""
        said = f"Pairs measured at once are {100 * (at_once.ratio.value - 1):+.1f}%{reach} from pairs measured alone"
        yield f"{said}, over {at_once.pairs}{slowest}{VERDICTS[at_once.alike]}."
    elif any(one.observation.concurrent for one in answer.trials):
        yield "Pairs were measured at once; the budget ended before some were measured alone to compare."
    spreads = [found for row in of.cells if row.leads and (found := row.value("lines_spread")) is not None]
    if spreads:
        slower = percent(median(spreads))
        yield f"Each value covers all lines of a pair. The slowest 10% are {slower} slower than the fastest 10%."
    others = base.gathered((tuple(sorted(pair_of(row))), row) for row in of.cells if not row.leads)
    for pair, rows in [*others.items()][:MOST_NAMED]:
        parts = [
            f"{time(row.number(tournament.CELL_LATENCY))} ({percent(row.state.share)})" for row in rows if row.state
        ]
        yield f"CPUs {pair[0]},{pair[1]} were in other states too: {', '.join(parts)}."
    if len(others) > MOST_NAMED:
        yield f"So were {counted(len(others) - MOST_NAMED, 'more pair')}."
    for why, failed in [*of.failures.items()][:MOST_NAMED]:
        yield f"{counted(len(failed), 'pair')} failed, {_named(failed)}: {names.plain(why)}"
    if of.missing:
        yield f"{counted(len(of.missing), 'pair')} without a figure: {_named(of.missing)}."


def _named(pairs: Sequence[Pair]) -> str:
    parts = [f"{a},{b}" for a, b in pairs[:MOST_NAMED]]
    more = len(pairs) - MOST_NAMED
    return "CPUs " + " ".join(parts) + (f" and {counted(more, 'more pair')}" if more > 0 else "")


def core_to_core_latency(of: latency_map.LatencyMap) -> str:
    """Write a line for each CPU: its latency to those before it, and to all where both directions are known."""
    cpus, directed = sorted(of.cpus), any(pair[::-1] in of.ns for pair in of.ns)
    lines = []
    for place, cpu in enumerate(cpus):
        shown = [of.between(cpu, other) if directed or at < place else None for at, other in enumerate(cpus)]
        # The shortest decimal number that is this one, as Rust writes it: never with an exponent.
        lines.append(",".join("" if ns is None else f"{Decimal(repr(ns)):f}".removesuffix(".0") for ns in shown))
    return "".join(f"{line}\n" for line in lines)


def c2clat(of: latency_map.LatencyMap) -> str:
    """Write a table of whole nanoseconds; 0 of a CPU with itself, and where nothing is known."""
    cpus = sorted(of.cpus)
    lines = ["".join([f"{'CPU':>4}", *(f" {cpu:>4}" for cpu in cpus)])]
    for cpu in cpus:
        lines.append("".join([f"{cpu:>4}", *(f" {round(of.between(cpu, other) or 0):>4}" for other in cpus)]))
    return "".join(f"{line}\n" for line in lines)


MAP_FORMATS = {"core-to-core-latency": core_to_core_latency, "c2clat": c2clat}  # of other tools, by their names

# ---- the study ----

KEPT = (tournament.CELL_LATENCY, "lines_spread", "counters.cpus", "counters.moved")
"""The figures of a trial that are kept: a large machine has tens of thousands of pairs."""


class MatrixQuestion(Struct, frozen=True):
    """The CPUs and mechanism to measure, and for how long; None is the time of three passes."""

    selection: Selection
    directions: bool
    longest_s: float | None


class MatrixStudy(Study[MatrixQuestion, Matrix]):
    """The latency between every two CPUs."""

    shows_rows = False
    go_on = "runs resume {} --budget 60s"
    formats = tuple(MAP_FORMATS)

    def ask(self, **options: Any) -> MatrixQuestion:
        directions, longest_s = options.pop("directions"), options.pop("longest_s")
        return MatrixQuestion(Selection(experiments=("signal",), **options), directions, longest_s)

    def prepare(self, asked: MatrixQuestion, environment: Environment) -> PreparedRun:
        selection = asked.selection
        topology = topology_with(environment.cpp, selection.cpus)
        of, described = tournament.pairing_of(selection, topology, environment, directions=asked.directions)
        starts, seed = warm_starts([described]), seed_of(selection.seed)
        cases = tournament.cases_of(of, topology)
        planned = tournament.make_tournament(of, cases, starts, asked.longest_s, seed, PACES, selection.until)
        pairs, passes = len(of.cpus) * (len(of.cpus) - 1) // 2, planned.passes
        together = f", {planned.at_once} at once" if planned.at_once > 1 else ""
        fits = f"{int(passes)} passes" if passes >= 2 else "one pass" if passes >= 1 else f"{percent(passes)} of a pass"
        what = f"Measuring {counted(pairs, 'pair')} of {counted(len(of.cpus), 'CPU')}"
        how = f" with {what_of(of)}{together}: a pass takes {duration(planned.pass_s)}; at most "
        said = listings.announced(what, how, planned.budget_s, f", enough for {fits}")
        here = inventory_of(topology, [described])
        return prepared_run(of, planned.plan, starts, here, planned.budget_s, said, cases_follow=True)

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        of = question_of(run, Pairing)
        cases, how = tournament.cases_of(of, run.machine.topology), (run.budget_s, run.seed, PACES, run.until)
        return tournament.Tournament(tournament.make_tournament(of, cases, starts_of(premises), *how))

    def observe(self, trial: Trial) -> Observation:
        whole = EXPERIMENTS[trial.case.experiment].figures
        return analyse.observe(trial, replace(whole, figures=tuple(map(whole.figure, KEPT)), distributions=()))

    def write(self, form: str, answer: Answer, result: Matrix) -> str:
        return MAP_FORMATS[form](result.map)

    def read(self, answer: Answer, asked: Any) -> Matrix:
        return matrix_of(answer)

    def lead(self, answer: Answer) -> Iterable[Block]:
        of = matrix_of(answer).map
        groups = (
            f"{names.plain(one.named) or 'group'} {time(one.latency_ns)} ({counted(one.pairs, 'pair')})"
            for one in of.groups
        )
        yield Flow([Text("every two CPUs", "bold"), *map(Text, groups)])
        yield from (Text(f"! {sentence}", "yellow") for sentence in of.misnamed)

    def blocks(self, answer: Answer, result: Matrix) -> Iterable[Block]:
        run, pairing = answer.run, question_of(answer.run, Pairing)
        yield from findings.unusable(answer)
        yield from nearest_and_farthest(result.map)
        yield heading.where(run)
        what = [Text(f"one way, {names.mechanism(pairing.case)}", "bold"), Text(counted(pairing.case.lines, "line"))]
        named = ", ".join(map(names.plain, result.maps))
        homes = [] if named == tournament.HOMES[0] else [Text(f"home {named}")]
        yield Flow([*what, *homes, *_how_much(answer, result)])
        if run.note:
            yield Text(names.plain(run.note), "yellow")
        yield from maps_of(result.maps, run.machine.topology)
        parts = [Text(sentence) for sentence in sentences(answer, result)]
        yield from [Text(), *parts] if parts else []
        if run.id:
            shows = {text.proposed("report", str(run.id)): "the same as a page"}
            if result.missing and run.status == "complete":
                shows = {text.proposed("runs", "resume", str(run.id)): "go on with it", **shows}
            shows = {**heading.to_resume(run), **shows}
            if any(not cell.leads for cell in result.cells):
                shows[text.proposed("show", str(run.id), "--states")] = "how its states changed over time"
            yield from heading.next_commands(shows)

    def sheets(self, answer: Answer, result: Matrix) -> Sequence[Sheet[Any]]:
        return (
            Sheet("cells", CELL_FIELDS, result.cells),
            groups_of(result.map),
            run_records.state_sheet(answer.states.found),
        )

    def facts(self, answer: Answer, result: Matrix) -> Mapping[str, Any]:
        at_once = answer.at_once
        parallel = records.records_of(Sheet("parallel", PARALLEL_FIELDS, [at_once]))[0] if at_once else None
        facts = {"cpus": result.map.cpus, "misnamed": result.map.misnamed}
        return {**facts, "parallel": parallel, "missing": result.missing}

    def charts(self, answer: Answer, result: Matrix) -> Sequence[Chart]:
        return charts.some(_charts(answer, result, heat.SIDE), "no pair has a figure")

    def sections(self, answer: Answer) -> Iterable[Section]:
        if not isinstance(answer.run.study, Pairing):
            if found := latency_map.surveyed_map(answer):
                topology, what = answer.run.machine.topology, "a reference ping each"
                drawn = list(heat.heat_charts({"": found}, topology, what, charts.WIDTH))
                yield Section("matrix", "Every two CPUs", drawn, place=1)
            return
        of = matrix_of(answer)
        blocks: list[Block] = [grid_of(groups_of(of.map)), *of.map.misnamed, *sentences(answer, of)]
        yield Section("matrix", "Every two CPUs", _charts(answer, of, charts.WIDTH), blocks, place=0, digest=True)


STUDY = MatrixStudy()


def _charts(answer: Answer, found: Matrix, width: int) -> list[Chart]:
    return list(
        heat.heat_charts(found.maps, answer.run.machine.topology, what_of(question_of(answer.run, Pairing)), width)
    )
