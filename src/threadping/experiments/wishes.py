"""What was asked for, what there is, and the selection that follows from both."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from threadping.contract import ExperimentDescription, MechanismDescription, Pin
from threadping.experiments.params import Setting, Wanted
from threadping.model import DEFAULT_WARMUP, Layer, Placement, Runtime, Skipped, WarmupPolicy


class Offer(Struct, frozen=True):
    """A runtime with what its probe says of the experiment (None: it cannot do it)."""

    runtime: Runtime
    experiment: ExperimentDescription | None

    @property
    def mechanisms(self) -> Mapping[str, MechanismDescription]:
        """The runtime's mechanisms by name, those included that it cannot run."""
        return {mechanism.name: mechanism for mechanism in self.experiment.mechanisms} if self.experiment else {}


class Places(Struct, frozen=True):
    """Where threads can stand on this machine, where they cannot, every name that there is, and how many CPUs."""

    found: Sequence[Placement]
    absent: Sequence[Skipped]
    known: Sequence[str]
    cpus: int = 2


class Wish(Struct, frozen=True):
    """What was asked for; what is empty or None asks for what is usual."""

    mechanisms: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    cpus: tuple[int, ...] | None = None
    threads: tuple[int, ...] = ()
    params: Wanted = {}
    pins: tuple[Pin, ...] = ("thread",)
    warmups: tuple[WarmupPolicy, ...] = (DEFAULT_WARMUP,)
    lines: int | None = None
    homes: tuple[str, ...] = ()


class Stand(Struct, frozen=True):
    """A mechanism with these parameters at this placement, and the layer in which that is measured."""

    layer: str
    setting: Setting
    placement: Placement


class Selection(Struct, frozen=True):
    """The cases to measure in layers, none of them empty, and what falls away with the reason."""

    layers: tuple[Layer, ...]
    skipped: tuple[Skipped, ...]
