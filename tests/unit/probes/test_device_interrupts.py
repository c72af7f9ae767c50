"""How many interrupts of devices each CPU took, from what kernels write."""

from pathlib import Path

import pytest

from threadping.probes import system_settings as signs
from threadping.probes.system_settings import device_interrupts, device_interrupts_per_s

GUEST = """           CPU0       CPU1       CPU3
  1:          9          0          0   IO-APIC   1-edge      i8042
 24:          0        154     200000  PCI-MSI 65536-edge      virtio0-req.0
NMI:          0          0          0   Non-maskable interrupts
LOC:    1234567    7654321    1000000   Local timer interrupts
RES:      40000      50000      60000   Rescheduling interrupts
ERR:          0
MIS:          0
"""
ARM = """           CPU0       CPU1
 11:   15204420   15203918     GICv3  27 Level     arch_timer
IPI0:     71063      75142       Rescheduling interrupts
"""


def test_lines_with_a_number_are_of_devices_and_a_cpu_that_is_offline_has_no_column() -> None:
    assert device_interrupts(GUEST) == {0: 9, 1: 154, 3: 200_000}
    assert device_interrupts(ARM) == {0: 15_204_420, 1: 15_203_918}


@pytest.mark.parametrize("text", ["", "\n", "CPU0 CPUx\n 1: a b\n", "           CPU0\n 1:\n 2: 3 4 5\n"])
def test_what_is_no_such_file_tells_nothing_wrong(text: str) -> None:
    assert all(count in (0, 3) for count in device_interrupts(text).values())


def test_a_second_and_nothing_where_the_kernel_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "interrupts").write_text(GUEST)
    (tmp_path / "uptime").write_text("100.00 150.00\n")
    monkeypatch.setattr(signs, "INTERRUPTS", tmp_path / "interrupts")
    monkeypatch.setattr(signs, "UPTIME", tmp_path / "uptime")
    assert device_interrupts_per_s() == {0: 0.09, 1: 1.54, 3: 2000.0}
    (tmp_path / "uptime").unlink()
    assert device_interrupts_per_s() == {}
