"""Whether the states of the machine make a difference to a case: its trials are split by state only if they do.

Some figures do not depend on how far CPUs stand apart: a thread that sleeps is woken through the scheduler, which takes
a hundred times as long. Split for nothing they would only lose trials.
"""

from collections.abc import Sequence
from itertools import product
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.standing import Standing
from threadping.analysis.states import States
from threadping.model import Observation

EXPLAINED = 0.85
"""Two states explain a figure where it is larger in the one than in the other in more than this share of all pairs of
their trials (Mann and Whitney, On a Test of Whether One of Two Random Variables is Stochastically Larger than the
Other, 1947). Of two times six trials that do not differ 4% are split; with one in seven misjudged, far is still far."""


MATTERS = 0.05
"""And where its medians differ by more than this share: by as much CPUs wander within a state."""


class Seen(Struct, frozen=True):
    """A trial of a run by its number, what it says, and how its CPUs stood."""

    number: int
    observation: Observation
    standing: Standing


Group = tuple[list[tuple[int, ...]], list[Seen]]
"""Trials of states that make no difference, and the places of these states for each of them."""


def with_ping(seen: Seen, headline: str) -> Observation:
    """What a trial says, with the mean of the pings around it and, unless it sleeps, its headline over that."""
    one, core_to_core_ns = seen.observation, seen.standing.core_to_core_ns
    if core_to_core_ns is None or seen.standing.crossed or not one.figures:
        return one
    told = {"core_to_core_ns": core_to_core_ns}
    if headline in one.figures and not one.case.blocking:
        told["over_ping"] = one.figures[headline] / core_to_core_ns
    return replace(one, figures=one.figures | told)


def split(stayed: Sequence[Seen], headline: str, states: States) -> list[tuple[tuple[int, ...], list[Seen]]]:
    """Trials by state, the nearest first; those of neighbouring states together that make no difference.

    Returns:
        For each group of trials, which are in their order, the places of its states; none for several states together.
    """
    by_state: dict[tuple[int, ...], list[Seen]] = {}
    for one in stayed:
        by_state.setdefault(one.standing.states, []).append(one)
    ordered = sorted(by_state, key=lambda places: sum(states.found[place].core_to_core_ns for place in places))
    groups: list[Group] = [([places], by_state[places]) for places in ordered]
    at = 0
    while at + 1 < len(groups):
        (near, nearer), (far, farther) = groups[at], groups[at + 1]
        if explains(_values(nearer, headline), _values(farther, headline)):
            at += 1
        else:
            groups[at : at + 2] = [([*near, *far], sorted([*nearer, *farther], key=lambda seen: seen.number))]
            at = max(0, at - 1)
    return [(places[0] if len(places) == 1 else (), of_it) for places, of_it in groups]


def explains(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether the state explains a figure, of which these are the values of trials in two states."""
    less, more = sorted((median(one), median(other)))
    if more <= (1 + MATTERS) * less:
        return False
    larger = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in product(one, other))
    return not 1 - EXPLAINED <= larger / (len(one) * len(other)) <= EXPLAINED


def _values(of_it: Sequence[Seen], headline: str) -> list[float]:
    return [one.observation.figures[headline] for one in of_it if headline in one.observation.figures]
