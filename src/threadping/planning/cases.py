"""A selection becomes the cases of this machine, in layers, and a list of what it leaves out.

A dimension that was named (mechanisms, placements, parameters) is measured as named. What is left open is asked in
layers, the most wanted first; the budget decides how many of them are measured.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.questions import axes_of
from threadping.model import quantities
from threadping.model.cases import Busy, Case, Placement, Runtime, Skipped
from threadping.model.contract import ExperimentDescription, MechanismDescription
from threadping.model.errors import NothingToMeasure, UsageError, either
from threadping.planning.defaults import CaseDefaults
from threadping.planning.plan import FEWEST_ROUNDS, USUAL_ROUNDS, Layer
from threadping.planning.selection import (
    Inventory,
    Nodes,
    Places,
    Selection,
    Setting,
    homes,
    homes_among,
    mechanisms_named,
    places,
    places_of,
    refuse_impossible,
    refuse_unknown_homes,
    settings,
    unmet,
    variations,
)
from threadping.probes.placements import CPUS_APART, UNPINNED, nodes, usable
from threadping.probes.runtimes import LANGUAGES


class Offer(Struct, frozen=True):
    """A runtime with its probe's description of the experiment (or None); a `further` one is asked after the others."""

    runtime: Runtime
    experiment: ExperimentDescription | None
    mechanisms: Mapping[str, MechanismDescription]  # by name, even those that it cannot run
    further: bool


class Scope(Struct, frozen=True):
    """An experiment: what is selected, what runtimes offer, the places of threads, and what is `timed`, in words."""

    name: str
    defaults: CaseDefaults
    asked: Selection
    offers: Sequence[Offer]
    places: Places
    nodes: Nodes
    timed: Mapping[str, str]
    roles: Sequence[str]  # of all threads, each once
    mechanisms: Sequence[MechanismDescription]  # of all runtimes

    def able(self, name: str, probe: str) -> list[Offer]:
        alike = [one for one in self.offers if one.runtime.probe == probe and name in one.mechanisms]
        return [one for one in alike if not one.mechanisms[name].needs]

    def gaps(self) -> Iterator[Skipped]:
        """Yield the requested cases that are not measured, with reasons."""
        named = self.asked.placements
        yield from (item for item in self.places.absent if item.what in named or not named)
        param, threads = self.defaults.smaller, dict.fromkeys(place.threads for place in self.places.found)
        sizes = [int(size) for text in self.asked.params.get(param, ()) if (size := quantities.parse_count(text))]
        if sizes and threads and min(sizes) >= max(threads):
            raise UsageError(f"{param}={min(sizes)} must be less than the number of threads, {max(threads)}.")
        small = [(size, of) for size, of in product(sizes, threads) if size >= of]
        yield from (Skipped(f"{self.name} {param}={size}", f"needs more than {of} threads") for size, of in small)
        for offer in self.offers:
            if offer.experiment is None:
                yield Skipped(f"{self.name} {offer.runtime.label}", "this runtime's probe does not measure it")
                continue
            for name in self.asked.mechanisms or offer.mechanisms:
                what, mechanism = f"{name} {offer.runtime.label}", offer.mechanisms.get(name)
                if mechanism is None:  # nobody expects a custom one in another language
                    if not any(own.name == name for offer in self.offers for own in offer.runtime.own):
                        yield Skipped(what, "this runtime's probe does not have it")
                elif mechanism.needs:
                    yield Skipped(what, f"needs {mechanism.needs}{self._remedy(name, offer)}")
                else:
                    reasons = unmet(mechanism, self.asked.params) if self.asked.mechanisms else ()
                    yield from (Skipped(what, reason) for reason in reasons)
                    yield from self._nowhere(what, mechanism)

    def _remedy(self, name: str, offer: Offer) -> str:
        if offer.runtime.probe != "java":
            return ""
        if able := self.able(name, offer.runtime.probe):
            return f"; measure it with a newer JVM, e.g. --runtime {shlex.quote(able[-1].runtime.label)}"
        return (
            "; measure it with a newer JVM; `threadping info runtimes` lists those that are here, --runtime PATH names "
            "another"
        )

    def _nowhere(self, what: str, mechanism: MechanismDescription) -> Iterator[Skipped]:
        """Yield the selected placements at which a mechanism cannot run, or cannot be pinned."""
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


class Cases(Struct, frozen=True):
    """The cases to measure in layers, none of them empty, and what falls away with the reason."""

    layers: tuple[Layer, ...]
    skipped: tuple[Skipped, ...]

    @property
    def every(self) -> list[Case]:
        """Return the cases of all layers, the most wanted first."""
        return [case for layer in self.layers for case in layer.cases]


