"""Which CPUs this process may use: those of its mask, and those that the kernel permits when they are asked for.

A mask is inherited: isolcpus=, taskset, Slurm and others narrow it, and every thread may leave it again. A cpuset is
not left: the kernel refuses.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from errno import EINVAL
from threading import Thread

from msgspec.structs import replace

from threadping.model.contract import Cpu, Topology
from threadping.model.errors import ThreadpingError, UsageError
from threadping.model.grouping import gathered
from threadping.model.numbers import named, ranges
from threadping.model.relation import usable

Ask = Callable[[Collection[int]], Mapping[int, str]]
"""What the kernel says of CPUs that a thread asks for: empty where it may use them, else why not."""

REFUSED, OUTSIDE, NOT_HELD = "refused", "outside of the mask", "the pin was accepted but did not hold"

OFFLINE, UNKNOWN = "offline", "unknown"
CLAUSES = {
    OFFLINE: "{cpus} {are} offline",
    UNKNOWN: "{cpus} {do} not exist here",
    OUTSIDE: "{cpus} {are} outside this process's mask",
    REFUSED: "a cpuset keeps {cpus} from this process (add {them} to its cpuset.cpus: AllowedCPUs= of systemd, "
    "--cpuset-cpus of docker)",
}
"""What is the matter with CPUs that may not be used, each a clause of one sentence."""

UNPINNABLE = "this process may not be pinned to {cpus} ({why})"
ONE, MANY = {"are": "is", "do": "does", "them": "it"}, {"are": "are", "do": "do", "them": "them"}


def ask_kernel(cpus: Collection[int]) -> dict[int, str]:
    """Pin a thread to each of these CPUs and read that back; it ends thereafter, and no other thread is moved.

    Raises:
        ThreadpingError: no thread can be started.
    """
    said: dict[int, str] = {}
    child = Thread(target=lambda: said.update((cpu, _said_of(cpu)) for cpu in cpus))
    try:
        child.start()
    except RuntimeError as error:
        limit = "a limit is reached (pids.max, ulimit -u)"
        raise ThreadpingError(f"No thread could be started that asks the kernel for {named(cpus)}: {limit}.") from error
    child.join()
    return said


def _said_of(cpu: int) -> str:
    try:
        os.sched_setaffinity(0, {cpu})
    except OSError as error:
        return REFUSED if error.errno == EINVAL else os.strerror(error.errno or EINVAL)
    return "" if os.sched_getaffinity(0) == {cpu} else NOT_HELD


def watch_cpus(cpus: Collection[int]) -> Callable[[], list[int]]:
    """Return a function that lists those of these CPUs that this process has lost since: to a cpuset, or offline."""
    mask = os.sched_getaffinity(0)
    outside = [cpu for cpu, why in ask_kernel({*cpus} - mask).items() if not why]

    def lost() -> list[int]:
        refused = {cpu for cpu, why in (ask_kernel(outside) if outside else {}).items() if why}
        return sorted((mask & {*cpus}) - os.sched_getaffinity(0) | refused)

    return lost


def permit(topology: Topology, cpus: Sequence[int], option: str = "--cpus", ask: Ask = ask_kernel) -> Topology:
    """The topology with those CPUs among the usable ones that were named and are outside of this process's mask.

    Args:
        topology: the machine's.
        cpus: those that were named.
        option: after which they were named, for an error.
        ask: asks the kernel.

    Raises:
        UsageError: the kernel refuses some of them, or there are no such.
    """
    outside = sorted({*cpus} - {*topology.allowed})
    said = ask(outside) if outside else {}
    _refuse(topology, cpus, {cpu: why for cpu, why in said.items() if why}, option)
    listed = {cpu.cpu for cpu in topology.cpus}
    unlisted = tuple(Cpu(cpu, None, None, None, None, None) for cpu in outside if cpu not in listed)
    return replace(topology, allowed=tuple(sorted({*topology.allowed, *outside})), cpus=(*topology.cpus, *unlisted))


def outside_of_mask(before: Topology, after: Topology) -> str:
    """Say which CPUs may be used although they are outside of the mask; empty where there is none."""
    outside = sorted({*after.allowed} - {*before.allowed})
    isolated = [cpu for cpu in outside if cpu in after.isolated]
    if not outside:
        return ""
    those = " (isolated)" if isolated == outside else f" ({named(isolated)} isolated)" if isolated else ""
    words, mask = ONE if len(outside) == 1 else MANY, named(before.allowed)
    clause = f"{named(outside)}{those} {words['are']} outside this process's mask"
    return f"{clause}, {mask}; the kernel permits {words['them']}."


def require(topology: Topology, cpus: Sequence[int], option: str = "--cpus") -> None:
    """Raise UsageError where some of these CPUs are not among those that may be used, without asking the kernel."""
    mine = usable(topology)
    _refuse(topology, cpus, {cpu: OUTSIDE for cpu in cpus if cpu not in mine}, option)


def _refuse(topology: Topology, cpus: Sequence[int], refused: Mapping[int, str], option: str) -> None:
    """Raise UsageError for all of the CPUs that were named and are refused, saying what is the matter with each."""
    if not refused:
        return
    listed, offline = {cpu.cpu for cpu in topology.cpus}, {*topology.offline}

    def matter(cpu: int) -> str:
        if refused[cpu] not in (REFUSED, OUTSIDE):
            return refused[cpu]
        return OFFLINE if cpu in offline else refused[cpu] if cpu in listed else UNKNOWN

    groups = gathered((matter(cpu), cpu) for cpu in sorted(refused))
    clauses = [_clause(what, of_them) for what, of_them in groups.items()]
    sentence = " and ".join([", ".join(clauses[:-1]), clauses[-1]]) if len(clauses) > 1 else clauses[0]
    left = [cpu for cpu in dict.fromkeys(cpus) if cpu not in refused]
    write = f" Write {option} {','.join(ranges(left))}." if left and option == "--cpus" else ""
    raise UsageError(f"{sentence[0].upper()}{sentence[1:]}.{write} This process may use {named(usable(topology))}.")


def _clause(what: str, cpus: Sequence[int]) -> str:
    return CLAUSES.get(what, UNPINNABLE).format(**(ONE if len(cpus) == 1 else MANY), cpus=named(cpus), why=what)
