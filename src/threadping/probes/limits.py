"""The limits of this process that a virtual machine may meet: its children have them too."""

import resource
from collections.abc import Iterator
from pathlib import Path

from threadping.machine.identity import group_limits
from threadping.quantities import memory

BYTES = {
    "ulimit -v": resource.RLIMIT_AS,
    "ulimit -d": resource.RLIMIT_DATA,
    "ulimit -f": resource.RLIMIT_FSIZE,
}
NUMBERS = {"ulimit -u": resource.RLIMIT_NPROC, "ulimit -n": resource.RLIMIT_NOFILE}
FEW = 1024
"""Fewer processes or files than these may be too few: usual limits are higher."""

GROUP_BYTES = {"memory.max": ("memory/memory.max", "memory/memory.limit_in_bytes")}
GROUP_NUMBERS = {"pids.max": ("pids/pids.max",)}


def limits_set(root: Path = Path("/")) -> list[str]:
    """Each limit that is set, with its value: `ulimit -v 1.5 GB`, `pids.max 24`."""
    return [*_of_process(), *_of_group(root)]


def _of_process() -> Iterator[str]:
    for name, kind in BYTES.items():
        if (limit := resource.getrlimit(kind)[0]) != resource.RLIM_INFINITY:
            yield f"{name} {memory(limit)}"
    for name, kind in NUMBERS.items():
        if 0 <= (limit := resource.getrlimit(kind)[0]) < FEW:
            yield f"{name} {limit}"


def _of_group(root: Path) -> Iterator[str]:
    unlimited = 1 << 60  # what the first kind of control groups writes for no limit is a little less than 2^63
    for name, limit in group_limits(GROUP_BYTES, root).items():
        if limit < unlimited:
            yield f"{name} {memory(limit)}"
    yield from (f"{name} {limit}" for name, limit in group_limits(GROUP_NUMBERS, root).items())
