"""The shapes of threads that exchange something, the CPUs that are chosen for them, and the cases that show the gain.

CPUs are chosen by latencies that are pinged now or that a matrix has. They are places of a symmetric matrix of
latencies, whose diagonal means nothing. Of choices that cost the same the first by their places is taken.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib.resources import files as resource
from itertools import accumulate, combinations, pairwise
from math import inf
from pathlib import Path
from statistics import median, median_low
from tomllib import loads
from typing import Literal

import numpy as np
from msgspec import Struct, convert
from msgspec.structs import replace
from numpy.typing import NDArray

from threadping.analysis.latency_map import LatencyMap, ordered, surveyed_map, system_says
from threadping.conduct.pings import Ping
from threadping.conduct.stored import answered
from threadping.model import base, cases, files
from threadping.model.contract import Cpu, Topology
from threadping.model.errors import NothingToMeasure, ThreadpingError, UsageError
from threadping.model.quantities import counted, named
from threadping.model.run import Machine, Pairing
from threadping.planning.cases import expand
from threadping.planning.plan import pairings, survey
from threadping.planning.selection import Inventory, Selection
from threadping.probes.placements import CPUS_APART, SHARED_LEVEL, UNPINNED, by_kind, kinds_of, relation, usable
from threadping.probes.runtimes import Described
from threadping.store.store import open_store
from threadping.studies.matrix.pasted import read
from threadping.studies.matrix.study import matrix_of

Exchange = Literal["all", "along", "one"]  # all threads with each other, each with the next, or all of them with one


class Shape(Struct, frozen=True, kw_only=True):
    """Threads that exchange something."""

    name: str  # as `--shape` names it
    exchange: Exchange  # the threads that exchange something
    by_farthest: bool = False  # the farthest exchange decides; else the mean of all
    roles: tuple[str, ...]  # of the one of `one`, and of each other thread; a single word for all
    one_first: bool = False  # the one is first among the threads; else last
    experiment: str  # that measures it
    mechanisms: tuple[str, ...]  # the first that a runtime has is measured, unless one is named
    params: Mapping[str, tuple[str, ...]] = {}  # besides the number of threads
    producers: bool = False  # the others are producers of a queue, whose consumer the one is
    measured: str  # the measured operation, in a clause

    def in_order(self, found: Sequence[int]) -> tuple[int, ...]:
        """Return CPUs that a search found in the order of the threads."""
        if self.exchange == "all":
            return tuple(sorted(found))
        if self.exchange == "along":
            return tuple(found if found[0] <= found[-1] else reversed(found))
        one, *others = found
        return (one, *others) if self.one_first else (*others, one)

    def pairs(self, cpus: Sequence[int]) -> list[cases.Pair]:
        """Return the pairs of CPUs, in the order of the threads, that exchange something."""
        is_last = self.exchange == "one" and not self.one_first
        return exchanges(self.exchange, (cpus[-1], *cpus[:-1]) if is_last else cpus)

    def role(self, thread: int, threads: int) -> str:
        """Return the role of a thread, by its place."""
        if len(self.roles) == 1:
            return self.roles[0]
        return self.roles[0 if thread == (0 if self.one_first else threads - 1) else 1]


class ToolLine(Struct, frozen=True):
    """A line for a tool: a command, or a line of its file. Words in capitals are placeholders."""

    tool: str
    line: str  # with names in braces for what is of the CPUs
    note: str = ""  # where the line goes, or what it cannot guarantee
    on_node: bool = False  # only where all CPUs are on one node of several


_READ = loads((resource(__package__) / "shapes.toml").read_text())
TOOL_LINES = convert(_READ["lines"], tuple[ToolLine, ...])
THREAD_SHAPES = {one.name: one for one in convert(_READ["shapes"], tuple[Shape, ...])}
"""The shapes by the names that `--shape` takes, the usual one first."""


OFTEN = 2.0  # times the median's interrupts, and more than one a second, from which on a CPU is avoided


class Considered(Struct, frozen=True):
    """The CPUs among which threads are placed, in the order of the machine, and sentences about them.

    CPU 0, which takes most interrupts, is the last, after the others of its core.
    """

    cpus: tuple[int, ...]
    notes: tuple[str, ...]


def considered(
    topology: Topology,
    threads: int,
    cpus: Sequence[int] | None,
    *,
    siblings: bool = False,
    interrupts_per_s: Mapping[int, float] | None = None,
) -> Considered:
    """Return the candidates for the threads: the named CPUs, or all usable ones that no others excel.

    As long as enough are left these go: CPUs that take many interrupts, where that is asked for; cores that are less
    capable; and all but one CPU of each core.

    With `siblings` two threads may share a core though there is one for each. `interrupts_per_s` has the interrupts of
    devices by CPU; None where these do not matter. Raises NothingToMeasure where there are fewer CPUs than threads.
    """
    mine = usable(topology)
    asked = [mine[cpu] for cpu in (cpus or mine)]
    if len(asked) < threads:
        who = "this process may use" if cpus is None else "--cpus names"
        outside = sorted({cpu.cpu for cpu in topology.cpus} - {*topology.allowed} - {*topology.offline})
        permits = f"Name those that the kernel permits: --cpus A,B; this machine has {named(outside)} too."
        way_out = permits if outside else f"Write --threads {len(asked)}, or fewer."
        raise NothingToMeasure(
            f"{counted(threads, 'thread')} need as many CPUs, but {who} only {named(cpu.cpu for cpu in asked)}. "
            + way_out
        )
    notes: list[str] = []
    left = asked
    if interrupts_per_s is not None:
        left = _away_from_interrupts(left, threads, interrupts_per_s, notes)
    if cpus is None:
        kinds = by_kind(left)  # of core, the most capable first: as many as are enough
        enough = next(at for at, number in enumerate(accumulate(map(len, kinds)), 1) if number >= threads)
        left = [cpu for kind in kinds[:enough] for cpu in kind]
        if less := [cpu for kind in kinds[enough:] for cpu in kind]:
            notes.append(f"Left out as less capable cores: {named(cpu.cpu for cpu in less)} ({kinds_of(less)}).")
    cores = base.gathered((("alone", cpu.cpu) if cpu.core is None else ("core", cpu.core), cpu) for cpu in left)
    if not siblings and len(cores) < threads:
        notes.append(f"{counted(len(cores), 'core')} for {threads} threads: some share one, and its time.")
    elif not siblings and len(cores) < len(left):  # CPU 0 is left only of a core that has no other
        notes.append("A core for each thread; --siblings lets two share one, which is nearer and slows both.")
        left = [min(core, key=lambda cpu: (cpu.cpu == 0, cpu.cpu)) for core in cores.values()]
    isolated = {*topology.isolated}
    if inside := sorted(isolated & {cpu.cpu for cpu in left}):
        notes.append(
            f"Isolated: {named(inside)}. The scheduler moves nothing there, so threads that are not pinned stay put."
        )
    if outside := sorted(isolated - {*topology.allowed}):
        notes.append(f"Isolated and outside this process's mask: {named(outside)}. --cpus considers them.")
    order = ordered(topology, [cpu.cpu for cpu in left])
    of_first = {cpu.cpu for cpu in topology.cpus if 0 in mine and mine[0].core is not None and cpu.core == mine[0].core}
    return Considered(tuple(sorted(order, key=lambda cpu: (cpu == 0, cpu in of_first))), tuple(notes))


def _away_from_interrupts(cpus: list[Cpu], threads: int, per_s: Mapping[int, float], notes: list[str]) -> list[Cpu]:
    """Return the CPUs that take few interrupts, and where these are too few the quietest of the others."""
    if not per_s:
        notes.append("How many interrupts each CPU takes is not known here: /proc/interrupts cannot be read.")
        return cpus
    rates = {cpu.cpu: per_s.get(cpu.cpu, 0.0) for cpu in cpus}
    usual = max(1.0, OFTEN * median_low(rates.values()))
    many = [cpu for cpu in rates if rates[cpu] > usual]
    avoided = sorted(many, key=lambda cpu: -rates[cpu])[: len(cpus) - threads]
    if avoided:
        said = ", ".join(f"CPU {cpu} ({rates[cpu]:,.0f} a second)" for cpu in avoided[:4])
        more = f" and {len(avoided) - 4} more" if len(avoided) > 4 else ""
        notes.append(f"Avoided for their interrupts: {said}{more}.")
    if len(avoided) < len(many):
        kept = named(cpu for cpu in many if cpu not in avoided)
        notes.append(f"Without {kept} there would be too few CPUs, though devices interrupt there often.")
    if not many:
        most = max(rates.values())
        notes.append(f"No CPU takes many more interrupts of devices than the others: {most:,.1f} a second at most.")
    return [cpu for cpu in cpus if cpu.cpu not in avoided]


PRODUCERS = "producers"  # the parameter with the number of producers of a queue


def cases_of(
    shape: Shape, asked: Selection, here: Inventory, cpus: Sequence[int], hop: Sequence[int]
) -> tuple[cases.Case, cases.Case]:
    """Return the case of the threads unpinned, and of those pinned to these CPUs.

    `here` has one runtime. `hop` has the CPUs of the farthest exchange: only this part of a path is measured. Raises
    UsageError where the runtime has no such mechanism, or one that cannot do it.
    """
    pins = [*hop] if shape.exchange == "along" else [*cpus]
    if shape.producers:  # a probe has a producer, the consumer, other producers
        first, *others, consumer = cpus
        pins = [first, consumer, *others]
    params = dict(shape.params)
    if shape.producers and len(pins) > 2:
        params[PRODUCERS] = (str(len(pins) - 1),)
    (described,) = here.described
    mechanism = asked.mechanisms or (_usual(shape, described, [*params]),)
    selection = replace(asked, experiments=(shape.experiment,), mechanisms=mechanism, params=params)
    numbered = {} if shape.producers or shape.exchange == "along" else {"threads": (len(pins),)}
    free = expand(replace(selection, cpus=None, placements=(UNPINNED,), **numbered), here).every
    pinned = expand(replace(selection, cpus=tuple(pins), **numbered), here).every
    if len(free) != 1 or len(pinned) != 1:
        titles = ", ".join(one.title for one in pinned)
        raise UsageError(f"`recommend cpus` takes one mechanism, but these are {len(pinned)}: {titles}.")
    return free[0], pinned[0]


def _usual(shape: Shape, described: Described, params: Sequence[str]) -> str:
    """Return the first of the shape's mechanisms that the runtime has, with these parameters."""
    offered = {one.name: one for one in described.mechanisms(shape.experiment)}
    able = (
        name
        for name in shape.mechanisms
        if (known := offered.get(name)) and not known.needs and {*params} <= {one.name for one in known.params}
    )
    if found := next(able, None):
        return found
    raise UsageError(
        f"{described.runtime.label} has none of the mechanisms that measure '{shape.name}': "
        f"{', '.join(shape.mechanisms)}. Name another: --mechanism NAME."
    )


