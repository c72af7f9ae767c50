"""Every wait strategy that an advice chooses from, as cases of `paced`, or of `crowd`, on one schedule."""

from msgspec.structs import replace

from threadping.errors import NothingToMeasure
from threadping.model.cases import Case, Skipped
from threadping.model.studies import Requirement
from threadping.selection.cases import expand
from threadping.selection.places import closest
from threadping.selection.selection import Inventory, Selection

WAIT, SPINS, POLICY = "wait", "spins", "policy"

CHEAPEST_SPINNERS = ("release-one-line", "spin-all")
"""Of the mechanisms that spin the cheapest of each experiment stands for all: what is chosen is how to wait."""

HOW_LONG = ("0", "100", "1k", "10k", "100k")
"""How often to look before sleeping: a look takes some 5 to 50 ns."""

FINELY = ("0", "30", "100", "300", "1k", "3k", "10k", "30k", "100k")


def ways_of(
    selection: Selection, required: Requirement, here: Inventory
) -> tuple[tuple[Case, ...], tuple[Skipped, ...]]:
    """The cases, the most wanted first, each on the closest CPUs unless a placement was named; what falls away.

    Args:
        selection: which mechanisms, where they stand, and beside how many busy threads; of no mechanism all that
            sleep, and one that spins.
        required: what they are to meet, and when messages, or rounds, are due.
        here: what there is to measure with.

    Raises:
        UsageError: a name is unknown, or the schedule is impossible.
        NothingToMeasure: no case is left.
    """
    offered = [
        mechanism
        for one in here.described
        for experiment in one.description.experiments
        if experiment.name == required.experiment
        for mechanism in experiment.mechanisms
    ]
    if not offered:
        what = "crowds" if required.workers else "paced messages"
        raise NothingToMeasure(f"No probe here measures {what}, which advice is made from. Run `make setup`.")
    usual = dict.fromkeys(
        one.name for one in offered if (one.blocking or one.name in CHEAPEST_SPINNERS) and not one.needs
    )
    names = selection.mechanisms or tuple(usual)
    params = [param for one in offered if one.name in names for param in one.params]
    waits = dict.fromkeys(choice for param in params if param.name == WAIT for choice in param.choices or ())
    varied = {WAIT: tuple(waits), SPINS: FINELY if len(names) == 1 else HOW_LONG, POLICY: ("active", "passive")}
    due = {name: (value,) for name, value in required.schedule.items()}
    passes = [{}, *({name: varied[name]} for name in varied if any(param.name == name for param in params))]
    cases: dict[Case, None] = {}
    skipped: list[Skipped] = []
    for further in passes:
        asked = replace(selection, experiments=(required.experiment,), mechanisms=names, params={**due, **further})
        found = expand(asked, here)
        placed = selection.placements or selection.cpus
        cases |= dict.fromkeys(
            found.every if placed else closest(found.every, lambda one: (one.mechanism, one.runtime))
        )
        skipped = skipped or list(found.skipped)
    return tuple(cases), tuple(skipped)
