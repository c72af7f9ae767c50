"""What a question has become when measuring begins."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from threadping.analysis.states import Wanted
from threadping.contract import Topology
from threadping.model.cases import Case, Runtime, Skipped
from threadping.plan.length import Start
from threadping.plan.plan import Plan
from threadping.sheets.grid import Block


class Begun(Struct, frozen=True, kw_only=True):
    """What a question has become when measuring begins.

    Attributes:
        study: what is stored of the question; the run is tagged by it.
        plan: the trials.
        budget_s: how long the whole may take.
        starts: what a start of each runtime takes.
        topology: of the machine.
        runtimes: those that are started.
        skipped: what is not measured, and why.
        left_out: the cases that were asked for by name, for which there is no time.
        said: what is said before the first trial: what is measured, and how long that takes.
        wanted: the state in which alone to measure; None for any.
        premises: further premises of the run, by their names.
        note: what is to be known of the run, and is shown with it; None for nothing.
        cases_follow: whether the run's cases follow from what is stored of the question, and are not stored with it.
    """

    study: Any
    plan: Plan
    budget_s: float
    starts: Mapping[str, Start]
    topology: Topology
    runtimes: Sequence[Runtime]
    skipped: tuple[Skipped, ...]
    said: Block
    wanted: Wanted | None = None
    premises: Mapping[str, Any] = {}
    note: str | None = None
    cases_follow: bool = False
    left_out: tuple[Case, ...] = ()
