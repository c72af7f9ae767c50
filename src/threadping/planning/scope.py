"""What there is of one experiment: what is selected, the runtimes' mechanisms, the machine's places, and gaps."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from threadping.model.cases import Runtime, Skipped
from threadping.model.contract import ExperimentDescription, MechanismDescription
from threadping.planning.asking import Asking
from threadping.planning.params import Nodes, Places, unmet
from threadping.planning.selection import Selection
from threadping.probes.placements import UNPINNED


class Offer(Struct, frozen=True):
    """A runtime with what its probe says of the experiment (None: it cannot do it).

    A `further` one is asked after the others: another of its kind answers the same
    first questions, or its language is one that can wait.
    """

    runtime: Runtime
    experiment: ExperimentDescription | None
    further: bool = False

    @property
    def mechanisms(self) -> Mapping[str, MechanismDescription]:
        """The runtime's mechanisms by name, those included that it cannot run."""
        return {mechanism.name: mechanism for mechanism in self.experiment.mechanisms} if self.experiment else {}


class Scope(Struct, frozen=True):
    """An experiment, what is selected of it, what each runtime offers, and where its threads and cells can stand here.

    `timed` says in words what a distribution of this name is of.
    """

    name: str
    asking: Asking
    asked: Selection
    offers: Sequence[Offer]
    places: Places
    nodes: Nodes
    timed: Mapping[str, str]

    @property
    def roles(self) -> list[str]:
        """The roles of the threads of the experiment."""
        return list(dict.fromkeys(role for one in self.offers if one.experiment for role in one.experiment.role_names))

    @property
    def mechanisms(self) -> list[MechanismDescription]:
        """Every mechanism of every runtime."""
        return [mechanism for offer in self.offers for mechanism in offer.mechanisms.values()]

    def able(self, name: str, probe: str) -> list[Offer]:
        """The runtimes of this kind that can run a mechanism."""
        alike = [one for one in self.offers if one.runtime.probe == probe and name in one.mechanisms]
        return [one for one in alike if not one.mechanisms[name].needs]

    def gaps(self) -> Iterator[Skipped]:
        """What was asked for and is not measured, and why."""
        named = self.asked.placements
        yield from (item for item in self.places.absent if item.what in named or not named)
        for offer in self.offers:
            if offer.experiment is None:
                yield Skipped(f"{self.name} {offer.runtime.label}", "this runtime's probe does not measure it")
                continue
            for name in self.asked.mechanisms or offer.mechanisms:
                what, mechanism = f"{name} {offer.runtime.label}", offer.mechanisms.get(name)
                if mechanism is None and self._is_own_elsewhere(name):
                    continue
                if mechanism is None:
                    yield Skipped(what, "this runtime's probe does not have it")
                elif mechanism.needs:
                    yield Skipped(what, f"needs {mechanism.needs}{self._remedy(name, offer)}")
                else:
                    reasons = unmet(mechanism, self.asked.params) if self.asked.mechanisms else ()
                    yield from (Skipped(what, reason) for reason in reasons)
                    yield from self._nowhere(what, mechanism)

    def _is_own_elsewhere(self, name: str) -> bool:
        """Whether a mechanism is the user's own, in another language: nobody expects it here."""
        return any(own.name == name for offer in self.offers for own in offer.runtime.own)

    def _remedy(self, name: str, offer: Offer) -> str:
        if offer.runtime.probe != "java":
            return ""
        if able := self.able(name, offer.runtime.probe):
            return f"; measure it with a newer JVM, e.g. --runtime {shlex.quote(able[-1].runtime.label)}"
        return (
            "; measure it with a newer JVM; `threadping runtimes` lists those that are here, --runtime PATH names "
            "another"
        )

    def _nowhere(self, what: str, mechanism: MechanismDescription) -> Iterator[Skipped]:
        """Selected placements at which a mechanism cannot run, or cannot be pinned."""
        asked = self.asked
        process_only = asked.pins == ("process",)
        at_a_role_only = bool(asked.homes) and not any(home.isdecimal() for home in asked.homes)
        if mechanism.pinnable:
            if process_only and UNPINNED in asked.placements:
                yield Skipped(f"{what} {UNPINNED}", "nothing is pinned there, not the process either: leave out --pin")
            elif at_a_role_only and UNPINNED in asked.placements:
                reason = (
                    "no thread has a CPU there at which cells could be made: give --home a NUMA node, or leave it out"
                )
                yield Skipped(f"{what} {UNPINNED}", reason)
            return
        names = [place.name for place in self.places.found]
        elsewhere = [name for name in names if name != UNPINNED and (name in asked.placements or UNPINNED not in names)]
        if elsewhere or process_only or at_a_role_only:
            reason = "its threads have no CPU of their own, so it is measured unpinned only"
            yield Skipped(" ".join([what, *elsewhere]), reason)