# ---- the search ----

Latencies = NDArray[np.float64]
Chosen = tuple[int, ...]

PARTIAL_CHOICES = 256  # that the search keeps at each step: with one it was up to 12% off the best
BY_MEAN = 1e-6  # weight of the mean among choices whose farthest exchange is equally far
EQUAL = 1 + 1e-9  # factor within which sums are equal, however they are added up


def exchanges(exchange: Exchange, threads: Sequence[int]) -> list[cases.Pair]:
    """Return the pairs of threads that exchange something; the one is the first of `one`."""
    if exchange == "one":
        return [(threads[0], other) for other in threads[1:]]
    return [*(combinations(threads, 2) if exchange == "all" else pairwise(threads))]


def choose(ns: Latencies, threads: int, exchange: Exchange, *, by_farthest: bool = False) -> Chosen:
    """Return the places at which the shape costs least: the one first of `one`, a path along itself.

    Add CPU after CPU to the cheapest partial choices: a greedy search that keeps some of them (a beam search).
    docs/internals/recommend-cpus.md compares it with an optimiser on recorded machines.
    """
    if exchange == "one":
        return _around_one(ns, threads, by_farthest=by_farthest)
    apart = ns + np.diag(np.full(len(ns), inf))
    chosen, costs, adds = np.arange(len(ns))[:, None], np.zeros(len(ns)), apart
    for _ in range(threads - 1):
        longer = (costs[:, None] + adds).ravel()
        most = min(PARTIAL_CHOICES, longer.size) - 1
        few = np.flatnonzero(longer <= np.partition(longer, most)[most])  # millions are not sorted
        cheapest = few[np.argsort(longer[few], kind="stable")][:PARTIAL_CHOICES]
        cheapest = cheapest[np.isfinite(longer[cheapest])]
        parents, added = np.divmod(cheapest, len(ns))
        chosen = np.column_stack([chosen[parents], added])
        costs = longer[cheapest]
        if exchange == "along":
            adds = apart[added]
            np.put_along_axis(adds, chosen, inf, axis=1)
        else:
            chosen.sort(axis=1)
            _, distinct = np.unique(chosen, axis=0, return_index=True)
            adds = (adds[parents] + apart[added])[distinct]
            chosen, costs = chosen[distinct], costs[distinct]
    return min(map(tuple, chosen[costs <= EQUAL * costs.min()].tolist()))


