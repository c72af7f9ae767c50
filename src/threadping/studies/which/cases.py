"""What is asked of every queue: in which regimes, how it is used there; and the cases of `ring` that this comes to."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.figures import Unit
from threadping.errors import NothingToMeasure
from threadping.experiments.ring import PRODUCE_STEPS
from threadping.grouping import gathered
from threadping.machine.placements import SAME_CPU, UNPINNED
from threadping.model.cases import Case, Skipped
from threadping.numbers import named as numbered
from threadping.plan.rounds import Layer
from threadping.probes.runtimes import LANGUAGES
from threadping.quantities import counted
from threadping.relation import CPUS_APART, usable
from threadping.selection.cases import Cases, expand
from threadping.selection.places import closest
from threadping.selection.selection import Inventory, Selection
from threadping.studies.which.judging import fewest_trials

RING, PRODUCERS = "ring", "producers"

MOST_PRODUCERS = 4
"""So many at most, where there are CPUs for them and the consumer; two where there are none."""


class Regime(Struct, frozen=True):
    """Where queues are asked: the threads' placements, and whether as many busy threads as CPUs compete for these."""

    name: str
    title: str
    placements: Sequence[str]
    busy: bool = False

    @property
    def apart(self) -> bool:
        """Whether each thread has a CPU of its own."""
        return self.placements == CPUS_APART


class Usage(Struct, frozen=True):
    """How a queue is used: with one parameter that differs from its default; `noun` names it for a person.

    What is judged is how long a message takes from the one before, of which every trial knows: one that falls apart
    times hardly any message by itself. `unit` is how it is told.
    """

    name: str
    noun: str
    param: str
    value: str
    unit: Unit = "per_s"


REGIMES = (
    Regime("apart", "On CPUs of their own", CPUS_APART),
    Regime("one-cpu", "On one CPU", (SAME_CPU,)),
    Regime("unpinned", "Unpinned", (UNPINNED,)),
    Regime("busy", "Beside busy threads", (UNPINNED,), busy=True),
)
"""The quickest to measure first, and what most are asked for."""

USAGES = (
    Usage("one_in_flight", "one in flight", "in-flight", "1", "ns"),
    Usage("one_by_one", "one by one", "produce", PRODUCE_STEPS),
    Usage("by_100", "by 100", "batch", "100"),
)

ONE_IN_FLIGHT, ONE_BY_ONE = USAGES[:2]


class Situation(Struct, frozen=True, order=True):
    """What queues are compared within: a regime, by its place, with so many producers."""

    regime: int
    producers: int

    @property
    def title(self) -> str:
        """Name it for a person: `On one CPU, 2 producers`."""
        return REGIMES[self.regime].title + (f", {self.producers} producers" if self.producers > 1 else "")


def situation_of(case: Case) -> Situation | None:
    """In which a case is; None where it is in none."""
    busy, producers = bool(case.busy.threads), case.params.get(PRODUCERS, 1)
    of = (at for at, one in enumerate(REGIMES) if case.placement.name in one.placements and one.busy is busy)
    regime = next(of, None)
    if case.experiment != RING or regime is None or not isinstance(producers, int):
        return None
    return Situation(regime, producers)


def usage_of(case: Case) -> Usage | None:
    """How a case uses its queue; None where in none of these ways."""
    varied = [(name, str(case.params.get(name))) for name in case.varied if name != PRODUCERS]
    return next((one for one in USAGES if varied == [(one.param, one.value)]), None)


def situations_of(cases: Sequence[Case]) -> dict[Situation, list[int]]:
    """The places of cases by their situations, in the order in which these are measured."""
    return gathered((found, place) for place, case in enumerate(cases) if (found := situation_of(case)))


