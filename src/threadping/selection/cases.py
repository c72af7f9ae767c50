"""The cases that follow from what was asked and what there is, in layers.

A dimension that was named (mechanisms, placements, parameters) is measured as named. What is left open is asked in
layers, the most wanted first; the budget decides how many of them are measured.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, product

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
OTHER_MECHANISMS = "the other mechanisms"
OTHER_RUNTIMES = "the other JVMs"
SAME_ELSEWHERE = "the same mechanisms on the other JVMs"
OTHER_PLACEMENTS = "further placements"
OTHER_THREADS = "further numbers of threads"
OTHER_PARAMS = "other parameters"
LAYERS = (FIRST, OTHER_MECHANISMS, OTHER_RUNTIMES, SAME_ELSEWHERE, OTHER_PLACEMENTS, OTHER_THREADS, OTHER_PARAMS)


class Cases(Struct, frozen=True):
    """The cases to measure in layers, none of them empty, and what falls away with the reason."""

    layers: tuple[Layer, ...]
    skipped: tuple[Skipped, ...]


class Candidate(Struct, frozen=True):
    """A mechanism of a runtime with these parameters at this placement.

    Attributes:
        cases: what it comes to: pinned in one way or another, with each home and warm-up.
        threads: the place of its number of threads among those asked first; None for a further number.
        rank: which of the questions that are asked first it answers; None if it answers none.
        further: whether its runtime is asked after the others.
        has_sooner: whether a runtime that is asked before it can do the same.
        at_home: whether its placement is the usual one.
        usual: whether its parameters are.
    """

    cases: tuple[Case, ...]
    threads: int | None
    rank: int | None
    further: bool
    has_sooner: bool
    at_home: bool
    usual: bool


def cases_of(scopes: Sequence[Scope], asked: Asked) -> Cases:
    """Every mechanism that was asked for, of every runtime, at every placement, with every setting.

    Where several experiments are asked, each measures what it has of what was named, and layers of one name are one.

    Raises:
        UnknownName: nobody knows a name.
        UsageError: a value is impossible.
        NothingToMeasure: no case is left.
    """
    known = [one for scope in scopes for one in scope.mechanisms]
    _refuse_unknown("mechanism", asked.mechanisms, [one.name for one in known])
    _refuse_unknown("placement", asked.placements, PLACEMENT_NAMES)
    _refuse_unknown("home", asked.homes, [name for scope in scopes for name in (*scope.roles, *scope.nodes)])
    named = [one for one in known if not asked.mechanisms or one.name in asked.mechanisms]
    refuse_impossible(asked.params, named)
    candidates: list[Candidate] = []
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
        candidates += _candidates(scope, own)
    unique = tuple(dict.fromkeys(skipped))
    if not candidates:
        lacking = asked.params and not any(settings(mechanism, asked.params) for mechanism in named)
        listed = "; ".join(f"{item.what}: {item.reason}" for item in unique)
        why = f"No mechanism has all of {', '.join(asked.params)} as asked for" if lacking else listed
        raise NothingToMeasure(f"Nothing is left to measure. {why}.")
    return Cases(tuple(_layers(candidates, asked)), unique)


def _layers(candidates: Sequence[Candidate], asked: Asked) -> Iterator[Layer]:
    """Each layer holds what those before it do not; what was named is measured whole, or not at all."""
    seen: dict[Case, None] = {}
    wanted: dict[str, Callable[[Candidate], bool]] = {
        FIRST: lambda one: one.rank is not None and not one.further and one.threads is not None,
        OTHER_MECHANISMS: lambda one: _is_plain(one) and not one.has_sooner and one.rank is None,
        OTHER_RUNTIMES: lambda one: one.rank is not None and one.threads is not None,
        SAME_ELSEWHERE: _is_plain,
        OTHER_PLACEMENTS: lambda one: one.usual and one.threads is not None,
        OTHER_THREADS: lambda one: one.usual or one.rank is not None,
        OTHER_PARAMS: lambda _: True,
    }
    for what, is_wanted in wanted.items():
        ordered = sorted(filter(is_wanted, candidates), key=lambda one: _want(one, asked.experiments))
        cases = [case for case in chain.from_iterable(one.cases for one in ordered) if case not in seen]
        seen |= dict.fromkeys(cases)
        if cases:
            unhurried = what not in (FIRST, OTHER_MECHANISMS)
            yield Layer(
                what + _all_varied(asked, cases), tuple(dict.fromkeys(cases)), bool(asked.mechanisms), unhurried
            )


def _want(one: Candidate, experiments: Sequence[str]) -> tuple[int, ...]:
    """The sooner, the less: four questions of an experiment, then of the next; every mechanism with so many threads."""
    if one.rank is None:
        return 1, one.threads or 0
    return 0, one.rank // 4, experiments.index(one.cases[0].experiment), one.rank


def _is_plain(one: Candidate) -> bool:
    return one.usual and one.at_home and one.threads is not None


def _own(scope: Scope, asked: Asked) -> Asked:
    """What was asked of this experiment."""
    own = [one.name for one in scope.mechanisms]
    homes_here = tuple(name for name in asked.homes if name in (*scope.roles, *scope.nodes))
    return replace(asked, mechanisms=tuple(name for name in asked.mechanisms if name in own), homes=homes_here)


def _candidates(scope: Scope, asked: Asked) -> Iterator[Candidate]:
    for offer in scope.offers:
        for name in asked.mechanisms or offer.mechanisms:
            mechanism = offer.mechanisms.get(name)
            if mechanism is not None and not mechanism.needs:
                yield from _of_mechanism(scope, offer, mechanism, asked)


def _of_mechanism(scope: Scope, offer: Offer, mechanism: MechanismDescription, asked: Asked) -> Iterator[Candidate]:
    """A mechanism with every setting, each at every placement where it is measured with that."""
    chosen = places_of(mechanism, scope.places, asked, scope.asking.threads)
    home = chosen if asked.placements else homes_among(chosen)
    usual = settings(mechanism, asked.params)
    varied = [] if asked.mechanisms or asked.params else [*_firsts(scope, mechanism), *variations(mechanism)]
    has_sooner = offer.further and _has_sooner(scope, offer, mechanism)
    counts = list(scope.places.first)
    for setting in (*usual, *(one for place, one in enumerate(varied) if one not in varied[:place])):
        for place in chosen if setting in usual else home:
            if scope.asking.threads_of(setting.params) not in (None, place.threads):
                continue
            cases = tuple(_cases(scope, offer, mechanism, setting, place, asked))
            place_among = counts.index(place.threads) if place.threads in counts else None
            if cases:
                yield Candidate(
                    cases=cases,
                    threads=0 if asked.mechanisms else place_among,
                    rank=_rank(scope, mechanism, setting, place, asked, at_home=place in home),
                    further=offer.further,
                    has_sooner=has_sooner,
                    at_home=place in home,
                    usual=setting in usual,
                )


def _firsts(scope: Scope, mechanism: MechanismDescription) -> list[Setting]:
    """The settings of a mechanism that are asked first: of numbers too, which are not varied otherwise."""
    return [
        setting
        for first in scope.asking.first
        if first.params and first.mechanism == mechanism.name
        for setting in settings(mechanism, {name: (value,) for name, value in first.params.items()})
    ]


def _rank(
    scope: Scope, mechanism: MechanismDescription, setting: Setting, place: Placement, asked: Asked, *, at_home: bool
) -> int | None:
    """Which of the questions that are asked first this answers; None if it answers none."""
    if asked.mechanisms:
        return 0
    kinds = {"home": at_home, "apart": place.name in CPUS_APART, "unpinned": place.name == UNPINNED}
    given = {param: str(setting.params[param]) for param in setting.varied}
    for rank, first in enumerate(scope.asking.first):
        as_asked = dict(first.params) == given or bool(asked.params)
        somewhere = bool(asked.placements or asked.cpus) or any(kinds[where] for where in first.where)
        if first.mechanism == mechanism.name and as_asked and somewhere:
            return rank
    return None


def _has_sooner(scope: Scope, offer: Offer, mechanism: MechanismDescription) -> bool:
    """Whether a runtime of its kind that is asked before can do the same."""
    alike = (other for other in scope.offers if other.runtime.probe == offer.runtime.probe and not other.further)
    found = (other.mechanisms.get(mechanism.name) for other in alike)
    return any(one and not one.needs for one in found)


def _cases(
    scope: Scope, offer: Offer, mechanism: MechanismDescription, setting: Setting, place: Placement, asked: Asked
) -> Iterator[Case]:
    for placement in ways_to_pin(place, asked):
        for home, warmup in product(homes(asked.homes, placement, scope.roles, scope.nodes), asked.warmups):
            yield Case(
                experiment=scope.name,
                mechanism=mechanism.name,
                params=setting.params,
                runtime=offer.runtime.label,
                placement=placement,
                blocking=mechanism.blocking,
                # What sleeps in the kernel has one line at most.
                lines=asked.lines if asked.lines and mechanism.lines > 1 else mechanism.lines,
                varied=setting.varied,
                warmup=warmup,
                timed=scope.timed.get(mechanism.timed[0], mechanism.timed[0]),
                home=home,
                crew=scope.asking.crew,
            )


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
