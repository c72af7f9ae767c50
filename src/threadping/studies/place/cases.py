"""What is compared to see what a placement gains: the same threads, left to the scheduler and pinned."""

from collections.abc import Sequence

from msgspec.structs import replace

from threadping.contract import MechanismDescription
from threadping.errors import UsageError
from threadping.machine.placements import UNPINNED
from threadping.model.cases import Case
from threadping.numbers import ranges
from threadping.probes.description import Described
from threadping.selection.cases import expand
from threadping.selection.selection import Inventory, Selection
from threadping.studies.place.shapes import Shape

PRODUCERS = "producers"
"""The parameter of a queue that says how many producers it has."""


def cases_of(
    shape: Shape, asked: Selection, here: Inventory, cpus: Sequence[int], hop: Sequence[int]
) -> tuple[Case, Case]:
    """The threads unpinned, and pinned to these CPUs.

    Args:
        shape: what they exchange.
        asked: the mechanism that was named, if any, and the runtime.
        here: what there is to measure with, of one runtime.
        cpus: for the threads in their order.
        hop: the CPUs of the exchange that is farthest: of a path it alone is measured.

    Raises:
        UsageError: the runtime has no such mechanism, or one that cannot do it.
    """
    stand = [*hop] if shape.is_path else _in_order_of_probe(shape, cpus)
    params = dict(shape.params)
    if shape.producers and len(stand) > 2:
        params[PRODUCERS] = (str(len(stand) - 1),)
    (described,) = here.described
    mechanism = asked.mechanisms or (_usual(shape, described, [*params]),)
    selection = replace(asked, experiments=(shape.experiment,), mechanisms=mechanism, params=params)
    numbered = {} if shape.producers or shape.is_path else {"threads": (len(stand),)}
    free = expand(replace(selection, cpus=None, placements=(UNPINNED,), **numbered), here).every
    pinned = expand(replace(selection, cpus=tuple(stand), **numbered), here).every
    if len(free) != 1 or len(pinned) != 1:
        raise UsageError(
            f"place takes one mechanism, but these are {len(pinned)}: {', '.join(one.title for one in pinned)}."
        )
    return free[0], pinned[0]


def titles(cpus: Sequence[int]) -> tuple[str, str]:
    """What A and B are called."""
    return "unpinned", f"pinned to {','.join(ranges(cpus))}"


def _in_order_of_probe(shape: Shape, cpus: Sequence[int]) -> list[int]:
    """The CPUs in the order in which a probe has the threads: of a queue a producer, the consumer, other producers."""
    if not shape.producers:
        return [*cpus]
    first, *others, consumer = cpus
    return [first, consumer, *others]


def _usual(shape: Shape, described: Described, params: Sequence[str]) -> str:
    """The first of the shape's mechanisms that the runtime has, with these parameters."""
    offered = {
        mechanism.name: mechanism
        for experiment in described.description.experiments
        if experiment.name == shape.experiment
        for mechanism in experiment.mechanisms
    }
    able = (name for name in shape.mechanisms if name in offered and _can(offered[name], params))
    if (found := next(able, None)) is None:
        raise UsageError(
            f"{described.runtime.label} has none of the mechanisms by which '{shape.name}' is measured: "
            f"{', '.join(shape.mechanisms)}. Name another: --mechanism NAME."
        )
    return found


def _can(mechanism: MechanismDescription, params: Sequence[str]) -> bool:
    return not mechanism.needs and {*params} <= {one.name for one in mechanism.params}
