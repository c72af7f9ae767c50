"""The cases that follow from what was asked and what there is, in layers.

A dimension that was named (mechanisms, placements, parameters) is measured as named. What is left open is asked in
layers, the most wanted first; the budget decides how many of them are measured.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import MechanismDescription
from threadping.errors import NothingToMeasure, UnknownName
from threadping.machine.placements import PLACEMENT_NAMES, UNPINNED
from threadping.model import Case, Placement, Skipped
from threadping.plan import Layer
from threadping.relation import CPUS_APART
from threadping.selection.asked import Asked
from threadping.selection.homes import homes
from threadping.selection.left_out import left_out
from threadping.selection.params import Setting, refuse_impossible, settings, variations
from threadping.selection.places import homes_among, places_of, ways_to_pin
from threadping.selection.scope import Offer, Scope

FIRST = "what is measured first"
OTHER_RUNTIMES = "the other virtual machines"
OTHER_MECHANISMS = "the other mechanisms"
SAME_ELSEWHERE = "the same mechanisms in the other virtual machines"
OTHER_PLACEMENTS = "further placements"
OTHER_THREADS = "further numbers of threads"
OTHER_PARAMS = "other parameters"
LAYERS = (FIRST, OTHER_RUNTIMES, OTHER_MECHANISMS, SAME_ELSEWHERE, OTHER_PLACEMENTS, OTHER_THREADS, OTHER_PARAMS)
"""A case belongs to the last of these that is true of it."""


class Cases(Struct, frozen=True):
    """The cases to measure in layers, none of them empty, and what falls away with the reason."""

    layers: tuple[Layer, ...]
    skipped: tuple[Skipped, ...]


class Candidate(Struct, frozen=True):
    """A mechanism of a runtime with these parameters at this placement, and whether both are as they usually are."""

    mechanism: MechanismDescription
    offer: Offer
    setting: Setting
    usual: bool
    placement: Placement
    at_home: bool


def cases_of(scopes: Sequence[Scope], asked: Asked) -> Cases:
    """Every mechanism that was asked for, of every runtime, at every placement, with every setting.

    Where several experiments are asked, each measures what it has of what was named, and layers of one name are one.
    Raises UnknownName or UsageError for what nobody knows, NothingToMeasure when no case is left.
    """
    known = [one for scope in scopes for one in scope.mechanisms]
    _refuse_unknown("mechanism", asked.mechanisms, [one.name for one in known])
    _refuse_unknown("placement", asked.placements, PLACEMENT_NAMES)
    _refuse_unknown("home", asked.homes, [name for scope in scopes for name in (*scope.roles, *scope.nodes)])
    named = [one for one in known if not asked.mechanisms or one.name in asked.mechanisms]
    refuse_impossible(asked.params, named)
    layers: dict[int, list[tuple[int, Case]]] = {}
    skipped: list[Skipped] = []
    for scope in scopes:
        own = _own(scope, asked)
        if asked.mechanisms and not own.mechanisms:
            continue
        if asked.homes and not own.homes:
            reason = f"its threads are {', '.join(scope.roles)}: none is {asked.homes[0]}"
            skipped.append(Skipped(scope.name, reason))
            continue
        skipped += _skipped(scope, own)
        for one in _candidates(scope, own):
            rank = _rank(scope, one, own)
            layer = _layer_of(scope, one, own, rank)
            for case in _cases(scope, one, own):
                layers.setdefault(layer, []).append((rank or 0, case))
    unique = tuple(dict.fromkeys(skipped))
    if not layers:
        lacking = asked.params and not any(settings(mechanism, asked.params) for mechanism in named)
        listed = "; ".join(f"{item.what}: {item.reason}" for item in unique)
        why = f"No mechanism has all of {', '.join(asked.params)} as asked for" if lacking else listed
        raise NothingToMeasure(f"Nothing is left to measure. {why}.")
    return Cases(tuple(_layer(number, layers[number], asked) for number in sorted(layers)), unique)


def _own(scope: Scope, asked: Asked) -> Asked:
    """What was asked of this experiment."""
    own = [one.name for one in scope.mechanisms]
    homes_here = tuple(name for name in asked.homes if name in (*scope.roles, *scope.nodes))
    return replace(asked, mechanisms=tuple(name for name in asked.mechanisms if name in own), homes=homes_here)


def _candidates(scope: Scope, asked: Asked) -> Iterator[Candidate]:
    for offer in scope.offers:
        for name in asked.mechanisms or offer.mechanisms:
            mechanism = offer.mechanisms.get(name)
            if mechanism is None or mechanism.needs:
                continue
            chosen = places_of(mechanism, scope.places, asked, scope.asking.threads)
            at_home = chosen if asked.placements else homes_among(chosen)
            usual = settings(mechanism, asked.params)
            varied = [] if asked.mechanisms or asked.params else [*_firsts(scope, mechanism), *variations(mechanism)]
            for setting in (*usual, *(one for place, one in enumerate(varied) if one not in varied[:place])):
                for place in chosen if setting in usual else at_home:
                    if scope.asking.threads_of(setting.params) in (None, place.threads):
                        yield Candidate(mechanism, offer, setting, setting in usual, place, place in at_home)


def _firsts(scope: Scope, mechanism: MechanismDescription) -> list[Setting]:
    """The settings of a mechanism that are asked first: of numbers too, which are not varied otherwise."""
    return [
        setting
        for first in scope.asking.first
        if first.params and first.mechanism == mechanism.name
        for setting in settings(mechanism, {name: (value,) for name, value in first.params.items()})
    ]


def _rank(scope: Scope, one: Candidate, asked: Asked) -> int | None:
    """Which of the questions that are asked first this answers; None if it answers none."""
    if asked.mechanisms:
        return 0
    name = one.placement.name
    kinds = {"home": one.at_home, "apart": name in CPUS_APART, "unpinned": name == UNPINNED}
    given = {param: str(one.setting.params[param]) for param in one.setting.varied}
    for rank, first in enumerate(scope.asking.first):
        as_asked = dict(first.params) == given or bool(asked.params)
        somewhere = bool(asked.placements or asked.cpus) or any(kinds[where] for where in first.where)
        if first.mechanism == one.mechanism.name and as_asked and somewhere:
            return rank
    return None


def _layer_of(scope: Scope, one: Candidate, asked: Asked, rank: int | None) -> int:
    truths = {
        OTHER_RUNTIMES: one.offer.further,
        OTHER_MECHANISMS: rank is None,
        SAME_ELSEWHERE: rank is None and one.offer.further and _has_sooner(scope, one),
        OTHER_PLACEMENTS: rank is None and not one.at_home,
        OTHER_THREADS: not asked.mechanisms and one.placement.threads not in scope.places.first,
        OTHER_PARAMS: rank is None and not one.usual,
    }
    return max((LAYERS.index(layer) for layer, true in truths.items() if true), default=LAYERS.index(FIRST))


def _has_sooner(scope: Scope, one: Candidate) -> bool:
    """Whether a runtime of its kind that is asked before can do the same."""
    alike = (other for other in scope.offers if other.runtime.probe == one.offer.runtime.probe and not other.further)
    found = (other.mechanisms.get(one.mechanism.name) for other in alike)
    return any(mechanism and not mechanism.needs for mechanism in found)


def _cases(scope: Scope, one: Candidate, asked: Asked) -> Iterator[Case]:
    mechanism = one.mechanism
    for placement in ways_to_pin(one.placement, asked):
        for home, warmup in product(homes(asked.homes, placement, scope.roles, scope.nodes), asked.warmups):
            yield Case(
                experiment=scope.name,
                mechanism=mechanism.name,
                params=one.setting.params,
                runtime=one.offer.runtime.label,
                placement=placement,
                blocking=mechanism.blocking,
                # What sleeps in the kernel has one line at most.
                lines=asked.lines if asked.lines and mechanism.lines > 1 else mechanism.lines,
                varied=one.setting.varied,
                warmup=warmup,
                timed=scope.timed.get(mechanism.timed[0], mechanism.timed[0]),
                home=home,
                crew=scope.asking.crew,
            )


def _layer(number: int, ranked: Sequence[tuple[int, Case]], asked: Asked) -> Layer:
    """The cases in the order in which they are wanted; what was named is measured whole, or not at all."""
    cases = tuple(case for _, case in sorted(ranked, key=lambda one: one[0]))
    whole = LAYERS[number] != FIRST or bool(asked.mechanisms)
    return Layer(LAYERS[number] + _all_varied(asked, cases), cases, whole)


def _all_varied(asked: Asked, cases: Sequence[Case]) -> str:
    """What differs from the defaults in all of them where nobody asked for it: other parameters."""
    if asked.params or not all(case.varied for case in cases):
        return ""
    return f" ({', '.join(dict.fromkeys(f'{name}={case.params[name]}' for case in cases for name in case.varied))})"


def _skipped(scope: Scope, asked: Asked) -> Iterator[Skipped]:
    yield from (item for item in scope.places.absent if item.what in asked.placements or not asked.placements)
    for offer in scope.offers:
        if offer.experiment is None:
            yield Skipped(f"{scope.name} {offer.runtime.label}", "this runtime's probe does not measure it")
            continue
        for name in asked.mechanisms or offer.mechanisms:
            yield from left_out(name, offer, scope.offers, asked, scope.places)


def _refuse_unknown(kind: str, asked: Iterable[str], known: Iterable[str]) -> None:
    names = list(dict.fromkeys(known))
    for name in asked:
        if name not in names:
            raise UnknownName(kind, name, names)
