"""The advice that a run's trials give: which way of waiting is the cheapest that meets a requirement, and how sure."""

from collections.abc import Sequence

from threadping.analysis.estimate import Estimate
from threadping.model.bounds import Record
from threadping.model.cases import Case
from threadping.model.run import Run
from threadping.model.studies import Requirement
from threadping.model.trials import Observation
from threadping.studies.advise.floor import Floor, floor_of
from threadping.studies.advise.judging import JudgedWay, judge_way, quickest

NOT_ASKED = "advice asks one JVM unless --runtime names more"
"""Why a runtime that is here is in no way of an advice."""


class Advice(Record, frozen=True):
    """What meets a requirement.

    Attributes:
        required: what was asked for.
        chosen: the cheapest way that meets it; where none surely does, the cheapest that would if its figures were
            exact; None where nothing does.
        others: all others that were measured, the cheapest first.
        clock_ns: what reading the clock costs, where the requirement is below it; else None.
        floor: where the sender by itself is later than is allowed: no way of waiting could meet it then; else None.
        unasked: further JVMs that are here and were not asked.
    """

    required: Requirement
    chosen: JudgedWay | None
    others: tuple[JudgedWay, ...]
    clock_ns: float | None = None
    floor: Floor | None = None
    unasked: tuple[str, ...] = ()

    @property
    def alike(self) -> tuple[JudgedWay, ...]:
        """The ways that do not differ from the chosen one, or else from the quickest, by intervals of p99 and CPU."""
        found = self.chosen or quickest(self.others)
        return tuple(one for one in self.others if found and one is not found and are_alike(one, found))

    @property
    def is_sure(self) -> bool:
        """Whether the trials decide it."""
        return self.chosen is not None and self.chosen.verdict == "meets"

    @property
    def ways(self) -> tuple[JudgedWay, ...]:
        """All ways that were measured, the chosen one first."""
        return (self.chosen, *self.others) if self.chosen else self.others


def advise(run: Run, observations: Sequence[Observation]) -> Advice:
    """Find the cheapest way that meets the requirement of a run, by all of its trials."""
    required = run.study
    assert isinstance(required, Requirement)
    if (clock_ns := below_the_clock(observations, required)) is not None:
        return Advice(required, None, (), clock_ns)
    by_case: dict[Case, list[Observation]] = {case: [] for case in run.cases}
    for one in observations:
        by_case[one.case].append(one)
    ways = sorted(
        (judge_way(case, trials, required) for case, trials in by_case.items() if trials), key=lambda one: one.cost
    )
    sure = [one for one in ways if one.verdict == "meets"]
    within = [one for one in ways if one.is_within(required)]
    chosen = next(iter([*sure, *within]), None)
    return Advice(
        required,
        chosen,
        tuple(one for one in ways if one is not chosen),
        floor=None if chosen else floor_of(run.cases, observations, required),
        unasked=tuple(one.what for one in run.skipped if one.reason == NOT_ASKED),
    )


def below_the_clock(observations: Sequence[Observation], required: Requirement) -> float | None:
    """What reading the clock costs (ns), where a latency is asked for that no such clock can tell; else None."""
    costs = [one.figures["clock_cost_ns"] for one in observations if "clock_cost_ns" in one.figures]
    return min(costs) if costs and required.p99_ns < min(costs) else None


def are_alike(one: JudgedWay, other: JudgedWay) -> bool:
    """Whether intervals overlap, of the latency and of the CPU time."""
    pairs = ((one.p99, other.p99), (one.cpu, other.cpu))
    return all(left is not None and right is not None and _overlap(left, right) for left, right in pairs)


def _overlap(one: Estimate, other: Estimate) -> bool:
    return one.ends[0] <= other.ends[1] and other.ends[0] <= one.ends[1]
