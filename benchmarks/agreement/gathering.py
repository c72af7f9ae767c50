"""Who can be measured here: our probes, the bare programs, the peer; and what is missing, with the remedy."""

from collections.abc import Collection, Sequence

from benchmarks.agreement import bare, peer, probe
from benchmarks.agreement.questions import Group
from benchmarks.gathering import Gathered, Gathering
from benchmarks.records import Contender
from threadping.model import Runtime


def gather(runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int, groups: Collection[Group]) -> Gathered:
    """Build what has to be built, ask the probes what they can do, and leave out who cannot come."""
    gathering = Gathering(runtimes)
    gathering.invite(lambda: [one for each in gathering.described for one in probe.contenders(each, ping, pong)])
    if Group.PEERS in groups and gathering.invite(lambda: peer.contenders(peer.install(), ping, pong, iterations)):
        gathering.programs[peer.NAME] = peer.VERSION
    if Group.BARE in groups:
        gathering.invite(lambda: bare.cpp_contenders(bare.compile_cpp(), ping, pong, iterations))
        if gathering.virtual_machines:
            gathering.invite(lambda: _bare_java(gathering.virtual_machines, ping, pong, iterations))
    return gathering.closed()


def _bare_java(runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int) -> list[Contender]:
    classes = bare.compile_java(runtimes)
    return [one for runtime in runtimes for one in bare.java_contenders(classes, runtime, ping, pong, iterations)]
