"""Whether this is a virtual machine, and whose.

A hypervisor tells its name by CPUID, which Python cannot read, and asking `systemd-detect-virt` would be a process.
What it leaves in /sys and /proc tells as well; systemd's src/basic/virt.c and util-linux's sys-utils/lscpu-virt.c read
most of the same.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from threadping.machine.tree import text

UNNAMED = "yes, unnamed"

CLOCK_NAMES = {"kvm-clock": "KVM", "hyperv_clocksource": "Hyper-V", "xen": "Xen"}
"""Beginnings of the clock sources that Linux registers when CPUID names the hypervisor, whichever one it then uses."""

DMI = "/sys/class/dmi/id"
DMI_FILES = tuple(f"{DMI}/{name}" for name in ("product_name", "sys_vendor", "board_vendor", "bios_vendor"))
DMI_NAMES = {
    "KVM": "KVM",
    "OpenStack": "KVM",
    "KubeVirt": "KVM",
    "QEMU": "QEMU",
    "VMware": "VMware",
    "VMW": "VMware",
    "innotek GmbH": "VirtualBox",
    "VirtualBox": "VirtualBox",
    "Xen": "Xen",
    "Bochs": "Bochs",
    "Parallels": "Parallels",
    "BHYVE": "bhyve",
    "Virtual Machine": "Hyper-V",
    "Apple Virtualization": "Apple",
    "Google Compute Engine": "Google Compute Engine",
    "Amazon EC2": "Amazon EC2",
}
"""Beginnings of what a virtual machine's firmware says. EC2 says it on bare metal too, which it names `*.metal`."""


def hypervisor(cpuinfo: Mapping[str, Sequence[str]], root: Path) -> str | None:
    """Name what this machine runs on; UNNAMED where only its presence shows, None where nothing shows.

    Args:
        cpuinfo: the distinct values of each key of /proc/cpuinfo.
        root: of the files that tell.
    """
    by_xen = _by_sys(root)  # told to its first domain too, which has no other trace of it
    if "flags" in cpuinfo and not any("hypervisor" in flags.split() for flags in cpuinfo["flags"]):
        return by_xen  # an x86 CPU that is not virtual, whatever the firmware says
    name = by_xen or _by_clock(root) or _by_dmi(root) or _by_devicetree(root)
    return name or (UNNAMED if "flags" in cpuinfo else None)


def _by_sys(root: Path) -> str | None:
    kind = text(root, "/sys/hypervisor/type")
    return "Xen" if kind == "xen" else kind


def _by_clock(root: Path) -> str | None:
    sources = (text(root, "/sys/devices/system/clocksource/clocksource0/available_clocksource") or "").split()
    return _first(CLOCK_NAMES, sources)


def _by_dmi(root: Path) -> str | None:
    if ".metal" in (text(root, f"{DMI}/product_name") or ""):
        return None
    return _first(DMI_NAMES, [text(root, file) or "" for file in DMI_FILES])


def _by_devicetree(root: Path) -> str | None:
    compatible = text(root, "/proc/device-tree/hypervisor/compatible") or ""
    return next((name for key, name in (("kvm", "KVM"), ("xen", "Xen")) if key in compatible), None)


def _first(names: Mapping[str, str], told: Sequence[str]) -> str | None:
    """The name whose beginning is found first, in the order of the names."""
    return next((name for start, name in names.items() if any(value.startswith(start) for value in told)), None)
