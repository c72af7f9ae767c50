"""The advice that a run's trials give: which wait strategy is the cheapest that meets a requirement, and how sure."""

from collections.abc import Mapping, Sequence
from math import inf
from statistics import fmean
from typing import Literal

from msgspec.structs import replace

from threadping.analysis.health import BUSY_SHARE
from threadping.analysis.percentiles import Estimate
from threadping.model.base import Record
from threadping.model.cases import Case
from threadping.model.run import Observation, Requirement, Run
from threadping.planning.plan import PING_S
from threadping.studies.advise.judging import (
    ALLOWED,
    FEW,
    JudgedWay,
    LateCounts,
    LateSpread,
    decides,
    judge_way,
    lowest_share,
    more_to_meet,
    quickest,
    share,
    spread,
    worst_trial,
)

NOT_ASKED = "advice asks one JVM unless --runtime names more"
"""Why a runtime that is here is in no advice."""

AdviceOutcome = Literal["sure", "likely", "undecided", "none", "busy", "late-sender", "clock"]
"""What is known: which wait strategy meets the requirement, surely or by its figures; nothing yet; that none does; or
why nothing can be known: other programs, a sender that is late by itself, a clock that is too coarse."""


class Floor(Record, frozen=True):
    """That the sender by itself, which only reads the clock until a message is due, is later than is allowed.

    Attributes:
        late: the share of its messages; of rounds those that did not begin in their turn.
        at_least: its lower 99% bound.
        trials: of which this is known.
    """

    late: float
    at_least: float
    trials: int


class Advice(Record, frozen=True):
    """What meets a requirement.

    Attributes:
        required: what was asked for.
        outcome: what is known.
        chosen: the cheapest that meets it; where none surely does, the cheapest that would if its figures were exact;
            None where nothing does, or nothing can be known.
        others: all others that were measured, the cheapest first.
        clock_ns: what reading the clock costs, where the requirement is below it; else None.
        busy: the share of the CPU time that other programs used, where that lets nothing be decided; else None.
        floor: where the sender by itself is later than is allowed; else None.
        decides_s: about how many seconds more would show that one meets it; None where none would.
        unasked: further JVMs that are here and were not asked.
    """

    required: Requirement
    outcome: AdviceOutcome
    chosen: JudgedWay | None
    others: tuple[JudgedWay, ...]
    clock_ns: float | None = None
    busy: float | None = None
    floor: Floor | None = None
    decides_s: float | None = None
    unasked: tuple[str, ...] = ()

    @property
    def alike(self) -> tuple[JudgedWay, ...]:
        """Those that do not differ from the chosen one, or else from the quickest, by intervals of p99 and CPU."""
        found = self.chosen or quickest(self.others)
        return tuple(one for one in self.others if found and one is not found and are_alike(one, found))

    @property
    def is_sure(self) -> bool:
        """Whether the trials decide it."""
        return self.outcome == "sure"

    @property
    def ways(self) -> tuple[JudgedWay, ...]:
        """All that were measured, the chosen one first."""
        return (self.chosen, *self.others) if self.chosen else self.others


def advise(run: Run, observations: Sequence[Observation]) -> Advice:
    """Find the cheapest that meets the requirement of a run, by all of its trials."""
    required = run.study
    assert isinstance(required, Requirement)
    if (clock_ns := below_the_clock(observations, required)) is not None:
        return Advice(required, "clock", None, (), clock_ns)
    by_case: dict[Case, list[Observation]] = {case: [] for case in run.cases}
    for one in observations:
        by_case[one.case].append(one)
    busy = is_busy(observations)
    worst, _ = worst_trial([judge_way(case, trials, required, bounded=False) for case, trials in by_case.items()])
    judged = (judge_way(case, trials, required, worst=worst) for case, trials in by_case.items())
    ways = sorted(judged, key=lambda one: one.cost)
    if busy:
        ways = [replace(one, verdict="open", misses=()) for one in ways]
    sure, within = [one for one in ways if one.verdict == "meets"], [one for one in ways if one.is_within(required)]
    chosen = None if busy else next(iter([*sure, *within]), None)
    floor = None if busy or chosen else floor_of(ways)
    all_miss = all(one.verdict == "misses" for one in ways) and not any(one.budget for one in run.skipped)
    found: Sequence[tuple[object, AdviceOutcome]] = (
        (busy, "busy"),
        (chosen, "sure" if sure else "likely"),
        (floor, "late-sender"),
        (all_miss, "none"),
    )
    return Advice(
        required,
        outcome=next((outcome for what, outcome in found if what), "undecided"),
        chosen=chosen,
        others=tuple(one for one in ways if one is not chosen and (one.trials or one.left_out or one.misses)),
        busy=busy,
        floor=floor,
        decides_s=_decides_s(ways, by_case, required),
        unasked=tuple(one.what for one in run.skipped if one.reason == NOT_ASKED),
    )


