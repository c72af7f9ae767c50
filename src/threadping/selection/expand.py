"""A selection becomes the cases of this machine, and a list of what it leaves out."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from threadping.errors import NothingToMeasure, UsageError
from threadping.model import Skipped
from threadping.relation import nodes, usable
from threadping.selection.cases import Cases, cases_of
from threadping.selection.params import mechanisms_named, settings
from threadping.selection.places import places
from threadping.selection.scope import Offer, Scope
from threadping.selection.selection import Inventory, Selection

BUSY_TO_A_CPU = 4
"""So many busy threads to each CPU at most: with more a trial is over before each had its turn."""


def expand(selection: Selection, here: Inventory) -> Cases:
    """The cases of every selected experiment, in layers, and what is left out.

    Raises:
        UsageError: a name is unknown, or nothing is left to measure.
    """
    if selection.cpus is not None and selection.placements:
        raise UsageError("--cpus says where the threads run, and so does --placement: give one of them.")
    most = BUSY_TO_A_CPU * len(usable(here.topology))
    if (asked := max(selection.busy)) > most:
        raise UsageError(
            f"--busy {asked} is more than this machine takes: at most {most} busy threads, {BUSY_TO_A_CPU} to each CPU."
        )
    named = replace(selection, mechanisms=mechanisms_named(selection, here.described))
    scopes = [_scope(name, named, here) for name in named.experiments]
    cases = _in_a_state(cases_of(scopes, named), selection)
    return Cases(cases.layers, (*here.missing, *_without_param(scopes, named), *cases.skipped))


def _scope(name: str, selection: Selection, here: Inventory) -> Scope:
    seen: set[str] = set()
    offers: list[Offer] = []
    for one in here.described:
        experiment = next((e for e in one.description.experiments if e.name == name), None)
        further = not selection.runtimes and one.runtime.probe in seen
        offers.append(Offer(one.runtime, experiment, further))
        seen.add(one.runtime.probe)
    asking = here.askings[name]
    stand = places(here.topology, selection, asking)
    return Scope(name, asking, selection, offers, stand, nodes(here.topology), here.timed)


def _without_param(scopes: Sequence[Scope], selection: Selection) -> Iterator[Skipped]:
    """What the selected parameters leave out, for each experiment, where no mechanism is named."""
    if not selection.params or selection.mechanisms:
        return
    text = " ".join(f"{name}={','.join(values)}" for name, values in selection.params.items())
    for scope in scopes:
        usable = [one for one in scope.mechanisms if not one.needs]
        able = {one.name for one in usable if settings(one, selection.params)}
        without = dict.fromkeys(one.name for one in usable if one.name not in able)
        if able and without:
            yield Skipped(f"{scope.name}: {', '.join(without)}", f"cannot be measured with {text}")


def _in_a_state(cases: Cases, selection: Selection) -> Cases:
    """The cases that have a state, if one is selected; NothingToMeasure where none has."""
    if not selection.state:
        return cases
    what, why = f"--state {selection.state.text}", "only threads that are pinned to two or more CPUs have a state"
    stateless = [case for case in cases.every if not case.placement.pairs]
    kept = [replace(layer, cases=tuple(case for case in layer.cases if case.placement.pairs)) for layer in cases.layers]
    if not any(layer.cases for layer in kept):
        raise NothingToMeasure(f"{what} leaves nothing to measure: {why}.")
    skipped = (*cases.skipped, *(Skipped(case.title, f"{what}: {why}") for case in stateless))
    return Cases(tuple(layer for layer in kept if layer.cases), skipped)
