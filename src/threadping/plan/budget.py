"""What a budget has room for: what trials cost, how much of it is planned, and what is said where it is too small."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from threadping import quantities
from threadping.contract import OutliersRequest
from threadping.errors import BudgetTooSmall
from threadping.model.cases import Case, Skipped
from threadping.plan.length import Length, Lengths, Start, lengths
from threadping.plan.plan import Plan
from threadping.plan.windows import OUTLIERS, Paces

PLANNED = 0.98
"""The share of a budget that is planned. Where processes start more slowly than the first ones did, warm-ups that end
at their limit make up for it first."""

HEADROOM = 1.1
"""A budget that is recommended is larger than needed by this factor: processes do not start equally fast each time."""

PING_S = 0.012
"""What a reference ping takes with its process; 9 to 14 ms were seen."""

ROUNDING = 1e-9
"""Seconds: a budget that was named as enough is enough, however its parts are added up."""

SPAWN_S = 0.0015
"""What each further process of those that run at once adds, its request, its result and their storing included."""


class Cost(Struct, frozen=True):
    """What a trial of a case costs: its start with the ping of each pair, and how long it must and may be."""

    start_s: float
    lengths: Lengths

    @property
    def hurried(self) -> float:
        """The seconds that it takes where there is no time for six of every case."""
        return self.start_s + self.lengths.hurried.seconds

    @property
    def least(self) -> float:
        """The seconds that it takes at least."""
        return self.start_s + self.lengths.least.seconds

    @property
    def settled(self) -> float:
        """The seconds that it takes where nothing hurries."""
        return self.start_s + self.lengths.settled.seconds


class Budget(Struct, frozen=True):
    """What a plan may take, and what its trials cost.

    Attributes:
        seconds: what the whole may take.
        starts: of each runtime, by its label.
        paces: of each experiment.
        seed: of every random choice.
        trial_s: how long a trial is to be, where that was asked for; half of it is the warm-up.
        outliers: what is looked into.
        until: how well each figure is to be known, as a share of it, where that was asked for.
        spent_s: what was spent of it before anything is measured; more than half of it does not count.
    """

    seconds: float
    starts: Mapping[str, Start]
    paces: Paces
    seed: int
    trial_s: float | None = None
    outliers: OutliersRequest | None = OUTLIERS
    until: float | None = None
    spent_s: float = 0.0

    @property
    def left_s(self) -> float:
        """The seconds of it that are left to measure."""
        return max(self.seconds - self.spent_s, self.seconds / 2)

    @property
    def planned_s(self) -> float:
        """The seconds of it that are planned."""
        return PLANNED * self.left_s

    def carries(self, planned_s: float) -> bool:
        """Whether it has room for a plan of so many seconds."""
        return planned_s <= self.planned_s + ROUNDING

    def refuse_unless_it_carries(self, planned_s: float, what: str, way_out: str = "") -> None:
        """Raise BudgetTooSmall where it has no room for `what`, had nothing been spent; name the smallest that has."""
        if planned_s > PLANNED * self.seconds + ROUNDING:
            raise BudgetTooSmall(
                f"A budget of {self.seconds:g} s is too small: {what} take more. Give at least --budget "
                f"{quantities.budget(budget_for(planned_s))}{way_out}."
            )

    def cost(self, case: Case) -> Cost:
        """What a trial of a case costs."""
        start, pace = self.starts[case.runtime], self.paces[case.experiment]
        start_s = start.seconds + pace.thread_s * case.threads + PING_S * len(case.placement.pairs)
        return Cost(start_s, lengths(case, pace, compiles=start.compiles, trial_s=self.trial_s))

    def plan(self, costs: Mapping[Case, Cost], lengths: Iterable[Length], rounds: int) -> Plan:
        """Plan cases with trials of these lengths; their warm-ups may be as long as where nothing hurries."""
        each = tuple(lengths)
        longest = (
            max(one.lengths.settled.warmup_s, now.warmup_s) for one, now in zip(costs.values(), each, strict=True)
        )
        start_s = tuple(one.start_s for one in costs.values())
        return Plan(tuple(costs), start_s, each, tuple(longest), rounds, self.seed, self.paces, self.outliers)


def budget_for(planned_s: float) -> float:
    """The seconds of a budget that just has room for a plan of so many."""
    return planned_s / PLANNED


def too_much(what: str, cases: int, planned_s: float, spent_s: float = 0.0) -> Skipped:
    """So many cases that a budget does not carry, with one that does, whose plan takes so long, and some headroom."""
    budget = quantities.budget(budget_for(planned_s) * HEADROOM + spent_s)
    return Skipped(what, f"too much for this budget; --budget {budget} has room for them", budget, cases)
