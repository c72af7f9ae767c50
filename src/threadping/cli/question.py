"""The question that the command line asks, and the cases that it comes to on this machine."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from threadping.contract import Pin, Topology
from threadping.errors import UsageError
from threadping.experiments import EXPERIMENTS
from threadping.experiments.experiment import Asked
from threadping.experiments.selection import select_cases
from threadping.experiments.wishes import Offer, Selection, Wish
from threadping.machine.cpu_numbers import parse_cpus
from threadping.machine.relation import nodes
from threadping.model import DEFAULT_WARMUP, Skipped, WarmupPolicy
from threadping.probes.description import Described
from threadping.probes.words import words


class Question(Struct, frozen=True):
    """What the command line asks; empty or None where it leaves the choice to us. No experiment means all."""

    experiment: str | None
    budget_s: float
    runtimes: tuple[str, ...]
    jvm_flags: tuple[str, ...]
    mechanisms: tuple[str, ...]
    placements: tuple[str, ...]
    cpus: str | None
    threads: tuple[int, ...]
    params: Mapping[str, tuple[str, ...]]
    pins: tuple[Pin, ...]
    warmups: tuple[WarmupPolicy, ...]
    lines: int | None
    homes: tuple[str, ...]
    seed: int | None

    @property
    def experiments(self) -> list[str]:
        """The experiments that are asked."""
        return [self.experiment] if self.experiment else list(EXPERIMENTS)


def refuse_contradictions(question: Question, *, chart: bool) -> None:
    """Raise UsageError for what no machine could do, before anything is started; `chart` if one is to be drawn."""
    if question.cpus is not None and question.placements:
        raise UsageError("--cpus says where the threads stand, and so does --placement: give one of them.")
    if (question.threads or chart) and all(EXPERIMENTS[name].threads for name in question.experiments):
        name = question.experiments[0]
        what = "--threads" if question.threads else "--chart, which draws how something scales with its threads"
        raise UsageError(
            f"{name} always has {EXPERIMENTS[name].threads} threads, so it takes no {what}. Leave it out, or ask "
            "`threadping lock`, which measures any number."
        )


def select(
    question: Question, topology: Topology, described: Sequence[Described], missing: Sequence[Skipped]
) -> Selection:
    """The cases of every experiment asked for, layer by layer, and what falls away."""
    wish = Wish(
        mechanisms=question.mechanisms,
        placements=question.placements,
        cpus=None if question.cpus is None else parse_cpus(question.cpus),
        threads=question.threads,
        params=question.params,
        pins=question.pins,
        warmups=question.warmups or (DEFAULT_WARMUP,),
        lines=question.lines,
        homes=question.homes,
    )
    selection = select_cases([_asked(name, wish, topology, described) for name in question.experiments], wish)
    return Selection(selection.layers, (*missing, *selection.skipped))


def _asked(name: str, wish: Wish, topology: Topology, described: Sequence[Described]) -> Asked:
    experiment = EXPERIMENTS[name]
    offers = [
        Offer(one.runtime, next((e for e in one.description.experiments if e.name == name), None)) for one in described
    ]
    return Asked(name, experiment, offers, experiment.places(topology, wish), nodes(topology), words().timed)
