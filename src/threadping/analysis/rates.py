"""Whether an offered rate was held: by how much a count may be off and still be what was meant."""

from math import sqrt

from threadping.analysis.estimate import Estimate
from threadping.model.cases import Case

BY_CHANCE = 3
"""Standard deviations of a count."""

HELD_SHARE, AT_EDGES = 0.99, 2
"""Of the offered rate so much is received where it is held; so many messages, or bursts of them, may fall across the
edges of a trial."""


def sustains_rate(case: Case, held: Estimate, offered: float, measured_ns: float, trials: int) -> bool:
    """Whether an offered rate may be held, by what so many trials received a second, in so much time.

    Messages that are under way at the ends of a trial are no loss, nor are those that chance did not draw.
    """
    messages = held.value * measured_ns / 1e9
    missing = missing_by_chance(case, messages, trials)
    return held.ends[1] / offered >= HELD_SHARE * (1 - (missing / messages if messages else 0.0))


def missing_by_chance(case: Case, messages: float, trials: int) -> float:
    """How many of so many messages may be missing in so many trials though the rate is held."""
    missing = AT_EDGES * trials * float(case.params.get("burst", 1))
    if case.params.get("arrivals") == "poisson":
        missing += BY_CHANCE * sqrt(messages)
    return missing
