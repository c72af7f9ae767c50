"""What there is for one experiment: its declaration, the runtimes' mechanisms, and the machine's places."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from threadping.contract import ExperimentDescription, MechanismDescription
from threadping.model import Runtime
from threadping.selection.asking import Asking
from threadping.selection.homes import Nodes
from threadping.selection.places import Places


class Offer(Struct, frozen=True):
    """A runtime with what its probe says of the experiment (None: it cannot do it).

    A `further` one is asked after the others, because another of its kind answers the same first questions.
    """

    runtime: Runtime
    experiment: ExperimentDescription | None
    further: bool = False

    @property
    def mechanisms(self) -> Mapping[str, MechanismDescription]:
        """The runtime's mechanisms by name, those included that it cannot run."""
        return {mechanism.name: mechanism for mechanism in self.experiment.mechanisms} if self.experiment else {}


class Scope(Struct, frozen=True):
    """An experiment, what each runtime offers of it, and where its threads and cells can stand here.

    `timed` says in words what a distribution of this name is of.
    """

    name: str
    asking: Asking
    offers: Sequence[Offer]
    places: Places
    nodes: Nodes
    timed: Mapping[str, str]

    @property
    def roles(self) -> list[str]:
        """What its threads are."""
        return list(dict.fromkeys(role for one in self.offers if one.experiment for role in one.experiment.role_names))

    @property
    def mechanisms(self) -> list[MechanismDescription]:
        """Every mechanism of every runtime."""
        return [mechanism for offer in self.offers for mechanism in offer.mechanisms.values()]
