"""What speaks against measuring on this machine as it is: true of every case alike."""

from threadping.analysis.declaration import Check, Facts
from threadping.model import Run

SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen")
"""Clock sources that the vDSO cannot read: each reading is a system call, and some of them wait for a device."""

NEEDED_CPUS = 3
"""Two threads that spin, and one for the probe's own: its main thread, a JIT, a collector."""


def _governor(run: Run) -> Facts | None:
    governor = run.machine.governor
    return None if governor in (None, "performance") else {"governor": governor}


def _quota(run: Run) -> Facts | None:
    quota, cpus = run.machine.cpu_quota, len(set(run.machine.topology.allowed))
    needed = min(cpus, NEEDED_CPUS)
    return {"quota": quota, "needed": needed} if quota is not None and quota < needed else None


CHECKS: tuple[Check[Run], ...] = (
    Check(
        code="virtualised",
        level="note",
        find=lambda run: {"hypervisor": name} if (name := run.machine.hypervisor) else None,
        brief="{hypervisor}",
        means="This is a virtual machine ({hypervisor}): its CPUs may share a core with a neighbour, move between "
        "cores, or be stopped, and what they share is what the hypervisor says. Trust comparisons within a run.",
        remedy="For absolute figures measure on bare metal, or on virtual CPUs that are pinned to cores of their own.",
    ),
    Check(
        code="clock-not-tsc",
        level="note",
        find=lambda run: {"source": source} if (source := run.machine.clock_source) in SLOW_CLOCKS else None,
        brief="{source}",
        means="The kernel's clock source is '{source}', so every reading of the clock is a system call: percentiles, "
        "which include one each, are far too high; figures of whole windows are not.",
        remedy="If /sys/devices/system/clocksource/clocksource0/available_clocksource lists tsc, write tsc to "
        "current_clocksource beside it.",
    ),
    Check(
        code="governor-not-performance",
        level="note",
        find=_governor,
        brief="{governor}",
        means="The frequency governor is '{governor}': a CPU may be slow when a trial begins and faster when it ends, "
        "so figures wander.",
        remedy="Set it with `cpupower frequency-set -g performance`, as root.",
    ),
    Check(
        code="cpu-quota",
        level="note",
        find=_quota,
        brief="{quota} CPUs, {needed} needed",
        means="A control group allows the time of {quota} CPUs, but two spinning threads and their runtime can use "
        "{needed}: the kernel stops them for the rest of each period, mostly 100 ms, which ends up in the tail.",
        remedy="Raise the quota (cpu.max; docker --cpus; limits.cpu in Kubernetes) or remove it.",
    ),
)
