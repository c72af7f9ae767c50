"""Who can be measured here: our probes, the bare loops, JMH; and what is missing, with the remedy."""

from collections.abc import Collection, Sequence

from benchmarks.gathering import Gathered, Gathering
from benchmarks.lock import bare, jmh, probe
from benchmarks.lock.jmh import Effort
from benchmarks.lock.questions import JMH, Group
from benchmarks.records import Contender
from threadping.model import Runtime


def gather(
    runtimes: Sequence[Runtime], cpu: int, operations: int, effort: Effort, groups: Collection[Group]
) -> Gathered:
    """Build what has to be built, ask the probes what they can do, and leave out who cannot come."""
    gathering = Gathering(runtimes)
    gathering.invite(lambda: [one for each in gathering.described for one in probe.contenders(each, cpu)])
    beside_all = Group.LINES in groups
    if (Group.BARE in groups or beside_all) and "cpp" in gathering.programs:
        gathering.invite(lambda: bare.contenders(bare.compile_cpp(), cpu, operations))
    virtual_machines = gathering.virtual_machines
    if (
        (Group.JMH in groups or beside_all)
        and virtual_machines
        and gathering.invite(lambda: _jmh(virtual_machines, effort))
    ):
        gathering.programs[JMH] = f"{jmh.VERSION}, {effort.iterations} + {effort.iterations} x {effort.iteration_ms} ms"
    return gathering.closed()


def _jmh(runtimes: Sequence[Runtime], effort: Effort) -> list[Contender]:
    jar = jmh.package()
    return [one for runtime in runtimes for one in jmh.contenders(jar, runtime, effort)]
