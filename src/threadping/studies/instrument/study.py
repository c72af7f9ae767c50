"""Check the instrument: blocks of known delays in random order, stalls that are counted, and what came of both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from msgspec import Struct
from rich.text import Text

from threadping.analysis.answer import Answer, Observed
from threadping.analysis.percentiles import Estimate, estimate
from threadping.conduct.environment import Environment, paces, starts_of
from threadping.conduct.study import Output, PreparedRun, Study
from threadping.model.bounds import Record
from threadping.model.cases import Case, Placement
from threadping.model.contract import Distribution, Params, Topology
from threadping.model.errors import BudgetTooSmall, ProbeUnusable, UsageError
from threadping.model.grouping import gathered
from threadping.model.quantities import budget as written_budget
from threadping.model.quantities import counted
from threadping.model.run import Observation, Premises, Run, RunEnded
from threadping.model.studies import Instrument
from threadping.model.topology import usable
from threadping.output import layout
from threadping.output.heading import next_commands, to_resume, where
from threadping.output.layout import Block, Field, Lead, Sheet, grid_of
from threadping.output.page.sections import Section
from threadping.output.run_records import RunEntry
from threadping.planning.budget import Budget, budget_for, plan_of
from threadping.planning.defaults import Length
from threadping.planning.plan import Plan, random_seed
from threadping.planning.schedule import Rounds, Schedule
from threadping.probes.placements import one_core_each, placement_for_cpus

FEWEST_BLOCKS = 6
"""From so many on a slope has an interval of 95%."""

InstrumentVerdict = Literal["true", "off", "cannot tell"]
INSTRUMENT_VERDICTS: Sequence[InstrumentVerdict] = ("true", "cannot tell", "off")
"""The worst last."""

ROUND_TRIP, DELAY, STALLS = "calibration.round_trip_ns", "calibration.delay_ns", "calibration.stalls"


class JudgedPart(Record, frozen=True):
    """A part of the instrument.

    Attributes:
        name: `spinners`, `sleepers` or `stalls`.
        value: the slope of round trips over delays, or seen stalls over planted ones; None where nothing is known.
        planted: how many delays, or stalls.
        verdict: whether it is what it should be.
        moves: how often the machine moved meanwhile, where that matters to it.
    """

    name: str
    value: Estimate | None
    planted: int
    verdict: InstrumentVerdict
    moves: int = 0


def weighted_median(values: Sequence[tuple[float, float]]) -> float:
    """Of values with their weights: that at which half of the weight is reached; at least one."""
    ordered = sorted(values)
    half, reached = sum(weight for _, weight in ordered) / 2, 0.0
    for value, weight in ordered:
        reached += weight
        if reached >= half:
            return value
    return ordered[-1][0]


Planted = tuple[float, float]
"""What was planted, and what was measured (ns)."""


def slope_of(*states: Sequence[Planted]) -> float | None:
    """How much the second grows with the first, by the slopes of all pairs of points, the far ones counting more.

    Both points of a pair are of one state of the machine: between two states a round trip differs by more than what
    was planted. None where no pair is as far apart as MOST_OF_SPAN of all points.
    """
    pairs = [two for points in states for two in combinations(points, 2)]
    slopes = [((y - one_y) / (x - one_x), abs(x - one_x)) for (one_x, one_y), (x, y) in pairs if x != one_x]
    planted = [x for points in states for x, _ in points]
    farthest = max((weight for _, weight in slopes), default=0.0)
    return weighted_median(slopes) if farthest and farthest >= MOST_OF_SPAN * (max(planted) - min(planted)) else None


MOST_OF_SPAN = 0.5
"""Of a block of which only near delays were measured in one state the slope is mostly noise."""


def slopes(trials: Sequence[Observed]) -> list[float]:
    """Of each block, which has every delay once, its slope within the states in which its trials were measured."""
    points = gathered(
        (one.observation.round, (_state(one), (figures[DELAY], figures[ROUND_TRIP])))
        for one in trials
        if DELAY in (figures := one.observation.figures) and ROUND_TRIP in figures and not _is_moved(one)
    )
    found = (slope_of(*gathered(of_block).values()) for of_block in points.values())
    return [slope for slope in found if slope is not None]


def _state(one: Observed) -> tuple[int, ...]:
    """The state that its round trips depend on: those of sleepers take a hundred times as long as any state's."""
    return () if one.observation.case.blocking else one.standing.states