def costs_of(
    ns: Latencies, choices: Sequence[Sequence[int]], exchange: Exchange, *, by_farthest: bool = False
) -> list[float]:
    """Return what a shape costs at the places of each choice, the one first: its exchanges' mean, or the farthest."""
    one, other = np.array(exchanges(exchange, range(len(choices[0])))).T
    each = (ns[places[one], places[other]] for places in map(np.asarray, choices))
    return [float(of_it.max() if by_farthest else of_it.mean()) for of_it in each]


def usual_cost(
    ns: Latencies, threads: int, exchange: Exchange, seed: int, *, by_farthest: bool = False, draws: int = 999
) -> float:
    """Return what a shape costs at places drawn at random: the median of the draws."""
    drawn = np.random.default_rng(seed)
    choices = [drawn.permutation(len(ns))[:threads].tolist() for _ in range(draws)]
    return median(costs_of(ns, choices, exchange, by_farthest=by_farthest))


def _around_one(ns: Latencies, threads: int, *, by_farthest: bool) -> Chosen:
    """Return the best CPU with those nearest to it, which is exact."""
    away = ns + np.diag(np.full(len(ns), inf))
    nearest = np.argsort(away, axis=1, kind="stable")[:, : threads - 1]
    of_each = np.take_along_axis(away, nearest, axis=1)
    costs = of_each.max(axis=1) + BY_MEAN * of_each.mean(axis=1) if by_farthest else of_each.mean(axis=1)
    one = int(np.argmin(costs))
    return one, *map(int, nearest[one])


