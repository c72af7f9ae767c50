"""What the command line asked for, and what this machine offers: the cases that follow from both, in layers.

A dimension that was named (mechanisms, placements, parameters) is measured as named. What is left open is asked in
layers, the most wanted first; the budget decides how many of them are measured.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import ExperimentDescription, MechanismDescription, Pin
from threadping.errors import NothingToMeasure, UnknownName
from threadping.experiments.params import Setting, Wanted, refuse_impossible, settings, unmet, variations
from threadping.model import DEFAULT_WARMUP, Case, Layer, Placement, Runtime, Skipped, WarmupPolicy

ON_DIFFERENT_CPUS = ("smt", "same-l2", "same-l3", "same-node", "cross-node")
UNPINNED = "unpinned"

FIRST, OTHER_MECHANISMS, OTHER_PLACEMENTS, OTHER_PARAMS = range(4)
LAYERS = (
    "what is measured first",
    "the other mechanisms at the closest placement",
    "those mechanisms at their other placements",
    "other parameters",
)
"""What each layer is of, by its rank."""


class Offer(Struct, frozen=True):
    """A runtime with what its probe says of the experiment (None: it cannot do it)."""

    runtime: Runtime
    experiment: ExperimentDescription | None

    @property
    def mechanisms(self) -> Mapping[str, MechanismDescription]:
        """The runtime's mechanisms by name, those included that it cannot run."""
        return {mechanism.name: mechanism for mechanism in self.experiment.mechanisms} if self.experiment else {}


class Places(Struct, frozen=True):
    """Where threads can stand on this machine, where they cannot, and every name that there is."""

    found: Sequence[Placement]
    absent: Sequence[Skipped]
    known: Sequence[str]


class Wish(Struct, frozen=True):
    """What was asked for; what is empty asks for what is usual."""

    mechanisms: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    params: Wanted = {}
    pins: tuple[Pin, ...] = ("thread",)
    warmups: tuple[WarmupPolicy, ...] = (DEFAULT_WARMUP,)
    lines: int | None = None


class Selection(Struct, frozen=True):
    """The cases to measure in layers, none of them empty, and what falls away with the reason."""

    layers: tuple[Layer, ...]
    skipped: tuple[Skipped, ...]


def select_cases(
    experiment: str, classic: Sequence[str], wish: Wish, offers: Sequence[Offer], places: Places
) -> Selection:
    """Every wanted mechanism of every runtime at every wanted placement, with every wanted setting.

    Without a wish for placements a spinning mechanism is measured where its threads own a CPU each (on one CPU a
    hand-over takes a time slice, which few want to wait for), a blocking one also on one CPU and unpinned. Where no two
    threads can own a CPU each, everything is measured on what there is. Threads without a CPU of their own are measured
    unpinned.

    Args:
        experiment: the question.
        classic: its mechanisms that are measured first when none is named.
        wish: what was asked for.
        offers: what each runtime can do.
        places: where threads can stand.

    Raises UnknownName or UsageError for what nobody knows, NothingToMeasure when no case is left.
    """
    _refuse_unknown("mechanism", wish.mechanisms, _known_mechanisms(offers))
    _refuse_unknown("placement", wish.placements, places.known)
    refuse_impossible(wish.params, _candidates(wish, offers))
    skipped = [item for item in places.absent if item.what in wish.placements or not wish.placements]
    layers: dict[int, list[Case]] = {}
    for offer in offers:
        for name in wish.mechanisms or offer.mechanisms:
            mechanism = offer.mechanisms.get(name)
            skipped += _skipped(name, mechanism, offer, offers, wish, places)
            if mechanism is None or mechanism.needs:
                continue
            for rank, setting, placement in _measured(mechanism, classic, wish, places):
                layers.setdefault(rank, []).extend(
                    _case(experiment, mechanism, offer.runtime, setting, placement, warmup, wish.lines)
                    for warmup in wish.warmups
                )
    if not layers:
        reasons = "; ".join(f"{item.what}: {item.reason}" for item in skipped)
        if wish.params and not wish.mechanisms:
            reasons = f"No mechanism has all of {', '.join(wish.params)} as asked for"
        raise NothingToMeasure(f"Nothing is left to measure. {reasons}.")
    return Selection(tuple(_layer(rank, layers[rank]) for rank in sorted(layers)), tuple(skipped))


def _measured(
    mechanism: MechanismDescription, classic: Sequence[str], wish: Wish, places: Places
) -> Iterator[tuple[int, Setting, Placement]]:
    """Every setting at every placement, each with the rank of its layer."""
    placements = _placements(mechanism, wish, places)
    home = _home(placements, wish)
    for setting in settings(mechanism, wish.params):
        for placement in placements:
            if wish.mechanisms or mechanism.name in classic:
                yield FIRST, setting, placement
            else:
                yield OTHER_MECHANISMS if placement in home else OTHER_PLACEMENTS, setting, placement
    if not wish.mechanisms and not wish.params:
        for setting in variations(mechanism):
            for placement in home:
                yield OTHER_PARAMS, setting, placement


