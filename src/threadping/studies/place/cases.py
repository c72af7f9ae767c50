"""The shapes of threads that exchange something, the candidate CPUs for them, and the cases that show the gain."""

from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from statistics import median_low
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from threadping.analysis.latency_map import ordered
from threadping.model.base import gathered
from threadping.model.cases import Case, Pair
from threadping.model.contract import Cpu, Topology
from threadping.model.errors import NothingToMeasure, UsageError
from threadping.model.quantities import counted, named
from threadping.planning.cases import expand
from threadping.planning.selection import Inventory, Selection
from threadping.probes.placements import UNPINNED, by_kind, kinds_of, usable
from threadping.probes.runtimes import Described

Exchange = Literal["all", "along", "one"]  # all threads with each other, each with the next, or all of them with one


class Shape(Struct, frozen=True, kw_only=True):
    """Threads that exchange something."""

    name: str  # as `--of` names it
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

    def pairs(self, cpus: Sequence[int]) -> list[Pair]:
        """Return the pairs of CPUs, in the order of the threads, that exchange something."""
        if self.exchange == "all":
            return [*combinations(cpus, 2)]
        if self.exchange == "along":
            return [*pairwise(cpus)]
        one = cpus[0 if self.one_first else -1]
        return [(one, cpu) for cpu in cpus if cpu != one]

    def role(self, thread: int, threads: int) -> str:
        """Return the role of a thread, by its place."""
        if len(self.roles) == 1:
            return self.roles[0]
        return self.roles[0 if thread == (0 if self.one_first else threads - 1) else 1]


# The first takes one producer alone; each language has one of the others, which takes several.
QUEUES = ("sequenced-ring", "atomic-queue", "jctools-mpsc", "crossbeam-array-queue", "mutex-deque")
# All poll, so that a round takes as long as its lines travel; Java and Rust have the second alone.
CROWDS = ("spin-all", "spin-barrier")

THREAD_SHAPES = {  # by the names that `--of` takes; the first is the usual one
    one.name: one
    for one in (
        Shape(
            name="all-to-all",
            exchange="all",
            roles=("thread",),
            experiment="lock",
            mechanisms=("fetch-add", "get-and-add"),
            measured="all add to one counter",
        ),
        Shape(
            name="producer-consumer",
            exchange="one",
            roles=("consumer", "producer"),
            experiment="ring",
            mechanisms=QUEUES,
            params={"in-flight": ("1",)},
            producers=True,
            measured="messages to the consumer, one in flight from each producer",
        ),
        Shape(
            name="pipeline",
            exchange="along",
            roles=("stage",),
            experiment="signal",
            mechanisms=("cas-one-line",),
            measured="hand-overs of its farthest hop, alone",
        ),
        Shape(
            name="crowd",
            exchange="one",
            by_farthest=True,
            roles=("caller", "member"),
            one_first=True,
            experiment="crowd",
            mechanisms=CROWDS,
            measured="rounds: the caller lets all members go, and waits until the last is done",
        ),
    )
}


OFTEN = 2.0  # times the median's interrupts, and more than one a second, from which on a CPU is avoided


class Considered(Struct, frozen=True):
    """The CPUs among which threads are placed, in the order of the machine, and sentences about them.

    CPU 0, which takes most interrupts, is the last, and those of its core stand before it.
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
    devices by CPU; None where these do not matter.

    Raises:
        NothingToMeasure: there are fewer CPUs than threads.
    """
    mine = usable(topology)
    asked = [mine[cpu] for cpu in (cpus or mine)]
    if len(asked) < threads:
        who = "this process may use" if cpus is None else "--cpus names"
        outside = sorted({cpu.cpu for cpu in topology.cpus} - {*topology.allowed} - {*topology.offline})
        way_out = f" Name those that the kernel permits: --cpus A,B; this machine has {named(outside)} too."
        raise NothingToMeasure(
            f"{counted(threads, 'thread')} take as many CPUs, but {who} {named(cpu.cpu for cpu in asked)} alone."
            f"{way_out if outside else ''}"
        )
    notes: list[str] = []
    left = asked
    if interrupts_per_s is not None:
        left = _away_from_interrupts(left, threads, interrupts_per_s, notes)
    if cpus is None:
        left = _most_capable(left, threads, notes)
    if not siblings:
        left = _one_of_each_core(left, threads, notes)
    isolated = {*topology.isolated}
    if inside := sorted(isolated & {cpu.cpu for cpu in left}):
        notes.append(
            f"Isolated: {named(inside)}. The scheduler moves nothing there, so threads that are not pinned stay put."
        )
    if outside := sorted(isolated - {*topology.allowed}):
        notes.append(f"Isolated and outside this process's mask: {named(outside)}. --cpus considers them.")
    order = ordered(topology, [cpu.cpu for cpu in left])
    beside = {cpu.cpu for cpu in topology.cpus if 0 in mine and mine[0].core is not None and cpu.core == mine[0].core}
    return Considered(tuple(sorted(order, key=lambda cpu: (cpu == 0, cpu in beside))), tuple(notes))


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


