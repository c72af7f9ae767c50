"""What tells one experiment from another."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from threadping.contract import MechanismDescription, Topology
from threadping.experiments.homes import Nodes
from threadping.experiments.wishes import Offer, Places, Stand, Wish
from threadping.model import Case, Row, Trial
from threadping.pace import Pace


class Experiment(Struct, frozen=True):
    """What differs from experiment to experiment; the rest is the same for all.

    Args:
        classic: the mechanisms that are measured first when none is named.
        threads: how many always take part; None where their number is part of the question.
        places: where its threads can stand on a machine.
        layers: the names of its layers, the most wanted first.
        stands: every stand of a mechanism, told whether it is one of those that are measured first.
        pace: what a plan must know of its trials.
        row: how the trials of a case become its row, given a seed.
    """

    classic: tuple[str, ...]
    threads: int | None
    places: Callable[[Topology, Wish], Places]
    layers: tuple[str, ...]
    stands: Callable[[MechanismDescription, bool, Wish, Places], Iterator[Stand]]
    pace: Pace
    row: Callable[[Case, Sequence[Trial], int], Row]


class Asked(Struct, frozen=True):
    """An experiment that is asked, what each runtime offers of it, and where threads and cells can stand here.

    `timed` says in words what a distribution of this name is of.
    """

    name: str
    experiment: Experiment
    offers: Sequence[Offer]
    places: Places
    nodes: Nodes
    timed: Mapping[str, str]

    @property
    def roles(self) -> list[str]:
        """What its threads are."""
        return list(dict.fromkeys(role for one in self.offers if one.experiment for role in one.experiment.roles))

    def knows(self, mechanism: str) -> bool:
        """Whether a runtime has a mechanism of this name."""
        return any(mechanism in offer.mechanisms for offer in self.offers)
