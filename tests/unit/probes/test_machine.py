"""Readings of the machine: identity, load, lscpu, settings, interrupts."""

import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from threadping.model.contract import SCHEMA, Cpu, Topology
from threadping.model.run import Machine
from threadping.probes import machine as signs
from threadping.probes.machine import (
    COMMAND,
    cpus_of,
    describe_machine,
    device_interrupts_per_s,
    difference,
    interrupts_of,
    keyed_lines,
    read_signs,
    throttled_ns,
    watch_at_rest,
)

TOPOLOGY = Topology("test", (Cpu(0, 0, 0, 0, 0, 0), Cpu(1, 1, 1, 0, 0, 0)), (0, 1), SCHEMA)

XEON = "Intel(R) Xeon(R) Gold 6254 CPU @ 3.10GHz"
PLAIN_X86 = "processor\t: 0\nmodel name\t: Intel(R)  Xeon(R) Gold 6254 CPU @ 3.10GHz\nflags\t\t: fpu tsc\n"
GUEST_X86 = PLAIN_X86.replace("tsc", "tsc hypervisor")
NEOVERSE = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1\nCPU part\t: 0xd0c\n"

IDLE_STATE = "sys/devices/system/cpu/cpu0/cpuidle/state{}/name"
GOVERNOR = "sys/devices/system/cpu/cpu{}/cpufreq/scaling_governor"


def described(root: Path, files: dict[str, str], lscpu: str = "", **fields: str) -> Machine:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return describe_machine(TOPOLOGY, lscpu + "".join(f"{name}:   {value}\n" for name, value in fields.items()), root)


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
        **{GOVERNOR.format(cpu): f"{name}\n" for cpu, name in enumerate(("powersave", "performance", "ondemand"))},
    }
    machine = described(tmp_path, files)
    assert (machine.memory_bytes, machine.cpu_quota, machine.os) == (None, None, '"unclosed')
    assert machine.governor == "performance, powersave"  # CPU 2 may not be used


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
        (NEOVERSE, {"Model name": "-", "Flags": ""}, None, None),  # what it writes for a core that it cannot name
        (NEOVERSE, {"Model name": "A53\n    Flags:  fp\nKinds:\n  Model name:  A72   x"}, "A53 + A72 x", None),  # 2.38
    ],
)
def test_lscpu_tells_the_cpu_and_the_hypervisor_and_the_kernel_what_it_does_not(
    tmp_path: Path, cpuinfo: str, lscpu: dict[str, str], model: str | None, hypervisor: str | None
) -> None:
    machine = described(tmp_path, {"proc/cpuinfo": cpuinfo}, **lscpu)
    assert (machine.cpu_model, machine.hypervisor) == (model, hypervisor)


def limit(folder: str, quota: int, period: int = 100_000) -> dict[str, str]:
    return {f"{folder}/cpu.cfs_quota_us": f"{quota}\n", f"{folder}/cpu.cfs_period_us": f"{period}\n"}


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
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


def stat(*busy: int) -> str:
    """Return /proc/stat: each CPU's ticks in each busy column, and more ticks idle, waiting or stolen."""
    lines = [f"cpu{cpu} {ticks} {ticks} {ticks} 90000 500 {ticks} {ticks} 700 0 0" for cpu, ticks in enumerate(busy)]
    return "\n".join(["cpu  1 2 3 4", *lines, "intr 5"])


