"""What tells one experiment from another."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from threadping.contract import MechanismDescription, Topology
from threadping.experiments.wishes import Offer, Places, Stand, Wish
from threadping.model import Case, Row, Trial
from threadping.plan import Pace


class Experiment(Struct, frozen=True):
    """What differs from experiment to experiment; the rest is the same for all.

    Args:
        classic: the mechanisms that are measured first when none is named.
        threads: how many always take part; None where their number is part of the question.
        places: where its threads can stand on a machine.
        layers: the names of its layers, the most wanted first.
        stands: every stand of a mechanism, told whether it is one of those that are measured first.
        pace: what a plan must know of its trials.
        rows: how its trials become rows, given the cases, the trials and a seed.
    """

    classic: tuple[str, ...]
    threads: int | None
    places: Callable[[Topology, Wish], Places]
    layers: tuple[str, ...]
    stands: Callable[[MechanismDescription, bool, Wish, Places], Iterator[Stand]]
    pace: Pace
    rows: Callable[[Sequence[Case], Sequence[Trial], int], list[Row]]


class Asked(Struct, frozen=True):
    """An experiment that is asked, what each runtime offers of it, and where its threads can stand here."""

    name: str
    experiment: Experiment
    offers: Sequence[Offer]
    places: Places

    def knows(self, mechanism: str) -> bool:
        """Whether a runtime has a mechanism of this name."""
        return any(mechanism in offer.mechanisms for offer in self.offers)
