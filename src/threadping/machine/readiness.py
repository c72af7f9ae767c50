"""What speaks against measuring on this machine as it is: what was seen, what it does to the figures, the remedy."""

from collections.abc import Iterator

from threadping.machine.relation import usable
from threadping.model import Machine, Verdict

SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen")
"""Clock sources that the vDSO cannot read: each reading is a system call, and some of them wait for a device."""

SPINNING_THREADS = 2
NEEDED_CPUS = SPINNING_THREADS + 1
"""Two threads that spin, and one for the probe's own: its main thread, a JIT, a collector."""


def verdicts_for_machine(machine: Machine) -> list[Verdict]:
    """Judge the machine; the verdicts hold for every case measured on it."""
    return [*_virtualised(machine), *_clock(machine), *_governor(machine), *_quota(machine)]


def _virtualised(machine: Machine) -> Iterator[Verdict]:
    if machine.hypervisor is not None:
        yield Verdict(
            "virtualised",
            "info",
            "This is a virtual machine: its CPUs may share a core with a neighbour, move between cores, or be stopped, "
            "and what they share is what the hypervisor says. Trust comparisons within a run; for absolute figures "
            "measure on bare metal, or on virtual CPUs that are pinned to cores of their own.",
        )


def _clock(machine: Machine) -> Iterator[Verdict]:
    if machine.clock_source in SLOW_CLOCKS:
        yield Verdict(
            "clock-not-tsc",
            "warning",
            f"The kernel's clock source is '{machine.clock_source}', so every reading of the clock is a system call: "
            "percentiles, which include one each, are far too high; means of whole blocks are not. If "
            "/sys/devices/system/clocksource/clocksource0/available_clocksource lists tsc, write tsc to "
            "current_clocksource beside it.",
        )


def _governor(machine: Machine) -> Iterator[Verdict]:
    if machine.governor not in (None, "performance"):
        yield Verdict(
            "governor-not-performance",
            "warning",
            f"The frequency governor is '{machine.governor}': a CPU may be slow when a trial begins and faster when it "
            "ends, so figures wander. Set it with `cpupower frequency-set -g performance`, as root.",
        )


def _quota(machine: Machine) -> Iterator[Verdict]:
    quota, cpus = machine.cpu_quota, len(usable(machine.topology))
    if quota is not None and quota < min(cpus, NEEDED_CPUS):
        yield Verdict(
            "cpu-quota",
            "warning",
            f"A control group allows the time of {quota:g} CPUs, but {SPINNING_THREADS} spinning threads and their "
            f"runtime can use {min(cpus, NEEDED_CPUS)}: the kernel stops them for the rest of each period, mostly "
            "100 ms, which ends up in the tail. Raise the quota (cpu.max; docker --cpus; limits.cpu in Kubernetes) or "
            "remove it.",
        )