def _placements(mechanism: MechanismDescription, wish: Wish, places: Places) -> list[Placement]:
    """Where the mechanism is measured, pinned as was asked for; where nothing is pinned there is one way only."""
    chosen = [place for place in places.found if not wish.placements or place.name in wish.placements]
    apart = [place for place in chosen if place.name in ON_DIFFERENT_CPUS]
    if not mechanism.pinnable:
        chosen = [place for place in chosen if place.name == UNPINNED]
    elif not wish.placements and not mechanism.blocking and apart:
        chosen = apart
    return [
        replace(place, pin=pin)
        for place in chosen
        for pin in wish.pins
        if pin == "thread" or place.name != UNPINNED  # nothing is pinned there
    ]


def _home(placements: Sequence[Placement], wish: Wish) -> list[Placement]:
    """Where a mechanism is measured before anywhere else: as named, or the closest of two different CPUs."""
    if wish.placements or not placements:
        return list(placements)
    name = next((place.name for place in placements if place.name in ON_DIFFERENT_CPUS), placements[0].name)
    return [place for place in placements if place.name == name]


def _case(
    experiment: str,
    mechanism: MechanismDescription,
    runtime: Runtime,
    setting: Setting,
    placement: Placement,
    warmup: WarmupPolicy,
    lines: int | None,
) -> Case:
    return Case(
        experiment=experiment,
        mechanism=mechanism.name,
        params=setting.params,
        runtime=runtime.label,
        placement=placement,
        blocking=mechanism.blocking,
        lines=mechanism.lines if mechanism.blocking else lines or mechanism.lines,
        varied=setting.varied,
        warmup=warmup,
    )


def _layer(rank: int, cases: Sequence[Case]) -> Layer:
    what = LAYERS[rank]
    if rank == OTHER_PARAMS:
        varied = dict.fromkeys(f"{name}={case.params[name]}" for case in cases for name in case.varied)
        what += f" ({', '.join(varied)})"
    return Layer(what, tuple(cases))


def _skipped(
    name: str,
    mechanism: MechanismDescription | None,
    offer: Offer,
    offers: Sequence[Offer],
    wish: Wish,
    places: Places,
) -> Iterator[Skipped]:
    """Why this runtime does not measure the mechanism, or not all that was asked for."""
    what = f"{name} {offer.runtime.label}"
    if mechanism is None:
        yield Skipped(what, "this runtime's probe does not have it")
    elif mechanism.needs:
        yield Skipped(what, f"needs {mechanism.needs}; {_remedy(name, offer, offers)}")
    else:
        lacking = list(unmet(mechanism, wish.params)) if wish.mechanisms else []
        yield from (Skipped(what, reason) for reason in lacking)
        yield from _nowhere(what, mechanism, wish, places)


def _nowhere(what: str, mechanism: MechanismDescription, wish: Wish, places: Places) -> Iterator[Skipped]:
    """What was asked of a mechanism where it cannot stand, or be pinned."""
    process_only = wish.pins == ("process",)
    if mechanism.pinnable:
        if process_only and UNPINNED in wish.placements:
            yield Skipped(f"{what} {UNPINNED}", "nothing is pinned there, not the process either: leave out --pin")
        return
    names = [place.name for place in places.found]
    elsewhere = [name for name in names if name != UNPINNED and (name in wish.placements or UNPINNED not in names)]
    if elsewhere or process_only:
        reason = "its threads have no CPU of their own, so it is measured unpinned only"
        yield Skipped(" ".join([what, *elsewhere]), reason)


def _remedy(name: str, offer: Offer, offers: Sequence[Offer]) -> str:
    """Which runtime to take instead: one that can, where there is one."""
    able = [other for other in offers if name in other.mechanisms and not other.mechanisms[name].needs]
    alike = [other.runtime.label for other in able if other.runtime.probe == offer.runtime.probe]
    if alike:
        return f"measure it with a newer JVM, e.g. --runtime {shlex.quote(alike[-1])}"
    return "measure it with a newer JVM; `threadping runtimes` lists those that are here, --runtime PATH names another"


def _known_mechanisms(offers: Sequence[Offer]) -> list[str]:
    return list(dict.fromkeys(name for offer in offers for name in offer.mechanisms))


def _candidates(wish: Wish, offers: Sequence[Offer]) -> list[MechanismDescription]:
    """The mechanisms among which a parameter must be known."""
    return [
        mechanism
        for offer in offers
        for name, mechanism in offer.mechanisms.items()
        if not wish.mechanisms or name in wish.mechanisms
    ]


def _refuse_unknown(kind: str, wanted: Iterable[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            raise UnknownName(kind, name, [*known])
