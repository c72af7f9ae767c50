"""Check threadping itself: blocks of known delays in random order, stalls that are counted, and what came of both."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from msgspec.structs import replace
from rich.text import Text

from threadping.analysis.answer import Answer, Observed
from threadping.analysis.percentiles import Estimate, estimate
from threadping.conduct.environment import PACES, Environment, budget_of, prepared_run, starts_of
from threadping.conduct.presenting import Output
from threadping.conduct.study import PreparedRun, Study, StudyRequest
from threadping.model import contract, errors, quantities
from threadping.model.base import Record, gathered
from threadping.model.cases import Case, Placement
from threadping.model.run import Observation, Premises, Run, SelfTest
from threadping.output import heading, layout
from threadping.planning.defaults import Length
from threadping.planning.plan import plan_of
from threadping.planning.schedule import Rounds, Schedule
from threadping.probes.placements import usable
from threadping.studies.doctor.study import plan_rounds, waking_pair

OF_CALIBRATION = "self-test"
ROUND_TRIP, DELAY, STALLS = "self-test.round_trip_ns", "self-test.delay_ns", "self-test.stalls"

SPINNING, BLOCKING = "release-two-lines", "condition"
PARTS = {"spinning": SPINNING, "blocking": BLOCKING}
DELAYS_NS: Mapping[str, Sequence[int]] = {
    SPINNING: (0, 200, 400, 800, 1_600),
    BLOCKING: (0, 100_000, 200_000, 400_000, 800_000),
}
MEASURED_S: Mapping[str, float] = {SPINNING: 0.05, BLOCKING: 0.15}
WARMED_S: Mapping[str, float] = {SPINNING: 0.02, BLOCKING: 0.12}
STALL_NS, STALL_EVERY = 300_000, 500  # longer than what usually happens, shorter than a slice of the scheduler
STALLED_S = 0.1

BLOCKS_PLANNED = 8
FEWEST_BLOCKS = 6  # the minimum for which a slope has an interval of 95%

TOLERANCES = {"spinning": 0.01, "blocking": 0.1}
"""Maximum difference of a slope from 1. The time to wake a thread depends on how long it slept, which the delay of the
other thread changes too."""

MOST_OF_SPAN = 0.5  # the slope of a block that has only similar delays in one state is mostly noise

BAND = (0.9, 1.6)
"""The length of a round trip with a stall in it, in stalls. Something else stopped a longer one: its trial is not
counted."""

SelfTestVerdict = Literal["true", "off", "cannot tell"]
SELF_TEST_VERDICTS: Sequence[SelfTestVerdict] = ("true", "cannot tell", "off")  # the worst last
SAID: Mapping[SelfTestVerdict, tuple[str, str]] = {
    "true": ("\N{CHECK MARK} threadping measures correctly: round trips grow by the planted delay.", "bold green"),
    "cannot tell": ("? Self-test: cannot tell", "bold yellow"),
    "off": ("\N{BALLOT X} threadping measures incorrectly: do not trust its results", "bold red"),
}
MEANS = (
    "A slope is the growth of a round trip per planted nanosecond; stalls are detected stalls divided by planted ones."
)


class JudgedPart(Record, frozen=True):
    """A part of the self-test."""

    name: str  # `spinning`, `blocking` or `stalls`
    # the slope of round trips over delays, or detected stalls over planted ones; None if unknown
    value: Estimate | None
    planted: int  # the number of delays, or stalls
    verdict: SelfTestVerdict  # whether it is as expected
    moves: int = 0  # vCPU migrations meanwhile, if they matter to it


# ---- slopes ----


Planted = tuple[float, float]  # what was planted, and what was measured (ns)


def slope_of(*states: Sequence[Planted]) -> float | None:
    """Return how much the second grows with the first: the weighted median of the slopes of all pairs of points.

    Both points of a pair are of one state of the machine: between two states a round trip differs by more than what
    was planted. None where no pair is as far apart as MOST_OF_SPAN of all points.
    """
    pairs = [two for points in states for two in combinations(points, 2)]
    slopes = [((y - one_y) / (x - one_x), abs(x - one_x)) for (one_x, one_y), (x, y) in pairs if x != one_x]
    planted = [x for points in states for x, _ in points]
    farthest = max((weight for _, weight in slopes), default=0.0)
    if not farthest or farthest < MOST_OF_SPAN * (max(planted) - min(planted)):
        return None
    ordered, weights = np.array(sorted(slopes)).T
    reached = weights.cumsum()
    return float(ordered[np.searchsorted(reached, reached[-1] / 2)])


def slopes(trials: Sequence[Observed]) -> list[float]:
    """Return of each block, which has every delay once, its slope within the states in which its trials were measured.

    Threads that sleep have no state: their round trips take a hundred times as long as any state's.
    """
    blocks: dict[int, list[tuple[tuple[int, ...], Planted]]] = {}
    for one in trials:
        figures, sleeps = one.observation.figures, one.observation.case.blocking
        if DELAY in figures and ROUND_TRIP in figures and (sleeps or not one.standing.changed):
            point = (figures[DELAY], figures[ROUND_TRIP])
            blocks.setdefault(one.observation.round, []).append((() if sleeps else one.standing.states, point))
    found = (slope_of(*gathered(block).values()) for block in blocks.values())
    return [slope for slope in found if slope is not None]


def judge_slope(name: str, trials: Sequence[Observed], tolerance: float, moves: int) -> JudgedPart:
    """Say whether round trips grew by the delays: off where the whole interval lies further from 1 than is tolerated.

    `moves` is how often the machine moved meanwhile, which does not matter to threads that sleep.
    """
    found = slopes(trials)
    moved = 0 if all(one.observation.case.blocking for one in trials) else moves
    value = estimate(found) if found else None
    verdict: SelfTestVerdict = "cannot tell"
    if value and len(found) >= FEWEST_BLOCKS:
        low, high = value.ends
        if abs(value.value - 1) <= tolerance:
            verdict = "true"
        elif low > 1 + tolerance or high < 1 - tolerance:
            verdict = "off"
    return JudgedPart(name, value, len(found), verdict, moved)


# ---- stalls ----


def stalls_seen(trips: contract.Distribution, stall_ns: float) -> int | None:
    """Return how many round trips had a stall in them; None where one was stopped for longer."""
    low, high = (times * stall_ns for times in BAND)
    counts = list(zip(trips.values, trips.counts, strict=True))
    if any(ns > high for ns, _ in counts):
        return None
    return sum(count for ns, count in counts if ns >= low)


def judge_stalls(trials: Sequence[Observation]) -> JudgedPart:
    """Say whether every planted stall was counted, and nothing else: exactly, of trials that nothing else stopped."""
    planted = counted = 0
    for one in trials:
        trips, stall = one.distributions.get("round_trip_ns"), one.case.params.get("stall")
        seen = stalls_seen(trips, stall) if trips is not None and isinstance(stall, int) else None
        if seen is not None and STALLS in one.figures:
            planted, counted = planted + int(one.figures[STALLS]), counted + seen
    if not planted:
        return JudgedPart("stalls", None, 0, "cannot tell")
    return JudgedPart("stalls", Estimate(counted / planted), planted, "true" if counted == planted else "off")


# ---- the study ----


class SelfTestStudy(Study[StudyRequest, Sequence[JudgedPart]]):
    """Every delay once in each round, in random order."""

    stored, any_is_enough = SelfTest, True

    def prepare(self, asked: StudyRequest, environment: Environment) -> PreparedRun:
        here = environment.inventory([environment.cpp], cpus=asked.selection.cpus)
        if not here.mechanisms(OF_CALIBRATION):
            raise errors.ProbeUnusable(
                "This build of the C++ probe cannot plant delays. Run `make setup`, or reinstall threadping."
            )
        cpus = tuple(asked.selection.cpus or usable(here.topology))
        if len(cpus) < 2:
            raise errors.UsageError("The self-test needs two CPUs, and only one may be used here.")
        cases = [*calibrations(here.runtimes[0].label, waking_pair(here.topology, cpus))]
        budget = replace(budget_of(asked.selection, starts_of(here.described)), outliers=None)
        what, way_out = "a block of delays takes", f", enough for {BLOCKS_PLANNED}"
        plan = plan_rounds(cases, budget, BLOCKS_PLANNED, what, BLOCKS_PLANNED, way_out)
        said = f"Self-test: {plan.rounds} blocks of {len(cases)} trials in {plan.seconds:.0f} s."
        return prepared_run(asked.stored, plan, budget.starts, here, budget.seconds, Text(said))

    def schedule(self, run: Run, premises: Premises) -> Schedule:
        return Rounds(plan_of(run, premises, PACES))

    def read(self, answer: Answer, asked: Any) -> Sequence[JudgedPart]:
        trials = [one for one in answer.trials if one.observation.figures]
        delayed = [one for one in trials if not one.observation.case.params.get("stall-every")]
        stalled = [one.observation for one in trials if one.observation.case.params.get("stall-every")]
        moves = sum(answer.states.changes.values())
        parts = [
            judge_slope(name, [one for one in delayed if one.observation.case.mechanism == by], TOLERANCES[name], moves)
            for name, by in PARTS.items()
        ]
        return [*parts, judge_stalls(stalled)]

    def blocks(self, answer: Answer, result: Sequence[JudgedPart]) -> Iterable[layout.Block]:
        yield from (lead_of(result), Text(), heading.where(answer.run), Text())
        yield layout.grid_of(parts_sheet(result))
        yield Text(MEANS, "dim")
        yield from heading.next_commands({**heading.to_resume(answer.run)})

    def lead(self, answer: Answer) -> Iterable[layout.Block]:
        return [lead_of(self.read(answer, None)), Text()]

    def sheets(self, answer: Answer, result: Sequence[JudgedPart]) -> Sequence[layout.Sheet[Any]]:
        return [parts_sheet(result)]

    def facts(self, answer: Answer, result: Sequence[JudgedPart]) -> Mapping[str, Any]:
        return {"verdict": sentence_of(result), "self_test": whole_verdict(result)}

    def sections(self, answer: Answer) -> Iterable[layout.Section]:
        if isinstance(answer.run.study, SelfTest):
            blocks: list[layout.Block] = [layout.grid_of(parts_sheet(self.read(answer, None))), Text(MEANS, "dim")]
            title = "Does threadping measure what was planted?"
            yield layout.Section("self-test-verdict", title, blocks=blocks, place=0, digest=True)

    def exit_code(self, result: Sequence[JudgedPart], output: Output) -> int:
        """Return 0 where all is true, 3 where something is off; 4 where that is open and the output is strict."""
        return {"true": 0, "off": 3, "cannot tell": 4 if output.strict else 0}[whole_verdict(result)]


STUDY = SelfTestStudy()


def whole_verdict(parts: Sequence[JudgedPart]) -> SelfTestVerdict:
    return max((one.verdict for one in parts), key=SELF_TEST_VERDICTS.index)


def sentence_of(parts: Sequence[JudgedPart]) -> str:
    """Say the verdict, and which parts decide it."""
    whole = whole_verdict(parts)
    deciding = [one for one in parts if one.verdict == whole]
    which = ", ".join(one.name for one in deciding)
    moves = max(one.moves for one in deciding) if whole == "cannot tell" else 0
    meanwhile = f"; the machine moved {quantities.counted(moves, 'time')} meanwhile" if moves else ""
    return SAID[whole][0] + ("" if whole == "true" else f" ({which}){meanwhile}.")


def lead_of(parts: Sequence[JudgedPart]) -> layout.Lead:
    return layout.Lead(sentence_of(parts), SAID[whole_verdict(parts)][1])


def parts_sheet(parts: Sequence[JudgedPart]) -> layout.Sheet[JudgedPart]:

    def written(value: Estimate | None) -> Text:
        if value is None:
            return layout.figure("index", None)
        low, high = value.ends
        interval = f" ({low:.3f}\N{EN DASH}{high:.3f})" if value.kind else ""
        return Text(f"{value.value:.3f}{interval}", "bold")

    table = (
        layout.attribute("name", key="part", head="planted in", names=True),
        layout.attribute("value", type=float | None, show=written, head="measured over planted"),
        layout.attribute("planted", type=int, head="blocks, or stalls"),
        layout.attribute("moves", type=int, head="moves"),
        layout.attribute("verdict", type=SelfTestVerdict, head="verdict"),
    )
    return layout.Sheet("parts", table, parts)


# ---- what is measured ----


def calibrations(runtime: str, place: Placement) -> Iterator[tuple[Case, Length]]:
    """Yield each delay of spinning and blocked threads, and stalls of spinning ones, with the length of its trials."""

    def case(mechanism: str, delay: int, every: int = 0, stall: int = 0) -> Case:
        params: contract.Params = {"delay": delay, "stall-every": every, "stall": stall}
        varied = tuple(name for name, value in params.items() if value)
        lines, blocking = (64, False) if mechanism == SPINNING else (1, True)
        return Case(OF_CALIBRATION, mechanism, params, runtime, place, blocking, lines, varied)

    for mechanism, delays in DELAYS_NS.items():
        length = Length(WARMED_S[mechanism], MEASURED_S[mechanism])
        yield from ((case(mechanism, delay), length) for delay in delays)
    yield case(SPINNING, 0, STALL_EVERY, STALL_NS), Length(WARMED_S[SPINNING], STALLED_S)