def _decides_s(
    ways: Sequence[JudgedWay], trials: Mapping[Case, Sequence[Observation]], required: Requirement
) -> float | None:
    """About how long it would take besides to show that one meets it, or a cheaper one where one does."""
    limit = min((one.cost[0] for one in ways if one.verdict == "meets"), default=inf)
    others, (worst, _) = spread_within(ways, required), worst_trial(ways)
    return min(
        (
            more_to_meet(one.counts, others, worst) * (fmean(of.wall_ns for of in trials[one.case]) / 1e9 + 2 * PING_S)
            for one in ways
            if one.verdict == "open" and one.cost[0] < limit and one.is_within(required)
        ),
        default=None,
    )


def is_busy(observations: Sequence[Observation]) -> float | None:
    """The share of the CPU time that other programs used, where they let nothing be decided; else None."""
    shares = [one.others for one in observations if one.others is not None]
    used = fmean(shares) if shares else 0.0
    left_out = sum(not decides(one) for one in observations)
    return used if used >= BUSY_SHARE or 2 * left_out > len(observations) else None


def floor_of(ways: Sequence[JudgedWay]) -> Floor | None:
    """How late the sender by itself was, where that is surely more than is allowed; None where it is not.

    Where it is late the machine took its CPU away. Two threads that spin leave a machine of two CPUs none for anything
    else, so it is asked apart of receivers that sleep: the kind whose sender is less late counts, of those whose
    messages cost the sender nothing.
    """
    kinds: dict[bool, list[LateCounts]] = {one.case.blocking: [] for one in ways}
    for one in ways:
        kinds[one.case.blocking].extend(one.counts)
    if any(len(of_it) < FEW for of_it in kinds.values()):
        return None
    floors = []
    for of_it in kinds.values():
        if len(alone := [one for one in of_it if one.alone]) >= FEW:
            sender, due = [one.sender for one in alone], [one.due for one in alone]
            floors.append(Floor(share(sender, due), lowest_share(sender, due), len(alone)))
    found = min(floors, key=lambda one: one.late, default=None)
    return found if found and found.at_least > ALLOWED else None


def spread_within(ways: Sequence[JudgedWay], required: Requirement) -> LateSpread:
    """How late the trials are of all that would meet the requirement if their figures were exact."""
    return spread([of for one in ways if one.is_within(required) for of in one.counts])


def below_the_clock(observations: Sequence[Observation], required: Requirement) -> float | None:
    """What reading the clock costs (ns), where a latency is asked for that no such clock can tell; else None."""
    costs = [one.figures["clock_cost_ns"] for one in observations if "clock_cost_ns" in one.figures]
    return min(costs) if costs and required.p99_ns < min(costs) else None


def are_alike(one: JudgedWay, other: JudgedWay) -> bool:
    """Whether intervals overlap, of the latency and of the CPU time; of one or two trials there are none."""
    pairs = ((one.p99, other.p99), (one.cpu, other.cpu))
    return all(left and right and left.kind and right.kind and _overlap(left, right) for left, right in pairs)


def _overlap(one: Estimate, other: Estimate) -> bool:
    return one.ends[0] <= other.ends[1] and other.ends[0] <= one.ends[1]
