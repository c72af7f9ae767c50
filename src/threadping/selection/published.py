"""The cases that repeat the published figures on this machine, the most wanted first."""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from msgspec import Struct
from msgspec.structs import replace

from threadping.contract import Topology
from threadping.errors import ThreadpingError
from threadping.machine.crews import unpinned
from threadping.machine.placements import placements, why_not
from threadping.model import Case, Placement, Skipped
from threadping.numbers import named
from threadping.plan import Layer
from threadping.probes.description import Described
from threadping.published import conclusions
from threadping.published.catalogue import Build, Repetition, place, repetition
from threadping.published.comparison import LAYER
from threadping.published.records import Published
from threadping.relation import usable
from threadping.selection.asking import Asking
from threadping.selection.cases import Cases
from threadping.selection.left_out import left_out
from threadping.selection.params import settings
from threadping.selection.places import Places
from threadping.selection.scope import Offer
from threadping.selection.selection import Selection


class Here(Struct, frozen=True):
    """What there is to repeat with.

    Attributes:
        runtimes: for each build its runtime with what its probe describes, or why there is none.
        topology: the machine's CPUs.
        askings: what our experiments declare of their cases.
        timed: says in words what a distribution of this name is of.
    """

    runtimes: Mapping[Build, Described | str]
    topology: Topology
    askings: Mapping[str, Asking]
    timed: Mapping[str, str]


def wanted(figures: Sequence[Published]) -> list[list[Repetition]]:
    """What repeats these figures, for each published experiment; the last are those that conclusions need besides."""
    of_experiments: dict[str, dict[Repetition, None]] = {}
    for one in figures:
        repeats = of_experiments.setdefault(one.experiment, {})
        if not isinstance(found := repetition(one), str):
            repeats[found] = None
    needed = (one for conclusion in conclusions.of_experiments(of_experiments) for one in conclusion.needs)
    return [*map(list, of_experiments.values()), list(dict.fromkeys(needed))]


def cases_of_published(figures: Sequence[Published], here: Here) -> Cases:
    """The cases in the order in which they are wanted, and why others fall away.

    One of each experiment comes first, then what conclusions need, then a further one of each experiment in turn.

    Args:
        figures: which are to be repeated.
        here: with what.

    Raises:
        ThreadpingError: none of it can be repeated here.
    """
    groups = wanted(figures)
    told = {one: _case(one, here) for one in dict.fromkeys(chain.from_iterable(groups))}
    skipped = tuple(Skipped(one.title, why) for one, why in told.items() if isinstance(why, str))
    *of_experiments, needed = [[case for one in group if isinstance(case := told[one], Case)] for group in groups]
    firsts = [cases[0] for cases in of_experiments if cases]
    in_turn = (case for cases in zip_longest(*of_experiments) for case in cases if case)
    ordered = tuple(dict.fromkeys((*firsts, *needed, *in_turn)))
    if not ordered:
        never = (found for one in figures if isinstance(found := repetition(one), str))
        whys = dict.fromkeys((*never, *(one.reason for one in skipped)))
        raise ThreadpingError(f"Nothing of this can be repeated here: {'; '.join(whys)}.")
    return Cases((Layer(LAYER, ordered, whole=False),), skipped)


def _case(one: Repetition, here: Here) -> Case | str:
    """The case that repeats it on this machine, or why there is none."""
    described, placement = here.runtimes[one.way.build], _placement(one, here.topology)
    if isinstance(placement, str):
        return placement
    if isinstance(described, str):
        return described
    experiments = {experiment.name: experiment for experiment in described.description.experiments}
    offer = Offer(described.runtime, experiments.get(one.experiment))
    name, params = one.way.mechanism, {param: (value,) for param, value in one.way.params}
    asked = Selection(experiments=(one.experiment,), mechanisms=(name,), placements=(placement.name,), params=params)
    lacking = next(left_out(name, offer, [offer], asked, Places([placement], [])), None)
    if lacking:
        return f"{described.runtime.label}: {lacking.reason}"
    mechanism = offer.mechanisms[name]
    (setting,) = settings(mechanism, params)
    return Case(
        experiment=one.experiment,
        mechanism=name,
        params=setting.params,
        runtime=described.runtime.label,
        placement=placement,
        blocking=mechanism.blocking,
        lines=one.lines if one.lines and mechanism.lines > 1 else mechanism.lines,
        varied=setting.varied,
        timed=here.timed.get(mechanism.timed[0], mechanism.timed[0]),
        crew=here.askings[one.experiment].crew,
    )


def _placement(one: Repetition, topology: Topology) -> Placement | str:
    """Where its threads stand on this machine, or why they cannot."""
    standing = one.standing
    if standing.where == "unpinned":
        return unpinned(one.threads)
    name = place(standing.where, topology)
    if name is None:
        cpus = list(usable(topology).values())
        of_one_core = f"the {named(cpu.cpu for cpu in cpus)} that may be used are of one core"
        return why_not("smt", cpus, one.threads) if len(cpus) == 1 else of_one_core
    found, absent = placements(topology, one.threads)
    of_name = next((at for at in found if at.name == name), None)
    if of_name is None:
        return next(item.reason for item in absent if item.what == name)
    return replace(of_name, pin=standing.pin)
