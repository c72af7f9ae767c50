"""The CPU's name. Arm machines tell numbers only."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from threadping.machine.tree import first_text

# The cores of today's servers and boards: numbers from MIDR_EL1, names as in util-linux, sys-utils/lscpu-arm.c.
ARM_CORES = {
    ("0x41", "0xd03"): "Cortex-A53",
    ("0x41", "0xd08"): "Cortex-A72",
    ("0x41", "0xd0b"): "Cortex-A76",
    ("0x41", "0xd0c"): "Neoverse-N1",
    ("0x41", "0xd40"): "Neoverse-V1",
    ("0x41", "0xd49"): "Neoverse-N2",
    ("0x41", "0xd4f"): "Neoverse-V2",
    ("0x41", "0xd84"): "Neoverse-V3",
    ("0x41", "0xd8e"): "Neoverse-N3",
    ("0xc0", "0xac3"): "Ampere-1",
    ("0xc0", "0xac4"): "Ampere-1a",
}
NAMING_KEYS = ("model name", "cpu model", "cpu", "uarch")
"""Where x86, MIPS, POWER and RISC-V write a name in /proc/cpuinfo."""


def cpu_model(cpuinfo: Mapping[str, Sequence[str]], root: Path) -> str | None:
    """Name the CPU; several kinds of core in one machine are joined by `+`. None where nothing tells.

    Args:
        cpuinfo: the distinct values of each key of /proc/cpuinfo.
        root: of the files that name a board.
    """
    for key in NAMING_KEYS:
        if names := [" ".join(value.split()) for value in cpuinfo.get(key, ()) if value]:
            return " + ".join(names)
    board = first_text(root, "/proc/device-tree/model", "/sys/firmware/devicetree/base/model")
    if cores := _arm_cores(cpuinfo):
        return f"{cores} ({board})" if board else cores
    return board


def _arm_cores(cpuinfo: Mapping[str, Sequence[str]]) -> str:
    implementers, parts = cpuinfo.get("CPU implementer", ()), cpuinfo.get("CPU part", ())
    if not implementers:
        return ""
    # Distinct values only: one maker's several parts are common, several makers in one machine are not known.
    cores = zip_longest(implementers, parts, fillvalue=implementers[0])
    return " + ".join(ARM_CORES.get((maker, part), f"Arm implementer {maker} part {part}") for maker, part in cores)
