"""What this machine is, as far as it tells: from /proc, /sys, /etc and what lscpu said, without starting a process."""

import platform
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from threadping.contract import Topology
from threadping.machine.cgroup import cpu_quota
from threadping.machine.lscpu import cpu_fields
from threadping.machine.tree import fields, text
from threadping.model import Machine

UNNAMED = "yes, unnamed"
"""A hypervisor of which only the presence shows."""


def describe_machine(topology: Topology, lscpu: str, root: Path = Path("/")) -> Machine:
    """Describe this machine; what it does not tell is None.

    Args:
        topology: its CPUs.
        lscpu: what `lscpu -J` wrote, empty where it could not be asked.
        root: the folder below which its files are.
    """
    told, cpuinfo = cpu_fields(lscpu), fields(text(root, "/proc/cpuinfo"), ":")
    return Machine(
        hostname=text(root, "/proc/sys/kernel/hostname") or platform.node() or "unknown",
        cpu_model=told.get("Model name") or _cpu_model(cpuinfo),
        kernel=_kernel(root),
        os=_os(root),
        hypervisor=told.get("Hypervisor vendor") or _unnamed_hypervisor(told, cpuinfo),
        governor=_governor(topology.allowed, root),
        clock_source=text(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        cpu_quota=cpu_quota(root),
        memory_bytes=_memory_bytes(root),
        topology=topology,
    )


def is_same(one: Machine, other: Machine) -> bool:
    """Whether two descriptions are of one machine, or of its like: by what neither drifts nor is a name."""
    return _kind(one) == _kind(other)


def _kind(machine: Machine) -> object:
    return machine.cpu_model, machine.kernel, machine.hypervisor, machine.topology.cpus


def _cpu_model(cpuinfo: Mapping[str, Sequence[str]]) -> str | None:
    return " + ".join(" ".join(name.split()) for name in cpuinfo.get("model name", ()) if name) or None


def _unnamed_hypervisor(told: Mapping[str, str], cpuinfo: Mapping[str, Sequence[str]]) -> str | None:
    flags = " ".join([told.get("Flags", ""), *cpuinfo.get("flags", ())])
    return UNNAMED if "hypervisor" in flags.split() else None


def _kernel(root: Path) -> str:
    system = text(root, "/proc/sys/kernel/ostype") or platform.system()
    release = text(root, "/proc/sys/kernel/osrelease") or platform.release()
    build = text(root, "/proc/sys/kernel/version") or ""
    return " ".join([system, release, *(["PREEMPT_RT"] if "PREEMPT_RT" in build.split() else [])])


def _os(root: Path) -> str | None:
    """What os-release(5) calls pretty, quoted as a shell would."""
    release = fields(text(root, "/etc/os-release") or text(root, "/usr/lib/os-release"), "=")
    quoted = (release.get("PRETTY_NAME") or release.get("NAME") or [""])[0]
    try:
        return " ".join(shlex.split(quoted)) or None
    except ValueError:
        return quoted


def _governor(cpus: Iterable[int], root: Path) -> str | None:
    """The frequency governor of the CPUs that may be used; where they differ, all of them with commas."""
    files = (f"/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor" for cpu in cpus)
    found = {governor for file in files if (governor := text(root, file))}
    return ", ".join(sorted(found)) or None


def _memory_bytes(root: Path) -> int | None:
    total = fields(text(root, "/proc/meminfo"), ":").get("MemTotal", [""])[0].split()
    return int(total[0]) * 1024 if total and total[0].isdecimal() else None
