"""How far every two of some CPUs are apart: pinged now, or as a matrix has it; and what is not known as its like."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from statistics import median

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.locality import system_says
from threadping.contract import Cpu, Topology
from threadping.errors import ThreadpingError
from threadping.grouping import gathered
from threadping.model.cases import Pair
from threadping.numbers import named
from threadping.plan.round_robin import rounds
from threadping.plan.survey import survey
from threadping.relation import CPUS_APART, relation, usable
from threadping.runner.pings import Ping
from threadping.studies.place.search import Latencies

MOST_PASSES = 3
"""Each pair is pinged so often where there is time, and the median is taken: a ping may be disturbed."""

SHARE_OF_BUDGET = 0.1
"""Of the budget all pings take no more, but for one pass."""

LEAST_S = 10.0
"""A smaller budget has as many pings as this: of hundreds of CPUs some, never all."""

TIES = 0.03
"""Of latencies that differ by less than this share those are preferred whose CPUs share more by the topology: pings of
one pair differ by 1% and more."""

SAME_CORE, WITH_CPU_0 = 0.001, 0.01
"""And then those whose CPUs do not share a core, and those without CPU 0, which takes most interrupts."""


class KnownLatencies(Struct, frozen=True):
    """What is known of pairs of CPUs, the lower first, one way (ns); and where that is from, in words."""

    ns: Mapping[Pair, float]
    source: str


def ping_now(ping: Ping, topology: Topology, cpus: Sequence[int], budget_s: float) -> KnownLatencies:
    """Ping every two of these CPUs, of many some: in rounds in which none is in two pairs.

    Raises:
        ThreadpingError: none of them can be pinged.
    """
    some, pass_s = survey(_only(topology, cpus), max(budget_s, LEAST_S))
    of_round = rounds(cpus) if not some else _in_rounds(some)
    passes = max(1, min(MOST_PASSES, int(SHARE_OF_BUDGET * budget_s / pass_s))) if pass_s else MOST_PASSES
    taken = [one for _ in range(passes) for pairs in of_round for one in ping(pairs)]
    seen = gathered((one.cpus, one.ns) for one in taken if one.ns)
    if not seen:
        why = next((one.failure for one in taken if one.failure), "nothing was measured")
        raise ThreadpingError(f"{named(cpus)} cannot be pinged: {why}")
    ns = {pair: median(each) for pair, each in seen.items()}
    return KnownLatencies(ns, "reference pings just before")


def as_array(known: KnownLatencies, topology: Topology, cpus: Sequence[int]) -> Latencies:
    """The latencies between these CPUs, symmetric, 0 of a CPU with itself.

    A pair of which nothing is known is as far apart as the median of those that share as much, in the same part of the
    machine or else anywhere; else as the farthest that are known.
    """
    listed = usable(topology)
    of_pair = {pair: ns for pair in combinations(sorted(cpus), 2) if (ns := known.ns.get(pair))}
    medians = [_medians(of_pair, listed, how) for how in ALIKE]
    farthest = max(of_pair.values())
    place, made = {cpu: at for at, cpu in enumerate(cpus)}, np.zeros((len(cpus), len(cpus)))
    for one, other in combinations(sorted(cpus), 2):
        ns = of_pair.get((one, other)) or _as_its_like(medians, listed[one], listed[other]) or farthest
        made[place[one], place[other]] = made[place[other], place[one]] = ns
    return made


def with_ties_broken(ns: Latencies, topology: Topology, cpus: Sequence[int]) -> Latencies:
    """The latencies, each longer by a part of TIES the less its CPUs share: alike ones are then told apart by that."""
    listed = usable(topology)
    made = ns.copy()
    for (a, one), (b, other) in combinations(enumerate(cpus), 2):
        shared = relation(listed[one], listed[other])
        by = TIES * CPUS_APART.index(shared) / len(CPUS_APART) + SAME_CORE * (shared == CPUS_APART[0])
        by += WITH_CPU_0 * (0 in (one, other))
        made[a, b] = made[b, a] = ns[a, b] * (1 + by)
    return made


def number_known(known: KnownLatencies, cpus: Sequence[int]) -> int:
    """Of how many pairs of these CPUs the latency is known."""
    among = {*cpus}
    return sum({*pair} <= among for pair in known.ns)


def _in_part(one: Cpu, other: Cpu) -> Hashable:
    """What two CPUs share, and in which part of the machine."""
    ends = sorted((cpu.package or 0, cpu.node or 0) for cpu in (one, other))
    return system_says(one, other), *ends


ALIKE: Sequence[Callable[[Cpu, Cpu], Hashable]] = (_in_part, system_says, relation)
"""By what pairs are like each other, the closest first."""


def _medians(
    of_pair: Mapping[Pair, float], listed: Mapping[int, Cpu], how: Callable[[Cpu, Cpu], Hashable]
) -> dict[Hashable, float]:
    groups = gathered((how(listed[one], listed[other]), ns) for (one, other), ns in of_pair.items())
    return {like: median(each) for like, each in groups.items()}


def _as_its_like(medians: Sequence[Mapping[Hashable, float]], one: Cpu, other: Cpu) -> float | None:
    found = (of.get(how(one, other)) for how, of in zip(ALIKE, medians, strict=True))
    return next((ns for ns in found if ns), None)


def _only(topology: Topology, cpus: Sequence[int]) -> Topology:
    return replace(topology, allowed=tuple(sorted(cpus)))


def _in_rounds(pairs: Sequence[Pair]) -> list[list[Pair]]:
    """Pairs that come round by round, divided where a CPU comes again."""
    made: list[list[Pair]] = [[]]
    for pair in pairs:
        if any({*pair} & {*other} for other in made[-1]):
            made.append([])
        made[-1].append(pair)
    return made