MOST_PASSES = 3  # pings of each pair, whose median is taken: one may be disturbed
SHARE_OF_BUDGET = 0.1  # maximum for all pings, but for one pass
LEAST_S = 10.0  # a smaller budget has as many pings as this: of hundreds of CPUs some, never all
TIES = 0.03
"""Latencies within this share are tied, and CPUs that share more preferred: pings of one pair differ by 1% and more."""
SAME_CORE, WITH_CPU_0 = 0.001, 0.01  # then CPUs that share no core, and those without CPU 0


LATEST = "last"
WAYS_OUT = "leave --from out, and it is measured now."


class KnownLatencies(Struct, frozen=True):
    """Latencies of pairs of CPUs, the lower first, one way (ns); and their source in words."""

    ns: Mapping[cases.Pair, float]
    source: str
    cpus: tuple[int, ...] = ()  # of a given matrix
    machine: Machine | None = None  # that a given matrix is of; None of another tool's

    def number_among(self, cpus: Sequence[int]) -> int:
        among = {*cpus}
        return sum(one in among and other in among for one, other in self.ns)

    def check(self, here: Machine, considered: tuple[int, ...]) -> None:
        """Raise UsageError where it is of another machine, or lacks some of the CPUs that are considered."""
        topology, source = here.topology, f"T{self.source[1:]}"
        model = self.machine and self.machine.cpu_model
        # A new kernel changes no latency between CPUs.
        if self.machine and (model, self.machine.topology.cpus) != (here.cpu_model, topology.cpus):
            raise UsageError(f"{source} is of another machine ({model or 'unknown CPU'}): {WAYS_OUT}")
        if others := {*self.cpus} - {cpu.cpu for cpu in topology.cpus}:
            are = "is" if len(others) == 1 else "are"
            raise UsageError(f"{source} has {named(others)}, which {are} not here: {WAYS_OUT}")
        if missing := {*considered} - {*self.cpus}:
            left = {*considered} & {*self.cpus}
            way_out = f" Name others: --cpus {','.join(map(str, sorted(left)))}." if len(left) > 1 else ""
            raise UsageError(f"{source} does not have {named(missing)}.{way_out}")
        if not self.number_among(considered):
            raise UsageError(f"{source} has no latency between any two of {named(considered)}: {WAYS_OUT}")


