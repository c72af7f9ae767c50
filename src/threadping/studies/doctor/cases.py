"""The cases of a check-up: gaps on all CPUs and on each, and wake-ups with sleeping CPUs and with awake ones."""

from collections.abc import Mapping, Sequence
from itertools import product

from msgspec.structs import replace

from threadping.analysis.health import GAPS_OF, PAUSES_US, WAKES_OF
from threadping.model.cases import NOBODY_BUSY, Busy, Case, Placement, Skipped, WarmupPolicy
from threadping.model.contract import OUTLIERS, Cpu, Policy, Topology
from threadping.model.errors import NothingToMeasure
from threadping.planning.defaults import Length, in_long_periods
from threadping.planning.selection import Inventory
from threadping.probes.placements import around, of_one_kind, one_core_each, relation, usable

CLOCK, CONDITION = "clock-monotonic", "condition"

MOST_ALONE = 8  # CPUs examined alone, spread evenly over all: more would take more than the ten seconds
COLD = WarmupPolicy(1, 1)  # no warm-up: the cold response is what is measured

CALIBRATING_S = 0.02
AT_ONCE_S, ALONE_S = 0.15, 0.25  # of all CPUs in each trial; and of those that are examined alone, together
WOKEN_S: Mapping[str, float] = {"10us": 0.04, "1ms": 0.08, "30ms": 0.2}  # of each trial: 100 wake-ups, 50, 5

LEAST_NS = 10_000  # gaps from so much on are looked into
SOUNDING = 0.6  # the share of a wake-up's trial in which wake-ups are timed; the rest counts calls


def in_one_visit(measure_ns: int, warmup_ns: int, crowding: int, blocking: bool) -> Policy:
    """Return the windows of wake-ups far apart: one of each kind, so that each holds some."""
    usual = in_long_periods(measure_ns, warmup_ns, crowding, blocking)
    sampling = int(SOUNDING * measure_ns)
    return replace(usual, windows=replace(usual.windows, throughput=measure_ns - sampling, sampling=sampling))


LOOKED_INTO = replace(OUTLIERS, factor=1.0, least_ns=LEAST_NS)


def cases_of(here: Inventory, named: Sequence[int] | None) -> tuple[list[tuple[Case, Length]], list[Skipped]]:
    """Return the cases with the length of their trials, and what is left out.

    Raises:
        NothingToMeasure: the C++ probe does not know how.
    """
    topology = here.topology
    cpus = tuple(named or usable(topology))
    gaps, wakes = (_params(here, *one) for one in ((GAPS_OF, CLOCK), (WAKES_OF, CONDITION)))
    if gaps is None or wakes is None:
        raise NothingToMeasure("This build of the C++ probe cannot look for gaps. Run `make setup`, or reinstall.")
    runtime = here.runtimes[0].label
    found: list[tuple[Case, Length]] = []
    skipped: list[Skipped] = []

    def reading(*those: int) -> Case:
        return Case(GAPS_OF, CLOCK, gaps, runtime, around(topology, those, len(those)), False, 1, (), COLD, "gap")

    found.append((reading(*cpus), Length(CALIBRATING_S, AT_ONCE_S)))
    if len(cpus) > 1:
        some = cpus[:: -(-len(cpus) // MOST_ALONE)]
        found += [(reading(cpu), Length(CALIBRATING_S, ALONE_S / len(some))) for cpu in some]
        if len(some) < len(cpus):
            skipped.append(Skipped(f"{len(cpus) - len(some)} CPUs alone", f"{len(some)} of {len(cpus)} are enough"))
    place = _pair(topology, cpus)
    # Each pause, without and with a thread on each CPU of the pair that keeps it awake and gives way to all others.
    awake = Busy(len({*place.cpus}), nice=19, there=True)
    for name, busy in product(PAUSES_US, (NOBODY_BUSY, awake)):
        params = {**wakes, "pause": PAUSES_US[name]}
        varied = ("pause",) if wakes.get("pause") != PAUSES_US[name] else ()
        case = Case(
            WAKES_OF, CONDITION, params, runtime, place, True, 1, varied, COLD, "call", None, group=2, busy=busy
        )
        found.append((case, Length(CALIBRATING_S, WOKEN_S[name])))
    return found, skipped


def _params(here: Inventory, experiment: str, mechanism: str) -> dict[str, int | str] | None:
    """Return the defaults of a mechanism's parameters that have an effect; None where no probe has it."""
    for described in here.described:
        for one in described.description.experiments:
            for each in one.mechanisms if one.name == experiment else ():
                if each.name == mechanism:
                    return {param.name: param.default for param in each.params if param.only_with is None}
    return None


def _pair(topology: Topology, cpus: Sequence[int]) -> Placement:
    """Return where a thread wakes another: on two cores, near each other and of one kind; on one CPU if need be."""
    known = usable(topology)
    if len(cpus) == 1:
        return around(topology, cpus, 2)
    if {*cpus} == {*known}:
        return one_core_each(topology, 2)
    first = known[cpus[0]]
    order = ("same-l2", "same-l3", "same-node", "cross-node", "smt")  # who waits on a sibling takes half of the core

    def distance(other: Cpu) -> tuple[bool, int]:
        return not of_one_kind([first, other]), order.index(relation(first, other))

    second = min((known[cpu] for cpu in cpus[1:]), key=distance)
    return around(topology, (first.cpu, second.cpu), 2)
