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
    Check("virtualised", "note", lambda run: {"hypervisor": name} if (name := run.machine.hypervisor) else None),
    Check(
        "clock-not-tsc",
        "note",
        lambda run: {"source": source} if (source := run.machine.clock_source) in SLOW_CLOCKS else None,
    ),
    Check("governor-not-performance", "note", _governor),
    Check("cpu-quota", "note", _quota),
)