def _is_moved(one: Observed) -> bool:
    """Whether the machine moved while it was measured, or may have, and it depends on that."""
    return one.standing.crossed and not one.observation.case.blocking


def judge_slope(name: str, trials: Sequence[Observed], tolerance: float, moves: int) -> JudgedPart:
    """Whether round trips grew by the delays: off where the whole interval lies further from 1 than is tolerated.

    Args:
        name: of the part.
        trials: all of it.
        tolerance: by how much the slope may differ from 1.
        moves: how often the machine moved meanwhile; it does not matter to threads that sleep.
    """
    found = slopes(trials)
    moved = 0 if all(one.observation.case.blocking for one in trials) else moves

    def part(verdict: InstrumentVerdict) -> JudgedPart:
        return JudgedPart(name, estimate(found) if found else None, len(found), verdict, moved)

    if len(found) < FEWEST_BLOCKS:
        return part("cannot tell")
    value = estimate(found)
    low, high = value.ends
    if abs(value.value - 1) <= tolerance:
        return part("true")
    return part("off" if low > 1 + tolerance or high < 1 - tolerance else "cannot tell")


BAND = (0.9, 1.6)
"""A round trip that takes so many times as long as a stall has one in it. What takes longer was stopped by something
else: its trial is not counted."""


def stalls_seen(trips: Distribution, stall_ns: float) -> int | None:
    """How many round trips had a stall in them; None where one was stopped for longer."""
    low, high = (times * stall_ns for times in BAND)
    counts = list(zip(trips.values, trips.counts, strict=True))
    if any(ns > high for ns, _ in counts):
        return None
    return sum(count for ns, count in counts if ns >= low)


def judge_stalls(trials: Sequence[Observation]) -> JudgedPart:
    """Whether every planted stall was counted, and nothing else: exactly, of the trials that nothing else stopped."""
    pairs = [*_stalls(trials)]
    planted, seen = sum(of for of, _ in pairs), sum(of for _, of in pairs)
    if not planted:
        return JudgedPart("stalls", None, 0, "cannot tell")
    return JudgedPart("stalls", Estimate(seen / planted), planted, "true" if seen == planted else "off")


def _stalls(trials: Sequence[Observation]) -> Iterator[tuple[int, int]]:
    for one in trials:
        trips, stall = one.distributions.get("round_trip_ns"), one.case.params.get("stall")
        seen = stalls_seen(trips, stall) if trips is not None and isinstance(stall, int) else None
        if seen is not None and STALLS in one.figures:
            yield int(one.figures[STALLS]), seen


OF_CALIBRATION = "calibration"
SPINNER, SLEEPER = "release-two-lines", "condition"

DELAYS_NS: Mapping[str, Sequence[int]] = {
    SPINNER: (0, 200, 400, 800, 1_600),
    SLEEPER: (0, 100_000, 200_000, 400_000, 800_000),
}
PARTS = {"spinners": SPINNER, "sleepers": SLEEPER}

TOLERANCES = {"spinners": 0.01, "sleepers": 0.1}
"""By how much a slope may differ from 1. What it takes to wake a thread depends on how long it slept, which the delay
of the other thread changes too."""

STALL_NS, STALL_EVERY = 300_000, 500
"""A stall longer than what usually happens, and shorter than a slice of the scheduler."""

MEASURED_S: Mapping[str, float] = {SPINNER: 0.05, SLEEPER: 0.15}
STALLED_S = 0.1
WARMED_S: Mapping[str, float] = {SPINNER: 0.02, SLEEPER: 0.12}

BLOCKS_PLANNED = 8


class InstrumentAsked(Struct, frozen=True, kw_only=True):
    """Where, for how long, and in which order the instrument is checked."""

    cpus: tuple[int, ...] | None = None
    budget_s: float = 30.0
    seed: int | None = None


class InstrumentEntry(Record, frozen=True):
    """What JSON says beside the parts: `verdict` is a sentence, `instrument` what the exit code says."""

    verdict: str
    instrument: InstrumentVerdict
    run: RunEntry