class Candidate(Struct, frozen=True):
    """A mechanism of a runtime with these parameters at this placement."""

    cases: tuple[Case, ...]  # what it comes to: pinned in one way or another, with each home and warm-up
    rank: int | None  # which of the questions that are asked first it answers; None if it answers none
    layer: str  # in which its cases come
    wanted: tuple[int, ...]  # the sort key within that: four questions of an experiment, then of the next; short trials


FIRST, OTHER_MECHANISMS, OTHER_RUNTIMES = "those measured first", "other mechanisms and settings", "other runtimes"
SAME_MECHANISMS, BY_NAME = "the same mechanisms on other runtimes", "those asked for"
PLACEMENTS, NUMBERS, OTHER_PARAMS = "further placements", "further numbers of threads", "other parameters"
LAYERS = (FIRST, OTHER_MECHANISMS, OTHER_RUNTIMES, SAME_MECHANISMS, PLACEMENTS, NUMBERS, OTHER_PARAMS)
HURRIED = (FIRST, OTHER_MECHANISMS)  # layers whose trials are short until every mechanism was measured
BUSY_TO_A_CPU = 4  # busy threads per CPU at most: with more a trial ends before each had its turn


def expand(selection: Selection, here: Inventory) -> Cases:
    """Return the cases of every selected experiment, in layers, and what is left out; raise UsageError."""
    if selection.cpus is not None and selection.placements:
        raise UsageError("--cpus says where the threads run, and so does --placement: give one of them.")
    most = BUSY_TO_A_CPU * len(usable(here.topology))
    if (asked := max(selection.busy)) > most:
        raise UsageError(
            f"--busy {asked} is more than this machine takes: at most {most} busy threads, {BUSY_TO_A_CPU} to each CPU."
        )
    # A custom probe may have other experiments, which no command measures
    known = {name: [one.name for one in here.mechanisms(name)] for name in here.case_defaults}
    named = replace(selection, mechanisms=mechanisms_named(selection, known))
    scopes = []
    for name in named.experiments:
        offers: list[Offer] = []
        for one in here.described:
            experiment = next((e for e in one.description.experiments if e.name == name), None)
            again = any(one.runtime.probe == other.runtime.probe for other in offers)
            further = not named.runtimes and (LANGUAGES[one.runtime.probe].further or again)
            by_name = {mechanism.name: mechanism for mechanism in experiment.mechanisms} if experiment else {}
            offers.append(Offer(one.runtime, experiment, by_name, further))
        defaults = here.case_defaults[name]
        placements = places(here.topology, named, defaults)
        roles = list(dict.fromkeys(role.name for one in offers if one.experiment for role in one.experiment.roles))
        mechanisms = [mechanism for offer in offers for mechanism in offer.mechanisms.values()]
        of_nodes = nodes(here.topology)
        scopes.append(Scope(name, defaults, named, offers, placements, of_nodes, here.timed, roles, mechanisms))
    cases = _cases_of(scopes, named)
    stateless: list[Skipped] = []
    if selection.state:
        what, why = f"--state {selection.state.text}", "only threads that are pinned to two or more CPUs have a state"
        stateless = [Skipped(case.title, f"{what}: {why}") for case in cases.every if not case.placement.pairs]
        pinned = [tuple(case for case in layer.cases if case.placement.pairs) for layer in cases.layers]
        if not any(pinned):
            raise NothingToMeasure(f"{what} leaves nothing to measure: {why}.")
        layers = zip(cases.layers, pinned, strict=True)
        cases = replace(cases, layers=tuple(replace(layer, cases=kept) for layer, kept in layers if kept))
    excluded = []  # the mechanisms that the selected parameters exclude, for each experiment
    text = " ".join(f"{name}={','.join(values)}" for name, values in named.params.items())
    for scope in scopes if text and not named.mechanisms else ():
        runnable = [one for one in scope.mechanisms if not one.needs]
        able = {one.name for one in runnable if settings(one, named.params)}
        without = dict.fromkeys(one.name for one in runnable if one.name not in able)
        if able and without:
            excluded.append(Skipped(f"{scope.name}: {', '.join(without)}", f"cannot be measured with {text}"))
    return Cases(cases.layers, (*here.missing, *excluded, *cases.skipped, *stateless))


