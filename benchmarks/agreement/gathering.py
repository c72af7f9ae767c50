"""Find the contenders that can be measured here (our probes, the bare programs, the peer) and their CPUs."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from benchmarks.agreement import bare, peer
from benchmarks.agreement.probe import ON_ONE_LINE, SIGNAL
from benchmarks.agreement.questions import Group
from benchmarks.gathering import Gathering
from benchmarks.trials import contenders
from threadping.model.cases import Runtime
from threadping.model.contract import Topology
from threadping.model.errors import UsageError
from threadping.model.quantities import parse_cpus
from threadping.probes.placements import placement_for_cpus

BESIDE_BARE = {Group.BARE, Group.LOCKS, Group.STREAMS, Group.CALLS, Group.BARRIERS, Group.RESTS}


def gather(
    runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int, groups: Collection[str], *, shorter: int = 1
) -> Gathering:
    """Build what has to be built, ask the probes what they can do, and leave out who cannot come.

    Each process is `shorter` times as short, for runs with many pairs of them.
    """
    settings = (ping, pong, iterations // shorter)
    gathering = Gathering(runtimes)
    for one in gathering.described:
        for ours in (SIGNAL, *ON_ONE_LINE):
            asked = replace(ours, measure_ns=ours.measure_ns // shorter)
            found = contenders(one, asked, (ping, pong))
            gathering.contenders += [each for each in found if ours is SIGNAL or each.subject.lines == 1]
    if Group.PEERS in groups and gathering.invite(lambda: peer.contenders(*settings)):
        gathering.programs[peer.NAME] = peer.VERSION
    if BESIDE_BARE.intersection(groups):
        gathering.invite(lambda: bare.cpp_contenders(*settings, shorter=shorter))
        if "rust" in gathering.programs:
            gathering.invite(lambda: bare.rust_contenders(*settings, shorter=shorter))
        if gathering.virtual_machines:
            gathering.invite(lambda: bare.java_contenders(gathering.virtual_machines, *settings, shorter=shorter))
    return gathering


def two_cpus(topology: Topology, given: str | None) -> tuple[int, int]:
    """Ping's CPU and pong's: those given, if they may be used and differ, else the first two."""
    cpus = parse_cpus(given) if given else topology.allowed[:2]
    placement_for_cpus(topology, cpus)
    ping, pong = cpus
    if ping == pong:
        raise UsageError("Programs bounded by iterations all but hang on one CPU. Give --cpus two different ones.")
    return ping, pong
