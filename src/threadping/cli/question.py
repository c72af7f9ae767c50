"""The question that the command line asks, and the cases that it comes to on this machine."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from threadping.contract import Pin, Topology
from threadping.errors import UsageError
from threadping.experiments import EXPERIMENTS
from threadping.experiments.selection import select_cases
from threadping.experiments.wishes import Offer, Places, Selection, Wish
from threadping.machine.cpu_numbers import parse_cpus
from threadping.machine.placements import PLACEMENT_NAMES, placement_for_cpus, placements
from threadping.model import DEFAULT_WARMUP, Case, Layer, Skipped, WarmupPolicy
from threadping.probes.description import Described


class Question(Struct, frozen=True):
    """What the command line asks; empty or None where it leaves the choice to us. No experiment means all."""

    experiment: str | None
    budget_s: float
    runtimes: tuple[str, ...]
    mechanisms: tuple[str, ...]
    placements: tuple[str, ...]
    cpus: str | None
    params: Mapping[str, tuple[str, ...]]
    pins: tuple[Pin, ...]
    warmups: tuple[WarmupPolicy, ...]
    lines: int | None
    seed: int | None


def select(
    question: Question, topology: Topology, described: Sequence[Described], missing: Sequence[Skipped]
) -> Selection:
    """The cases of every experiment asked for, layer by layer, and what falls away."""
    wish = Wish(
        mechanisms=question.mechanisms,
        placements=question.placements,
        params=question.params,
        pins=question.pins,
        warmups=question.warmups or (DEFAULT_WARMUP,),
        lines=question.lines,
    )
    places = _places(question, topology)
    layers: dict[str, tuple[Case, ...]] = {}
    skipped = [*missing]
    for name in [question.experiment] if question.experiment else EXPERIMENTS:
        offers = [
            Offer(one.runtime, next((e for e in one.description.experiments if e.name == name), None))
            for one in described
        ]
        selection = select_cases(name, EXPERIMENTS[name].classic, wish, offers, places)
        for layer in selection.layers:
            layers[layer.what] = (*layers.get(layer.what, ()), *layer.cases)
        skipped += selection.skipped
    return Selection(tuple(Layer(what, cases) for what, cases in layers.items()), tuple(skipped))


def _places(question: Question, topology: Topology) -> Places:
    if question.cpus is None:
        return Places(*placements(topology), PLACEMENT_NAMES)
    if question.placements:
        raise UsageError("--cpus says where the threads stand, and so does --placement: give one of them.")
    return Places([placement_for_cpus(topology, parse_cpus(question.cpus))], [], PLACEMENT_NAMES)
