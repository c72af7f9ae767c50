"""What a person asks of this benchmark, and where it is measured."""

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from benchmarks.agreement.gathering import gather
from benchmarks.agreement.questions import Group, questions
from benchmarks.records import Session
from benchmarks.session import Where, hold, look_around
from threadping.contract import Topology
from threadping.errors import UsageError
from threadping.machine.placements import placement_for_cpus
from threadping.numbers import parse_cpus


class Wanted(Struct, frozen=True):
    """What a person asked for."""

    groups: Collection[Group]
    runtimes: Sequence[str]
    cpus: str | None
    rounds: int
    iterations: int
    seed: int


def measure(wanted: Wanted, record: Path) -> Session:
    """Measure all that was asked for."""
    here = look_around(wanted.runtimes)
    ping, pong = _two_cpus(here.topology, wanted.cpus)
    gathered = gather(here.runtimes, ping, pong, wanted.iterations, wanted.groups)
    asked = questions([one.subject for one in gathered.contenders], wanted.groups)
    where = Where((ping, pong), placement_for_cpus(here.topology, (ping, pong)).name)
    return hold(here, where, gathered, asked, rounds=wanted.rounds, seed=wanted.seed, record=record)


def _two_cpus(topology: Topology, given: str | None) -> tuple[int, int]:
    cpus = parse_cpus(given) if given else topology.allowed[:2]
    placement_for_cpus(topology, cpus)
    ping, pong = cpus
    if ping == pong:
        raise UsageError("Programs bounded by iterations all but hang on one CPU. Give --cpus two different ones.")
    return ping, pong
