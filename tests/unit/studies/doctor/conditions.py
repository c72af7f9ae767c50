"""Conditions that are planted, what is to be found of each, and the table of them in docs/internals/doctor.md."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
    levels: Sequence[str] = GRAVE


CONDITIONS = (
    Condition(
        "the hypervisor takes 5% of the CPU time", {"machine": VIRTUAL, "stolen": 0.05}, "stolen-time", "hypervisor"
    ),
    Condition(
        "the hypervisor stops a CPU for 3 ms, and keeps no count of it",
        {"machine": VIRTUAL, "caused": {"stolen": {3_000_000: 2}}},
        "stolen-time",
        "hypervisor",
    ),
    Condition(
        "idle CPUs leave the virtual machine: 70 µs, 24 µs awake",
        {"machine": VIRTUAL, "wakes": {"1ms": (70_000.0, 24_000.0), "30ms": (75_000.0, 25_000.0)}},
        "idle-halt",
        "hypervisor",
    ),
    Condition(
        "idle CPUs sleep deeply: 140 µs after 30 ms, 9 µs awake",
        {"wakes": {"30ms": (140_000.0, 9_000.0)}},
        "idle-states",
        "kernel",
    ),
    Condition(
        "wake-ups are slow wherever CPUs sleep or not",
        {"wakes": {"1ms": (90_000.0, 88_000.0)}},
        "slow-wake-up",
        "kernel",
    ),
    Condition("a clock that costs 430 ns", {"clock": 430.0}, "costly-clock", "kernel"),
    Condition("a quota that stops threads for 45% of the time", {"throttled": 0.45}, "throttled", "cgroup"),
    Condition("other programs that take 40% of the CPUs", {"others": 0.4}, "busy-neighbours", "neighbours"),
    Condition(
        "a thread of a higher priority that runs for 2 ms at times",
        {"caused": {"preempted": {2_000_000: 3}}},
        "busy-neighbours",
        "neighbours",
    ),
    Condition(
        "a flood of interrupts of 60 µs each",
        {"caused": {"interrupts": {60_000: 60}}, "alone": {2_000: 30}},
        "interrupts-late",
        "kernel",
    ),
    Condition(
        "300 µs of firmware at times, which nobody counts",
        {"gaps": {2_000: 30, 300_000: 2}},
        "unexplained-stalls",
        "firmware",
    ),
    Condition(
        "the governor powersave",
        {"machine": replace(BARE, governor="powersave")},
        "governor-not-performance",
        "kernel",
        NOTE,
    ),
    Condition("huge pages for all memory", {"signs": {"huge_pages": "always"}}, "huge-pages-always", "kernel", NOTE),
    Condition(
        "two hardware threads a core", {"signs": {"smt_siblings": 2.0}}, "siblings-share-cores", "hardware", NOTE
    ),
    Condition("NUMA balancing", {"signs": {"numa_balancing": 1.0}}, "numa-balancing", "kernel", NOTE),
    Condition("memory that is swapped", {"signs": {"swap_used_share": 0.2}}, "swapping", "kernel", NOTE),
    Condition(
        "a memory limit that is nearly reached",
        {"signs": {"memory_limit_used": 0.97}},
        "memory-limit-near",
        "cgroup",
        NOTE,
    ),
    Condition(
        "a quota that has stopped nobody yet", {"machine": replace(BARE, cpu_quota=1.5)}, "cpu-quota", "cgroup", NOTE
    ),
    Condition(
        "a frequency that is held down",
        {"signs": {"frequency_loaded_mhz": 1_800.0, "frequency_most_mhz": 3_600.0}},
        "frequency-held-down",
        "firmware",
        NOTE,
    ),
    Condition(
        "a network card that interrupts one CPU",
        {"signs": {"device_interrupts_per_s.1": 9_000.0}},
        "device-interrupts",
        "kernel",
        NOTE,
    ),
    Condition("a boost that is switched off", {"signs": {"boost": 0.0}}, "boost-off", "firmware", NOTE),
    Condition("a tick on every CPU, for real time", {"purpose": "realtime"}, "ticks-everywhere", "kernel", NOTE),
    Condition("real-time threads that are stopped", {"purpose": "realtime"}, "rt-throttling", "kernel", NOTE),
    Condition(
        "little memory that may be locked, for real time",
        {"purpose": "realtime", "signs": {"may_lock_bytes": 65_536.0}},
        "few-locked-bytes",
        "cgroup",
        NOTE,
    ),
    Condition(
        "virtual CPUs that are moved, for benchmarks",
        {"machine": VIRTUAL, "purpose": "benchmark", "apart": (25.0, 120.0)},
        "cpus-moved",
        "hypervisor",
    ),
    Condition("the NMI watchdog", {"signs": {"nmi_watchdog": 1.0}}, "nmi-watchdog", "kernel", NOTE),
    Condition("threads that wait for CPUs", {"signs": {"cpu_pressure": 0.4}}, "cpu-pressure", "neighbours", NOTE),
    Condition("no isolated CPU, for real time", {"purpose": "realtime"}, "not-isolated", "kernel", NOTE),
    Condition(
        "no right to a real-time priority",
        {"purpose": "realtime", "signs": {"rt_priority": 0.0}},
        "no-realtime-priority",
        "cgroup",
        NOTE,
    ),
)