def _cases_of(scopes: Sequence[Scope], asked: Selection) -> Cases:
    """Every mechanism that was asked for, of every runtime, at every placement, with every setting.

    Where several experiments are asked, each measures what it has of what was named, and layers of one name are one.
    Raises UnknownName for a name, UsageError for an impossible value, NothingToMeasure where no case is left.
    """
    known = [one for scope in scopes for one in scope.mechanisms]
    refuse_unknown_homes(asked.homes, [name for scope in scopes for name in (*scope.roles, *scope.nodes)])
    named = [one for one in known if not asked.mechanisms or one.name in asked.mechanisms]
    refuse_impossible(asked.params if named else {}, named)
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for scope in scopes:
        # What is selected of this experiment only
        mechanisms, places_for = {one.name for one in scope.mechanisms}, (*scope.roles, *scope.nodes)
        of_it = tuple(name for name in scope.asked.mechanisms if name in mechanisms)
        homes_here = tuple(name for name in scope.asked.homes if name in places_for)
        own = replace(scope, asked=replace(scope.asked, mechanisms=of_it, homes=homes_here))
        if asked.mechanisms and not own.asked.mechanisms:
            continue
        if asked.homes and not own.asked.homes:
            reason = f"its threads are {', '.join(scope.roles)}: none is {asked.homes[0]}"
            skipped.append(Skipped(scope.name, reason))
            continue
        here = [one for offer in own.offers for one in _of_offer(own, offer)]
        here.sort(key=lambda one: len(own.defaults.first) if one.rank is None else one.rank)
        skipped += [*_elsewhere(own, here), *own.gaps()]
        candidates += here
    unique = tuple(dict.fromkeys(skipped))
    if not any(one.cases for one in candidates):
        impossible = asked.params and not any(settings(mechanism, asked.params) for mechanism in named)
        deciding = [one for one in unique if {*one.what.split(", ")} & {*asked.placements}] or unique
        listed = "; ".join(f"{item.what}: {item.reason}" for item in deciding)
        why = f"No mechanism has all of {', '.join(asked.params)} as asked for" if impossible else listed
        options = [f"--param {one[:-1]}" if one.endswith("=") else f"--{one}" for one in asked.named_axes]
        way_out = f" Change or leave out {either(options)}." if options and "leave it out" not in why else ""
        raise NothingToMeasure(f"Nothing is left to measure. {why}.{way_out}")
    swept = any(scope.defaults.sweep and scope.defaults.sweep.param in asked.params for scope in scopes)
    return Cases(tuple(_layers(candidates, asked, 1 if swept else USUAL_ROUNDS)), unique)  # round one covers all values


def _elsewhere(scope: Scope, candidates: Sequence[Candidate]) -> Iterator[Skipped]:
    """Further placements that nothing but their being named would measure, as one."""
    cases = [case for one in candidates for case in one.cases]
    if scope.asked.placements or scope.asked.cpus or not all(scope.defaults.is_at_home(case.params) for case in cases):
        return
    pinnable = [one for one in scope.mechanisms if not scope.asked.mechanisms or one.name in scope.asked.mechanisms]
    found = {
        at.name: at for one in pinnable for at in places_of(one, scope.places, scope.asked, scope.defaults.threads)
    }
    if further := [name for name in found if name not in {case.placement.name for case in cases}]:
        param, value = scope.defaults.at_home_with
        reason = f"with {param}={value} one placement is measured unless others are named"
        yield Skipped(f"{scope.name} {', '.join(further)}", f"{reason}: --placement {','.join(further)}")


def _layers(candidates: Sequence[Candidate], asked: Selection, hurried: int) -> Iterator[Layer]:
    """Yield the layers: cases that were named are the first, in the fewest rounds that say anything; then extras."""
    seen: set[Case] = set()
    layers: dict[str, list[Case]] = {}
    for what in LAYERS:
        ordered = sorted((one for one in candidates if one.layer == what), key=lambda one: one.wanted)
        layers[what] = list(dict.fromkeys(case for one in ordered for case in one.cases if case not in seen))
        seen.update(layers[what])
    # Cases that were asked for by name: of named mechanisms, or of several values that were named
    if asked.mechanisms:
        first = {case.mechanism for case in layers[FIRST]}
        elsewhere = (case for case in layers[OTHER_RUNTIMES] if case.mechanism not in first)
        by_name = dict.fromkeys((*layers[FIRST], *elsewhere))
    else:
        hurrying = [case for what in HURRIED for case in layers[what]]
        several = any(len({axes_of(case).get(axis) for case in hurrying}) > 1 for axis in asked.named_axes)
        by_name = dict.fromkeys(hurrying) if several and len(asked.experiments) == 1 else {}
    if by_name:
        rounds = FEWEST_ROUNDS if asked.mechanisms else min(hurried, FEWEST_ROUNDS)
        yield Layer(BY_NAME, tuple(by_name), whole=False, rounds=rounds, named=asked.named_axes)
    for what, of_it in layers.items():
        if cases := [case for case in of_it if case not in by_name]:
            name, unhurried = what, what not in HURRIED
            if not asked.params and all(case.varied for case in cases):
                varied = dict.fromkeys(f"{param}={case.params[param]}" for case in cases for param in case.varied)
                name += f" ({', '.join(varied)})"
            rounds = USUAL_ROUNDS if unhurried else hurried
            yield Layer(name, tuple(cases), whole=bool(asked.mechanisms), unhurried=unhurried, rounds=rounds)


