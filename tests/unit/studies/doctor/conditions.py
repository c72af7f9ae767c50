"""Conditions that are planted, what is to be found of each, and the table of them in docs/internals/doctor.md."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from tests.unit.studies.doctor.examples import BARE, VIRTUAL
from threadping.analysis.health import HealthLayer

GRAVE, NOTE = ("error", "warning"), ("note",)


class Condition(NamedTuple):
    """A condition planted in a check-up, and its expected finding."""

    name: str
    planted: Mapping[str, Any]
    code: str
    layer: HealthLayer
    levels: Sequence[str]


def grave(finding: str, name: str, **planted: Any) -> Condition:
    """A condition that is a warning or worse; the finding is its layer and its code."""
    layer, code = finding.split()
    return Condition(name, planted, code, cast(HealthLayer, layer), GRAVE)


def note(finding: str, name: str, **planted: Any) -> Condition:
    """One that is a note."""
    return grave(finding, name, **planted)._replace(levels=NOTE)


CONDITIONS = (
    grave("hypervisor stolen-time", "the hypervisor takes 5% of the CPU time", machine=VIRTUAL, stolen=0.05),
    grave(
        "hypervisor stolen-time",
        "the hypervisor stops a CPU for 3 ms, and keeps no count of it",
        machine=VIRTUAL,
        caused={"stolen": {3_000_000: 2}},
    ),
    grave(
        "hypervisor idle-halt",
        "idle CPUs leave the virtual machine: 70 µs, 24 µs awake",
        machine=VIRTUAL,
        wakes={"1ms": (70_000.0, 24_000.0), "30ms": (75_000.0, 25_000.0)},
    ),
    grave(
        "kernel idle-states",
        "idle CPUs sleep deeply: 140 µs after 30 ms, 9 µs awake",
        wakes={"30ms": (140_000.0, 9_000.0)},
    ),
    grave("kernel slow-wake-up", "wake-ups are slow wherever CPUs sleep or not", wakes={"1ms": (90_000.0, 88_000.0)}),
    grave("kernel costly-clock", "a clock that costs 430 ns", clock=430.0),
    grave("cgroup throttled", "a quota that stops threads for 45% of the time", throttled=0.45),
    grave("neighbours busy-neighbours", "other programs that take 40% of the CPUs", others=0.4),
    grave(
        "neighbours busy-neighbours",
        "a thread of a higher priority that runs for 2 ms at times",
        caused={"preempted": {2_000_000: 3}},
    ),
    grave(
        "kernel interrupts-late",
        "a flood of interrupts of 60 µs each",
        caused={"interrupts": {60_000: 60}},
        alone={2_000: 30},
    ),
    grave(
        "firmware unexplained-stalls", "300 µs of firmware at times, which nobody counts", gaps={2_000: 30, 300_000: 2}
    ),
    note("kernel governor-not-performance", "the governor powersave", machine=replace(BARE, governor="powersave")),
    note("kernel huge-pages-always", "huge pages for all memory", signs={"huge_pages": "always"}),
    note("hardware siblings-share-cores", "two hardware threads a core", signs={"smt_siblings": 2.0}),
    note("kernel numa-balancing", "NUMA balancing", signs={"numa_balancing": 1.0}),
    note("kernel swapping", "memory that is swapped", signs={"swap_used_share": 0.2}),
    note("cgroup memory-limit-near", "a memory limit that is nearly reached", signs={"memory_limit_used": 0.97}),
    note("cgroup cpu-quota", "a quota that has stopped nobody yet", machine=replace(BARE, cpu_quota=1.5)),
    note(
        "firmware frequency-held-down",
        "a frequency that is held down",
        signs={"frequency_loaded_mhz": 1_800.0, "frequency_most_mhz": 3_600.0},
    ),
    note(
        "kernel device-interrupts",
        "a network card that interrupts one CPU",
        signs={"device_interrupts_per_s.1": 9_000.0},
    ),
    note("firmware boost-off", "a boost that is switched off", signs={"boost": 0.0}),
    note("kernel ticks-everywhere", "a tick on every CPU, for real time", purpose="realtime"),
    note("kernel rt-throttling", "real-time threads that are stopped", purpose="realtime"),
    note(
        "cgroup few-locked-bytes",
        "little memory that may be locked, for real time",
        purpose="realtime",
        signs={"may_lock_bytes": 65_536.0},
    ),
    grave(
        "hypervisor cpus-moved",
        "virtual CPUs that are moved, for benchmarks",
        machine=VIRTUAL,
        purpose="benchmark",
        apart=(25.0, 120.0),
    ),
    note("kernel nmi-watchdog", "the NMI watchdog", signs={"nmi_watchdog": 1.0}),
    note("neighbours cpu-pressure", "threads that wait for CPUs", signs={"cpu_pressure": 0.4}),
    note("kernel not-isolated", "no isolated CPU, for real time", purpose="realtime"),
    note(
        "cgroup no-realtime-priority",
        "no right to a real-time priority",
        purpose="realtime",
        signs={"rt_priority": 0.0},
    ),
)
