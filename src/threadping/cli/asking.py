"""The words of the command line become what is asked, and what is asked the cases of this machine."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from threadping import numbers
from threadping.analysis.wanted import Wanted
from threadping.cli import options
from threadping.contract import Topology
from threadping.errors import NothingToMeasure, UsageError
from threadping.experiments import EXPERIMENTS
from threadping.model import DEFAULT_WARMUP, Skipped
from threadping.probes.description import Described
from threadping.probes.words import words as said
from threadping.relation import nodes
from threadping.selection.asked import Asked
from threadping.selection.cases import Cases, cases_of
from threadping.selection.places import places
from threadping.selection.scope import Offer, Scope


def read(experiments: Sequence[str], words: Mapping[str, Any]) -> Asked:
    """What the options ask; UsageError for what cannot be read, or contradicts itself."""
    if words["cpus"] is not None and words["placement"]:
        raise UsageError("--cpus says where the threads stand, and so does --placement: give one of them.")
    short = {name: words[options.word(name)] for one in experiments for name in EXPERIMENTS[one].options}
    return Asked(
        experiments=tuple(experiments),
        mechanisms=options.split_names(words["mechanism"]),
        placements=options.split_names(words["placement"]),
        cpus=None if words["cpus"] is None else numbers.parse_cpus(words["cpus"]),
        threads=options.parse_threads(words.get("threads")),
        pairs=options.parse_pairs(words.get("pairs")),
        params=options.parse_params(words["param"], short),
        pins=options.parse_pins(words["pin"]),
        warmups=options.parse_warmups(words["warmup"]) or (DEFAULT_WARMUP,),
        lines=words["lines"],
        homes=options.split_names(words["home"]),
    )


def cases(asked: Asked, topology: Topology, described: Sequence[Described], *, named_runtimes: bool) -> Cases:
    """The cases of every experiment asked for, layer by layer, and what falls away."""
    return cases_of([_scope(name, asked, topology, described, named_runtimes) for name in asked.experiments], asked)


def with_missing(found: Cases, missing: Sequence[Skipped]) -> Cases:
    """The same, with what could not even be asked in front of what falls away."""
    return Cases(found.layers, (*missing, *found.skipped))


def with_a_state(found: Cases, wanted: Wanted) -> Cases:
    """The same without cases that have no state; NothingToMeasure where none has one."""
    layers, without = [], []
    for layer in found.layers:
        having = tuple(case for case in layer.cases if case.placement.pairs)
        without += [case.title for case in layer.cases if case not in having]
        if having:
            layers.append(replace(layer, cases=having))
    why = "only threads that are pinned to two or more CPUs have a state"
    if not layers:
        raise NothingToMeasure(f"--state {wanted.text} leaves nothing to measure: {why}.")
    return Cases(
        tuple(layers), (*found.skipped, *(Skipped(title, f"--state {wanted.text}: {why}") for title in without))
    )


def _scope(name: str, asked: Asked, topology: Topology, described: Sequence[Described], named: bool) -> Scope:
    asking = EXPERIMENTS[name].asking
    seen: set[str] = set()
    offers: list[Offer] = []
    for one in described:
        experiment = next((e for e in one.description.experiments if e.name == name), None)
        offers.append(Offer(one.runtime, experiment, further=not named and one.runtime.probe in seen))
        seen.add(one.runtime.probe)
    return Scope(name, asking, offers, places(topology, asked, asking), nodes(topology), said().timed)
