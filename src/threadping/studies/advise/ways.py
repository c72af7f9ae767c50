"""Every way of waiting that an advice chooses from, as cases of `paced` on one schedule."""

from collections.abc import Mapping

from msgspec.structs import replace

from threadping.errors import NothingToMeasure
from threadping.model.cases import Case, Skipped
from threadping.selection.cases import expand
from threadping.selection.places import closest
from threadping.selection.selection import Inventory, Selection

PACED, WAIT, SPINS = "paced", "wait", "spins"

SPINNER = "release-one-line"
"""Of the mechanisms that spin the cheapest stands for all: what is chosen is how to wait."""

HOW_LONG = ("0", "100", "1k", "10k", "100k")
"""How often to look before sleeping: a look takes some 5 to 50 ns."""

FINELY = ("0", "30", "100", "300", "1k", "3k", "10k", "30k", "100k")


def ways_of(
    selection: Selection, schedule: Mapping[str, str], here: Inventory
) -> tuple[tuple[Case, ...], tuple[Skipped, ...]]:
    """The cases, the most wanted first, each on the closest CPUs unless a placement was named; what falls away.

    Args:
        selection: which mechanisms, where they stand, and beside how many busy threads; of no mechanism all that
            sleep, and one that spins.
        schedule: the parameters that say when messages are due.
        here: what there is to measure with.

    Raises:
        UsageError: a name is unknown, or the schedule is impossible.
        NothingToMeasure: no case is left.
    """
    offered = [
        mechanism
        for one in here.described
        for experiment in one.description.experiments
        if experiment.name == PACED
        for mechanism in experiment.mechanisms
    ]
    if not offered:
        raise NothingToMeasure("No probe here measures paced messages, which advice is made from. Run `make setup`.")
    usual = dict.fromkeys(one.name for one in offered if one.blocking or one.name == SPINNER)
    names = selection.mechanisms or tuple(usual)
    params = [param for one in offered if one.name in names for param in one.params]
    waits = dict.fromkeys(choice for param in params if param.name == WAIT for choice in param.choices or ())
    varied = {WAIT: tuple(waits), SPINS: FINELY if len(names) == 1 else HOW_LONG}
    due = {name: (value,) for name, value in schedule.items()}
    passes = [{}, *({name: varied[name]} for name in varied if any(param.name == name for param in params))]
    cases: dict[Case, None] = {}
    skipped: list[Skipped] = []
    for further in passes:
        asked = replace(selection, experiments=(PACED,), mechanisms=names, params={**due, **further})
        found = expand(asked, here)
        placed = selection.placements or selection.cpus
        cases |= dict.fromkeys(
            found.every if placed else closest(found.every, lambda one: (one.mechanism, one.runtime))
        )
        skipped = skipped or list(found.skipped)
    return tuple(cases), tuple(skipped)
