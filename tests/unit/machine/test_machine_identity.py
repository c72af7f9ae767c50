"""A machine described from files laid out by the test."""

from pathlib import Path

import pytest

from threadping.contract import SCHEMA, Cpu, Topology
from threadping.machine.identity import describe_machine
from threadping.model import Machine

TOPOLOGY = Topology("test", (Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 0, 0, 0)), (0, 1), SCHEMA)

PLAIN_X86 = "processor\t: 0\nmodel name\t: Intel(R)  Xeon(R) Gold 6254 CPU @ 3.10GHz\nflags\t\t: fpu tsc\n"
GUEST_X86 = PLAIN_X86.replace("tsc", "tsc hypervisor")
NEOVERSE = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU part\t: 0xd0c\n"
BIG_LITTLE = "CPU implementer : 0x41\nCPU part : 0xd03\n\nCPU implementer : 0x41\nCPU part : 0xfff\n"

CLOCKS = "sys/devices/system/clocksource/clocksource0"
GOVERNOR = "sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor"


def described(root: Path, files: dict[str, str]) -> Machine:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return describe_machine(TOPOLOGY, root)


def test_a_whole_machine(tmp_path: Path) -> None:
    machine = described(
        tmp_path,
        {
            "proc/cpuinfo": PLAIN_X86,
            "proc/meminfo": "MemTotal:       16384 kB\nMemFree:  1 kB\n",
            "proc/sys/kernel/hostname": "desk\n",
            "proc/sys/kernel/ostype": "Linux\n",
            "proc/sys/kernel/osrelease": "6.1.0-13-rt-amd64\n",
            "proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian 6.1.55-1\n",
            "etc/os-release": 'NAME=Debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
            f"{CLOCKS}/current_clocksource": "tsc\n",
            GOVERNOR.format(0): "performance\n",
            GOVERNOR.format(1): "performance\n",
            "proc/self/cgroup": "0::/user.slice\n",
            "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
        },
    )
    assert machine == Machine(
        hostname="desk",
        cpu_model="Intel(R) Xeon(R) Gold 6254 CPU @ 3.10GHz",
        kernel="Linux 6.1.0-13-rt-amd64 PREEMPT_RT",
        os="Debian GNU/Linux 12 (bookworm)",
        hypervisor=None,
        governor="performance",
        clock_source="tsc",
        cpu_quota=None,
        memory_bytes=16384 * 1024,
        topology=TOPOLOGY,
    )


def test_a_machine_that_tells_nothing_is_described_all_the_same(tmp_path: Path) -> None:
    machine = described(tmp_path, {})
    assert machine.hostname
    assert machine.kernel
    untold = ("cpu_model", "os", "hypervisor", "governor", "clock_source", "cpu_quota", "memory_bytes")
    assert [getattr(machine, name) for name in untold] == [None] * len(untold)


def test_files_of_other_shapes_do_no_harm(tmp_path: Path) -> None:
    machine = described(
        tmp_path,
        {
            "proc/cpuinfo": "\n:\nflags\n",
            "proc/meminfo": "MemTotal: much\n",
            "etc/os-release": 'PRETTY_NAME="unclosed\n',
            "proc/self/cgroup": "nonsense\n1:2\n0::/\n",
            "sys/fs/cgroup/cpu.max": "some nonsense here\n",
        },
    )
    assert (machine.memory_bytes, machine.cpu_quota, machine.os) == (None, None, '"unclosed')


