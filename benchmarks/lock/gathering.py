"""Find the contenders that can be measured here (our probes, the baselines, JMH) and their CPU."""

from collections.abc import Collection, Sequence
from functools import partial

from benchmarks.gathering import Gathering
from benchmarks.lock import bare, jmh
from benchmarks.lock.jmh import Effort
from benchmarks.lock.probe import LOCK_ALONE, TWO_THREADS
from benchmarks.lock.questions import Group
from benchmarks.trials import contenders
from threadping.model.cases import Runtime
from threadping.model.contract import Topology
from threadping.probes.placements import name_of


def gather(
    runtimes: Sequence[Runtime], pair: Sequence[int], operations: int, effort: Effort, groups: Collection[str]
) -> Gathering:
    """Build what has to be built, ask the probes what they can do, and leave out who cannot come.

    C++ and Rust are pinned to the first of the pair, like the baselines; if two threads contend, C++ is pinned to both.
    Java is not, because JMH's thread cannot be.
    """
    cpu = pair[0]
    gathering = Gathering(runtimes)
    for one in gathering.described:
        gathering.contenders += contenders(one, LOCK_ALONE, (None if one.runtime.probe == "java" else cpu,))
    loops = {"cpp": bare.cpp_contenders, "rust": bare.rust_contenders}
    for language, loop in loops.items():
        if {Group.BARE, Group.LINES}.intersection(groups) and language in gathering.programs:
            gathering.invite(partial(loop, cpu, operations))
    if Group.WAITS in groups and len(pair) > 1:
        for one in gathering.described:
            if one.runtime.probe == "cpp":
                gathering.contenders += contenders(one, TWO_THREADS, pair)
        gathering.invite(lambda: bare.waits(*pair))
    machines = gathering.virtual_machines if {Group.JMH, Group.LINES}.intersection(groups) else []
    if machines and gathering.invite(lambda: jmh.contenders(machines, effort)):
        gathering.programs[jmh.NAME] = (
            f"{jmh.VERSION}, {effort.iterations} + {effort.iterations} x {effort.iteration_ms} ms"
        )
    return gathering


def one_cpu(topology: Topology, given: int | None) -> int:
    """The CPU that was given, if it may be used; else the first but CPU 0, which takes most interrupts."""
    if given is None:
        return next((cpu for cpu in topology.allowed if cpu != 0), topology.allowed[0])
    name_of(topology, (given,))
    return given
