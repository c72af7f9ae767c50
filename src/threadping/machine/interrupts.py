"""How many interrupts each CPU took, by kind: from /proc/interrupts, where a line that has a number is a device's."""

import re
from collections.abc import Mapping
from pathlib import Path

INTERRUPTS, UPTIME = Path("/proc/interrupts"), Path("/proc/uptime")

INTERRUPT_KINDS = {"LOC": "timer", "RES": "reschedule", "CAL": "call", "TLB": "tlb", "arch_timer": "timer"}


def interrupts_of(text: str) -> dict[int, dict[str, int]]:
    """Of /proc/interrupts: for each CPU how many interrupts of each kind there were, timers apart from devices.

    The first line names the CPUs; a line of another has its name, a count for each of them, and what it is.
    """
    heads, *lines = text.splitlines() or [""]
    cpus = [int(one[3:]) for one in heads.split() if re.fullmatch(r"CPU\d{1,5}", one)]
    found: dict[int, dict[str, int]] = {cpu: {} for cpu in cpus}
    for line in lines:
        name, _, rest = line.strip().partition(":")
        counts = rest.split()[: len(cpus)]
        if len(counts) < len(cpus) or not all(map(str.isdecimal, counts)):
            continue  # ERR and MIS are of no CPU
        kind = INTERRUPT_KINDS.get(name, "device" if name.isdecimal() else "other")
        for cpu, count in zip(cpus, counts, strict=True):
            found[cpu][kind] = found[cpu].get(kind, 0) + int(count)
    return found


def device_interrupts(text: str) -> dict[int, int]:
    """How many interrupts of devices each CPU took since the machine started; empty where this does not tell.

    Those with a name, such as the local timer's and those that CPUs send to each other, come wherever something runs.
    """
    return {cpu: kinds.get("device", 0) for cpu, kinds in interrupts_of(text).items()}


def device_interrupts_per_s() -> Mapping[int, float]:
    """The same a second since the machine started; empty where the kernel does not tell."""
    try:
        taken, up_s = device_interrupts(INTERRUPTS.read_text()), float(UPTIME.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return {}
    return {cpu: count / up_s for cpu, count in taken.items()} if up_s > 0 else {}