def _most_capable(cpus: list[Cpu], threads: int, notes: list[str]) -> list[Cpu]:
    """Return the CPUs of the most capable kinds of core that are enough."""
    kinds = by_kind(cpus)
    enough = next(at for at, number in enumerate(accumulate(map(len, kinds)), 1) if number >= threads)
    if left_out := [cpu for kind in kinds[enough:] for cpu in kind]:
        notes.append(f"Left out as less capable cores: {named(cpu.cpu for cpu in left_out)} ({kinds_of(left_out)}).")
    return [cpu for kind in kinds[:enough] for cpu in kind]


def _one_of_each_core(cpus: list[Cpu], threads: int, notes: list[str]) -> list[Cpu]:
    """Return one CPU of each core, if there are enough cores; CPU 0 only of a core that has no other."""
    cores = gathered((("alone", cpu.cpu) if cpu.core is None else ("core", cpu.core), cpu) for cpu in cpus)
    if len(cores) == len(cpus):
        return cpus
    if len(cores) < threads:
        notes.append(f"{counted(len(cores), 'core')} for {threads} threads: some share one, and its time.")
        return cpus
    notes.append("A core for each thread; --siblings lets two share one, which is nearer and slows both.")
    return [min(core, key=lambda cpu: (cpu.cpu == 0, cpu.cpu)) for core in cores.values()]


PRODUCERS = "producers"  # the parameter with the number of producers of a queue


def cases_of(
    shape: Shape, asked: Selection, here: Inventory, cpus: Sequence[int], hop: Sequence[int]
) -> tuple[Case, Case]:
    """Return the case of the threads unpinned, and of those pinned to these CPUs.

    `here` has one runtime. `hop` has the CPUs of the farthest exchange: of a path it alone is measured.

    Raises:
        UsageError: the runtime has no such mechanism, or one that cannot do it.
    """
    stand = [*hop] if shape.exchange == "along" else [*cpus]
    if shape.producers:  # a probe has a producer, the consumer, other producers
        first, *others, consumer = cpus
        stand = [first, consumer, *others]
    params = dict(shape.params)
    if shape.producers and len(stand) > 2:
        params[PRODUCERS] = (str(len(stand) - 1),)
    (described,) = here.described
    mechanism = asked.mechanisms or (_usual(shape, described, [*params]),)
    selection = replace(asked, experiments=(shape.experiment,), mechanisms=mechanism, params=params)
    numbered = {} if shape.producers or shape.exchange == "along" else {"threads": (len(stand),)}
    free = expand(replace(selection, cpus=None, placements=(UNPINNED,), **numbered), here).every
    pinned = expand(replace(selection, cpus=tuple(stand), **numbered), here).every
    if len(free) != 1 or len(pinned) != 1:
        raise UsageError(
            f"place takes one mechanism, but these are {len(pinned)}: {', '.join(one.title for one in pinned)}."
        )
    return free[0], pinned[0]


def _usual(shape: Shape, described: Described, params: Sequence[str]) -> str:
    """Return the first of the shape's mechanisms that the runtime has, with these parameters."""
    offered = {
        mechanism.name: mechanism
        for experiment in described.description.experiments
        if experiment.name == shape.experiment
        for mechanism in experiment.mechanisms
    }
    able = (
        name
        for name in shape.mechanisms
        if (known := offered.get(name)) and not known.needs and {*params} <= {one.name for one in known.params}
    )
    if (found := next(able, None)) is None:
        raise UsageError(
            f"{described.runtime.label} has none of the mechanisms by which '{shape.name}' is measured: "
            f"{', '.join(shape.mechanisms)}. Name another: --mechanism NAME."
        )
    return found
