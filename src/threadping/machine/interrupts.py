"""How many interrupts of devices each CPU took: from /proc/interrupts, where a line that has a number is a device's."""

from collections.abc import Mapping
from pathlib import Path

INTERRUPTS, UPTIME = Path("/proc/interrupts"), Path("/proc/uptime")


def device_interrupts(text: str) -> dict[int, int]:
    """How many interrupts of devices each CPU took since the machine started; empty where this does not tell.

    Those with a name, such as the local timer's and those that CPUs send to each other, come wherever something runs.
    """
    heads, *lines = text.splitlines() or [""]
    cpus = [int(head[3:]) for head in heads.split() if head.startswith("CPU") and head[3:].isdecimal()]
    taken = dict.fromkeys(cpus, 0)
    for line in lines:
        name, colon, rest = line.partition(":")
        counts = rest.split()[: len(cpus)]
        if colon and name.strip().isdecimal() and len(counts) == len(cpus) and all(map(str.isdecimal, counts)):
            for cpu, count in zip(cpus, counts, strict=True):
                taken[cpu] += int(count)
    return taken


def device_interrupts_per_s() -> Mapping[int, float]:
    """The same a second since the machine started; empty where the kernel does not tell."""
    try:
        taken, up_s = device_interrupts(INTERRUPTS.read_text()), float(UPTIME.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return {}
    return {cpu: count / up_s for cpu, count in taken.items()} if up_s > 0 else {}
