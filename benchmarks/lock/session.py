"""What a person asks of this benchmark, and where it is measured."""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from benchmarks.lock.gathering import gather
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import Group, questions
from benchmarks.records import Session
from benchmarks.session import Where, hold, look_around
from threadping.contract import Topology
from threadping.machine.placements import name_of

PLACEMENT = "C++; Java is not pinned"


class Wanted(Struct, frozen=True):
    """What a person asked for."""

    groups: Collection[Group]
    runtimes: Sequence[str]
    cpu: int | None
    rounds: int
    operations: int
    effort: Effort
    seed: int


def measure(wanted: Wanted, record: Path) -> Session:
    """Measure all that was asked for."""
    here = look_around(wanted.runtimes)
    cpu = one_cpu(here.topology, wanted.cpu)
    gathered = gather(here.runtimes, cpu, wanted.operations, wanted.effort, wanted.groups)
    asked = questions([one.subject for one in gathered.contenders], wanted.groups)
    where = Where((cpu,), PLACEMENT)
    return hold(here, where, gathered, asked, rounds=wanted.rounds, seed=wanted.seed, record=record)


def one_cpu(topology: Topology, given: int | None) -> int:
    """The CPU that was given, if it may be used; else the first but CPU 0, which takes most interrupts."""
    if given is None:
        return next((cpu for cpu in topology.allowed if cpu != 0), topology.allowed[0])
    name_of(topology, (given,))
    return given