def ping_now(ping: Ping, topology: Topology, cpus: Sequence[int], budget_s: float) -> KnownLatencies:
    """Ping every two of these CPUs, of many some, in rounds in which none is twice; ThreadpingError if none answers."""
    some, pass_s = survey(replace(topology, allowed=tuple(sorted(cpus))), max(budget_s, LEAST_S))
    of_round = pairings(cpus) if not some else _in_rounds(some)
    passes = max(1, min(MOST_PASSES, int(SHARE_OF_BUDGET * budget_s / pass_s))) if pass_s else MOST_PASSES
    taken = [one for _ in range(passes) for pairs in of_round for one in ping(pairs)]
    seen = base.gathered((one.cpus, one.ns) for one in taken if one.ns)
    if not seen:
        why = next((one.failure for one in taken if one.failure), "nothing was measured")
        raise ThreadpingError(f"{named(cpus)} cannot be pinged: {why} Name others with --cpus.")
    return KnownLatencies({pair: median(each) for pair, each in seen.items()}, "reference pings just before")


def _in_rounds(pairs: Sequence[cases.Pair]) -> list[list[cases.Pair]]:
    """Divide pairs, which come round by round, where a CPU comes again."""
    made: list[list[cases.Pair]] = [[]]
    for pair in pairs:
        if any({*pair} & {*other} for other in made[-1]):
            made.append([])
        made[-1].append(pair)
    return made


def _in_part(one: Cpu, other: Cpu) -> Hashable:
    """Return what two CPUs share, and in which part of the machine."""
    ends = sorted((cpu.package or 0, cpu.node or 0) for cpu in (one, other))
    return system_says(one, other), *ends


ALIKE: Sequence[Callable[[Cpu, Cpu], Hashable]] = (_in_part, system_says, relation)
"""Criteria by which pairs are alike, the closest first."""


def as_array(known: KnownLatencies, topology: Topology, cpus: Sequence[int]) -> Latencies:
    """Return the latencies between these CPUs, symmetric, 0 of a CPU with itself.

    An unknown pair is as far apart as the median of those that share as much, in the same part of the machine or else
    anywhere; else as the farthest known.
    """
    place = {cpu: at for at, cpu in enumerate(cpus)}
    measured = [(place[a], place[b], ns) for (a, b), ns in known.ns.items() if ns and a in place and b in place]
    a, b = np.array([pair[:2] for pair in measured]).T
    ns = np.array([ns for *_, ns in measured])
    sorts, examples = _sorts_of_pairs([*map(usable(topology).__getitem__, cpus)])
    medians, known_ns = [], list(zip(sorts[a, b].tolist(), ns.tolist(), strict=True))
    for alike in ALIKE:
        shared = [alike(*pair) for pair in examples]
        of_group = base.gathered((shared[sort], one) for sort, one in known_ns)
        middles = {one: median(values) for one, values in of_group.items()}
        medians.append([middles.get(one) for one in shared])
    like = [next((ns for ns in each if ns is not None), ns.max()) for each in zip(*medians, strict=True)]
    made = np.array(like)[sorts]
    made[a, b] = made[b, a] = ns
    np.fill_diagonal(made, 0.0)
    return made