@pytest.mark.parametrize(
    ("cpus", "before", "after", "wall_ns", "ours_ns", "share"),
    [  # 4 and 10 ticks in 5 columns: 0.7 s, and 0.3 s of them are ours
        ((0, 2), (10, 500, 20), (14, 900, 30), 2_000_000_000, 300_000_000, 0.4 / 4),
        ((0,), (10,), (10,), 10_000_000, 5_000_000, -0.5),  # a time between two ticks may have less than nothing
        ((0,), (10,), (10,), 10_000_000, 90_000_000, -1.0),
    ],
)
def test_others_took_what_was_busy_less_what_we_took(
    cpus: tuple[int, ...],
    before: tuple[int, ...],
    after: tuple[int, ...],
    wall_ns: int,
    ours_ns: int,
    share: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, ours = iter([0, wall_ns]), iter([100, 100 + ours_ns])
    monkeypatch.setattr(signs, "STAT", tmp_path / "stat")
    monkeypatch.setattr(signs, "_our_ns", lambda: next(ours))
    monkeypatch.setattr("time.monotonic_ns", lambda: next(clock))
    signs.STAT.write_text(stat(*before))
    share_since = signs.others_since(cpus)
    signs.STAT.write_text(stat(*after))
    assert share_since() == pytest.approx(share)


@pytest.mark.parametrize("text", [None, "cpu0 1 2", "cpu1 0 0 0 0 0 0 0", "cpu0 a b c d e f g"])
def test_what_no_file_tells_is_not_known(text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "STAT", tmp_path / "stat")
    if text:
        signs.STAT.write_text(text)
    assert signs.others_since((0,))() is None


def test_this_machines_lscpu_is_understood() -> None:
    done = subprocess.run(COMMAND, env={"LC_ALL": "C"}, stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert keyed_lines(done.stdout, ":")["Architecture"] == [platform.machine()]


def files_of(heading: str) -> dict[str, str]:
    """Read the files of a machine below a heading: each with its text, whose lines `\\n` parts."""
    _, _, section = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").partition(f"== {heading}\n")
    lines = section.partition("\n\n")[0].strip().splitlines()
    return {path: text.replace("\\n", "\n") for path, _, text in (line.partition(" = ") for line in lines)}


SERVER = files_of("a server")


def system(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def test_a_server_tells_all_of_it(tmp_path: Path) -> None:
    signs, unseen = read_signs((0, 1), system(tmp_path, SERVER))
    assert signs == {
        **{"idle_driver": "acpi_idle", "idle_governor": "menu", "idle_exit_us": 800.0},
        **{"frequency_mhz": 1_500.0, "frequency_most_mhz": 3_709.0, "boost": 0.0},
        **{"smt_active": 1.0, "smt_siblings": 1.0, "isolated": "2-3", "nohz_full": "none"},
        **{"huge_pages": "always", "huge_pages_defrag": "defer+madvise"},
        **{"swap_used_share": 0.25, "memory_limit_used": 0.95, "numa_balancing": 1.0},
        **{"rt_runtime_us": -1.0, "nmi_watchdog": 1.0, "cpu_pressure": 0.125},
        **{"cpus_online": 512.0, "cpus_offline": 512.0, "clock_source": "hpet"},
    }
    assert unseen == ("rights of this process",)  # of another root nobody asks for the limits of this process


@pytest.mark.parametrize("version", [1, 2])
def test_the_use_of_a_memory_limit_is_that_of_the_group_nearest_to_it(tmp_path: Path, version: int) -> None:
    groups = files_of(f"control groups of version {version}")
    root = system(tmp_path, groups | {"proc/meminfo": "MemTotal: 1000000 kB\n"})
    assert read_signs((0,), root)[0]["memory_limit_used"] == 0.9


def test_where_nothing_can_be_read_all_is_named_and_nothing_is_claimed(tmp_path: Path) -> None:
    signs, unseen = read_signs((0,), tmp_path)
    assert signs == {} and len(unseen) == 14
    watched, not_watched = watch_at_rest((0,), tmp_path)
    assert {*watched} <= {"others_at_rest", "at_rest_s"} and {"interrupts", "throttling"} <= {*not_watched}


@pytest.mark.parametrize("text", ["", "\x00\xff garbage", "-", "9" * 4_000, "NaN", "[", "[]", "some avg10=x"])
def test_damaged_files_say_nothing_and_stop_nobody(tmp_path: Path, text: str) -> None:
    root = system(tmp_path, dict.fromkeys(SERVER, text))
    signs, _ = read_signs((0, 1), root)
    assert all(isinstance(value, str | float) for value in signs.values())
    assert throttled_ns(root) is None and interrupts_of(text) == {}
    for table in ("CPU0 CPUx\n 1: a b\n", "           CPU0\n 1:\n 2: 3 4 5\n"):
        assert all(kinds.get("device", 0) in (0, 3) for kinds in interrupts_of(table).values())


def test_interrupts_are_counted_by_cpu_and_kind_of_512_cpus_too() -> None:
    lines = {"  0": 2, " 24": 100, "LOC": 1_000, "RES": 5, "CAL": 7, "NMI": 1}
    counts = "".join(f"{name}:{f'{each:>11}' * 512}  what it is\n" for name, each in lines.items())
    found = interrupts_of("".join(f"{f'CPU{cpu}':>11}" for cpu in range(512)) + f"\n{counts}ERR:          0\n")
    assert len(found) == 512
    assert found[511] == {"device": 102, "timer": 1_000, "reschedule": 5, "call": 7, "other": 1}


def test_what_a_quota_took_is_read_of_both_versions_of_control_groups(tmp_path: Path) -> None:
    assert throttled_ns(system(tmp_path / "v2", SERVER)) == 250_000_000
    groups, taken = "4:cpu,cpuacct:/box\n1:name=systemd:/\n", "nr_periods 9\nnr_throttled 3\nthrottled_time 70000000"
    v1 = {"proc/self/cgroup": groups, "sys/fs/cgroup/cpu,cpuacct/box/cpu.stat": taken}
    v1["sys/fs/cgroup/cpu,cpuacct/cpu.stat"] = "nr_periods 0\nnr_throttled 0\nthrottled_time 0"
    assert throttled_ns(system(tmp_path / "v1", v1)) == 70_000_000
    assert throttled_ns(tmp_path / "none") is None


def test_a_missing_or_restarted_counter_has_none() -> None:
    rows: list[tuple[int | None, int | None, int | None]] = [
        (9, 4, 5),
        (4, 4, 0),
        (3, 4, None),
        (None, 4, None),
        (4, None, None),
    ]
    for now, before, more in rows:
        assert difference(now, before) == more


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8", {0, 1, 2, 3, 8}), ("", {*()}), (None, {*()}), ("7", {7})])
def test_a_list_of_cpus_is_read_as_the_kernel_writes_it(text: str | None, cpus: set[int]) -> None:
    assert cpus_of(text) == cpus


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


def test_a_second_and_nothing_where_the_kernel_does_not_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "interrupts").write_text(GUEST)
    (tmp_path / "uptime").write_text("100.00 150.00\n")
    monkeypatch.setattr(signs, "INTERRUPTS", tmp_path / "interrupts")
    monkeypatch.setattr(signs, "UPTIME", tmp_path / "uptime")
    assert device_interrupts_per_s() == {0: 0.09, 1: 1.54, 3: 2000.0}  # a CPU that is offline has no column
    assert [kinds["device"] for kinds in interrupts_of(ARM).values()] == [15_204_420, 15_203_918]
    (tmp_path / "uptime").unlink()
    assert device_interrupts_per_s() == {}
