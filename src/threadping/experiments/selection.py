"""What the command line asked for, and what this machine offers: the cases that follow from both."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from threadping.contract import ExperimentDescription, MechanismDescription
from threadping.errors import NothingToMeasure, UnknownName
from threadping.model import Case, Placement, Runtime, Skipped

ON_DIFFERENT_CPUS = ("smt", "same-l2", "same-l3", "same-node", "cross-node")


class Offer(Struct, frozen=True):
    """A runtime with what its probe says of the experiment (None: it cannot do it)."""

    runtime: Runtime
    experiment: ExperimentDescription | None


class Wish(Struct, frozen=True):
    """The names that were asked for; an empty tuple asks for what is usual. `cpus` overrules the placements."""

    mechanisms: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()


class Selection(Struct, frozen=True):
    """The cases to measure, in a stable order, and what falls away with the reason."""

    cases: tuple[Case, ...]
    skipped: tuple[Skipped, ...]


def select_cases(
    experiment: str,
    wish: Wish,
    offers: Sequence[Offer],
    placements: Sequence[Placement],
    absent: Sequence[Skipped],
    known_placements: Sequence[str],
) -> Selection:
    """Every wanted mechanism of every runtime at every wanted placement.

    Without a wish for placements a spinning mechanism is measured where its threads own a CPU each (on one CPU a
    hand-over takes a time slice, which few want to wait for), a blocking one also on one CPU and unpinned. Where no two
    threads can own a CPU each, everything is measured on what there is.

    Raises UnknownName for a mechanism or a placement that nobody knows, NothingToMeasure when no case is left.
    """
    _refuse_unknown("mechanism", wish.mechanisms, _mechanism_names(offers))
    _refuse_unknown("placement", wish.placements, [*known_placements])
    skipped = [item for item in absent if item.what in wish.placements or not wish.placements]
    cases: list[Case] = []
    for offer in offers:
        mechanisms = (
            {mechanism.name: mechanism for mechanism in offer.experiment.mechanisms} if offer.experiment else {}
        )
        for name in wish.mechanisms or mechanisms:
            mechanism = mechanisms.get(name)
            missing = _why_not(mechanism)
            if mechanism is None or missing:
                skipped.append(Skipped(f"{name} {offer.runtime.label}", missing or "unavailable"))
                continue
            for placement in _wanted_placements(wish, placements, blocking=mechanism.blocking):
                cases.append(_case(experiment, mechanism, offer.runtime, placement))
    if not cases:
        reasons = "; ".join(f"{item.what}: {item.reason}" for item in skipped) or "no runtime was found"
        raise NothingToMeasure(f"Nothing is left to measure. {reasons}.")
    return Selection(tuple(cases), tuple(skipped))


def _wanted_placements(wish: Wish, placements: Sequence[Placement], *, blocking: bool) -> list[Placement]:
    if wish.placements:
        return [placement for placement in placements if placement.name in wish.placements]
    apart = [placement for placement in placements if placement.name in ON_DIFFERENT_CPUS]
    return list(placements) if blocking or not apart else apart


def _case(experiment: str, mechanism: MechanismDescription, runtime: Runtime, placement: Placement) -> Case:
    params = {param.name: param.default for param in mechanism.params}
    return Case(experiment, mechanism.name, params, runtime.label, placement, mechanism.blocking, mechanism.lines)


def _why_not(mechanism: MechanismDescription | None) -> str | None:
    if mechanism is None:
        return "this runtime's probe does not have it"
    return f"this runtime cannot run it: it needs {mechanism.needs}" if mechanism.needs else None


def _mechanism_names(offers: Sequence[Offer]) -> list[str]:
    names = {m.name: None for offer in offers if offer.experiment for m in offer.experiment.mechanisms}
    return list(names)


def _refuse_unknown(kind: str, wanted: Iterable[str], known: list[str]) -> None:
    for name in wanted:
        if name not in known:
            raise UnknownName(kind, name, known)