def _of_offer(scope: Scope, offer: Offer) -> Iterator[Candidate]:
    """Each mechanism of a runtime with every setting, each at every placement where it is measured with that."""
    asked, counts = scope.asked, list(scope.places.first)
    able = (offer.mechanisms.get(name) for name in asked.mechanisms or offer.mechanisms)
    for mechanism in (one for one in able if one is not None and not one.needs):
        chosen = places_of(mechanism, scope.places, asked, scope.defaults.threads)
        home = chosen if asked.placements else homes_among(chosen)
        swept = {sweep.param: sweep.values} if (sweep := scope.defaults.sweep) else {}
        usual = _effective(settings(mechanism, {**swept, **asked.params}), scope)
        varied: list[Setting] = []
        if not asked.mechanisms and not asked.params:
            for first in scope.defaults.first:
                if first.params and first.mechanism == mechanism.name:
                    varied += settings(mechanism, {name: (value,) for name, value in first.params.items()})
            varied += variations(mechanism)
        every = _effective([*usual, *varied], scope)
        usually = [one for one in usual if not scope.defaults.is_at_home(one.params)]
        pairs = ((setting, place) for setting in every for place in (chosen if setting in usually else home))
        for setting, place in pairs:
            cases = tuple(_cases(scope, offer, mechanism, setting, place))
            if not cases or scope.defaults.threads_of(setting.params) not in (None, place.threads):
                continue
            among = counts.index(place.threads) if place.threads in counts else None  # of the numbers asked first
            threads, is_usual = 0 if asked.mechanisms else among, setting in usual
            rank = _rank(scope, mechanism, setting, place, at_home=place in home)
            sooner = offer.further and not all(one.further for one in scope.able(mechanism.name, offer.runtime.probe))
            if rank is not None and threads is not None:
                layer = OTHER_RUNTIMES if offer.further else FIRST
            elif is_usual and threads is not None and place in home:
                layer = SAME_MECHANISMS if sooner else OTHER_MECHANISMS
            elif is_usual or rank is not None:
                layer = PLACEMENTS if is_usual and threads is not None else NUMBERS
            else:
                layer = OTHER_PARAMS
            compiles, sleeps = LANGUAGES[offer.runtime.probe].compiles, any(case.blocking for case in cases)
            wanted = (1, threads or 0, compiles, sleeps) if rank is None else (0, rank // 4)
            yield Candidate(cases, rank, layer, wanted)


def _effective(found: Sequence[Setting], scope: Scope) -> list[Setting]:
    """Each setting once, without the parameter that is swept where that has no effect."""
    every: list[Setting] = []
    for one in found:
        if (sweep := scope.defaults.sweep) and one.params.get(sweep.unless[0]) == sweep.unless[1]:
            params = {name: value for name, value in one.params.items() if name != sweep.param}
            one = Setting(params, tuple(name for name in one.varied if name != sweep.param))
        every += [] if one in every else [one]
    return every


def _rank(
    scope: Scope, mechanism: MechanismDescription, setting: Setting, place: Placement, *, at_home: bool
) -> int | None:
    """Return the number of the first question that this answers; None if it answers none."""
    asked = scope.asked
    kinds = {"home": at_home, "apart": place.name in CPUS_APART, "unpinned": place.name == UNPINNED}
    swept = scope.defaults.sweep.param if scope.defaults.sweep else None
    given = {param: str(setting.params[param]) for param in setting.varied if param != swept}
    for rank, first in enumerate(scope.defaults.first):
        as_asked = dict(first.params) == given or bool(asked.params)
        somewhere = bool(asked.placements or asked.cpus) or any(kinds[where] for where in first.where)
        if asked.mechanisms or (first.mechanism == mechanism.name and as_asked and somewhere):
            return rank
    return None


def _cases(
    scope: Scope, offer: Offer, mechanism: MechanismDescription, setting: Setting, place: Placement
) -> Iterator[Case]:
    asked, smaller = scope.asked, int(setting.params.get(scope.defaults.smaller, 0))
    for pin in ("process",) if smaller and place.name != UNPINNED else asked.pins:
        if smaller >= place.threads or (pin != "thread" and place.name == UNPINNED):  # unpinned threads have one way
            continue
        placement = replace(place, pin=pin)
        every_home = homes(asked.homes, placement, scope.roles, scope.nodes)
        for home, warmup, busy in product(every_home, asked.warmups, asked.busy):
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
                group=scope.defaults.group,
                busy=Busy(busy, asked.busy_nice if busy else 0),
            )