class InstrumentStudy(Study[InstrumentAsked, Sequence[JudgedPart]]):
    """Every delay once in each round, in random order."""

    def ask(self, **options: Any) -> InstrumentAsked:
        """As the command says; `--anyway` is of the turn."""
        del options["anyway"]
        return InstrumentAsked(**options)

    def prepare(self, asked: InstrumentAsked, environment: Environment) -> PreparedRun:
        """Plan as many blocks as there is time for, eight at most."""
        here = environment.inventory([environment.cpp], cpus=asked.cpus)
        known = {one.name for of in here.described for one in of.description.experiments}
        if OF_CALIBRATION not in known:
            raise ProbeUnusable("This build of the C++ probe plants no delays. Run `make setup`, or reinstall.")
        cases = [*calibrations(here.runtimes[0].label, _pair(here.topology, asked.cpus))]
        seed = random_seed() if asked.seed is None else asked.seed
        budget = Budget(asked.budget_s, starts_of(here.described), paces(), seed, outliers=None)
        costs = {case: budget.cost(case) for case, _ in cases}
        lengths = tuple(length for _, length in cases)
        block_s = sum(one.start_s for one in costs.values()) + sum(one.seconds for one in lengths)
        blocks = min(BLOCKS_PLANNED, int(budget.planned_s / block_s))
        if blocks < 1:
            needed = written_budget(budget_for(BLOCKS_PLANNED * block_s))
            raise BudgetTooSmall(
                f"A budget of {asked.budget_s:g} s is too small: a block of delays takes more. Give at least "
                f"--budget {needed}, which has room for {BLOCKS_PLANNED}."
            )
        starts, warmups = tuple(one.start_s for one in costs.values()), tuple(one.warmup_s for one in lengths)
        plan = Plan(tuple(costs), starts, lengths, warmups, blocks, seed, budget.paces, None)
        return PreparedRun(
            study=Instrument(),
            plan=plan,
            budget_s=asked.budget_s,
            starts=budget.starts,
            topology=here.topology,
            runtimes=here.runtimes,
            skipped=(),
            said=Text(f"Checking the instrument: {blocks} blocks of {len(cases)} trials in {plan.seconds:.0f} s."),
        )

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        """Every case once in each round, in random order."""
        return Rounds(plan_of(run, premises, paces()))

    def settle(self, ended: RunEnded) -> RunEnded:
        """The run; what was not measured leaves open what it was to tell."""
        measured = any(one.figures for one in ended.observations)
        complete = ended.run.status == "complete"
        return RunEnded(ended.run, ended.observations, ended.pings, None) if measured and complete else ended

    def read(self, answer: Answer, asked: Any) -> Sequence[JudgedPart]:
        """Judge the slopes of both kinds of threads, and the stalls."""
        trials = [one for one in answer.trials if one.observation.figures]
        delayed = [one for one in trials if not one.observation.case.params.get("stall-every")]
        stalled = [one.observation for one in trials if one.observation.case.params.get("stall-every")]
        moves = sum(answer.states.changes.values())
        parts = [
            judge_slope(name, [one for one in delayed if one.observation.case.mechanism == by], TOLERANCES[name], moves)
            for name, by in PARTS.items()
        ]
        return [*parts, judge_stalls(stalled)]

    def blocks(self, answer: Answer, result: Sequence[JudgedPart]) -> Iterable[Block]:
        """The verdict, then every part."""
        yield where(answer.run)
        yield Text()
        yield lead_of(result)
        yield Text()
        yield grid_of(parts_sheet(result))
        yield Text(MEANS, "dim")
        yield from next_commands({**to_resume(answer.run)})

    def lead(self, answer: Answer) -> Iterable[Block]:
        """The verdict."""
        return [lead_of(self.read(answer, None)), Text()]

    def sheets(self, answer: Answer, result: Sequence[JudgedPart]) -> Sequence[Sheet[Any]]:
        """A line for each part."""
        return [parts_sheet(result)]

    def facts(self, answer: Answer, result: Sequence[JudgedPart]) -> Mapping[str, Any]:
        """The verdict of the whole."""
        return {"verdict": sentence_of(result), "instrument": whole_verdict(result)}

    def sections(self, answer: Answer) -> Iterable[Section]:
        """Every part, of a run that checked the instrument."""
        if isinstance(answer.run.study, Instrument):
            blocks: list[Block] = [grid_of(parts_sheet(self.read(answer, None))), Text(MEANS, "dim")]
            yield Section(
                "instrument", "Does threadping measure what was planted?", blocks=blocks, place=0, digest=True
            )

    def exit_code(self, result: Sequence[JudgedPart], output: Output) -> int:
        """0 where all is true, 3 where something is off; 4 where that is open and the output is strict."""
        return {"true": 0, "off": 3, "cannot tell": 4 if output.strict else 0}[whole_verdict(result)]