@pytest.mark.parametrize(
    ("files", "model"),
    [
        ({"proc/cpuinfo": NEOVERSE}, "Neoverse-N1"),
        ({"proc/cpuinfo": BIG_LITTLE}, "Cortex-A53 + Arm implementer 0x41 part 0xfff"),
        ({"proc/cpuinfo": NEOVERSE, "proc/device-tree/model": "Altra board\0"}, "Neoverse-N1 (Altra board)"),
        ({"proc/cpuinfo": "processor : 0\ncpu\t\t: POWER9, altivec supported\n"}, "POWER9, altivec supported"),
        ({"proc/cpuinfo": "hart : 0\nuarch : sifive,u74-mc\n"}, "sifive,u74-mc"),
        ({"proc/cpuinfo": "x : y\n", "proc/device-tree/model": "A board\0"}, "A board"),
    ],
)
def test_a_cpu_without_a_model_name_is_named_by_what_there_is(
    tmp_path: Path, files: dict[str, str], model: str
) -> None:
    assert described(tmp_path, files).cpu_model == model


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"proc/cpuinfo": PLAIN_X86}, None),
        ({"proc/cpuinfo": GUEST_X86}, "yes, unnamed"),
        ({"proc/cpuinfo": GUEST_X86, f"{CLOCKS}/available_clocksource": "tsc kvm-clock acpi_pm\n"}, "KVM"),
        ({"proc/cpuinfo": GUEST_X86, f"{CLOCKS}/available_clocksource": "hyperv_clocksource_tsc_page\n"}, "Hyper-V"),
        ({"proc/cpuinfo": GUEST_X86, "sys/class/dmi/id/sys_vendor": "VMware, Inc.\n"}, "VMware"),
        ({"proc/cpuinfo": GUEST_X86, "sys/class/dmi/id/product_name": "Virtual Machine\n"}, "Hyper-V"),
        ({"proc/cpuinfo": GUEST_X86, "sys/class/dmi/id/sys_vendor": "Nobody's\n"}, "yes, unnamed"),
        ({"proc/cpuinfo": PLAIN_X86, "sys/class/dmi/id/sys_vendor": "Amazon EC2\n"}, None),
        ({"proc/cpuinfo": PLAIN_X86, "sys/class/dmi/id/sys_vendor": "QEMU\n"}, None),
        ({"proc/cpuinfo": PLAIN_X86, "sys/hypervisor/type": "xen\n"}, "Xen"),
        ({"proc/cpuinfo": NEOVERSE}, None),
        ({"proc/cpuinfo": NEOVERSE, "sys/class/dmi/id/sys_vendor": "QEMU\n"}, "QEMU"),
        ({"proc/cpuinfo": NEOVERSE, "proc/device-tree/hypervisor/compatible": "linux,kvm\0"}, "KVM"),
        (
            {
                "proc/cpuinfo": NEOVERSE,
                "sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
                "sys/class/dmi/id/product_name": "m7g.large\n",
            },
            "Amazon EC2",
        ),
        (
            {
                "proc/cpuinfo": NEOVERSE,
                "sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
                "sys/class/dmi/id/product_name": "m7g.metal\n",
            },
            None,
        ),
    ],
)
def test_a_hypervisor_is_seen_and_named(tmp_path: Path, files: dict[str, str], name: str | None) -> None:
    assert described(tmp_path, files).hypervisor == name


def test_governors_that_differ_are_all_named(tmp_path: Path) -> None:
    files = {GOVERNOR.format(0): "powersave\n", GOVERNOR.format(1): "performance\n", GOVERNOR.format(2): "ondemand\n"}
    assert described(tmp_path, files).governor == "performance, powersave"  # CPU 2 may not be used


V1 = "sys/fs/cgroup/cpu,cpuacct"


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n"}, 1.5),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "50000 100000\n"}, 0.5),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "400000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
            },
            4.0,
        ),
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "250000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
            },
            2.5,
        ),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2.0),
        ({"proc/self/cgroup": "0::/../../b\n", "sys/fs/cgroup/b/cpu.max": "200000 100000\n"}, 2.0),
        ({"proc/self/cgroup": "0::/x\n", "sys/fs/cgroup/unified/x/cpu.max": "300000 100000\n"}, 3.0),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/docker/1\n0::/\n",
                f"{V1}/docker/1/cpu.cfs_quota_us": "250000\n",
                f"{V1}/docker/1/cpu.cfs_period_us": "100000\n",
            },
            2.5,
        ),
        (  # inside a container: the path is the host's, the files are at the root
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/docker/1\n",
                f"{V1}/cpu.cfs_quota_us": "100000\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            1.0,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/\n",
                f"{V1}/cpu.cfs_quota_us": "-1\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        (
            {
                "proc/self/cgroup": "3:cpuset:/\n",
                "sys/fs/cgroup/cpuset/cpu.cfs_quota_us": "1\n",
                "sys/fs/cgroup/cpuset/cpu.cfs_period_us": "9\n",
            },
            None,
        ),
    ],
)
def test_the_tightest_quota_counts(tmp_path: Path, files: dict[str, str], quota: float | None) -> None:
    assert described(tmp_path, files).cpu_quota == quota


def test_this_machine_is_described() -> None:
    assert describe_machine(TOPOLOGY).kernel.startswith("Linux ")