def _sorts_of_pairs(cpus: Sequence[Cpu]) -> tuple[NDArray[np.int32], list[tuple[Cpu, Cpu]]]:
    """Give pairs numbers, so that those of one number are alike by each of ALIKE; and return a pair of each number.

    Millions of pairs are of a few sorts: the criteria ask what two CPUs share, and of each the part of the machine and
    the kind. A CPU with itself is a sort like another.
    """
    parts = [(cpu.package, cpu.node, cpu.l3 is None, cpu.kind, cpu.is_listed) for cpu in cpus]
    number = {part: at for at, part in enumerate(dict.fromkeys(parts))}
    part = np.array([number[one] for one in parts], np.int32)
    keys = np.minimum.outer(part, part) * len(number) + np.maximum.outer(part, part)
    keys = keys * len(CPUS_APART) + shared_levels(cpus)
    _, first, sorts = np.unique(keys, return_index=True, return_inverse=True)
    pairs = zip(*np.divmod(first, len(cpus)), strict=True)
    return sorts.reshape(keys.shape).astype(np.int32), [(cpus[a], cpus[b]) for a, b in pairs]


def shared_levels(cpus: Sequence[Cpu]) -> NDArray[np.int8]:
    """Return the place in CPUS_APART of the `relation` of every two of these CPUs."""
    listed = np.array([cpu.is_listed for cpu in cpus])
    made = np.full((len(cpus), len(cpus)), len(SHARED_LEVEL) - 1, np.int8)
    made[np.logical_and.outer(listed, listed)] = len(SHARED_LEVEL)
    for at, (name, what) in reversed([*enumerate(SHARED_LEVEL.items())]):
        numbers = np.array([-1 if (of := getattr(cpu, what)) is None else of for cpu in cpus])
        known = (numbers >= 0) | (name == "same-node")
        made[np.equal.outer(numbers, numbers) & known] = at
    return made


def with_ties_broken(ns: Latencies, topology: Topology, cpus: Sequence[int]) -> Latencies:
    """Return the latencies, each longer by a part of TIES, the less its CPUs share."""
    levels, is_0 = shared_levels([*map(usable(topology).__getitem__, cpus)]), np.array(cpus) == 0
    by = TIES * levels / len(CPUS_APART) + SAME_CORE * (levels == 0)
    by += WITH_CPU_0 * np.logical_or.outer(is_0, is_0)
    broken: Latencies = ns * (1 + by)
    return broken


def read_given(which: str, location: str | None) -> KnownLatencies:
    """Return the matrix of a run, by its number or `last` for the newest; or of a file of another tool.

    Raises UsageError where the run has no matrix, Unreadable where there is no such file, or it is no matrix.
    """
    of: LatencyMap | None
    if which == LATEST or which.isdecimal():
        with open_store(location, create=False) as store:
            if which == LATEST:
                measured = (run for run, trials in store.newest() if isinstance(run.study, Pairing) and trials)
                if (newest := next(measured, None)) is None:
                    raise UsageError(f"The store has no matrix yet. `threadping matrix` measures one; or {WAYS_OUT}")
                which = str(newest.id)
            answer = answered(store, which)
        of = matrix_of(answer).map if isinstance(answer.run.study, Pairing) else surveyed_map(answer)
        if of is None or not of.ns:
            raise UsageError(f"Run {answer.run.id} has no matrix. `threadping matrix` measures one; or {WAYS_OUT}")
        source, machine = f"the matrix of run {answer.run.id}", answer.run.machine
    else:
        file = Path(which)
        content, name = files.read(file), files.named(file)
        of, source, machine = read(files.decode(content, name), name)[0].map, f"the matrix in {name}", None
    ns: dict[cases.Pair, float] = {}  # each pair once: of one that was measured both ways the mean
    for (one, other), there in of.ns.items():
        back = of.ns.get((other, one), there)
        if there or back:
            ns[(one, other) if one < other else (other, one)] = (there + back) / 2
    return KnownLatencies(ns, source, of.cpus, machine)
