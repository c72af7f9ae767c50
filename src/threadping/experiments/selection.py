"""What the command line asked for, and what this machine offers: the cases that follow from both, in layers.

A dimension that was named (mechanisms, placements, parameters) is measured as named. What is left open is asked in
layers, the most wanted first; the budget decides how many of them are measured.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from threadping.contract import MechanismDescription
from threadping.errors import NothingToMeasure, UnknownName
from threadping.experiments.experiment import Asked
from threadping.experiments.homes import homes
from threadping.experiments.left_out import left_out
from threadping.experiments.params import refuse_impossible, settings
from threadping.experiments.wishes import Selection, Stand, Wish
from threadping.model import Case, Home, Layer, Skipped, WarmupPolicy


def select_cases(asked: Sequence[Asked], wish: Wish) -> Selection:
    """Every wanted mechanism of every runtime at every wanted placement, with every wanted setting.

    Where several experiments are asked, each measures what it has of what was named, and layers of one name are one.

    Raises UnknownName or UsageError for what nobody knows, NothingToMeasure when no case is left.
    """
    _refuse_unknown("mechanism", wish.mechanisms, [name for one in asked for name in _mechanisms_of(one)])
    _refuse_unknown("placement", wish.placements, [name for one in asked for name in one.places.known])
    _refuse_unknown("home", wish.homes, [name for one in asked for name in (*one.roles, *one.nodes)])
    candidates = [mechanism for one in asked for mechanism in _candidates(wish, one)]
    refuse_impossible(wish.params, candidates)
    layers: dict[str, tuple[Case, ...]] = {}
    skipped: list[Skipped] = []
    for one in asked:
        own = replace(wish, mechanisms=tuple(name for name in wish.mechanisms if one.knows(name)))
        if wish.mechanisms and not own.mechanisms:
            continue
        own = replace(own, homes=tuple(name for name in wish.homes if name in (*one.roles, *one.nodes)))
        if wish.homes and not own.homes:
            skipped.append(Skipped(one.name, f"its threads are {', '.join(one.roles)}: none is {wish.homes[0]}"))
            continue
        skipped += _skipped(one, own)
        for layer in _layers(one, own):
            layers[layer.what] = (*layers.get(layer.what, ()), *layer.cases)
    unique = tuple(dict.fromkeys(skipped))
    if not layers:
        raise NothingToMeasure(f"Nothing is left to measure. {_why(wish, candidates, unique)}.")
    return Selection(tuple(Layer(what, cases) for what, cases in layers.items()), unique)


def _layers(asked: Asked, wish: Wish) -> Iterator[Layer]:
    """The experiment's layers in its order, none of them empty."""
    cases: dict[str, list[Case]] = {}
    for offer in asked.offers:
        for name in wish.mechanisms or offer.mechanisms:
            mechanism = offer.mechanisms.get(name)
            if mechanism is None or mechanism.needs:
                continue
            first = bool(wish.mechanisms) or name in asked.experiment.classic
            for stand in asked.experiment.stands(mechanism, first, wish, asked.places):
                cases.setdefault(stand.layer, []).extend(
                    _case(asked, mechanism, offer.runtime.label, stand, home, warmup, wish.lines)
                    for home in homes(wish.homes, stand.placement, asked.roles, asked.nodes)
                    for warmup in wish.warmups
                )
    for what in asked.experiment.layers:
        if cases.get(what):
            yield Layer(what + _all_varied(wish, cases[what]), tuple(cases[what]))


def _all_varied(wish: Wish, cases: Sequence[Case]) -> str:
    """What differs from the defaults in all of them where nobody asked for it: other parameters."""
    if wish.params or not all(case.varied for case in cases):
        return ""
    varied = dict.fromkeys(f"{name}={case.params[name]}" for case in cases for name in case.varied)
    return f" ({', '.join(varied)})" if varied else ""


def _case(
    asked: Asked,
    mechanism: MechanismDescription,
    runtime: str,
    stand: Stand,
    home: Home | None,
    warmup: WarmupPolicy,
    lines: int | None,
) -> Case:
    return Case(
        experiment=asked.name,
        mechanism=mechanism.name,
        params=stand.setting.params,
        runtime=runtime,
        placement=stand.placement,
        blocking=mechanism.blocking,
        lines=lines if lines and mechanism.lines > 1 else mechanism.lines,  # what sleeps in the kernel has one at most
        varied=stand.setting.varied,
        warmup=warmup,
        timed=asked.timed.get(mechanism.timed, mechanism.timed),
        home=home,
    )


def _skipped(asked: Asked, wish: Wish) -> Iterator[Skipped]:
    yield from (item for item in asked.places.absent if item.what in wish.placements or not wish.placements)
    for offer in asked.offers:
        if offer.experiment is None:
            yield Skipped(f"{asked.name} {offer.runtime.label}", "this runtime's probe does not measure it")
            continue
        for name in wish.mechanisms or offer.mechanisms:
            mechanism = offer.mechanisms.get(name)
            yield from left_out(name, mechanism, offer, asked.offers, wish, asked.places)


def _why(wish: Wish, candidates: Sequence[MechanismDescription], skipped: Sequence[Skipped]) -> str:
    if not wish.mechanisms and not any(settings(mechanism, wish.params) for mechanism in candidates):
        return f"No mechanism has all of {', '.join(wish.params)} as asked for" if wish.params else _listed(skipped)
    return _listed(skipped)


def _listed(skipped: Sequence[Skipped]) -> str:
    return "; ".join(f"{item.what}: {item.reason}" for item in skipped)


def _mechanisms_of(asked: Asked) -> Mapping[str, MechanismDescription]:
    return {name: mechanism for offer in asked.offers for name, mechanism in offer.mechanisms.items()}


def _candidates(wish: Wish, asked: Asked) -> list[MechanismDescription]:
    """The mechanisms among which a parameter must be known."""
    return [
        mechanism
        for offer in asked.offers
        for name, mechanism in offer.mechanisms.items()
        if not wish.mechanisms or name in wish.mechanisms
    ]


def _refuse_unknown(kind: str, wanted: Iterable[str], known: Iterable[str]) -> None:
    names = list(dict.fromkeys(known))
    for name in wanted:
        if name not in names:
            raise UnknownName(kind, name, names)
