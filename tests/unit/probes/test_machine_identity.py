"""A machine described from files laid out by the test."""

import json
from pathlib import Path

import pytest

from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.model.run import Machine
from threadping.probes.identity import describe_machine

TOPOLOGY = Topology("test", (Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 0, 0, 0)), (0, 1), SCHEMA)

XEON = "Intel(R) Xeon(R) Gold 6254 CPU @ 3.10GHz"
PLAIN_X86 = "processor\t: 0\nmodel name\t: Intel(R)  Xeon(R) Gold 6254 CPU @ 3.10GHz\nflags\t\t: fpu tsc\n"
GUEST_X86 = PLAIN_X86.replace("tsc", "tsc hypervisor")
NEOVERSE = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU part\t: 0xd0c\n"

IDLE_STATE = "sys/devices/system/cpu/cpu0/cpuidle/state{}/name"
GOVERNOR = "sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor"


def described(root: Path, files: dict[str, str], **lscpu: str) -> Machine:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    listed = json.dumps({"lscpu": [{"field": f"{name}:", "data": value} for name, value in lscpu.items()]})
    return describe_machine(TOPOLOGY, listed if lscpu else "", root)


def test_a_whole_machine(tmp_path: Path) -> None:
    files = {
        "proc/cpuinfo": PLAIN_X86,
        "proc/meminfo": "MemTotal:       16384 kB\nMemFree:  1 kB\n",
        "proc/sys/kernel/hostname": "desk\n",
        "proc/sys/kernel/ostype": "Linux\n",
        "proc/sys/kernel/osrelease": "6.1.0-13-rt-amd64\n",
        "proc/sys/kernel/version": "#1 SMP PREEMPT_RT Debian 6.1.55-1\n",
        "etc/os-release": 'NAME=Debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        **{GOVERNOR.format(cpu): "performance\n" for cpu in (0, 1)},
        **{IDLE_STATE.format(place): f"{name}\n" for place, name in enumerate(("POLL", "C1", "C6"))},
        "proc/self/cgroup": "0::/user.slice\n",
        "sys/fs/cgroup/user.slice/cpu.max": "max 100000\n",
    }
    kernel, system = "Linux 6.1.0-13-rt-amd64 PREEMPT_RT", "Debian GNU/Linux 12 (bookworm)"
    expected = Machine(
        "desk", XEON, kernel, system, None, "performance", "tsc", None, 1 << 24, TOPOLOGY, ("POLL", "C1", "C6")
    )
    assert described(tmp_path, files) == expected


def test_a_machine_that_reveals_nothing_is_described_all_the_same(tmp_path: Path) -> None:
    machine = described(tmp_path, {})
    assert machine.hostname
    assert machine.kernel
    absent = ("cpu_model", "os", "hypervisor", "governor", "clock_source", "cpu_quota", "memory_bytes")
    assert [getattr(machine, name) for name in absent] == [None] * len(absent)


def test_files_of_other_shapes_do_no_harm(tmp_path: Path) -> None:
    files = {
        "proc/cpuinfo": "\n:\nflags\n",
        "proc/meminfo": "MemTotal: much\n",
        "usr/lib/os-release": 'PRETTY_NAME="unclosed\n',
        "proc/self/cgroup": "nonsense\n1:2\n0::/\n",
        "sys/fs/cgroup/cpu.max": "some nonsense here\n",
    }
    machine = described(tmp_path, files)
    assert (machine.memory_bytes, machine.cpu_quota, machine.os) == (None, None, '"unclosed')


@pytest.mark.parametrize(
    ("cpuinfo", "lscpu", "model", "hypervisor"),
    [
        (GUEST_X86, {"Model name": "Xeon", "Hypervisor vendor": "KVM", "Flags": "hypervisor"}, "Xeon", "KVM"),
        (PLAIN_X86, {"Hypervisor vendor": "Xen"}, XEON, "Xen"),  # its first domain has no other trace of it
        (GUEST_X86, {"Model name": "Xeon"}, "Xeon", "hypervisor unknown"),
        (PLAIN_X86, {"Flags": "tsc hypervisor"}, XEON, "hypervisor unknown"),
        (PLAIN_X86, {"Flags": "tsc hypervisors"}, XEON, None),
        (GUEST_X86, {}, XEON, "hypervisor unknown"),
        (PLAIN_X86, {}, XEON, None),
        (PLAIN_X86 * 2 + "model name : Other\nmodel name :\n", {}, f"{XEON} + Other", None),
        (NEOVERSE, {}, None, None),
        (NEOVERSE, {"Model name": "Neoverse-N1", "Hypervisor vendor": "KVM"}, "Neoverse-N1", "KVM"),
    ],
)
def test_lscpu_tells_the_cpu_and_the_hypervisor_and_the_kernel_what_it_does_not(
    tmp_path: Path, cpuinfo: str, lscpu: dict[str, str], model: str | None, hypervisor: str | None
) -> None:
    machine = described(tmp_path, {"proc/cpuinfo": cpuinfo}, **lscpu)
    assert (machine.cpu_model, machine.hypervisor) == (model, hypervisor)


def test_governors_that_differ_are_all_named(tmp_path: Path) -> None:
    files = {GOVERNOR.format(0): "powersave\n", GOVERNOR.format(1): "performance\n", GOVERNOR.format(2): "ondemand\n"}
    assert described(tmp_path, files).governor == "performance, powersave"  # CPU 2 may not be used


def limit(folder: str, quota: int, period: int = 100_000) -> dict[str, str]:
    return {f"{folder}/cpu.cfs_quota_us": f"{quota}\n", f"{folder}/cpu.cfs_period_us": f"{period}\n"}


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        ("0::/a/b", {"a/b/cpu.max": "150000 100000\n"}, 1.5),
        ("0::/a/b", {"a/cpu.max": "50000 100000\n"}, 0.5),
        ("0::/a/b", {"a/cpu.max": "400000 100000\n", "a/b/cpu.max": "max 100000\n"}, 4.0),
        ("0::/a/b", {"a/cpu.max": "250000 100000\n", "a/b/cpu.max": "400000 100000\n"}, 2.5),
        ("0::/a/b", {"a/cpu.max": "100000 100000\n", "a/b/cpu.max": "50000 10000\n"}, 1.0),  # each by its own period
        ("4:cpu:/a/b", limit("cpu/a", 100_000) | limit("cpu/a/b", 50_000, 10_000), 1.0),
        ("0::/", {"cpu.max": "200000 100000\n"}, 2.0),
        ("0::/", {"cpu.max": "200000 0\n"}, None),
        ("0::/../../b", {"b/cpu.max": "200000 100000\n"}, 2.0),
        ("0::/x", {"unified/x/cpu.max": "300000 100000\n"}, 3.0),
        ("4:cpu,cpuacct:/docker/1\n0::/", limit("cpu,cpuacct/docker/1", 250000), 2.5),
        ("4:cpu,cpuacct:/docker/1", limit("cpu,cpuacct", 100000), 1.0),  # in a container the files are at the root
        ("4:cpu,cpuacct:/", limit("cpu,cpuacct", -1), None),
        ("3:cpuset:/", limit("cpuset", 1), None),
    ],
)
def test_the_tightest_quota_counts(tmp_path: Path, groups: str, files: dict[str, str], quota: float | None) -> None:
    below = {f"sys/fs/cgroup/{name}": content for name, content in files.items()}
    assert described(tmp_path, {"proc/self/cgroup": f"{groups}\n", **below}).cpu_quota == quota
