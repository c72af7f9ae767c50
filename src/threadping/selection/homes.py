"""Where the cells are made: on the CPUs of a role, or of a NUMA node."""

from collections.abc import Mapping, Sequence

from threadping.model import Home, Placement

Nodes = Mapping[str, tuple[int, ...]]
"""The CPUs of each NUMA node that may be used, by its number as a person writes it."""


def homes(asked: Sequence[str], placement: Placement, roles: Sequence[str], nodes: Nodes) -> list[Home | None]:
    """Those of the homes asked for that there are for threads that stand there, each once; None is the usual one.

    Args:
        asked: names of roles and numbers of nodes; empty for the usual home.
        placement: where the threads stand; a role that is not pinned has no home.
        roles: what each thread is, the last word for all further ones.
        nodes: the machine's.
    """
    found: dict[tuple[int, ...], Home | None] = {}
    for name in asked:
        cpus = nodes[name] if name in nodes else _cpus_of(roles.index(name), placement)
        if cpus:
            named = Home(f"node {name}" if name in nodes else name, cpus)
            found.setdefault(cpus, None if cpus == placement.usual_home else named)
    return list(found.values()) if asked else [None]


def _cpus_of(position: int, placement: Placement) -> tuple[int, ...]:
    """The CPUs of the thread at this position: all of them where the process is pinned whole."""
    if placement.pin == "process":
        return placement.usual_home or ()
    return tuple(cpu for cpu in placement.cpus[position : position + 1] if cpu is not None)
