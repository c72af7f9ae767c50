"""What the command line asked for, and what this machine offers: the cases that follow from both, in layers.

A dimension that was named (mechanisms, placements, parameters) is measured as named. What is left open is asked in
layers, the most wanted first; the budget decides how many of them are measured.
"""

from collections.abc import Iterable, Iterator, Sequence

from threadping.contract import MechanismDescription
from threadping.errors import NothingToMeasure, UnknownName
from threadping.experiments.left_out import left_out
from threadping.experiments.params import Setting, refuse_impossible, settings, variations
from threadping.experiments.standing import home_of, placements_of
from threadping.experiments.wishes import Offer, Places, Selection, Wish
from threadping.model import Case, Layer, Placement, Runtime, WarmupPolicy

FIRST, OTHER_MECHANISMS, OTHER_PLACEMENTS, OTHER_PARAMS = range(4)
LAYERS = (
    "what is measured first",
    "the other mechanisms",
    "the other mechanisms at further placements",
    "other parameters",
)
"""What each layer is of, by its rank."""


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
    candidates = _candidates(wish, offers)
    refuse_impossible(wish.params, candidates)
    skipped = [item for item in places.absent if item.what in wish.placements or not wish.placements]
    layers: dict[int, list[Case]] = {}
    for offer in offers:
        for name in wish.mechanisms or offer.mechanisms:
            mechanism = offer.mechanisms.get(name)
            skipped += left_out(name, mechanism, offer, offers, wish, places)
            if mechanism is None or mechanism.needs:
                continue
            for rank, setting, placement in _measured(mechanism, classic, wish, places):
                layers.setdefault(rank, []).extend(
                    _case(experiment, mechanism, offer.runtime, setting, placement, warmup, wish.lines)
                    for warmup in wish.warmups
                )
    if not layers:
        reasons = "; ".join(f"{item.what}: {item.reason}" for item in skipped)
        if not wish.mechanisms and not any(settings(mechanism, wish.params) for mechanism in candidates):
            reasons = f"No mechanism has all of {', '.join(wish.params)} as asked for"
        raise NothingToMeasure(f"Nothing is left to measure. {reasons}.")
    return Selection(tuple(_layer(rank, layers[rank]) for rank in sorted(layers)), tuple(skipped))


def _measured(
    mechanism: MechanismDescription, classic: Sequence[str], wish: Wish, places: Places
) -> Iterator[tuple[int, Setting, Placement]]:
    """Every setting at every placement, each with the rank of its layer."""
    placements = placements_of(mechanism, wish, places)
    home = home_of(placements, wish)
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
