"""What other programs took of some CPUs while something was measured there."""

import time
from collections.abc import Callable, Collection
from pathlib import Path
from re import MULTILINE, search
from resource import RUSAGE_CHILDREN, getrusage

from threadping.machine.identity import group_texts

STAT = Path("/proc/stat")
USER_TICK_NS = 10_000_000
"""USER_HZ is 100 on every architecture of Linux (proc(5))."""

BUSY_COLUMNS = (0, 1, 2, 5, 6)
"""Columns of a CPU in /proc/stat (proc(5)): user, nice, system, irq, softirq."""


def others_since(cpus: Collection[int]) -> Callable[[], float | None]:
    """Begin to watch CPUs; the function that is returned says what share of their time others have used since.

    Others are all but this process and its children that have ended: the time in which the CPUs were busy (in ticks of
    10 ms) less ours, wherever it was spent. A short time may have less than nothing, by the ticks: so that the sum of
    many is right. None where the kernel does not tell.
    """
    busy, ours, begun = _busy_ns(cpus), _our_ns(), time.monotonic_ns()

    def share() -> float | None:
        now, passed = _busy_ns(cpus), time.monotonic_ns() - begun
        if busy is None or now is None or not passed:
            return None
        return max(-1.0, (now - busy - (_our_ns() - ours)) / (passed * len(cpus)))

    return share


def throttled_ns(root: Path = Path("/")) -> int | None:
    """How long the quota of this process's control group, or of one around it, has stopped its threads so far.

    It is the sum over the CPUs on which they were stopped. None where no group tells.
    """
    found = []
    for file, name, unit_ns in THROTTLED:
        for text in group_texts(file, root):
            if told := search(rf"^{name} (\d{{1,18}})$", text or "", MULTILINE):
                found.append(int(told[1]) * unit_ns)
    return max(found, default=None)


def difference(now: int | None, before: int | None) -> int | None:
    """How much more a counter says; None where one of the two is not known, or it began anew."""
    return None if now is None or before is None or now < before else now - before


THROTTLED = (("/cpu.stat", "throttled_usec", 1_000), ("cpu/cpu.stat", "throttled_time", 1))
"""The file of each version of control groups, the line in it, and its unit in nanoseconds."""


def _busy_ns(cpus: Collection[int]) -> int | None:
    try:
        lines = [line.split() for line in STAT.read_text().splitlines()]
        columns_of = {name: columns for name, *columns in lines if name.startswith("cpu")}
        return sum(int(columns_of[f"cpu{cpu}"][column]) for cpu in cpus for column in BUSY_COLUMNS) * USER_TICK_NS
    except (OSError, ValueError, KeyError, IndexError):
        return None


def _our_ns() -> int:
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time_ns() + round((children.ru_utime + children.ru_stime) * 1e9)
