"""Who can be measured here: our probes, the bare programs, the peer; and what is missing, with the remedy."""

from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from benchmarks.agreement import bare, peer, probe
from benchmarks.agreement.questions import Group
from benchmarks.agreement.records import Contender, Unavailable
from threadping.errors import ProbeUnusable
from threadping.model import Runtime
from threadping.probes.description import Described, describe


class Gathered(Struct, frozen=True):
    """The contenders, the version of each program and runtime, and sentences on who is missing."""

    contenders: tuple[Contender, ...]
    programs: dict[str, str]
    missing: tuple[str, ...]


def gather(runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int, groups: Collection[Group]) -> Gathered:
    """Build what has to be built, ask the probes what they can do, and leave out who cannot come."""
    described, missing = _described(runtimes)
    programs = {one.runtime.label: one.runtime.version for one in described}
    contenders = [contender for one in described for contender in probe.contenders(one, ping, pong)]
    virtual_machines = [one.runtime for one in described if one.runtime.probe == "java"]

    def invite(guests: Callable[[], list[Contender]]) -> None:
        try:
            contenders.extend(guests())
        except Unavailable as error:
            missing.append(str(error))

    if Group.PEERS in groups:
        invite(lambda: peer.contenders(peer.install(), ping, pong, iterations))
    if Group.BARE in groups:
        invite(lambda: bare.cpp_contenders(bare.compile_cpp(), ping, pong, iterations))
        if virtual_machines:
            invite(lambda: _bare_java(virtual_machines, ping, pong, iterations))
    if any(one.subject.program == peer.NAME for one in contenders):
        programs[peer.NAME] = peer.VERSION
    return Gathered(tuple(contenders), programs, tuple(missing))


def _bare_java(runtimes: Sequence[Runtime], ping: int, pong: int, iterations: int) -> list[Contender]:
    classes = bare.compile_java(runtimes)
    return [one for runtime in runtimes for one in bare.java_contenders(classes, runtime, ping, pong, iterations)]


def _described(runtimes: Sequence[Runtime]) -> tuple[list[Described], list[str]]:
    described: list[Described] = []
    missing: list[str] = []
    for runtime in runtimes:
        try:
            described.append(describe(runtime))
        except ProbeUnusable as error:
            missing.append(str(error))
    return described, missing