def cases_of(asked: Selection, here: Inventory) -> Cases:
    """The cases, a layer for each situation: every regime with one producer, then with several.

    Of a budget that does not carry all the last are left out, of the first regime language by language, the quickest to
    measure before the others. A layer has the rounds that it takes to tell so many queues apart, and one more, for
    trials that do not count. Where all is compiled as it runs, of which a trial takes half a second and more, every
    regime is asked one in flight first, which tells what falls apart, and the other ways to use a queue after that.

    Raises:
        UsageError: a name is unknown.
        NothingToMeasure: no queue is left.
    """
    every = expand(replace(asked, experiments=(RING,), placements=(UNPINNED,)), here)
    queues = tuple(dict.fromkeys(case.mechanism for case in every.every))
    selection = replace(asked, experiments=(RING,), mechanisms=queues)
    several = min(MOST_PRODUCERS, max(2, len(usable(here.topology)) - 1))
    asking = [Situation(at, producers) for producers in (1, several) for at in range(len(REGIMES))]
    found = {one.title: tuple(_cases(one, selection, here)) for one in asking}
    first = next(title for title, cases in found.items() if cases)
    of_first = gathered((case.runtime, case) for case in found.pop(first))
    ordered = sorted(here.described, key=lambda one: LANGUAGES[one.runtime.probe].compiles)
    named = {f"'{first}' in {one}": tuple(of_first[one]) for each in ordered if (one := each.runtime.label) in of_first}
    named |= {f"'{title}'": cases for title, cases in found.items() if cases}
    if all(LANGUAGES[one.runtime.probe].compiles for one in here.described):
        named = _one_in_flight_first({what: cases for what, cases in named.items() if cases})
    fewest = fewest_trials(len({(case.mechanism, case.runtime) for case in every.every}))
    layers = [Layer(what, cases, rounds=fewest + 1, fewest=fewest) for what, cases in named.items()]
    return Cases(tuple(layers), (*every.skipped, *_without_cpus(asking, found, here)))


def _one_in_flight_first(named: Mapping[str, tuple[Case, ...]]) -> dict[str, tuple[Case, ...]]:
    """The cases of each situation in two: one in flight, of all of them, and then what is left."""
    parts: tuple[dict[str, tuple[Case, ...]], ...] = ({}, {})
    for what, cases in named.items():
        for usage, of_it in gathered((usage_of(case) != ONE_IN_FLIGHT, case) for case in cases).items():
            parts[usage][f"{what}, {'other uses' if usage else ONE_IN_FLIGHT.noun}"] = tuple(of_it)
    return parts[0] | parts[1]


def _without_cpus(
    asking: Sequence[Situation], found: Mapping[str, Sequence[Case]], here: Inventory
) -> Iterator[Skipped]:
    """The situations in which each thread is to have a CPU, and there are too few."""
    for one in asking:
        elsewhere = any(found.get(other.title) for other in asking if other.producers == one.producers)
        if REGIMES[one.regime].apart and elsewhere and one.producers >= len(usable(here.topology)):
            only = f"only {numbered(usable(here.topology))} may be used"
            yield Skipped(one.title, f"{counted(one.producers + 1, 'thread')} have no CPU each: {only}")


def _cases(one: Situation, asked: Selection, here: Inventory) -> Iterator[Case]:
    """Every queue in every way in which it can be used, each with a CPU of its own for every thread where it is to."""
    regime, producers = REGIMES[one.regime], one.producers
    busy = len(usable(here.topology)) if regime.busy else 0
    for usage in USAGES:
        params = {usage.param: (usage.value,)} | ({PRODUCERS: (str(producers),)} if producers > 1 else {})
        able = set.intersection(*(_takes(param, asked.mechanisms, here) for param in params))
        mechanisms = tuple(name for name in asked.mechanisms if name in able)
        if not mechanisms:
            continue
        selection = replace(asked, mechanisms=mechanisms, params=params, placements=regime.placements, busy=(busy,))
        try:
            found = expand(selection, here).every
        except NothingToMeasure:  # no two CPUs stand so, or no runtime has it all
            continue
        if regime.apart:
            found = [case for case in found if len(case.placement.used) == case.threads]
        yield from closest(found, lambda case: (case.mechanism, case.runtime))


def _takes(param: str, queues: Sequence[str], here: Inventory) -> set[str]:
    """Those of these queues that have a parameter."""
    return {
        mechanism.name
        for one in here.described
        for experiment in one.description.experiments
        if experiment.name == RING
        for mechanism in experiment.mechanisms
        if mechanism.name in queues and any(each.name == param for each in mechanism.params)
    }
