"""Isolated CPUs, among which the scheduler balances no load: a thread that starts there stays there."""

from threadping.contract import Topology
from threadping.model.cases import Case


def unbalanced(topology: Topology, case: Case) -> tuple[int, ...]:
    """The isolated CPUs among those from which the scheduler chooses for threads of a case.

    It chooses for threads that are not pinned, for those of a process that is pinned whole, and for busy threads; none
    where it has no choice.
    """
    placement = case.placement
    chosen = {*placement.used} if placement.pin == "process" else set()
    if None in placement.cpus or case.busy.threads:
        chosen |= {*topology.allowed}
    return tuple(sorted(chosen & {*topology.isolated})) if len(chosen) > 1 else ()
