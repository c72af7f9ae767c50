"""The machine's CPUs, and those among them that a person named."""

from collections.abc import Sequence

from threadping.contract import Topology
from threadping.machine.permission import outside_of_mask, permit
from threadping.model.cases import Runtime
from threadping.probes.description import read_topology
from threadping.sheets.console import stderr


def topology_with(cpp: Runtime, named: Sequence[int] | None, option: str = "--cpus") -> Topology:
    """Read the machine's topology, in which the CPUs that were named may be used, where the kernel permits it.

    Which of them are outside of this process's mask is said on stderr.

    Args:
        cpp: the C++ probe.
        named: the CPUs that a person named; None where nobody named any.
        option: after which.

    Raises:
        UsageError: some of them cannot be used.
    """
    of_mask = read_topology(cpp)
    topology = permit(of_mask, named or (), option)
    if said := outside_of_mask(of_mask, topology):
        stderr().print(f"threadping: {said}", soft_wrap=True)
    return topology
