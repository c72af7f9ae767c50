"""Choose CPUs for threads of a shape, by latencies that are pinged now or that a matrix has.

CPUs are places of a matrix of latencies, symmetric, of which what is on the diagonal says nothing. Of those that cost
the same the first by their places are taken.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from math import comb, inf, perm
from pathlib import Path
from statistics import median

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from threadping.analysis.latency_map import LatencyMap, surveyed_map
from threadping.analysis.locality import system_says
from threadping.conduct.pings import Ping
from threadping.conduct.stored import answered
from threadping.model import recognition
from threadping.model.cases import Pair
from threadping.model.contract import Cpu, Topology
from threadping.model.errors import ThreadpingError, UsageError
from threadping.model.grouping import gathered
from threadping.model.numbers import named
from threadping.model.run import Machine
from threadping.model.studies import Pairing
from threadping.model.topology import CPUS_APART, relation, usable
from threadping.planning.budget import rounds, survey
from threadping.store.database import open_store
from threadping.store.store import Store
from threadping.studies.matrix.foreign import read
from threadping.studies.matrix.output import matrix_of
from threadping.studies.place.shapes import Exchange

Latencies = NDArray[np.float64]
Chosen = tuple[int, ...]

MOST_TRIED = 50_000
"""So many choices are all tried; of eight CPUs there are 40,320 orders at most."""

MOST_NUMBERS = 1 << 22
"""Of an array that holds all choices: 32 MB."""

MOST_IMPROVED, FEWEST_IMPROVED, DRAWN = 24, 3, 40
"""So many of the choices that were built up are improved, the cheapest, and of those that are drawn besides; of many
threads fewer, for whose sum a single one says little. Without those that are drawn 90 of 100 paths of four to seven
of eight CPUs were within 2% of the best (`along`, latencies drawn at random, which is harder than a machine's)."""

OF_THREADS = 600
"""So many threads are improved in all, but for the fewest choices."""

MOST_STEPS = 400
"""So often a choice is improved at most."""

LEAST_GAIN = 1e-9
"""A step that gains less is none: sums are rounded."""

BY_MEAN = 1e-6
"""Of choices whose farthest exchange is equally far the one whose others are nearer."""


def choose(ns: Latencies, threads: int, exchange: Exchange, *, by_farthest: bool = False) -> Chosen:
    """The places for so many threads at which the shape costs least: the one first of `one`, a path along itself."""
    if exchange == "one":
        return _around_one(ns, threads, by_farthest=by_farthest)
    if threads == len(ns) and exchange == "all":
        return tuple(range(threads))
    if (every := _all_choices(len(ns), threads, exchange)) is not None:
        found = every[int(np.argmin(_costs(ns, every, exchange)))]
        return tuple(map(int, found))
    return search(ns, threads, exchange)


def search(ns: Latencies, threads: int, exchange: Exchange) -> Chosen:
    """The same where there are too many choices to try all: built up from every CPU, the cheapest improved."""
    built = {_canonical(one, exchange) for one in (_built_up(ns, first, threads, exchange) for first in range(len(ns)))}
    chance, some = np.random.default_rng(threads), OF_THREADS // threads
    drawn = [chance.permutation(len(ns))[:threads].tolist() for _ in range(min(DRAWN, some))]
    begun = sorted(built, key=lambda one: (cost(ns, one, exchange), one))
    begun = [*begun[: min(MOST_IMPROVED, max(FEWEST_IMPROVED, some))], *drawn]
    improve = _improved_path if exchange == "along" else _improved_set
    ended = [_canonical(improve(ns, [*one]), exchange) for one in begun]
    return min(ended, key=lambda one: (cost(ns, one, exchange), one))


def cost(ns: Latencies, chosen: Sequence[int], exchange: Exchange, *, by_farthest: bool = False) -> float:
    """What a shape costs at these places, the one first: the mean of its exchanges, or the farthest of them."""
    one = np.array([chosen])
    if exchange == "one":
        exchanges = ns[chosen[0], list(chosen[1:])]
        return float(exchanges.max() if by_farthest else exchanges.mean())
    number = len(chosen) * (len(chosen) - 1) / 2 if exchange == "all" else len(chosen) - 1
    return float(_costs(ns, one, exchange)[0] / number)


def usual_cost(
    ns: Latencies, threads: int, exchange: Exchange, seed: int, *, by_farthest: bool = False, draws: int = 999
) -> float:
    """What a shape costs at places that are drawn at random: the median of as many draws."""
    drawn = np.random.default_rng(seed)
    choices = (drawn.permutation(len(ns))[:threads].tolist() for _ in range(draws))
    return float(np.median([cost(ns, one, exchange, by_farthest=by_farthest) for one in choices]))


def _around_one(ns: Latencies, threads: int, *, by_farthest: bool) -> Chosen:
    """Around each CPU those that are nearest to it: that is exact."""
    away = ns + np.diag(np.full(len(ns), inf))
    nearest = np.argsort(away, axis=1, kind="stable")[:, : threads - 1]
    of_each = np.take_along_axis(away, nearest, axis=1)
    costs = of_each.max(axis=1) + BY_MEAN * of_each.mean(axis=1) if by_farthest else of_each.mean(axis=1)
    one = int(np.argmin(costs))
    return one, *map(int, nearest[one])


def _all_choices(cpus: int, threads: int, exchange: Exchange) -> NDArray[np.intp] | None:
    """Every choice there is; None where there are too many."""
    number = comb(cpus, threads) if exchange == "all" else perm(cpus, threads)
    if number > MOST_TRIED or number * threads**2 > MOST_NUMBERS:
        return None
    ways: Iterator[Chosen] = (combinations if exchange == "all" else permutations)(range(cpus), threads)
    return np.fromiter(chain.from_iterable(ways), np.intp, number * threads).reshape(number, threads)


def _costs(ns: Latencies, choices: NDArray[np.intp], exchange: Exchange) -> Latencies:
    """The sum of the exchanges of each choice, of `all` or `along`."""
    if exchange == "along":
        return np.asarray(ns[choices[:, :-1], choices[:, 1:]].sum(axis=1))
    whole = ns[choices[:, :, None], choices[:, None, :]].sum(axis=(1, 2))
    own = ns[choices, choices].sum(axis=1)
    return np.asarray((whole - own) / 2)


def _built_up(ns: Latencies, first: int, threads: int, exchange: Exchange) -> list[int]:
    """A choice that begins with one CPU, and takes each time the one that adds least; a path grows at both ends."""
    chosen, free = [first], np.ones(len(ns), bool)
    free[first] = False
    sums = ns[first].copy()
    while len(chosen) < threads:
        if exchange == "all":
            added = int(np.argmin(np.where(free, sums, inf)))
            sums += ns[added]
            chosen.append(added)
        else:
            ends = [int(np.argmin(np.where(free, ns[end], inf))) for end in (chosen[-1], chosen[0])]
            at_end = ns[chosen[-1], ends[0]] <= ns[chosen[0], ends[1]]
            added = ends[0] if at_end else ends[1]
            chosen.insert(len(chosen) if at_end else 0, added)
        free[added] = False
    return chosen


def _improved_set(ns: Latencies, chosen: list[int]) -> list[int]:
    """Change one CPU for another as long as that gains something, each time the change that gains most."""
    plain = ns - np.diag(np.diag(ns))
    for _ in range(MOST_STEPS):
        sums = plain[chosen].sum(axis=0)
        gains = sums[chosen][:, None] - (sums[None, :] - plain[chosen])
        gains[:, chosen] = -inf
        best = int(np.argmax(gains))
        if gains.flat[best] <= LEAST_GAIN:
            return chosen
        chosen[best // len(ns)] = best % len(ns)
    return chosen


def _improved_path(ns: Latencies, chosen: list[int]) -> list[int]:
    """Change a CPU for another, turn a stretch round, or move a CPU, as long as one of these gains something."""
    for _ in range(MOST_STEPS):
        gain, better = max((_changed(ns, chosen), _turned(ns, chosen)), key=lambda one: one[0])
        if gain <= LEAST_GAIN:
            gain, better = _moved(ns, chosen)
        if gain <= LEAST_GAIN:
            return chosen
        chosen = better
    return chosen


Move = tuple[float, list[int]]
"""What it gains, and the path that it makes."""


def _changed(ns: Latencies, path: list[int]) -> Move:
    """The best change of one CPU of a path for one outside of it."""
    hops = np.zeros((len(path), len(ns)))
    hops[1:] += ns[path[:-1]]
    hops[:-1] += ns[path[1:]]
    now = hops[np.arange(len(path)), path]
    gains = now[:, None] - hops
    gains[:, path] = -inf
    best = int(np.argmax(gains))
    at, cpu = divmod(best, len(ns))
    return float(gains.flat[best]), [*path[:at], cpu, *path[at + 1 :]]


def _turned(ns: Latencies, path: list[int]) -> Move:
    """The best turn of a stretch of a path, from one place to another."""
    size, at = len(path), np.array(path)
    before, after = np.zeros(size), np.zeros(size)  # the hop into a place, and the one out of it
    before[1:] = after[:-1] = ns[at[:-1], at[1:]]
    into, out = np.zeros((size, size)), np.zeros((size, size))
    into[1:, :] = ns[np.ix_(at[:-1], at)]  # from before the first to what was the last
    out[:, :-1] = ns[np.ix_(at, at[1:])]  # from what was the first to behind the last
    gains = np.triu(before[:, None] + after[None, :] - into - out, 1)
    best = int(np.argmax(gains))
    first, last = divmod(best, size)
    return float(gains.flat[best]), [*path[:first], *path[first : last + 1][::-1], *path[last + 1 :]]


def _moved(ns: Latencies, path: list[int]) -> Move:
    """The best move of one CPU of a path to another place in it."""
    best: Move = (0.0, path)
    for at, cpu in enumerate(path):
        rest = [*path[:at], *path[at + 1 :]]
        hops = [float(ns[one, other]) for one, other in ((path[at - 1], cpu), (cpu, path[(at + 1) % len(path)]))]
        left = hops[0] * (at > 0) + hops[1] * (at < len(path) - 1)
        joined = float(ns[path[at - 1], path[at + 1]]) if 0 < at < len(path) - 1 else 0.0
        to = ns[cpu, rest]
        within = to[:-1] + to[1:] - ns[rest[:-1], rest[1:]]
        adds = np.concatenate(([to[0]], within, [to[-1]]))
        place = int(np.argmin(adds))
        gain = left - joined - float(adds[place])
        if gain > best[0]:
            best = gain, [*rest[:place], cpu, *rest[place:]]
    return best


def _canonical(chosen: Sequence[int], exchange: Exchange) -> Chosen:
    """One of those that are the same: a set in order, a path from its lower end."""
    if exchange == "all":
        return tuple(sorted(chosen))
    return tuple(chosen if chosen[0] <= chosen[-1] else reversed(chosen))


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


LATEST = "last"


class GivenMatrix(Struct, frozen=True):
    """A matrix, and the machine that it is of; None of another tool's."""

    known: KnownLatencies
    cpus: tuple[int, ...]
    machine: Machine | None

    def check(self, here: Machine, considered: tuple[int, ...]) -> None:
        """Raise UsageError where it is of another machine, or lacks some of the CPUs that are considered."""
        topology, source = here.topology, f"T{self.known.source[1:]}"
        if self.machine and _build_of(self.machine) != _build_of(here):
            raise UsageError(f"{source} is of another machine ({self.machine.cpu_model or 'unknown CPU'}): {WAYS_OUT}")
        if others := {*self.cpus} - {cpu.cpu for cpu in topology.cpus}:
            raise UsageError(f"{source} is of another machine: it has {named(others)}, which {_is(others)} not here.")
        if missing := {*considered} - {*self.cpus}:
            left = {*considered} & {*self.cpus}
            way_out = f" Consider others: --cpus {','.join(map(str, sorted(left)))}." if len(left) > 1 else ""
            raise UsageError(f"{source} says nothing of {named(missing)}.{way_out}")


WAYS_OUT = "leave --matrix out, and it is measured now."


def read_given(which: str, location: str | None) -> GivenMatrix:
    """The matrix of a run, by its number or `last` for the newest that there is; or of a file of another tool.

    Raises:
        UsageError: the run has no matrix.
        Unreadable: there is no such file, or it is no matrix.
    """
    if which == LATEST or which.isdecimal():
        with open_store(location, create=False) as store:
            return _of_run(store, which)
    file = Path(which)
    content, name = recognition.read(file), recognition.named(file)
    pasted = read(recognition.decode(content, name), name)[0]
    return _given(pasted.map, f"the matrix in {name}", None)


def _of_run(store: Store, which: str) -> GivenMatrix:
    if which == LATEST:
        newest = next((run for run, trials in store.runs() if isinstance(run.study, Pairing) and trials), None)
        if newest is None:
            raise UsageError(f"The store has no matrix yet. `threadping matrix` measures one; or {WAYS_OUT}")
        which = str(newest.id)
    answer = answered(store, which)
    found = matrix_of(answer).map if isinstance(answer.run.study, Pairing) else surveyed_map(answer)
    if found is None or not found.ns:
        raise UsageError(f"Run {answer.run.id} has no matrix. `threadping matrix` measures one; or {WAYS_OUT}")
    return _given(found, f"the matrix of run {answer.run.id}", answer.run.machine)


def _given(of: LatencyMap, source: str, machine: Machine | None) -> GivenMatrix:
    """Each pair once: of one that was measured both ways the mean of these."""
    ns: dict[Pair, float] = {}
    for one, other in of.ns:
        ways = [of.ns[pair] for pair in ((one, other), (other, one)) if pair in of.ns]
        if sum(ways):
            ns[min(one, other), max(one, other)] = sum(ways) / len(ways)
    return GivenMatrix(KnownLatencies(ns, source), of.cpus, machine)


def _build_of(machine: Machine) -> object:
    """What the latencies between its CPUs come from: a new kernel changes none of them."""
    return machine.cpu_model, machine.topology.cpus


def _is(cpus: set[int]) -> str:
    return "is" if len(cpus) == 1 else "are"
