"""What files say that bears on latency: recorded ones, of a large server, of nothing at all, and damaged ones."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from threadping.probes.system_settings import (
    SUBJECTS,
    cpus_of,
    difference,
    interrupts_of,
    read_signs,
    throttled_ns,
    watch_at_rest,
)

SERVER = {
    "sys/devices/system/cpu/online": "0-511",
    "sys/devices/system/cpu/offline": "512-1023",
    "sys/devices/system/cpu/isolated": "2-3",
    "sys/devices/system/cpu/nohz_full": "(null)",
    "sys/devices/system/cpu/smt/active": "1",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0,256",
    "sys/devices/system/cpu/cpu1/topology/thread_siblings_list": "1",
    "sys/devices/system/cpu/cpuidle/current_driver": "acpi_idle",
    "sys/devices/system/cpu/cpuidle/current_governor": "menu",
    "sys/devices/system/cpu/cpu0/cpuidle/state0/latency": "0",
    "sys/devices/system/cpu/cpu0/cpuidle/state1/latency": "1",
    "sys/devices/system/cpu/cpu0/cpuidle/state2/latency": "800",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "1500000",
    "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3709000",
    "sys/devices/system/cpu/cpufreq/boost": "0",
    "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
    "sys/kernel/mm/transparent_hugepage/defrag": "always defer [defer+madvise] madvise never",
    "proc/meminfo": "MemTotal: 1000000 kB\nSwapTotal: 8000 kB\nSwapFree: 6000 kB\n",
    "proc/sys/kernel/numa_balancing": "1",
    "proc/sys/kernel/sched_rt_runtime_us": "-1",
    "proc/sys/kernel/nmi_watchdog": "1",
    "proc/pressure/cpu": "some avg10=12.50 avg60=3.10 avg300=1.00 total=17\nfull avg10=0.00 avg60=0.00 total=0\n",
    "proc/self/cgroup": "0::/box\n",
    "sys/fs/cgroup/box/memory.max": "512000000",
    "sys/fs/cgroup/box/memory.current": "486400000",
    "sys/fs/cgroup/box/cpu.stat": "usage_usec 9\nnr_throttled 3\nthrottled_usec 250000\n",
    "sys/fs/cgroup/cpu.stat": "usage_usec 9\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet",
}


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


V2_GROUPS = {
    "proc/self/cgroup": "0::/pod/box\n",
    "sys/fs/cgroup/pod/box/memory.max": "400000000",
    "sys/fs/cgroup/pod/box/memory.current": "100000000",
    "sys/fs/cgroup/pod/memory.max": "500000000",
    "sys/fs/cgroup/pod/memory.current": "450000000",
    "sys/fs/cgroup/memory.current": "700000000",
}
V1_GROUPS = {
    "proc/self/cgroup": "4:memory:/pod/box\n",
    "sys/fs/cgroup/memory/pod/box/memory.limit_in_bytes": "400000000",
    "sys/fs/cgroup/memory/pod/box/memory.usage_in_bytes": "360000000",
    "sys/fs/cgroup/memory/pod/memory.limit_in_bytes": "9223372036854771712",
    "sys/fs/cgroup/memory/pod/memory.usage_in_bytes": "390000000",
}


@pytest.mark.parametrize("groups", [V2_GROUPS, V1_GROUPS])
def test_the_use_of_a_memory_limit_is_that_of_the_group_nearest_to_its_own(
    tmp_path: Path, groups: dict[str, str]
) -> None:
    root = system(tmp_path, groups | {"proc/meminfo": "MemTotal: 1000000 kB\n"})
    assert read_signs((0,), root)[0]["memory_limit_used"] == 0.9


def test_where_nothing_can_be_read_all_is_named_and_nothing_is_claimed(tmp_path: Path) -> None:
    signs, unseen = read_signs((0,), tmp_path)
    assert signs == {} and unseen == tuple(SUBJECTS)
    watched, not_watched = watch_at_rest((0,), tmp_path)
    assert {*watched} <= {"others_at_rest", "at_rest_s"} and {"interrupts", "throttling"} <= {*not_watched}


@pytest.mark.parametrize("text", ["", "\x00\xff garbage", "-", "9" * 4_000, "NaN", "[", "[]", "some avg10=x"])
def test_damaged_files_say_nothing_and_stop_nobody(tmp_path: Path, text: str) -> None:
    root = system(tmp_path, dict.fromkeys(SERVER, text))
    signs, _ = read_signs((0, 1), root)
    assert all(isinstance(value, str | float) for value in signs.values())
    assert throttled_ns(root) is None and interrupts_of(text) == {}


def test_interrupts_are_counted_by_cpu_and_kind_of_512_cpus_too() -> None:
    heads = "".join(f"{f'CPU{cpu}':>11}" for cpu in range(512))
    lines = {
        "  0": 2,
        " 24": 100,
        "LOC": 1_000,
        "RES": 5,
        "CAL": 7,
        "NMI": 1,
        "ERR": None,
    }
    text = heads + "\n"
    for name, each in lines.items():
        counts = "          0" if each is None else f"{each:>11}" * 512
        text += f"{name}:{counts}  what it is\n"
    found = interrupts_of(text)
    assert len(found) == 512
    assert found[511] == {"device": 102, "timer": 1_000, "reschedule": 5, "call": 7, "other": 1}


def test_what_a_quota_took_is_read_of_both_versions_of_control_groups(tmp_path: Path) -> None:
    assert throttled_ns(system(tmp_path / "v2", SERVER)) == 250_000_000
    v1 = {
        "proc/self/cgroup": "4:cpu,cpuacct:/box\n1:name=systemd:/\n",
        "sys/fs/cgroup/cpu,cpuacct/box/cpu.stat": "nr_periods 9\nnr_throttled 3\nthrottled_time 70000000",
        "sys/fs/cgroup/cpu,cpuacct/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0",
    }
    assert throttled_ns(system(tmp_path / "v1", v1)) == 70_000_000
    assert throttled_ns(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("now", "before", "more"), [(9, 4, 5), (4, 4, 0), (3, 4, None), (None, 4, None), (4, None, None)]
)
def test_a_counter_that_is_not_told_or_began_anew_tells_no_difference(
    now: int | None, before: int | None, more: int | None
) -> None:
    assert difference(now, before) == more


@pytest.mark.parametrize(("text", "cpus"), [("0-3,8", {0, 1, 2, 3, 8}), ("", {*()}), (None, {*()}), ("7", {7})])
def test_a_list_of_cpus_is_read_as_the_kernel_writes_it(text: str | None, cpus: set[int]) -> None:
    assert cpus_of(text) == cpus
