"""How a budget is spent: which cases it carries, in how many rounds, and how long each trial is. Pure."""

from threadping.plan.blocks import Blocks, Comparable, make_blocks
from threadping.plan.length import Length, Start
from threadping.plan.pacing import Pacing
from threadping.plan.rounds import (
    HIGHEST_SEED,
    STEADY,
    Fitting,
    Layer,
    Plan,
    budget_for,
    fitting,
    make_plan,
    rounds_for,
)
from threadping.plan.schedule import Batch, Ended, Levels, Rounds, Schedule, Turn
from threadping.plan.search import Search, make_search
from threadping.plan.survey import survey
from threadping.plan.tournament import Planned, Tournament, make_tournament
from threadping.plan.windows import (
    BLOCKS,
    MILLISECOND,
    OUTLIERS,
    SECOND,
    Pace,
    Paces,
    crowding,
    in_blocks,
    in_long_periods,
    in_periods,
    on_schedule,
)

__all__ = [
    "BLOCKS",
    "HIGHEST_SEED",
    "MILLISECOND",
    "OUTLIERS",
    "SECOND",
    "STEADY",
    "Batch",
    "Blocks",
    "Comparable",
    "Ended",
    "Fitting",
    "Layer",
    "Length",
    "Levels",
    "Pace",
    "Paces",
    "Pacing",
    "Plan",
    "Planned",
    "Rounds",
    "Schedule",
    "Search",
    "Start",
    "Tournament",
    "Turn",
    "budget_for",
    "crowding",
    "fitting",
    "in_blocks",
    "in_long_periods",
    "in_periods",
    "make_blocks",
    "make_plan",
    "make_search",
    "make_tournament",
    "on_schedule",
    "rounds_for",
    "survey",
]