STUDY = InstrumentStudy()

MEANS = (
    "A slope is by how much a round trip grew for each nanosecond that was planted; stalls are those seen over those "
    "planted."
)
SAID: Mapping[InstrumentVerdict, tuple[str, str]] = {
    "true": ("\N{CHECK MARK} The instrument is true: what is measured grows by what was planted.", "bold green"),
    "cannot tell": ("? The instrument: cannot tell", "bold yellow"),
    "off": ("\N{BALLOT X} The instrument is off: do not trust its figures", "bold red"),
}


def whole_verdict(parts: Sequence[JudgedPart]) -> InstrumentVerdict:
    """The worst of all."""
    return max((one.verdict for one in parts), key=INSTRUMENT_VERDICTS.index)


def sentence_of(parts: Sequence[JudgedPart]) -> str:
    """The verdict, and which parts decide it."""
    whole = whole_verdict(parts)
    deciding = [one for one in parts if one.verdict == whole]
    which = ", ".join(one.name for one in deciding)
    moves = max(one.moves for one in deciding) if whole == "cannot tell" else 0
    meanwhile = f"; the machine moved {counted(moves, 'time')} meanwhile" if moves else ""
    return SAID[whole][0] + ("" if whole == "true" else f" ({which}){meanwhile}.")


def lead_of(parts: Sequence[JudgedPart]) -> Lead:
    """The verdict as a title."""
    return Lead(sentence_of(parts), SAID[whole_verdict(parts)][1])


def parts_sheet(parts: Sequence[JudgedPart]) -> Sheet[JudgedPart]:
    """A line for each part."""

    def written(one: JudgedPart) -> Text:
        if one.value is None:
            return layout.figure("index", None)
        low, high = one.value.ends
        interval = f" ({low:.3f}\N{EN DASH}{high:.3f})" if one.value.kind else ""
        return Text(f"{one.value.value:.3f}{interval}", "bold")

    fields: tuple[Field[JudgedPart], ...] = (
        Field(head="planted in", key="part", of=lambda one: one.name, names=True),
        Field(head="measured over planted", key="value", type=float | None, of=lambda one: one.value, write=written),
        Field(head="blocks, or stalls", key="planted", type=int, of=lambda one: one.planted),
        Field(head="moves", key="moves", type=int, of=lambda one: one.moves),
        Field(head="verdict", key="verdict", type=InstrumentVerdict, of=lambda one: one.verdict),
    )
    return Sheet("parts", fields, parts)


def _pair(topology: Topology, cpus: Sequence[int] | None) -> Placement:
    if cpus:
        return placement_for_cpus(topology, cpus[:2])
    if len(usable(topology)) < 2:
        raise UsageError("The instrument is checked between two CPUs, and only one may be used here.")
    return one_core_each(topology, 2)


def calibrations(runtime: str, place: Placement) -> Iterator[tuple[Case, Length]]:
    """Each delay of both kinds of threads, and stalls of spinners."""

    def case(mechanism: str, delay: int, every: int = 0, stall: int = 0) -> Case:
        params: Params = {"delay": delay, "stall-every": every, "stall": stall}
        varied = tuple(name for name, value in params.items() if value)
        lines, blocking = (64, False) if mechanism == SPINNER else (1, True)
        return Case(OF_CALIBRATION, mechanism, params, runtime, place, blocking, lines, varied)

    for mechanism, delays in DELAYS_NS.items():
        length = Length(WARMED_S[mechanism], MEASURED_S[mechanism])
        yield from ((case(mechanism, delay), length) for delay in delays)
    yield case(SPINNER, 0, STALL_EVERY, STALL_NS), Length(WARMED_S[SPINNER], STALLED_S)
